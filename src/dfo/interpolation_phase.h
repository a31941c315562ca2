/* The phase before quasi-Newton in a box of few dimensions: derivative-free
 * optimisation by interpolation models in a trust region.
 *
 * Finite differences see f near one point only.  In a box the scale of the
 * problem is known: p values a quarter of the box apart give a first model for
 * the price of one gradient, and after that every evaluation is a step
 * (interpolation.h). High accuracy is left to gradients. */
#ifndef LR_INTERPOLATION_PHASE_H
#define LR_INTERPOLATION_PHASE_H

#include "solver/iterate.h"
#include "surrogate/surrogate_phase.h"

/* Whether there is such a box, and f is given by values only. */
bool lr_interpolation_phase_suits(const lr_run *run);

/* The result of the phase.  The caller owns the vector point.x. */
typedef struct lr_interpolation_end {
  /* the lowest point; f NaN: no model could be built, and the next phase should
   * begin at the start */
  lr_point point;
  bool minimum; /* it is a minimum as far as values can tell */
  lr_fit fit;   /* the model there; q = 0: not worth keeping */
} lr_interpolation_end;

/* Runs from `start`, and sets start->f; where known->n > 0, `start` is the
 * lowest of the known points.  The caller clears end->fit. */
lr_code lr_interpolation_phase(lr_run *run, lr_point *start,
                               const lr_box_points *known,
                               lr_interpolation_end *end);

#endif
