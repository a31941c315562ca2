/* Scaled coordinates in a box, the interpolation model in these, and the first
 * values around the start that the model begins with.
 *
 * Coordinate i is the share of the box times a scale of about 1: it runs from 0
 * to q.upper[i].  Inputs with more curvature get a larger scale, so that a
 * spherical trust region suits all of them. */
#ifndef LR_BOX_SCALING_H
#define LR_BOX_SCALING_H

#include "dfo/interpolation.h"
#include "solver/iterate.h"
#include "surrogate/surrogate_phase.h"

/* Over 20 members: the box, the map between x and coordinates, and the first
 * points are one map, which all functions below use. */
typedef struct lr_box_scaling {
  lr_run *run;
  lr_interpolation q;
  lrgd_block *columns;
  lr_point best;         /* the lowest point so far: the iterate */
  double *lower, *upper; /* the box */
  /* x at coordinate 0, and the length in x of a share of 1 */
  double *origin, *width;
  double *least, *most;  /* the bounds, in shares */
  double *scale;         /* factor from shares to coordinates */
  double *x, *d;         /* a point and a step, in coordinates */
  double *from;          /* the start, in coordinates */
  double *h, *shift, *f; /* the first point along input i is h[i] from it in
                          * coordinates, shift[i] in x, with value f[i] */
  double *opposite;   /* the second point along i is opposite[i] h[i] from it:
                       * -1, the other side; 2 where the box ends before
                       * that; 0.5 where a first point failed */
  double *f_opposite; /* value of the opposite point, once evaluated */
  double first;       /* f at the start */
  double highest;     /* a value above this counts as a failure */
  bool replaced;      /* some value was above `highest` */
} lr_box_scaling;

/* start->f is known. */
LRGD_MUST_CHECK lr_code lr_box_scaling_open(lr_box_scaling *c, lr_run *run,
                                            const lr_point *start);
void lr_box_scaling_close(lr_box_scaling *c);

/* Evaluates f `radius` from the start along each input and starts the model
 * with these p values.  *good: there is such a model.  Where f at the start is
 * a penalty, the start moves to the lowest of these points. */
LRGD_MUST_CHECK lr_code lr_box_scaling_begin(lr_box_scaling *c, lr_point *start,
                                             double radius, bool *good);

/* Starts the model, in shares of the box, with the nearest of the known points
 * to the lowest of them, which is the start.  No values are evaluated.  good:
 * they determine a quadratic. */
LRGD_MUST_CHECK lr_code lr_box_scaling_begin_at(lr_box_scaling *c,
                                                const lr_box_points *known,
                                                bool *good);

/* separable: taken together, all first steps that decreased f decrease it by
 * the sum of their single decreases, and f is not linear along them.  Takes one
 * or two evaluations, which the model does not use. */
LRGD_MUST_CHECK lr_code lr_box_scaling_try_separable(lr_box_scaling *c,
                                                     bool *separable);

/* Whether nearly all first values are higher than the start: then they show
 * curvature, not derivatives. */
bool lr_box_scaling_rises(const lr_box_scaling *c);

/* Evaluates f at the second points and builds the model again from all; if
 * `lower`, also from the lowest point so far, c->x.  radius: of the trust
 * region. */
LRGD_MUST_CHECK lr_code lr_box_scaling_add_opposite(lr_box_scaling *c,
                                                    const lr_point *start,
                                                    double radius, bool lower);

/* Evaluates f at the model's best point + c->d; c->x becomes that point. */
LRGD_MUST_CHECK lr_code lr_box_scaling_ask(lr_box_scaling *c, double *f);

/* Scales coordinates by the diagonal of the model's Hessian, once the model has
 * all its points: with fewer it does not know the curvatures. */
void lr_box_scaling_rescale(lr_box_scaling *c, double radius);

/* *fit becomes the model at the best point, in units of the problem, with the
 * inputs for directions.  It is the caller's to clear. */
LRGD_MUST_CHECK lrgd_status lr_box_scaling_fit(const lr_box_scaling *c,
                                               lr_fit *fit);

/* Gives input i this scale. */
void lr_box_scaling_set_scale(lr_box_scaling *c, size_t i, double scale);

/* The mean slope of f on the line from the start to the best point. */
double lr_box_scaling_slope(const lr_box_scaling *c, const lr_point *start);

#endif
