/* lrgd minimize: finds a minimum. */
#include "convergence.h"
#include "flags.h"
#include "result.h"
#include "solve.h"
#include "subject.h"
#include "vector.h"

#include <stdio.h>
#include <string.h>

static const int flag_ids[] = {SUBJECT_FLAGS, FLAG_PLOT,  FLAG_SAVE,
                               FLAG_JSON,     FLAG_QUIET, FLAG_HELP};

/* What the failing program said, which the outcome alone does not tell: a
 * sentence, then the last lines it wrote. */
static void say_last_failure(const cli_subject *subject, const cli_run *run)
{
  if (subject->pool == NULL || run->result.counts.failures == 0) return;
  const char *text = lrgd_pool_last_failure(subject->pool);
  for (const char *before = "last failure: "; *text != '\0'; before = "  ") {
    int length = (int)strcspn(text, "\n");
    say("%s%.*s", before, length, text);
    text += length;
    text += *text == '\n';
  }
}

static lrgd_status draw(const cli_flags *flags, const cli_subject *subject,
                        const cli_trace *trace, lrgd_error *error)
{
  cli_curve curve = {.label = NULL, .trace = trace};
  cli_convergence picture = {.title = subject->name,
                             .minimum = subject->minimum,
                             .curves = &curve,
                             .count = 1,
                             .against = AGAINST_EVALUATIONS};
  return convergence_draw(&picture, flags, error);
}

/* Everything that is left of a run once it has ended. */
static int give(const cli_flags *flags, const cli_subject *subject,
                const cli_run *run, const cli_trace *trace)
{
  cli_about about = {.problem = subject->name, .options = &flags->options};
  int code = EXIT_FINE;
  lrgd_error error = {.text = ""};
  if (flags_has(flags, FLAG_JSON))
    code = json_print(result_json(run, &about));
  else
    result_print(run, &about);
  code = finish_output(code); /* what was paid for is safe before we draw */
  say_last_failure(subject, run);
  const char *save = flags_text(flags, FLAG_SAVE);
  if (save != NULL && vector_write(save, run->p, run->x, &error) != LRGD_OK)
    code = exit_with(&error);
  if (draw(flags, subject, trace, &error) != LRGD_OK) code = exit_with(&error);
  return code != EXIT_FINE ? code : run_exit(run);
}

static int run_minimize(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  cli_progress progress;
  cli_subject subject;
  progress_begin(&progress, flags_has(flags, FLAG_QUIET), &flags->options);
  if (convergence_check(flags, &error) != LRGD_OK ||
      subject_create(&subject, flags, &progress, &error) != LRGD_OK)
    return exit_with(&error);

  cli_trace trace = {0};
  cli_run run;
  cli_task task = {.problem = &subject.problem,
                   .options = &flags->options,
                   .start = subject.start,
                   .progress = &progress,
                   .trace = flags_has(flags, FLAG_PLOT) ? &trace : NULL,
                   .pool = subject.pool};
  int code;
  if (solve(&run, &task, &error) == LRGD_OK) {
    code = give(flags, &subject, &run, &trace);
    run_free(&run);
  } else {
    code = exit_with(&error);
  }
  trace_free(&trace);
  subject_destroy(&subject);
  return code;
}

const cli_command minimize_command = {
    .name = "minimize",
    .words = "[PROBLEM] [flags]",
    .summary = "Finds a minimum of an expensive function.",
    .details =
        "PROBLEM is one of\n"
        "  NAME --set KEY=VALUE ...  a built-in problem (lrgd problems)\n"
        "  --worker 'CMD'            a program, started once; for each line\n"
        "                            of P numbers it answers with f\n"
        "  --program 'CMD'           a program, run once per evaluation\n"
        "  --plugin FILE.so          a C function in a shared library",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .solver_options = true,
    .computes = true,
    .run = run_minimize,
};
