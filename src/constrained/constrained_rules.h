/* Decisions of runs with limits on outputs: pure functions of observations and
 * of the policy. */
#ifndef LR_CONSTRAINED_RULES_H
#define LR_CONSTRAINED_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether p is small enough for models in all inputs.  With bounds that is
 * more: active bounds cut a random subspace off. */
bool lr_con_in_axes(const lr_policy *P, size_t p, bool bounded);
/* The first trust-region radius in directions that involve p inputs each (1:
 * the axes). */
double lr_con_first_radius(const lr_policy *P, double p);
/* The size of an input by the size of its value at the start. */
double lr_con_size(const lr_policy *P, double start);
/* The size of an input between bounds that are 2 * half apart. */
double lr_con_size_in_box(const lr_policy *P, double start, double half);
/* The slope of a model, as far as the steepest difference seen supports it.
 * Displacements leave the span of nearer ones at an angle: along that way, a
 * difference shows at least the sine of the angle times the slope.  A model
 * through distant points may be far steeper than the output is anywhere. */
double lr_con_supported_slope(const lr_policy *P, double model, double seen);
/* Whether the size of an output at the start is negligible, so that it cannot
 * serve as its scale: in the first differences the output reaches `size`. */
bool lr_con_is_negligible(const lr_policy *P, double first, double size);
/* The weight of an output in the merit: of its slope and its scale. */
double lr_con_weight(const lr_policy *P, double slope, double scale);
/* The length of a difference along a new direction. */
double lr_con_difference(const lr_policy *P, double radius);

/* Half the length of the differences of a certificate. */
double lr_con_probe(const lr_policy *P);
/* The share of its scale to which a limit is reached, where a run that has not
 * converged tells its multiplier. */
double lr_con_reached(const lr_policy *P);
/* Which points the models use; see lr_output_choice in output_model.h. */
double lr_con_angle(const lr_policy *P);
double lr_con_near(const lr_policy *P);
double lr_con_far(const lr_policy *P, bool axes);

/* The first weight of violations in the merit function. */
double lr_con_first_penalty(const lr_policy *P);
/* Whether the penalty is too small: a step leaves the violation `left`, where
 * `least` can be reached and `here` was there before; violations up to `small`
 * count as none. */
bool lr_con_leaves_too_much(const lr_policy *P, double left, double least,
                            double here, double small);
double lr_con_raised(const lr_policy *P, double penalty);

/* Whether the models can decrease the violation `here` within the trust region,
 * by `fall`. */
bool lr_con_violation_falls(const lr_policy *P, double fall, double here,
                            double radius);
/* Whether the run ends as infeasible, after so many consecutive steps without a
 * decrease of violations. */
bool lr_con_is_infeasible(const lr_policy *P, size_t stuck);
/* Whether a step of this reduction ratio was poor. */
bool lr_con_is_poor(const lr_policy *P, double ratio);
/* The radius after a step that was not poor; length: in radii. */
double lr_con_next_radius(const lr_policy *P, double radius, double ratio,
                          double length);
/* Whether the trust region has a floor, in so many directions, and the floor
 * after one at which the models cannot be improved. */
bool lr_con_has_floor(const lr_policy *P, size_t n);
double lr_con_lowered(const lr_policy *P, double floor);
double lr_con_shrunk(const lr_policy *P, double radius);
/* The radius after a step of this length, in radii, which was too short to be
 * evaluated. */
double lr_con_short_radius(const lr_policy *P, double radius, double length);
bool lr_con_is_short(const lr_policy *P, double length);
bool lr_con_too_small(const lr_policy *P, double radius, double first);

/* Whether a new direction is added, the expected derivative of the Lagrangian
 * along it being `outside`. */
bool lr_con_takes_direction(const lr_policy *P, double outside, double inside);
/* Whether a certificate is worth its evaluations, so many having been tried. */
bool lr_con_may_certify(const lr_policy *P, double slope, double tol,
                        size_t looks);

#endif
