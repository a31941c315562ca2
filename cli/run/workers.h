/* How busy workers, processes or ranks, were: "7.4 of 8 busy". */
#ifndef CLI_WORKERS_H
#define CLI_WORKERS_H

#include "cli/base/json_output.h"

#include <lrgd/run.h>
#include <stdbool.h>

enum { WORKERS_TEXT = 64 };

typedef struct cli_workers {
  size_t count;  /* processes or ranks; 0: f is evaluated in this process */
  double busy_s; /* sum of the durations of all evaluations */
  /* time from the start of the first evaluation to the end of the last one */
  double elapsed_s;
} cli_workers;

/* Whether evaluations were measured. */
bool workers_are_known(const cli_workers *workers);

/* The average number of busy workers; NaN: not known. */
double workers_busy(const cli_workers *workers);

/* The JSON {"count": 8, "seconds": {"busy": 29.6, "elapsed": 4}}, or null.
 * Times are under the key "seconds", so that programs can compare all other
 * numbers of two runs. */
json_t *workers_json(const cli_workers *workers);

/* "7.4 of 8 busy"; text holds WORKERS_TEXT.  Returns it. */
const char *workers_text(const cli_workers *workers, char *text);

/* The workers of the last session in a journal, which may still be running. */
cli_workers workers_recorded(lrgd_journal *journal,
                             const lrgd_journal_summary *summary);

#endif
