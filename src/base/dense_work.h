/* What the decompositions share: scratch, scaling, Householder reflections.
 * This file knows dense matrices, not who decomposes them. */
#ifndef LR_DENSE_WORK_H
#define LR_DENSE_WORK_H

#include "base/dense.h"

#include <math.h>
#include <stdbool.h>

enum {
  LR_STRIP = 16, /* rows of a matrix to which rotations are applied at once */
  LR_BLOCK = 32, /* reflections that are applied at once */
};

struct lr_dense {
  lrgd_allocator allocator;
  size_t n, ld;   /* rows of S: at least n, a multiple of LR_STRIP and 8 more */
  double *S;      /* ld x n */
  double *vector; /* 6 n numbers: vectors of the present decomposition */
  double *turns;  /* 2 * 16 n numbers: cosines and sines */
  size_t *order;  /* 2 n numbers: permutations */
};

/* sqrt(a^2 + b^2), without over- or underflow on the way. */
static inline double lr_length(double a, double b)
{
  double x = fabs(a), y = fabs(b), m = x > y ? x : y;
  if (m > 1e-140 && m < 1e150) return sqrt(a * a + b * b);
  if (!(m > 0)) return 0;
  int e = ilogb(m);
  a = scalbn(a, -e);
  b = scalbn(b, -e);
  return scalbn(sqrt(a * a + b * b), e);
}

/* Divides m x m numbers by a power of two that brings the largest to [1, 2)
 * and returns that power; 0 for a zero matrix; -1 where one is not finite. */
double lr_scale_down(double *A, size_t count);

/* Scales back; numbers that would overflow become the largest double. */
void lr_scale_up(double *s, size_t m, double scale);

/* The reflection H = I - tau v v', v[0] = 1, with H x = beta e_1: x becomes v.
 * Returns tau, 0 where x is a multiple of e_1 already. */
double lr_reflection(size_t n, double *x, double *beta);

/* S = H_0 H_1 ... H_(k-1) S, S being n x m: v_j begins in row j of column j of
 * V and is 1 there; what is above it is overwritten.  `lower`: S is the
 * identity, so that column j of it meets no reflection after the j-th. */
void lr_reflect(size_t n, size_t k, double *V, size_t ldv, const double *tau,
                size_t m, double *S, size_t lds, bool lower);

/* x times the sign that makes its largest component positive. */
void lr_turn_positive(size_t n, double *x);

void lr_set_identity(double *A, size_t m, size_t ld);

#endif
