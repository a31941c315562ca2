/* lrgd diagnose: whether the function is low-rank, and what each method would
 * cost. */
#include "diagnosis_output.h"

#include "cli/base/cli_text.h"
#include "cli/base/csv_output.h"
#include "cli/base/flags.h"
#include "cli/base/output_path.h"
#include "cli/base/vector_file.h"
#include "cli/draw/plots.h"
#include "cli/run/learn.h"
#include "cli/run/record.h"
#include "cli/run/session.h"
#include "cli/run/transform.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int flag_ids[] = {
    SOURCE_FLAGS,    SIMULATOR_FLAGS,   FLAG_NAMES,      FLAG_SCALE,
    FLAG_LOG,        FLAG_SAVE,         FLAG_TRANSFORMS, FLAG_GRADIENTS,
    FLAG_HELD_OUT,   FLAG_RADIUS,       FLAG_PLOT,       FLAG_JOURNAL,
    FLAG_LEARN_FROM, FLAG_STORAGE_WAIT, FLAG_JSON,       FLAG_CSV,
    FLAG_QUIET,      FLAG_HELP};

/* One diagnosis, with or without a journal. */
typedef struct cli_diagnosis {
  const cli_flags *flags;
  cli_source source;
  lrgd_diagnosis_options want;
  cli_progress progress;
  cli_record record;
  cli_learned learned;
  char wishes[96]; /* the settings of this diagnosis, as text for the journal */
  lrgd_journal *journal;
  lrgd_variables *transform;
  lrgd_problem problem; /* the problem, wrapped by the journal */
  double *start;        /* the start in the transformed variables; owned */
  lrgd_diagnosis *study;
} cli_diagnosis;

static double now_s(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lrgd_status read_count(const cli_flags *flags, flag_id id,
                              const char *name, size_t least, size_t *count,
                              lrgd_error *error)
{
  const char *text = flags_text(flags, id);
  int64_t number;
  if (text == NULL) return LRGD_OK;
  if (!text_integer(text, (int64_t)least, 100000, &number))
    return fail(error, LRGD_ERR_INVALID,
                "--%s: \"%.40s\" is not a whole number from %zu to 100000",
                name, text, least);
  *count = (size_t)number;
  return LRGD_OK;
}

static lrgd_status read_wishes(lrgd_diagnosis_options *want,
                               const cli_flags *flags, lrgd_error *error)
{
  *want = lrgd_diagnosis_options_default();
  want->confidence = flags->options.confidence;
  lrgd_status status = read_count(flags, FLAG_GRADIENTS, "gradients", 2,
                                  &want->gradients, error);
  if (status == LRGD_OK)
    status =
        read_count(flags, FLAG_HELD_OUT, "held-out", 1, &want->held_out, error);
  if (status != LRGD_OK) return status;
  const char *radius = flags_text(flags, FLAG_RADIUS);
  if (radius != NULL &&
      (!text_number(radius, &want->radius) || !(want->radius > 0)))
    return fail(error, LRGD_ERR_INVALID,
                "--radius: \"%.40s\" is not a number > 0", radius);
  double ignored;
  const char *save = flags_text(flags, FLAG_SAVE);
  status = session_wait(flags, &ignored, error);
  if (status == LRGD_OK && save != NULL)
    status = place_check(flags, FLAG_SAVE, save, PLACE_RENAMED, error);
  if (status == LRGD_OK && save != NULL &&
      (flags_has(flags, FLAG_LOG) || flags_has(flags, FLAG_SCALE)))
    return fail(error, LRGD_ERR_INVALID,
                "--save writes directions of x: give it without --scale and "
                "--log");
  if (status == LRGD_OK)
    status = csv_alone(flags_has(flags, FLAG_CSV), flags_has(flags, FLAG_JSON),
                       error);
  return status == LRGD_OK ? plots_check(flags, error) : status;
}

/* Whether the diagnosis ended without an answer or without held-out points: the
 * exit status is then that of its outcome. */
static bool fell_short(const lrgd_diagnosis_result *found)
{
  return found->outcome != LRGD_OUTCOME_CONVERGED &&
         (found->samples == 0 || found->held_out == 0);
}

static int draw(const cli_flags *flags, const cli_study *shown)
{
  lrgd_error error = {.text = ""};
  int code = EXIT_FINE;
  bool quiet = flags_has(flags, FLAG_QUIET);
  bool empty = lrgd_diagnosis_get(shown->study)->count == 0;
  size_t cursor = 0;
  const char *path;
  while ((path = flags_next(flags, FLAG_PLOT, &cursor)) != NULL) {
    if (empty)
      say("%s: not drawn, as nothing was found", path);
    else if (study_draw(shown, path, &error) != LRGD_OK)
      code = exit_with(&error);
    else if (!quiet)
      say("drew %s", path);
  }
  return code;
}

/* Saves the recommended directions in terms of the given inputs: f(x) varies
 * along them alone.  Where a box has scaled the inputs, the derivative by x_i
 * is that by the scaled input divided by half its width. */
static lrgd_status save_directions(const cli_study *shown, const char *path,
                                   lrgd_error *error)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  const lrgd_problem *problem = &shown->source->problem;
  size_t p = problem->dimension, r = found->recommended_rank;
  if (!found->conclusive || r >= p || r > found->count) {
    say("%s: not written, as there are no directions to recommend", path);
    return LRGD_OK;
  }
  double *U = malloc(p * r * sizeof *U);
  if (U == NULL) return fail_memory(error);
  lrgd_status status = lrgd_diagnosis_directions(shown->study, r, U);
  if (status != LRGD_OK) {
    free(U);
    return fail(error, status, "%zu directions cannot be had: %s", r,
                lrgd_status_text(status));
  }
  for (size_t i = 0; i < p * r && lrgd_diagnosis_is_boxed(shown->study); i++)
    U[i] /= 0.5 * (problem->upper[i % p] - problem->lower[i % p]);
  status = vector_write(path, p * r, U, error);
  free(U);
  return status;
}

/* Says how to resume a diagnosis that has a journal and did not end. */
static void say_how_to_go_on(const cli_flags *flags,
                             const lrgd_diagnosis_result *found)
{
  bool ended = exit_of_outcome(found->outcome) != EXIT_SHORT;
  if (ended || flags_has(flags, FLAG_QUIET)) return;
  if (flags_has(flags, FLAG_JOURNAL))
    say("what was paid is kept: the same command%s goes on",
        found->outcome == LRGD_OUTCOME_BUDGET ? " with a larger budget" : "");
}

/* Prints --csv: what r directions leave out, a row for each r. */
static int print_csv(const cli_study *shown)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  puts("r,spectrum,energy,eta_median,eta_p95,eta_max,epsilon");
  for (size_t i = 0; i < found->count; i++) {
    const lrgd_eta *row = &found->eta[i];
    csv_count(row->r, false);
    csv_number(found->spectrum[i], false);
    csv_number(row->energy, false);
    csv_number(row->median, false);
    csv_number(row->p95, false);
    csv_number(row->max, false);
    csv_number(row->epsilon, true);
  }
  return EXIT_FINE;
}

static int give(const cli_flags *flags, const cli_study *shown)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  int code = EXIT_FINE;
  if (flags_has(flags, FLAG_JSON))
    code = json_print(study_json(shown));
  else if (flags_has(flags, FLAG_CSV))
    code = print_csv(shown);
  else
    study_print(shown);
  code = finish_output(code);
  if (fell_short(found) && found->outcome == LRGD_OUTCOME_BUDGET)
    study_wants(shown);
  if (found->outcome == LRGD_OUTCOME_FAILED) source_say_failure(shown->source);
  say_how_to_go_on(flags, found);
  lrgd_error error = {.text = ""};
  const char *save = flags_text(flags, FLAG_SAVE);
  if (save != NULL && save_directions(shown, save, &error) != LRGD_OK)
    code = exit_with(&error);
  int drawn = draw(flags, shown);
  if (code == EXIT_FINE) code = drawn;
  if (code == EXIT_FINE && found->outcome == LRGD_OUTCOME_STOPPED &&
      signals_seen())
    return EXIT_SIGNAL + signals_seen();
  if (code == EXIT_FINE && fell_short(found))
    code = exit_of_outcome(found->outcome);
  return code;
}

/* ---- the journal ---- */

static lrgd_status open_journal(cli_diagnosis *d, const char *path,
                                lrgd_error *error)
{
  lrgd_journal_options options = lrgd_journal_options_default();
  lrgd_status status = record_make(&d->record, d->flags, &d->source, error);
  if (status == LRGD_OK)
    status = session_wait(d->flags, &options.storage_wait_s, error);
  if (status != LRGD_OK) return status;
  snprintf(d->wishes, sizeof d->wishes,
           "gradients=%zu held-out=%zu radius=%.17g", d->want.gradients,
           d->want.held_out, d->want.radius);
  record_add(&d->record, "diagnosis", d->wishes);
  learn_record(&d->learned, &d->record);
  options.dimension = d->source.problem.dimension;
  options.settings = d->record.settings;
  options.setting_count = d->record.count;
  options.noise = d->flags->options.noise >= 0 ? d->flags->options.noise : NAN;
  status = lrgd_journal_open(&d->journal, path, &options, error);
  if (status != LRGD_OK) return status;
  (void)lrgd_run_sweep(lrgd_journal_run_id(d->journal));
  return LRGD_OK;
}

/* Transforms the start and the problem to other variables. */
static lrgd_status change_variables(cli_diagnosis *d, lrgd_error *error)
{
  size_t p = d->problem.dimension;
  d->start = malloc(p * sizeof *d->start);
  if (d->start == NULL)
    return fail(error, LRGD_ERR_NOMEM, "out of memory for %zu inputs", p);
  memcpy(d->start, d->source.start, p * sizeof *d->start);
  if (d->transform == NULL) return LRGD_OK;
  lrgd_variables_into(d->transform, d->source.start, d->start);
  lrgd_variables_wrap(d->transform, &d->problem);
  return LRGD_OK;
}

/* Opens everything before the first evaluation. */
static lrgd_status open_diagnosis(cli_diagnosis *d, lrgd_error *error)
{
  const char *path = flags_text(d->flags, FLAG_JOURNAL);
  cli_listeners listeners = {.progress = &d->progress};
  lrgd_status status = source_read(&d->source, d->flags, NULL, error);
  if (status == LRGD_OK) status = source_scale(&d->source, d->flags, error);
  if (status == LRGD_OK)
    status = transform_create(&d->transform, &d->source.inputs,
                              &d->source.problem, error);
  if (status == LRGD_OK)
    status = learn_open(&d->learned, d->flags, &d->source, NULL, error);
  if (status == LRGD_OK && path != NULL) status = open_journal(d, path, error);
  lrgd_journal_summary kept = {0};
  if (status == LRGD_OK && d->journal != NULL)
    status = lrgd_journal_summarize(d->journal, &kept, error);
  if (status != LRGD_OK) return status;
  if (d->journal != NULL) listeners.run_id = lrgd_journal_run_id(d->journal);
  listeners.before = kept.rows + kept.checks;
  status = source_start(&d->source, d->flags, &listeners, error);
  if (status != LRGD_OK) return status;
  d->problem = d->source.problem;
  if (d->journal != NULL)
    status = lrgd_journal_wrap(d->journal, &d->problem, d->source.pool,
                               &d->problem, error);
  return status == LRGD_OK ? change_variables(d, error) : status;
}

/* Counts failures and replayed evaluations; records in the journal how the
 * diagnosis ended. */
static lrgd_status close_journal(cli_diagnosis *d, cli_study *shown,
                                 lrgd_error *error)
{
  lrgd_journal_summary summary;
  shown->failures = lrgd_diagnosis_get(d->study)->failures;
  if (d->source.pool != NULL) {
    lrgd_pool_counts counts = lrgd_pool_count(d->source.pool);
    shown->failures = counts.failed;
  }
  if (d->journal == NULL) return LRGD_OK;
  lrgd_status status = lrgd_journal_status(d->journal, error);
  if (status == LRGD_OK)
    status = lrgd_journal_summarize(d->journal, &summary, error);
  if (status != LRGD_OK) return status;
  shown->failures = summary.failures;
  shown->replayed = summary.replayed;
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(d->study);
  return lrgd_journal_finish(d->journal, lrgd_outcome_text(found->outcome),
                             error);
}

/* ---- the diagnosis ---- */

static void stop_study(void *study)
{
  lrgd_diagnosis_stop(study);
}

static void on_fatal(lrgd_status status, void *user)
{
  (void)status;
  lrgd_diagnosis_stop(user);
}

static lrgd_status ask(cli_diagnosis *d, lrgd_error *error)
{
  lrgd_pool *pool = d->source.pool;
  if (pool != NULL) lrgd_pool_on_fatal(pool, on_fatal, d->study);
  if (d->journal != NULL) lrgd_journal_on_fatal(d->journal, on_fatal, d->study);
  signals_watch(stop_study, d->study, pool);
  lrgd_status status = lrgd_diagnosis_run(d->study, error);
  signals_release();
  return status;
}

/* Runs the diagnosis: prints the planned cost first, and shows the progress
 * bar. */
static lrgd_status study(cli_diagnosis *d, cli_study *shown, lrgd_error *error)
{
  lrgd_problem problem = d->problem;
  double started = now_s();
  if (d->progress.mode != PROGRESS_NONE) study_announce(shown);
  if (d->source.pool == NULL) progress_watch(&d->progress, &problem);
  lrgd_status status = lrgd_diagnosis_open(&d->study, &problem, shown->options,
                                           &d->want, d->start, error);
  if (status == LRGD_OK)
    status = learn_study(&d->learned, problem.dimension, d->study, d->transform,
                         error);
  if (status == LRGD_OK) status = ask(d, error);
  progress_end(&d->progress);
  shown->seconds = now_s() - started;
  shown->study = d->study;
  if (status == LRGD_OK && d->source.pool != NULL)
    status = lrgd_pool_status(d->source.pool, error);
  if (status == LRGD_OK) status = close_journal(d, shown, error);
  if (status == LRGD_OK && shown->transforms)
    status = lrgd_diagnosis_logarithms(d->study, &shown->logarithms);
  if (status == LRGD_OK && shown->transforms)
    status = lrgd_diagnosis_scaling(d->study, &shown->scaling);
  return status;
}

static int diagnose(cli_diagnosis *d)
{
  const cli_flags *flags = d->flags;
  lrgd_error error = {.text = ""};
  lrgd_options unlimited = flags->options;
  unlimited.max_evals = LRGD_UNSET;
  cli_study shown = {
      .source = &d->source,
      .options = &flags->options,
      .plan = lrgd_diagnosis_cost(&d->problem, &flags->options, &d->want),
      .enough = lrgd_diagnosis_cost(&d->problem, &unlimited, &d->want),
      .transforms = flags_has(flags, FLAG_TRANSFORMS)};
  /* the bar shows the share of the plan; the budget is the user's */
  lrgd_options planned = flags->options;
  planned.max_evals = (int64_t)shown.plan.total;
  d->progress.options = &planned;
  return study(d, &shown, &error) == LRGD_OK ? give(flags, &shown)
                                             : exit_with(&error);
}

static int run_diagnose(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  cli_diagnosis d = {.flags = flags};
  if (read_wishes(&d.want, flags, &error) != LRGD_OK) return exit_with(&error);
  progress_begin(&d.progress, flags_has(flags, FLAG_QUIET), &flags->options);
  int code =
      open_diagnosis(&d, &error) == LRGD_OK ? diagnose(&d) : exit_with(&error);
  lrgd_diagnosis_destroy(&d.study);
  lrgd_journal_close(&d.journal);
  lrgd_variables_destroy(&d.transform);
  source_destroy(&d.source);
  free(d.start);
  record_free(&d.record);
  learn_close(&d.learned);
  return code;
}

const cli_command diagnose_command = {
    .name = "diagnose",
    .words = "[PROBLEM] [flags]",
    .summary =
        "Says whether a function is low-rank, and what each method "
        "would cost.",
    .details =
        "Samples gradients over the bounds (or a ball around the start), finds "
        "the\ndirections f varies along, checks them on held-out points, and "
        "makes "
        "trial\nruns of the methods.  PROBLEM as for lrgd minimize; "
        "--max-evals is "
        "kept, and the cost is printed\nbeforehand.  With --journal no "
        "evaluation is paid twice: the same command\nagain goes on where it "
        "was "
        "stopped.  With --learn-from known evaluations\nare not repeated, and "
        "the gradients among them become samples.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .solver_options = true,
    .run = run_diagnose,
};
