/* Decisions about hidden constraints: when they are searched for, how
 * accurately they are located, when they are accepted.  Pure functions of
 * observations and of the policy. */
#ifndef LR_HIDDEN_RULES_H
#define LR_HIDDEN_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- hidden bounds ---- */

/* Whether to search for a bound after so many consecutive failures. */
bool lr_hidden_is_due(const lr_policy *P, int refused);

/* Whether to search again after so many searches in vain. */
bool lr_hidden_goes_on(const lr_policy *P, int in_vain);

/* Whether so many failed searches and removed bounds suggest a surface. */
bool lr_hidden_suggests_surface(const lr_policy *P, int signs);

/* The next distance at which f must fail for a bound to be accepted; and
 * whether there is another one after so many. */
double lr_hidden_farther(const lr_policy *P, double distance);
bool lr_hidden_fails_again(const lr_policy *P, int trials);

/* The most inputs, of p, that may have bounds on one step. */
size_t lr_hidden_most_inputs(const lr_policy *P, size_t p);

/* Whether a bound is located accurately enough: to within `width`, at that
 * distance from the good point. */
bool lr_hidden_is_located(const lr_policy *P, double width, double distance);

/* ---- hidden surfaces ---- */

/* Whether the run ends after so many consecutive steps, or normals, without a
 * decrease. */
bool lr_surface_ends(const lr_policy *P, int fruitless);

/* Whether to try another step after so many that crossed the surface; and
 * whether that is the last one, before which the normal is measured again. */
bool lr_surface_tries(const lr_policy *P, int steps);

/* The length of the first trial, after a step of length t that crossed the
 * surface; and whether the surface is located between `good` and `bad`. */
double lr_surface_first(const lr_policy *P, double t);
bool lr_surface_is_located(const lr_policy *P, double good, double bad);

/* Whether to try another point inside after so many. */
bool lr_surface_looks_inside(const lr_policy *P, int trials);

/* By how much a step violates the margin to a plane at distance `room`, which
 * it approaches by `along`; and the distance from the plane at which the normal
 * is best measured. */
double lr_surface_excess(const lr_policy *P, double along, double length,
                         double room);
double lr_surface_room(const lr_policy *P, double length);

/* The measurement of the normal, from points at that distance from the surface:
 * the distance h between these points; where the search from each begins and
 * continues, and how many trials it has; and how accurately it locates the
 * surface there and at the middle point. */
double lr_normal_step(const lr_policy *P, double distance);
double lr_normal_reach(const lr_policy *P, double h);
double lr_normal_farther(const lr_policy *P, double reach);
bool lr_normal_tries(const lr_policy *P, int trials);
bool lr_normal_is_located(const lr_policy *P, double width, double h);
bool lr_normal_has_middle(const lr_policy *P, double width, double distance);

/* Whether the surface is a plane, by the ratio of the distances along the
 * inputs to the distance along the step. */
bool lr_normal_agrees(const lr_policy *P, double ratio);

/* Whether f has decreased enough since the normal was measured last. */
bool lr_normal_gained(const lr_policy *P, double decrease, double total);

/* Whether a point of the surface at that distance from the plane, known to
 * within `error`, corrects the normal. */
bool lr_normal_is_off(const lr_policy *P, double distance, double error);

/* The Lagrange multiplier of the plane: the next trial value, whether there is
 * another one, and whether bisection continues. */
double lr_multiplier_next(const lr_policy *P, double multiplier);
bool lr_multiplier_tries(const lr_policy *P, int trials);
bool lr_multiplier_halves(const lr_policy *P, int halvings);

/* Whether a step along the surface differs from the one that crossed it; and
 * whether its predicted decrease is larger than the error of f. */
bool lr_surface_differs(const lr_policy *P, double difference, double length);
bool lr_surface_falls(const lr_policy *P, double predicted, double total,
                      double error);

#endif
