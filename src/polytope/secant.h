/* A quadratic model from pairs of steps and changes of the gradient:
 * limited-memory BFGS, in host doubles. */
#ifndef LR_SECANT_H
#define LR_SECANT_H

#include "base/policy.h"

#include <lrgd/lrgd.h>

typedef struct lr_secant {
  size_t p, n, most;
  double scale;          /* curvature along directions outside all pairs */
  double *s, *y, *a, *c; /* columns: steps, changes; B s / sqrt(s'Bs), and
                            y / sqrt(s'y) */
  const lr_policy *policy;
  lrgd_allocator allocator;
} lr_secant;

LRGD_MUST_CHECK lrgd_status lr_secant_init(lr_secant *B, size_t p, size_t most,
                                           const lr_policy *policy,
                                           const lrgd_allocator *a);
void lr_secant_clear(lr_secant *B);

/* Forgets all pairs; B is `scale` times the identity. */
void lr_secant_forget(lr_secant *B, double scale);

/* Adds the pair of a step s and the change y of the gradient; Powell's damping
 * where f is not convex along s. y is changed. */
void lr_secant_learn(lr_secant *B, const double *s, double *y);

/* out = B v */
void lr_secant_times(const lr_secant *B, const double *v, double *out);

#endif
