/* Lengths and sides of finite differences, and which values they use: pure
 * functions of numbers and of the policy. */
#ifndef LR_DIFFERENCE_RULES_H
#define LR_DIFFERENCE_RULES_H

#include "base/policy.h"

#include <stdbool.h>

/* The longest difference, in units of the size of x.  stretch: see
 * lr_difference_settings. */
double lr_difference_longest(const lr_policy *P, bool noise, double stretch);

/* The one-sided step for the curvature c, `error` being the error of values:
 * the sum of the errors by noise, 2 error / h, and by truncation, c h / 2, is
 * least at h = 2 sqrt(error / c).  longest: in units of scale, the size of x.
 */
double lr_difference_one_sided(const lr_policy *P, double error, double c,
                               double scale, double longest);

/* The two-sided step where the curvature is guessed as c, and the third
 * derivative d as c / scale: error / h + d h^2 / 6 is least at
 * h = cbrt(3 error / d). */
double lr_difference_two_sided(const lr_policy *P, double error, double c,
                               double scale, double longest);

/* The two-sided step over which noise and rounding of all p derivatives are a
 * small part of the tolerance.  on_plane: bounds on a plane may force both
 * points of a difference to one side. */
double lr_difference_resolving(const lr_policy *P, double error, double p,
                               double tol, bool on_plane);

/* Whether the box cuts a step of length h along a direction to a `cut` too
 * short to be of use. */
bool lr_difference_is_cut(const lr_policy *P, double cut, double h);

/* The change of f along a difference above which it is a jump.  f_scale: |f| at
 * the start; error: of values. */
double lr_difference_jump(const lr_policy *P, double f_scale, double error);

/* Whether the changes of f ahead and back are jumps, so that f has no
 * derivative on that side: each compared with the other, or both, as around a
 * hole in a plateau. */
void lr_difference_jumps(const lr_policy *P, double ahead, double back,
                         double jump, bool *ahead_jumps, bool *back_jumps);

/* Whether a multiplier d certainly exceeds its error.  noise2: the variance of
 * its error by noise; truncation2: the square of the bound on its truncation
 * error. */
bool lr_difference_is_active(const lr_policy *P, double d, double noise2,
                             double truncation2);

/* Whether differences that are already `stretch` times as long as at first, and
 * all zero, may be lengthened once more, by the factor P->stretch. */
bool lr_difference_stretches(const lr_policy *P, double stretch);

#endif
