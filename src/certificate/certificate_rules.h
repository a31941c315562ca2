/* When a bound on the gradient is accepted, and what is measured to tighten it:
 * pure functions of measurements and of the policy. */
#ifndef LR_CERTIFICATE_RULES_H
#define LR_CERTIFICATE_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- probes outside a subspace ---- */

/* The upper bound on |g| inside a subspace of k directions: the measured norm,
 * the truncation error of its differences, and the error of each directional
 * derivative, which follows from a mean curvature. */
double lr_certificate_inside(const lr_policy *P, double norm, double truncation,
                             double error, size_t k);

/* Whether more probes are worth their evaluations: the bound exceeds the
 * tolerance, the estimate of |g| is well below it, and a gradient of p
 * derivatives would cost much more.  m: probes of one certificate. */
bool lr_certificate_repeats(const lr_policy *P, double bound, double estimate,
                            double tol, size_t m, size_t p);

/* Whether one probe, whose square estimates |g|^2, is consistent with a
 * gradient within the tolerance.  (If |g| is half of the tolerance, the probe
 * is inconsistent once in four hundred times.) */
bool lr_certificate_one_probe(const lr_policy *P, double square, double tol);

/* ---- bounds ---- */

/* Whether few enough of p coordinates are too near a bound for a two-sided
 * difference. */
bool lr_certificate_has_room(const lr_policy *P, size_t near, size_t p);

/* Whether too many multipliers may have changed sign to measure each by one
 * difference: a two-sided gradient costs 2 p. */
bool lr_certificate_too_many(const lr_policy *P, size_t weak, size_t p);

/* ---- a gradient that was measured ---- */

/* Two tests of the truncation error: whether it decides if a gradient is within
 * the tolerance, |g| plus the error by noise being `known`; and whether it is
 * so large a part of a bound that f may not be smooth over the difference
 * steps. */
bool lr_truncation_decides(const lr_policy *P, double known, double truncation,
                           double tol);

/* A gradient by differences, and the same with steps of twice the length. */
typedef struct lr_two_lengths {
  double bound;  /* on the truncation error, from one-sided derivatives: it
                    holds for convex f; INFINITY: not known */
  double longer; /* `bound` with the longer steps */
  double change; /* change of the gradient between the two points */
  double noise2; /* variance of the sum of the errors by noise */
} lr_two_lengths;

/* The truncation error of the gradient with the shorter steps, from the change
 * of the gradient: where f is close to a cubic, the error with the longer steps
 * is four times as large, and the bound from one-sided derivatives doubles.
 * For a convex f that bound never decreases; where it does not double, it is
 * the best estimate there is.  INFINITY: it decreases, so that f is not convex,
 * or f is not smooth over such steps. */
double lr_truncation_error(const lr_policy *P, const lr_two_lengths *two);

/* The factor on the lengths of noisy differences by which their truncation
 * error becomes a small part of the tolerance; 1 where the error by noise does
 * not allow shorter ones.  Both errors are those over the present steps. */
double lr_certificate_finer_steps(const lr_policy *P, double truncation,
                                  double noise, double tol);

/* Whether the gradient at the start is so much smaller than its first
 * measurement that the first one was error. */
bool lr_certificate_stationary_start(const lr_policy *P, double bound,
                                     double first);

/* Whether a bound on |g| is meaningful: f changes along a finite difference by
 * little of its decrease over the run. */
bool lr_certificate_smooth(const lr_policy *P, double change, double decrease);

/* Whether the error of a gradient leaves no room below the tolerance, so that a
 * smaller gradient would not be certified either. */
bool lr_certificate_error_hides(const lr_policy *P, double error, double tol);

/* ---- a run that has stalled ---- */

/* Whether a stalled run measures the gradient at its end (again), which costs
 * `price` evaluations.  spent: evaluations of the run so far; at_start: no
 * value was lower than the first, so that the only open question is whether the
 * start is a minimum. */
bool lr_certificate_closes(const lr_policy *P, int looks, bool at_start,
                           double price, double spent);

/* The factor on the length of the next differences, 1 for none: with it the
 * error by noise becomes a share of a gradient that was seen. */
double lr_certificate_short_of_noise(const lr_policy *P, double noise,
                                     double seen);

/* The factor on the length of the next differences, 1 for none: over the
 * present length a derivative of the size of the bound changes f by `change`,
 * and values have the error `error`. */
double lr_certificate_shorter_steps(const lr_policy *P, double change,
                                    double error);

#endif
