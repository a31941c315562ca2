/* Budgets, which apply to all sessions and paths of a journal together. */
#include "budget.h"

#include "cli/base/cli_text.h"

#include <stdio.h>
#include <string.h>

lrgd_status budget_reissue(const cli_flags *flags, int64_t *most,
                           lrgd_error *error)
{
  const char *text = flags_text(flags, FLAG_REISSUE);
  *most = 0;
  if (text == NULL || text_integer(text, 0, INT32_MAX, most)) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "--reissue: \"%.40s\" is not a whole number from 0 to %d", text,
              INT32_MAX);
}

uint64_t budget_paid(const lrgd_journal_summary *kept)
{
  return kept->rows + kept->checks;
}

/* Refuses a budget below the evaluations already made: it would return a worse
 * point than is known. */
lrgd_status budget_check(const cli_flags *flags, const char *path,
                         lrgd_error *error)
{
  int64_t most = flags->options.max_evals;
  lrgd_journal *journal;
  lrgd_journal_summary kept = {0};
  if (most == LRGD_UNSET ||
      lrgd_journal_open_readonly(&journal, path, NULL) != LRGD_OK)
    return LRGD_OK;
  bool known = lrgd_journal_summarize(journal, &kept, NULL) == LRGD_OK;
  lrgd_journal_close(&journal);
  if (!known || (uint64_t)most >= budget_paid(&kept)) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "--max-evals %lld: %.200s has %llu evaluations already, of all "
              "sessions together; give that or more",
              (long long)most, path, (unsigned long long)budget_paid(&kept));
}

lrgd_status budget_begin(const cli_flags *flags,
                         const lrgd_journal_summary *kept, const char *why,
                         lrgd_error *error)
{
  int64_t most = flags->options.max_evals;
  uint64_t paid = budget_paid(kept) + kept->repeats;
  if (most == LRGD_UNSET || (uint64_t)most > paid) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "%.250s; a new path has nothing left of --max-evals %lld, with "
              "%llu evaluations made already: give more",
              why, (long long)most, (unsigned long long)paid);
}

/* Reserves evaluations for late ones that are repeated.  They are subtracted in
 * advance, needed or not: the path of a run must not depend on which rank was
 * late. */
static lrgd_status reserve(cli_budget *budget, const cli_flags *flags,
                           const lrgd_journal_summary *kept, lrgd_error *error)
{
  lrgd_options *options = &budget->options;
  int64_t most, before = (int64_t)kept->repeats;
  lrgd_status status = budget_reissue(flags, &most, error);
  if (status != LRGD_OK) return status;
  if (most < before) most = before;
  budget->reissue = (uint64_t)(most - before);
  if (options->max_evals == LRGD_UNSET || most == 0) return LRGD_OK;
  if (options->max_evals <= most)
    return fail(error, LRGD_ERR_INVALID,
                "--reissue %lld leaves nothing of --max-evals %lld",
                (long long)most, (long long)options->max_evals);
  options->max_evals -= most;
  budget->reserved = most;
  return LRGD_OK;
}

/* Subtracts the evaluations of earlier paths, and one for the check of a
 * changed command.  A path that has rows replays them whatever is left; a new
 * one must be able to begin. */
static lrgd_status spend_earlier(cli_budget *budget, const cli_flags *flags,
                                 const lrgd_journal *journal,
                                 const lrgd_journal_summary *kept,
                                 lrgd_error *error)
{
  lrgd_options *options = &budget->options;
  int due = lrgd_journal_needs_confirming(journal);
  budget->earlier = kept->rows - kept->path_rows + kept->checks;
  int64_t spent = (int64_t)budget->earlier + due;
  if (options->max_evals == LRGD_UNSET || spent == 0) return LRGD_OK;
  options->max_evals -= spent;
  if (options->max_evals < (int64_t)kept->path_rows)
    options->max_evals = (int64_t)kept->path_rows;
  return options->max_evals > 0
             ? LRGD_OK
             : budget_begin(flags, kept, "nothing of this path is stored yet",
                            error);
}

typedef struct counting {
  uint64_t next;
  int64_t whole;
} counting;

static int count_whole(const lrgd_journal_row *row, void *user)
{
  counting *count = user;
  if (row->sequence != count->next) return 1;
  count->next++;
  count->whole++;
  return 0;
}

/* Subtracts the time of earlier sessions.  Where it is spent, recorded
 * evaluations are replayed, and none is made. */
static lrgd_status spend_time(cli_budget *budget, lrgd_journal *journal,
                              const lrgd_journal_summary *kept,
                              lrgd_error *error)
{
  lrgd_options *options = &budget->options;
  counting count = {.next = kept->path_first};
  if (!(options->max_seconds > 0)) return LRGD_OK;
  options->max_seconds -= kept->seconds;
  if (options->max_seconds > 0) return LRGD_OK;
  options->max_seconds = LRGD_UNSET_REAL;
  lrgd_status status =
      lrgd_journal_rows(journal, kept->path_first, count_whole, &count, error);
  if (options->max_evals == LRGD_UNSET || options->max_evals > count.whole)
    options->max_evals = count.whole;
  return status;
}

lrgd_status budget_set(cli_budget *budget, const cli_flags *flags,
                       lrgd_journal *journal, const lrgd_journal_summary *kept,
                       lrgd_error *error)
{
  *budget = (struct cli_budget){.options = flags->options};
  lrgd_status status = reserve(budget, flags, kept, error);
  if (status == LRGD_OK && journal != NULL)
    status = spend_earlier(budget, flags, journal, kept, error);
  if (status == LRGD_OK && journal != NULL)
    status = spend_time(budget, journal, kept, error);
  return status;
}

void budget_tell(const cli_budget *budget, const cli_flags *flags, cli_run *run)
{
  char why[2][64] = {"", ""}, *message = run->result.message;
  if (run->result.end.kind != LRGD_DECISION_KIND_EVALUATIONS_USED) return;
  if (budget->reserved > 0)
    (void)snprintf(why[0], sizeof why[0],
                   "%lld of the %lld are kept for "
                   "--reissue",
                   (long long)budget->reserved,
                   (long long)flags->options.max_evals);
  if (budget->earlier > 0)
    (void)snprintf(why[1], sizeof why[1],
                   "%lld of the %lld were made before "
                   "this path",
                   (long long)budget->earlier,
                   (long long)flags->options.max_evals);
  if (*why[0] == '\0' && *why[1] == '\0') return;
  size_t length = strlen(message);
  (void)snprintf(message + length, sizeof run->result.message - length,
                 " (%s%s%s)", why[0],
                 *why[0] != '\0' && *why[1] != '\0' ? "; " : "", why[1]);
}
