/* The quadratic model of f in x0 + span V for the phases that evaluate by
 * rounds: stream.c builds it, inside.c minimises f with it. */
#ifndef LR_SPAN_H
#define LR_SPAN_H

#include "subspace/basis.h"
#include "wide/region.h"
#include "wide/rounds.h"

typedef struct lr_span {
  lr_rounds *rounds;
  lr_run *run;
  lr_point start; /* x0; its value becomes known */
  double unit;    /* the typical size of a coordinate of x0 */
  lr_basis V;     /* the model has the first k columns only */
  size_t k, most;
  double *c, f;  /* the centre in V, and f there */
  double *g, *B; /* the model there: `most` numbers a column */
  double radius; /* the trust-region radius of the first step */
  double slope;  /* |grad f| at x0, estimated */
  /* curvatures below this are indistinguishable from rounding errors */
  double blur;
  bool noisy; /* f has noise that hides the rank */
  lr_region region;
  lrgd_block *spare; /* scratch of one column */
} lr_span;

LRGD_MUST_CHECK lr_code lr_span_open(lr_span *s, lr_rounds *rounds,
                                     const lr_point *start, size_t most);
void lr_span_close(lr_span *s); /* safe on a zeroed struct */

/* y = x0 + V z, for the first n columns of V. */
void lr_span_place(lr_span *s, const double *z, size_t n, lrgd_vec y);

/* The rounding error of curvatures that second differences along k directions
 * measure, where values are near f: smaller curvatures count as zero. */
double lr_span_blur(const lr_span *s, double f, size_t k, double step);

/* Builds the model along fresh random directions until it is complete.  *low:
 * it is complete; false: the rank is too high, or f has no value at one of the
 * points. */
LRGD_MUST_CHECK lr_code lr_stream(lr_span *s, bool *low);

/* Minimises f in the subspace, beginning with the complete model at x0. */
LRGD_MUST_CHECK lr_code lr_inside(lr_span *s);

#endif
