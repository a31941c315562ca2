/* Decisions of derivative-free optimisation: the trust-region radius, geometry
 * steps, the scale of coordinates, and when gradients take over.  Each is a
 * function of what was seen and of the policy, and of nothing else.
 *
 * As in Powell's BOBYQA (report DAMTP 2009/NA06) there are two radii: steps are
 * no longer than the trust-region radius, which adapts to every step; the
 * resolution is its lower bound, and only ever decreases. */
#ifndef LR_DFO_RULES_H
#define LR_DFO_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- the trust region ---- */

/* Whether interpolation suits problems of p dimensions. */
bool lr_dfo_suits(const lr_policy *P, size_t p);

/* Whether p dimensions are few (`small` below): then a model may have all the
 * points that determine a quadratic, and needs no box. */
bool lr_dfo_is_small(const lr_policy *P, size_t p);
size_t lr_dfo_points(const lr_policy *P, size_t p);

/* The first trust region. */
double lr_dfo_first_radius(const lr_policy *P, bool boxed);

/* Whether a step with this reduction ratio (actual over predicted decrease)
 * was a success. */
bool lr_dfo_accepts(const lr_policy *P, double ratio);

/* The radius, or the resolution where it is hardly larger. */
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

/* Whether `failures` steps in a row at the resolution call for a finer one;
 * that; and the radius with which it begins. */
bool lr_dfo_refines(const lr_policy *P, int failures);
double lr_dfo_finer(const lr_policy *P, bool small, double resolution);
double lr_dfo_finer_radius(const lr_policy *P, double resolution);

/* Whether nothing is left for interpolation: the last `singular` systems had no
 * solution, or the resolution is fine enough for gradients. */
bool lr_dfo_ends(const lr_policy *P, bool small, int singular,
                 double resolution);

/* Whether a minimum of the model is the one of f for all that values tell: it
 * promises next to nothing of what was gained so far, or rounding errors. */
bool lr_dfo_is_at_minimum(const lr_policy *P, double predicted, double gained,
                          double rounding);

/* Whether the model is accurate enough for a finer resolution without better
 * geometry: its last errors are small beside the change of f over a step of the
 * resolution, by the curvature along a step of that length, in resolutions,
 * which promises the decrease `predicted`. */
bool lr_dfo_is_accurate(const lr_policy *P, const double errors[3],
                        double predicted, double length);

/* Evaluations that interpolation has in few dimensions. */
double lr_dfo_small_budget(const lr_policy *P, size_t p);

/* Evaluations that it has with points of another opening, after which the
 * iterates follow a valley; and the resolution with which it begins there. */
size_t lr_dfo_further_budget(const lr_policy *P, size_t p);
double lr_dfo_further_resolution(const lr_policy *P, double radius);

/* Whether it may go on after so many times p evaluations. */
bool lr_dfo_may_go_on(const lr_policy *P, int rounds);

/* Whether interpolation pays, f[0..reached] being the lowest values at the
 * start and after p/2, p, 2 p and 3 p evaluations: see the rows dfo_early_gain
 * and dfo_late_gain.  As long as the resolution is the first one, steps may
 * just be too long. */
bool lr_dfo_pays(const lr_policy *P, const double *f, int reached,
                 double resolution);

/* ---- the trust-region subproblem ---- */

/* Whether conjugate gradients go on, by squares of residuals. */
bool lr_dfo_cg_goes_on(const lr_policy *P, double residual, double first);

/* Whether another arc along the boundary is tried after one that decreased the
 * model by `gain`, the whole step by `all`. */
bool lr_dfo_turns_again(const lr_policy *P, double gain, double all);

/* The angle between samples on an arc of the boundary of that angle. */
double lr_dfo_arc_unit(const lr_policy *P, double angle);

/* ---- the interpolation system ---- */

/* Whether its inverse is still accurate: after so many updates of rank two, the
 * best point being so far from the origin, in units of that inverse. */
bool lr_dfo_system_holds(const lr_policy *P, size_t updates, size_t p,
                         double distance, double radius, double unit);

/* ---- the first values ---- */

/* w[i] becomes the scale of coordinate i: w[i]^power over the mean of these,
 * within the range of the policy.  False: w has no such mean. */
bool lr_dfo_scales(const lr_policy *P, size_t p, double power, double *w);

/* The next trial step along a coordinate in [0, 1] where the last, h from x,
 * failed: to the other side if there is room and that was the first, else
 * nearer; and whether there is another attempt. */
double lr_dfo_retry(const lr_policy *P, bool room, double h, int attempt);
bool lr_dfo_tries_again(const lr_policy *P, int attempt);

/* The value above which a first value counts as a failure: `changes` has the n
 * nonzero sizes of changes from f, in ascending order. */
double lr_dfo_first_ceiling(const lr_policy *P, double f, const double *changes,
                            size_t n);

/* The value above which a later one counts as a failure, the first being
 * between low and high. */
double lr_dfo_ceiling(const lr_policy *P, double low, double high);

/* Whether f at the start is a penalty, by which a program says that it could
 * not evaluate: most of the n first values, in ascending order, equal it, and
 * the others are far lower. */
bool lr_dfo_is_penalty(const lr_policy *P, const double *values, size_t n,
                       double f);

/* Whether a decrease is the sum of those of single steps: f is separable. */
bool lr_dfo_adds_up(const lr_policy *P, double decrease, double sum,
                    double scale);

/* Whether so many of p first values rise that they show curvature. */
bool lr_dfo_rises(const lr_policy *P, size_t rises, size_t p);

#endif
