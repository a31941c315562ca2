/* What an evaluation of `auto` costs beyond the user's own function, in passes
 * over a vector of p numbers. */
#ifndef OVERHEAD_PASSES_H
#define OVERHEAD_PASSES_H

#include <stddef.h>

/* Prints the overhead in p dimensions and returns the exit status: 1 where p is
 * 100,000 or more and the overhead is above the limit, or a run failed. */
int measure_passes(size_t p);

#endif
