/* Bayesian regression: a quadratic from directional derivatives.
 *
 * The derivative of g'z + z'Bz/2 along u at b is u'g + u'B b, linear in g and
 * B.  With independent normal numbers as the prior of both, the covariance of
 * two data is (u.v)(1 + b.c) + (u.c)(b.v), in units in which a typical b is of
 * length one.  N data cost N^3/3 operations whatever the number of unknowns,
 * and unknowns that they do not determine stay zero. */
#ifndef LR_REGRESSION_H
#define LR_REGRESSION_H

#include "base/policy.h"

#include <lrgd/lrgd.h>
#include <stdbool.h>

typedef struct lr_regression {
  size_t q, n;  /* unknowns along each side of B, data */
  double *u;    /* q x n: unit directions */
  double *b;    /* q x n: points */
  double *d;    /* n: derivatives */
  double *off;  /* standard errors of the data: rounding and noise; n numbers */
  double *work; /* allocated by lr_regress, as are the next two */
  double *factor; /* n x n: the Cholesky factor of the covariance of the data */
  double bend;    /* the most likely lr_prior.bend */
  double unit;    /* the prior standard deviation of second derivatives */
} lr_regression;

/* The prior, which is chosen by maximum likelihood from a grid.  In units where
 * second derivatives are of size one and the farthest datum is at distance one:
 * slope is the size of the gradient at the origin; bend is the standard
 * deviation of derivatives at distance one from those of any quadratic, an
 * error that grows with the square of the distance (0: f is a quadratic). */
typedef struct lr_prior {
  double slope, bend;
} lr_prior;

/* The next point of the grid, starting from {0}.  False: there is none. */
bool lr_prior_next(const lr_policy *P, lr_prior *at);

/* The assumed relative accuracy of data: a quadratic forced through every value
 * of a non-quadratic function would oscillate between them. */
double lr_regression_accuracy(const lr_policy *P, double bend);

/* g (q) and B (q x q): the posterior mean.  d and off are scaled in place.
 * LRGD_ERR_NUMERIC: the data determine no quadratic. */
LRGD_MUST_CHECK lrgd_status lr_regress(lr_regression *data,
                                       const lrgd_allocator *a, double *g,
                                       double *B);

/* After that: the posterior standard deviation of v'Bv, for v of length one. */
double lr_regression_spread(const lr_regression *data, const double *v);

/* Frees what lr_regress allocated. */
void lr_regression_clear(lr_regression *data, const lrgd_allocator *a);

#endif
