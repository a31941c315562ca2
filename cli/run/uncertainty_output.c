/* Prints the uncertainty of a fit: as JSON, as lines of text, as files. */
#include "cli/base/cli_text.h"
#include "cli/base/files.h"
#include "fit_uncertainty.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *name_of(const fit_uncertainty *u, size_t i,
                     char name[INPUT_NAME_SIZE])
{
  static const cli_inputs nameless;
  return input_name(u->from.inputs != NULL ? u->from.inputs : &nameless, i,
                    name);
}

/* ---- JSON ---- */

static json_t *interval_json(double low, double high)
{
  return json_doubles(2, (double[]){low, high});
}

static json_t *input_json(const fit_uncertainty *u, size_t i)
{
  char name[INPUT_NAME_SIZE];
  double low, high;
  int side = u->sides[i];
  const double *start = u->from.inputs != NULL ? u->from.inputs->start : NULL;
  json_t *object = json_object();
  uncertainty_interval(u, i, &low, &high);
  json_put(&object, "name", json_text(name_of(u, i, name)));
  json_put(&object, "start",
           start != NULL ? json_double(start[i]) : json_null());
  json_put(&object, "value", json_double(u->from.x[i]));
  json_put(&object, "bound",
           side == 0 ? json_null() : json_string(side > 0 ? "upper" : "lower"));
  json_put(&object, "log", json_boolean(uncertainty_is_log(u, i)));
  json_put(&object, "identifiability", json_double(u->share[i]));
  json_put(&object, "prior_deviation", json_double(uncertainty_prior(u, i)));
  json_put(&object, "deviation", json_double(uncertainty_deviation(u, i)));
  json_put(&object, "interval", interval_json(low, high));
  return object;
}

static json_t *worth_json(const fit_uncertainty *u, const fit_prediction *at,
                          size_t g)
{
  json_t *object = json_object();
  json_put(&object, "name", json_text(u->groups[g]));
  json_put(&object, "only", json_double(at->only[g]));
  json_put(&object, "without", json_double(at->without[g]));
  json_put(&object, "again", json_double(at->again[g]));
  return object;
}

/* Appends to *array, which becomes NULL where memory is out. */
static void append(json_t **array, json_t *value)
{
  if (*array != NULL && json_array_append_new(*array, value) == 0) return;
  json_decref(*array);
  *array = NULL;
}

static json_t *prediction_json(const fit_uncertainty *u,
                               const fit_prediction *at)
{
  json_t *object = json_object(), *groups = json_array();
  for (size_t g = 0; g < u->group_count; g++)
    append(&groups, worth_json(u, at, g));
  json_put(&object, "name", json_text(at->of->name));
  json_put(&object, "simulated", json_double(at->simulated));
  json_put(&object, "prior_deviation", json_double(at->before));
  json_put(&object, "deviation", json_double(at->after));
  json_put(&object, "constrained_by", json_text(u->groups[at->tightest]));
  json_put(&object, "measure_next", json_text(u->groups[at->next]));
  json_put(&object, "groups", groups);
  return object;
}

json_t *uncertainty_json(const fit_uncertainty *u)
{
  if (u == NULL) return json_null();
  json_t *object = json_object(), *inputs = json_array();
  json_put(&object, "directions", json_count(u->k));
  json_put(&object, "dimension", json_count(u->p));
  json_put(&object, "observations", json_count(u->counted));
  json_put(&object, "rank", json_count(u->told.rank));
  json_put(&object, "supported", json_count(u->told.supported));
  json_put(&object, "condition", json_double(u->told.condition));
  json_put(&object, "singular_values", json_doubles(u->k, u->values));
  json_put(&object, "variance", json_double(u->told.variance));
  json_put(&object, "variance_estimated", json_boolean(u->told.estimated));
  json_put(&object, "prior",
           u->prior != NULL ? json_string("bounds") : json_null());
  for (size_t i = 0; i < u->p; i++) append(&inputs, input_json(u, i));
  json_put(&object, "inputs", inputs);
  json_t *predictions = json_array();
  for (size_t i = 0; i < u->prediction_count; i++)
    append(&predictions, prediction_json(u, &u->predictions[i]));
  if (u->prediction_count > 0)
    json_put(&object, "predictions", predictions);
  else
    json_decref(predictions);
  return object;
}

/* ---- text ---- */

enum { FEW = 12, BEST = 6 };

static void print_padded(const char *text, int width)
{
  int gap = width - (int)strlen(text);
  put_safe(stdout, text);
  printf("%*s", gap > 1 ? gap : 1, "");
}

static void print_number(double number, int width)
{
  char text[40];
  (void)snprintf(text, sizeof text, isfinite(number) ? "%.4g" : "none", number);
  print_padded(text, width);
}

static void print_input(const fit_uncertainty *u, size_t i)
{
  static const char *const bounds[] = {"lower", "", "upper"};
  char name[INPUT_NAME_SIZE];
  double low, high;
  uncertainty_interval(u, i, &low, &high);
  printf("    ");
  print_padded(name_of(u, i, name), 16);
  print_number(u->from.x[i], 11);
  print_padded(bounds[u->sides[i] + 1], 7);
  print_number(u->share[i], 17);
  print_number(uncertainty_prior(u, i), 11);
  print_number(uncertainty_deviation(u, i), 11);
  printf("%.4g to %.4g%s\n", low, high,
         uncertainty_is_log(u, i) ? "  (log10)" : "");
}

/* The input with the next smaller share after the last one shown. */
static size_t next_best(const fit_uncertainty *u, const size_t *shown,
                        size_t count)
{
  size_t best = u->p;
  for (size_t i = 0; i < u->p; i++) {
    bool known = false;
    for (size_t j = 0; j < count; j++) known |= shown[j] == i;
    if (!known && (best == u->p || u->share[i] > u->share[best])) best = i;
  }
  return best;
}

static void print_inputs(const fit_uncertainty *u)
{
  size_t shown[FEW], count = u->p <= FEW ? u->p : BEST;
  char all[TEXT_COUNT_SIZE];
  printf(
      "  inputs            value      bound  identifiability  prior      "
      "deviation  95 %% interval\n");
  for (size_t i = 0; i < count; i++) {
    shown[i] = u->p <= FEW ? i : next_best(u, shown, i);
    print_input(u, shown[i]);
  }
  if (u->p > FEW)
    printf("    (the %d best determined of %s: --json has all)\n", BEST,
           text_count(all, u->p));
}

static void print_prediction(const fit_uncertainty *u, const fit_prediction *at)
{
  printf("    ");
  print_padded(at->of->name, 16);
  print_number(at->simulated, 11);
  print_number(at->before, 11);
  print_number(at->after, 11);
  put_safe(stdout, u->groups[at->tightest]);
  if (isfinite(at->without[at->tightest]))
    printf(" (without it %.4g)", at->without[at->tightest]);
  else
    printf(" (without it not determined)");
  printf("; measure next ");
  put_safe(stdout, u->groups[at->next]);
  if (isfinite(at->again[at->next])) printf(" (%.4g)", at->again[at->next]);
  putchar('\n');
}

static void print_predictions(const fit_uncertainty *u)
{
  if (u->prediction_count == 0) return;
  printf(
      "  predictions       simulated  prior      deviation  constrained "
      "most by\n");
  for (size_t i = 0; i < u->prediction_count; i++)
    print_prediction(u, &u->predictions[i]);
}

void uncertainty_print(const fit_uncertainty *u)
{
  if (u == NULL) return;
  printf(
      "  data support  %zu combination%s of inputs: rank of J %zu, "
      "condition %.3g\n",
      u->told.supported, u->told.supported == 1 ? "" : "s", u->told.rank,
      u->told.condition);
  printf("  uncertainty   estimated in %zu of %zu directions; s %.4g%s; %s\n",
         u->k, u->p, sqrt(u->told.variance),
         u->told.estimated ? " from the residuals"
                           : ", weights taken as 1 over errors",
         u->prior != NULL ? "prior: bounds are 4 deviations apart"
                          : "no prior");
  if (u->prior == NULL && u->told.rank < u->p)
    printf(
        "                the data do not determine the inputs, and bounds "
        "say nothing of all of them\n");
  else
    print_inputs(u);
  print_predictions(u);
}

/* ---- files ---- */

static lrgd_status open_table(FILE **file, const fit_uncertainty *u,
                              const char *path, lrgd_error *error)
{
  char name[INPUT_NAME_SIZE];
  *file = file_open(path, "w");
  if (*file == NULL)
    return fail(error, LRGD_ERR_STORAGE, "\"%s\" cannot be written: %s", path,
                file_trouble());
  fprintf(*file, "#");
  for (size_t i = 0; i < u->p; i++)
    fprintf(*file, uncertainty_is_log(u, i) ? " log10(%s)" : " %s",
            name_of(u, i, name));
  fprintf(*file, "\n");
  return LRGD_OK;
}

static lrgd_status close_table(FILE *file, const char *path, lrgd_error *error)
{
  bool bad = ferror(file) != 0;
  if (fclose(file) == 0 && !bad) return LRGD_OK;
  return fail(error, LRGD_ERR_STORAGE, "\"%s\" cannot be written: %s", path,
              strerror(errno));
}

static void put_row(FILE *file, size_t n, const double *row, size_t step)
{
  char text[TEXT_REAL_SIZE];
  for (size_t i = 0; i < n; i++)
    fprintf(file, "%s%s", i > 0 ? " " : "",
            isfinite(row[i * step]) ? text_real(text, row[i * step]) : "inf");
  fprintf(file, "\n");
}

lrgd_status uncertainty_write_covariance(const fit_uncertainty *u,
                                         const char *path, lrgd_error *error)
{
  FILE *file;
  size_t p = u->p;
  double *C = p <= SIZE_MAX / p / sizeof *C ? malloc(p * p * sizeof *C) : NULL;
  if (C == NULL) return fail_memory(error);
  lrgd_uncertainty_covariance(u->linear, C);
  for (size_t j = 0; j < p; j++)
    for (size_t i = 0; i < p; i++) C[i + j * p] *= u->units[i] * u->units[j];
  lrgd_status status = open_table(&file, u, path, error);
  for (size_t i = 0; i < p && status == LRGD_OK; i++)
    put_row(file, p, C + i, p);
  free(C);
  return status == LRGD_OK ? close_table(file, path, error) : status;
}

/* Row i of J U', the derivatives with respect to x or log10 x. */
static void fill_row(const fit_uncertainty *u, size_t i, double *row)
{
  for (size_t l = 0; l < u->p; l++) {
    double sum = 0;
    for (size_t j = 0; j < u->k; j++)
      sum += u->J[i + j * u->m] * u->U[l + j * u->p];
    row[l] = sum / u->units[l];
  }
}

lrgd_status uncertainty_write_jacobian(const fit_uncertainty *u,
                                       const char *path, lrgd_error *error)
{
  FILE *file;
  double *row = malloc(u->p * sizeof *row);
  if (row == NULL) return fail_memory(error);
  lrgd_status status = open_table(&file, u, path, error);
  if (status == LRGD_OK && u->k < u->p)
    fprintf(file, "# estimated in %zu of %zu directions; 0 along the others\n",
            u->k, u->p);
  for (size_t i = 0; i < u->m && status == LRGD_OK; i++) {
    fill_row(u, i, row);
    put_row(file, u->p, row, 1);
  }
  free(row);
  return status == LRGD_OK ? close_table(file, path, error) : status;
}
