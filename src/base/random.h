/* Counter-based random numbers: a number is a function of (seed, stream,
 * index), so it does not matter who draws it, when, or in which order. */
#ifndef LR_RANDOM_H
#define LR_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* z[i] = the standard normal number with index first + i, for i < n. */
void lr_gaussian(uint64_t seed, uint64_t stream, uint64_t first, size_t n,
                 double *z);

/* The block of random bits behind the numbers 4 block .. 4 block + 3. */
void lr_philox(uint64_t seed, uint64_t stream, uint64_t block, uint32_t out[4]);

#endif
