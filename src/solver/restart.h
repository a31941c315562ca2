/* Restarts of a method from other points, for functions with several minima. */
#ifndef LR_RESTART_H
#define LR_RESTART_H

#include "solver/iterate.h"

/* A method runs to its end: LR_END or LR_FAULT. */
typedef lr_code (*lr_method)(lr_run *run);

/* Runs the method, and again from other points as often as the options say; the
 * best end becomes the run's.  Without such restarts: again from the lowest
 * value, where the method converges above it. */
lr_code lr_with_restarts(lr_run *run, lr_method method);

#endif
