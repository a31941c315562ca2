/* A function of rank 2 whose directions are given. */
#include "analysis/ridge_direction.h"

#include "base/vector.h"

double lr_ridge_value(size_t p, const double *x, void *user)
{
  const double *a = user, *b = a + p;
  double s = lr_dot(p, a, x), q = lr_dot(p, b, x) - 1;
  return 1 + s * s + 2 * q * q;
}

double lr_ridge_gradient(size_t p, const double *x, double *g, void *user)
{
  const double *a = user, *b = a + p;
  double s = lr_dot(p, a, x), q = lr_dot(p, b, x) - 1;
  for (size_t i = 0; i < p; i++) g[i] = 2 * s * a[i] + 4 * q * b[i];
  return lr_ridge_value(p, x, user);
}

double lr_ridge_slopes(size_t p, const double *x, size_t k, const double *U,
                       double *d, void *user)
{
  const double *a = user, *b = a + p;
  double s = lr_dot(p, a, x), q = lr_dot(p, b, x) - 1;
  for (size_t j = 0; j < k; j++)
    d[j] = 2 * s * lr_dot(p, a, U + j * p) + 4 * q * lr_dot(p, b, U + j * p);
  return lr_ridge_value(p, x, user);
}
