/* A quadratic model from pairs of steps and changes of the gradient: BFGS with
 * a memory, in host doubles. */
#ifndef LR_SECANT_H
#define LR_SECANT_H

#include "base/policy.h"

#include <lrgd/lrgd.h>

typedef struct lr_secant {
  size_t p, n, most;
  double scale;          /* curvature along what no pair speaks of */
  double *s, *y, *a, *c; /* columns: steps, changes; B s / sqrt(s'Bs), and
                            y / sqrt(s'y) */
  const lr_policy *policy;
  lrgd_allocator allocator;
} lr_secant;

LRGD_MUST_CHECK lrgd_status lr_secant_init(lr_secant *B, size_t p, size_t most,
                                           const lr_policy *policy,
                                           const lrgd_allocator *a);
void lr_secant_clear(lr_secant *B);

/* Nothing is known but a scale. */
void lr_secant_forget(lr_secant *B, double scale);

/* The step s changed the gradient by y; damped as Powell's where f is not
 * convex along it.  y is changed. */
void lr_secant_learn(lr_secant *B, const double *s, double *y);

/* out = B v */
void lr_secant_times(const lr_secant *B, const double *v, double *out);

#endif
