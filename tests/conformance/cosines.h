/* Chains of cosines of inputs of very different sizes: SCOSINE of the CUTEst
 * collection, and a milder one.  Both are concave along their first gradient.
 * Far from the start the arguments of the cosines are so large that their
 * rounding is noise in f. */
#ifndef TEST_COSINES_H
#define TEST_COSINES_H

#include <math.h>
#include <stddef.h>

/* The sum of cos((s_i x_i)^2 - s_{i+1} x_{i+1} / 2), with the sizes s from 1 to
 * e^powers. */
static inline double cosines(double powers, size_t p, const double *x)
{
  double sum = 0, s = 1;
  for (size_t i = 0; i + 1 < p; i++) {
    double next = exp(powers * (double)(i + 1) / (double)(p - 1));
    sum += cos(s * x[i] * s * x[i] - 0.5 * next * x[i + 1]);
    s = next;
  }
  return sum;
}
/* The norm of its gradient. */
static inline double cosines_slope(double powers, size_t p, const double *x)
{
  double square = 0, s = 1, from_last = 0;
  for (size_t i = 0; i < p; i++) {
    double next = exp(powers * (double)(i + 1) / (double)(p - 1)), u = s * x[i];
    double t = i + 1 < p ? -sin(u * u - 0.5 * next * x[i + 1]) : 0;
    double g = s * (2 * u * t + from_last);
    square += g * g;
    from_last = -0.5 * t;
    s = next;
  }
  return sqrt(square);
}
static inline void cosines_start(double powers, size_t p, double *x)
{
  for (size_t i = 0; i < p; i++)
    x[i] = 1 / exp(powers * (double)i / (double)(p - 1));
}
static inline double scosine(size_t p, const double *x)
{
  return cosines(12, p, x);
}
static inline void scosine_start(size_t p, double *x)
{
  cosines_start(12, p, x);
}
static inline double mild_cosine(size_t p, const double *x)
{
  return cosines(6, p, x);
}
static inline void mild_cosine_start(size_t p, double *x)
{
  cosines_start(6, p, x);
}

#endif
