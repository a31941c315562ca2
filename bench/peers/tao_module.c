/* PETSc TAO's limited-memory quasi-Newton method: LMVM, in a box BLMVM. */
#include "tao_module.h"

#include <petsctao.h>

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

/* Ends with the process: nothing is destroyed.  (PetscCall is a branch each:
 * what looks complex to a counter is a list.)
 * NOLINTNEXTLINE(readability-function-cognitive-complexity) */
static PetscErrorCode minimise(bench_tao_problem *problem)
{
  Tao tao;
  Vec x;
  PetscCall(vector_of(problem, problem->x0, &x));
  PetscCall(TaoCreate(PETSC_COMM_SELF, &tao));
  PetscCall(TaoSetType(tao, problem->lower ? TAOBLMVM : TAOLMVM));
  PetscCall(TaoSetSolution(tao, x));
  PetscCall(TaoSetObjectiveAndGradient(tao, NULL, evaluate, problem));
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
  if (code == 0) code = minimise(problem);
  return (int)code;
}
