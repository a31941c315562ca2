/* What steps have shown of the curvature of F: a tensor model of few terms
 * (Schnabel and Frank).
 *
 * A step s whose linear model was off by e tells F'' along s.  Of all second
 * derivatives that explain e those of least norm are e (s's)^2 / |s|^4, so that
 * F(z) is corrected by the sum of b (u'z)^2 over the last steps, u being the
 * unit vector along the step and b what the others had left of its error.
 *
 * Known here: the terms.  Not known: J and its uncertainty. */
#ifndef LR_RESIDUAL_BENDS_H
#define LR_RESIDUAL_BENDS_H

#include <lrgd/lrgd.h>

#include <stdbool.h>

typedef struct lr_bends {
  lrgd_allocator allocator;
  size_t m;            /* residuals */
  size_t most, steps;  /* directions and steps there may be; 0: no terms */
  double least;        /* a term that explains less of an error is not judged */
  size_t count, taken; /* terms; and steps ever taken in */
  double *u;           /* most x steps: unit vectors, zero beyond the last
                          direction */
  double *b;           /* m x steps */
  double *q;           /* m: scratch */
} lr_bends;

void lr_bends_init(lr_bends *B, size_t m, const lrgd_allocator *a);
void lr_bends_clear(lr_bends *B);
void lr_bends_forget(lr_bends *B);

/* All z have k numbers; the first n of m residuals bend. */

/* r += what the terms are at z. */
void lr_bends_add(const lr_bends *B, size_t k, size_t n, const double *z,
                  double *r);
/* Adds the derivatives of the terms at z to A, m x k, and to b, m numbers, what
 * linear models there add to the value at the base. */
void lr_bends_linearise(const lr_bends *B, size_t k, const double *z, double *A,
                        double *b);
/* A step to z was off by e with the terms: they are scaled down to the share
 * (0 to 1) that fits best, and e is what it would have been. */
void lr_bends_judge(lr_bends *B, size_t k, size_t n, const double *z,
                    double *e);
/* Takes in a step to z, of whose error e `share` is curvature. */
LRGD_MUST_CHECK lrgd_status lr_bends_take(lr_bends *B, size_t k, size_t n,
                                          const double *z, double share,
                                          const double *e);
/* The directions are turned: z becomes W'z, W being k x n; y: scratch, n
 * numbers. */
void lr_bends_turn(lr_bends *B, size_t k, const double *W, size_t n, double *y);
/* Direction j becomes scale[j] times as long. */
void lr_bends_stretch(lr_bends *B, size_t k, const double *scale);

#endif
