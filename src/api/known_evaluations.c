/* Known evaluations that the user gives: the solver copies them. */
#include "api/solver_state.h"
#include "base/memory.h"

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

static lrgd_status check_residuals(const lrgd_solver *s, size_t n,
                                   const double *X, const double *R,
                                   lrgd_error *error)
{
  if (!lr_solver_valid(s) || (n > 0 && (!X || !R)))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "solver, points or residuals are "
                   "NULL");
  if (!s->host || !s->run.oracle.answers.residuals ||
      lr_run_is_constrained(&s->run))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "residuals are learned from by solvers of residuals only");
  return LRGD_OK;
}

/* f at known points, for methods that know of f alone. */
static lrgd_status learn_values(lr_run *run, lr_host_answers *host,
                                const lrgd_allocator *a)
{
  const lr_known_vectors *v = &run->learned.vectors;
  lrgd_evaluation *all = lr_alloc(a, v->n + 1, sizeof *all);
  if (!all) return LRGD_ERR_NOMEM;
  for (size_t i = 0; i < v->n; i++) {
    all[i].x = v->x + i * v->p;
    all[i].f = lr_host_answers_f(host, all[i].x, v->r + i * v->m);
  }
  lrgd_status status = lr_known_init(&run->learned.known, a, v->p, v->n, all);
  lr_free(a, all);
  return status;
}

lrgd_status lrgd_solver_learn_residuals(lrgd_solver *solver, size_t n,
                                        const double *X, const double *R,
                                        int verify, lrgd_error *error)
{
  lrgd_status status = check_residuals(solver, n, X, R, error);
  if (status != LRGD_OK) return status;
  if (!lr_solver_enter(solver)) return lr_solver_busy(error);
  lr_run *run = &solver->run;
  const lrgd_allocator *a = &solver->allocator;
  size_t rows =
      run->oracle.answers.known ? run->oracle.answers.known->count : 0;
  lr_known_clear(&run->learned.known);
  lr_known_vectors_clear(&run->learned.vectors);
  run->learned.verify = verify != 0;
  status =
      lr_known_vectors_init(&run->learned.vectors, a, solver->space->dimension,
                            run->oracle.answers.residual_count - rows, n, X, R);
  lr_host_answers_know(solver->host, &run->learned.vectors);
  if (status == LRGD_OK && run->asked.method != LRGD_METHOD_AUTO &&
      run->domain.k == 0)
    status = learn_values(run, solver->host, a);
  lr_solver_leave(solver);
  if (status == LRGD_OK) return LRGD_OK;
  return lr_fail(error, status, "out of memory for %zu evaluations", n);
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
