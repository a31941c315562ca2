/* Symmetric positive band matrices, for the built-in problems that solve an
 * equation on a mesh.  A has `rows` rows and `band` diagonals below the main
 * one; the lower triangle is stored by rows, A_ij at i (band + 1) + i - j. */
#ifndef LR_BAND_H
#define LR_BAND_H

#include <stddef.h>

typedef struct lr_band {
  size_t rows, band;
  double *A; /* rows x (band + 1), borrowed */
} lr_band;

static inline double *lr_band_at(const lr_band *m, size_t i, size_t j)
{
  return &m->A[i * (m->band + 1) + i - j];
}

/* A = C C', in place; 0 where it is not positive (or not finite). */
int lr_band_factorise(const lr_band *m);
/* b <- A^-1 b with the factor. */
void lr_band_solve(const lr_band *m, double *b);

#endif
