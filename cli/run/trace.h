/* The path of a run, for plots and counts. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "cli/base/cli.h"

/* One point per iteration and one at the end; owns its arrays.  When full,
 * every second point is dropped and the stride doubles, so that memory is
 * bounded. */
typedef struct cli_trace {
  size_t count, room, stride;
  size_t iterates; /* iterations reported, dropped ones included */
  bool lost;       /* out of memory: the trace is incomplete */
  double *evaluations, *oracle_calls, *f, *best;
  size_t plane; /* 2: keep the points of a two-dimensional run as well */
  double *x1, *x2;
} cli_trace;

void trace_free(cli_trace *trace);
/* Adds a point of a run that has no solver. */
void trace_point(cli_trace *trace, double evaluations, double best);
void trace_add(cli_trace *trace, const lrgd_progress *progress);

#endif
