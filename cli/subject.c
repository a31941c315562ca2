/* Turns the PROBLEM of the command line into an lrgd_problem and a start.
 * Knows the four kinds of problem; does not know what will be done with it. */
#include "subject.h"

#include "plugin.h"
#include "text.h"
#include "vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum cli_oracle { VALUE, GRADIENT, SLOPE, COMPLEX, OFFERED } cli_oracle;

static const char *const oracle_names[] = {"value", "gradient", "slope",
                                           "complex"};

static lrgd_status read_oracle(const cli_flags *flags, cli_oracle *oracle,
                               lrgd_error *error)
{
  const char *text = flags_text(flags, FLAG_ORACLE);
  if (text == NULL) return LRGD_OK;
  for (size_t i = 0; i < COUNT_OF(oracle_names); i++) {
    if (strcmp(text, oracle_names[i]) != 0) continue;
    *oracle = (enum cli_oracle)i;
    return LRGD_OK;
  }
  return fail(error, LRGD_ERR_INVALID,
              "--oracle: \"%.40s\" is none of value, gradient, slope, complex",
              text);
}

/* Leaves the solver only what the oracle chosen can tell. */
static lrgd_status keep_oracle(lrgd_problem *problem, cli_oracle oracle,
                               const char *name, lrgd_error *error)
{
  lrgd_problem all = *problem;
  if (oracle == OFFERED) return LRGD_OK;
  problem->value = oracle == VALUE ? all.value : NULL;
  problem->values = oracle == VALUE ? all.values : NULL;
  problem->gradient = oracle == GRADIENT ? all.gradient : NULL;
  problem->slopes = oracle == SLOPE ? all.slopes : NULL;
  problem->complex_value = oracle == COMPLEX ? all.complex_value : NULL;
  if (problem->value != NULL || problem->values != NULL ||
      problem->gradient != NULL || problem->slopes != NULL ||
      problem->complex_value != NULL)
    return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID, "--oracle %s: %s does not offer it",
              oracle_names[oracle], name);
}

/* --dim, 0 where it is not given. */
static lrgd_status read_dimension(const cli_flags *flags, size_t *dimension,
                                  lrgd_error *error)
{
  const char *text = flags_text(flags, FLAG_DIM);
  int64_t number = 0;
  if (text != NULL && !text_integer(text, 1, INT32_MAX, &number))
    return fail(error, LRGD_ERR_INVALID,
                "--dim: \"%.40s\" is not a whole number from 1 to %d", text,
                INT32_MAX);
  *dimension = (size_t)number;
  return LRGD_OK;
}

/* ---- the built-in problems ---- */

/* The settings of --set, taken apart; names are owned, one block each. */
typedef struct cli_settings {
  lr_setting *entries;
  size_t count;
} cli_settings;

static void settings_free(cli_settings *settings)
{
  for (size_t i = 0; i < settings->count; i++)
    free((void *)settings->entries[i].name);
  free(settings->entries);
  *settings = (struct cli_settings){0};
}

static lrgd_status settings_add(cli_settings *settings, const char *text,
                                lrgd_error *error)
{
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text)
    return fail(error, LRGD_ERR_INVALID, "--set \"%.60s\": write KEY=VALUE",
                text);
  char *name = strndup(text, (size_t)(equals - text));
  if (name == NULL) return fail_memory(error);
  settings->entries[settings->count++] = (lr_setting){name, equals + 1};
  return LRGD_OK;
}

/* --set, and --dim as another way to write --set p=... */
static lrgd_status settings_read(cli_settings *settings, const cli_flags *flags,
                                 lrgd_error *error)
{
  *settings = (struct cli_settings){0};
  settings->entries =
      calloc(flags_count(flags, FLAG_SET) + 1, sizeof *settings->entries);
  if (settings->entries == NULL) return fail_memory(error);
  size_t cursor = 0;
  lrgd_status status = LRGD_OK;
  const char *text;
  while (status == LRGD_OK &&
         (text = flags_next(flags, FLAG_SET, &cursor)) != NULL)
    status = settings_add(settings, text, error);
  const char *dim = flags_text(flags, FLAG_DIM);
  if (status == LRGD_OK && dim != NULL) {
    char *name = strdup("p");
    if (name == NULL) return fail_memory(error);
    settings->entries[settings->count++] = (lr_setting){name, dim};
  }
  return status;
}

static lrgd_status unknown_problem(const char *name, lrgd_error *error)
{
  nearest search = nearest_to(name);
  for (size_t i = 0; i < lr_problem_kind_count(); i++)
    nearest_offer(&search, lr_problem_kind_name(lr_problem_kind_at(i)));
  if (search.name[0] != '\0')
    return fail(error, LRGD_ERR_INVALID,
                "no built-in problem is called \"%.60s\"; did you mean %s?",
                name, search.name);
  return fail(error, LRGD_ERR_INVALID,
              "no built-in problem is called \"%.60s\" (lrgd problems lists "
              "them)",
              name);
}

static bool is_builtin(const char *name)
{
  for (size_t i = 0; i < lr_problem_kind_count(); i++)
    if (strcmp(lr_problem_kind_name(lr_problem_kind_at(i)), name) == 0)
      return true;
  return false;
}

static lrgd_status open_builtin(cli_subject *subject, const cli_flags *flags,
                                lrgd_error *error)
{
  if (!is_builtin(subject->name)) return unknown_problem(subject->name, error);
  cli_settings settings;
  lrgd_status status = settings_read(&settings, flags, error);
  if (status == LRGD_OK)
    status = lr_problem_create(&subject->builtin, subject->name,
                               settings.entries, settings.count, error);
  settings_free(&settings);
  if (status != LRGD_OK) return status;
  subject->problem = *lr_problem_callbacks(subject->builtin);
  subject->minimum = lr_problem_minimum(subject->builtin);
  return LRGD_OK;
}

/* ---- programs ---- */

static void on_tick(const lrgd_pool_counts *counts, void *user)
{
  progress_beat(user, counts->asked);
}

static lrgd_status pool_options(lrgd_pool_options *options,
                                const cli_flags *flags, cli_oracle oracle,
                                lrgd_error *error)
{
  const char *jobs = flags_text(flags, FLAG_JOBS);
  const char *timeout = flags_text(flags, FLAG_TIMEOUT);
  if (jobs != NULL && !text_integer(jobs, 1, 1024, &options->jobs))
    return fail(error, LRGD_ERR_INVALID,
                "--jobs: \"%.40s\" is not a whole number from 1 to 1024", jobs);
  if (timeout != NULL &&
      (!text_number(timeout, &options->timeout_s) || !(options->timeout_s > 0)))
    return fail(error, LRGD_ERR_INVALID,
                "--timeout: \"%.40s\" is not a number of seconds > 0", timeout);
  if (oracle == COMPLEX)
    return fail(error, LRGD_ERR_INVALID,
                "--oracle complex: a program is asked for values, gradients or "
                "slopes");
  options->oracle = oracle == GRADIENT ? LRGD_ORACLE_GRADIENT
                    : oracle == SLOPE  ? LRGD_ORACLE_SLOPE
                                       : LRGD_ORACLE_VALUE;
  return LRGD_OK;
}

/* A start that is a file says how many inputs there are. */
static lrgd_status dimension_of_program(const cli_flags *flags,
                                        size_t *dimension, lrgd_error *error)
{
  static const flag_id ids[] = {FLAG_START, FLAG_LOWER, FLAG_UPPER};
  lrgd_status status = read_dimension(flags, dimension, error);
  for (size_t i = 0; status == LRGD_OK && *dimension == 0 && i < COUNT_OF(ids);
       i++) {
    const char *text = flags_text(flags, ids[i]);
    double number;
    if (text == NULL || text_bound(text, &number)) continue;
    cli_vector vector;
    status = vector_read(&vector, flags_name(ids[i]), text, 0, i > 0, error);
    if (status != LRGD_OK) return status;
    *dimension = vector.count;
    free(vector.entries);
  }
  if (status == LRGD_OK && *dimension == 0)
    return fail(error, LRGD_ERR_INVALID,
                "how many inputs has the program? give --dim, or a file for "
                "--start");
  return status;
}

static lrgd_status open_program(cli_subject *subject, const cli_flags *flags,
                                cli_oracle oracle, cli_progress *progress,
                                lrgd_error *error)
{
  size_t dimension = 0;
  lrgd_pool_options options = lrgd_pool_options_default();
  if (flags_has(flags, FLAG_SET))
    return fail(error, LRGD_ERR_INVALID,
                "--set is for built-in problems and plugins");
  lrgd_status status = dimension_of_program(flags, &dimension, error);
  if (status == LRGD_OK) status = pool_options(&options, flags, oracle, error);
  if (status != LRGD_OK) return status;
  options.command = subject->name;
  options.mode =
      flags_has(flags, FLAG_PROGRAM) ? LRGD_POOL_PROGRAM : LRGD_POOL_WORKER;
  options.tick = on_tick;
  options.tick_user = progress;
  options.tick_s = 0.2;
  status = lrgd_run_adopt_orphans(error);
  if (status == LRGD_OK)
    status = lrgd_pool_create(&subject->pool, &options, error);
  if (status != LRGD_OK) return status;
  subject->problem = lrgd_pool_problem(subject->pool, dimension);
  return LRGD_OK;
}

/* ---- plugins ---- */

/* The --set arguments, one per line; free() it. */
static char *settings_text(const cli_flags *flags)
{
  size_t size = 1, cursor = 0;
  const char *text;
  while ((text = flags_next(flags, FLAG_SET, &cursor)) != NULL)
    size += strlen(text) + 1;
  char *joined = calloc(size, 1), *end = joined;
  if (joined == NULL) return NULL;
  cursor = 0;
  while ((text = flags_next(flags, FLAG_SET, &cursor)) != NULL) {
    size_t length = strlen(text);
    memcpy(end, text, length);
    end[length] = '\n';
    end += length + 1;
  }
  return joined;
}

static lrgd_status open_plugin(cli_subject *subject, const cli_flags *flags,
                               lrgd_error *error)
{
  size_t dimension = 0;
  lrgd_status status = read_dimension(flags, &dimension, error);
  if (status != LRGD_OK) return status;
  char *text = settings_text(flags);
  if (text == NULL) return fail_memory(error);
  subject->problem = lrgd_problem_default(dimension);
  status = plugin_open(&subject->plugin, &subject->problem, subject->name, text,
                       error);
  free(text);
  return status;
}

/* ---- start and bounds ---- */

/* *entries stays NULL where the flag is not given. */
static lrgd_status read_vector(double **entries, const cli_flags *flags,
                               flag_id id, size_t p, lrgd_error *error)
{
  const char *text = flags_text(flags, id);
  if (text == NULL) return LRGD_OK;
  cli_vector vector;
  lrgd_status status =
      vector_read(&vector, flags_name(id), text, p, id != FLAG_START, error);
  *entries = vector.entries;
  return status;
}

/* Without --start: the built-in's own, else 0 moved into the box. */
static lrgd_status default_start(cli_subject *subject, lrgd_error *error)
{
  const lrgd_problem *problem = &subject->problem;
  size_t p = problem->dimension;
  subject->start = calloc(p, sizeof *subject->start);
  if (subject->start == NULL) return fail_memory(error);
  if (subject->builtin != NULL)
    memcpy(subject->start, lr_problem_start(subject->builtin),
           p * sizeof *subject->start);
  for (size_t i = 0; i < p; i++) {
    double *x = &subject->start[i];
    if (problem->lower != NULL && *x < problem->lower[i])
      *x = problem->lower[i];
    if (problem->upper != NULL && *x > problem->upper[i])
      *x = problem->upper[i];
  }
  return LRGD_OK;
}

static lrgd_status read_start(cli_subject *subject, const cli_flags *flags,
                              lrgd_error *error)
{
  lrgd_problem *problem = &subject->problem;
  size_t p = problem->dimension;
  lrgd_status status =
      read_vector(&subject->lower, flags, FLAG_LOWER, p, error);
  if (status == LRGD_OK)
    status = read_vector(&subject->upper, flags, FLAG_UPPER, p, error);
  if (status == LRGD_OK)
    status = read_vector(&subject->start, flags, FLAG_START, p, error);
  if (status != LRGD_OK) return status;
  if (subject->lower != NULL) problem->lower = subject->lower;
  if (subject->upper != NULL) problem->upper = subject->upper;
  return subject->start != NULL ? LRGD_OK : default_start(subject, error);
}

/* ---- which of the four ---- */

/* Exactly one of NAME, --worker, --program, --plugin. */
static lrgd_status choose(cli_subject *subject, const cli_flags *flags,
                          lrgd_error *error)
{
  const char *choices[] = {
      flags->word_count > 0 ? flags->words[0] : NULL,
      flags_text(flags, FLAG_WORKER),
      flags_text(flags, FLAG_PROGRAM),
      flags_text(flags, FLAG_PLUGIN),
  };
  size_t given = 0;
  for (size_t i = 0; i < COUNT_OF(choices); i++) {
    if (choices[i] == NULL) continue;
    subject->name = choices[i];
    given++;
  }
  if (given == 1 && flags->word_count <= 1) return LRGD_OK;
  if (flags->word_count > 1)
    return fail(error, LRGD_ERR_INVALID,
                "one problem at a time: \"%.40s\" is "
                "one word too many",
                flags->words[1]);
  return fail(error, LRGD_ERR_INVALID,
              given == 0 ? "minimise what? name a built-in problem (lrgd "
                           "problems), or give --worker, --program or --plugin"
                         : "one of NAME, --worker, --program and --plugin, not "
                           "several");
}

lrgd_status subject_create(cli_subject *subject, const cli_flags *flags,
                           cli_progress *progress, lrgd_error *error)
{
  *subject = (struct cli_subject){.minimum = NAN};
  bool plugin = flags_has(flags, FLAG_PLUGIN);
  cli_oracle oracle = plugin ? OFFERED : VALUE;
  lrgd_status status = choose(subject, flags, error);
  if (status == LRGD_OK) status = read_oracle(flags, &oracle, error);
  if (status != LRGD_OK) return status;
  if (plugin)
    status = open_plugin(subject, flags, error);
  else if (flags->word_count > 0)
    status = open_builtin(subject, flags, error);
  else
    status = open_program(subject, flags, oracle, progress, error);
  if (status == LRGD_OK && subject->pool == NULL)
    status = keep_oracle(&subject->problem, oracle, subject->name, error);
  if (status == LRGD_OK) status = read_start(subject, flags, error);
  if (status != LRGD_OK) subject_destroy(subject);
  return status;
}

void subject_destroy(cli_subject *subject)
{
  lr_problem_destroy(&subject->builtin);
  lrgd_pool_destroy(&subject->pool);
  plugin_close(&subject->plugin);
  free(subject->start);
  free(subject->lower);
  free(subject->upper);
  *subject = (struct cli_subject){.minimum = NAN};
}
