/* Which evaluations a fit uses, and what of it is certain: decisions that are
 * functions of numbers and of the policy, and of nothing else. */
#ifndef LR_FIT_RULES_H
#define LR_FIT_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* Dimensions of the subspace, or all of p where these are few. */
size_t lr_fit_dimensions(const lr_policy *P, size_t p);
/* Derivatives that are fitted, the nearest first. */
size_t lr_fit_most_data(const lr_policy *P);
/* Whether so many derivatives are enough. */
bool lr_fit_has_data(const lr_policy *P, size_t n);

/* Whether a step along an input at x is that of a finite difference. */
bool lr_fit_is_difference(const lr_policy *P, double step, double x);
/* Whether a step along a dense direction from a point of norm |x| may be one.
 */
bool lr_fit_is_dense_difference(const lr_policy *P, double step, double norm);

/* Whether differences along so many of p inputs are a gradient. */
bool lr_fit_is_gradient(const lr_policy *P, size_t inputs, size_t p);

/* The truncation error of a one-sided difference whose quotient is d. */
double lr_fit_difference_error(const lr_policy *P, double d);

/* Whether a direction is new: the norm of its part outside W, relative to it.
 */
bool lr_fit_is_new(const lr_policy *P, double outside, double norm);
/* Whether a direction lies in W: the share of its norm inside. */
bool lr_fit_lies_inside(const lr_policy *P, double share);

/* Whether a step lies in the span of gradients, so that it was one of
 * quasi-Newton: the share of its norm there. */
bool lr_fit_is_newton(const lr_policy *P, double share);

/* Whether an eigenvalue is above rounding; and known: it differs from zero by
 * several posterior standard deviations.  A model that takes an unknown
 * eigenvalue for a small one takes long steps along it. */
bool lr_fit_above_rounding(const lr_policy *P, double lambda, double largest);
bool lr_fit_is_certain(const lr_policy *P, double lambda, double deviation);
/* The largest standard deviation of a curvature along a random direction that
 * is known.  Along these all curvatures are of one size, and known well or not
 * at all. */
double lr_fit_most_deviation(const lr_policy *P, double curvature);

/* Evaluations at the end of a run that show whether an embedding was running:
 * it may have waited for one gradient. */
size_t lr_fit_window(const lr_policy *P, size_t p);
/* Whether so many differences along dense directions are those of an embedding.
 */
bool lr_fit_is_embedding(const lr_policy *P, size_t dense, size_t all);

/* Whether a derivative is far larger than nearer ones predict.  Those of a
 * quadratic grow with the distance, and no faster; a penalty or a jump would
 * dominate the fit. */
bool lr_fit_is_outlier(const lr_policy *P, double d, double predicted);

/* By how much two answers of one function at one point may differ: f is the
 * known value, after that descent. */
double lr_fit_agreement(const lr_policy *P, double f, double descent,
                        double noise);
/* Whether a difference between two answers at one point may be noise; gained:
 * by how much f fell, or its size. */
bool lr_fit_may_be_noise(const lr_policy *P, double difference, double gained);

#endif
