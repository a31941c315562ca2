/* Decisions about moves that all methods share: pure functions of observations
 * and of the policy. */
#ifndef LR_SOLVER_RULES_H
#define LR_SOLVER_RULES_H

#include "base/policy.h"

#include <stdbool.h>

/* Whether a move after which no gradient could be evaluated may be halved once
 * more. */
bool lr_solver_halves(const lr_policy *P, int halvings);

/* Whether f looks linear after so many consecutive moves without a change of
 * the gradient. */
bool lr_solver_is_linear(const lr_policy *P, int moves);

/* Whether two gradient norms along a path are the same but for rounding. */
bool lr_solver_same_gradient(const lr_policy *P, double now, double before);

/* The factor between the distances of successive points along a direction in
 * which f looks linear. */
double lr_solver_farther(const lr_policy *P);

/* Whether a sample point without a gradient may be drawn once more, closer. */
bool lr_solver_resamples(const lr_policy *P, int halvings);

/* Whether a gradient that is small in the subspace has a significant part
 * outside, `norm` being that of the whole gradient and `error` its error. */
bool lr_solver_misses(const lr_policy *P, double norm, double error);

/* How much lower than a certified point a value may be by noise alone, or by
 * rounding; size: of f. */
double lr_solver_chance(const lr_policy *P, double size, double descent,
                        double noise);

/* Whether a lower value at the distance `away` belongs to the differences of
 * step h that have certified a point: it is no further away, or lower by a
 * negligible amount. */
bool lr_solver_is_neighbour(const lr_policy *P, double away, double h,
                            double lower, double descent);

/* Whether a point at that distance counts as the same place, x having that
 * size. */
bool lr_solver_is_beside(const lr_policy *P, double away, double size);

/* The tolerance where the user gives none, from the first gradient norm. */
double lr_solver_default_tolerance(const lr_policy *P, double grad_norm);
/* The gradient norm from which a tolerance was derived so. */
double lr_solver_first_gradient(const lr_policy *P, double tolerance);

/* Whether f is above the best value by more than noise explains. */
bool lr_solver_is_above(const lr_policy *P, double f, double best,
                        double noise);

/* The distance between the points by which a gradient is checked. */
double lr_solver_check_step(const lr_policy *P, double size);

/* The error of a derivative from two values of that size at a distance t. */
double lr_solver_check_error(const lr_policy *P, double size, double noise,
                             double t);

/* Whether measured derivatives ahead of a point and behind it, each with that
 * error, contradict the derivative that the user's gradient gives: f is smooth
 * there, and they differ. */
bool lr_solver_contradicts(const lr_policy *P, double told, double ahead,
                           double behind, double error);

#endif
