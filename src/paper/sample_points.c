/* Lines 1 to 4 of Algorithm 1: points, their gradients, and the subspace that
 * these span.  The points are the user's, or drawn around the start; the start
 * is the first of those that are drawn, as its gradient serves to stop there as
 * well, unless the algorithm is to be as it is written. */
#include "api/solver.h"
#include "base/finite.h"
#include "space/vec.h"
#include "subspace/identify.h"

#include <math.h>

/* ---- what the user gives ---- */

static lrgd_status check_count(const lrgd_options *o, size_t n,
                               lrgd_error *error)
{
  size_t r = o->rank == LRGD_UNSET ? 0 : (size_t)o->rank;
  if (o->method != LRGD_METHOD_LRGD)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "samples are the points of Algorithm 1: they go with method "
                   "lrgd only");
  if (n > 1000000)
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

/* Finite, and within the bounds. */
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

/* ---- their gradients ---- */

/* The gradient at the user's j-th point. */
static lr_code given_gradient(lr_run *run, size_t j, lrgd_vec g)
{
  double norm;
  lr_point at = {
      {run->samples, j},
      0, 0
  };
  lr_oracle_rename(&run->oracle, &at);
  lr_code code =
      lr_run_gradient_at(run, &at, g, LRGD_PURPOSE_IDENTIFY, 0, &norm);
  if (code != LR_NOVALUE) return code;
  if (run->options.verbatim)
    return lr_oracle_end(
        &run->oracle, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_SAMPLE_FAILED,
                        .count = j + 1});
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_SAMPLE_SKIPPED,
                                     .count = j + 1});
  return LR_NOVALUE;
}

/* The gradient at the start, which ends the run where it is small. */
static lr_code start_gradient(lr_run *run, lrgd_vec to)
{
  lrgd_vec g = lr_run_work(run, LR_WORK_GRADIENT);
  double norm;
  LR_TRY(lr_run_gradient_or_end(run, g, LRGD_PURPOSE_IDENTIFY, &norm));
  run->space->ops->copy(run->space, to, g, 1);
  return LR_GO;
}

static lr_code fill(lr_run *run, lrgd_block *G, size_t n)
{
  for (size_t j = 0; j < n; j++) {
    lrgd_vec g = {G, j};
    lr_code code;
    if (run->samples)
      code = given_gradient(run, j, g);
    else if (j == 0 && !run->options.verbatim)
      code = start_gradient(run, g);
    else
      code = lr_sample_gradient(run, LR_STREAM_SAMPLE + j, g);
    if (code == LR_NOVALUE)
      run->space->ops->scale(run->space, g, 0);
    else
      LR_TRY(code);
  }
  return LR_GO;
}

/* ---- the subspace ---- */

/* U has r columns, whatever the rank of G: a singular value decomposition has
 * others where the rank is less, which are any orthonormal ones. */
static lr_code complete(lr_run *run, size_t r)
{
  lrgd_vec w = lr_run_work(run, LR_WORK_EXTRA);
  size_t found = run->U.k;
  for (uint64_t j = 0; run->U.k < r && j < 2 * r; j++) {
    bool kept;
    run->space->ops->gaussian(run->space, w, (uint64_t)run->options.seed,
                              LR_STREAM_COMPLETE + j);
    if (run->oracle.confine) run->oracle.confine(run->oracle.self, w);
    LR_TRY(lr_append(run, w, &kept));
  }
  if (found < r)
    lr_run_decide(run,
                  (lrgd_decision){.kind = LRGD_DECISION_KIND_SUBSPACE_COMPLETED,
                                  .count = r - found,
                                  .level = (double)found});
  return LR_GO;
}

static lr_code identify(lr_run *run, lrgd_block *G, size_t n, size_t r)
{
  lr_identified found;
  lrgd_status status = lr_identify(&run->U, (lrgd_vec){G, 0}, n, r,
                                   (lrgd_identify)run->options.identify,
                                   run->options.rank_cut, &found);
  if (status != LRGD_OK)
    return lr_oracle_fault(&run->oracle, status,
                           "identification from %zu gradients: %s", n,
                           lrgd_status_text(status));
  run->sigma_r = found.sigma_r;
  lr_run_decide(run,
                (lrgd_decision){.kind = LRGD_DECISION_KIND_SUBSPACE_IDENTIFIED,
                                .count = run->U.k,
                                .level = (double)found.samples,
                                .value = found.sigma_r});
  return run->options.verbatim ? complete(run, r) : LR_GO;
}

/* As many as the user gives, else r of them, or more where so asked. */
static size_t count_samples(const lr_run *run, size_t r)
{
  if (run->samples) return run->sample_count;
  return (size_t)ceil((double)r * run->options.oversample);
}

lr_code lr_sample_subspace(lr_run *run, size_t r)
{
  size_t n = count_samples(run, r);
  lrgd_block *G = run->space->ops->make(run->space, n);
  if (!G)
    return lr_oracle_fault(
        &run->oracle, LRGD_ERR_NOMEM, "%zu gradients need %.3g bytes", n,
        (double)n * (double)run->space->dimension * sizeof(double));
  lr_code code = fill(run, G, n);
  if (code == LR_GO) code = identify(run, G, n, r);
  run->space->ops->free(run->space, G);
  return code;
}
