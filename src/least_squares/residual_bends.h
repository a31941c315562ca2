/* The curvature of F that steps have measured: a tensor model of few terms
 * (Schnabel and Frank).
 *
 * If the linear model was off by e at the end of a step s, e is F'' along s.
 * Of all second derivatives that explain e, those of least norm are e (s's)^2 /
 * |s|^4, so that F(z) is corrected by the sum of b (u'z)^2 over the last steps;
 * u is the unit vector along the step, and b the part of its error that earlier
 * terms had not explained.
 *
 * This file knows the terms, not J and its uncertainty. */
#ifndef LR_RESIDUAL_BENDS_H
#define LR_RESIDUAL_BENDS_H

#include <lrgd/lrgd.h>

#include <stdbool.h>

typedef struct lr_bends {
  lrgd_allocator allocator;
  size_t m;           /* residuals */
  size_t most, steps; /* capacity in directions and steps; 0: no terms */
  double least; /* terms that explain less of an error are not judged by it */
  size_t count, taken; /* terms; and steps added so far */
  double *u; /* most x steps: unit vectors, zero in directions added later */
  double *b; /* m x steps */
  double *q; /* m: scratch */
} lr_bends;

void lr_bends_init(lr_bends *B, size_t m, const lrgd_allocator *a);
void lr_bends_clear(lr_bends *B);
void lr_bends_forget(lr_bends *B);

/* In these functions z has k numbers, and the first n of m residuals have
 * terms. */

/* r += the terms at z. */
void lr_bends_add(const lr_bends *B, size_t k, size_t n, const double *z,
                  double *r);
/* Linearises the terms at z: adds their derivatives to A, m x k, and what the
 * linear models add to the value at the base to b, m numbers. */
void lr_bends_linearise(const lr_bends *B, size_t k, const double *z, double *A,
                        double *b);
/* Judges the terms by a step to z, e being the error of the model with them:
 * scales them by the factor in 0..1 that fits best; e becomes the error with
 * the scaled terms. */
void lr_bends_judge(lr_bends *B, size_t k, size_t n, const double *z,
                    double *e);
/* Adds the term of a step to z, `share` of whose error e is curvature. */
LRGD_MUST_CHECK lrgd_status lr_bends_take(lr_bends *B, size_t k, size_t n,
                                          const double *z, double share,
                                          const double *e);
/* Changes the directions: z becomes W'z, W being k x n; y: scratch, n
 * numbers. */
void lr_bends_turn(lr_bends *B, size_t k, const double *W, size_t n, double *y);
/* Rescales the directions: coordinate j becomes scale[j] times as long. */
void lr_bends_stretch(lr_bends *B, size_t k, const double *scale);

#endif
