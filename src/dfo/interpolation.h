/* A quadratic model of f from values alone.
 *
 * It goes through up to 2 p + 1 points and is otherwise as near as it can be,
 * in the Frobenius norm of its Hessian, to what it was before the last of them
 * came (Powell, Math. Program. 100, 2004).  So every value that was paid for
 * teaches it something, at one evaluation a step.
 *
 * Known here: small dense matrices, for p of a few hundred at most, in the
 * caller's coordinates.  Not known: f, and what space it lives in. */
#ifndef LR_QUADRIC_H
#define LR_QUADRIC_H

#include "base/dense.h"

#include <stdbool.h>

typedef struct lr_interpolation {
  lrgd_allocator allocator;
  size_t p, count, most; /* points in use, and how many there may be */
  size_t best;           /* the lowest of them */
  double *x, *f;         /* points, p numbers each, and their values */
  double *lower, *upper; /* the box; infinite where there is none */
  double *g, *H;         /* of the model: gradient at the best point, Hessian,
                          of which the lower half is kept */

  /* Points are z = (x - origin) / unit in the inverse of the interpolation
   * matrix, 1 + p + most numbers a column: see quadric.c. */
  double *origin, unit;
  double *z, *inverse;
  size_t changes; /* since that was made anew ... */
  bool sound;     /* ... if it could be */
  lr_dense *dense;
  double *scratch;
} lr_interpolation;

/* A box that is all of space. */
LRGD_MUST_CHECK lrgd_status lr_interpolation_init(lr_interpolation *q,
                                                  const lrgd_allocator *a,
                                                  size_t p);
void lr_interpolation_clear(lr_interpolation *q);

/* Forgets all that was: f at x, and at[i] at x + h[i] e_i, and no curvature.
 * False: no quadratic goes through these. */
bool lr_interpolation_begin(lr_interpolation *q, const double *x, double f,
                            const double *h, const double *at);

/* f at x becomes known.  Another point goes, where there is no room: number
 * `out`, or (out = most) the one that can be spared best; radius is how far
 * the model is to be trusted. */
void lr_interpolation_take(lr_interpolation *q, const double *x, double f,
                           double radius, size_t out);

/* Coordinate i becomes r[i] times what it was, r[i] > 0: points, box and model
 * with it.  What a new value changes least is the Hessian in these. */
void lr_interpolation_stretch(lr_interpolation *q, const double *r,
                              double radius);

/* d: about where the model is least within `radius` of the best point and in
 * the box.  Returns how far it falls. */
double lr_interpolation_step(lr_interpolation *q, double radius, double *d);

/* The point farthest from the best. */
size_t lr_interpolation_farthest(const lr_interpolation *q, double *how_far);

/* d, at most `radius` long and into the box: where a value in place of that at
 * point t would tell most. */
void lr_interpolation_spread(lr_interpolation *q, size_t t, double radius,
                             double *d);

/* Shared by quadric.c and trust.c: ------------------------------------- */

/* out = H v */
void lr_interpolation_bend(const lr_interpolation *q, const double *v,
                           double *out);
/* The model at the best point + d, less its value there; Hd: p numbers. */
double lr_interpolation_rise(const lr_interpolation *q, const double *d,
                             double *Hd);
/* Point t's Lagrange function, column 1 + p + t of the inverse: constant,
 * slopes, and a weight for each point. */
void lr_interpolation_lagrange(const lr_interpolation *q, size_t t,
                               double *out);

#endif
