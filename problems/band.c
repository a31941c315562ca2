/* Cholesky's factor of a band matrix, and solving with it. */
#include "band.h"

#include <math.h>

static size_t first_of(const lr_band *m, size_t i)
{
  return i > m->band ? i - m->band : 0;
}

/* Rows lie one after the other: A_ik and A_jk run through memory together,
 * backwards. */
int lr_band_factorise(const lr_band *m)
{
  for (size_t i = 0; i < m->rows; i++) {
    size_t first = first_of(m, i);
    for (size_t j = first; j <= i; j++) {
      double sum = *lr_band_at(m, i, j);
      size_t from = first_of(m, j) > first ? first_of(m, j) : first;
      for (size_t k = from; k < j; k++)
        sum -= *lr_band_at(m, i, k) * *lr_band_at(m, j, k);
      if (j < i)
        *lr_band_at(m, i, j) = sum / *lr_band_at(m, j, j);
      else if (!(sum > 0))
        return 0;
      else
        *lr_band_at(m, i, i) = sqrt(sum);
    }
  }
  return 1;
}

void lr_band_solve(const lr_band *m, double *b)
{
  for (size_t i = 0; i < m->rows; i++) {
    for (size_t k = first_of(m, i); k < i; k++)
      b[i] -= *lr_band_at(m, i, k) * b[k];
    b[i] /= *lr_band_at(m, i, i);
  }
  for (size_t i = m->rows; i-- > 0;) {
    b[i] /= *lr_band_at(m, i, i);
    for (size_t k = first_of(m, i); k < i; k++)
      b[k] -= *lr_band_at(m, i, k) * b[i];
  }
}
