/* Reads a journal as `lrgd status` would: look FILE; prints one JSON object
 * with the rows it can read.  Exit status as the command's. */
#include <lrgd/run.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tally {
  unsigned long long rows, last, gaps;
  unsigned long long vectors; /* answers of residuals ... */
  size_t residuals;           /* ... with so many numbers */
  unsigned long long wrong;   /* f that are not half the sum of squares */
} tally;

static int weigh(const lrgd_stored *stored, void *user)
{
  tally *all = user;
  double sum = 0;
  for (size_t i = 0; i < stored->residual_count; i++)
    sum += stored->residuals[i] * stored->residuals[i];
  if (stored->residual_count == 0) return 0;
  all->vectors++;
  all->residuals = stored->residual_count;
  all->wrong += fabs(stored->f - sum / 2) > 1e-14 * sum;
  return 0;
}

static int take(const lrgd_journal_row *row, void *user)
{
  tally *all = user;
  all->rows++;
  if (row->sequence != all->last + 1) all->gaps++;
  all->last = row->sequence;
  return 0;
}

int main(int argc, char **argv)
{
  lrgd_error error;
  lrgd_journal *journal;
  lrgd_journal_summary summary;
  tally all = {0};
  if (argc != 2) return 2;
  lrgd_status status = lrgd_journal_open_readonly(&journal, argv[1], &error);
  if (!status) status = lrgd_journal_summarize(journal, &summary, &error);
  if (!status) status = lrgd_journal_rows(journal, 0, take, &all, &error);
  if (!status)
    status = lrgd_journal_each(journal, 1, UINT64_MAX, weigh, &all, &error);
  if (status) {
    printf("{\"error\": \"%s\", \"status\": %d}\n", error.text, (int)status);
    return status == LRGD_ERR_REFUSED ? 7 : 6;
  }
  double *x = calloc(summary.dimension, sizeof *x);
  if (summary.best_sequence && x)
    status = lrgd_journal_point(journal, summary.best_sequence, x, &error);
  printf(
      "{\"rows\": %llu, \"gaps\": %llu, \"best\": \"%a\", "
      "\"outcome\": \"%s\", \"in_flight\": %llu, \"sessions\": %llu, "
      "\"seconds\": %g, \"point\": %d, \"settings\": %zu, "
      "\"phase\": \"%s\", \"vectors\": %llu, \"residuals\": %zu, "
      "\"wrong\": %llu}\n",
      all.rows, all.gaps, summary.best_f, summary.outcome,
      (unsigned long long)summary.in_flight,
      (unsigned long long)summary.sessions, summary.seconds, (int)status,
      lrgd_journal_setting_count(journal), summary.phase, all.vectors,
      all.residuals, all.wrong);
  free(x);
  lrgd_journal_close(&journal);
  return status ? 1 : 0;
}
