/* Rounds: up to W points that are evaluated at the same time, W being the
 * width of the run.  Known here: points and values.  Not known: models. */
#ifndef LR_ROUNDS_H
#define LR_ROUNDS_H

#include "solver/iterate.h"

typedef struct lr_rounds {
  lr_run *run;
  size_t width;
  lrgd_block *points; /* W columns */
  lrgd_block *kept;   /* one column: of `here` */
  lr_point here;      /* the iterate of the phase */
} lr_rounds;

/* The iterate is a copy of `start`. */
LRGD_MUST_CHECK lr_code lr_rounds_open(lr_rounds *r, lr_run *run,
                                       const lr_point *start);
void lr_rounds_close(lr_rounds *r); /* safe on a zeroed struct */

/* Writes point number i to x. */
typedef void (*lr_place_fn)(void *self, size_t i, lrgd_vec x);

/* f[i] = value at point i for n points, W of them a round; NaN where f has
 * none.  Of the last round that the budget allows, as many as it allows. */
LRGD_MUST_CHECK lr_code lr_rounds_ask(lr_rounds *r, size_t n, lr_place_fn place,
                                      void *self, double *f);

/* The iterate moves to x (copied), where f is known: it is the run's. */
LRGD_MUST_CHECK lr_code lr_rounds_arrive(lr_rounds *r, lrgd_vec x, double f);

#endif
