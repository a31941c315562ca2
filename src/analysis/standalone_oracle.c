/* The life of an oracle outside a solver. */
#include "analysis/standalone_oracle.h"

#include "base/memory.h"
#include "base/options.h"

#include <math.h>

/* The solver checks problems and options; it is made only to say so. */
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

static lrgd_status set_box(lr_standalone_oracle *rig,
                           const lrgd_problem *problem)
{
  if (!problem->lower && !problem->upper) return LRGD_OK;
  rig->bounds = rig->space->ops->make(rig->space, 2);
  if (!rig->bounds) return LRGD_ERR_NOMEM;
  double *low = lr_standalone_oracle_data(rig->bounds, 0),
         *high = lr_standalone_oracle_data(rig->bounds, 1);
  for (size_t i = 0; i < problem->dimension; i++) {
    low[i] = problem->lower ? problem->lower[i] : -INFINITY;
    high[i] = problem->upper ? problem->upper[i] : INFINITY;
  }
  lrgd_vec lower = {rig->bounds, 0}, upper = {rig->bounds, 1};
  lr_oracle_set_bounds(&rig->oracle, (lrgd_box){lower, upper});
  return LRGD_OK;
}

static lrgd_status build(lr_standalone_oracle *rig, const lrgd_problem *problem)
{
  const lrgd_allocator *a = &rig->allocator;
  rig->host =
      lr_host_answers_create(problem, rig->options.guard_callbacks != 0, a);
  rig->space = lrgd_host_space(problem->dimension, LRGD_SCALAR_DOUBLE, a);
  if (!rig->host || !rig->space) return LRGD_ERR_NOMEM;
  lr_answers answers = lr_host_answers_view(rig->host);
  lrgd_status status =
      lr_oracle_init(&rig->oracle, rig->space, &answers, &rig->options, a);
  if (status != LRGD_OK) return status;
  lr_oracle_restart(&rig->oracle, &rig->stop);
  return set_box(rig, problem);
}

lrgd_status lr_standalone_oracle_init(lr_standalone_oracle *rig,
                                      const lrgd_problem *problem,
                                      const lrgd_options *options,
                                      lrgd_error *error)
{
  lrgd_problem own;
  *rig = (lr_standalone_oracle){.allocator = lr_malloc};
  lrgd_status status = lr_options_check(&rig->options, options, error);
  if (status == LRGD_OK) status = lr_problem_take(&own, problem, error);
  if (status == LRGD_OK) status = check(&own, rig->options, error);
  if (status != LRGD_OK) return status;
  if (rig->options.allocator) rig->allocator = *rig->options.allocator;
  atomic_init(&rig->stop, 0);
  status = build(rig, &own);
  if (status == LRGD_OK) return LRGD_OK;
  lr_standalone_oracle_clear(rig);
  return lr_fail(error, status, "out of memory for %zu inputs", own.dimension);
}

void lr_standalone_oracle_clear(lr_standalone_oracle *rig)
{
  if (rig->oracle.space) lr_oracle_clear(&rig->oracle);
  if (rig->space) rig->space->ops->free(rig->space, rig->bounds);
  if (rig->host) lr_host_answers_destroy(&rig->host);
  if (rig->space) lrgd_space_destroy(&rig->space);
  rig->bounds = NULL;
}
