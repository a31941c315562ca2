/* The trust-region subproblem of a small dense model, solved exactly for many
 * radii by one eigendecomposition.
 *
 * This file knows numbers, not f. */
#ifndef LR_REGION_H
#define LR_REGION_H

#include "base/dense.h"
#include "base/policy.h"

#include <stdbool.h>

/* The model g'z + z'B z / 2 in the eigenvectors of B. */
typedef struct lr_region {
  lrgd_allocator allocator;
  size_t k, most;
  double *Q, *lambda; /* eigenvectors and eigenvalues, ascending */
  double *a, *z;      /* Q'g, and scratch */
  double top;         /* the largest |eigenvalue| */
  lr_dense *dense;
} lr_region;

LRGD_MUST_CHECK lrgd_status lr_region_init(lr_region *r,
                                           const lrgd_allocator *a,
                                           size_t most);
void lr_region_clear(lr_region *r); /* safe on a zeroed struct */

/* The errors of a model's numbers. */
typedef struct lr_region_errors {
  double curvature;
  double slope, slope_share; /* slope + slope_share x the largest curvature */
} lr_region_errors;

/* Decomposes a model of k <= most directions; ld: leading dimension of B.
 * Curvatures up to their error, or up to rounding of the largest, count as that
 * error, and derivatives along them that are within their own error as zero.
 * False: the decomposition failed. */
bool lr_region_set(lr_region *r, size_t k, const double *g, const double *B,
                   size_t ld, lr_region_errors errors);

/* Whether no curvature is negative, apart from negligible ones. */
bool lr_region_is_convex(const lr_region *r);

/* s = the minimum for |s| <= radius, k numbers.  Returns the predicted
 * decrease. */
double lr_region_step(const lr_region *r, double radius, double *s);

/* b'B^+ b for the decomposed B: if b is the column of a new direction of the
 * Hessian, this is the part of that direction's curvature which B explains. */
double lr_region_explains(const lr_region *r, const double *b);

#endif
