/* The end of a run whose steps do not decrease f: is it the gradient? */
#ifndef LR_GRADIENT_CHECK_H
#define LR_GRADIENT_CHECK_H

#include "solver/run_state.h"

/* Ends the run as stalled, as `why` says; or, where the user gives gradients
 * and the values of f ahead and behind along that of the iterate contradict it,
 * with both numbers. */
lr_code lr_run_no_decrease(lr_run *run, lrgd_decision why);

#endif
