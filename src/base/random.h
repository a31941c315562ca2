/* Counter-based random numbers: a number is a function of (seed, stream,
 * index), so it does not matter who draws it, when, or in which order. */
#ifndef LR_RANDOM_H
#define LR_RANDOM_H

#include <stdint.h>

/* The two standard normal numbers with indices 2*pair and 2*pair + 1. */
void lr_gaussian_pair(uint64_t seed, uint64_t stream, uint64_t pair,
                      double z[2]);

#endif
