/* The method for A x = b together with bounds. */
#ifndef LR_CONFINED_H
#define LR_CONFINED_H

#include "solver/iterate.h"

lr_code lr_method_confined(lr_run *run);

/* u becomes a direction like u that leads from where the run stands to another
 * point of its polytope, a tenth of its size away: there is room along it. */
void lr_confined_direction(lr_run *run, lrgd_vec u);

#endif
