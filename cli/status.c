/* lrgd status: how the run of a journal stands, also while it runs and after a
 * kill.  Looks, and alters nothing. */
#include "flags.h"
#include "json.h"
#include "record.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const int flag_ids[] = {FLAG_JSON, FLAG_HELP};

typedef struct cli_standing {
  const char *path;
  lrgd_journal_summary summary;
  const lrgd_journal *journal;
  bool running;
  char holder[160]; /* who runs it, as the lock file has it */
  double *x;        /* the best point; NULL: none */
} cli_standing;

/* Whoever runs a journal holds a lock on a file beside it, which the kernel
 * lets go when its holder dies. */
static bool is_locked(int fd)
{
  if (flock(fd, LOCK_SH | LOCK_NB) == 0) return false;
  return errno == EWOULDBLOCK;
}

static void find_holder(cli_standing *standing)
{
  char path[4096];
  int length = snprintf(path, sizeof path, "%s.lock", standing->path);
  if (length < 0 || (size_t)length >= sizeof path) return;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  standing->running = is_locked(fd);
  ssize_t got = pread(fd, standing->holder, sizeof standing->holder - 1, 0);
  standing->holder[got > 0 ? got : 0] = '\0';
  standing->holder[strcspn(standing->holder, "\n")] = '\0';
  (void)close(fd);
}

/* running, the outcome of the last sitting, or interrupted where that never
 * came to an end. */
static const char *state_of(const cli_standing *standing)
{
  if (standing->running) return "running";
  const char *outcome = standing->summary.outcome;
  return outcome[0] != '\0' ? outcome : "interrupted";
}

static double rate_of(const cli_standing *standing)
{
  const lrgd_journal_summary *summary = &standing->summary;
  return summary->seconds > 0 ? (double)summary->rows / summary->seconds : NAN;
}

static json_t *settings_json(const lrgd_journal *journal)
{
  json_t *object = json_object();
  for (size_t i = 0; i < lrgd_journal_setting_count(journal); i++) {
    const lrgd_setting *setting = lrgd_journal_setting_at(journal, i);
    if (setting->text == NULL || strcmp(setting->key, "names") == 0) continue;
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
  json_t *holder =
      standing->running ? json_string(standing->holder) : json_null();
  return json_print(json_pack(
      "{s:s, s:b, s:o?, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s,"
      " s:o, s:o}",
      "state", state_of(standing), "running", (int)standing->running, "holder",
      holder, "evaluations", json_count(summary->rows), "failures",
      json_count(summary->failures), "in_flight",
      json_count(standing->running ? summary->in_flight : 0), "f",
      json_double(summary->best_f), "best_evaluation",
      json_count(summary->best_sequence), "dimension",
      json_count(summary->dimension), "sittings", json_count(summary->sittings),
      "seconds", json_double(summary->seconds), "rate",
      json_double(rate_of(standing)), "started", summary->started, "run_id",
      summary->run_id, "settings", settings_json(standing->journal), "x", x));
}

static void print_best(const cli_standing *standing)
{
  enum { FEW = 4 };
  const lrgd_journal_summary *summary = &standing->summary;
  char count[TEXT_COUNT_SIZE];
  if (standing->x == NULL) {
    printf("  best          none yet\n");
    return;
  }
  printf("  best          %.17g at evaluation %s\n  x             ",
         summary->best_f, text_count(count, summary->best_sequence));
  for (size_t i = 0; i < summary->dimension && i < FEW; i++)
    printf("%.6g ", standing->x[i]);
  if (summary->dimension > FEW)
    printf("... (%s numbers: --json)", text_count(count, summary->dimension));
  putchar('\n');
}

static void print_text(const cli_standing *standing)
{
  const lrgd_journal_summary *summary = &standing->summary;
  const char *most = recorded_text(standing->journal, "max_evals");
  char count[TEXT_COUNT_SIZE];
  printf("%s: %s", standing->path, state_of(standing));
  if (standing->running) printf(", by %s", standing->holder);
  printf("\n\n  evaluations   %s", text_count(count, summary->rows));
  if (*most != '\0' && strcmp(most, "none") != 0) printf(" of %s", most);
  putchar('\n');
  if (summary->failures > 0)
    printf("  failed        %s of them\n",
           text_count(count, summary->failures));
  print_best(standing);
  printf("  rate          %.3g evaluations a second\n", rate_of(standing));
  printf("  time          %.3g s in %s sittings since %s\n", summary->seconds,
         text_count(count, summary->sittings), summary->started);
  printf("  run           %s, %s inputs, method %s, seed %s\n",
         recorded_text(standing->journal, "kind"),
         text_count(count, summary->dimension),
         recorded_text(standing->journal, "method"),
         recorded_text(standing->journal, "seed"));
}

static lrgd_status look(cli_standing *standing, lrgd_journal *journal,
                        lrgd_error *error)
{
  const lrgd_journal_summary *summary = &standing->summary;
  lrgd_status status =
      lrgd_journal_summarize(journal, &standing->summary, error);
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
  cli_standing standing = {.path = flags->words[0]};
  if (lrgd_journal_open_readonly(&journal, standing.path, &error) != LRGD_OK)
    return exit_with(&error);
  standing.journal = journal;
  find_holder(&standing);
  int code = EXIT_FINE;
  if (look(&standing, journal, &error) != LRGD_OK)
    code = exit_with(&error);
  else if (flags_has(flags, FLAG_JSON))
    code = finish_output(print_json(&standing));
  else {
    print_text(&standing);
    code = finish_output(EXIT_FINE);
  }
  free(standing.x);
  lrgd_journal_close(&journal);
  return code;
}

const cli_command status_command = {
    .name = "status",
    .words = "RUN.db [--json]",
    .summary = "Says how the run of a journal stands, also while it runs.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .run = run_status,
};
