/* Evaluates the start before the solver does, to learn the number of residuals.
 * This file knows pool, journal and signals. */
#include "first_residuals.h"

#include "cli/terminal/signals.h"

#include <stdlib.h>
#include <string.h>

/* The start exactly as the solver will evaluate it.  The caller frees it; NULL:
 * out of memory. */
static double *first_point(const cli_source *source,
                           const lrgd_variables *transform)
{
  const lrgd_problem *problem = &source->problem;
  size_t p = problem->dimension;
  double *x = malloc(p * sizeof *x);
  if (x == NULL) return NULL;
  memcpy(x, source->start, p * sizeof *x);
  if (transform != NULL) {
    lrgd_variables_into(transform, x, x);
    lrgd_variables_back(transform, x, x);
  }
  for (size_t i = 0; i < p; i++) {
    if (problem->lower != NULL && x[i] < problem->lower[i])
      x[i] = problem->lower[i];
    if (problem->upper != NULL && x[i] > problem->upper[i])
      x[i] = problem->upper[i];
  }
  return x;
}

static void stop_nothing(void *nothing)
{
  (void)nothing;
}

/* How often the solver would evaluate a start that fails. */
static size_t tries_of(const lrgd_options *o)
{
  int64_t tries = 1 + (o->retries > 0 ? o->retries : 0);
  if (o->max_evals > 0 && o->max_evals < tries) tries = o->max_evals;
  return (size_t)tries;
}

lrgd_status residuals_find(cli_source *source, const lrgd_variables *transform,
                           lrgd_journal *journal, const lrgd_options *options,
                           lrgd_error *error)
{
  lrgd_problem *problem = &source->problem;
  size_t count = 0, tries = tries_of(options);
  if (!source->residuals || problem->residual_count > 0) return LRGD_OK;
  double *x = first_point(source, transform);
  if (x == NULL) return fail_memory(error);
  signals_watch(stop_nothing, NULL, source->pool);
  lrgd_status status =
      journal != NULL
          ? lrgd_journal_find_residuals(journal, source->pool, x, tries, &count,
                                        error)
          : lrgd_pool_find_residuals(source->pool, problem->dimension, x, tries,
                                     &count, error);
  signals_release();
  free(x);
  /* if the start has failed, the solver finds that out and ends the run */
  problem->residual_count = count > 0 ? count : 1;
  return status;
}

/* Asks for the residuals at x, by whichever callback there is. */
static bool ask_at(const lrgd_problem *problem, const double *x)
{
  size_t p = problem->dimension, m = problem->residual_count;
  double *r = malloc(m * sizeof *r), *zero = calloc(p, sizeof *zero);
  double *d = problem->residual_jacobian != NULL ? calloc(m * p, sizeof *d)
                                                 : calloc(m, sizeof *d);
  bool good = r != NULL && zero != NULL && d != NULL;
  if (good && problem->residuals != NULL)
    problem->residuals(p, x, m, r, problem->user);
  else if (good && problem->residual_jacobian != NULL)
    problem->residual_jacobian(p, x, m, r, d, problem->user);
  else if (good)
    problem->residual_slopes(p, x, 1, zero, m, r, d, problem->user);
  free(r);
  free(zero);
  free(d);
  return good;
}

lrgd_status residuals_keep(const cli_source *source,
                           const lrgd_variables *transform,
                           const lrgd_problem *problem, uint64_t *kept,
                           lrgd_error *error)
{
  if (!source->residuals || signals_seen() == 0) return LRGD_OK;
  double *x = first_point(source, transform);
  bool good = x != NULL;
  uint64_t unused = good ? lrgd_pool_unused(source->pool) : 0;
  for (; good && unused > 0; unused--, ++*kept) good = ask_at(problem, x);
  free(x);
  return good ? LRGD_OK : fail_memory(error);
}
