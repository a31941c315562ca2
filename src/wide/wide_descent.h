/* Quasi-Newton, a round at a time: the gradient by differences at the predicted
 * landing, and other lengths in the places that are left. */
#ifndef LR_DESCENT_H
#define LR_DESCENT_H

#include "solver/frame.h"
#include "wide/rounds.h"

/* Descends from rounds->here with the first trust region `radius`, until a
 * round promises next to nothing or several in a row bring nothing.  frame:
 * NULL, or the coordinates of the box.  *slope: |grad f| where it
 * began, in these. */
LRGD_MUST_CHECK lr_code lr_descent(lr_rounds *rounds, lr_frame *frame,
                                   double radius, double *slope);

#endif
