/* The variables of a run (lrgd_variables), from --scale and --log. */
#ifndef CLI_TRANSFORM_H
#define CLI_TRANSFORM_H

#include "inputs.h"

/* Makes the change of variables; transform stays NULL where there is none.
 * Refuses scales that are not > 0, and logarithms of inputs that may not be >
 * 0. */
LRGD_MUST_CHECK lrgd_status transform_create(lrgd_variables **transform,
                                             const cli_inputs *inputs,
                                             const lrgd_problem *problem,
                                             lrgd_error *error);

#endif
