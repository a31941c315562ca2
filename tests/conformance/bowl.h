/* The bowl of the tests about boxes and walls: full rank, far from quadratic;
 * its minimum, 0, is at 0.3 - 0.01 i. */
#ifndef BOWL_H
#define BOWL_H

#include <math.h>
#include <stddef.h>

/* How far coordinate i is from the minimum. */
static inline double bowl_from(size_t i, double x)
{
  return x - (0.3 - 0.01 * (double)i);
}

/* f where y is, as seen from the minimum, and its gradient (NULL: not asked
 * for). */
static inline double bowl_at(size_t p, const double *y, double *g)
{
  double f = 0, sum = 0;
  for (size_t i = 0; i < p; i++) {
    double c = 1 + 0.2 * (double)i;
    sum += y[i];
    f += c * (y[i] * y[i] + 0.3 * y[i] * y[i] * y[i] * y[i]);
    if (g) g[i] = c * (2 * y[i] + 1.2 * y[i] * y[i] * y[i]);
  }
  for (size_t i = 0; g && i < p; i++) g[i] += 2 * sum / (1 + sum * sum);
  return f + log(1 + sum * sum);
}

#endif
