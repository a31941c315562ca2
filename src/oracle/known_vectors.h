/* Evaluations of residuals that are known from another run: points, with all
 * numbers that the user's callback answered there. */
#ifndef LR_KNOWN_VECTORS_H
#define LR_KNOWN_VECTORS_H

#include <lrgd/lrgd.h>
#include <stdbool.h>

typedef struct lr_known_vectors {
  lrgd_allocator allocator;
  size_t p, m, n; /* inputs, residuals, evaluations */
  double *x, *r;  /* p and m numbers each; r may contain NaN */
} lr_known_vectors;

/* Copies those of n evaluations that have a finite point and a number; X is
 * p x n, R m x n. */
LRGD_MUST_CHECK lrgd_status lr_known_vectors_init(lr_known_vectors *known,
                                                  const lrgd_allocator *a,
                                                  size_t p, size_t m, size_t n,
                                                  const double *X,
                                                  const double *R);
void lr_known_vectors_clear(lr_known_vectors *known);
/* The residuals at exactly this point; NULL: they are not known. */
const double *lr_known_vectors_at(const lr_known_vectors *known,
                                  const double *x);

#endif
