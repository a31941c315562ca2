/* One run: the points it stands on, what it decided, how it ends.  Methods are
 * written on top of this and read like their algorithms. */
#ifndef LR_ITERATE_H
#define LR_ITERATE_H

#include "solver/iterate_record.h"
#include "solver/warm_start.h"

/* Puts the run at x (which is copied, and moved into the box).  Nothing is
 * evaluated yet, but for the noise where it is to be estimated. */
lr_code lr_run_start(lr_run *run, lrgd_vec x, atomic_int *stop);

/* g = grad f at the present point, as far as the run may move.  Where it
 * cannot be evaluated the last move is halved, and halved again; so it is with
 * lr_run_slopes. */
lr_code lr_run_gradient(lr_run *run, lrgd_vec g, lrgd_purpose why,
                        double *norm);
/* The same at any other point, c being a hint of the curvature as in
 * lr_oracle_gradient; LR_NOVALUE where it cannot be evaluated. */
lr_code lr_run_gradient_at(lr_run *run, lr_point *at, lrgd_vec g,
                           lrgd_purpose why, double c, double *norm);

/* d = slopes at the present point along U (NULL: along all directions of the
 * domain); *norm is that of the gradient in the subspace, without what bounds
 * hold. */
lr_code lr_run_slopes(lr_run *run, const lr_basis *U, lrgd_purpose why,
                      double *norm);

/* The run stands at a new place, run->at: counts it, tells the callback.  Ends
 * the run where these were all the iterations there are. */
lr_code lr_run_arrived(lr_run *run);

/* In a box: what of g, the gradient where the run stands, can be followed.
 * Where a step along -g would be cut by the box, g becomes (x - P(x - s g))/s,
 * P being the projection into the box and s the length of a step: a step of at
 * most s along it stays inside, and f falls along it as fast as its norm says
 * or faster, which is not true of g. */
void lr_run_follow(lr_run *run, lrgd_vec g);

/* One step of the run's rule inside U (NULL: everywhere), from the slopes in
 * run->moving.d.  LR_NOVALUE: there is no acceptable step. */
lr_code lr_run_move(lr_run *run, const lr_basis *U);

/* Whether f falls for ever along -d: looks ahead 16, 256, ... times further
 * than the last move.  Ends the run if so. */
lr_code lr_run_leap(lr_run *run, const lr_basis *U);

/* A random point around the present one, in run->trial. */
lr_code lr_run_sample(lr_run *run, uint64_t stream, double radius);

#endif
