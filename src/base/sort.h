/* Numbers from the lowest to the highest; none of them is NaN. */
#ifndef LR_SORT_H
#define LR_SORT_H

#include <stdlib.h>

static inline int lr_by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline void lr_sort(double *x, size_t n)
{
  qsort(x, n, sizeof *x, lr_by_size);
}

#endif
