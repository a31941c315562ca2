/* Decisions about moves that all methods share: functions of what was seen and
 * of the policy, and of nothing else. */
#ifndef LR_SOLVER_RULES_H
#define LR_SOLVER_RULES_H

#include "base/policy.h"

#include <stdbool.h>

/* Whether a move that led to no gradient may be halved once more. */
bool lr_solver_halves(const lr_policy *P, int halvings);

/* Whether f is linear along so many moves in a row that left the gradient as
 * it was. */
bool lr_solver_is_linear(const lr_policy *P, int moves);

/* Whether two gradient norms along a path are the same but for rounding. */
bool lr_solver_same_gradient(const lr_policy *P, double now, double before);

/* How many times as far ahead the next point along a linear f is. */
double lr_solver_farther(const lr_policy *P);

/* Whether a sample point that has no gradient may be drawn nearer once more. */
bool lr_solver_resamples(const lr_policy *P, int halvings);

/* Whether a gradient of that norm, small in the subspace, has a part outside it
 * that is more than the error of the norm. */
bool lr_solver_misses(const lr_policy *P, double norm, double error);

/* How much lower than a certified point a value may be by noise alone, or by
 * rounding; size: of f. */
double lr_solver_chance(const lr_policy *P, double size, double descent,
                        double noise);

/* Whether a lower value at that distance belongs to the differences that have
 * certified a point, whose step is h: it is as near as these, or lower by next
 * to nothing. */
bool lr_solver_is_neighbour(const lr_policy *P, double away, double h,
                            double lower, double descent);

/* Whether a point at that distance is beside another of that size. */
bool lr_solver_is_beside(const lr_policy *P, double away, double size);

/* The tolerance where the user gives none, from the first gradient norm. */
double lr_solver_default_tolerance(const lr_policy *P, double grad_norm);
/* The gradient norm from which a tolerance was derived so. */
double lr_solver_first_gradient(const lr_policy *P, double tolerance);

/* Whether f is above the best value by more than noise makes it. */
bool lr_solver_is_above(const lr_policy *P, double f, double best,
                        double noise);

/* The distance between values that are compared with a gradient. */
double lr_solver_check_step(const lr_policy *P, double size);

/* The error of a slope from two values of that size, t apart. */
double lr_solver_check_error(const lr_policy *P, double size, double noise,
                             double t);

/* Whether slopes of f ahead of a point and behind it, each known to the error,
 * contradict the slope that is told: f is smooth there, and they differ. */
bool lr_solver_contradicts(const lr_policy *P, double told, double ahead,
                           double behind, double error);

#endif
