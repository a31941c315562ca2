/* Sample points of Algorithm 1 that the user gives: the solver copies them. */
#include "api/solver_state.h"
#include "base/finite.h"
#include "base/options.h"

static lrgd_status check_count(const lrgd_options *o, size_t n,
                               lrgd_error *error)
{
  size_t r = o->rank == LRGD_UNSET ? 0 : (size_t)o->rank;
  if (o->method != LRGD_METHOD_LRGD)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "samples are the points of Algorithm 1: they go with method "
                   "lrgd only");
  if (n > LR_MOST_SAMPLES)
    return lr_fail(error, LRGD_ERR_INVALID, "%zu samples; at most 1e6", n);
  if (o->verbatim && n != r)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "%zu sample%s, but rank %zu: Algorithm 1 as it is written "
                   "takes exactly as many",
                   n, n == 1 ? "" : "s", r);
  if (n < r)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "%zu sample%s, but rank %zu: at least as many are needed", n,
                   n == 1 ? "" : "s", r);
  return LRGD_OK;
}

/* Checks that the points are finite and within the bounds. */
static lrgd_status check_points(lrgd_solver *s, size_t n, const double *X,
                                lrgd_error *error)
{
  size_t p = s->space->dimension;
  bool boxed = lr_oracle_boxed(&s->run.oracle);
  const double *lower = boxed ? lrgd_host_data(s->run.oracle.box.lower) : NULL;
  const double *upper = boxed ? lrgd_host_data(s->run.oracle.box.upper) : NULL;
  for (size_t k = 0; k < n * p; k++) {
    size_t i = k % p;
    if (!lr_finite(X[k]))
      return lr_fail(error, LRGD_ERR_INVALID,
                     "input %zu of sample %zu (the first is 1) is %g", i + 1,
                     k / p + 1, X[k]);
    if (boxed && !(X[k] >= lower[i] && X[k] <= upper[i]))
      return lr_fail(error, LRGD_ERR_INVALID,
                     "input %zu of sample %zu (the first is 1) is %g, outside "
                     "its bounds %g and %g",
                     i + 1, k / p + 1, X[k], lower[i], upper[i]);
  }
  return LRGD_OK;
}

static void forget(lr_run *run)
{
  if (run->samples) run->space->ops->free(run->space, run->samples);
  run->samples = NULL;
  run->sample_count = 0;
}

static lrgd_status take(lrgd_solver *s, size_t n, const double *X,
                        lrgd_error *error)
{
  lr_run *run = &s->run;
  size_t p = s->space->dimension;
  forget(run);
  if (n == 0) return LRGD_OK;
  lrgd_status status = check_count(&run->options, n, error);
  if (status == LRGD_OK) status = check_points(s, n, X, error);
  if (status != LRGD_OK) return status;
  run->samples = s->space->ops->make(s->space, n);
  if (!run->samples)
    return lr_fail(error, LRGD_ERR_NOMEM,
                   "out of memory for %zu samples of %zu numbers", n, p);
  run->sample_count = n;
  for (size_t j = 0; j < n; j++)
    s->space->ops->put(s->space, (lrgd_vec){run->samples, j}, 0, p, X + j * p);
  return LRGD_OK;
}

lrgd_status lrgd_solver_set_samples(lrgd_solver *solver, size_t n,
                                    const double *X, lrgd_error *error)
{
  if (!lr_solver_valid(solver) || (n > 0 && !X))
    return lr_fail(error, LRGD_ERR_INVALID, "solver or X is NULL");
  if (!solver->host)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "samples are for solvers whose vectors are host doubles");
  if (!lr_solver_enter(solver)) return lr_solver_busy(error);
  lrgd_status status = take(solver, n, X, error);
  lr_solver_leave(solver);
  return status;
}
