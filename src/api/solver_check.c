/* Checks of a solver's input: problem, bounds, method and its options. */
#include "api/solver_state.h"
#include "base/options.h"
#include "base/random_field.h"
#include "oracle/known_rows.h"

#include <limits.h>
#include <math.h>

static lrgd_status check_correlation(const lrgd_problem *problem,
                                     lrgd_error *error)
{
  size_t d = problem->coordinate_count;
  if (!problem->correlate && d == 0) return LRGD_OK;
  if (!lr_gives_residuals(problem))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "correlated directions go with residuals: f alone is not "
                   "modelled along them");
  if (problem->correlate && d > 0)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "correlate and coordinates: one of them, not both");
  return d == 0 ? LRGD_OK
                : lr_random_field_check(problem->dimension, d,
                                        problem->coordinates,
                                        problem->correlation_length, error);
}

lrgd_status lr_solver_check_problem(const lrgd_problem *problem,
                                    lrgd_error *error)
{
  if (problem->dimension == 0 || problem->dimension > INT_MAX)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "dimension %zu; it must be between 1 and %d",
                   problem->dimension, INT_MAX);
  bool scalar = problem->value || problem->values || problem->gradient ||
                problem->slopes || problem->complex_value;
  bool residuals = lr_gives_residuals(problem);
  if (!scalar && !residuals)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "the problem has no callback: give value, values, "
                   "gradient, slopes, complex_value or residuals");
  if (scalar && residuals)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "residuals go with no other callback: f is half the sum of "
                   "their squares");
  if (problem->residual_jacobian && problem->residual_slopes)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "residual_jacobian and residual_slopes: one of them, not "
                   "both");
  if (residuals &&
      (problem->residual_count == 0 || problem->residual_count > INT_MAX))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "residual_count is %zu; it must be between 1 and %d",
                   problem->residual_count, INT_MAX);
  if (problem->residual_batch && !problem->residuals)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "residual_batch goes with residuals, which is asked for "
                   "single points");
  if (!problem->start != !problem->finish ||
      (problem->start && !problem->value && !problem->values))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "start and finish go together, and with value or values");
  if (problem->prior && !residuals)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "prior information goes with residuals: f alone has none");
  if (problem->limits && (!problem->residuals || problem->prior))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "limits go with outputs, which the residuals callback "
                   "answers, and not with prior information");
  if (problem->limits &&
      (problem->residual_jacobian || problem->residual_slopes))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "limits go with outputs alone: derivatives of outputs are "
                   "not used");
  lrgd_status status =
      lr_known_rows_check(problem->prior, problem->dimension, error);
  if (status == LRGD_OK)
    status = lr_outputs_check(problem->limits, problem->residual_count,
                              problem->dimension, error);
  return status == LRGD_OK ? check_correlation(problem, error) : status;
}

lrgd_status lr_solver_check_limits(const lrgd_problem *problem,
                                   const lrgd_options *o, lrgd_error *error)
{
  if (!problem->limits) return LRGD_OK;
  if (o->method != LRGD_METHOD_AUTO)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "limits on outputs are for method auto: the others know of "
                   "one output");
  if (o->restarts > 0)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "restarts is %lld, but a run with limits on outputs has "
                   "none",
                   (long long)o->restarts);
  return LRGD_OK;
}

lrgd_status lr_solver_check_bounds(const lrgd_problem *problem,
                                   lrgd_error *error)
{
  if (!problem->lower && !problem->upper) return LRGD_OK;
  for (size_t i = 0; i < problem->dimension; i++) {
    double lower = problem->lower ? problem->lower[i] : -INFINITY;
    double upper = problem->upper ? problem->upper[i] : INFINITY;
    if (!(lower <= upper) || lower == INFINITY || upper == -INFINITY)
      return lr_fail(error, LRGD_ERR_INVALID,
                     "input %zu (the first is 1) has no values: its lower "
                     "bound is %g, its upper bound %g",
                     i + 1, lower, upper);
  }
  return LRGD_OK;
}

bool lr_problem_bounded(const lrgd_problem *problem)
{
  for (size_t i = 0; i < problem->dimension; i++)
    if ((problem->lower && problem->lower[i] > -INFINITY) ||
        (problem->upper && problem->upper[i] < INFINITY))
      return true;
  return false;
}

lrgd_status lr_solver_refuse_bounds(const lrgd_options *o, bool bounded,
                                    lrgd_error *error)
{
  if (!o->verbatim || !bounded) return LRGD_OK;
  return lr_fail(error, LRGD_ERR_INVALID,
                 "verbatim and bounds do not go together: the paper's "
                 "algorithms know of none");
}

/* Options that a verbatim algorithm of the paper requires, and those that it
 * does not have. */
static lrgd_status check_verbatim(const lrgd_options *o, lrgd_error *error)
{
  if (o->method == LRGD_METHOD_AUTO || o->method == LRGD_METHOD_QUASI_NEWTON)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "verbatim is for the paper's algorithms: method lrgd, "
                   "iterated, adaptive or gd");
  if (!lr_given(o->alpha))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "verbatim needs alpha, the length of the paper's steps");
  if (o->step != LRGD_STEP_AUTO && o->step != LRGD_STEP_FIXED)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "verbatim moves by fixed steps: another step rule is not "
                   "the paper's");
  if (o->oversample != 1)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "oversample is %g, but Algorithm 1 as it is written takes "
                   "as many gradients as directions",
                   o->oversample);
  return LRGD_OK;
}

lrgd_status lr_solver_check_method(const lrgd_options *o, size_t p,
                                   lrgd_error *error)
{
  bool needs =
      o->method == LRGD_METHOD_LRGD || o->method == LRGD_METHOD_ITERATED;
  if (needs && o->rank == LRGD_UNSET)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "this method needs a rank; adaptive finds it itself");
  if (o->rank != LRGD_UNSET && (uint64_t)o->rank > p)
    return lr_fail(error, LRGD_ERR_INVALID, "rank %lld exceeds dimension %zu",
                   (long long)o->rank, p);
  if (o->step == LRGD_STEP_FIXED && !lr_given(o->alpha))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "step fixed needs alpha, the length of the step");
  if (lr_given(o->epsilon) != lr_given(o->mu))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "epsilon and mu go together: %s is missing",
                   lr_given(o->mu) ? "epsilon" : "mu");
  if (o->verbatim) {
    lrgd_status status = check_verbatim(o, error);
    if (status != LRGD_OK) return status;
  }
  if (o->method == LRGD_METHOD_LRGD &&
      (double)o->rank * o->oversample > LR_MOST_SAMPLES)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "%g sampled gradients asked for; at most 1e6",
                   (double)o->rank * o->oversample);
  return LRGD_OK;
}
