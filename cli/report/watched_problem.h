/* A problem whose answers are watched for their slopes. */
#ifndef CLI_WATCHED_PROBLEM_H
#define CLI_WATCHED_PROBLEM_H

#include "cli/numerics/slope_collector.h"

#include <lrgd/lrgd.h>

typedef struct watching {
  lrgd_problem inner;
  cli_slopes *slopes;
  double *parts; /* 2 p numbers, the caller's: a complex point, x then u */
} watching;

/* Puts callbacks that ask those of the problem, and collect slopes, in their
 * place.  w is borrowed as long as the problem is asked. */
void watch_problem(watching *w, lrgd_problem *problem);

#endif
