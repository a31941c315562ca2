/* The trust-region subproblem of a small dense model, solved exactly for many
 * radii by one decomposition; the same in a box, approximately.
 * Known here: numbers.  Not known: f. */
#ifndef LR_REGION_H
#define LR_REGION_H

#include "base/dense.h"
#include "base/policy.h"

#include <stdbool.h>

/* g'z + z'B z / 2, decomposed. */
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

/* Errors of the model's numbers. */
typedef struct lr_region_errors {
  double curvature;
  double slope, slope_share; /* slope + slope_share x the largest curvature */
} lr_region_errors;

/* Decomposes a model of k <= most directions, ld numbers a column of B.
 * Curvatures that are errors, or roundings of the largest, count as the error;
 * slopes along them that are errors count as none.  False: there are no
 * eigenvalues. */
bool lr_region_set(lr_region *r, size_t k, const double *g, const double *B,
                   size_t ld, lr_region_errors errors);

/* Whether no curvature is negative beyond that. */
bool lr_region_is_convex(const lr_region *r);

/* s = the minimum for |s| <= radius, k numbers.  Returns the decrease that the
 * model predicts. */
double lr_region_step(const lr_region *r, double radius, double *s);

/* A'A^+ b for column b: the part of the curvature c of a new direction that
 * the decomposed B explains, B + that direction being given: b'B^+ b. */
double lr_region_explains(const lr_region *r, const double *b);

#endif
