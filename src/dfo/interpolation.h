/* A quadratic model of f by interpolation of values.
 *
 * The model interpolates up to 2 p + 1 points.  Each new point changes its
 * Hessian by as little as possible in the Frobenius norm (Powell, Math.
 * Program. 100, 2004), so that one evaluation a step is enough.
 *
 * The model works on dense host arrays in the caller's coordinates, for p of a
 * few hundred at most.  It never evaluates f. */
#ifndef LR_INTERPOLATION_H
#define LR_INTERPOLATION_H

#include "base/dense.h"
#include "base/policy.h"

#include <stdbool.h>

typedef struct lr_interpolation {
  lrgd_allocator allocator;
  const lr_policy *policy;
  size_t p, count, most; /* dimension, points in use, points allowed */
  size_t best;           /* the point with the lowest value */
  double *x, *f;         /* points, p numbers each, and their values */
  double *lower, *upper; /* the box; infinite where there is none */
  double *g, *H;         /* the model's gradient at the best point, and the
                          lower half of its Hessian */

  /* The interpolation system (interpolation.c) has points
   * z = (x - origin) / unit; its inverse has 1 + p + most numbers a column. */
  double *origin, unit;
  double *z, *inverse;
  size_t changes; /* updates of the inverse since it was computed afresh */
  bool sound;     /* the interpolation system is not singular */
  lr_dense *dense;
  double *scratch;
} lr_interpolation;

/* An empty model without bounds, of `most` points at most. */
LRGD_MUST_CHECK lrgd_status lr_interpolation_init(lr_interpolation *q,
                                                  const lrgd_allocator *a,
                                                  size_t p, size_t most);
void lr_interpolation_clear(lr_interpolation *q);

/* Begins the model with the value f at x and the values at[i] at x + h[i] e_i,
 * without curvature.  False: the interpolation system is singular. */
bool lr_interpolation_begin(lr_interpolation *q, const double *x, double f,
                            const double *h, const double *at);

/* Begins the model from the first n > p points in q->x, the lowest of them
 * first, and their values in q->f; radius: of the trust region. */
bool lr_interpolation_begin_at(lr_interpolation *q, size_t n, double radius);

/* Adds the value f at x to the model.  It replaces point number `out`; with out
 * = most it is an additional point or, where the model is full, replaces the
 * point whose removal harms the geometry least.  radius: of the trust
 * region. */
void lr_interpolation_take(lr_interpolation *q, const double *x, double f,
                           double radius, size_t out);

/* Scales coordinate i by r[i] > 0: points, box and model.  New values then
 * change the Hessian in these coordinates as little as possible. */
void lr_interpolation_stretch(lr_interpolation *q, const double *r,
                              double radius);

/* The trust-region subproblem: d becomes the approximate minimum of the model
 * within `radius` of the best point and in the box.  Returns the predicted
 * decrease. */
double lr_interpolation_step(lr_interpolation *q, double radius, double *d);

/* The point farthest from the best one, and its distance. */
size_t lr_interpolation_farthest(const lr_interpolation *q,
                                 double *distance_to);

/* The geometry step: d, at most `radius` long and inside the box, nearly
 * maximises the Lagrange function of point t.  A value there in place of that
 * at t keeps the interpolation system well conditioned. */
void lr_interpolation_spread(lr_interpolation *q, size_t t, double radius,
                             double *d);

/* Shared by interpolation.c and trust_region.c: ------------------------- */

/* out = H v */
void lr_interpolation_bend(const lr_interpolation *q, const double *v,
                           double *out);
/* The model's change from the best point to the best point + d; Hd: p numbers
 * of scratch, which receive H d. */
double lr_interpolation_rise(const lr_interpolation *q, const double *d,
                             double *Hd);
/* The Lagrange function of point t, column 1 + p + t of the inverse: constant,
 * gradient, and a weight for each point. */
void lr_interpolation_lagrange(const lr_interpolation *q, size_t t,
                               double *out);

#endif
