/* The end of a run whose steps do not decrease f: checks whether the user's
 * gradient is wrong. */
#ifndef LR_GRADIENT_CHECK_H
#define LR_GRADIENT_CHECK_H

#include "solver/run_state.h"

/* Ends the run as stalled, for the reason `why`; or, where values of f ahead of
 * and behind the iterate contradict the gradient that the user gives, for that
 * reason, with both derivatives. */
lr_code lr_run_no_decrease(lr_run *run, lrgd_decision why);

#endif
