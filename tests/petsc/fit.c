/* A program for TAO that gives residuals, as for POUNDERS, and where asked
 * their Jacobian, as for BRGN: y = b0 + sum over j of a_j exp(-j t), seen at m
 * times with errors known beforehand, b0 and a_j being the inputs through x ->
 * exp(x)
 * (-p of them).  -weights vector|matrix weights the residuals: the last half of
 * the times counts three times as much, by either form; with matrix neighbours
 * go together too.  Prints the solution. */
#include <math.h>
#include <string.h>
#include <taolrgd.h>

enum { TIMES = 24 };

typedef struct curve {
  PetscInt p;
} curve;

static double error_of(PetscInt i)
{
  return 0.002 * sin(12.9898 * (double)(i + 1));
}

/* exp(-j t) */
static double decay(PetscInt i, PetscInt j)
{
  return exp(-(double)j * 3 * (double)i / TIMES);
}

static PetscErrorCode residuals(Tao tao, Vec X, Vec R, void *user)
{
  const curve *c = user;
  const PetscScalar *x;
  PetscInt first, end;
  Vec all;
  VecScatter scatter;
  (void)tao;
  PetscFunctionBegin;
  PetscCall(VecScatterCreateToAll(X, &scatter, &all));
  PetscCall(VecScatterBegin(scatter, X, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, X, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetOwnershipRange(R, &first, &end));
  PetscCall(VecGetArrayRead(all, &x));
  for (PetscInt i = first; i < end; i++) {
    PetscScalar rest = -error_of(i);
    for (PetscInt j = 0; j < c->p; j++)
      rest += (exp(x[j]) - 1.0 / (double)(j + 1)) * decay(i, j);
    PetscCall(VecSetValue(R, i, rest, INSERT_VALUES));
  }
  PetscCall(VecRestoreArrayRead(all, &x));
  PetscCall(VecAssemblyBegin(R));
  PetscCall(VecAssemblyEnd(R));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&all));
  PetscFunctionReturn(0);
}

static PetscErrorCode jacobian(Tao tao, Vec X, Mat J, Mat pre, void *user)
{
  const curve *c = user;
  const PetscScalar *x;
  PetscInt first, end;
  Vec all;
  VecScatter scatter;
  (void)tao;
  (void)pre;
  PetscFunctionBegin;
  PetscCall(VecScatterCreateToAll(X, &scatter, &all));
  PetscCall(VecScatterBegin(scatter, X, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, X, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(MatGetOwnershipRange(J, &first, &end));
  PetscCall(VecGetArrayRead(all, &x));
  for (PetscInt i = first; i < end; i++)
    for (PetscInt j = 0; j < c->p; j++)
      PetscCall(MatSetValue(J, i, j, exp(x[j]) * decay(i, j), INSERT_VALUES));
  PetscCall(VecRestoreArrayRead(all, &x));
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&all));
  PetscFunctionReturn(0);
}

static double weight_of(PetscInt i)
{
  return i < TIMES / 2 ? 1 : 3;
}

static PetscErrorCode set_weights(Tao tao, Vec like, const char *form)
{
  PetscInt rows[3 * TIMES], columns[3 * TIMES], count = 0;
  PetscReal entries[3 * TIMES];
  PetscFunctionBegin;
  if (strcmp(form, "vector") == 0) {
    Vec v;
    PetscCall(VecDuplicate(like, &v));
    for (PetscInt i = 0; i < TIMES; i++)
      PetscCall(VecSetValue(v, i, weight_of(i), INSERT_VALUES));
    PetscCall(VecAssemblyBegin(v));
    PetscCall(VecAssemblyEnd(v));
    PetscCall(TaoSetResidualWeights(tao, v, 0, NULL, NULL, NULL));
    PetscCall(VecDestroy(&v));
    PetscFunctionReturn(0);
  }
  for (PetscInt i = 0; i < TIMES; i++)
    for (PetscInt j = i - 1; j <= i + 1; j++) {
      if (j < 0 || j >= TIMES) continue;
      rows[count] = i;
      columns[count] = j;
      entries[count++] = weight_of(i) * weight_of(j) *
                         (i == j                          ? 1
                          : strcmp(form, "diagonal") == 0 ? 0
                                                          : 0.4);
    }
  if (strcmp(form, "negative") == 0) entries[0] = -1;
  PetscCall(TaoSetResidualWeights(tao, NULL, count, rows, columns, entries));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  curve c = {4};
  char form[16] = "";
  PetscBool given = PETSC_FALSE;
  Tao tao;
  Vec x, r;
  Mat J;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(TaoLRGDRegister());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-p", &c.p, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-jacobian", &given, NULL));
  PetscCall(
      PetscOptionsGetString(NULL, NULL, "-weights", form, sizeof form, NULL));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, c.p, &x));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, TIMES, &r));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, TIMES,
                           c.p, NULL, &J));
  PetscCall(TaoCreate(PETSC_COMM_WORLD, &tao));
  PetscCall(TaoSetType(tao, TAOPOUNDERS));
  PetscCall(TaoSetSolution(tao, x));
  PetscCall(TaoSetResidualRoutine(tao, r, residuals, &c));
  if (given) PetscCall(TaoSetJacobianResidualRoutine(tao, J, J, jacobian, &c));
  if (form[0]) PetscCall(set_weights(tao, r, form));
  PetscCall(TaoSetFromOptions(tao));
  PetscCall(TaoSolve(tao));
  PetscCall(VecView(x, PETSC_VIEWER_STDOUT_WORLD));
  PetscCall(TaoDestroy(&tao));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&x));
  PetscCall(PetscFinalize());
  return 0;
}
