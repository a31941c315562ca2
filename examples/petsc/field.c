/* Which field of conductivity explains what nine sensors saw?
 *
 *   mpirun -n 4 field -n 100 -tao_type lmvm
 *   mpirun -n 4 field -n 100 -dll_prepend libtaolrgd.so -tao_type lrgd
 * [-values]
 *
 * -div(exp(m) grad u) = 1 in the unit square, u = 0 around it; m, a number for
 * each of n x n cells, is unknown, u at nine of them is.  f(m) is half the sum
 * of squares of what is off, in units of the sensors' error: of p = n^2 numbers
 * it varies along few directions.  PETSc alone: the program knows nothing of
 * lrgd.  The gradient comes from the adjoint equation; -values keeps it back,
 * as a simulator does that has none. */
#include <math.h>
#include <petscdmda.h>
#include <petscksp.h>
#include <petsctao.h>

enum { SENSORS = 3 }; /* in a row */

typedef struct field {
  DM grid;
  PetscInt n;
  Mat K;
  KSP solver;
  Vec u, seen, rhs, adjoint;  /* global */
  Vec m_near, u_near, a_near; /* with the neighbours' cells */
  PetscReal error;
} field;

static PetscInt sensor(const field *s, int i)
{
  return (i + 1) * s->n / (SENSORS + 1);
}

/* The coefficient of the face towards a neighbour, or, at the edge, towards
 * the boundary half a cell away. */
static PetscReal face(PetscScalar **m, PetscInt n, PetscInt i, PetscInt j,
                      PetscInt di, PetscInt dj)
{
  PetscInt k = i + di, l = j + dj;
  if (k < 0 || l < 0 || k >= n || l >= n) return 2 * exp(m[j][i]);
  return (exp(m[j][i]) + exp(m[l][k])) / 2;
}

static const PetscInt beside[4][2] = {
    {-1, 0 },
    {1,  0 },
    {0,  -1},
    {0,  1 }
};

static PetscErrorCode row(field *s, PetscScalar **m, PetscInt i, PetscInt j)
{
  MatStencil at = {.i = i, .j = j}, cols[5];
  PetscScalar entries[5] = {0};
  PetscInt count = 1;
  PetscFunctionBegin;
  cols[0] = at;
  for (int d = 0; d < 4; d++) {
    PetscInt k = i + beside[d][0], l = j + beside[d][1];
    PetscReal c = face(m, s->n, i, j, beside[d][0], beside[d][1]);
    entries[0] += c;
    if (k < 0 || l < 0 || k >= s->n || l >= s->n) continue;
    cols[count] = (MatStencil){.i = k, .j = l};
    entries[count++] = -c;
  }
  PetscCall(
      MatSetValuesStencil(s->K, 1, &at, count, cols, entries, INSERT_VALUES));
  PetscFunctionReturn(0);
}

/* u for m */
static PetscErrorCode simulate(field *s, Vec m)
{
  PetscScalar **near;
  PetscInt x, y, w, h;
  PetscFunctionBegin;
  PetscCall(DMGlobalToLocal(s->grid, m, INSERT_VALUES, s->m_near));
  PetscCall(DMDAGetCorners(s->grid, &x, &y, NULL, &w, &h, NULL));
  PetscCall(DMDAVecGetArrayRead(s->grid, s->m_near, (void *)&near));
  for (PetscInt j = y; j < y + h; j++)
    for (PetscInt i = x; i < x + w; i++) PetscCall(row(s, near, i, j));
  PetscCall(DMDAVecRestoreArrayRead(s->grid, s->m_near, (void *)&near));
  PetscCall(MatAssemblyBegin(s->K, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(s->K, MAT_FINAL_ASSEMBLY));
  PetscCall(KSPSetOperators(s->solver, s->K, s->K));
  PetscCall(VecSet(s->rhs, 1 / (PetscReal)(s->n * s->n)));
  PetscCall(KSPSolve(s->solver, s->rhs, s->u));
  PetscFunctionReturn(0);
}

/* f, and in s->rhs its slope in u, with the sign of the adjoint equation */
static PetscErrorCode misfit(field *s, PetscReal *f)
{
  PetscScalar **u, **seen, **off;
  PetscInt x, y, w, h;
  PetscReal ours = 0;
  PetscFunctionBegin;
  PetscCall(VecSet(s->rhs, 0));
  PetscCall(DMDAGetCorners(s->grid, &x, &y, NULL, &w, &h, NULL));
  PetscCall(DMDAVecGetArrayRead(s->grid, s->u, (void *)&u));
  PetscCall(DMDAVecGetArrayRead(s->grid, s->seen, (void *)&seen));
  PetscCall(DMDAVecGetArray(s->grid, s->rhs, (void *)&off));
  for (int a = 0; a < SENSORS * SENSORS; a++) {
    PetscInt i = sensor(s, a % SENSORS), j = sensor(s, a / SENSORS);
    if (i < x || i >= x + w || j < y || j >= y + h) continue;
    PetscReal t = (u[j][i] - seen[j][i]) / s->error;
    ours += t * t / 2;
    off[j][i] = -t / s->error;
  }
  PetscCall(DMDAVecRestoreArray(s->grid, s->rhs, (void *)&off));
  PetscCall(DMDAVecRestoreArrayRead(s->grid, s->seen, (void *)&seen));
  PetscCall(DMDAVecRestoreArrayRead(s->grid, s->u, (void *)&u));
  PetscCallMPI(
      MPI_Allreduce(&ours, f, 1, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(0);
}

static PetscErrorCode value(Tao tao, Vec m, PetscReal *f, void *user)
{
  (void)tao;
  PetscFunctionBegin;
  PetscCall(simulate(user, m));
  PetscCall(misfit(user, f));
  PetscFunctionReturn(0);
}

/* One cell of a'(dK/dm)u. */
static PetscReal slope(const field *s, PetscScalar **m, PetscScalar **u,
                       PetscScalar **a, PetscInt i, PetscInt j)
{
  PetscReal sum = 0;
  for (int d = 0; d < 4; d++) {
    PetscInt k = i + beside[d][0], l = j + beside[d][1];
    if (k < 0 || l < 0 || k >= s->n || l >= s->n)
      sum += 2 * u[j][i] * a[j][i];
    else
      sum += (u[j][i] - u[l][k]) * (a[j][i] - a[l][k]) / 2;
  }
  return exp(m[j][i]) * sum;
}

static PetscErrorCode gradient(Tao tao, Vec m, PetscReal *f, Vec g, void *user)
{
  field *s = user;
  PetscScalar **near, **u, **a, **out;
  PetscInt x, y, w, h;
  PetscFunctionBegin;
  PetscCall(value(tao, m, f, user));
  PetscCall(KSPSolve(s->solver, s->rhs, s->adjoint));
  PetscCall(DMGlobalToLocal(s->grid, s->u, INSERT_VALUES, s->u_near));
  PetscCall(DMGlobalToLocal(s->grid, s->adjoint, INSERT_VALUES, s->a_near));
  PetscCall(DMDAGetCorners(s->grid, &x, &y, NULL, &w, &h, NULL));
  PetscCall(DMDAVecGetArrayRead(s->grid, s->m_near, (void *)&near));
  PetscCall(DMDAVecGetArrayRead(s->grid, s->u_near, (void *)&u));
  PetscCall(DMDAVecGetArrayRead(s->grid, s->a_near, (void *)&a));
  PetscCall(DMDAVecGetArray(s->grid, g, (void *)&out));
  for (PetscInt j = y; j < y + h; j++)
    for (PetscInt i = x; i < x + w; i++) out[j][i] = slope(s, near, u, a, i, j);
  PetscCall(DMDAVecRestoreArray(s->grid, g, (void *)&out));
  PetscCall(DMDAVecRestoreArrayRead(s->grid, s->a_near, (void *)&a));
  PetscCall(DMDAVecRestoreArrayRead(s->grid, s->u_near, (void *)&u));
  PetscCall(DMDAVecRestoreArrayRead(s->grid, s->m_near, (void *)&near));
  PetscFunctionReturn(0);
}

/* The field to be found: 36 waves with random heights, the same on any number
 * of ranks, smaller the shorter they are. */
static PetscErrorCode truth(field *s, Vec m)
{
  PetscScalar **out, height[36];
  PetscInt x, y, w, h;
  PetscRandom random;
  PetscFunctionBegin;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetInterval(random, -1, 1));
  for (int k = 0; k < 36; k++)
    PetscCall(PetscRandomGetValue(random, &height[k]));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(DMDAGetCorners(s->grid, &x, &y, NULL, &w, &h, NULL));
  PetscCall(DMDAVecGetArray(s->grid, m, (void *)&out));
  for (PetscInt j = y; j < y + h; j++)
    for (PetscInt i = x; i < x + w; i++) {
      out[j][i] = 0;
      for (int k = 0; k < 36; k++)
        out[j][i] += 2 * height[k] / (1 + k % 6 + k / 6) *
                     cos(PETSC_PI * (k % 6) * ((double)i + 0.5) / s->n) *
                     cos(PETSC_PI * (k / 6) * ((double)j + 0.5) / s->n);
    }
  PetscCall(DMDAVecRestoreArray(s->grid, m, (void *)&out));
  PetscFunctionReturn(0);
}

static PetscErrorCode furnish(field *s, Vec *m)
{
  PC pc;
  PetscFunctionBegin;
  s->n = 100;
  s->error = 1e-3;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &s->n, NULL));
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                         DMDA_STENCIL_STAR, s->n, s->n, PETSC_DECIDE,
                         PETSC_DECIDE, 1, 1, NULL, NULL, &s->grid));
  PetscCall(DMSetFromOptions(s->grid));
  PetscCall(DMSetUp(s->grid));
  PetscCall(DMCreateMatrix(s->grid, &s->K));
  PetscCall(DMCreateGlobalVector(s->grid, m));
  PetscCall(VecDuplicate(*m, &s->u));
  PetscCall(VecDuplicate(*m, &s->seen));
  PetscCall(VecDuplicate(*m, &s->rhs));
  PetscCall(VecDuplicate(*m, &s->adjoint));
  PetscCall(DMCreateLocalVector(s->grid, &s->m_near));
  PetscCall(VecDuplicate(s->m_near, &s->u_near));
  PetscCall(VecDuplicate(s->m_near, &s->a_near));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &s->solver));
  PetscCall(KSPSetType(s->solver, KSPCG));
  PetscCall(KSPGetPC(s->solver, &pc));
  PetscCall(PCSetType(pc, PCBJACOBI));
  PetscCall(KSPSetTolerances(s->solver, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT,
                             PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(s->solver));
  PetscCall(truth(s, *m));
  PetscCall(simulate(s, *m));
  PetscCall(VecCopy(s->u, s->seen));
  PetscCall(VecSet(*m, 0));
  PetscFunctionReturn(0);
}

static PetscErrorCode clear(field *s)
{
  Vec *all[] = {&s->u,      &s->seen,   &s->rhs,   &s->adjoint,
                &s->m_near, &s->u_near, &s->a_near};
  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    PetscCall(VecDestroy(all[i]));
  PetscCall(MatDestroy(&s->K));
  PetscCall(KSPDestroy(&s->solver));
  PetscCall(DMDestroy(&s->grid));
  PetscFunctionReturn(0);
}

/* How it ended, printed by the first rank. */
static PetscErrorCode tell(Tao tao)
{
  PetscInt iterations, evaluations;
  PetscReal f;
  TaoType type;
  TaoConvergedReason reason;
  PetscFunctionBeginUser;
  PetscCall(TaoGetType(tao, &type));
  PetscCall(
      TaoGetSolutionStatus(tao, &iterations, &f, NULL, NULL, NULL, &reason));
  PetscCall(TaoGetCurrentFunctionEvaluations(tao, &evaluations));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s: f = %g after %" PetscInt_FMT
                        " evaluations, %" PetscInt_FMT " iterations; %s\n",
                        type, (double)f, evaluations, iterations,
                        TaoConvergedReasons[reason]));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  field s;
  Tao tao;
  Vec m;
  PetscBool values = PETSC_FALSE;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-values", &values, NULL));
  PetscCall(furnish(&s, &m));
  PetscCall(TaoCreate(PETSC_COMM_WORLD, &tao));
  PetscCall(TaoSetType(tao, TAOLMVM));
  PetscCall(TaoSetSolution(tao, m));
  if (values)
    PetscCall(TaoSetObjective(tao, value, &s));
  else
    PetscCall(TaoSetObjectiveAndGradient(tao, NULL, gradient, &s));
  PetscCall(TaoSetFromOptions(tao));
  PetscCall(TaoSolve(tao));
  PetscCall(tell(tao));
  PetscCall(TaoDestroy(&tao));
  PetscCall(VecDestroy(&m));
  PetscCall(clear(&s));
  PetscCall(PetscFinalize());
  return 0;
}
