/* Records the path of a run from the progress callback. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

enum { FULL = 1 << 16 };

static bool grow_one(double **array, size_t room)
{
  double *grown = realloc(*array, room * sizeof *grown);
  if (grown != NULL) *array = grown;
  return grown != NULL;
}

static bool grow(cli_trace *trace)
{
  size_t room = trace->room == 0 ? 256 : trace->room * 2;
  bool good = grow_one(&trace->evaluations, room) &&
              grow_one(&trace->oracle_calls, room) &&
              grow_one(&trace->f, room) && grow_one(&trace->best, room) &&
              grow_one(&trace->x1, room) && grow_one(&trace->x2, room);
  if (good) trace->room = room;
  return good;
}

static void halve(cli_trace *trace)
{
  double *arrays[] = {trace->evaluations, trace->oracle_calls, trace->f,
                      trace->best,        trace->x1,           trace->x2};
  for (size_t a = 0; a < COUNT_OF(arrays); a++)
    for (size_t i = 0; 2 * i < trace->count; i++)
      arrays[a][i] = arrays[a][2 * i];
  trace->count = (trace->count + 1) / 2;
  trace->stride *= 2;
}

/* Makes room for another point; false: out of memory, and the trace stays
 * incomplete. */
static bool make_room(cli_trace *trace)
{
  if (trace->count == FULL) halve(trace);
  if (trace->count == trace->room && !grow(trace)) trace->lost = true;
  return trace->count < trace->room;
}

void trace_point(cli_trace *trace, double evaluations, double best)
{
  if (!make_room(trace)) return;
  size_t i = trace->count++;
  trace->evaluations[i] = trace->oracle_calls[i] = evaluations;
  trace->f[i] = trace->best[i] = best;
  trace->x1[i] = trace->x2[i] = 0;
}

void trace_add(cli_trace *trace, const lrgd_progress *progress)
{
  if (trace->stride == 0) trace->stride = 1;
  if (progress->event == LRGD_EVENT_PHASE) return;
  bool last = progress->event == LRGD_EVENT_FINAL;
  if (!last && trace->iterates++ % trace->stride != 0) return;
  if (!make_room(trace)) return;
  size_t i = trace->count++;
  trace->evaluations[i] = (double)lrgd_counts_evaluations(progress->counts);
  trace->oracle_calls[i] = (double)lrgd_counts_oracle_calls(progress->counts);
  trace->f[i] = progress->f;
  trace->best[i] = progress->best_f;
  bool plane = trace->plane == 2 && progress->x != NULL;
  trace->x1[i] = plane ? progress->x[0] : 0;
  trace->x2[i] = plane ? progress->x[1] : 0;
}

void trace_free(cli_trace *trace)
{
  double **arrays[] = {&trace->evaluations, &trace->oracle_calls, &trace->f,
                       &trace->best,        &trace->x1,           &trace->x2};
  for (size_t a = 0; a < COUNT_OF(arrays); a++) {
    free(*arrays[a]);
    *arrays[a] = NULL;
  }
  trace->count = trace->room = 0;
}
