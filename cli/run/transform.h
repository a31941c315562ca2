/* The variables of a run (lrgd_variables), from --scale and --log. */
#ifndef CLI_TRANSFORM_H
#define CLI_TRANSFORM_H

#include "inputs.h"

/* transform stays NULL where inputs have none.  Refuses scales that are not >
 * 0, and logarithms of inputs that may not be > 0. */
LRGD_MUST_CHECK lrgd_status transform_create(lrgd_variables **transform,
                                             const cli_inputs *inputs,
                                             const lrgd_problem *problem,
                                             lrgd_error *error);

#endif
