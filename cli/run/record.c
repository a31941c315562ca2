/* Turns a run into a journal's settings.  The one list of what identifies a
 * run: kind of problem, settings, oracle, start, bounds, scaling and every
 * option of the library except those that only end a run. */
#include "record.h"

#include "answer_limits.h"

#include "cli/base/cli_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 64, OTHERS = 32 };

/* ---- --set, so that the order does not matter ---- */

static size_t key_length(const char *line)
{
  return strcspn(line, "=");
}

static int compare_lines(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Whether a later --set for the same key replaces this one. */
static bool is_overruled(const cli_flags *flags, const char *line,
                         size_t cursor)
{
  size_t length = key_length(line);
  const char *later;
  while ((later = flags_next(flags, FLAG_SET, &cursor)) != NULL)
    if (key_length(later) == length && strncmp(later, line, length) == 0)
      return true;
  bool is_p = length == 1 && line[0] == 'p';
  return is_p && flags_has(flags, FLAG_DIM) && !flags_has(flags, FLAG_PLUGIN);
}

/* Lists --set; --dim is --set p= of a built-in problem. */
static size_t list_lines(const cli_flags *flags, const char **lines,
                         const char *dim)
{
  size_t count = 0, cursor = 0;
  const char *line;
  while ((line = flags_next(flags, FLAG_SET, &cursor)) != NULL)
    if (!is_overruled(flags, line, cursor)) lines[count++] = line;
  if (*dim != '\0') lines[count++] = dim;
  qsort(lines, count, sizeof *lines, compare_lines);
  return count;
}

static char *join_set(const cli_flags *flags)
{
  char dim[TEXT_SIZE] = "";
  size_t size = TEXT_SIZE, cursor = 0;
  const char *line;
  bool builtin = strcmp(source_kind(flags), "built-in") == 0;
  if (builtin && flags_has(flags, FLAG_DIM))
    snprintf(dim, sizeof dim, "p=%.50s", flags_text(flags, FLAG_DIM));
  while ((line = flags_next(flags, FLAG_SET, &cursor)) != NULL)
    size += strlen(line) + 1;
  char *joined = malloc(size), *end = joined;
  const char **lines =
      malloc((flags_count(flags, FLAG_SET) + 1) * sizeof *lines);
  if (joined != NULL && lines != NULL) {
    size_t count = list_lines(flags, lines, dim);
    *end = '\0';
    for (size_t i = 0; i < count; i++) end += sprintf(end, "%s\n", lines[i]);
  } else {
    free(joined);
    joined = NULL;
  }
  free(lines);
  return joined;
}

/* ---- the list of settings ---- */

static void add_text(cli_record *record, const char *key, const char *text,
                     int may_change)
{
  if (text == NULL) return;
  record->settings[record->count++] =
      (lrgd_setting){.key = key, .text = text, .may_change = may_change};
}

static void add_numbers(cli_record *record, const char *key,
                        const double *numbers, size_t count)
{
  if (numbers == NULL || count == 0) return;
  record->settings[record->count++] =
      (lrgd_setting){.key = key, .numbers = numbers, .count = count};
}

/* Adds the options.  Journals of earlier versions lack options that were
 * introduced later. */
static void add_options(cli_record *record, const lrgd_options *options)
{
  const lrgd_options defaults = lrgd_options_default();
  for (size_t i = 0; i < lrgd_option_count(); i++) {
    const lrgd_option *option = lrgd_option_at(i);
    char *text = record->texts + i * TEXT_SIZE, usual[TEXT_SIZE];
    if (lrgd_options_get(options, option->name, text, TEXT_SIZE) != LRGD_OK ||
        lrgd_options_get(&defaults, option->name, usual, TEXT_SIZE) != LRGD_OK)
      continue;
    int kind = strcmp(text, usual) == 0 ? LRGD_SETTING_DEFAULT : 0;
    if (option->may_change) kind += LRGD_SETTING_MAY_CHANGE;
    add_text(record, option->name, text, kind);
  }
}

/* Adds the limits on outputs; --maximize and --objective as the index of f. */
static void add_outputs(cli_record *record, const cli_outputs *outputs,
                        size_t p)
{
  if (outputs == NULL) return;
  const lrgd_limits *limits = &outputs->limits;
  add_text(record, "answers", outputs->list, true);
  add_text(record, "objective", outputs->names[limits->objective], false);
  add_text(record, "maximize", limits->maximize ? "yes" : "no", false);
  add_numbers(record, "output_lower", limits->lower, outputs->count);
  add_numbers(record, "output_upper", limits->upper, outputs->count);
  add_numbers(record, "at_most", limits->linear, limits->linear_count * p);
  add_numbers(record, "at_most_values", limits->linear_most,
              limits->linear_count);
}

static void add_all(cli_record *record, const cli_flags *flags,
                    const cli_source *source)
{
  const lrgd_problem *problem = &source->problem;
  const cli_inputs *inputs = &source->inputs;
  bool builtin = source->builtin != NULL;
  size_t p = problem->dimension;
  add_text(record, "kind", source_kind(flags), LRGD_SETTING_FUNCTION);
  if (builtin) add_text(record, "problem", source->name, LRGD_SETTING_FUNCTION);
  if (builtin || source->plugin != NULL)
    add_text(record, "set", record->set, LRGD_SETTING_FUNCTION);
  add_text(record, "oracle", oracle_name(source->oracle), false);
  add_numbers(record, "start", inputs->start, p);
  add_numbers(record, "lower", problem->lower, p);
  add_numbers(record, "upper", problem->upper, p);
  add_numbers(record, "scale", inputs->scale, p);
  add_numbers(record, LRGD_SETTING_LOG, inputs->log, inputs->log_count);
  add_numbers(record, "basis", inputs->basis, inputs->basis_count * p);
  /* the names that Python uses */
  add_numbers(record, "constraints", inputs->equal.A, inputs->equal.count * p);
  add_numbers(record, "constraint_values", inputs->equal.b,
              inputs->equal.count);
  add_numbers(record, "samples", inputs->samples, inputs->sample_count * p);
  if (source->residuals) add_text(record, "residuals", "yes", false);
  add_outputs(record, source->outputs, p);
  add_numbers(record, "observations", inputs->observations.values,
              inputs->observations.count);
  add_numbers(record, "weights", inputs->observations.weights,
              inputs->observations.count);
  add_text(record, "observation_names", inputs->observations.names, true);
  add_text(record, "observation_groups", inputs->observations.groups, true);
  add_text(record, "predictions", inputs->observations.predictions, true);
  add_text(record, "prior", inputs->prior.text, false);
  add_numbers(record, "coordinates", inputs->coordinates,
              inputs->coordinate_count * p);
  if (inputs->coordinates != NULL)
    add_numbers(record, "correlation_length", &inputs->length, 1);
  add_options(record, &flags->options);
  add_text(record, "names", inputs->names, true);
  if (!builtin)
    add_text(record, "command", source->name,
             LRGD_SETTING_MAY_CHANGE | LRGD_SETTING_FUNCTION);
  add_text(record, "jobs", flags_text(flags, FLAG_JOBS), true);
  if (source_is_elsewhere() || flags_has(flags, FLAG_WORKER) ||
      flags_has(flags, FLAG_PROGRAM)) {
    (void)snprintf(record->workers, sizeof record->workers, "%lld",
                   (long long)source_evaluators(flags));
    add_text(record, "workers", record->workers, true);
  }
  add_text(record, "timeout", flags_text(flags, FLAG_TIMEOUT), true);
  add_text(record, "reissue", flags_text(flags, FLAG_REISSUE), true);
  add_text(record, "version", lrgd_version(), true);
}

lrgd_status record_make(cli_record *record, const cli_flags *flags,
                        const cli_source *source, lrgd_error *error)
{
  size_t options = lrgd_option_count();
  *record = (struct cli_record){
      .settings = malloc((options + OTHERS) * sizeof *record->settings),
      .texts = malloc(options * TEXT_SIZE),
      .set = join_set(flags)};
  if (record->settings == NULL || record->texts == NULL ||
      record->set == NULL) {
    record_free(record);
    return fail_memory(error);
  }
  add_all(record, flags, source);
  return LRGD_OK;
}

void record_add(cli_record *record, const char *key, const char *text)
{
  add_text(record, key, text, false);
}

void record_free(cli_record *record)
{
  free(record->settings);
  free(record->texts);
  free(record->set);
  *record = (struct cli_record){0};
}

/* ---- back from a journal ---- */

const char *recorded_text(const lrgd_journal *journal, const char *key)
{
  const lrgd_setting *setting = lrgd_journal_setting(journal, key);
  return setting != NULL && setting->text != NULL ? setting->text : "";
}

static lrgd_status refuse(lrgd_error *error, const char *key)
{
  return fail(error, LRGD_ERR_REFUSED,
              "the journal's \"%.60s\" is not one that lrgd wrote", key);
}

lrgd_status recorded_options(const lrgd_journal *journal, lrgd_options *options,
                             lrgd_error *error)
{
  *options = lrgd_options_default();
  for (size_t i = 0; i < lrgd_option_count(); i++) {
    const char *name = lrgd_option_at(i)->name;
    const lrgd_setting *setting = lrgd_journal_setting(journal, name);
    if (setting == NULL) continue;
    if (setting->text == NULL ||
        lrgd_options_set(options, name, setting->text, NULL) != LRGD_OK)
      return refuse(error, name);
  }
  return LRGD_OK;
}

/* Copies a vector; count: the number required; 0: any. */
static lrgd_status copy_numbers(const lrgd_journal *journal, const char *key,
                                size_t count, double **numbers,
                                lrgd_error *error)
{
  const lrgd_setting *setting = lrgd_journal_setting(journal, key);
  *numbers = NULL;
  if (setting == NULL) return LRGD_OK;
  if (setting->numbers == NULL || setting->count == 0 ||
      (count != 0 && setting->count != count))
    return refuse(error, key);
  *numbers = malloc(setting->count * sizeof **numbers);
  if (*numbers == NULL) return fail_memory(error);
  memcpy(*numbers, setting->numbers, setting->count * sizeof **numbers);
  return LRGD_OK;
}

static lrgd_status copy_log(const lrgd_journal *journal, size_t p,
                            cli_inputs *inputs, lrgd_error *error)
{
  lrgd_status status =
      copy_numbers(journal, LRGD_SETTING_LOG, 0, &inputs->log, error);
  if (status != LRGD_OK || inputs->log == NULL) return status;
  inputs->log_count = lrgd_journal_setting(journal, LRGD_SETTING_LOG)->count;
  double last = 0;
  for (size_t k = 0; k < inputs->log_count; k++) {
    double number = inputs->log[k];
    if (!(number > last && number <= (double)p) ||
        number != (double)(size_t)number)
      return refuse(error, LRGD_SETTING_LOG);
    last = number;
  }
  return LRGD_OK;
}

/* Reads directions or points of p numbers each. */
static lrgd_status copy_table(const lrgd_journal *journal, const char *key,
                              size_t p, double **numbers, size_t *count,
                              lrgd_error *error)
{
  lrgd_status status = copy_numbers(journal, key, 0, numbers, error);
  if (status != LRGD_OK || *numbers == NULL) return status;
  size_t all = lrgd_journal_setting(journal, key)->count;
  *count = all / p;
  return all % p == 0 ? LRGD_OK : refuse(error, key);
}

static lrgd_status copy_equations(const lrgd_journal *journal, size_t p,
                                  cli_equations *equal, lrgd_error *error)
{
  lrgd_status status =
      copy_numbers(journal, "constraints", 0, &equal->A, error);
  if (status != LRGD_OK || equal->A == NULL) return status;
  size_t count = lrgd_journal_setting(journal, "constraints")->count;
  equal->count = count / p;
  if (count % p != 0) return refuse(error, "constraints");
  status = copy_numbers(journal, "constraint_values", equal->count, &equal->b,
                        error);
  if (status == LRGD_OK && equal->b == NULL)
    return refuse(error, "constraint_values");
  return status;
}

/* Whether text has p lines, none longer than a name. */
static bool are_names(const char *text, size_t p)
{
  for (size_t i = 0; i < p; i++) {
    size_t length = strcspn(text, "\n");
    if (length == 0 || length >= INPUT_NAME_SIZE || text[length] != '\n')
      return false;
    text += length + 1;
  }
  return *text == '\0';
}

const char *recorded_names(const lrgd_journal *journal, size_t p)
{
  const char *names = recorded_text(journal, "names");
  return *names != '\0' && are_names(names, p) ? names : NULL;
}

static lrgd_status copy_names(const lrgd_journal *journal, size_t p,
                              cli_inputs *inputs, lrgd_error *error)
{
  const char *names = recorded_text(journal, "names");
  if (*names == '\0') return LRGD_OK;
  if (!are_names(names, p)) return refuse(error, "names");
  inputs->names = strdup(names);
  return inputs->names != NULL ? LRGD_OK : fail_memory(error);
}

static lrgd_status copy_observations(const lrgd_journal *journal,
                                     cli_observations *observations,
                                     lrgd_error *error)
{
  const lrgd_setting *values = lrgd_journal_setting(journal, "observations");
  const lrgd_setting *weights = lrgd_journal_setting(journal, "weights");
  if (values == NULL) return LRGD_OK;
  bool good = values->numbers != NULL && values->count > 0 && weights != NULL &&
              weights->numbers != NULL && weights->count == values->count;
  good =
      good && observations_recall(observations, values->count, values->numbers,
                                  weights->numbers,
                                  recorded_text(journal, "observation_names"),
                                  recorded_text(journal, "observation_groups"));
  if (!good) return refuse(error, "observations");
  const char *predictions = recorded_text(journal, "predictions");
  if (*predictions == '\0') return LRGD_OK;
  if (observations_predict(observations, predictions, NULL) == LRGD_OK)
    return LRGD_OK;
  return refuse(error, "predictions");
}

static lrgd_status copy_prior(const lrgd_journal *journal, size_t p,
                              cli_inputs *inputs, lrgd_error *error)
{
  const char *text = recorded_text(journal, "prior");
  cli_prior_inputs about = inputs_for_prior(inputs, p);
  if (*text == '\0') return LRGD_OK;
  if (prior_recall(&inputs->prior, text, &about, error) == LRGD_OK)
    return LRGD_OK;
  return refuse(error, "prior");
}

static lrgd_status copy_coordinates(const lrgd_journal *journal, size_t p,
                                    cli_inputs *inputs, lrgd_error *error)
{
  const lrgd_setting *length =
      lrgd_journal_setting(journal, "correlation_length");
  lrgd_status status =
      copy_table(journal, "coordinates", p, &inputs->coordinates,
                 &inputs->coordinate_count, error);
  if (status != LRGD_OK || inputs->coordinates == NULL) return status;
  if (length == NULL || length->numbers == NULL || length->count != 1)
    return refuse(error, "correlation_length");
  inputs->length = length->numbers[0];
  return LRGD_OK;
}

lrgd_status recorded_inputs(const lrgd_journal *journal, size_t p,
                            cli_inputs *inputs, lrgd_error *error)
{
  *inputs = (struct cli_inputs){0};
  lrgd_status status = copy_numbers(journal, "start", p, &inputs->start, error);
  if (status == LRGD_OK && inputs->start == NULL)
    status = refuse(error, "start");
  if (status == LRGD_OK)
    status = copy_numbers(journal, "lower", p, &inputs->lower, error);
  if (status == LRGD_OK)
    status = copy_numbers(journal, "upper", p, &inputs->upper, error);
  if (status == LRGD_OK)
    status = copy_numbers(journal, "scale", p, &inputs->scale, error);
  if (status == LRGD_OK) status = copy_log(journal, p, inputs, error);
  if (status == LRGD_OK)
    status = copy_table(journal, "basis", p, &inputs->basis,
                        &inputs->basis_count, error);
  if (status == LRGD_OK)
    status = copy_table(journal, "samples", p, &inputs->samples,
                        &inputs->sample_count, error);
  if (status == LRGD_OK)
    status = copy_equations(journal, p, &inputs->equal, error);
  if (status == LRGD_OK) status = copy_names(journal, p, inputs, error);
  if (status == LRGD_OK)
    status = copy_observations(journal, &inputs->observations, error);
  if (status == LRGD_OK) status = copy_prior(journal, p, inputs, error);
  if (status == LRGD_OK) status = copy_coordinates(journal, p, inputs, error);
  if (status != LRGD_OK) inputs_free(inputs);
  return status;
}
