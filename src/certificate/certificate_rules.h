/* When a bound on the gradient is believed, and what is measured to tighten it:
 * decisions that are functions of what was measured and of the policy, and of
 * nothing else. */
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

/* Whether one probe, whose square estimates |g|^2, leaves a gradient within the
 * tolerance possible.  (With |g| at half the tolerance it denies that once in
 * four hundred times.) */
bool lr_certificate_one_probe(const lr_policy *P, double square, double tol);

/* ---- bounds ---- */

/* Whether few enough of p coordinates are too near a bound for a two-sided
 * difference. */
bool lr_certificate_has_room(const lr_policy *P, size_t near, size_t p);

/* Whether so many coordinates, whose multipliers may have changed sign, are too
 * many for one difference each: a two-sided gradient costs 2 p. */
bool lr_certificate_too_many(const lr_policy *P, size_t weak, size_t p);

/* ---- a gradient that was measured ---- */

/* Whether the truncation error of differences decides if a gradient, of which
 * |g| plus the error by noise is `known`, is within the tolerance; or is so
 * large a part of a bound that f may not be smooth over the steps. */
bool lr_truncation_decides(const lr_policy *P, double known, double truncation,
                           double tol);

/* A gradient by differences, and the same with steps of twice the length. */
typedef struct lr_two_lengths {
  double bound;  /* on the truncation error, from one-sided derivatives: it
                    holds for convex f; INFINITY: not known */
  double longer; /* the same bound with the longer steps */
  double change; /* change of the gradient between the two points */
  double noise2; /* variance of the sum of the errors by noise */
} lr_two_lengths;

/* The truncation error of the gradient with the shorter steps; that of the
 * longer ones is four times as large where f is close to a cubic.  There the
 * bound doubles with the steps.  Of a convex f it never falls, and where it
 * does not double nothing better is known.  INFINITY: it falls, so that f is
 * not convex, or f is not smooth over such steps. */
double lr_truncation_error(const lr_policy *P, const lr_two_lengths *two);

/* Whether the gradient at the start is so much smaller than the one first
 * measured there that this was error. */
bool lr_certificate_stationary_start(const lr_policy *P, double bound,
                                     double first);

/* Whether a bound on |g| means anything: f changes along a finite difference
 * by little of what the run has decreased it by. */
bool lr_certificate_smooth(const lr_policy *P, double change, double decrease);

/* Whether the error of a gradient leaves no room below the tolerance, so that
 * no smaller gradient would be certified. */
bool lr_certificate_error_hides(const lr_policy *P, double error, double tol);

/* ---- a run that has stalled ---- */

/* Whether it measures the gradient at its end (once more), which costs `price`
 * evaluations; `spent`: by the run so far; `at_start`: no value was lower than
 * the first, so that all that the run can tell is whether it began at a
 * minimum.
 */
bool lr_certificate_closes(const lr_policy *P, int looks, bool at_start,
                           double price, double spent);

/* The factor on the length of the next differences, 1 for none: over them a
 * slope of that size changes f by `change`, and its values are off by `error`.
 */
double lr_certificate_shorter_steps(const lr_policy *P, double change,
                                    double error);

#endif
