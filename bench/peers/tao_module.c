/* PETSc TAO: LMVM, in a box BLMVM; POUNDERS and BRGN for sums of squares. */
#include "tao_module.h"

#include <petsctao.h>
#include <string.h>

enum { STARTS = 6 };

static PetscErrorCode evaluate(Tao tao, Vec X, PetscReal *f, Vec G, void *user)
{
  const bench_tao_problem *problem = user;
  const PetscScalar *x;
  PetscScalar *g;
  (void)tao;
  PetscCall(VecGetArrayRead(X, &x));
  PetscCall(VecGetArrayWrite(G, &g));
  *f = problem->gradient(problem->user, x, g);
  PetscCall(VecRestoreArrayWrite(G, &g));
  PetscCall(VecRestoreArrayRead(X, &x));
  return 0;
}

static PetscErrorCode vector_of(const bench_tao_problem *problem,
                                const double *numbers, Vec *v)
{
  PetscScalar *to;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, (PetscInt)problem->p, v));
  PetscCall(VecGetArrayWrite(*v, &to));
  for (size_t i = 0; i < problem->p; i++) to[i] = numbers[i];
  PetscCall(VecRestoreArrayWrite(*v, &to));
  return 0;
}

static PetscErrorCode set_bounds(Tao tao, const bench_tao_problem *problem)
{
  Vec lower, upper;
  PetscCall(vector_of(problem, problem->lower, &lower));
  PetscCall(vector_of(problem, problem->upper, &upper));
  PetscCall(TaoSetVariableBounds(tao, lower, upper));
  return 0;
}

static PetscErrorCode set_limits(Tao tao)
{
  PetscCall(TaoSetTolerances(tao, 0, 0, 0));
  PetscCall(TaoSetMaximumIterations(tao, 100000000));
  PetscCall(TaoSetMaximumFunctionEvaluations(tao, 100000000));
  return 0;
}

/* ---- sums of squares ---- */

static void ask(const bench_tao_problem *problem, const double *x, double *r)
{
  problem->residuals(problem->user, x, r);
  memcpy(problem->last, x, problem->p * sizeof *x);
  memcpy(problem->last + problem->p, r, problem->m * sizeof *r);
}

static PetscErrorCode ask_residuals(Tao tao, Vec X, Vec R, void *user)
{
  const bench_tao_problem *problem = user;
  const PetscScalar *x;
  PetscScalar *r;
  (void)tao;
  PetscCall(VecGetArrayRead(X, &x));
  PetscCall(VecGetArrayWrite(R, &r));
  ask(problem, x, r);
  PetscCall(VecRestoreArrayWrite(R, &r));
  PetscCall(VecRestoreArrayRead(X, &x));
  return 0;
}

/* The Jacobian at a point.  BRGN evaluates the residuals of that point just
 * before; where it has not, they are evaluated, and counted, again. */
static PetscErrorCode ask_jacobian(Tao tao, Vec X, Mat J, Mat pre, void *user)
{
  const bench_tao_problem *problem = user;
  const PetscScalar *x;
  PetscScalar *numbers;
  double *r = problem->last + problem->p;
  (void)tao;
  (void)pre;
  PetscCall(VecGetArrayRead(X, &x));
  if (memcmp(problem->last, x, problem->p * sizeof *x) != 0) ask(problem, x, r);
  PetscCall(MatDenseGetArrayWrite(J, &numbers));
  problem->jacobian(problem->user, x, r, numbers);
  PetscCall(MatDenseRestoreArrayWrite(J, &numbers));
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscCall(VecRestoreArrayRead(X, &x));
  return 0;
}

static PetscErrorCode set_residuals(Tao tao, bench_tao_problem *problem)
{
  PetscInt m = (PetscInt)problem->m, p = (PetscInt)problem->p;
  char radius[32];
  Vec r;
  Mat J;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, m, &r));
  PetscCall(TaoSetResidualRoutine(tao, r, ask_residuals, problem));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, m, p, NULL, &J));
  PetscCall(TaoSetJacobianResidualRoutine(tao, J, J, ask_jacobian, problem));
  PetscCall(PetscSNPrintf(radius, sizeof radius, "%g", problem->step));
  PetscCall(PetscOptionsSetValue(NULL, "-tao_pounders_delta", radius));
  PetscCall(PetscOptionsSetValue(NULL, "-tao_brgn_regularization_type", "lm"));
  PetscCall(TaoSetFromOptions(tao));
  return 0;
}

static PetscErrorCode set_function(Tao tao, bench_tao_problem *problem)
{
  if (problem->type) {
    PetscCall(TaoSetType(tao, problem->type));
    PetscCall(set_residuals(tao, problem));
    return 0;
  }
  PetscCall(TaoSetType(tao, problem->lower ? TAOBLMVM : TAOLMVM));
  PetscCall(TaoSetObjectiveAndGradient(tao, NULL, evaluate, problem));
  return 0;
}

/* The process ends after this run, so that nothing is destroyed.  (Each
 * PetscCall is a branch, which a measure of complexity counts.)
 * NOLINTNEXTLINE(readability-function-cognitive-complexity) */
static PetscErrorCode minimise(bench_tao_problem *problem)
{
  Tao tao;
  Vec x;
  PetscCall(vector_of(problem, problem->x0, &x));
  PetscCall(TaoCreate(PETSC_COMM_SELF, &tao));
  PetscCall(TaoSetSolution(tao, x));
  PetscCall(set_function(tao, problem));
  if (problem->lower) PetscCall(set_bounds(tao, problem));
  PetscCall(set_limits(tao));
  for (int start = 0; start < STARTS; start++) PetscCall(TaoSolve(tao));
  return 0;
}

__attribute__((visibility("default"))) int
bench_tao_minimise(bench_tao_problem *problem);

int bench_tao_minimise(bench_tao_problem *problem)
{
  PetscErrorCode code = PetscInitializeNoArguments();
  /* report a method that gives up (POUNDERS does where F is not finite) by its
   * error code, without PETSc's pages of text */
  if (code == 0) code = PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
  if (code == 0) code = minimise(problem);
  return (int)code;
}
