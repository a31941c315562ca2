/* lrgd resume: continues the run of a journal.  Everything comes from the
 * journal but the command: nothing in a journal is ever executed. */
#include "answer_limits.h"
#include "cli/base/flags.h"
#include "cli/base/shell_quote.h"
#include "pest_inputs.h"
#include "pest_model.h"
#include "problem_source.h"
#include "record.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int flag_ids[] = {
    FLAG_WORKER,      FLAG_PROGRAM,      FLAG_PLUGIN,   FLAG_START,
    FLAG_LOWER,       FLAG_UPPER,        FLAG_SAMPLES,  FLAG_JOBS,
    FLAG_TIMEOUT,     FLAG_OBSERVATIONS, FLAG_PRIOR,    FLAG_PEST,
    FLAG_PREDICTIONS, FLAG_COVARIANCE,   FLAG_JACOBIAN, OUTPUT_FLAGS,
    SIMULATOR_FLAGS,  SESSION_FLAGS,     FLAG_HELP};

enum { SMALL = 32, OTHERS = 9, LEARNED = 6, VERIFIED = 7 };

/* The recorded settings as flags. */
typedef struct cli_recalled {
  cli_flags flags; /* given and options are owned, the rest is borrowed */
  char dimension[SMALL];
  char *texts[OTHERS]; /* owned */
  cli_inputs inputs;
} cli_recalled;

static void recalled_free(cli_recalled *recalled)
{
  free(recalled->flags.given);
  for (size_t i = 0; i < OTHERS; i++) free(recalled->texts[i]);
  inputs_free(&recalled->inputs);
}

static void recall(cli_flags *flags, flag_id id, const char *text)
{
  if (*text == '\0') return;
  flags->given[flags->given_count++] = (flag_given){(int)id, text};
}

/* Adds each line as a --set. */
static void recall_set(cli_flags *flags, char *lines)
{
  for (char *line = lines; *line != '\0';) {
    char *end = line + strcspn(line, "\n");
    char *next = *end != '\0' ? end + 1 : end;
    *end = '\0';
    recall(flags, FLAG_SET, line);
    line = next;
  }
}

static size_t count_lines(const char *text)
{
  size_t count = 1;
  for (; *text != '\0'; text++) count += *text == '\n';
  return count;
}

/* Puts recorded flags first: of two equal flags the last counts, which is the
 * one given now. */
static lrgd_status recall_flags(cli_recalled *recalled, const cli_flags *given,
                                const lrgd_journal *journal, lrgd_error *error)
{
  static const char *const keys[OTHERS] = {"set",     "oracle",   "jobs",
                                           "timeout", "kind",     "reissue",
                                           "learned", "verified", "residuals"};
  cli_flags *flags = &recalled->flags;
  char **texts = recalled->texts;
  for (size_t i = 0; i < OTHERS; i++)
    if ((texts[i] = strdup(recorded_text(journal, keys[i]))) == NULL)
      return fail_memory(error);
  size_t room = given->given_count + count_lines(texts[0]) + OTHERS;
  flags->given = malloc(room * sizeof *flags->given);
  if (flags->given == NULL) return fail_memory(error);
  flags->given_count = 0;
  recall_set(flags, texts[0]);
  if (strcmp(texts[1], "offered") != 0) recall(flags, FLAG_ORACLE, texts[1]);
  if (strcmp(texts[4], "built-in") != 0)
    recall(flags, FLAG_DIM, recalled->dimension);
  recall(flags, FLAG_JOBS, texts[2]);
  recall(flags, FLAG_TIMEOUT, texts[3]);
  recall(flags, FLAG_REISSUE, texts[5]);
  recall(flags, FLAG_RESIDUALS, texts[8]);
  if (given->given_count > 0)
    memcpy(flags->given + flags->given_count, given->given,
           given->given_count * sizeof *flags->given);
  flags->given_count += given->given_count;
  return LRGD_OK;
}

static lrgd_status recall_all(cli_recalled *recalled, const cli_flags *given,
                              lrgd_journal *journal, lrgd_error *error)
{
  lrgd_journal_summary summary;
  lrgd_status status = lrgd_journal_summarize(journal, &summary, error);
  if (status != LRGD_OK) return status;
  snprintf(recalled->dimension, sizeof recalled->dimension, "%zu",
           summary.dimension);
  status = recall_flags(recalled, given, journal, error);
  if (status == LRGD_OK)
    status = recorded_options(journal, &recalled->flags.options, error);
  if (status == LRGD_OK)
    status = flags_apply(given, &recalled->flags.options, error);
  if (status == LRGD_OK)
    status =
        recorded_inputs(journal, summary.dimension, &recalled->inputs, error);
  if (status == LRGD_OK)
    status = inputs_change(&recalled->inputs, given, summary.dimension, error);
  return status;
}

/* ---- journals of programs whose command is not given ---- */

/* Whether a recorded word is a valid kind.  A journal may contain anything, and
 * messages must not suggest other flags for pasting. */
static bool is_kind(const char *kind)
{
  return strcmp(kind, "worker") == 0 || strcmp(kind, "program") == 0 ||
         strcmp(kind, "plugin") == 0;
}

static void say_recorded(const lrgd_journal *journal, const char *path)
{
  const char *kind = recorded_text(journal, "kind");
  const char *command = recorded_text(journal, "command");
  const char *problem = recorded_text(journal, "problem");
  if (*command != '\0') {
    say("resume runs no command that a journal recorded; give --worker, "
        "--program or --plugin");
    say("recorded in %s: --%s %s", path, kind, command);
    if (is_kind(kind)) say_how_to_resume(path, kind, command, "");
  } else if (*problem != '\0' && *problem != '-') {
    say("resume takes the problem that %s is of: the built-in problem %s", path,
        problem);
    say_how_to_resume(path, NULL, problem, "");
  } else {
    say("%s records no command: give --worker, --program or --plugin", path);
  }
}

static bool has_command(const cli_flags *flags)
{
  return flags->word_count > 1 || flags_has(flags, FLAG_WORKER) ||
         flags_has(flags, FLAG_PROGRAM) || flags_has(flags, FLAG_PLUGIN);
}

static int go_on(cli_recalled *recalled, const char *path)
{
  lrgd_error error = {.text = ""};
  cli_source source;
  cli_where where = {.journal = path,
                     .must_exist = true,
                     .learned = recalled->texts[LEARNED],
                     .verified = *recalled->texts[VERIFIED] != '\0',
                     .new_path = true};
  if (source_read(&source, &recalled->flags, &recalled->inputs, &error) !=
      LRGD_OK)
    return exit_with(&error);
  int code = session_run(&recalled->flags, &source, &where);
  source_destroy(&source);
  return code;
}

/* For journals written by other commands: names the command that continues
 * them. */
static bool is_no_run(const lrgd_journal *journal, const char *path)
{
  static const char *const others[][2] = {
      {"diagnosis",  "diagnose"},
      {"comparison", "compare" }
  };
  for (size_t i = 0; i < COUNT_OF(others); i++) {
    if (*recorded_text(journal, others[i][0]) == '\0') continue;
    say("%s is the journal of a %s: the same lrgd %s command, with --journal "
        "%s, goes on",
        path, others[i][0], others[i][1], path);
    return true;
  }
  return false;
}

/* Whether the journal's run has limits on its outputs that the flags lack:
 * names the command that continues it with them. */
static bool lacks_limits(const cli_flags *flags, const lrgd_journal *journal,
                         const char *path)
{
  const char *objective = recorded_text(journal, "objective");
  if (*objective == '\0' || outputs_asked(flags)) return false;
  say("the run of %s has limits on its outputs (%s is the objective): the same "
      "lrgd minimize command, with --journal %s, goes on, or resume with its "
      "--answers, --constraint and the like",
      path, objective, path);
  return true;
}

static int resume(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  lrgd_journal *journal;
  if (flags->word_count == 0) {
    say("resume which journal? lrgd resume RUN.db --worker 'CMD'");
    return EXIT_USAGE;
  }
  const char *path = flags->words[0];
  if (session_check(flags, &error) != LRGD_OK ||
      lrgd_journal_open_readonly(&journal, path, &error) != LRGD_OK)
    return exit_with(&error);
  if (is_no_run(journal, path)) {
    lrgd_journal_close(&journal);
    return EXIT_USAGE;
  }
  if (lacks_limits(flags, journal, path)) {
    lrgd_journal_close(&journal);
    return EXIT_USAGE;
  }
  if (!has_command(flags)) {
    say_recorded(journal, path);
    lrgd_journal_close(&journal);
    return EXIT_USAGE;
  }
  cli_recalled recalled = {.flags = *flags};
  recalled.flags.given = NULL;
  recalled.flags.words++;
  recalled.flags.word_count--;
  lrgd_status status = recall_all(&recalled, flags, journal, &error);
  lrgd_journal_close(&journal);
  int code = status == LRGD_OK ? go_on(&recalled, path) : exit_with(&error);
  recalled_free(&recalled);
  return code;
}

/* Runs `lrgd resume`; for a PEST case the worker of the control file is the
 * command. */
static int run_resume(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  pest_model model;
  pest_flags own;
  if (!flags_has(flags, FLAG_PEST)) return resume(flags);
  if (has_command(flags)) {
    say("one of --pest, --worker, --program and --plugin, not several");
    return EXIT_USAGE;
  }
  if (pest_model_open(&model, flags_text(flags, FLAG_PEST), &error) != LRGD_OK)
    return exit_with(&error);
  int code = pest_flags_make(&own, flags, &model.of, &error) == LRGD_OK
                 ? resume(&own.flags)
                 : exit_with(&error);
  pest_flags_free(&own);
  pest_model_close(&model);
  return code;
}

const cli_command resume_command = {
    .name = "resume",
    .words = "RUN.db --worker|--program|--plugin|--pest ... [flags]",
    .summary = "Goes on with a run that was kept in a journal.",
    .details =
        "Everything is as it was recorded, but the command, which is given\n"
        "anew: nothing in a journal is ever run.  Without one, what was\n"
        "recorded is shown.  Budgets, --target, --jobs and --timeout may be\n"
        "given anew; --max-evals and --max-seconds count over all sessions.\n"
        "With another method, seed, tolerance, start or bounds, and where the\n"
        "recorded run cannot be repeated (another version, another machine),\n"
        "it says so and goes on as a new path in the same file, from the best\n"
        "point stored.  Where the command has changed, one stored point is\n"
        "asked again first; another answer is refused.  With --observations,\n"
        "a run of lrgd fit goes on with other values or weights, as a new\n"
        "path: what was simulated is kept, and f of it is told anew.\n"
        "A built-in problem is named: lrgd resume RUN.db NAME",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .solver_options = true,
    .run = run_resume,
};
