/* The method for problems with residuals; `auto` runs it for these. */
#ifndef LR_GAUSS_NEWTON_H
#define LR_GAUSS_NEWTON_H

#include "solver/run_state.h"

/* Runs to its end: LR_END or LR_FAULT. */
lr_code lr_method_least_squares(lr_run *run);

#endif
