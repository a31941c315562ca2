/* How busy workers, processes or ranks, were. */
#include "workers.h"

#include "cli/base/cli_text.h"
#include "record.h"

#include <math.h>
#include <stdio.h>

bool workers_are_known(const cli_workers *workers)
{
  return workers->count > 0 && workers->busy_s > 0 && workers->elapsed_s > 0;
}

double workers_busy(const cli_workers *workers)
{
  return workers_are_known(workers) ? workers->busy_s / workers->elapsed_s
                                    : NAN;
}

json_t *workers_json(const cli_workers *workers)
{
  if (!workers_are_known(workers)) return json_null();
  json_t *object = json_object();
  json_put(&object, "count", json_count(workers->count));
  json_t *seconds = json_object();
  json_put(&seconds, "busy", json_double(workers->busy_s));
  json_put(&seconds, "elapsed", json_double(workers->elapsed_s));
  json_put(&object, "seconds", seconds);
  return object;
}

const char *workers_text(const cli_workers *workers, char *text)
{
  (void)snprintf(text, WORKERS_TEXT, "%.1f of %zu busy", workers_busy(workers),
                 workers->count);
  return text;
}

typedef struct session_rows {
  uint64_t session;
  double seconds;
} session_rows;

static int add_row(const lrgd_journal_row *row, void *user)
{
  session_rows *rows = user;
  if (row->session == rows->session) rows->seconds += row->seconds;
  return 0;
}

cli_workers workers_recorded(lrgd_journal *journal,
                             const lrgd_journal_summary *summary)
{
  int64_t count;
  session_rows rows = {.session = summary->sessions};
  cli_workers workers = {.elapsed_s = summary->last_seconds};
  if (!text_integer(recorded_text(journal, "workers"), 1, INT64_MAX, &count) ||
      lrgd_journal_rows(journal, 1, add_row, &rows, NULL) != LRGD_OK)
    return workers;
  workers.count = (size_t)count;
  workers.busy_s = rows.seconds;
  return workers;
}
