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
#include "surrogate/surrogate_phase.h"

/* Whether there is such a box, and f is known by values alone. */
bool lr_interpolation_phase_suits(const lr_run *run);

/* What the phase leads to.  The caller lends the vector point.x. */
typedef struct lr_interpolation_end {
  lr_point point; /* the lowest; f NaN: no model could be made, and the next
                     phase should begin at the start */
  bool minimum;   /* it is a minimum, as far as values tell */
  lr_fit fit;     /* the model there; q = 0: it is not worth keeping */
} lr_interpolation_end;

/* Runs from `start`, whose value becomes known; where known->n > 0, that is the
 * lowest of the known points.  end->fit is the caller's to clear. */
lr_code lr_interpolation_phase(lr_run *run, lr_point *start,
                               const lr_box_points *known,
                               lr_interpolation_end *end);

#endif
