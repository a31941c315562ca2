/* From simulated values to residuals.  A journal below keeps what the program
 * said; weights and observations are applied above it. */
#include "misfit.h"

#include "cli/base/cli_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cli_misfit {
  const cli_observations *of;
  lrgd_problem inner;
  double *first, *lowest;   /* simulated values, and f of them ... */
  double first_f, lowest_f; /* ... NaN: there are none */
};

/* Of one observation. */
static double residual(const cli_observation *at, double simulated)
{
  return at->weight * (simulated - at->value);
}

double misfit_cost(size_t m, const double *simulated, void *user)
{
  const cli_observations *of = user;
  double sum = 0;
  for (size_t i = 0; i < m && i < of->count; i++) {
    double r = residual(&of->at[i], simulated[i]);
    sum += r * r;
  }
  return 0.5 * sum;
}

void misfit_forget(cli_misfit *misfit)
{
  if (misfit != NULL) misfit->first_f = misfit->lowest_f = NAN;
}

lrgd_status misfit_create(cli_misfit **misfit,
                          const cli_observations *observations,
                          lrgd_error *error)
{
  cli_misfit *made = calloc(1, sizeof *made);
  *misfit = made;
  if (made == NULL) return fail_memory(error);
  made->of = observations;
  made->first = malloc(observations->count * sizeof *made->first);
  made->lowest = malloc(observations->count * sizeof *made->lowest);
  misfit_forget(made);
  if (made->first != NULL && made->lowest != NULL) return LRGD_OK;
  misfit_destroy(misfit);
  return fail_memory(error);
}

void misfit_destroy(cli_misfit **misfit)
{
  if (*misfit == NULL) return;
  free((*misfit)->first);
  free((*misfit)->lowest);
  free(*misfit);
  *misfit = NULL;
}

static void keep(cli_misfit *misfit, size_t m, const double *simulated)
{
  double f = misfit_cost(m, simulated, (void *)misfit->of);
  if (!isfinite(f)) return;
  if (isnan(misfit->first_f)) {
    misfit->first_f = f;
    memcpy(misfit->first, simulated, m * sizeof *simulated);
  }
  if (!isnan(misfit->lowest_f) && f >= misfit->lowest_f) return;
  misfit->lowest_f = f;
  memcpy(misfit->lowest, simulated, m * sizeof *simulated);
}

static void ask_residuals(size_t p, const double *x, size_t m, double *r,
                          void *user)
{
  cli_misfit *misfit = user;
  misfit->inner.residuals(p, x, m, r, misfit->inner.user);
  keep(misfit, m, r);
  for (size_t i = 0; i < m; i++) {
    const cli_observation *at = &misfit->of->at[i];
    r[i] = at->predicted ? MISFIT_PREDICTION_WEIGHT * (r[i] - at->value)
                         : residual(at, r[i]);
  }
}

void misfit_clean(const cli_misfit *misfit, size_t m, double *r)
{
  for (size_t i = 0; i < m && i < misfit->of->count; i++)
    if (!(misfit->of->at[i].weight > 0)) r[i] = 0;
}

static size_t ask_unanswered(void *user)
{
  const cli_misfit *misfit = user;
  return misfit->inner.unanswered(misfit->inner.user);
}

void misfit_wrap(cli_misfit *misfit, lrgd_problem *problem)
{
  misfit->inner = *problem;
  problem->user = misfit;
  problem->residuals = ask_residuals;
  if (problem->unanswered != NULL) problem->unanswered = ask_unanswered;
}

/* ---- groups ---- */

static void add_to_group(misfit_group *to, const cli_misfit *misfit, size_t i)
{
  const cli_observation *at = &misfit->of->at[i];
  double start = residual(at, misfit->first[i]);
  double end = residual(at, misfit->lowest[i]);
  double off = misfit->lowest[i] - at->value;
  if (to->count == 0 || fabs(end) > fabs(residual(&misfit->of->at[to->worst],
                                                  misfit->lowest[to->worst])))
    to->worst = i;
  to->count++;
  to->f_start += 0.5 * start * start;
  to->f += 0.5 * end * end;
  to->rms += off * off; /* the sum of squares, until all are there */
}

static int compare_groups(const void *a, const void *b)
{
  const cli_observation *one = *(const cli_observation *const *)a;
  const cli_observation *two = *(const cli_observation *const *)b;
  int order = strcmp(one->group, two->group);
  return order != 0 ? order : (one > two) - (one < two);
}

const double *misfit_simulated(const cli_misfit *misfit)
{
  return isnan(misfit->lowest_f) ? NULL : misfit->lowest;
}

misfit_group *misfit_groups(const cli_misfit *misfit, size_t *count)
{
  size_t n = misfit->of->count;
  const cli_observation **sorted = malloc(n * sizeof *sorted);
  misfit_group *groups = calloc(n, sizeof *groups);
  *count = 0;
  for (size_t i = 0; i < n && sorted != NULL; i++)
    sorted[i] = &misfit->of->at[i];
  if (sorted != NULL) qsort(sorted, n, sizeof *sorted, compare_groups);
  for (size_t i = 0; i < n && sorted != NULL && groups != NULL; i++) {
    if (i == 0 || strcmp(sorted[i]->group, sorted[i - 1]->group) != 0)
      groups[(*count)++].name = sorted[i]->group;
    add_to_group(&groups[*count - 1], misfit,
                 (size_t)(sorted[i] - misfit->of->at));
  }
  for (size_t i = 0; i < *count; i++)
    groups[i].rms = sqrt(groups[i].rms / (double)groups[i].count);
  if (sorted == NULL) {
    free(groups);
    groups = NULL;
  }
  free(sorted);
  return groups;
}

/* ---- JSON ---- */

static json_t *observation_json(const cli_observation *at, double simulated)
{
  json_t *object = json_object();
  json_put(&object, "name", json_text(at->name));
  json_put(&object, "observed", json_double(at->value));
  json_put(&object, "simulated", json_double(simulated));
  json_put(&object, "residual", json_double(residual(at, simulated)));
  json_put(&object, "weight", json_double(at->weight));
  json_put(&object, "group", json_text(at->group));
  return object;
}

static json_t *group_json(const cli_misfit *misfit, const misfit_group *g)
{
  json_t *object = json_object();
  json_put(&object, "name", json_text(g->name));
  json_put(&object, "count", json_count(g->count));
  json_put(&object, "f_start", json_double(g->f_start));
  json_put(&object, "f", json_double(g->f));
  json_put(&object, "rms", json_double(g->rms));
  json_put(
      &object, "worst",
      observation_json(&misfit->of->at[g->worst], misfit->lowest[g->worst]));
  return object;
}

static json_t *groups_json(const cli_misfit *misfit)
{
  size_t count;
  misfit_group *groups = misfit_groups(misfit, &count);
  json_t *array = groups != NULL ? json_array() : NULL;
  for (size_t i = 0; i < count && array != NULL; i++) {
    if (json_array_append_new(array, group_json(misfit, &groups[i])) == 0)
      continue;
    json_decref(array);
    array = NULL;
  }
  free(groups);
  return array;
}

static json_t *observations_json(const cli_misfit *misfit)
{
  json_t *array = json_array();
  for (size_t i = 0; i < misfit->of->count && array != NULL; i++) {
    json_t *object = observation_json(&misfit->of->at[i], misfit->lowest[i]);
    if (json_array_append_new(array, object) == 0) continue;
    json_decref(array);
    array = NULL;
  }
  return array;
}

bool misfit_json(json_t **object, const cli_misfit *misfit)
{
  if (isnan(misfit->lowest_f)) return false;
  json_put(object, "f_start", json_double(misfit->first_f));
  json_put(object, "groups", groups_json(misfit));
  json_put(object, "observations", observations_json(misfit));
  return true;
}

/* ---- text ---- */

void misfit_print(const cli_misfit *misfit)
{
  size_t count;
  if (isnan(misfit->lowest_f)) return;
  misfit_group *groups = misfit_groups(misfit, &count);
  if (groups == NULL) return;
  printf("  f at start    %.6g\n", misfit->first_f);
  printf("  groups        count   f at start  f           rms         worst\n");
  for (size_t i = 0; i < count; i++) {
    const misfit_group *g = &groups[i];
    const cli_observation *worst = &misfit->of->at[g->worst];
    char number[TEXT_COUNT_SIZE];
    printf("    ");
    put_safe(stdout, g->name);
    int gap = 12 - (int)strlen(g->name);
    printf("%*s%-7s %-11.4g %-11.4g %-11.4g ", gap > 1 ? gap : 1, "",
           text_count(number, g->count), g->f_start, g->f, g->rms);
    put_safe(stdout, worst->name);
    printf(": %.6g, observed %.6g\n", misfit->lowest[g->worst], worst->value);
  }
  free(groups);
}
