/* Probes of a certificate: constrained_probe.c. */
#ifndef LR_CONSTRAINED_PROBE_H
#define LR_CONSTRAINED_PROBE_H

#include "constrained/constrained_state.h"

/* Whether row r of A x <= b is nearer to x than h times the sizes of the
 * inputs; whether a bound is so near input i that a probe has no room; 1 where
 * that is the lower one, -1 at the upper one, 0 where the input is fixed. */
bool lr_con_is_near(const lr_constrained *s, const double *x, double h,
                    size_t r);
bool lr_con_is_held(const lr_constrained *s, const double *x, double h,
                    size_t i);
double lr_con_inward(const lr_constrained *s, const double *x, size_t i);

/* What probes have found: S, the squares of the errors of the models' slopes
 * along Gaussian vectors. */
typedef struct lr_con_errors {
  double S;
  size_t used; /* fewer than were asked for: S was large enough, or some could
                  not be evaluated */
  bool along;  /* they kept along bounds and rows near x */
} lr_con_errors;

/* Probes at the base x, until S exceeds `most` and the models have learnt what
 * they can; s->raw is the models' gradient of the Lagrangian of the outputs. */
lr_code lr_con_probes(lr_constrained *s, const double *x, uint64_t stream,
                      double most, lr_con_errors *e);
/* Whether the Lagrangian of the outputs does not fall where all that holds x
 * is left at once: the multipliers of bounds and rows have the right sign. */
lr_code lr_con_bounds_hold(lr_constrained *s, const double *x, bool *hold);

#endif
