/* Runs whose bounds leave no input free. */
#ifndef LR_FIXED_INPUTS_H
#define LR_FIXED_INPUTS_H

#include "solver/run_state.h"

#include <stdbool.h>

/* Whether lower and upper bound of every input are equal. */
bool lr_inputs_are_fixed(lr_run *run);
/* Evaluates f at the only feasible point, and ends the run. */
lr_code lr_method_fixed(lr_run *run);

#endif
