/* A function of rank 2, a part of composites: 1 + (a'x)^2 + 2 (b'x - 1)^2.
 * user: a and b, p numbers each. */
#ifndef LR_RIDGE_DIRECTION_H
#define LR_RIDGE_DIRECTION_H

#include <stddef.h>

double lr_ridge_value(size_t p, const double *x, void *user);
double lr_ridge_gradient(size_t p, const double *x, double *g, void *user);
double lr_ridge_slopes(size_t p, const double *x, size_t k, const double *U,
                       double *d, void *user);

#endif
