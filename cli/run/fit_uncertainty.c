/* Calls the library for the uncertainty of a fit.  This file knows which
 * numbers the library needs, not how the result is shown. */
#include "fit_uncertainty.h"

#include "misfit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void uncertainty_destroy(fit_uncertainty **u)
{
  fit_uncertainty *old = *u;
  if (old == NULL) return;
  lrgd_uncertainty_destroy(&old->linear);
  free(old->U);
  free(old->J);
  free(old->units);
  free(old->prior);
  free(old->share);
  free(old->deviations);
  free(old->values);
  free(old->sides);
  free(old->groups);
  free(old->predictions);
  free(old->worth);
  free(old);
  *u = NULL;
}

/* ---- the inputs ---- */

bool uncertainty_is_log(const fit_uncertainty *u, size_t i)
{
  const cli_inputs *inputs = u->from.inputs;
  for (size_t k = 0; inputs != NULL && k < inputs->log_count; k++)
    if ((size_t)inputs->log[k] == i + 1) return true;
  return false;
}

static void fill_units(fit_uncertainty *u)
{
  const cli_inputs *inputs = u->from.inputs;
  const double *scale = inputs != NULL ? inputs->scale : NULL;
  for (size_t i = 0; i < u->p; i++) u->units[i] = scale != NULL ? scale[i] : 1;
  for (size_t k = 0; inputs != NULL && k < inputs->log_count; k++)
    u->units[(size_t)inputs->log[k] - 1] /= log(10);
}

/* The prior deviation by bounds: their distance is taken as four deviations, as
 * PEST users do; equal bounds leave hardly any uncertainty.  NaN: the input
 * does not have two bounds. */
static double deviation_by_bounds(const fit_uncertainty *u, size_t i)
{
  if (u->from.lower == NULL || u->from.upper == NULL) return NAN;
  double low = u->from.lower[i], high = u->from.upper[i];
  bool is_log = uncertainty_is_log(u, i);
  if (!isfinite(low) || !isfinite(high) || (is_log && !(low > 0))) return NAN;
  double width = is_log ? log10(high / low) : high - low;
  double least = 1e-12 * (fabs(u->from.x[i]) > 0 ? fabs(u->from.x[i]) : 1);
  return fmax(width / 4, least);
}

/* The prior of the solver's variables; there is none where memory is out, or an
 * input has none. */
static void fill_prior(fit_uncertainty *u)
{
  u->prior = malloc(u->p * sizeof *u->prior);
  for (size_t i = 0; u->prior != NULL && i < u->p; i++) {
    u->prior[i] = deviation_by_bounds(u, i) / u->units[i];
    if (isfinite(u->prior[i]) && u->prior[i] > 0) continue;
    free(u->prior);
    u->prior = NULL;
  }
}

double uncertainty_prior(const fit_uncertainty *u, size_t i)
{
  return u->prior != NULL ? u->units[i] * u->prior[i] : NAN;
}

double uncertainty_deviation(const fit_uncertainty *u, size_t i)
{
  return u->units[i] * u->deviations[i];
}

void uncertainty_interval(const fit_uncertainty *u, size_t i, double *low,
                          double *high)
{
  /* the 97.5 % quantile of the normal distribution */
  const double normal = 1.959963984540054;
  double width = normal * uncertainty_deviation(u, i), x = u->from.x[i];
  bool is_log = uncertainty_is_log(u, i);
  *low = is_log ? x * pow(10, -width) : x - width;
  *high = is_log ? x * pow(10, width) : x + width;
}

/* ---- observations ---- */

/* The observation of residual i, or after these an equation of prior
 * information; NULL: residuals have no names. */
static const cli_observation *observed(const fit_uncertainty *u, size_t i)
{
  const cli_inputs *inputs = u->from.inputs;
  size_t n = inputs != NULL ? inputs->observations.count : 0;
  if (n == 0) return NULL;
  if (i < n) return &inputs->observations.at[i];
  return i - n < inputs->prior.count ? &inputs->prior.at[i - n] : NULL;
}

static size_t group_of(const fit_uncertainty *u, size_t i)
{
  const cli_observation *at = observed(u, i);
  size_t g = 0;
  while (g < u->group_count && strcmp(u->groups[g], at->group) != 0) g++;
  return g;
}

/* Zeroes rows of weight 0.  The derivatives of predictions are stored
 * separately. */
static bool sort_rows(fit_uncertainty *u, double **slopes)
{
  size_t k = u->k, m = u->m, wanted = 0;
  for (size_t i = 0; i < m; i++)
    wanted += observed(u, i) != NULL && observed(u, i)->predicted;
  *slopes = malloc((wanted * k + 1) * sizeof **slopes);
  u->groups = calloc(m, sizeof *u->groups);
  u->predictions = calloc(wanted + 1, sizeof *u->predictions);
  if (*slopes == NULL || u->groups == NULL || u->predictions == NULL)
    return false;
  for (size_t i = 0; i < m; i++) {
    const cli_observation *at = observed(u, i);
    u->counted += at == NULL || at->weight > 0;
    if (at == NULL) continue;
    if (at->weight > 0 && group_of(u, i) == u->group_count)
      u->groups[u->group_count++] = at->group;
    for (size_t j = 0; at->predicted && j < k; j++)
      (*slopes)[u->prediction_count * k + j] =
          u->J[i + j * m] / MISFIT_PREDICTION_WEIGHT;
    for (size_t j = 0; !(at->weight > 0) && j < k; j++) u->J[i + j * m] = 0;
    if (at->predicted)
      u->predictions[u->prediction_count++] = (fit_prediction){
          .of = at,
          .simulated = u->from.simulated != NULL ? u->from.simulated[i] : NAN};
  }
  return true;
}

/* ---- predictions ---- */

/* Computes the deviations of all predictions, with one factor on the rows of
 * group g and another on all other rows. */
static lrgd_status worth_of(fit_uncertainty *u, const double *slopes, size_t g,
                            double inside, double outside, double *factors,
                            double *after)
{
  for (size_t i = 0; i < u->m; i++)
    factors[i] = group_of(u, i) == g ? inside : outside;
  return lrgd_uncertainty_predict(u->linear, u->prediction_count, slopes,
                                  factors, NULL, after);
}

static lrgd_status fill_worth(fit_uncertainty *u, const double *slopes,
                              double *factors)
{
  static const double inside[] = {1, 0, 1.4142135623730951};
  static const double outside[] = {0, 1, 1};
  size_t n = u->prediction_count;
  double *after = factors + u->m;
  lrgd_status status = LRGD_OK;
  for (size_t g = 0; g < u->group_count; g++)
    for (size_t way = 0; way < 3 && status == LRGD_OK; way++) {
      status =
          worth_of(u, slopes, g, inside[way], outside[way], factors, after);
      for (size_t i = 0; i < n && status == LRGD_OK; i++) {
        fit_prediction *at = &u->predictions[i];
        double *to = way == 0 ? at->only : way == 1 ? at->without : at->again;
        to[g] = after[i];
      }
    }
  return status;
}

static void choose_groups(const fit_uncertainty *u, fit_prediction *at)
{
  for (size_t g = 1; g < u->group_count; g++) {
    if (at->without[g] > at->without[at->tightest]) at->tightest = g;
    if (at->again[g] < at->again[at->next]) at->next = g;
  }
}

static lrgd_status predict(fit_uncertainty *u, const double *slopes,
                           lrgd_error *error)
{
  size_t n = u->prediction_count, groups = u->group_count;
  if (n == 0) return LRGD_OK;
  u->worth = calloc(3 * n * groups, sizeof *u->worth);
  double *factors = malloc((u->m + 2 * n) * sizeof *factors);
  lrgd_status status = LRGD_ERR_NOMEM;
  double *before = factors != NULL ? factors + u->m : NULL;
  if (u->worth != NULL && factors != NULL)
    status = lrgd_uncertainty_predict(u->linear, n, slopes, NULL, before,
                                      before + n);
  for (size_t i = 0; i < n && status == LRGD_OK; i++) {
    fit_prediction *at = &u->predictions[i];
    at->before = before[i], at->after = before[n + i];
    at->only = u->worth + 3 * i * groups;
    at->without = at->only + groups, at->again = at->without + groups;
  }
  if (status == LRGD_OK) status = fill_worth(u, slopes, factors);
  for (size_t i = 0; i < n && status == LRGD_OK; i++)
    choose_groups(u, &u->predictions[i]);
  free(factors);
  return status == LRGD_OK
             ? LRGD_OK
             : fail(error, status, "the predictions' deviations: %s",
                    lrgd_status_text(status));
}

/* ---- the whole uncertainty ---- */

/* Copies the Jacobian.  LRGD_ERR_INVALID: the solver has none. */
static lrgd_status take_model(fit_uncertainty *u)
{
  const lrgd_solver *solver = u->from.solver;
  u->U = malloc(u->p * u->k * sizeof *u->U);
  u->J = malloc(u->m * u->k * sizeof *u->J);
  u->units = malloc(u->p * sizeof *u->units);
  u->share = malloc(u->p * sizeof *u->share);
  u->deviations = malloc(u->p * sizeof *u->deviations);
  u->values = malloc(u->k * sizeof *u->values);
  u->sides = calloc(u->p, sizeof *u->sides);
  if (u->U == NULL || u->J == NULL || u->units == NULL || u->share == NULL ||
      u->deviations == NULL || u->values == NULL || u->sides == NULL)
    return LRGD_ERR_NOMEM;
  for (size_t i = 0; i < u->p; i++)
    u->sides[i] = (signed char)lrgd_solver_active_bound(solver, i + 1);
  if (lrgd_solver_basis(solver, u->U) != LRGD_OK ||
      lrgd_solver_jacobian(solver, u->J) != LRGD_OK)
    return LRGD_ERR_INVALID;
  return LRGD_OK;
}

static lrgd_status compute(fit_uncertainty *u, lrgd_error *error)
{
  lrgd_fit fit = lrgd_fit_default();
  double *slopes = NULL;
  fill_units(u);
  fill_prior(u);
  if (!sort_rows(u, &slopes)) {
    free(slopes);
    return fail_memory(error);
  }
  fit.dimension = u->p, fit.directions = u->k, fit.residuals = u->m;
  fit.basis = u->U, fit.jacobian = u->J, fit.observations = u->counted;
  fit.f = u->from.f, fit.deviations = u->prior;
  lrgd_status status = lrgd_uncertainty_create(&u->linear, &fit, error);
  if (status == LRGD_OK) status = predict(u, slopes, error);
  free(slopes);
  if (status != LRGD_OK) return status;
  u->told = lrgd_uncertainty_summarize(u->linear);
  lrgd_uncertainty_singular_values(u->linear, u->values);
  lrgd_uncertainty_identifiability(u->linear, u->share);
  lrgd_uncertainty_deviations(u->linear, u->deviations);
  return LRGD_OK;
}

lrgd_status uncertainty_create(fit_uncertainty **made,
                               const uncertainty_source *from,
                               lrgd_error *error)
{
  size_t k = lrgd_solver_basis_size(from->solver);
  size_t m = lrgd_solver_residual_count(from->solver);
  *made = NULL;
  if (k == 0 || m == 0) return LRGD_OK;
  fit_uncertainty *u = calloc(1, sizeof *u);
  if (u == NULL) return fail_memory(error);
  u->from = *from;
  u->p = from->p, u->k = k, u->m = m;
  lrgd_status status = take_model(u);
  bool missing = status == LRGD_ERR_INVALID;
  if (status == LRGD_ERR_NOMEM) status = fail_memory(error);
  if (status == LRGD_OK) status = compute(u, error);
  if (status == LRGD_OK)
    *made = u;
  else
    uncertainty_destroy(&u);
  return missing ? LRGD_OK : status;
}
