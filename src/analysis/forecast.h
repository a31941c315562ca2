/* What the values of a trial run show about its end. */
#ifndef LR_FORECAST_H
#define LR_FORECAST_H

#include <stdbool.h>
#include <stddef.h>

/* The values of f seen, by iteration. */
typedef struct lr_track {
  size_t n;
  const double *f;
} lr_track;

/* Whether f had stopped falling when the run ended or was cut off: the last
 * iterations brought no decrease, and were more than ever before. */
bool lr_forecast_stands(const lr_track *track);

#endif
