/* Known evaluations that the user gives: the solver copies them. */
#include "api/solver_state.h"

static lrgd_status check(const lrgd_solver *s, size_t n,
                         const lrgd_evaluation *evaluations, lrgd_error *error)
{
  if (!lr_solver_valid(s) || (n > 0 && !evaluations))
    return lr_fail(error, LRGD_ERR_INVALID, "solver or evaluations is NULL");
  if (!s->host)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "only solvers of host doubles learn from evaluations");
  if (n > 0 && lr_run_is_constrained(&s->run))
    return lr_fail(
        error, LRGD_ERR_INVALID,
        "values of f say nothing of other outputs: a run with limits "
        "cannot learn from them");
  if (n > 0 && s->run.domain.k > 0)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "evaluations cannot be learned from together with a basis "
                   "or constraints");
  return LRGD_OK;
}

lrgd_status lrgd_solver_learn(lrgd_solver *solver, size_t n,
                              const lrgd_evaluation *evaluations, int verify,
                              lrgd_error *error)
{
  lrgd_status status = check(solver, n, evaluations, error);
  if (status != LRGD_OK) return status;
  if (!lr_solver_enter(solver)) return lr_solver_busy(error);
  lr_run *run = &solver->run;
  lr_known_clear(&run->learned.known);
  run->learned.verify = verify != 0;
  status = lr_known_init(&run->learned.known, &solver->allocator,
                         solver->space->dimension, n, evaluations);
  lr_solver_leave(solver);
  if (status == LRGD_OK) return LRGD_OK;
  return lr_fail(error, status, "out of memory for %zu evaluations", n);
}
