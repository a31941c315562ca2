/* A change of variables for the solver: z = x / scale, or z = log(x) / scale.
 * The user's function always gets x, in its own units. */
#ifndef CLI_TRANSFORM_H
#define CLI_TRANSFORM_H

#include "inputs.h"

typedef struct cli_transform cli_transform;

/* transform stays NULL where inputs have none. problem's bounds and inputs are
 * borrowed until destroy.  Refuses scales that are not > 0, and logarithms of
 * inputs that may not be > 0. */
LRGD_MUST_CHECK lrgd_status transform_create(cli_transform **transform,
                                             const cli_inputs *inputs,
                                             const lrgd_problem *problem,
                                             lrgd_error *error);
void transform_destroy(cli_transform **transform);

/* problem becomes one in z, bounds too; its callbacks are borrowed until
 * destroy. */
void transform_wrap(cli_transform *transform, lrgd_problem *problem);

void transform_into(const cli_transform *transform, const double *x, double *z);
/* The exact x at which f was evaluated for z; in place where x is z. */
void transform_back(const cli_transform *transform, const double *z, double *x);

/* A decision about an input, converted to the user's units. transform NULL:
 * unchanged. */
lrgd_decision transform_decision(const cli_transform *transform,
                                 const lrgd_decision *decision);

#endif
