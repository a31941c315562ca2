/* Decisions of derivative-free optimisation: the trust-region radius, geometry
 * steps, the scale of coordinates, and when gradients take over.  Pure
 * functions of observations and of the policy.
 *
 * As in Powell's BOBYQA (report DAMTP 2009/NA06) there are two radii: the
 * trust-region radius bounds the length of steps and adapts to every step; the
 * resolution is its lower bound, and only ever decreases. */
#ifndef LR_DFO_RULES_H
#define LR_DFO_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- the trust region ---- */

/* Whether interpolation suits p dimensions. */
bool lr_dfo_suits(const lr_policy *P, size_t p);

/* Whether p is small: then a model may have all the points that determine a
 * quadratic, and needs no box.  (`small` below.) */
bool lr_dfo_is_small(const lr_policy *P, size_t p);
size_t lr_dfo_points(const lr_policy *P, size_t p);

/* The first trust-region radius. */
double lr_dfo_first_radius(const lr_policy *P, bool boxed);

/* Whether a step with this reduction ratio (actual over predicted decrease)
 * was a success. */
bool lr_dfo_accepts(const lr_policy *P, double ratio);

/* The trust-region radius; the resolution where it is hardly larger than
 * that. */
double lr_dfo_radius(const lr_policy *P, double radius, double resolution);

/* The radius after a step of that length and reduction ratio. */
double lr_dfo_next_radius(const lr_policy *P, double radius, double resolution,
                          double step, double ratio);

/* Whether a step is too short to be evaluated, and the radius after it. */
bool lr_dfo_too_short(const lr_policy *P, double step, double resolution);
double lr_dfo_short_radius(const lr_policy *P, double radius,
                           double resolution);

/* Whether a point so far from the best one needs a geometry step, and how long
 * that may be. */
bool lr_dfo_is_far(const lr_policy *P, bool small, double distance,
                   double radius, double resolution);
double lr_dfo_geometry_radius(const lr_policy *P, double distance,
                              double radius, double resolution);

/* Refinement of the resolution: whether so many consecutive failed steps at the
 * resolution call for it; the next resolution; and the radius it begins
 * with. */
bool lr_dfo_refines(const lr_policy *P, int failures);
double lr_dfo_finer(const lr_policy *P, bool small, double resolution);
double lr_dfo_finer_radius(const lr_policy *P, double resolution);

/* Whether the phase ends: the last `singular` interpolation systems were
 * singular, or the resolution is fine enough for gradients. */
bool lr_dfo_ends(const lr_policy *P, bool small, int singular,
                 double resolution);

/* Whether the model's minimum is that of f as far as values can tell: the
 * predicted decrease is negligible beside the decrease so far, or rounding. */
bool lr_dfo_is_at_minimum(const lr_policy *P, double predicted, double gained,
                          double rounding);

/* Whether the model is accurate enough to refine the resolution without a
 * geometry step: its last errors are small compared with the change of f over a
 * step of the resolution.  That change follows from the curvature along the
 * last step, whose length is given in resolutions and whose predicted decrease
 * is `predicted`. */
bool lr_dfo_is_accurate(const lr_policy *P, const double errors[3],
                        double predicted, double length);

/* The budget of interpolation in few dimensions, in evaluations. */
double lr_dfo_small_budget(const lr_policy *P, size_t p);

/* Evaluations that it has with points of another opening, after which the
 * iterates follow a valley; and the resolution with which it begins there. */
size_t lr_dfo_further_budget(const lr_policy *P, size_t p);
double lr_dfo_further_resolution(const lr_policy *P, double radius);

/* Whether it may go on after so many times p evaluations. */
bool lr_dfo_may_go_on(const lr_policy *P, int rounds);

/* Whether interpolation pays, f[0..reached] being the lowest values at the
 * start and after p/2, p, 2 p and 3 p evaluations: see the rows dfo_early_gain
 * and dfo_late_gain.  At the first resolution it is given more time, as steps
 * may merely be too long. */
bool lr_dfo_pays(const lr_policy *P, const double *f, int reached,
                 double resolution);

/* ---- the trust-region subproblem ---- */

/* Whether conjugate gradients continue, by squares of residuals. */
bool lr_dfo_cg_goes_on(const lr_policy *P, double residual, double first);

/* Whether to follow another arc along the boundary, after one that decreased
 * the model by `gain`, the whole step having decreased it by `all`. */
bool lr_dfo_turns_again(const lr_policy *P, double gain, double all);

/* The angle between samples on an arc of the boundary of that total angle. */
double lr_dfo_arc_unit(const lr_policy *P, double angle);

/* ---- the interpolation system ---- */

/* Whether the inverse of the interpolation matrix is still accurate after so
 * many updates of rank two, with the best point that far from the origin, in
 * units of that inverse. */
bool lr_dfo_system_holds(const lr_policy *P, size_t updates, size_t p,
                         double distance, double radius, double unit);

/* ---- the first values ---- */

/* Replaces w[i] by the scale of coordinate i: w[i]^power over the mean of
 * these, within the range of the policy.  False: the mean is not positive and
 * finite. */
bool lr_dfo_scales(const lr_policy *P, size_t p, double power, double *w);

/* The next trial step along a coordinate in [0, 1] after a failure at h from x:
 * the opposite side, if there is room and this was the first attempt, else a
 * shorter one; and whether there is another attempt. */
double lr_dfo_retry(const lr_policy *P, bool room, double h, int attempt);
bool lr_dfo_tries_again(const lr_policy *P, int attempt);

/* The ceiling above which a first value counts as a failure: `changes` holds
 * the n nonzero |changes| from f, in ascending order. */
double lr_dfo_first_ceiling(const lr_policy *P, double f, const double *changes,
                            size_t n);

/* The ceiling for later values, the first ones being between low and high. */
double lr_dfo_ceiling(const lr_policy *P, double low, double high);

/* Whether f at the start is a penalty, which a program returns when it cannot
 * evaluate: most of the n first values, in ascending order, equal it, and the
 * others are far lower. */
bool lr_dfo_is_penalty(const lr_policy *P, const double *values, size_t n,
                       double f);

/* Whether a decrease is the sum of the decreases by single steps: f is
 * separable. */
bool lr_dfo_adds_up(const lr_policy *P, double decrease, double sum,
                    double scale);

/* Whether so many of the p first values are higher that they show curvature. */
bool lr_dfo_rises(const lr_policy *P, size_t rises, size_t p);

#endif
