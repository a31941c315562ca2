/* One session of a run: opens and closes journal, program and solver in order,
 * and reports errors. */
#include "session_result.h"

#include "answer_limits.h"
#include "cli/base/cli_text.h"
#include "cli/base/csv_output.h"
#include "cli/base/output_path.h"
#include "cli/draw/plots.h"
#include "first_residuals.h"
#include "path.h"
#include "width.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lrgd_status session_wait(const cli_flags *flags, double *seconds,
                         lrgd_error *error)
{
  const char *text = flags_text(flags, FLAG_STORAGE_WAIT);
  if (text == NULL || (text_number(text, seconds) && *seconds >= 0))
    return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "--storage-wait: \"%.40s\" is not a number of seconds >= 0",
              text);
}

lrgd_status session_check(const cli_flags *flags, lrgd_error *error)
{
  static const flag_id tables[] = {FLAG_COVARIANCE, FLAG_JACOBIAN};
  double ignored;
  int64_t most;
  const char *save = flags_text(flags, FLAG_SAVE);
  const char *events = flags_text(flags, FLAG_EVENTS);
  lrgd_status status = session_wait(flags, &ignored, error);
  if (status == LRGD_OK) status = budget_reissue(flags, &most, error);
  if (status == LRGD_OK && most > 0 && !source_is_elsewhere())
    return fail(error, LRGD_ERR_INVALID,
                "--reissue %lld: there is no second rank to ask; start lrgd "
                "with mpirun, on two ranks or more, or leave it out",
                (long long)most);
  if (status == LRGD_OK)
    status = csv_alone(flags_has(flags, FLAG_CSV), flags_has(flags, FLAG_JSON),
                       error);
  if (status == LRGD_OK) status = plots_check(flags, error);
  if (status == LRGD_OK && save != NULL)
    status = place_check(flags, FLAG_SAVE, save, PLACE_RENAMED, error);
  if (status == LRGD_OK && events != NULL)
    status = place_check(flags, FLAG_EVENTS, events, PLACE_OPENED, error);
  for (size_t i = 0; i < COUNT_OF(tables) && status == LRGD_OK; i++)
    if (flags_has(flags, tables[i]))
      status = place_check(flags, tables[i], flags_text(flags, tables[i]),
                           PLACE_OPENED, error);
  return status;
}

/* ---- the journal ---- */

static lrgd_status open_journal(cli_session *session, lrgd_error *error)
{
  const cli_where *where = session->where;
  lrgd_journal_options options = lrgd_journal_options_default();
  lrgd_status status = budget_check(session->flags, where->journal, error);
  if (status == LRGD_OK)
    status =
        record_make(&session->record, session->flags, session->source, error);
  if (status == LRGD_OK) learn_record(&session->learned, &session->record);
  if (status == LRGD_OK)
    status = session_wait(session->flags, &options.storage_wait_s, error);
  if (status != LRGD_OK) return status;
  double noise = session->flags->options.noise;
  options.dimension = session->source->problem.dimension;
  options.settings = session->record.settings;
  options.setting_count = session->record.count;
  options.must_exist = where->must_exist;
  options.may_differ = where->new_path;
  options.noise = noise >= 0 ? noise : NAN;
  options.advice = session->source->residuals
                       ? "; lrgd resume goes on with others, as a new path"
                       : "; a new run with --learn-from knows what it holds";
  status =
      lrgd_journal_open(&session->journal, where->journal, &options, error);
  if (status == LRGD_OK)
    (void)lrgd_run_sweep(lrgd_journal_run_id(session->journal));
  return status;
}

/* Computes what was spent and what is left; called again whenever a path has
 * begun. */
static lrgd_status look_at_budgets(cli_session *session, lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
  if (session->journal != NULL)
    status = lrgd_journal_summarize(session->journal, &session->kept, error);
  if (status == LRGD_OK)
    status = budget_set(&session->budget, session->flags, session->journal,
                        &session->kept, error);
  if (status != LRGD_OK) return status;
  session->source->ranks.reissue = session->budget.reissue;
  progress_continue(&session->progress, budget_paid(&session->kept),
                    session->budget.earlier, session->kept.seconds);
  return LRGD_OK;
}

/* ---- paths ---- */

static lrgd_status begin_path(cli_session *session, const char *why,
                              lrgd_error *error)
{
  lrgd_status status = budget_begin(session->flags, &session->kept, why, error);
  if (session->kept.rows > 0) learn_trust(&session->learned);
  if (status == LRGD_OK)
    status = path_begin(session->journal, session->source, session->flags,
                        &session->record, &session->learned, why, error);
  return status == LRGD_OK ? look_at_budgets(session, error) : status;
}

/* Before the first evaluation: checks that the function and the run are those
 * of the journal.  Where nothing new can be evaluated, the function need not be
 * verified. */
static lrgd_status settle_path(cli_session *session, lrgd_error *error)
{
  lrgd_journal *journal = session->journal;
  const char *difference = lrgd_journal_difference(journal);
  int64_t most = session->flags->options.max_evals;
  uint64_t paid = budget_paid(&session->kept);
  char why[400];
  lrgd_status status = LRGD_OK;
  bool spent = most != LRGD_UNSET && (uint64_t)most <= paid;
  if (lrgd_journal_needs_confirming(journal) &&
      path_observes_otherwise(journal, session->source))
    return fail(error, LRGD_ERR_REFUSED,
                "%.200s: the command has changed and so have the observations; "
                "change one at a time, so that it can be told whether it is "
                "the same function",
                session->where->journal);
  if (lrgd_journal_needs_confirming(journal) && !spent) {
    status = lrgd_journal_confirm(journal, error);
    if (status == LRGD_OK) status = look_at_budgets(session, error);
  }
  if (status != LRGD_OK || *difference == '\0') return status;
  (void)snprintf(why, sizeof why, "this run is another than the journal's (%s)",
                 difference);
  return begin_path(session, why, error);
}

/* Runs the solver with the evaluations of earlier paths. */
static lrgd_status solve_path(cli_session *session, cli_run *run,
                              const cli_task *task, lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
  misfit_forget(session->misfit);
  const cli_source *source = session->source;
  if (session->journal != NULL && source->outputs == NULL)
    status = learn_own(&session->learned, session->journal,
                       session->kept.path_first, error);
  if (status == LRGD_OK && source->residuals && source->outputs == NULL)
    status = learn_residuals(&session->learned, session->problem.residual_count,
                             error);
  return status == LRGD_OK ? solve(run, task, error) : status;
}

/* Where the replay departs, the run continues as a new path, or the message
 * says how it could. */
static lrgd_status solve_paths(cli_session *session, cli_run *run,
                               cli_task *task, lrgd_error *error)
{
  char why[400];
  lrgd_departure departure = {0};
  lrgd_status status = solve_path(session, run, task, error);
  if (status == LRGD_ERR_REFUSED && session->journal != NULL)
    departure = lrgd_journal_departure(session->journal);
  if (departure.sequence == 0) return status;
  if (!session->where->new_path) {
    size_t length = strlen(error->text);
    (void)snprintf(error->text + length, sizeof error->text - length,
                   "; lrgd resume goes on, as a new path");
    return status;
  }
  (void)snprintf(why, sizeof why,
                 "the run departs from the journal at evaluation %llu (%s)",
                 (unsigned long long)departure.sequence, departure.how);
  trace_free(&session->trace);
  session->trace = (cli_trace){0};
  status = begin_path(session, why, error);
  if (status != LRGD_OK) return status;
  task->earlier = session->budget.earlier;
  return solve_path(session, run, task, error);
}

/* Wraps the problem by observations and prior information. */
static lrgd_status observe(cli_session *session, lrgd_error *error)
{
  cli_inputs *inputs = &session->source->inputs;
  lrgd_status status = inputs_tell(inputs, &session->problem, error);
  const cli_observations *observed = &inputs->observations;
  const cli_prior *prior = inputs->prior.count > 0 ? &inputs->prior : NULL;
  if (status != LRGD_OK || observed->count == 0) return status;
  status = misfit_create(&session->misfit, observed, prior, error);
  if (status == LRGD_OK) misfit_wrap(session->misfit, &session->problem);
  return status;
}

/* Wraps the problem by the journal, which answers before an evaluation is
 * made. */
static lrgd_status wrap_journal(cli_session *session, lrgd_error *error)
{
  const cli_ranks *ranks = session_ranks(session->source);
  lrgd_problem *problem = &session->problem;
  if (session->journal == NULL) return LRGD_OK;
  lrgd_status status =
      ranks != NULL
          ? lrgd_journal_wrap_evaluator(session->journal, problem,
                                        &ranks->evaluator, problem, error)
          : lrgd_journal_wrap(session->journal, problem, session->source->pool,
                              problem, error);
  return status == LRGD_OK ? settle_path(session, error) : status;
}

/* Opens everything before the first evaluation. */
static lrgd_status open_session(cli_session *session, lrgd_error *error)
{
  const cli_flags *flags = session->flags;
  cli_source *source = session->source;
  lrgd_status status = transform_create(&session->transform, &source->inputs,
                                        &source->problem, error);
  if (status == LRGD_OK)
    status =
        events_open(&session->events, flags_text(flags, FLAG_EVENTS), error);
  if (status == LRGD_OK)
    status = learn_open(&session->learned, flags, source,
                        session->where->learned, error);
  session->learned.verify |= session->where->verified;
  if (status == LRGD_OK && session->where->journal != NULL)
    status = open_journal(session, error);
  if (status == LRGD_OK) status = look_at_budgets(session, error);
  if (status != LRGD_OK) return status;
  cli_listeners listeners = {.progress = &session->progress,
                             .events = session->events};
  if (session->journal != NULL) {
    listeners.run_id = lrgd_journal_run_id(session->journal);
    listeners.before = budget_paid(&session->kept);
    events_continue(session->events, listeners.before);
  }
  status = source_start(source, flags, &listeners, error);
  if (status == LRGD_OK && source->residuals && source->outputs == NULL)
    status = learn_residuals(&session->learned, source->problem.residual_count,
                             error);
  if (source->problem.residual_count == 0)
    source->problem.residual_count = session->learned.residuals;
  if (status == LRGD_OK)
    status = residuals_find(source, session->transform, session->journal,
                            &session->budget.options, error);
  if (status != LRGD_OK) return status;
  session->problem = source->problem;
  if (source->pool == NULL && session_ranks(source) == NULL)
    events_watch(session->events, &session->problem);
  status = wrap_journal(session, error);
  if (status == LRGD_OK && session->journal != NULL)
    status = residuals_keep(source, session->transform, &session->problem,
                            &session->budget.earlier, error);
  return status == LRGD_OK ? observe(session, error) : status;
}

/* ---- the end ---- */

/* Hands the multipliers to the journal.  Without memory it has none. */
static void keep_multipliers(const cli_session *session, const cli_run *run)
{
  const struct cli_outputs *outputs = session->source->outputs;
  if (outputs == NULL) return;
  double *prices = malloc(outputs->count * sizeof *prices);
  if (prices != NULL && lrgd_solver_multipliers(run->solver, prices) == LRGD_OK)
    lrgd_journal_keep_multipliers(session->journal, outputs->count, prices);
  free(prices);
}

/* Before the result is printed: records in the journal how the run ended. */
static lrgd_status end_journal(cli_session *session, const cli_run *run,
                               lrgd_error *error)
{
  if (session->journal == NULL) return LRGD_OK;
  lrgd_status status = LRGD_OK;
  lrgd_journal_keep_noise(session->journal, run->result.noise);
  keep_multipliers(session, run);
  if (run->trouble.status == LRGD_OK)
    status = lrgd_journal_finish(session->journal,
                                 lrgd_outcome_text(run->result.outcome), error);
  lrgd_journal_summary now; /* a journal with an error may have no summary */
  if (lrgd_journal_summarize(session->journal, &now, NULL) == LRGD_OK)
    session->kept = now;
  return status;
}

/* Reports flags that the method ignores, before the run. */
static void say_unused(const cli_session *session)
{
  const lrgd_options *o = &session->budget.options;
  bool own_steps =
      o->method == LRGD_METHOD_AUTO || o->method == LRGD_METHOD_QUASI_NEWTON;
  if (!own_steps || flags_has(session->flags, FLAG_QUIET)) return;
  if (o->step == LRGD_STEP_AUTO && o->alpha == LRGD_UNSET_REAL &&
      o->momentum == LRGD_UNSET_REAL)
    return;
  say("--step, --alpha and --momentum are not used: method %s chooses its "
      "steps itself",
      o->method == LRGD_METHOD_AUTO ? "auto" : "quasi-newton");
}

/* Reports --async where there is one evaluation at a time: then there is no
 * order of answers to leave free. */
static void say_alone(const cli_session *session)
{
  const lrgd_options *o = &session->budget.options;
  if (o->async != 1 || o->width > 1 || flags_has(session->flags, FLAG_QUIET))
    return;
  if (source_evaluators(session->flags) > 1) return;
  say("--async has no effect with one evaluation at a time: --jobs N makes N");
}

/* Reports that the start lies outside its box and is clipped. */
static void say_outside(const cli_session *session)
{
  const lrgd_problem *problem = &session->source->problem;
  const double *start = session->source->start;
  size_t outside = 0, first = 0;
  for (size_t i = problem->dimension; i-- > 0;) {
    bool below = problem->lower != NULL && start[i] < problem->lower[i];
    bool above = problem->upper != NULL && start[i] > problem->upper[i];
    if (!below && !above) continue;
    if (problem->lower != NULL && problem->upper != NULL &&
        problem->lower[i] > problem->upper[i])
      return; /* refused later */
    outside++;
    first = i;
  }
  if (outside == 0) return;
  say("the start is outside its bounds in %zu of %zu inputs (the first is "
      "input %zu, %.6g) and is moved inside",
      outside, problem->dimension, first + 1, start[first]);
}

static int solve_session(cli_session *session)
{
  lrgd_error error = {.text = ""};
  const cli_source *source = session->source;
  bool traced = flags_has(session->flags, FLAG_PLOT);
  cli_run run;
  cli_task task = {.problem = &session->problem,
                   .inputs = &session->source->inputs,
                   .options = &session->budget.options,
                   .start = source->start,
                   .progress = &session->progress,
                   .trace = traced ? &session->trace : NULL,
                   .pool = source->pool,
                   .jobs = (size_t)source_evaluators(session->flags),
                   .ranks = session_ranks(source),
                   .journal = session->journal,
                   .earlier = session->budget.earlier,
                   .transform = session->transform,
                   .basis = source->inputs.basis,
                   .basis_count = source->inputs.basis_count,
                   .equal = &source->inputs.equal,
                   .scale = source->inputs.scale,
                   .samples = source->inputs.samples,
                   .sample_count = source->inputs.sample_count,
                   .learned = &session->learned,
                   .residuals = source->residuals && source->outputs == NULL,
                   .misfit = session->misfit,
                   .events = session->events};
  say_unused(session);
  say_alone(session);
  say_outside(session);
  if (solve_paths(session, &run, &task, &error) != LRGD_OK)
    return exit_with(&error);
  budget_tell(&session->budget, session->flags, &run);
  bool kept = end_journal(session, &run, &error) == LRGD_OK;
  int code = session_give(session, &run);
  if (!kept) code = exit_with(&error);
  run_free(&run);
  return code;
}

int session_run(const cli_flags *flags, cli_source *source,
                const cli_where *where)
{
  lrgd_error error = {.text = ""};
  cli_session session = {.flags = flags, .source = source, .where = where};
  progress_begin(&session.progress, flags_has(flags, FLAG_QUIET),
                 &flags->options);
  int code = open_session(&session, &error) == LRGD_OK ? solve_session(&session)
                                                       : exit_with(&error);
  lrgd_journal_close(&session.journal);
  lrgd_pool_destroy(
      &source->pool); /* destroyed first, as it may still emit events */
  if (events_close(&session.events, &error) != LRGD_OK) {
    int lost = exit_with(&error);
    if (code == EXIT_FINE) code = lost;
  }
  lrgd_variables_destroy(&session.transform);
  misfit_destroy(&session.misfit);
  trace_free(&session.trace);
  record_free(&session.record);
  learn_close(&session.learned);
  return code;
}

int session_begin(const cli_flags *flags, cli_inputs *inputs,
                  const struct pest_case *pest)
{
  lrgd_error error = {.text = ""};
  cli_source source;
  cli_where where = {.journal = flags_text(flags, FLAG_JOURNAL)};
  cli_flags own = *flags;
  if (source_read(&source, flags, inputs, &error) != LRGD_OK)
    return exit_with(&error);
  source.pest = pest;
  if (!source.residuals) width_choose(flags, where.journal, &own.options);
  int code = source_scale(&source, flags, &error) == LRGD_OK
                 ? session_run(&own, &source, &where)
                 : exit_with(&error);
  source_destroy(&source);
  return code;
}
