/* A program for TAO that links libtaolrgd, gives values and no gradient, and
 * has a box where asked: f(x) = sum over j of (a_j'x - j)^2 / 2 + its fourth
 * power / 100, a_j of norm one and smooth, so that f varies along 4 directions
 * of p.  Prints the largest share of a coordinate that a bound was crossed by,
 * so that the test sees that none was. */
#include <math.h>
#include <taolrgd.h>

enum { RANK = 4 };

typedef struct ridge {
  Vec a[RANK];
} ridge;

static PetscErrorCode value(Tao tao, Vec x, PetscReal *f, void *user)
{
  ridge *r = user;
  PetscScalar c[RANK];
  (void)tao;
  PetscFunctionBegin;
  PetscCall(VecMDot(x, RANK, r->a, c));
  *f = 0;
  for (int j = 0; j < RANK; j++) {
    PetscReal t = c[j] - (j + 1);
    *f += t * t / 2 + t * t * t * t / 100;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode directions(ridge *r, Vec x)
{
  PetscInt first, end, p;
  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(x, &first, &end));
  PetscCall(VecGetSize(x, &p));
  for (int j = 0; j < RANK; j++) {
    PetscCall(VecDuplicate(x, &r->a[j]));
    for (PetscInt i = first; i < end; i++)
      PetscCall(VecSetValue(
          r->a[j], i, cos(3.14159265 * (j + 1) * ((double)i + 0.5) / (double)p),
          INSERT_VALUES));
    PetscCall(VecAssemblyBegin(r->a[j]));
    PetscCall(VecAssemblyEnd(r->a[j]));
    PetscCall(VecNormalize(r->a[j], NULL));
  }
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  PetscInt p = 1000;
  PetscReal bound = 0, largest;
  Tao tao;
  Vec x, lower, upper;
  ridge r;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(TaoLRGDRegister());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-p", &p, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-bound", &bound, NULL));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, p, &x));
  PetscCall(directions(&r, x));
  PetscCall(TaoCreate(PETSC_COMM_WORLD, &tao));
  PetscCall(TaoSetType(tao, TAOLRGD));
  PetscCall(TaoSetSolution(tao, x));
  PetscCall(TaoSetObjective(tao, value, &r));
  if (bound > 0) {
    PetscCall(VecDuplicate(x, &lower));
    PetscCall(VecDuplicate(x, &upper));
    PetscCall(VecSet(lower, -bound));
    PetscCall(VecSet(upper, bound));
    PetscCall(TaoSetVariableBounds(tao, lower, upper));
    PetscCall(VecDestroy(&lower));
    PetscCall(VecDestroy(&upper));
  }
  PetscCall(TaoSetFromOptions(tao));
  PetscCall(TaoSolve(tao));
  PetscCall(VecNorm(x, NORM_INFINITY, &largest));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "largest %.17g\n", largest));
  for (int j = 0; j < RANK; j++) PetscCall(VecDestroy(&r.a[j]));
  PetscCall(TaoDestroy(&tao));
  PetscCall(VecDestroy(&x));
  PetscCall(PetscFinalize());
  return 0;
}
