/* Shared by the two files of the sliced space: sliced.c, and reproducible_sum.c
 * for sums that do not depend on the number of processes. */
#ifndef LR_SPACE_SLICES_H
#define LR_SPACE_SLICES_H

#include <lrgd/space.h>
#include <stdbool.h>

enum { LR_SLICED_BATCH = 64 }; /* sums of blocks that are reduced at once */

typedef struct lr_sliced {
  lrgd_space base;
  lrgd_allocator allocator;
  lrgd_slices slices;
  lrgd_space *inner; /* our coordinates */
  lrgd_block *spare; /* a scratch column */
  double *sums;      /* blocks x LR_SLICED_BATCH, reproducible only */
} lr_sliced;

/* Reduces the numbers x over all processes. */
static inline void lr_sliced_reduce(lr_sliced *s, lrgd_reduction how, double *x,
                                    size_t n)
{
  if (s->slices.reduce && n > 0) s->slices.reduce(how, x, n, s->slices.user);
}

/* Whether a block begins, or the last one ends, at coordinate i. */
bool lr_sliced_at_block(const lr_sliced *s, size_t i);

/* c = U'g and the upper triangle of U'U, column after column, into the head of
 * G: with reproducible sums. */
void lr_sliced_dot_in_order(lr_sliced *s, lrgd_vec U, size_t k, lrgd_vec g,
                            double *c);
void lr_sliced_gram_in_order(lr_sliced *s, lrgd_vec U, size_t k, double *G);

#endif
