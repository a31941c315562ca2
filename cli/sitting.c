/* One sitting of a run.  Knows the order in which journal, program and solver
 * are opened and closed, and who is told of what went wrong. */
#include "sitting.h"

#include "convergence.h"
#include "place.h"
#include "plots.h"
#include "record.h"
#include "result.h"
#include "solve.h"
#include "text.h"
#include "vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct cli_sitting {
  const cli_flags *flags;
  cli_subject *subject;
  const cli_where *where;
  lrgd_options options; /* budgets less what earlier sittings spent */
  int64_t reserved;     /* of max_evals, for late questions */
  cli_progress progress;
  cli_events *events;
  cli_record record;
  lrgd_journal *journal;
  lrgd_journal_summary kept; /* at the beginning, then at the end */
  cli_transform *transform;
  lrgd_problem problem; /* the subject's, as the journal answers it */
  cli_trace trace;
} cli_sitting;

lrgd_status sitting_wait(const cli_flags *flags, double *seconds,
                         lrgd_error *error)
{
  const char *text = flags_text(flags, FLAG_STORAGE_WAIT);
  if (text == NULL || (text_number(text, seconds) && *seconds >= 0))
    return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "--storage-wait: \"%.40s\" is not a number of seconds >= 0",
              text);
}

static lrgd_status read_reissue(const cli_flags *flags, int64_t *most,
                                lrgd_error *error)
{
  const char *text = flags_text(flags, FLAG_REISSUE);
  *most = 0;
  if (text == NULL || text_integer(text, 0, INT32_MAX, most)) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "--reissue: \"%.40s\" is not a whole number from 0 to %d", text,
              INT32_MAX);
}

lrgd_status sitting_check(const cli_flags *flags, lrgd_error *error)
{
  double ignored;
  int64_t most;
  const char *save = flags_text(flags, FLAG_SAVE);
  lrgd_status status = sitting_wait(flags, &ignored, error);
  if (status == LRGD_OK) status = read_reissue(flags, &most, error);
  if (status == LRGD_OK && most > 0 && !subject_is_elsewhere())
    return fail(error, LRGD_ERR_INVALID,
                "--reissue %lld: there is no second rank to ask; start lrgd "
                "with mpirun, on two ranks or more, or leave it out",
                (long long)most);
  if (status == LRGD_OK) status = plots_check(flags, error);
  if (status == LRGD_OK && save != NULL)
    status = place_check("save", save, PLACE_RENAMED, error);
  return status;
}

/* Late questions that are asked a second time are evaluations too.  They come
 * off the budget beforehand, whether they will be needed or not: the path of a
 * run must not depend on who was late. */
static lrgd_status reserve(cli_sitting *sitting, lrgd_error *error)
{
  lrgd_options *options = &sitting->options;
  int64_t most, before = (int64_t)sitting->kept.repeats;
  lrgd_status status = read_reissue(sitting->flags, &most, error);
  if (status != LRGD_OK) return status;
  if (most < before) most = before;
  sitting->subject->ranks.reissue = (uint64_t)(most - before);
  if (options->max_evals == LRGD_UNSET || most == 0) return LRGD_OK;
  if (options->max_evals <= most)
    return fail(error, LRGD_ERR_INVALID,
                "--reissue %lld leaves nothing of --max-evals %lld",
                (long long)most, (long long)options->max_evals);
  options->max_evals -= most;
  sitting->reserved = most;
  return LRGD_OK;
}

/* ---- the journal ---- */

static int count_whole(const lrgd_journal_row *row, void *user)
{
  int64_t *whole = user;
  if (row->sequence != (uint64_t)*whole + 1) return 1;
  ++*whole;
  return 0;
}

/* The wall budget is for all sittings.  Where it is spent, what was recorded
 * without a gap is replayed, and nothing is asked. */
static lrgd_status spend_time(cli_sitting *sitting, lrgd_error *error)
{
  lrgd_options *options = &sitting->options;
  int64_t whole = 0;
  if (!(options->max_seconds > 0)) return LRGD_OK;
  options->max_seconds -= sitting->kept.seconds;
  if (options->max_seconds > 0) return LRGD_OK;
  options->max_seconds = LRGD_UNSET_REAL;
  lrgd_status status =
      lrgd_journal_rows(sitting->journal, 1, count_whole, &whole, error);
  if (options->max_evals == LRGD_UNSET || options->max_evals > whole)
    options->max_evals = whole;
  return status;
}

/* A budget is for all sittings together: one below what was spent would give a
 * worse point than is known.  A journal that cannot be read has its turn. */
static lrgd_status check_budget(const cli_sitting *sitting, lrgd_error *error)
{
  const char *path = sitting->where->journal;
  int64_t most = sitting->flags->options.max_evals;
  lrgd_journal *journal;
  lrgd_journal_summary kept = {0};
  if (most == LRGD_UNSET ||
      lrgd_journal_open_readonly(&journal, path, NULL) != LRGD_OK)
    return LRGD_OK;
  bool known = lrgd_journal_summarize(journal, &kept, NULL) == LRGD_OK;
  lrgd_journal_close(&journal);
  if (!known || (uint64_t)most >= kept.rows) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "--max-evals %lld: %.200s has %llu evaluations already, of all "
              "sittings together; give that or more",
              (long long)most, path, (unsigned long long)kept.rows);
}

static lrgd_status open_journal(cli_sitting *sitting, lrgd_error *error)
{
  const cli_where *where = sitting->where;
  lrgd_journal_options options = lrgd_journal_options_default();
  lrgd_status status = check_budget(sitting, error);
  if (status == LRGD_OK)
    status =
        record_make(&sitting->record, sitting->flags, sitting->subject, error);
  if (status == LRGD_OK)
    status = sitting_wait(sitting->flags, &options.storage_wait_s, error);
  if (status != LRGD_OK) return status;
  options.dimension = sitting->subject->problem.dimension;
  options.settings = sitting->record.settings;
  options.setting_count = sitting->record.count;
  options.must_exist = where->must_exist;
  status =
      lrgd_journal_open(&sitting->journal, where->journal, &options, error);
  if (status == LRGD_OK)
    status = lrgd_journal_summarize(sitting->journal, &sitting->kept, error);
  if (status != LRGD_OK) return status;
  progress_continue(&sitting->progress, sitting->kept.rows,
                    sitting->kept.seconds);
  events_continue(sitting->events, sitting->kept.rows);
  (void)lrgd_run_sweep(lrgd_journal_run_id(sitting->journal));
  return LRGD_OK;
}

/* NULL where evaluations are made here. */
static const cli_ranks *ranks_of(const cli_subject *subject)
{
  return subject->ranks.answerer.answer != NULL ? &subject->ranks : NULL;
}

/* Everything before the first question. */
static lrgd_status open_sitting(cli_sitting *sitting, lrgd_error *error)
{
  const cli_flags *flags = sitting->flags;
  cli_subject *subject = sitting->subject;
  lrgd_status status = transform_create(&sitting->transform, &subject->inputs,
                                        &subject->problem, error);
  if (status == LRGD_OK)
    status =
        events_open(&sitting->events, flags_text(flags, FLAG_EVENTS), error);
  if (status == LRGD_OK && sitting->where->journal != NULL)
    status = open_journal(sitting, error);
  if (status == LRGD_OK) status = reserve(sitting, error);
  if (status == LRGD_OK && sitting->journal != NULL)
    status = spend_time(sitting, error);
  if (status != LRGD_OK) return status;
  cli_listeners listeners = {.progress = &sitting->progress,
                             .events = sitting->events};
  if (sitting->journal != NULL) {
    listeners.run_id = lrgd_journal_run_id(sitting->journal);
    listeners.before = sitting->kept.rows;
  }
  status = subject_start(subject, flags, &listeners, error);
  if (status != LRGD_OK) return status;
  sitting->problem = subject->problem;
  const cli_ranks *ranks = ranks_of(subject);
  if (subject->pool == NULL && ranks == NULL)
    events_watch(sitting->events, &sitting->problem);
  if (sitting->journal == NULL) return LRGD_OK;
  if (ranks != NULL)
    return lrgd_journal_wrap_answerer(sitting->journal, &sitting->problem,
                                      &ranks->answerer, &sitting->problem,
                                      error);
  return lrgd_journal_wrap(sitting->journal, &sitting->problem, subject->pool,
                           &sitting->problem, error);
}

/* ---- the result ---- */

/* Lines, borrowed from the subject; NULL where no program failed. */
static const char *last_failure(const cli_subject *subject, const cli_run *run)
{
  if (run->result.counts.failures == 0) return NULL;
  const char *text = subject->pool != NULL
                         ? lrgd_pool_last_failure(subject->pool)
                         : subject->ranks.failure;
  return *text != '\0' ? text : NULL;
}

static bool has_bounds(const lrgd_problem *problem)
{
  for (size_t i = 0; i < problem->dimension; i++)
    if ((problem->lower != NULL && isfinite(problem->lower[i])) ||
        (problem->upper != NULL && isfinite(problem->upper[i])))
      return true;
  return false;
}

/* What the failing program said, which the outcome alone does not tell: a
 * sentence, then the last lines it wrote. */
static void say_last_failure(const cli_subject *subject, const cli_run *run)
{
  const char *text = last_failure(subject, run);
  if (text == NULL) return;
  for (const char *before = "last failure: "; *text != '\0'; before = "  ") {
    int length = (int)strcspn(text, "\n");
    say("%s%.*s", before, length, text);
    text += length;
    text += *text == '\n';
  }
}

/* A run that is kept and not at its end can go on; with more evaluations, where
 * these were what ended it.  (One that stalled would stall again.) */
static void say_how_to_go_on(const cli_sitting *sitting, const cli_run *run)
{
  const char *kind = subject_kind(sitting->flags);
  lrgd_outcome outcome = run->result.outcome;
  int64_t most = sitting->flags->options.max_evals;
  char more[40] = "";
  if (sitting->journal == NULL || outcome == LRGD_OUTCOME_STALLED ||
      exit_of_outcome(outcome) != EXIT_SHORT ||
      flags_has(sitting->flags, FLAG_QUIET))
    return;
  if (outcome == LRGD_OUTCOME_BUDGET && most != LRGD_UNSET &&
      most < INT64_MAX / 2)
    (void)snprintf(more, sizeof more, " --max-evals %lld",
                   (long long)(2 * most));
  if (sitting->subject->builtin != NULL)
    say("to go on: lrgd resume %s %s%s", sitting->where->journal,
        sitting->subject->name, more);
  else
    say("to go on: lrgd resume %s --%s '%.400s'%s", sitting->where->journal,
        kind, sitting->subject->name, more);
}

static lrgd_status draw(const cli_sitting *sitting, lrgd_error *error)
{
  cli_curve curve = {.label = NULL, .trace = &sitting->trace};
  cli_convergence picture = {.title = sitting->subject->name,
                             .minimum = sitting->subject->minimum,
                             .curves = &curve,
                             .count = 1,
                             .against = AGAINST_EVALUATIONS};
  return convergence_draw(&picture, sitting->flags, error);
}

/* The solver knows of the budget that was left to it.  The user gave another
 * number, which is told beside it. */
static void tell_reserved(const cli_sitting *sitting, cli_run *run)
{
  char left[64], *message = run->result.message;
  int64_t most = sitting->options.max_evals;
  (void)snprintf(left, sizeof left, " of %lld evaluations used",
                 (long long)most);
  if (sitting->reserved == 0 || run->result.outcome != LRGD_OUTCOME_BUDGET ||
      strstr(message, left) == NULL)
    return;
  size_t length = strlen(message);
  (void)snprintf(message + length, sizeof run->result.message - length,
                 " (%lld of the %lld are kept for --reissue)",
                 (long long)sitting->reserved,
                 (long long)sitting->flags->options.max_evals);
}

/* Everything that is left of a run once it has ended. */
static int give(const cli_sitting *sitting, const cli_run *run)
{
  const cli_flags *flags = sitting->flags;
  cli_about about = {.problem = sitting->subject->name,
                     .options = &flags->options,
                     .inputs = &sitting->subject->inputs,
                     .failure = last_failure(sitting->subject, run),
                     .bounded = has_bounds(&sitting->subject->problem),
                     .differences = sitting->problem.gradient == NULL &&
                                    sitting->problem.slopes == NULL &&
                                    sitting->problem.complex_value == NULL,
                     .ranks = ranks_of(sitting->subject),
                     .journal = sitting->where->journal,
                     .kept = &sitting->kept};
  int code = EXIT_FINE;
  lrgd_error error = {.text = ""};
  if (flags_has(flags, FLAG_JSON))
    code = json_print(result_json(run, &about));
  else
    result_print(run, &about);
  code = finish_output(code); /* what was paid for is safe before we draw */
  say_last_failure(sitting->subject, run);
  say_how_to_go_on(sitting, run);
  const char *save = flags_text(flags, FLAG_SAVE);
  if (save != NULL && vector_write(save, run->p, run->x, &error) != LRGD_OK)
    code = exit_with(&error);
  if (draw(sitting, &error) != LRGD_OK) code = exit_with(&error);
  if (run->trouble.status != LRGD_OK) return exit_with(&run->trouble);
  return code != EXIT_FINE ? code : run_exit(run);
}

/* Before the result is given: the journal says how the run ended. */
static lrgd_status end_journal(cli_sitting *sitting, const cli_run *run,
                               lrgd_error *error)
{
  if (sitting->journal == NULL) return LRGD_OK;
  lrgd_status status = LRGD_OK;
  if (run->trouble.status == LRGD_OK)
    status = lrgd_journal_finish(sitting->journal,
                                 lrgd_outcome_text(run->result.outcome), error);
  lrgd_journal_summary now; /* a journal in trouble may not be able to tell */
  if (lrgd_journal_summarize(sitting->journal, &now, NULL) == LRGD_OK)
    sitting->kept = now;
  return status;
}

/* Flags that the method will pass over are better said before than found out
 * after. */
static void say_unused(const cli_sitting *sitting)
{
  const lrgd_options *o = &sitting->options;
  bool own_steps =
      o->method == LRGD_METHOD_AUTO || o->method == LRGD_METHOD_KRYLOV;
  if (!own_steps || flags_has(sitting->flags, FLAG_QUIET)) return;
  if (o->step == LRGD_STEP_AUTO && o->alpha == LRGD_UNSET_REAL &&
      o->momentum == LRGD_UNSET_REAL)
    return;
  say("--step, --alpha and --momentum are not used: method %s chooses its "
      "steps itself",
      o->method == LRGD_METHOD_AUTO ? "auto" : "krylov");
}

/* The solver moves a start into its box: not without a word. */
static void say_outside(const cli_sitting *sitting)
{
  const lrgd_problem *problem = &sitting->subject->problem;
  const double *start = sitting->subject->start;
  size_t outside = 0, first = 0;
  for (size_t i = problem->dimension; i-- > 0;) {
    bool below = problem->lower != NULL && start[i] < problem->lower[i];
    bool above = problem->upper != NULL && start[i] > problem->upper[i];
    if (!below && !above) continue;
    outside++;
    first = i;
  }
  if (outside == 0) return;
  say("the start is outside its bounds in %zu of %zu inputs (the first is "
      "input %zu, %.6g) and is moved inside",
      outside, problem->dimension, first + 1, start[first]);
}

static int solve_sitting(cli_sitting *sitting)
{
  lrgd_error error = {.text = ""};
  const cli_subject *subject = sitting->subject;
  bool traced = flags_has(sitting->flags, FLAG_PLOT);
  cli_run run;
  cli_task task = {.problem = &sitting->problem,
                   .options = &sitting->options,
                   .start = subject->start,
                   .progress = &sitting->progress,
                   .trace = traced ? &sitting->trace : NULL,
                   .pool = subject->pool,
                   .ranks = ranks_of(subject),
                   .journal = sitting->journal,
                   .transform = sitting->transform,
                   .basis = subject->inputs.basis,
                   .basis_count = subject->inputs.basis_count,
                   .events = sitting->events};
  say_unused(sitting);
  say_outside(sitting);
  if (solve(&run, &task, &error) != LRGD_OK) return exit_with(&error);
  tell_reserved(sitting, &run);
  bool kept = end_journal(sitting, &run, &error) == LRGD_OK;
  int code = give(sitting, &run);
  if (!kept) code = exit_with(&error);
  run_free(&run);
  return code;
}

int sitting_run(const cli_flags *flags, cli_subject *subject,
                const cli_where *where)
{
  lrgd_error error = {.text = ""};
  cli_sitting sitting = {.flags = flags,
                         .subject = subject,
                         .where = where,
                         .options = flags->options};
  progress_begin(&sitting.progress, flags_has(flags, FLAG_QUIET),
                 &flags->options);
  int code = open_sitting(&sitting, &error) == LRGD_OK ? solve_sitting(&sitting)
                                                       : exit_with(&error);
  lrgd_journal_close(&sitting.journal);
  lrgd_pool_destroy(&subject->pool); /* it may still tell events */
  if (events_close(&sitting.events, &error) != LRGD_OK) {
    int lost = exit_with(&error);
    if (code == EXIT_FINE) code = lost;
  }
  transform_destroy(&sitting.transform);
  trace_free(&sitting.trace);
  record_free(&sitting.record);
  return code;
}
