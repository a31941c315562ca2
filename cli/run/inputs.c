/* Reads the inputs of a run, which describe x and not f.  An error names file
 * and line. */
#include "inputs.h"

#include "cli/base/cli_text.h"
#include "cli/base/files.h"
#include "cli/base/lines.h"
#include "cli/base/vector_file.h"
#include "input_names.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a vector; entries stays NULL where the flag is not given. */
static lrgd_status read_vector(double **entries, const cli_flags *flags,
                               flag_id id, size_t p, lrgd_error *error)
{
  const char *text = flags_text(flags, id);
  if (text == NULL) return LRGD_OK;
  cli_vector vector;
  bool infinite = id == FLAG_LOWER || id == FLAG_UPPER;
  lrgd_status status =
      vector_read(&vector, flags_name(id), text, p, infinite, error);
  *entries = vector.entries;
  return status;
}

/* ---- start ---- */

static lrgd_status default_start(cli_inputs *inputs,
                                 const lrgd_problem *problem,
                                 const double *origin, lrgd_error *error)
{
  size_t p = problem->dimension;
  const double *lower = inputs->lower != NULL ? inputs->lower : problem->lower;
  const double *upper = inputs->upper != NULL ? inputs->upper : problem->upper;
  inputs->start = calloc(p, sizeof *inputs->start);
  if (inputs->start == NULL) return fail_memory(error);
  for (size_t i = 0; i < p; i++) {
    double x = origin != NULL ? origin[i] : 0;
    if (lower != NULL && x < lower[i]) x = lower[i];
    if (upper != NULL && x > upper[i]) x = upper[i];
    inputs->start[i] = x;
  }
  return LRGD_OK;
}

/* ---- names ---- */

/* Copies the i-th of names; NULL: there are fewer. */
static char *name_at(const char *names, size_t i, char name[INPUT_NAME_SIZE])
{
  for (; i > 0 && *names != '\0'; i--) names = input_names_next(names);
  if (*names == '\0') return NULL;
  snprintf(name, INPUT_NAME_SIZE, "%.*s", (int)strcspn(names, "\n"), names);
  return name;
}

char *input_name(const cli_inputs *inputs, size_t i, char name[INPUT_NAME_SIZE])
{
  const char *at = inputs->names;
  if (at == NULL) {
    snprintf(name, INPUT_NAME_SIZE, "x%zu", i + 1);
    return name;
  }
  return name_at(at, i, name);
}

/* The number of the coordinate of that name, counted from 1; 0: there is
 * none. */
static size_t find_name(const cli_inputs *inputs, const char *name)
{
  size_t length = strlen(name), number = 1;
  const char *at = inputs->names != NULL ? inputs->names : "";
  for (; *at != '\0'; number++, at = input_names_next(at))
    if (strncmp(at, name, length) == 0 && at[length] == '\n') return number;
  return 0;
}

/* ---- logarithms ---- */

/* Marks one input by its number or name; false: there is none of it. */
static bool mark_input(const cli_inputs *inputs, const char *word, size_t p,
                       bool *marked)
{
  int64_t number = 0;
  if (!text_integer(word, 1, (int64_t)p, &number))
    number = (int64_t)find_name(inputs, word);
  if (number > 0) marked[number - 1] = true;
  return number > 0;
}

static lrgd_status mark_lines(const cli_inputs *inputs, cli_lines *lines,
                              size_t p, bool *marked, lrgd_error *error)
{
  char buffer[LINE_SIZE];
  const char *line;
  bool bad;
  while ((line = lines_next(lines, buffer, &bad)) != NULL) {
    if (!bad && *line == '\0') continue;
    if (bad || !mark_input(inputs, line, p, marked))
      return fail(error, LRGD_ERR_INVALID,
                  "%s:%zu: \"%.40s\" is neither a coordinate from 1 to %zu nor "
                  "one of --names",
                  lines->path, lines->number, line, p);
  }
  if (!ferror(lines->file)) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID, "%s: %s", lines->path, strerror(errno));
}

static lrgd_status mark_logs(const cli_inputs *inputs, const char *text,
                             size_t p, bool *marked, lrgd_error *error)
{
  cli_lines lines;
  if (strcmp(text, "all") == 0) {
    memset(marked, true, p * sizeof *marked);
    return LRGD_OK;
  }
  if (mark_input(inputs, text, p, marked)) return LRGD_OK;
  lrgd_status status = input_lines_open(&lines, FLAG_LOG, text, error);
  if (status != LRGD_OK) return status;
  status = mark_lines(inputs, &lines, p, marked, error);
  fclose(lines.file);
  return status;
}

static lrgd_status list_marked(cli_inputs *inputs, size_t p, const bool *marked,
                               lrgd_error *error)
{
  inputs->log = malloc(p * sizeof *inputs->log);
  if (inputs->log == NULL) return fail_memory(error);
  for (size_t i = 0; i < p; i++)
    if (marked[i]) inputs->log[inputs->log_count++] = (double)(i + 1);
  return LRGD_OK;
}

static lrgd_status read_log(cli_inputs *inputs, const cli_flags *flags,
                            size_t p, lrgd_error *error)
{
  const char *text = flags_text(flags, FLAG_LOG);
  if (text == NULL) return LRGD_OK;
  bool *marked = calloc(p, sizeof *marked);
  if (marked == NULL) return fail_memory(error);
  lrgd_status status = mark_logs(inputs, text, p, marked, error);
  if (status == LRGD_OK) status = list_marked(inputs, p, marked, error);
  free(marked);
  return status;
}

/* ---- directions, sample points ---- */

/* Reads a file of vectors of p numbers each, which replace earlier ones; what:
 * the plural noun for them in messages. */
static lrgd_status read_vectors(double **vectors, size_t *count,
                                const cli_flags *flags, flag_id id, size_t p,
                                const char *what, lrgd_error *error)
{
  const char *path = flags_text(flags, id);
  cli_vector table;
  lrgd_status status = vector_read_table(&table, flags_name(id), path, error);
  if (status != LRGD_OK) return status;
  free(*vectors);
  *vectors = table.entries;
  *count = table.count / p;
  if (table.count > 0 && table.count % p == 0) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "--%s %s: %zu numbers are no whole number of %s of %zu inputs",
              flags_name(id), path, table.count, what, p);
}

/* Reads the basis.  Its directions are in x, so that it is refused together
 * with a change of variables. */
static lrgd_status read_basis(cli_inputs *inputs, const cli_flags *flags,
                              size_t p, lrgd_error *error)
{
  if (flags_text(flags, FLAG_BASIS) == NULL) return LRGD_OK;
  if (inputs->scale != NULL || inputs->log != NULL)
    return fail(error, LRGD_ERR_INVALID,
                "--basis holds directions of x: give it without --scale and "
                "--log");
  return read_vectors(&inputs->basis, &inputs->basis_count, flags, FLAG_BASIS,
                      p, "directions", error);
}

/* Reads sample points. */
static lrgd_status read_samples(cli_inputs *inputs, const cli_flags *flags,
                                size_t p, lrgd_error *error)
{
  if (flags_text(flags, FLAG_SAMPLES) == NULL) return LRGD_OK;
  return read_vectors(&inputs->samples, &inputs->sample_count, flags,
                      FLAG_SAMPLES, p, "points", error);
}

static lrgd_status read_predictions(cli_inputs *inputs, const cli_flags *flags,
                                    lrgd_error *error)
{
  const char *names = flags_text(flags, FLAG_PREDICTIONS);
  if (names == NULL) return LRGD_OK;
  return observations_predict(&inputs->observations, names, error);
}

/* ---- prior information ---- */

cli_prior_inputs inputs_for_prior(const cli_inputs *inputs, size_t p)
{
  return (cli_prior_inputs){.p = p,
                            .names = inputs->names,
                            .log = inputs->log,
                            .log_count = inputs->log_count};
}

/* Reads prior information, which replaces earlier ones. */
static lrgd_status read_prior(cli_inputs *inputs, const cli_flags *flags,
                              size_t p, lrgd_error *error)
{
  const char *path = flags_text(flags, FLAG_PRIOR);
  cli_prior_inputs about = inputs_for_prior(inputs, p);
  if (path == NULL) return LRGD_OK;
  prior_free(&inputs->prior);
  return prior_read(&inputs->prior, path, &about, error);
}

lrgd_status inputs_tell(cli_inputs *inputs, lrgd_problem *problem,
                        lrgd_error *error)
{
  lrgd_status status;
  problem->prior = prior_rows(&inputs->prior, inputs->scale, &status);
  problem->coordinates = inputs->coordinates;
  problem->coordinate_count = inputs->coordinate_count;
  problem->correlation_length = inputs->length;
  return status == LRGD_OK ? LRGD_OK : fail_memory(error);
}

/* ---- correlation ---- */

static lrgd_status read_length(cli_inputs *inputs, const char *text,
                               lrgd_error *error)
{
  if (text == NULL)
    return fail(error, LRGD_ERR_INVALID,
                "--correlated needs --length L, the distance over which inputs "
                "are alike");
  if (text_number(text, &inputs->length) && inputs->length > 0) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "--length: \"%.40s\" is not a number > 0", text);
}

static lrgd_status read_coordinates(cli_inputs *inputs, const cli_flags *flags,
                                    size_t p, lrgd_error *error)
{
  const char *path = flags_text(flags, FLAG_CORRELATED);
  const char *length = flags_text(flags, FLAG_LENGTH);
  if (path == NULL && length == NULL) return LRGD_OK;
  if (path == NULL)
    return fail(error, LRGD_ERR_INVALID,
                "--length goes with --correlated FILE, the coordinates of the "
                "inputs");
  lrgd_status status = read_length(inputs, length, error);
  if (status != LRGD_OK) return status;
  return read_vectors(&inputs->coordinates, &inputs->coordinate_count, flags,
                      FLAG_CORRELATED, p, "coordinates", error);
}

/* ---- all inputs ---- */

lrgd_status inputs_read(cli_inputs *inputs, const cli_flags *flags,
                        const lrgd_problem *problem, const double *origin,
                        lrgd_error *error)
{
  size_t p = problem->dimension;
  *inputs = (struct cli_inputs){0};
  lrgd_status status = read_vector(&inputs->lower, flags, FLAG_LOWER, p, error);
  if (status == LRGD_OK)
    status = read_vector(&inputs->upper, flags, FLAG_UPPER, p, error);
  if (status == LRGD_OK)
    status = read_vector(&inputs->start, flags, FLAG_START, p, error);
  if (status == LRGD_OK && inputs->start == NULL)
    status = default_start(inputs, problem, origin, error);
  if (status == LRGD_OK)
    status = read_vector(&inputs->scale, flags, FLAG_SCALE, p, error);
  if (status == LRGD_OK)
    status = input_names_read(&inputs->names, flags, p, error);
  if (status == LRGD_OK) status = read_log(inputs, flags, p, error);
  if (status == LRGD_OK) status = read_basis(inputs, flags, p, error);
  if (status == LRGD_OK)
    status = equations_read(&inputs->equal, flags, FLAG_EQUAL, p, error);
  if (status == LRGD_OK) status = read_samples(inputs, flags, p, error);
  const char *observed = flags_text(flags, FLAG_OBSERVATIONS);
  if (status == LRGD_OK && observed != NULL)
    status = observations_read(&inputs->observations, observed, error);
  if (status == LRGD_OK) status = read_predictions(inputs, flags, error);
  if (status == LRGD_OK) status = read_prior(inputs, flags, p, error);
  if (status == LRGD_OK) status = read_coordinates(inputs, flags, p, error);
  if (status != LRGD_OK) inputs_free(inputs);
  return status;
}

/* Replaces the observations.  Stored simulated values are assigned to them by
 * their order: values, weights, names and groups may change, but not the
 * number. */
static lrgd_status change_observations(cli_inputs *inputs,
                                       const cli_flags *flags,
                                       lrgd_error *error)
{
  const char *path = flags_text(flags, FLAG_OBSERVATIONS);
  size_t before = inputs->observations.count;
  cli_observations given;
  if (path == NULL) return LRGD_OK;
  if (before == 0)
    return fail(error, LRGD_ERR_INVALID,
                "--observations: the run of the journal has none");
  lrgd_status status = observations_read(&given, path, error);
  if (status != LRGD_OK) return status;
  observations_free(&inputs->observations);
  inputs->observations = given;
  if (given.count == before) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "%s: %zu observations; the program of the journal answered %zu "
              "values",
              path, given.count, before);
}

lrgd_status inputs_change(cli_inputs *inputs, const cli_flags *flags, size_t p,
                          lrgd_error *error)
{
  static const flag_id ids[] = {FLAG_START, FLAG_LOWER, FLAG_UPPER};
  double **held[] = {&inputs->start, &inputs->lower, &inputs->upper};
  lrgd_status status = LRGD_OK;
  for (size_t i = 0; i < COUNT_OF(ids) && status == LRGD_OK; i++) {
    double *given = NULL;
    status = read_vector(&given, flags, ids[i], p, error);
    if (status != LRGD_OK || given == NULL) continue;
    free(*held[i]);
    *held[i] = given;
  }
  if (status == LRGD_OK) status = read_samples(inputs, flags, p, error);
  if (status == LRGD_OK) status = change_observations(inputs, flags, error);
  if (status == LRGD_OK) status = read_predictions(inputs, flags, error);
  return status == LRGD_OK ? read_prior(inputs, flags, p, error) : status;
}

lrgd_status inputs_scale_by_widths(cli_inputs *inputs,
                                   const lrgd_problem *problem, double *times,
                                   lrgd_error *error)
{
  *times = 1;
  if (inputs->scale != NULL || inputs->log != NULL || inputs->basis != NULL)
    return LRGD_OK;
  double *scale = malloc(problem->dimension * sizeof *scale);
  if (scale == NULL) return fail_memory(error);
  *times = lrgd_variables_widths(problem, inputs->start, scale);
  if (*times > 1)
    inputs->scale = scale;
  else
    free(scale);
  return LRGD_OK;
}

void inputs_free(cli_inputs *inputs)
{
  free(inputs->start);
  free(inputs->lower);
  free(inputs->upper);
  free(inputs->scale);
  free(inputs->log);
  free(inputs->basis);
  equations_free(&inputs->equal);
  free(inputs->samples);
  free(inputs->names);
  observations_free(&inputs->observations);
  prior_free(&inputs->prior);
  free(inputs->coordinates);
  *inputs = (struct cli_inputs){0};
}

static const char *name_of(size_t input, void *user)
{
  cli_naming *naming = user;
  return name_at(naming->names, input - 1, naming->name);
}

lrgd_wording wording_by(const char *names, cli_naming *naming)
{
  lrgd_wording wording = lrgd_wording_default();
  naming->names = names;
  wording.user = naming;
  if (names != NULL) wording.name = name_of;
  return wording;
}

lrgd_wording inputs_wording(const cli_inputs *inputs, cli_naming *naming)
{
  return wording_by(inputs != NULL ? inputs->names : NULL, naming);
}
