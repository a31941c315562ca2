/* The quadratic model of f in x0 + span V for the phases that evaluate a round
 * at a time: where it is made (stream.c), and where f is minimised with it
 * (inside.c). */
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
  lr_basis V;     /* columns from k on are not in the model yet */
  size_t k, most;
  double *c, f;  /* the centre in V, and f there */
  double *g, *B; /* the model there: `most` numbers a column */
  double radius; /* for the first step inside */
  double slope;  /* |grad f| at x0, estimated */
  double blur;   /* curvatures below are rounding */
  bool noisy;    /* f has noise that the stream cannot do with */
  lr_region region;
  lrgd_block *spare; /* one column */
} lr_span;

LRGD_MUST_CHECK lr_code lr_span_open(lr_span *s, lr_rounds *rounds,
                                     const lr_point *start, size_t most);
void lr_span_close(lr_span *s); /* safe on a zeroed struct */

/* y = x0 + V z, for the first n columns of V. */
void lr_span_place(lr_span *s, const double *z, size_t n, lrgd_vec y);

/* The rounding of a second difference of k directions where values are near f,
 * which counts as no curvature. */
double lr_span_blur(const lr_span *s, double f, size_t k, double step);

/* Streams the entries of the model along fresh random directions until the
 * model is complete.  *low: it is; false: the rank is too high, or f has no
 * value at one of the points. */
LRGD_MUST_CHECK lr_code lr_stream(lr_span *s, bool *low);

/* Minimises f in the subspace from the model at x0, which is complete. */
LRGD_MUST_CHECK lr_code lr_inside(lr_span *s);

#endif
