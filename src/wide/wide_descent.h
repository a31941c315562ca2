/* Quasi-Newton, by rounds: a round holds steps of several lengths and the
 * gradient by differences at the predicted landing. */
#ifndef LR_DESCENT_H
#define LR_DESCENT_H

#include "solver/frame.h"
#include "wide/rounds.h"

/* Descends from rounds->here with the trust-region radius `radius` at first,
 * until the predicted decrease is negligible or several consecutive rounds
 * bring none.  frame: NULL, or the coordinates of the box.  *slope: |grad f| at
 * the start, in these coordinates. */
LRGD_MUST_CHECK lr_code lr_descent(lr_rounds *rounds, lr_frame *frame,
                                   double radius, double *slope);

#endif
