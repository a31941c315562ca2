/* A Gaussian process through values of f: kernel exp(-|x - y|^2 / 2 l^2) with
 * one length l for all inputs, a constant mean and a nugget on the diagonal.
 * Mean and variance are those of maximum likelihood; the length is chosen by it
 * from a grid.
 *
 * It works on dense host arrays, at the price of n^2 operations for a value or
 * a gradient with n points.  It never evaluates f. */
#ifndef LR_GAUSSIAN_PROCESS_H
#define LR_GAUSSIAN_PROCESS_H

#include "base/policy.h"

#include <lrgd/lrgd.h>
#include <stdbool.h>

typedef struct lr_gp {
  lrgd_allocator allocator;
  const lr_policy *policy;
  size_t p, n, most; /* inputs, points, points allowed */
  double *x;         /* the points, p numbers each */
  double *square;    /* squared lengths of the points */
  double *apart;     /* most x most: squared distances, lower half */
  double *L;         /* most x most: the Cholesky factor of the kernel matrix */
  size_t factored;   /* rows of L in use */
  double length, nugget;
  double mean, variance;
  double *alpha; /* K^-1 (values - mean) */
  double *work;  /* three times `most` numbers */
} lr_gp;

/* An empty process; first length `length`. */
LRGD_MUST_CHECK lrgd_status lr_gp_init(lr_gp *g, const lrgd_allocator *a,
                                       size_t p, size_t most, double length);
void lr_gp_clear(lr_gp *g);

/* One more point; n < most before. */
void lr_gp_add(lr_gp *g, const double *x);

/* Chooses the length by the likelihood of the n values y. */
void lr_gp_choose_length(lr_gp *g, const double *y);

/* Interpolates the n values y up to the nugget, which grows until the kernel
 * matrix is positive definite. */
void lr_gp_fit(lr_gp *g, const double *y);

/* The mean at x. */
double lr_gp_mean(const lr_gp *g, const double *x);

/* m(x) - kappa s(x), m being the mean and s the standard deviation, and its
 * gradient. */
double lr_gp_bound(const lr_gp *g, const double *x, double kappa,
                   double *slope);

#endif
