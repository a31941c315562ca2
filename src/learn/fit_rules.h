/* Which evaluations a fit uses, and which results are certain: pure functions
 * of numbers and of the policy. */
#ifndef LR_FIT_RULES_H
#define LR_FIT_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* Dimensions of the subspace, or all of p where these are few. */
size_t lr_fit_dimensions(const lr_policy *P, size_t p);
/* The number of derivatives that are fitted, the nearest first. */
size_t lr_fit_most_data(const lr_policy *P);
/* Whether so many derivatives are enough. */
bool lr_fit_has_data(const lr_policy *P, size_t n);

/* Whether a step along an input at x has the length of a finite difference. */
bool lr_fit_is_difference(const lr_policy *P, double step, double x);
/* Whether a step along a dense direction from a point of norm |x| has the
 * length of a finite difference. */
bool lr_fit_is_dense_difference(const lr_policy *P, double step, double norm);

/* Whether differences along so many of the p inputs count as a gradient. */
bool lr_fit_is_gradient(const lr_policy *P, size_t inputs, size_t p);

/* The truncation error of a one-sided difference whose quotient is d. */
double lr_fit_difference_error(const lr_policy *P, double d);

/* Whether a direction extends W: `outside` is the norm of its part outside. */
bool lr_fit_is_new(const lr_policy *P, double outside, double norm);
/* Whether a direction lies in W: share = |its part inside| / |it|. */
bool lr_fit_lies_inside(const lr_policy *P, double share);

/* Whether a step was one of quasi-Newton, since it lies in the span of
 * gradients: share as above. */
bool lr_fit_is_newton(const lr_policy *P, double share);

/* Whether an eigenvalue is above rounding; and whether it is known, as it
 * differs from zero by several posterior standard deviations.  A model with an
 * unknown eigenvalue that is estimated as small takes long steps along it. */
bool lr_fit_above_rounding(const lr_policy *P, double lambda, double largest);
bool lr_fit_is_certain(const lr_policy *P, double lambda, double deviation);
/* The largest standard deviation at which a curvature along a random direction
 * counts as known.  Curvatures along random directions are of similar size, so
 * that all are known well or none is. */
double lr_fit_most_deviation(const lr_policy *P, double curvature);

/* The number of last evaluations that are examined for an embedding: it may
 * have waited for one gradient. */
size_t lr_fit_window(const lr_policy *P, size_t p);
/* Whether so many differences along dense directions, out of all, are those of
 * an embedding. */
bool lr_fit_is_embedding(const lr_policy *P, size_t dense, size_t all);
/* Whether so many directions, of all its evaluations, are those of an embedding
 * in coordinates mapped into a box. */
bool lr_fit_is_folded(const lr_policy *P, size_t directions, size_t all);

/* The most gradients at sample points that a model is made of. */
size_t lr_fit_most_samples(const lr_policy *P, size_t p);
/* Whether f is so nearly quadratic between sample points that differences of
 * gradients serve as columns of the Hessian: `misfit` is the largest error of
 * the predicted values, as a share of the quadratic term. */
bool lr_fit_pairs_agree(const lr_policy *P, double misfit);
/* Whether so much of the decrease was made after the sample points, of which
 * `sample` is the lowest value, that a run continues at the lowest point. */
bool lr_fit_descended(const lr_policy *P, double first, double sample,
                      double lowest);
/* Whether an embedding continues from a model of q directions: each further
 * direction costs more than q values, and a gradient p. */
bool lr_fit_embeds(const lr_policy *P, size_t q, size_t p);

/* Whether a derivative is far larger than nearer ones predict.  Those of a
 * quadratic grow with the distance, and no faster; a penalty or a jump would
 * dominate the fit. */
bool lr_fit_is_outlier(const lr_policy *P, double d, double predicted);

/* The largest difference between two answers at one point that still counts as
 * agreement: f is the known value, `descent` the decrease before it. */
double lr_fit_agreement(const lr_policy *P, double f, double descent,
                        double noise);
/* Whether a difference between two answers at one point may be noise; gained:
 * the decrease of f so far, or the size of f. */
bool lr_fit_may_be_noise(const lr_policy *P, double difference, double gained);

#endif
