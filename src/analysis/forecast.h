/* Where a run that was cut off was heading. */
#ifndef LR_FORECAST_H
#define LR_FORECAST_H

#include <stdbool.h>
#include <stddef.h>

/* What was seen of a run: log |grad f| and f, iteration by iteration. */
typedef struct lr_track {
  size_t n;
  const double *log_g, *f;
} lr_track;

typedef enum lr_end {
  LR_END_UNKNOWN, /* what was seen does not tell */
  LR_END_REACHES, /* |grad f| falls to the target */
  LR_END_STALLS   /* f stopped falling: the solver will give up */
} lr_end;

typedef struct lr_forecast {
  lr_end end;
  double iterations; /* in all, those seen included */
} lr_forecast;

/* target: the log |grad f| that ends the run; patience: iterations without a
 * decrease after which the solver gives up; far_ahead: nothing is carried
 * further than so many times what was seen. */
lr_forecast lr_forecast_make(const lr_track *track, double target,
                             size_t patience, double far_ahead);

#endif
