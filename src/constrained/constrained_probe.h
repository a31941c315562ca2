/* Probes of a certificate: constrained_probe.c. */
#ifndef LR_CONSTRAINED_PROBE_H
#define LR_CONSTRAINED_PROBE_H

#include "constrained/constrained_state.h"

/* The first: whether row r of A x <= b is nearer to x than h times the sizes of
 * the inputs.  The second: whether a bound, or such a row, is so near input i
 * that a probe has no room.  The third: 1 where that bound is the lower one, -1
 * the upper one, 0 where both are equal. */
bool lr_con_is_near(const lr_constrained *s, const double *x, double h,
                    size_t r);
bool lr_con_is_held(const lr_constrained *s, const double *x, double h,
                    size_t i);
double lr_con_inward(const lr_constrained *s, const double *x, size_t i);

/* The results of probes: S is the sum of squares of the errors of the models'
 * slopes along Gaussian vectors. */
typedef struct lr_con_errors {
  double S;
  /* number of probes, fewer than requested where S was large enough or one
   * could not be evaluated */
  size_t used;
  bool along; /* probes were parallel to bounds and rows near x */
} lr_con_errors;

/* Makes probes at the base x until S exceeds `most` and the models have gained
 * enough points; s->raw is the models' gradient of the Lagrangian of the
 * outputs. */
lr_code lr_con_probes(lr_constrained *s, const double *x, uint64_t stream,
                      double most, lr_con_errors *e);
/* Whether the Lagrangian of the outputs does not decrease from x along a
 * direction that leaves all active bounds and rows: then their multipliers have
 * the right sign. */
lr_code lr_con_bounds_hold(lr_constrained *s, const double *x, bool *hold);

#endif
