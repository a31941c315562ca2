/* How a run that was cut off would have gone on. */
#ifndef LR_FORECAST_H
#define LR_FORECAST_H

#include <stddef.h>

/* The values of f seen so far, by iteration. */
typedef struct lr_track {
  size_t n;
  const double *f;
} lr_track;

/* All iterations, those seen included, of a run whose f has stopped falling;
 * patience: iterations without a decrease after which the solver stalls.  NaN:
 * f is still falling, and there is no prediction. */
double lr_forecast_stall(const lr_track *track, size_t patience);

#endif
