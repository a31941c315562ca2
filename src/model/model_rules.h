/* Decisions of the quadratic model in a subspace: which curvatures count, which
 * updates are made, how long steps and searches are.  Pure functions of
 * observations and of the policy. */
#ifndef LR_MODEL_RULES_H
#define LR_MODEL_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- curvatures ---- */

/* The least curvature that Newton's step divides by. */
double lr_model_least_curvature(const lr_policy *P, double largest);

/* The curvature below which an eigenvalue was not measured, but results from
 * updates. */
double lr_model_known_curvature(const lr_policy *P, double largest);

/* The least curvature assumed outside V in a box. */
double lr_model_outside_curvature(const lr_policy *P, double c, double largest);

/* ---- secant updates ---- */

/* Whether errors explain the change of k derivatives. */
bool lr_model_change_is_noise(const lr_policy *P, double change, size_t k,
                              double error);

/* A secant pair: the step s, the change y of the derivatives, and the model's
 * B. */
typedef struct lr_secant_view {
  double ss, sy, yy, sBs;
  double largest; /* the largest curvature so far */
} lr_secant_view;

/* Whether the pair suits a BFGS update. */
bool lr_model_suits_bfgs(const lr_policy *P, const lr_secant_view *v);

/* Whether an SR1 update by w = y - Bs leaves the Hessian bounded. */
bool lr_model_suits_sr1(const lr_policy *P, double ws, double ww,
                        double largest);

/* The number of directions that a full V of k discards. */
size_t lr_model_forgotten(const lr_policy *P, size_t k);

/* Whether noise is large compared with the decrease so far. */
bool lr_model_noise_matters(const lr_policy *P, double noise, double gained);

/* ---- line searches ---- */

/* Whether a line search has another trial after so many. */
bool lr_model_tries(const lr_policy *P, int trials);

/* How many lengths of a line search are evaluated in a round of that width. */
size_t lr_model_lengths(const lr_policy *P, size_t width);

/* The minimum of the parabola with that derivative at 0 that rises by `rise` at
 * `length`; *bend: its curvature, times the length squared. */
double lr_model_parabola(const lr_policy *P, double rise, double length,
                         double slope, double *bend);

/* Whether a line search ends with a length that decreased f, the parabola
 * having its minimum at `least`; by_gradient: a trial costs as much as a
 * gradient. */
bool lr_model_search_ends(const lr_policy *P, double length, double least,
                          double bend, int trials, bool by_gradient);

/* Whether f has jumped up where it rose, `linear` being derivative times
 * length. */
bool lr_model_is_cliff(const lr_policy *P, double rise, double linear,
                       double gained);

/* The longest step while the model is not trusted. */
double lr_model_longest(const lr_policy *P, double longest, bool bounded);

/* Whether a decrease confirms the model's prediction. */
bool lr_model_predicts(const lr_policy *P, double decrease, double predicted,
                       double noise);

/* ---- measured curvatures ---- */

/* Whether a second difference exceeds the errors of f. */
bool lr_model_sees_curvature(const lr_policy *P, double difference,
                             double error);
/* The step to try next for a curvature, where a step of h showed none, or f had
 * no value there (`failed`). */
double lr_model_curvature_step(const lr_policy *P, double h, bool failed);
/* Whether bounds leave enough of a step of length h. */
bool lr_model_leaves_enough(const lr_policy *P, double left, double h);

/* The step of second differences along random directions, c being the mean
 * curvature along coordinates. */
double lr_model_trace_step(const lr_policy *P, double error, double c);

/* ---- new directions ---- */

/* The shortest step along a new direction by which its column of the Hessian
 * can be measured; V has k directions, the base is `away` from the start,
 * values have the given error, and the curvature is c. */
double lr_model_shortest(const lr_policy *P, double away, size_t k,
                         double error, double c);
/* The error of values that is assumed for the first step along which curvature
 * is measured. */
double lr_model_value_error(const lr_policy *P, double noise, double f);
/* The value above which such a step was too long, the highest value so far
 * being `f`. */
double lr_model_column_ceiling(const lr_policy *P, double f, double error);
/* The length tried after one that was too long, the parabola having its minimum
 * at `least`. */
double lr_model_column_retreat(const lr_policy *P, double length, double least);
/* Whether the measured curvature along the direction agrees with the expected
 * one. */
bool lr_model_bends(const lr_policy *P, double bend, double c, double length);

/* ---- bounds ---- */

/* Whether bounds have shortened a step of length t; and whether a part of it is
 * outside V; both by more than rounding. */
bool lr_model_is_cut(const lr_policy *P, double length, double t);
bool lr_model_is_outside(const lr_policy *P, double part, double length);

/* Whether the minimisation of the model continues on another face of the box,
 * from a projected gradient of that norm. */
bool lr_model_visits(const lr_policy *P, int faces, double norm, double first);

/* For a unit direction whose part without the coordinates at active bounds has
 * the norm `norm`, squared `square`: whether that part lies in the face of the
 * others; */
bool lr_model_in_face(const lr_policy *P, double square);
/* Whether the derivative along it is worth an evaluation. */
bool lr_model_measures(const lr_policy *P, double norm);
/* Whether its curvature corrects the gradient. */
bool lr_model_corrects(const lr_policy *P, double square);

/* The ratio of the true change of the gradient along the step to the model's,
 * by the part that was measured: `expected`, and the excess `more`. */
double lr_model_strength(const lr_policy *P, double expected, double more);

#endif
