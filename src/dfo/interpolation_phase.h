/* The opening of quasi-Newton in a box of few dimensions: derivative-free
 * optimisation by interpolation models in a trust region.
 *
 * Differences see f near one point only.  In a box the scale of the problem is
 * known: p values a quarter of the box apart give a first model for the price
 * of one gradient, and after that every evaluation is a step (interpolation.h).
 * High accuracy is left to gradients. */
#ifndef LR_INTERPOLATION_PHASE_H
#define LR_INTERPOLATION_PHASE_H

#include "solver/iterate.h"

/* Whether there is such a box, and f is known by values alone. */
bool lr_interpolation_phase_suits(const lr_run *run);

/* Runs from `start`, whose value becomes known.  The caller lends the vector
 * found->x; the lowest point goes there.  found->f is NaN where no model could
 * be made, and the next phase should begin at the start. */
lr_code lr_interpolation_phase(lr_run *run, lr_point *start, lr_point *found);

#endif
