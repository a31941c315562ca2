/* One run: its iterates, its decisions, its end.  Methods are written with
 * these functions and read like their algorithms. */
#ifndef LR_ITERATE_H
#define LR_ITERATE_H

#include "solver/iterate_record.h"
#include "solver/warm_start.h"

/* Sets the iterate to x (copied, and clipped to the box).  Evaluates f only to
 * estimate the noise, where that is requested. */
lr_code lr_run_start(lr_run *run, lrgd_vec x, atomic_int *stop);

/* g = the gradient at the iterate, projected on the domain.  Where it cannot be
 * evaluated the last move is halved repeatedly; lr_run_slopes does the same. */
lr_code lr_run_gradient(lr_run *run, lrgd_vec g, lrgd_purpose why,
                        double *norm);
/* g = the projected gradient at any other point, c being a hint of the
 * curvature as in lr_oracle_gradient; LR_NOVALUE where it cannot be evaluated.
 */
lr_code lr_run_gradient_at(lr_run *run, lr_point *at, lrgd_vec g,
                           lrgd_purpose why, double c, double *norm);

/* d = directional derivatives at the iterate along U (NULL: along all
 * directions of the domain); *norm is that of the projected gradient in U. */
lr_code lr_run_slopes(lr_run *run, const lr_basis *U, lrgd_purpose why,
                      double *norm);

/* The run has moved to a new iterate, run->at: counts the iteration and calls
 * the callback.  Ends the run where that was the last iteration. */
lr_code lr_run_arrived(lr_run *run);

/* In a box: makes g a feasible descent direction.  Where the box would cut a
 * step along -g, g becomes (x - P(x - s g))/s, P being the projection into the
 * box and s the length of a step: then a step of at most s along -g stays
 * inside, and the derivative of f along g/|g| is at least |g|.  A clipped step
 * along the gradient itself guarantees neither. */
void lr_run_follow(lr_run *run, lrgd_vec g);

/* One step of the run's rule inside U (NULL: everywhere), from the slopes in
 * run->moving.d.  LR_NOVALUE: there is no acceptable step. */
lr_code lr_run_move(lr_run *run, const lr_basis *U);

/* Whether f decreases without bound along the last move: evaluates f at 16,
 * 256, ... times its length.  Ends the run if so. */
lr_code lr_run_leap(lr_run *run, const lr_basis *U);

/* A random point around the iterate, in run->trial. */
lr_code lr_run_sample(lr_run *run, uint64_t stream, double radius);

#endif
