/* A quadratic from directional derivatives, by Bayesian regression.
 *
 * The derivative of g'z + z'Bz/2 along u at b is u'g + u'B b, linear in g and
 * B.  With independent normal numbers as the prior of both, the covariance of
 * two data is (u.v)(1 + b.c) + (u.c)(b.v), in units in which a typical b is of
 * length one: N data cost N^3/3 operations whatever the number of unknowns, and
 * what they leave open stays zero. */
#ifndef LR_REGRESSION_H
#define LR_REGRESSION_H

#include <lrgd/lrgd.h>

typedef struct lr_regression {
  size_t q, n;    /* unknowns along each side of B, data */
  double *u;      /* q x n: unit directions */
  double *b;      /* q x n: where */
  double *d;      /* n: derivatives */
  double *off;    /* n: their errors, as of rounding and noise */
  double *work;   /* lr_regress's own, as are the rest: */
  double *factor; /* n x n: Cholesky's, of the covariance of the data */
  double bend;    /* how far derivatives at the farthest datum are from those of
                     a quadratic, in units of their change up to there */
  double unit;    /* of second derivatives, one prior standard deviation */
} lr_regression;

/* g (q) and B (q x q): the posterior mean.  The unit of length, and how far f
 * is from a quadratic, an error that grows with the square of the distance, are
 * found by maximum likelihood.  d and off are scaled in place.
 * LRGD_ERR_NUMERIC: there is no such quadratic. */
LRGD_MUST_CHECK lrgd_status lr_regress(lr_regression *data,
                                       const lrgd_allocator *a, double *g,
                                       double *B);

/* After that: the posterior standard deviation of v'Bv, v being of length
 * one. */
double lr_regression_spread(const lr_regression *data, const double *v);

/* Frees what lr_regress allocated. */
void lr_regression_clear(lr_regression *data, const lrgd_allocator *a);

#endif
