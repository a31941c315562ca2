/* The methods that need to be told nothing. */
#ifndef LR_AUTO_H
#define LR_AUTO_H

#include "solver/iterate.h"

/* Each runs to its end: LR_END or LR_FAULT. */
lr_code lr_method_auto(lr_run *run);
lr_code lr_method_quasi_newton(lr_run *run); /* its second half alone */

#endif
