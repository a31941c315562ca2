/* Where a run that was cut off was heading. */
#ifndef LR_FORECAST_H
#define LR_FORECAST_H

#include <stddef.h>

/* What was seen of a run: f, iteration by iteration. */
typedef struct lr_track {
  size_t n;
  const double *f;
} lr_track;

/* Iterations in all, those seen included, of a run whose f has stopped
 * falling; patience: iterations without a decrease after which the solver
 * gives up.  NaN: it falls still, and what was seen does not tell. */
double lr_forecast_stall(const lr_track *track, size_t patience);

#endif
