/* Computes residuals from simulated values.  A journal below this wrapper
 * stores the program's values; weights and observations are applied above
 * it. */
#include "misfit.h"

#include "base/loss.h"
#include "cli/base/cli_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cli_misfit {
  const cli_observations *of;
  const cli_prior *prior; /* NULL: none */
  lrgd_problem inner;
  /* simulated values, then the left sides of prior equations, of the first
   * evaluation and of the lowest one */
  double *first, *lowest;
  double first_f, lowest_f; /* f at those two evaluations; NaN: none was made */
  size_t asked;             /* evaluations so far */
  size_t
      *group_of; /* the group of each observation; NULL: no history is kept */
  size_t group_count;
  double *history; /* rows: an evaluation, and f of each group */
  size_t rows, room;
};

/* The weighted residual of one observation; one without a weight does not
 * count, even if it is not finite. */
static double residual(const cli_observation *at, double simulated)
{
  if (!(at->weight > 0)) return 0;
  return at->weight * (simulated - at->value);
}

double misfit_cost(size_t m, const double *simulated, void *user)
{
  const cli_observations *of = user;
  lr_loss loss = {(lrgd_loss)of->loss, of->loss_scale};
  double sum = 0;
  for (size_t i = 0; i < m && i < of->count; i++) {
    double r = residual(&of->at[i], simulated[i]);
    sum += lr_loss_cost(&loss, 1, &r);
  }
  return sum;
}

/* The contribution of one residual to f: of an observation by the loss, of the
 * prior by its square. */
static double cost_of(const cli_misfit *misfit, size_t i, double r)
{
  lr_loss loss = {(lrgd_loss)misfit->of->loss, misfit->of->loss_scale};
  if (i >= misfit->of->count) loss.kind = LRGD_LOSS_LINEAR;
  return lr_loss_cost(&loss, 1, &r);
}

/* The number of observations and prior equations. */
static size_t count_of(const cli_misfit *misfit)
{
  return misfit->of->count + (misfit->prior != NULL ? misfit->prior->count : 0);
}

const cli_observation *misfit_item(const cli_misfit *misfit, size_t i)
{
  size_t n = misfit->of->count;
  return i < n ? &misfit->of->at[i] : &misfit->prior->at[i - n];
}

void misfit_forget(cli_misfit *misfit)
{
  if (misfit == NULL) return;
  misfit->first_f = misfit->lowest_f = NAN;
  misfit->asked = misfit->rows = 0;
}

lrgd_status misfit_create(cli_misfit **misfit,
                          const cli_observations *observations,
                          const cli_prior *prior, lrgd_error *error)
{
  cli_misfit *made = calloc(1, sizeof *made);
  *misfit = made;
  if (made == NULL) return fail_memory(error);
  made->of = observations;
  made->prior = prior;
  made->first = malloc(count_of(made) * sizeof *made->first);
  made->lowest = malloc(count_of(made) * sizeof *made->lowest);
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
  free((*misfit)->group_of);
  free((*misfit)->history);
  free(*misfit);
  *misfit = NULL;
}

static void copy(const cli_misfit *misfit, double *to, const double *x,
                 const double *simulated)
{
  size_t m = misfit->of->count;
  memcpy(to, simulated, m * sizeof *simulated);
  if (misfit->prior != NULL) prior_sums(misfit->prior, x, to + m);
}

/* Adds a row to the history, for the point copied last. */
static void add_history(cli_misfit *misfit)
{
  size_t width = misfit->group_count + 1;
  if (misfit->group_of == NULL) return;
  if (misfit->rows == misfit->room) {
    size_t room = misfit->room == 0 ? 64 : 2 * misfit->room;
    double *grown =
        realloc(misfit->history, room * width * sizeof *misfit->history);
    if (grown == NULL) return;
    misfit->history = grown;
    misfit->room = room;
  }
  double *row = misfit->history + misfit->rows++ * width;
  memset(row, 0, width * sizeof *row);
  row[0] = (double)misfit->asked;
  for (size_t i = 0; i < count_of(misfit); i++) {
    double r = residual(misfit_item(misfit, i), misfit->lowest[i]);
    row[1 + misfit->group_of[i]] += 0.5 * r * r;
  }
}

static void keep(cli_misfit *misfit, const double *x, const double *simulated)
{
  misfit->asked++;
  double f = misfit_cost(misfit->of->count, simulated, (void *)misfit->of);
  if (misfit->prior != NULL) f += prior_cost(misfit->prior, x);
  if (!isfinite(f)) return;
  if (isnan(misfit->first_f)) {
    misfit->first_f = f;
    copy(misfit, misfit->first, x, simulated);
  }
  if (!isnan(misfit->lowest_f) && f >= misfit->lowest_f) return;
  misfit->lowest_f = f;
  copy(misfit, misfit->lowest, x, simulated);
  add_history(misfit);
}

/* Replaces simulated values by residuals. */
static void subtract(const cli_misfit *misfit, size_t m, double *r)
{
  for (size_t i = 0; i < m; i++) {
    const cli_observation *at = &misfit->of->at[i];
    r[i] = at->predicted ? MISFIT_PREDICTION_WEIGHT * (r[i] - at->value)
                         : residual(at, r[i]);
  }
}

/* Replaces simulated values at x by residuals, and keeps the first and the
 * lowest. */
static void compare(cli_misfit *misfit, const double *x, size_t m, double *r)
{
  keep(misfit, x, r);
  subtract(misfit, m, r);
}

void misfit_know(cli_misfit *misfit, const double *x, size_t m, double *r)
{
  double f = misfit_cost(m, r, (void *)misfit->of);
  if (misfit->prior != NULL) f += prior_cost(misfit->prior, x);
  if (isfinite(f) && (isnan(misfit->lowest_f) || f < misfit->lowest_f)) {
    misfit->first_f = misfit->lowest_f = f;
    copy(misfit, misfit->first, x, r);
    copy(misfit, misfit->lowest, x, r);
  }
  subtract(misfit, m, r);
}

static void ask_residuals(size_t p, const double *x, size_t m, double *r,
                          void *user)
{
  cli_misfit *misfit = user;
  misfit->inner.residuals(p, x, m, r, misfit->inner.user);
  compare(misfit, x, m, r);
}

static void ask_residual_batch(size_t p, size_t n, const double *X, size_t m,
                               double *R, void *user)
{
  cli_misfit *misfit = user;
  misfit->inner.residual_batch(p, n, X, m, R, misfit->inner.user);
  for (size_t j = 0; j < n; j++) compare(misfit, X + j * p, m, R + j * m);
}

/* What residual i is multiplied by. */
static double weight_of(const cli_misfit *misfit, size_t i)
{
  const cli_observation *at = &misfit->of->at[i];
  if (at->predicted) return MISFIT_PREDICTION_WEIGHT;
  return at->weight > 0 ? at->weight : 0;
}

/* Replaces derivatives of a simulated value, n of them, by those of its
 * residual: 0 where it does not count, be they numbers or not. */
static void weigh(const cli_misfit *misfit, size_t i, size_t n, double *d)
{
  double weight = weight_of(misfit, i);
  for (size_t j = 0; j < n; j++) d[j] = weight > 0 ? weight * d[j] : 0;
}

static void ask_residual_jacobian(size_t p, const double *x, size_t m,
                                  double *r, double *J, void *user)
{
  cli_misfit *misfit = user;
  misfit->inner.residual_jacobian(p, x, m, r, J, misfit->inner.user);
  compare(misfit, x, m, r);
  for (size_t i = 0; i < m; i++) weigh(misfit, i, p, J + i * p);
}

static void ask_residual_slopes(size_t p, const double *x, size_t k,
                                const double *U, size_t m, double *r, double *D,
                                void *user)
{
  cli_misfit *misfit = user;
  misfit->inner.residual_slopes(p, x, k, U, m, r, D, misfit->inner.user);
  compare(misfit, x, m, r);
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < m; i++) weigh(misfit, i, 1, D + j * m + i);
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
  if (problem->residuals != NULL) problem->residuals = ask_residuals;
  if (problem->residual_jacobian != NULL)
    problem->residual_jacobian = ask_residual_jacobian;
  if (problem->residual_slopes != NULL)
    problem->residual_slopes = ask_residual_slopes;
  if (problem->residual_batch != NULL)
    problem->residual_batch = ask_residual_batch;
  if (problem->unanswered != NULL) problem->unanswered = ask_unanswered;
}

/* ---- groups ---- */

static void add_to_group(misfit_group *to, const cli_misfit *misfit, size_t i)
{
  const cli_observation *at = misfit_item(misfit, i);
  double start = residual(at, misfit->first[i]);
  double end = residual(at, misfit->lowest[i]);
  double off = misfit->lowest[i] - at->value;
  if (to->count == 0 ||
      fabs(end) > fabs(residual(misfit_item(misfit, to->worst),
                                misfit->lowest[to->worst])))
    to->worst = i;
  to->count++;
  to->f_start += cost_of(misfit, i, start);
  to->f += cost_of(misfit, i, end);
  to->rms += off * off; /* a sum of squares until all have been added */
}

/* An observation or a prior equation, with its index. */
typedef struct member {
  const cli_observation *at;
  size_t number;
} member;

static int compare_groups(const void *a, const void *b)
{
  const member *one = a, *two = b;
  int order = strcmp(one->at->group, two->at->group);
  return order != 0 ? order
                    : (one->number > two->number) - (one->number < two->number);
}

const double *misfit_simulated(const cli_misfit *misfit)
{
  return isnan(misfit->lowest_f) ? NULL : misfit->lowest;
}

misfit_group *misfit_groups(const cli_misfit *misfit, size_t *count)
{
  size_t n = count_of(misfit);
  member *sorted = malloc(n * sizeof *sorted);
  misfit_group *groups = calloc(n, sizeof *groups);
  *count = 0;
  for (size_t i = 0; i < n && sorted != NULL; i++)
    sorted[i] = (member){misfit_item(misfit, i), i};
  if (sorted != NULL) qsort(sorted, n, sizeof *sorted, compare_groups);
  for (size_t i = 0; i < n && sorted != NULL && groups != NULL; i++) {
    const char *group = sorted[i].at->group;
    if (i == 0 || strcmp(group, sorted[i - 1].at->group) != 0)
      groups[(*count)++].name = group;
    add_to_group(&groups[*count - 1], misfit, sorted[i].number);
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

/* ---- history ---- */

void misfit_keep_history(cli_misfit *misfit)
{
  size_t n = count_of(misfit), count = 0;
  member *sorted = malloc(n * sizeof *sorted);
  misfit->group_of = calloc(n, sizeof *misfit->group_of);
  for (size_t i = 0; i < n && sorted != NULL; i++)
    sorted[i] = (member){misfit_item(misfit, i), i};
  if (sorted != NULL) qsort(sorted, n, sizeof *sorted, compare_groups);
  for (size_t i = 0; i < n && sorted != NULL && misfit->group_of != NULL; i++) {
    if (i == 0 || strcmp(sorted[i].at->group, sorted[i - 1].at->group) != 0)
      count++;
    misfit->group_of[sorted[i].number] = count - 1;
  }
  misfit->group_count = count;
  if (sorted == NULL) {
    free(misfit->group_of);
    misfit->group_of = NULL;
  }
  free(sorted);
}

misfit_history misfit_take_history(const cli_misfit *misfit)
{
  size_t n = misfit->rows, groups = misfit->group_count;
  misfit_history made = {.groups = groups, .count = n};
  if (n == 0) return made;
  made.evaluations = malloc(n * sizeof *made.evaluations);
  made.f = malloc(n * groups * sizeof *made.f);
  if (made.evaluations == NULL || made.f == NULL) {
    free(made.evaluations);
    free(made.f);
    return (misfit_history){0};
  }
  for (size_t i = 0; i < n; i++) {
    const double *row = misfit->history + i * (groups + 1);
    made.evaluations[i] = row[0];
    for (size_t g = 0; g < groups; g++) made.f[g * n + i] = row[1 + g];
  }
  return made;
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
  json_put(&object, "worst",
           observation_json(misfit_item(misfit, g->worst),
                            misfit->lowest[g->worst]));
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

static json_t *observations_json(const cli_misfit *misfit, size_t first,
                                 size_t end)
{
  json_t *array = json_array();
  for (size_t i = first; i < end && array != NULL; i++) {
    json_t *object =
        observation_json(misfit_item(misfit, i), misfit->lowest[i]);
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
  size_t m = misfit->of->count, all = count_of(misfit);
  json_put(object, "observations", observations_json(misfit, 0, m));
  if (all > m) json_put(object, "prior", observations_json(misfit, m, all));
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
    const cli_observation *worst = misfit_item(misfit, g->worst);
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
