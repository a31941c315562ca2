/* Doubles of this machine over a pipe, as lrgd-bench and the solvers that it
 * lends to `lrgd compare` exchange them. */
#ifndef CLI_PIPE_NUMBERS_H
#define CLI_PIPE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* Write and read exactly `count` numbers, waiting as long as that takes.
 * False: the other end is closed, or failed. */
bool pipe_put(int to, size_t count, const double *numbers);
bool pipe_get(int from, size_t count, double *numbers);

#endif
