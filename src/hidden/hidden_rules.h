/* Decisions about hidden constraints: when they are looked for, how well they
 * are located, when they are believed.  Each is a function of what was seen and
 * of the policy, and of nothing else. */
#ifndef LR_HIDDEN_RULES_H
#define LR_HIDDEN_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- hidden bounds ---- */

/* Whether a bound is looked for after so many failures in a row. */
bool lr_hidden_is_due(const lr_policy *P, int refused);

/* Whether more searches are made, after so many in vain. */
bool lr_hidden_goes_on(const lr_policy *P, int in_vain);

/* Whether so many bounds that were not found, or were none, are signs of a
 * surface. */
bool lr_hidden_suggests_surface(const lr_policy *P, int signs);

/* The next distance at which a bound must fail; and whether there is one after
 * so many. */
double lr_hidden_farther(const lr_policy *P, double distance);
bool lr_hidden_fails_again(const lr_policy *P, int trials);

/* Inputs out of p that may have bounds on one step. */
size_t lr_hidden_most_inputs(const lr_policy *P, size_t p);

/* Whether a bound is located well enough: to `width`, so far from the good
 * point. */
bool lr_hidden_is_located(const lr_policy *P, double width, double distance);

/* ---- hidden surfaces ---- */

/* Whether the run ends after so many steps, or normals, in a row that brought
 * nothing. */
bool lr_surface_ends(const lr_policy *P, int fruitless);

/* Whether another step is tried after so many that led beyond; and whether that
 * is the last, which measures the normal again. */
bool lr_surface_tries(const lr_policy *P, int steps);

/* The length of the first trial, before the step of length t that led beyond;
 * and whether the surface is located, between `good` and `bad`. */
double lr_surface_first(const lr_policy *P, double t);
bool lr_surface_is_located(const lr_policy *P, double good, double bad);

/* Whether another point is tried inside, after so many. */
bool lr_surface_looks_inside(const lr_policy *P, int trials);

/* By how much a step comes too near to a plane, `room` away, that it approaches
 * by `along`; and how far a point should be from it for the normal. */
double lr_surface_excess(const lr_policy *P, double along, double length,
                         double room);
double lr_surface_room(const lr_policy *P, double length);

/* The normal, measured from points that far from the surface: the distance h
 * between these; where the search from one of them begins and where it looks
 * next, while it has trials; and to what it locates the surface there and at
 * the middle. */
double lr_normal_step(const lr_policy *P, double distance);
double lr_normal_reach(const lr_policy *P, double h);
double lr_normal_farther(const lr_policy *P, double reach);
bool lr_normal_tries(const lr_policy *P, int trials);
bool lr_normal_is_located(const lr_policy *P, double width, double h);
bool lr_normal_has_middle(const lr_policy *P, double width, double distance);

/* Whether it is that of a plane, by the ratio of what was measured along inputs
 * to what was found along the step. */
bool lr_normal_agrees(const lr_policy *P, double ratio);

/* Whether f decreased enough since it was measured last. */
bool lr_normal_gained(const lr_policy *P, double decrease, double total);

/* Whether a point that far from the plane, known to `error`, corrects it. */
bool lr_normal_is_off(const lr_policy *P, double distance, double error);

/* The Lagrange multiplier of the plane: the next trial value, whether there is
 * one, and whether bisection goes on. */
double lr_multiplier_next(const lr_policy *P, double multiplier);
bool lr_multiplier_tries(const lr_policy *P, int trials);
bool lr_multiplier_halves(const lr_policy *P, int halvings);

/* Whether a step along the surface is another than that which led beyond; and
 * whether its predicted decrease is one, beside the error of f. */
bool lr_surface_differs(const lr_policy *P, double difference, double length);
bool lr_surface_falls(const lr_policy *P, double predicted, double total,
                      double error);

#endif
