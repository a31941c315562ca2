/* The trust-region subproblem of a dense model in a box, approximately: the
 * minimum of g'd + d'Hd/2 + lambda |d|^2 / 2 between bounds, lambda such that
 * |d| is about the radius.
 *
 * This file knows numbers, not f. */
#ifndef LR_BOX_REGION_H
#define LR_BOX_REGION_H

#include "base/dense.h"
#include "base/policy.h"

#include <stdbool.h>

typedef struct lr_box_region {
  lrgd_allocator allocator;
  const lr_policy *policy;
  size_t p;
  const double *g, *H;   /* borrowed; p numbers a column */
  double *lower, *upper; /* bounds of d, which 0 satisfies */
  double *d, *r, *s, *Hs;
  bool *free;
  /* the largest |eigenvalue| of H; the least shift allowed */
  double top, least;
  double *Q, *e;
  lr_dense *dense;
} lr_box_region;

LRGD_MUST_CHECK lrgd_status lr_box_region_init(lr_box_region *b,
                                               const lr_policy *P,
                                               const lrgd_allocator *a,
                                               size_t p);
void lr_box_region_clear(lr_box_region *b); /* safe on a zeroed struct */

/* Sets the model; lower and upper are written by the caller.  False: H has no
 * eigenvalues. */
bool lr_box_region_set(lr_box_region *b, const double *g, const double *H);

/* d = the minimum whose length is about the radius.  Returns the predicted
 * decrease. */
double lr_box_region_step(lr_box_region *b, double radius, double *d);

#endif
