/* Decisions of the opening by a Gaussian process.  Each is a function of what
 * was seen and of the policy, and of nothing else.  Distances and lengths are
 * in half widths of the box, whose coordinates run from -1 to 1. */
#ifndef LR_SURROGATE_RULES_H
#define LR_SURROGATE_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- the opening ---- */

/* Whether the opening suits p dimensions; its budget of evaluations; and the
 * number of points before its first step. */
bool lr_surrogate_suits(const lr_policy *P, size_t p);
size_t lr_surrogate_budget(const lr_policy *P, size_t p);
size_t lr_surrogate_probes(const lr_policy *P);

/* Whether a start whose coordinates have that standard deviation may be a poor
 * one; and whether another point is tried in search of a lower value, after so
 * many. */
bool lr_surrogate_doubts(const lr_policy *P, double deviation);
bool lr_surrogate_tries_again(const lr_policy *P, size_t tried);

/* ---- the process ---- */

/* The first length of the kernel; candidate number i about the present one; and
 * -log of the prior of a length. */
enum { LR_SURROGATE_LENGTHS = 7 };
double lr_surrogate_first_length(const lr_policy *P, size_t p);
double lr_surrogate_length(const lr_policy *P, double length, int i, size_t p);
double lr_surrogate_length_prior(const lr_policy *P, double length, size_t p);

/* Whether the length is chosen anew with n points; chosen: how many there were
 * when it last was, 0: never. */
bool lr_surrogate_refits(const lr_policy *P, size_t n, size_t chosen);

/* y[i] = s asinh((f[i] - lowest) / s), s being a quantile of f above the
 * lowest, centred and scaled to a variance of 1: straight near the lowest,
 * logarithmic far above.  Returns the scale: near the lowest, a change of f is
 * that of y times it.  scratch: n numbers. */
double lr_surrogate_compress(const lr_policy *P, size_t n, const double *f,
                             double *y, double *scratch);

/* ---- the trust ball ---- */

/* The first radius, and whether a radius is too small to go on. */
double lr_surrogate_first_radius(const lr_policy *P, size_t p);
bool lr_surrogate_is_fine(const lr_policy *P, double radius, size_t p);

/* How many standard deviations below the mean the step with n points known
 * minimises; and the length of its random move. */
double lr_surrogate_kappa(const lr_policy *P, size_t n);
double lr_surrogate_move(const lr_policy *P, double radius);

/* A step: its length, and the decrease that it promised and brought. */
typedef struct lr_surrogate_step {
  double length, promised, decrease;
} lr_surrogate_step;

/* The radius after a step; failures: of steps in a row, updated. */
double lr_surrogate_radius(const lr_policy *P, double radius,
                           const lr_surrogate_step *step, int *failures);

/* ---- the search for a step ---- */

/* Whether spectral projected gradients continue after so many iterations; and
 * whether the directional derivative `along` predicts a decrease that exceeds
 * rounding. */
bool lr_surrogate_searches_on(const lr_policy *P, int turn);
bool lr_surrogate_promises(double along, double value);

/* Whether a value is low enough below the highest of the last ones; whether
 * there is another trial after so many, and its length. */
bool lr_surrogate_falls(const lr_policy *P, double value, double highest,
                        double promised);
bool lr_surrogate_backtracks(const lr_policy *P, int trials);
double lr_surrogate_shorter(const lr_policy *P, double t);

/* The first step along the gradient, by its largest component; and the spectral
 * one, s's / s'y, which follows `last`. */
double lr_surrogate_first_step(const lr_policy *P, double steepest);
double lr_surrogate_spectral(double last, double ss, double sy);

#endif
