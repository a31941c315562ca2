/* Finite sums h(z) = 1/n sum_i phi(c_i . z, y_i): the core of regressions. */
#include "base/vector.h"
#include "composite.h"

#include <string.h>

/* Blocks of rows, so that the t_i of any number of samples need no memory. */
double lr_samples_h(const void *data, const double *z, double *dz)
{
  const lr_samples *s = data;
  double t[LR_SMALL], sum = 0;
  for (size_t j = 0; dz && j < s->q; j++) dz[j] = 0;
  for (size_t first = 0; first < s->n; first += LR_SMALL) {
    size_t rows = s->n - first < LR_SMALL ? s->n - first : LR_SMALL;
    memset(t, 0, rows * sizeof *t);
    lr_gemv(rows, s->q, s->C + first, s->n, z, t);
    for (size_t i = 0; i < rows; i++)
      sum += s->phi(t[i], s->y[first + i], dz ? &t[i] : NULL);
    for (size_t j = 0; dz && j < s->q; j++)
      dz[j] += lr_dot(rows, s->C + j * s->n + first, t) / (double)s->n;
  }
  return sum / (double)s->n;
}

double complex lr_samples_row(size_t n, size_t q, const double *C, size_t i,
                              const double complex *z)
{
  double complex t = 0;
  for (size_t j = 0; j < q; j++) t += C[i + j * n] * z[j];
  return t;
}

double complex lr_samples_h_complex(const void *data, const double complex *z)
{
  const lr_samples *s = data;
  double complex sum = 0;
  for (size_t i = 0; i < s->n; i++)
    sum += s->phi_complex(lr_samples_row(s->n, s->q, s->C, i, z), s->y[i]);
  return sum / (double)s->n;
}
