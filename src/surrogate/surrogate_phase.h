/* The opening in a box from a poor start, by a Gaussian process. * Coordinates
 * one by one, p values, tell little about a function of few directions.  Here
 * every value after some ten is a step: to the minimum of the process within a
 * ball around the lowest point.  The interpolation phase (dfo) then begins with
 * these points, instead of p new values beside the start. * A start that looks
 * deliberately chosen is kept: this phase would move it along directions that
 * hardly matter, and later phases would have to undo that. */
#ifndef LR_SURROGATE_PHASE_H
#define LR_SURROGATE_PHASE_H

#include "solver/iterate.h"

/* Whether there is such a box, and f is known by values alone. */
bool lr_surrogate_phase_suits(const lr_run *run);

/* Points with their values, in shares of the box, from 0 to 1; none: n = 0. */
typedef struct lr_box_points {
  lrgd_allocator allocator;
  size_t p, n, best; /* inputs, points, the lowest */
  double *x, *f;     /* p numbers each, and a value each */
  double radius;     /* radius of the trust ball at the end */
} lr_box_points;
void lr_box_points_clear(lr_box_points *points); /* safe on a zeroed struct */

/* Runs from `start`, whose value becomes known, if that is a poor one, and
 * moves it to the lowest point.  points: those evaluated, none where the start
 * was left alone; the caller's to clear. */
LRGD_MUST_CHECK lr_code lr_surrogate_phase(lr_run *run, lr_point *start,
                                           lr_box_points *points);

#endif
