/* A box as the survey sees it: coordinates, the model over them, and the values
 * around the start that it begins with.
 *
 * Coordinates are shares of the box, each input's times a scale: 0 to
 * q.upper[i], some 1.  An input along which f bends more has more of them, so
 * that a step means as much along any. */
#ifndef LR_CHART_H
#define LR_CHART_H

#include "dfo/interpolation.h"
#include "solver/iterate.h"

typedef struct lr_box_scaling {
  lr_run *run;
  lr_interpolation q;
  lrgd_block *columns;
  lr_point best;         /* the lowest so far: the run stands there */
  double *lower, *upper; /* the box ... */
  double *width;         /* ... from the one to the other */
  double *x, *d;         /* a point and a step */
  double *from;          /* the start; the first points are ... */
  double *h, *shift, *f; /* ... h[i] from it along i, shift[i] in x; values */
  double *behind;        /* second ones, so many h from it: on the other side;
                          * where the box ends before that, twice as far; where
                          * a first one failed, between ... */
  double *f_behind;      /* ... and their values, once asked for */
  double first;          /* f at the start */
  double highest;        /* values above are no more than failures */
} lr_box_scaling;

/* Of start->x the value is known. */
LRGD_MUST_CHECK lr_code lr_box_scaling_open(lr_box_scaling *c, lr_run *run,
                                            const lr_point *start);
void lr_box_scaling_close(lr_box_scaling *c);

/* The first p values, `radius` from the start along each input, and a model
 * through them.  *good: f is something that it can stand for.  Where the start
 * is above a cliff it is moved down. */
LRGD_MUST_CHECK lr_code lr_box_scaling_begin(lr_box_scaling *c, lr_point *start,
                                             double radius, bool *good);

/* *apart: the first steps that fell, all at once, bring what they do together,
 * as where every input acts for itself; and f bends along them.  One or two
 * values, far off, and nothing to begin with where that is not so. */
LRGD_MUST_CHECK lr_code lr_box_scaling_try_apart(lr_box_scaling *c,
                                                 bool *apart);

/* Whether the first values measured how f bends and not where it falls. */
bool lr_box_scaling_bends(const lr_box_scaling *c);

/* The model anew, through the second points too; and through the lowest point
 * so far, at c->x, where `lower` says that this is another one.  radius: how
 * far the model is to be trusted. */
LRGD_MUST_CHECK lr_code lr_box_scaling_look_behind(lr_box_scaling *c,
                                                   const lr_point *start,
                                                   double radius, bool lower);

/* f at the best point of the model + c->d; c->x becomes that point. */
LRGD_MUST_CHECK lr_code lr_box_scaling_ask(lr_box_scaling *c, double *f);

/* Scales by the bends of the model, once it has all its points. */
void lr_box_scaling_rescale(lr_box_scaling *c, double radius);

/* How steep f is on the straight way from the start to the best point. */
double lr_box_scaling_slope(const lr_box_scaling *c, const lr_point *start);

#endif
