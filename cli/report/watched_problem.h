/* Wraps a problem to collect directional derivatives from its answers. */
#ifndef CLI_WATCHED_PROBLEM_H
#define CLI_WATCHED_PROBLEM_H

#include "cli/numerics/slope_collector.h"

#include <lrgd/lrgd.h>

typedef struct watching {
  lrgd_problem inner;
  cli_slopes *slopes;
  double *parts; /* 2 p numbers of the caller: a complex point, x then u */
} watching;

/* Replaces the callbacks of the problem by ones that call them and collect
 * derivatives.  w is borrowed as long as the problem is in use. */
void watch_problem(watching *w, lrgd_problem *problem);

#endif
