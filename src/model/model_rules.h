/* Decisions of the quadratic model in a subspace: which curvatures count, which
 * updates are made, how long steps and searches are.  Each is a function of
 * what was seen and of the policy, and of nothing else. */
#ifndef LR_MODEL_RULES_H
#define LR_MODEL_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- curvatures ---- */

/* The least curvature that Newton's step divides by. */
double lr_model_least_curvature(const lr_policy *P, double largest);

/* The curvature below which none has been measured, only made by updates. */
double lr_model_known_curvature(const lr_policy *P, double largest);

/* The least curvature outside V in a box. */
double lr_model_outside_curvature(const lr_policy *P, double c, double largest);

/* ---- secant updates ---- */

/* Whether errors explain the change of k slopes. */
bool lr_model_change_is_noise(const lr_policy *P, double change, size_t k,
                              double error);

/* A secant pair: the step s, the change y of the slopes, and the model's B. */
typedef struct lr_secant_view {
  double ss, sy, yy, sBs;
  double largest; /* curvature so far */
} lr_secant_view;

/* Whether the pair suits a BFGS update. */
bool lr_model_suits_bfgs(const lr_policy *P, const lr_secant_view *v);

/* Whether an SR1 update by w = y - Bs leaves the Hessian bounded. */
bool lr_model_suits_sr1(const lr_policy *P, double ws, double ww,
                        double largest);

/* Directions that a full V of k forgets. */
size_t lr_model_forgotten(const lr_policy *P, size_t k);

/* Whether noise is large beside what was gained. */
bool lr_model_noise_matters(const lr_policy *P, double noise, double gained);

/* ---- line searches ---- */

/* Whether a search has another trial after so many. */
bool lr_model_tries(const lr_policy *P, int trials);

/* The minimum of the parabola with that slope at 0 and a change of f by `rise`
 * at `length`; *bend: its curvature there, times the length squared. */
double lr_model_parabola(const lr_policy *P, double rise, double length,
                         double slope, double *bend);

/* Whether a search is content with a length that decreased f, the parabola
 * being least at `least`; by_gradient: a trial costs as much as a gradient. */
bool lr_model_search_ends(const lr_policy *P, double length, double least,
                          double bend, int trials, bool by_gradient);

/* Whether f has met a cliff where it rose, `linear` being slope times length.
 */
bool lr_model_is_cliff(const lr_policy *P, double rise, double linear,
                       double gained);

/* The longest step without a trusted model. */
double lr_model_longest(const lr_policy *P, double longest, bool bounded);

/* Whether a decrease confirms the model's prediction. */
bool lr_model_predicts(const lr_policy *P, double decrease, double predicted,
                       double noise);

/* ---- measured curvatures ---- */

/* Whether a second difference is more than errors of f. */
bool lr_model_sees_curvature(const lr_policy *P, double difference,
                             double error);
/* The step to try next for a curvature, where a step of h showed none, or f had
 * no value there (`failed`). */
double lr_model_curvature_step(const lr_policy *P, double h, bool failed);
/* Whether bounds leave enough of a step. */
bool lr_model_leaves_enough(const lr_policy *P, double left, double h);

/* The step of second differences along random directions, c being the mean
 * curvature along a coordinate. */
double lr_model_trace_step(const lr_policy *P, double error, double c);

/* ---- new directions ---- */

/* The shortest step along a new direction by which its column of the Hessian
 * can be measured; k directions, `away` from the start, error of values,
 * curvature c. */
double lr_model_shortest(const lr_policy *P, double away, size_t k,
                         double error, double c);
/* The error of values, for the first step along which curvature is measured. */
double lr_model_value_error(const lr_policy *P, double noise, double f);
/* The value above which such a step is too long, f having been `f` at most. */
double lr_model_column_ceiling(const lr_policy *P, double f, double error);
/* The step after one that was, the parabola being least at `least`. */
double lr_model_column_retreat(const lr_policy *P, double length, double least);
/* Whether f has the curvature along it that was expected. */
bool lr_model_bends(const lr_policy *P, double bend, double c, double length);

/* ---- bounds ---- */

/* Whether a step of length t was cut to another by bounds; and whether a part
 * of it is outside V; both by more than rounding. */
bool lr_model_is_cut(const lr_policy *P, double length, double t);
bool lr_model_is_outside(const lr_policy *P, double part, double length);

/* Whether the minimisation of the model goes on to another face of the box,
 * from a projected gradient of that norm. */
bool lr_model_visits(const lr_policy *P, int faces, double norm, double first);

/* A unit direction without its coordinates at active bounds has the norm
 * `norm`, squared `square`.  Whether it lies in the face of the others: */
bool lr_model_in_face(const lr_policy *P, double square);
/* ... whether the derivative along it is worth a measurement: */
bool lr_model_measures(const lr_policy *P, double norm);
/* ... whether its curvature corrects the gradient: */
bool lr_model_corrects(const lr_policy *P, double square);

/* How much stronger than the model's the change of the gradient was along the
 * step, by the measured part of it: `expected` and by how much it was more. */
double lr_model_strength(const lr_policy *P, double expected, double more);

#endif
