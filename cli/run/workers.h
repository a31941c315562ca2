/* How busy those who evaluate were: "7.4 of 8 busy". */
#ifndef CLI_WORKERS_H
#define CLI_WORKERS_H

#include "cli/base/json_output.h"

#include <lrgd/run.h>
#include <stdbool.h>

enum { WORKERS_TEXT = 64 };

typedef struct cli_workers {
  size_t count;     /* processes or ranks; 0: f is not evaluated by such */
  double busy_s;    /* the durations of all evaluations, summed ... */
  double elapsed_s; /* ... and the time in which they were made */
} cli_workers;

/* Whether there was anything to measure. */
bool workers_are_known(const cli_workers *workers);

/* How many were busy on average; NaN: not known. */
double workers_busy(const cli_workers *workers);

/* {"count": 8, "seconds": {"busy": 29.6, "elapsed": 4}}, or null.  What a clock
 * says is called seconds: all else in JSON is the same wherever a run is made.
 */
json_t *workers_json(const cli_workers *workers);

/* "7.4 of 8 busy"; text holds WORKERS_TEXT.  Returns it. */
const char *workers_text(const cli_workers *workers, char *text);

/* Those of the last session in a journal, also while it is being written. */
cli_workers workers_recorded(lrgd_journal *journal,
                             const lrgd_journal_summary *summary);

#endif
