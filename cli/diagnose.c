/* lrgd diagnose: is the function low-rank, and what would each method cost? */
#include "study.h"

#include "convergence.h"
#include "flags.h"
#include "progress.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static const int flag_ids[] = {SUBJECT_FLAGS, FLAG_TRANSFORMS, FLAG_GRADIENTS,
                               FLAG_HELD_OUT, FLAG_RADIUS,     FLAG_PLOT,
                               FLAG_JSON,     FLAG_QUIET,      FLAG_HELP};

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

static lrgd_status read_wishes(lrgd_study_options *want, const cli_flags *flags,
                               lrgd_error *error)
{
  *want = lrgd_study_options_default();
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
  return convergence_check(flags, error);
}

/* A study that found nothing out, or had no points to check it on, has the
 * exit status of what stopped it. */
static bool fell_short(const lrgd_study_result *found)
{
  return found->outcome != LRGD_CONVERGED &&
         (found->samples == 0 || found->held_out == 0);
}

static int draw(const cli_flags *flags, const cli_study *shown)
{
  lrgd_error error = {.text = ""};
  int code = EXIT_FINE;
  bool quiet = flags_has(flags, FLAG_QUIET);
  bool empty = lrgd_study_get(shown->study)->count == 0;
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

static int give(const cli_flags *flags, const cli_study *shown)
{
  const lrgd_study_result *found = lrgd_study_get(shown->study);
  int code = EXIT_FINE;
  if (flags_has(flags, FLAG_JSON))
    code = json_print(study_json(shown));
  else
    study_print(shown);
  code = finish_output(code);
  if (fell_short(found) && found->outcome == LRGD_BUDGET) study_wants(shown);
  int drawn = draw(flags, shown);
  if (code == EXIT_FINE) code = drawn;
  if (code == EXIT_FINE && fell_short(found))
    code = exit_of_outcome(found->outcome);
  return code;
}

/* The study itself, with the cost told first and the bar running. */
static lrgd_status study(lrgd_study **found, cli_study *shown,
                         const lrgd_study_options *want, cli_progress *progress,
                         lrgd_error *error)
{
  const cli_subject *subject = shown->subject;
  lrgd_problem problem = subject->problem;
  double started = now_s();
  if (progress->mode != PROGRESS_NONE) study_announce(shown);
  if (subject->pool == NULL) progress_watch(progress, &problem);
  lrgd_status status = lrgd_study_create(found, &problem, shown->options, want,
                                         subject->start, error);
  progress_end(progress);
  shown->seconds = now_s() - started;
  shown->study = *found;
  if (status == LRGD_OK && subject->pool != NULL) {
    status = lrgd_pool_status(subject->pool, error);
    if (status != LRGD_OK) lrgd_study_destroy(found);
  }
  if (status == LRGD_OK && shown->transforms)
    status = lrgd_study_logarithms(*found, &shown->logarithms);
  return status;
}

static int run_diagnose(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  lrgd_study_options want;
  lrgd_options options = flags->options;
  cli_progress progress;
  cli_subject subject;
  progress_begin(&progress, flags_has(flags, FLAG_QUIET), &options);
  if (read_wishes(&want, flags, &error) != LRGD_OK ||
      subject_create(&subject, flags, &progress, &error) != LRGD_OK)
    return exit_with(&error);
  cli_study shown = {.subject = &subject,
                     .options = &flags->options,
                     .transforms = flags_has(flags, FLAG_TRANSFORMS)};
  shown.plan = lrgd_study_cost(&subject.problem, &flags->options, &want);
  lrgd_options unlimited = flags->options;
  unlimited.max_evals = LRGD_UNSET;
  shown.enough = lrgd_study_cost(&subject.problem, &unlimited, &want);
  /* the bar's share is that of the plan; the budget stays the user's */
  options.max_evals = (int64_t)shown.plan.total;
  lrgd_study *found = NULL;
  int code = study(&found, &shown, &want, &progress, &error) == LRGD_OK
                 ? give(flags, &shown)
                 : exit_with(&error);
  lrgd_study_destroy(&found);
  subject_destroy(&subject);
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
        "the\ndirections f varies along, checks them on points kept aside and "
        "rehearses the\nmethods.  PROBLEM as for lrgd minimize; --max-evals is "
        "kept, and the cost is told\nbeforehand.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .solver_options = true,
    .computes = true,
    .run = run_diagnose,
};
