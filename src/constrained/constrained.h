/* The method for outputs with limits: constrained.c. */
#ifndef LR_CONSTRAINED_H
#define LR_CONSTRAINED_H

#include "solver/run_state.h"

/* Runs to its end: LR_END or LR_FAULT. */
lr_code lr_method_constrained(lr_run *run);

#endif
