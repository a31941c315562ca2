/* Checks the flags of a program, and starts it in a pool. */
#include "program.h"

#include "answer_limits.h"
#include "cli/base/cli_text.h"
#include "cli/base/vector_file.h"
#include "input_names.h"
#include "misfit.h"

#include <stdlib.h>

static lrgd_status pool_options(lrgd_pool_options *options,
                                const cli_flags *flags, cli_oracle oracle,
                                lrgd_error *error)
{
  const char *jobs = flags_text(flags, FLAG_JOBS);
  const char *timeout = flags_text(flags, FLAG_TIMEOUT);
  *options = lrgd_pool_options_default();
  if (jobs != NULL && !text_integer(jobs, 1, 1024, &options->jobs))
    return fail(error, LRGD_ERR_INVALID,
                "--jobs: \"%.40s\" is not a whole number from 1 to 1024", jobs);
  if (timeout != NULL &&
      (!text_number(timeout, &options->timeout_s) || !(options->timeout_s > 0)))
    return fail(error, LRGD_ERR_INVALID,
                "--timeout: \"%.40s\" is not a number of seconds > 0", timeout);
  if (oracle == ORACLE_COMPLEX)
    return fail(error, LRGD_ERR_INVALID,
                "--oracle complex: a program is asked for values, gradients or "
                "slopes");
  options->oracle = oracle == ORACLE_GRADIENT ? LRGD_ORACLE_GRADIENT
                    : oracle == ORACLE_SLOPE  ? LRGD_ORACLE_SLOPE
                                              : LRGD_ORACLE_VALUE;
  return LRGD_OK;
}

/* The dimension from --dim, or from the length of a start file, or as many as
 * there are names. */
static lrgd_status find_dimension(const cli_flags *flags, size_t *dimension,
                                  lrgd_error *error)
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
    status = input_names_count(flags, dimension, error);
  if (status == LRGD_OK && *dimension == 0)
    return fail(error, LRGD_ERR_INVALID,
                "how many inputs has the program? give --dim, or a file for "
                "--start");
  return status;
}

lrgd_status program_check(lrgd_problem *problem, const cli_flags *flags,
                          cli_oracle oracle, lrgd_error *error)
{
  size_t dimension = 0;
  lrgd_pool_options options;
  if (flags_has(flags, FLAG_SET))
    return fail(error, LRGD_ERR_INVALID,
                "--set is for built-in problems and plugins");
  lrgd_status status = find_dimension(flags, &dimension, error);
  if (status == LRGD_OK) status = pool_options(&options, flags, oracle, error);
  *problem = lrgd_problem_default(dimension);
  return status;
}

static void on_tick(const lrgd_pool_counts *counts, void *user)
{
  const cli_listeners *listeners = user;
  if (listeners->progress != NULL) progress_beat(listeners->progress, counts);
  if (listeners->tick != NULL) listeners->tick(listeners->tick_user);
}

static void on_event(const lrgd_pool_event *event, void *user)
{
  const cli_listeners *listeners = user;
  if (listeners->progress != NULL)
    progress_answer(listeners->progress, event->f);
  events_pool(listeners->events, event);
}

lrgd_status program_start(cli_source *source, const cli_flags *flags,
                          const cli_listeners *listeners, lrgd_error *error)
{
  lrgd_pool_options options;
  lrgd_problem *problem = &source->problem;
  lrgd_status status = pool_options(&options, flags, source->oracle, error);
  if (status != LRGD_OK) return status;
  source->listeners = *listeners;
  options.command = source->name;
  size_t reads = simulator_reads(source->simulator);
  if (source->residuals)
    options.residuals = reads > 0 ? (int64_t)reads : LRGD_RESIDUALS_FOUND;
  if (source->outputs != NULL) {
    options.residuals = (int64_t)source->outputs->count;
    options.cost = outputs_f;
    options.cost_user = source->outputs;
  }
  if (source->inputs.observations.count > 0) {
    options.residuals = (int64_t)source->inputs.observations.count;
    options.cost = misfit_cost;
    options.cost_user = &source->inputs.observations;
  }
  options.mode = flags_has(flags, FLAG_PROGRAM) ? LRGD_POOL_MODE_PROGRAM
                                                : LRGD_POOL_MODE_WORKER;
  simulator_set(source->simulator, &options);
  if (listeners->progress != NULL)
    listeners->progress->line_by_line = options.mode == LRGD_POOL_MODE_WORKER;
  options.run_id = listeners->run_id;
  options.before = (int64_t)listeners->before;
  options.tick = on_tick;
  options.tick_user = &source->listeners;
  options.tick_s = 0.2;
  options.event = on_event;
  options.event_user = &source->listeners;
  status = lrgd_run_adopt_orphans(error);
  if (status == LRGD_OK)
    status = lrgd_pool_create(&source->pool, &options, error);
  if (status != LRGD_OK) return status;
  lrgd_problem bounds = *problem;
  *problem = lrgd_pool_problem(source->pool, bounds.dimension);
  problem->lower = bounds.lower;
  problem->upper = bounds.upper;
  if (source->outputs != NULL) problem->limits = &source->outputs->limits;
  return LRGD_OK;
}
