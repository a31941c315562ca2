/* lrgd status: the state of a journal's run, also while it runs and after a
 * kill.  Reads only. */
#include "cli/base/cli_text.h"
#include "cli/base/csv_output.h"
#include "cli/base/flags.h"
#include "cli/base/json_output.h"
#include "decision_json.h"
#include "record.h"
#include "recorded_outputs.h"
#include "workers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int flag_ids[] = {FLAG_JSON, FLAG_CSV, FLAG_HELP};

typedef struct cli_standing {
  const char *path;
  lrgd_journal_summary summary;
  lrgd_journal *journal;
  lrgd_holder holder;
  double *x;                /* the best point; NULL: none */
  recorded_outputs outputs; /* outputs of a run with limits */
} cli_standing;

/* "running", the outcome of the last session, or "interrupted" if it has
 * none. */
static const char *state_of(const cli_standing *standing)
{
  if (standing->holder.in_use) return "running";
  const char *outcome = standing->summary.outcome;
  return outcome[0] != '\0' ? outcome : "interrupted";
}

typedef struct phase_text {
  char text[256];
} phase_text;

/* The last decision.  There is none before the first evaluations around the
 * start; journals of earlier formats contain only a sentence. */
static phase_text phase_of(const cli_standing *standing)
{
  const lrgd_journal_summary *summary = &standing->summary;
  const char *names = recorded_names(standing->journal, summary->dimension);
  cli_naming naming;
  lrgd_wording wording = wording_by(names, &naming);
  phase_text phase;
  if (summary->decisions == 0 && *summary->phase != '\0')
    (void)snprintf(phase.text, sizeof phase.text, "%s", summary->phase);
  else
    (void)lrgd_decision_text(&summary->decision, &wording, phase.text,
                             sizeof phase.text);
  return phase;
}

static json_t *decision_or_null(const lrgd_decision *decision)
{
  if (decision->kind == LRGD_DECISION_KIND_NONE) return json_null();
  json_t *object = json_object();
  decision_json(&object, decision);
  return object;
}

/* All evaluations, with those repeated on a second rank or because the command
 * had changed. */
static uint64_t paid(const lrgd_journal_summary *summary)
{
  return summary->rows + summary->repeats + summary->checks;
}

static double rate_of(const cli_standing *standing)
{
  const lrgd_journal_summary *summary = &standing->summary;
  return summary->seconds > 0 ? (double)paid(summary) / summary->seconds : NAN;
}

static int add_seconds(const lrgd_journal_row *row, void *user)
{
  double *sum = user;
  *sum += row->seconds;
  return 0;
}

/* The average number of busy workers: durations of evaluations over durations
 * of sessions. */
static double busy_of(const cli_standing *standing)
{
  double sum = 0;
  if (!(standing->summary.seconds > 0) ||
      lrgd_journal_rows(standing->journal, 1, add_seconds, &sum, NULL) !=
          LRGD_OK)
    return NAN;
  return sum / standing->summary.seconds;
}

static cli_workers workers_of(const cli_standing *standing)
{
  return workers_recorded(standing->journal, &standing->summary);
}

static json_t *settings_json(const lrgd_journal *journal)
{
  json_t *object = json_object();
  for (size_t i = 0; i < lrgd_journal_setting_count(journal); i++) {
    const lrgd_setting *setting = lrgd_journal_setting_at(journal, i);
    if (setting->text == NULL || strcmp(setting->key, "names") == 0 ||
        strncmp(setting->key, "observation_", 12) == 0)
      continue;
    json_t *text = json_string(setting->text);
    if (text != NULL) (void)json_object_set_new(object, setting->key, text);
  }
  return object;
}

static int print_json(const cli_standing *standing)
{
  const lrgd_journal_summary *summary = &standing->summary;
  json_t *x = standing->x != NULL
                  ? json_doubles(summary->dimension, standing->x)
                  : json_null();
  cli_workers workers = workers_of(standing);
  json_t *holder =
      standing->holder.in_use ? json_text(standing->holder.who) : json_null();
  json_t *object = json_pack(
      "{s:s, s:b, s:o?, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
      " s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
      "state", state_of(standing), "running", standing->holder.in_use, "holder",
      holder, "evaluations", json_count(paid(summary)), "failures",
      json_count(summary->failures), "in_flight",
      json_count(standing->holder.in_use ? summary->in_flight : 0), "f",
      json_double(summary->best_f), "best_evaluation",
      json_count(summary->best_sequence), "dimension",
      json_count(summary->dimension), "sessions", json_count(summary->sessions),
      "sittings", json_count(summary->sessions), /* former name */
      "seconds", json_double(summary->seconds), "rate",
      json_double(rate_of(standing)), "busy", json_double(busy_of(standing)),
      "workers", workers_json(&workers), "phase",
      json_text(phase_of(standing).text), "rank",
      *summary->phase != '\0' ? json_count(summary->rank) : json_null(),
      "iterations", json_count(summary->iteration), "started", summary->started,
      "run_id", summary->run_id, "settings", settings_json(standing->journal),
      "x", x, "paths", json_count(summary->paths), "path_began_at",
      json_count(summary->path_first), "path_why", json_text(summary->path_why),
      "checks", json_count(summary->checks), "decisions",
      json_count(summary->decisions), "decision",
      decision_or_null(&summary->decision));
  const recorded_outputs *told = &standing->outputs;
  if (told->of != NULL)
    outputs_json(&object, told->of, told->of->count,
                 told->best > 0 ? told->y : NULL, told->multipliers,
                 told->violation);
  return json_print(object);
}

/* Prints "  name          text"; the text may come from a file, and is
 * escaped. */
static void put_line(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put_line(const char *name, const char *format, ...)
{
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  printf("  %-14s", name);
  put_safe(stdout, line);
  putchar('\n');
}

static void print_best(const cli_standing *standing)
{
  enum { FEW = 4 };
  const lrgd_journal_summary *summary = &standing->summary;
  char count[TEXT_COUNT_SIZE], real[TEXT_REAL_SIZE];
  if (standing->x == NULL) {
    put_line("best", "none yet");
    return;
  }
  bool outside = standing->outputs.of != NULL &&
                 !(standing->outputs.violation <= LRGD_FEASIBLE);
  put_line("best", "%s at evaluation %s%s", text_real(real, summary->best_f),
           text_count(count, summary->best_sequence),
           outside ? ", the one that is least outside" : "");
  if (*recorded_text(standing->journal, "prior") != '\0')
    put_line("", "f of the observations alone, without prior information");
  printf("  x             ");
  for (size_t i = 0; i < summary->dimension && i < FEW; i++)
    printf("%.6g ", standing->x[i]);
  if (summary->dimension > FEW)
    printf("... (%s numbers: --json)", text_count(count, summary->dimension));
  putchar('\n');
  const recorded_outputs *told = &standing->outputs;
  if (told->of != NULL)
    outputs_print(told->of, told->of->count, told->y, told->multipliers,
                  told->violation);
}

static void print_head(const cli_standing *standing)
{
  put_safe(stdout, standing->path);
  printf(": ");
  put_safe(stdout, state_of(standing));
  if (standing->holder.in_use) printf(", by ");
  if (standing->holder.in_use) put_safe(stdout, standing->holder.who);
  printf("\n\n");
}

static void print_evaluations(const cli_standing *standing)
{
  const lrgd_journal_summary *summary = &standing->summary;
  const char *most = recorded_text(standing->journal, "max_evals");
  bool capped = *most != '\0' && strcmp(most, "none") != 0;
  char count[TEXT_COUNT_SIZE];
  put_line("evaluations", "%s%s%s", text_count(count, paid(summary)),
           capped ? " of " : "", capped ? most : "");
  if (summary->failures > 0)
    put_line("failed", "%s of them", text_count(count, summary->failures));
  if (summary->repeats > 0)
    put_line("asked twice", "%s of them, which were late",
             text_count(count, summary->repeats));
  if (summary->checks > 0)
    put_line("checks",
             "%s of them: a stored point asked again, as the command "
             "had changed",
             text_count(count, summary->checks));
  if (summary->paths > 1)
    put_line("path", "%llu, from evaluation %s on: %s",
             (unsigned long long)summary->paths,
             text_count(count, summary->path_first), summary->path_why);
}

/* Prints the number of directions in which f is modelled. */
static void print_directions(const lrgd_journal_summary *summary)
{
  char rank[TEXT_COUNT_SIZE], dimension[TEXT_COUNT_SIZE];
  if (*summary->phase == '\0') return;
  text_count(dimension, summary->dimension);
  if (summary->rank >= summary->dimension)
    put_line("directions", "all %s inputs, at iteration %llu", dimension,
             (unsigned long long)summary->iteration);
  else
    put_line("directions", "%s of %s, at iteration %llu",
             text_count(rank, summary->rank), dimension,
             (unsigned long long)summary->iteration);
}

static void print_workers(const cli_standing *standing)
{
  const char *width = recorded_text(standing->journal, "width");
  cli_workers workers = workers_of(standing);
  char text[WORKERS_TEXT];
  if (*width == '\0' || (strcmp(width, "1") == 0 && workers.count <= 1)) return;
  if (workers_are_known(&workers))
    put_line("workers", "%s; %s evaluations in a round",
             workers_text(&workers, text), width);
}

static void print_text(const cli_standing *standing)
{
  const lrgd_journal_summary *summary = &standing->summary;
  char count[TEXT_COUNT_SIZE];
  print_head(standing);
  print_evaluations(standing);
  print_best(standing);
  put_line("decision", "%s", phase_of(standing).text);
  print_directions(summary);
  if (isnan(rate_of(standing)))
    put_line("rate", "not known: no time has passed");
  else
    put_line("rate", "%.3g evaluations a second", rate_of(standing));
  print_workers(standing);
  put_line("time", "%.3g s in %s session%s since %s", summary->seconds,
           text_count(count, summary->sessions),
           summary->sessions == 1 ? "" : "s", summary->started);
  put_line("run", "%s, %s inputs, method %s, seed %s",
           recorded_text(standing->journal, "kind"),
           text_count(count, summary->dimension),
           recorded_text(standing->journal, "method"),
           recorded_text(standing->journal, "seed"));
}

/* ---- --csv: what was evaluated ---- */

static int print_row(const lrgd_journal_row *row, void *user)
{
  static const char *const kinds[] = {[LRGD_KIND_VALUES] = "value",
                                      [LRGD_KIND_SLOPES] = "slope",
                                      [LRGD_KIND_GRADIENTS] = "gradient"};
  bool known = (size_t)row->kind < COUNT_OF(kinds) && kinds[row->kind] != NULL;
  (void)user;
  csv_count(row->sequence, false);
  csv_count(row->session, false);
  csv_count(row->path, false);
  csv_text(known ? kinds[row->kind] : "other", false);
  csv_number(row->f, false);
  csv_number(row->kind == LRGD_KIND_SLOPES ? row->slope : NAN, false);
  csv_number(row->seconds, false);
  csv_text(row->why != NULL ? row->why : "", true);
  return 0;
}

static int print_csv(const cli_standing *standing)
{
  lrgd_error error = {.text = ""};
  puts("evaluation,session,path,kind,f,slope,seconds,failure");
  if (lrgd_journal_rows(standing->journal, 1, print_row, NULL, &error) !=
      LRGD_OK)
    return exit_with(&error);
  return EXIT_FINE;
}

/* Reads outputs: the lowest objective may be outside the limits, and the best
 * point is another then. */
static lrgd_status look_at_outputs(cli_standing *standing,
                                   lrgd_journal *journal, lrgd_error *error)
{
  recorded_outputs *outputs = &standing->outputs;
  lrgd_journal_summary *summary = &standing->summary;
  lrgd_status status = recorded_outputs_read(outputs, journal, error);
  if (status != LRGD_OK || outputs->of == NULL) return status;
  summary->best_sequence = outputs->best;
  summary->best_f =
      outputs->best > 0 ? outputs->y[outputs->of->limits.objective] : NAN;
  return LRGD_OK;
}

static lrgd_status look(cli_standing *standing, lrgd_journal *journal,
                        lrgd_error *error)
{
  const lrgd_journal_summary *summary = &standing->summary;
  lrgd_status status =
      lrgd_journal_summarize(journal, &standing->summary, error);
  if (status == LRGD_OK) status = look_at_outputs(standing, journal, error);
  if (status != LRGD_OK || summary->best_sequence == 0 ||
      isnan(summary->best_f))
    return status;
  standing->x = malloc(summary->dimension * sizeof *standing->x);
  if (standing->x == NULL) return fail_memory(error);
  return lrgd_journal_point(journal, summary->best_sequence, standing->x,
                            error);
}

static int run_status(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  lrgd_journal *journal;
  if (flags->word_count != 1) {
    say("status of which journal? lrgd status RUN.db");
    return EXIT_USAGE;
  }
  if (csv_alone(flags_has(flags, FLAG_CSV), flags_has(flags, FLAG_JSON),
                &error) != LRGD_OK)
    return exit_with(&error);
  cli_standing standing = {.path = flags->words[0]};
  if (lrgd_journal_open_readonly(&journal, standing.path, &error) != LRGD_OK)
    return exit_with(&error);
  standing.journal = journal;
  int code = EXIT_FINE;
  if (lrgd_journal_find_holder(standing.path, &standing.holder, &error) !=
          LRGD_OK ||
      look(&standing, journal, &error) != LRGD_OK)
    code = exit_with(&error);
  else if (flags_has(flags, FLAG_JSON))
    code = finish_output(print_json(&standing));
  else if (flags_has(flags, FLAG_CSV))
    code = finish_output(print_csv(&standing));
  else {
    print_text(&standing);
    code = finish_output(EXIT_FINE);
  }
  free(standing.x);
  recorded_outputs_free(&standing.outputs);
  lrgd_journal_close(&journal);
  return code;
}

const cli_command status_command = {
    .name = "status",
    .words = "RUN.db [--json|--csv]",
    .summary = "Says how the run of a journal stands, also while it runs.",
    .details = "--csv writes a row for each evaluation that it holds.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .run = run_status,
};
