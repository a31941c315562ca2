/* Turns the PROBLEM of the command line into an lrgd_problem and a start. */
#include "problem_source.h"

#include "answer_limits.h"

#include "cli/base/cli_text.h"
#include "plugin_loader.h"
#include "program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const oracle_names[] = {"value", "gradient", "slope",
                                           "complex", "offered"};

const char *oracle_name(cli_oracle oracle)
{
  return oracle_names[oracle];
}

static lrgd_status read_oracle(const cli_flags *flags, cli_oracle *oracle,
                               lrgd_error *error)
{
  const char *text = flags_text(flags, FLAG_ORACLE);
  if (text == NULL) return LRGD_OK;
  for (size_t i = 0; i < ORACLE_OFFERED; i++) {
    if (strcmp(text, oracle_names[i]) != 0) continue;
    *oracle = (enum cli_oracle)i;
    return LRGD_OK;
  }
  return fail(error, LRGD_ERR_INVALID,
              "--oracle: \"%.40s\" is none of value, gradient, slope, complex",
              text);
}

/* Removes callbacks that --oracle excludes. */
static lrgd_status keep_oracle(lrgd_problem *problem, cli_oracle oracle,
                               const char *name, lrgd_error *error)
{
  lrgd_problem all = *problem;
  if (oracle == ORACLE_OFFERED) return LRGD_OK;
  problem->value = oracle == ORACLE_VALUE ? all.value : NULL;
  problem->values = oracle == ORACLE_VALUE ? all.values : NULL;
  problem->gradient = oracle == ORACLE_GRADIENT ? all.gradient : NULL;
  problem->slopes = oracle == ORACLE_SLOPE ? all.slopes : NULL;
  problem->complex_value = oracle == ORACLE_COMPLEX ? all.complex_value : NULL;
  if (problem->value != NULL || problem->values != NULL ||
      problem->gradient != NULL || problem->slopes != NULL ||
      problem->complex_value != NULL)
    return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID, "--oracle %s: %s does not offer it",
              oracle_names[oracle], name);
}

lrgd_status read_dimension(const cli_flags *flags, size_t *dimension,
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

void settings_free(cli_settings *settings)
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

/* Adds --dim as --set p=...; where both are given they must agree. */
static lrgd_status settings_add_dim(cli_settings *settings, const char *dim,
                                    lrgd_error *error)
{
  for (size_t i = 0; i < settings->count; i++) {
    const lr_setting *set = &settings->entries[i];
    int64_t one, other;
    if (strcmp(set->name, "p") != 0) continue;
    if (!text_integer(set->text, 1, INT32_MAX, &one) ||
        !text_integer(dim, 1, INT32_MAX, &other) || one != other)
      return fail(error, LRGD_ERR_INVALID,
                  "--set p=%.40s and --dim %.40s contradict each other",
                  set->text, dim);
  }
  char *name = strdup("p");
  if (name == NULL) return fail_memory(error);
  settings->entries[settings->count++] = (lr_setting){name, dim};
  return LRGD_OK;
}

lrgd_status settings_read(cli_settings *settings, const cli_flags *flags,
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
  if (status == LRGD_OK && dim != NULL)
    status = settings_add_dim(settings, dim, error);
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

lrgd_status builtin_check(const char *name, lrgd_error *error)
{
  return is_builtin(name) ? LRGD_OK : unknown_problem(name, error);
}

static lrgd_status open_builtin(cli_source *source, const cli_flags *flags,
                                lrgd_error *error)
{
  cli_settings settings;
  lrgd_status status = builtin_check(source->name, error);
  if (status != LRGD_OK) return status;
  status = settings_read(&settings, flags, error);
  if (status == LRGD_OK)
    status = lr_problem_create(&source->builtin, source->name, settings.entries,
                               settings.count, error);
  settings_free(&settings);
  if (status != LRGD_OK) return status;
  source->problem = *lr_problem_callbacks(source->builtin);
  source->minimum = lr_problem_minimum(source->builtin);
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

static lrgd_status open_plugin(cli_source *source, const cli_flags *flags,
                               lrgd_error *error)
{
  size_t dimension = 0;
  lrgd_status status = read_dimension(flags, &dimension, error);
  if (status != LRGD_OK) return status;
  char *text = settings_text(flags);
  if (text == NULL) return fail_memory(error);
  source->problem = lrgd_problem_default(dimension);
  status =
      plugin_open(&source->plugin, &source->problem, source->name, text, error);
  free(text);
  return status;
}

/* ---- the kind of problem ---- */

/* Checks that exactly one of NAME, --worker, --program, --plugin is given. */
static lrgd_status choose(cli_source *source, const cli_flags *flags,
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
    source->name = choices[i];
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

const char *source_kind(const cli_flags *flags)
{
  if (flags_has(flags, FLAG_PLUGIN)) return "plugin";
  if (flags_has(flags, FLAG_PROGRAM)) return "program";
  return flags_has(flags, FLAG_WORKER) ? "worker" : "built-in";
}

/* Sets the callbacks, except a program's, which are set when it is started. */
static lrgd_status open_source(cli_source *source, const cli_flags *flags,
                               lrgd_error *error)
{
  lrgd_status status;
  if (flags_has(flags, FLAG_PLUGIN))
    status = open_plugin(source, flags, error);
  else if (flags->word_count > 0)
    status = open_builtin(source, flags, error);
  else
    return program_check(&source->problem, flags, source->oracle, error);
  if (status != LRGD_OK) return status;
  return keep_oracle(&source->problem, source->oracle, source->name, error);
}

static source_starter other_start; /* NULL: evaluations are made here */
static size_t other_evaluators;    /* ranks that evaluate there */

lrgd_status residuals_check(const cli_flags *flags, lrgd_error *error)
{
  bool program =
      flags_has(flags, FLAG_WORKER) || flags_has(flags, FLAG_PROGRAM);
  bool prior = flags_has(flags, FLAG_PRIOR);
  if ((prior || flags_has(flags, FLAG_CORRELATED)) &&
      !flags_has(flags, FLAG_RESIDUALS) && !flags_has(flags, FLAG_OBSERVATIONS))
    return fail(error, LRGD_ERR_INVALID,
                "--%s goes with residuals: give --residuals, or fit's "
                "--observations",
                prior ? "prior" : "correlated");
  if (!flags_has(flags, FLAG_RESIDUALS)) return LRGD_OK;
  if (!program || flags_has(flags, FLAG_PLUGIN) || flags->word_count > 0)
    return fail(error, LRGD_ERR_INVALID,
                "--residuals is for programs: give --worker or --program");
  if (other_start != NULL)
    return fail(error, LRGD_ERR_INVALID,
                "--residuals: ranks are asked for f only; use lrgd");
  return LRGD_OK;
}

/* Checks that --read describes as many numbers as an answer has. */
static lrgd_status check_reads(const cli_source *source, lrgd_error *error)
{
  size_t reads = simulator_reads(source->simulator);
  size_t observed = source->inputs.observations.count;
  if (reads == 0) return LRGD_OK;
  if (source_is_elsewhere())
    return fail(error, LRGD_ERR_INVALID,
                "--read: ranks answer by a line; use lrgd");
  if (observed > 0 && reads != observed)
    return fail(error, LRGD_ERR_INVALID,
                "--read is given %zu times, and there are %zu observations",
                reads, observed);
  if (source->outputs != NULL && reads != source->outputs->count)
    return fail(error, LRGD_ERR_INVALID,
                "--read is given %zu times, and there are %zu answers", reads,
                source->outputs->count);
  if (!source->residuals && reads != 1)
    return fail(error, LRGD_ERR_INVALID,
                "--read is given %zu times, and f is one number", reads);
  return LRGD_OK;
}

/* Reads the limits on a program's outputs. */
static lrgd_status read_outputs(cli_source *source, const cli_flags *flags,
                                size_t p, lrgd_error *error)
{
  bool program =
      flags_has(flags, FLAG_WORKER) || flags_has(flags, FLAG_PROGRAM);
  if (!outputs_asked(flags)) return LRGD_OK;
  if (!program || source_is_elsewhere())
    return fail(error, LRGD_ERR_INVALID,
                "limits on answers are for programs: give --worker or "
                "--program");
  if (flags_has(flags, FLAG_LEARN_FROM) || source->oracle != ORACLE_VALUE)
    return fail(error, LRGD_ERR_INVALID,
                "a program with limits on its answers is asked for these "
                "alone: leave out --%s",
                flags_has(flags, FLAG_LEARN_FROM) ? "learn-from" : "oracle");
  return outputs_read(&source->outputs, flags, p, error);
}

lrgd_status source_read(cli_source *source, const cli_flags *flags,
                        cli_inputs *inputs, lrgd_error *error)
{
  bool plugin = flags_has(flags, FLAG_PLUGIN);
  *source = (struct cli_source){
      .minimum = NAN, .oracle = plugin ? ORACLE_OFFERED : ORACLE_VALUE};
  lrgd_status status = choose(source, flags, error);
  if (status == LRGD_OK) status = residuals_check(flags, error);
  if (status == LRGD_OK) status = read_oracle(flags, &source->oracle, error);
  if (status != LRGD_OK) return status;
  status = open_source(source, flags, error);
  lrgd_problem *problem = &source->problem;
  if (status == LRGD_OK && inputs != NULL) {
    source->inputs = *inputs;
    *inputs = (struct cli_inputs){0};
  } else if (status == LRGD_OK) {
    const double *origin =
        source->builtin != NULL ? lr_problem_start(source->builtin) : NULL;
    status = inputs_read(&source->inputs, flags, problem, origin, error);
  }
  if (source->inputs.lower != NULL) problem->lower = source->inputs.lower;
  if (source->inputs.upper != NULL) problem->upper = source->inputs.upper;
  source->start = source->inputs.start;
  source->inputs.observations.loss = flags->options.loss;
  source->inputs.observations.loss_scale = flags->options.loss_scale;
  if (status == LRGD_OK)
    status = read_outputs(source, flags, problem->dimension, error);
  source->residuals = source->outputs != NULL ||
                      flags_has(flags, FLAG_RESIDUALS) ||
                      source->inputs.observations.count > 0;
  if (status == LRGD_OK)
    status = simulator_create(&source->simulator, flags, &source->inputs,
                              problem->dimension, error);
  if (status == LRGD_OK) status = check_reads(source, error);
  if (status != LRGD_OK) source_destroy(source);
  return status;
}

void source_starts_with(source_starter start, size_t evaluators)
{
  other_start = start;
  other_evaluators = evaluators;
}

int64_t source_evaluators(const cli_flags *flags)
{
  const char *jobs = flags_text(flags, FLAG_JOBS);
  bool program =
      flags_has(flags, FLAG_WORKER) || flags_has(flags, FLAG_PROGRAM);
  int64_t count = 1;
  if (other_start != NULL) return (int64_t)other_evaluators;
  if (!program || jobs == NULL) return 1;
  return text_integer(jobs, 1, 1024, &count) ? count : 1;
}

bool source_is_elsewhere(void)
{
  return other_start != NULL;
}

lrgd_status source_start(cli_source *source, const cli_flags *flags,
                         const cli_listeners *listeners, lrgd_error *error)
{
  if (other_start != NULL) return other_start(source, flags, listeners, error);
  bool program =
      flags_has(flags, FLAG_WORKER) || flags_has(flags, FLAG_PROGRAM);
  return program ? program_start(source, flags, listeners, error) : LRGD_OK;
}

lrgd_status source_create(cli_source *source, const cli_flags *flags,
                          cli_progress *progress, lrgd_error *error)
{
  cli_listeners listeners = {.progress = progress};
  lrgd_status status = source_read(source, flags, NULL, error);
  if (status != LRGD_OK) return status;
  status = source_start(source, flags, &listeners, error);
  if (status != LRGD_OK) source_destroy(source);
  return status;
}

const char *source_last_failure(const cli_source *source)
{
  const char *text = source->pool != NULL ? lrgd_pool_last_failure(source->pool)
                                          : source->ranks.failure;
  return *text != '\0' ? text : NULL;
}

void source_say_failure(const cli_source *source)
{
  const char *text = source_last_failure(source);
  if (text == NULL) return;
  for (const char *before = "last failure: "; *text != '\0'; before = "  ") {
    int length = (int)strcspn(text, "\n");
    say("%s%.*s", before, length, text);
    text += length;
    text += *text == '\n';
  }
}

void source_destroy(cli_source *source)
{
  lr_problem_destroy(&source->builtin);
  lrgd_pool_destroy(&source->pool);
  simulator_destroy(&source->simulator);
  outputs_destroy(&source->outputs);
  plugin_close(&source->plugin);
  inputs_free(&source->inputs);
  *source = (struct cli_source){.minimum = NAN};
}

/* Whether the inputs keep their units: where tolerances or steps are given,
 * which refer to derivatives in these units, and for built-in problems. */
static bool in_given_units(const cli_source *source, const lrgd_options *o)
{
  bool own_steps =
      o->method == LRGD_METHOD_AUTO || o->method == LRGD_METHOD_QUASI_NEWTON;
  return source->builtin != NULL || !own_steps || o->tol != LRGD_UNSET_REAL ||
         o->mu != LRGD_UNSET_REAL || o->epsilon != LRGD_UNSET_REAL;
}

lrgd_status source_scale(cli_source *source, const cli_flags *flags,
                         lrgd_error *error)
{
  double times = 1;
  if (in_given_units(source, &flags->options) || source->outputs != NULL)
    return LRGD_OK;
  lrgd_status status =
      inputs_scale_by_widths(&source->inputs, &source->problem, &times, error);
  if (times > 1)
    say("widths of the bounds differ by %.3g times: each input is measured in "
        "its own (--scale 1: as it is)",
        times);
  return status;
}
