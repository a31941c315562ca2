/* Creation and destruction of an oracle outside a solver. */
#include "analysis/standalone_oracle.h"

#include "base/memory.h"
#include "base/options.h"

#include <math.h>

/* Checks problem and options by creating a solver, which is then destroyed. */
static lrgd_status check(const lrgd_problem *problem, lrgd_options options,
                         lrgd_error *error)
{
  lrgd_solver *solver;
  options.method = LRGD_METHOD_GD;
  options.rank = LRGD_UNSET;
  options.step = LRGD_STEP_AUTO;
  lrgd_status status = lrgd_solver_create(&solver, problem, &options, error);
  if (status == LRGD_OK) (void)lrgd_solver_destroy(&solver);
  return status;
}

static lrgd_status set_box(lr_standalone_oracle *standalone,
                           const lrgd_problem *problem)
{
  if (!problem->lower && !problem->upper) return LRGD_OK;
  standalone->bounds = standalone->space->ops->make(standalone->space, 2);
  if (!standalone->bounds) return LRGD_ERR_NOMEM;
  double *low = lr_standalone_oracle_data(standalone->bounds, 0),
         *high = lr_standalone_oracle_data(standalone->bounds, 1);
  for (size_t i = 0; i < problem->dimension; i++) {
    low[i] = problem->lower ? problem->lower[i] : -INFINITY;
    high[i] = problem->upper ? problem->upper[i] : INFINITY;
  }
  lrgd_vec lower = {standalone->bounds, 0}, upper = {standalone->bounds, 1};
  lr_oracle_set_bounds(&standalone->oracle, (lrgd_box){lower, upper});
  return LRGD_OK;
}

static lrgd_status build(lr_standalone_oracle *standalone,
                         const lrgd_problem *problem)
{
  const lrgd_allocator *a = &standalone->allocator;
  standalone->host = lr_host_answers_create(
      problem, standalone->options.guard_callbacks != 0, a);
  standalone->space =
      lrgd_host_space(problem->dimension, LRGD_SCALAR_DOUBLE, a);
  if (!standalone->host || !standalone->space) return LRGD_ERR_NOMEM;
  lr_answers answers = lr_host_answers_view(standalone->host);
  lrgd_status status = lr_oracle_init(&standalone->oracle, standalone->space,
                                      &answers, &standalone->options, a);
  if (status != LRGD_OK) return status;
  lr_oracle_restart(&standalone->oracle, &standalone->stop);
  return set_box(standalone, problem);
}

lrgd_status lr_standalone_oracle_init(lr_standalone_oracle *standalone,
                                      const lrgd_problem *problem,
                                      const lrgd_options *options,
                                      lrgd_error *error)
{
  lrgd_problem own;
  *standalone = (lr_standalone_oracle){.allocator = lr_malloc};
  lrgd_status status = lr_options_check(&standalone->options, options, error);
  if (status == LRGD_OK) status = lr_problem_take(&own, problem, error);
  if (status == LRGD_OK) status = check(&own, standalone->options, error);
  if (status != LRGD_OK) return status;
  if (standalone->options.allocator)
    standalone->allocator = *standalone->options.allocator;
  atomic_init(&standalone->stop, 0);
  status = build(standalone, &own);
  if (status == LRGD_OK) return LRGD_OK;
  lr_standalone_oracle_clear(standalone);
  return lr_fail(error, status, "out of memory for %zu inputs", own.dimension);
}

void lr_standalone_oracle_clear(lr_standalone_oracle *standalone)
{
  if (standalone->oracle.space) lr_oracle_clear(&standalone->oracle);
  if (standalone->space)
    standalone->space->ops->free(standalone->space, standalone->bounds);
  if (standalone->host) lr_host_answers_destroy(&standalone->host);
  if (standalone->space) lrgd_space_destroy(&standalone->space);
  standalone->bounds = NULL;
}
