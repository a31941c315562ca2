/* Decisions of line searches and step rules, and of the line searches of
 * models: pure functions of observations and of the policy. */
#ifndef LR_STEP_RULES_H
#define LR_STEP_RULES_H

#include "base/policy.h"

#include <stdbool.h>

/* Armijo's condition for the value f after a step of length t from f0, with the
 * slope < 0 there; values within the noise are equal. */
bool lr_search_falls(const lr_policy *P, double f0, double t, double slope,
                     double noise, double f);

/* The strong Wolfe condition on the slope after a step. */
bool lr_search_is_flat(const lr_policy *P, double slope, double slope0);

/* Whether the length t is near the minimum of the parabola through what is
 * known, at `least`. */
bool lr_search_is_near(const lr_policy *P, double t, double least);

/* The next length after t, the parabola being least at `least`; falls: t met
 * Armijo's condition. */
double lr_search_next(const lr_policy *P, double t, double least, bool falls);

/* The next length where the minimum is beyond t, and nothing else is known. */
double lr_search_beyond(const lr_policy *P, double t);

/* t, kept away from both ends of a bracket that begins at `low` and has that
 * width, which may be negative. */
double lr_search_within(const lr_policy *P, double low, double width, double t);

/* The next length to try where f cannot be evaluated after a step of length t.
 */
double lr_step_retreat(const lr_policy *P, double t);

/* The first length that backtracking tries, t having been accepted last. */
double lr_step_grown(const lr_policy *P, double t);

/* Whether the curvature s'y along a step s, y being the change of the gradient,
 * is positive, and not by rounding: BFGS needs that. */
bool lr_secant_is_convex(const lr_policy *P, double sy, double s, double y);

/* Adam's length after so many steps without a decrease; *waited begins again
 * where it shrinks. */
double lr_adam_length(const lr_policy *P, double length, int *waited);

#endif
