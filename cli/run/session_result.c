/* Prints the result of a session, saves it and draws it. */
#include "session_result.h"

#include "cli/base/cli_text.h"
#include "cli/base/csv_output.h"
#include "cli/base/files.h"
#include "cli/base/shell_quote.h"
#include "cli/base/vector_file.h"
#include "cli/draw/convergence.h"
#include "estimate.h"
#include "pest_inputs.h"
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const cli_ranks *session_ranks(const cli_source *source)
{
  return source->ranks.evaluator.answer != NULL ? &source->ranks : NULL;
}

/* The last failure as lines, borrowed from the source; NULL: no program
 * failed. */
static const char *last_failure(const cli_source *source, const cli_run *run)
{
  return run->result.counts.failures > 0 ? source_last_failure(source) : NULL;
}

/* The reason of the last failure, without the number of the evaluation. */
static const char *last_cause(const cli_source *source, const cli_run *run)
{
  const char *failure = last_failure(source, run);
  return failure != NULL && source->pool != NULL
             ? lrgd_pool_last_cause(source->pool)
             : failure;
}

static bool has_bounds(const lrgd_problem *problem)
{
  for (size_t i = 0; i < problem->dimension; i++)
    if ((problem->lower != NULL && isfinite(problem->lower[i])) ||
        (problem->upper != NULL && isfinite(problem->upper[i])))
      return true;
  return false;
}

/* Prints how to resume a run that has a journal and did not end; with a larger
 * budget, where the budget ended it. (A run that stalled would stall again.) */
static void say_how_to_go_on(const cli_session *session, const cli_run *run)
{
  const char *kind = source_kind(session->flags);
  lrgd_outcome outcome = run->result.outcome;
  int64_t most = session->flags->options.max_evals;
  char more[40] = "";
  if (session->journal == NULL || outcome == LRGD_OUTCOME_STALLED ||
      exit_of_outcome(outcome) != EXIT_SHORT ||
      flags_has(session->flags, FLAG_QUIET))
    return;
  if (outcome == LRGD_OUTCOME_BUDGET && most != LRGD_UNSET &&
      most < INT64_MAX / 2)
    (void)snprintf(more, sizeof more, " --max-evals %lld",
                   (long long)(2 * most));
  if (session->source->outputs != NULL) {
    say("to go on: the same command again%s%s", *more != '\0' ? ", with" : "",
        more);
    return;
  }
  say_how_to_resume(session->where->journal,
                    session->source->builtin != NULL ? NULL : kind,
                    session->source->name, more);
}

static lrgd_status draw(const cli_session *session, lrgd_error *error)
{
  cli_curve curve = {.label = NULL, .trace = &session->trace};
  cli_convergence picture = {.title = session->source->name,
                             .minimum = session->source->minimum,
                             .curves = &curve,
                             .count = 1,
                             .against = AGAINST_EVALUATIONS};
  return convergence_draw(&picture, session->flags, error);
}

/* Writes the file of --save: the point or, for a PEST case, all parameters in
 * PEST's format. */
static lrgd_status write_point(const cli_source *source, const cli_run *run,
                               const char *path, lrgd_error *error)
{
  if (source->pest != NULL && file_ends_in(path, ".par"))
    return pest_write_parameters(source->pest, run->x, path, error);
  return vector_write(path, run->p, run->x, error);
}

/* Prints --csv: the best point, a row for each input. */
static int print_csv(const cli_source *source, const cli_run *run)
{
  char name[INPUT_NAME_SIZE];
  const lrgd_problem *problem = &source->problem;
  puts("input,name,start,x,lower,upper");
  for (size_t i = 0; i < run->p; i++) {
    csv_count(i + 1, false);
    csv_text(input_name(&source->inputs, i, name), false);
    csv_number(source->start[i], false);
    csv_number(run->x[i], false);
    csv_number(problem->lower != NULL ? problem->lower[i] : -INFINITY, false);
    csv_number(problem->upper != NULL ? problem->upper[i] : INFINITY, true);
  }
  return EXIT_FINE;
}

int session_give(const cli_session *session, const cli_run *run)
{
  const cli_flags *flags = session->flags;
  cli_about about = {.problem = session->source->name,
                     .options = &flags->options,
                     .inputs = &session->source->inputs,
                     .failure = last_failure(session->source, run),
                     .cause = last_cause(session->source, run),
                     .bounded = has_bounds(&session->source->problem),
                     .verbose = flags_has(flags, FLAG_VERBOSE),
                     .differences = session->problem.gradient == NULL &&
                                    session->problem.slopes == NULL &&
                                    session->problem.complex_value == NULL,
                     .ranks = session_ranks(session->source),
                     .journal = session->where->journal,
                     .kept = &session->kept,
                     .outputs = session->source->outputs,
                     .misfit = session->misfit};
  int code = EXIT_FINE;
  lrgd_error error = {.text = ""};
  fit_uncertainty *uncertainty;
  lrgd_status estimated = estimate_uncertainty(
      &uncertainty, flags, session->source, session->misfit, run, &error);
  about.uncertainty = uncertainty;
  if (flags_has(flags, FLAG_JSON))
    code = json_print(result_json(run, &about));
  else if (flags_has(flags, FLAG_CSV))
    code = print_csv(session->source, run);
  else
    result_print(run, &about);
  code = finish_output(
      code); /* the result is written before anything is plotted */
  if (run->result.counts.failures > 0) source_say_failure(session->source);
  say_how_to_go_on(session, run);
  if (estimated != LRGD_OK ||
      save_uncertainty(uncertainty, flags, &error) != LRGD_OK)
    code = exit_with(&error);
  uncertainty_destroy(&uncertainty);
  const char *save = flags_text(flags, FLAG_SAVE);
  if (save != NULL &&
      write_point(session->source, run, save, &error) != LRGD_OK)
    code = exit_with(&error);
  if (draw(session, &error) != LRGD_OK) code = exit_with(&error);
  if (run->trouble.status != LRGD_OK) return exit_with(&run->trouble);
  return code != EXIT_FINE ? code : run_exit(run);
}
