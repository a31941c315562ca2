/* Sums and products of two doubles without error: a number is the unevaluated
 * sum hi + lo of two doubles with |lo| <= ulp(hi) / 2, about 106 bits (Dekker,
 * Numerische Mathematik 18, 1971; Knuth, The Art of Computer Programming 2).
 *
 * Only the IEEE operations + - * / sqrt, each rounded to nearest, in the order
 * written: every machine computes the same bits.  A fused operation, a wider
 * register or an associative compiler would break that, and is refused here
 * where the compiler can be asked. */
#ifndef LR_TWOFOLD_H
#define LR_TWOFOLD_H

#include <float.h>
#include <math.h>

#include "base/wide.h"

#if defined(__FAST_MATH__)
#error "-ffast-math reorders sums: the last bits must not depend on that"
#elif FLT_EVAL_METHOD != 0
#error "doubles must be computed as doubles (on i386: -mfpmath=sse -msse2)"
#endif

/* clang fuses where it may unless told not to; gcc does not in ISO mode, and
 * warns about the pragma.  Both are given -ffp-contract=off as well. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && defined(__FP_FAST_FMA) && !defined(__STRICT_ANSI__)
#error "gcc fuses products and sums unless asked for ISO C: -std=c11"
#endif

typedef struct lr_two {
  double hi, lo;
} lr_two;

/* a + b, where |a| >= |b| or a = 0. */
LR_INSIDE lr_two lr_two_quick(double a, double b)
{
  double s = a + b;
  return (lr_two){s, b - (s - a)};
}

/* a + b. */
LR_INSIDE lr_two lr_two_sum(double a, double b)
{
  double s = a + b, t = s - a;
  return (lr_two){s, (a - (s - t)) + (b - t)};
}

/* The upper 26 bits of a, |a| < 2^996: products of such halves are exact. */
LR_INSIDE double lr_upper_half(double a)
{
  double c = 0x1.0000002p27 * a;
  return c - (c - a);
}

/* a * b, both below 2^996; exact where the product is above 2^-968. */
LR_INSIDE lr_two lr_two_product(double a, double b)
{
  double p = a * b, a1 = lr_upper_half(a), b1 = lr_upper_half(b);
  double a2 = a - a1, b2 = b - b1;
  return (lr_two){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

/* The relative error of the following operations is a few 2^-104. */

/* a + b, where |a| >= |b|. */
LR_INSIDE lr_two lr_two_add(lr_two a, lr_two b)
{
  lr_two s = lr_two_sum(a.hi, b.hi);
  return lr_two_quick(s.hi, s.lo + (a.lo + b.lo));
}

LR_INSIDE lr_two lr_two_times(lr_two a, lr_two b)
{
  lr_two p = lr_two_product(a.hi, b.hi);
  return lr_two_quick(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

LR_INSIDE lr_two lr_two_quotient(lr_two a, lr_two b)
{
  double q = a.hi / b.hi;
  lr_two p = lr_two_product(q, b.hi);
  double rest = ((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo);
  return lr_two_quick(q, rest / b.hi);
}

LR_INSIDE lr_two lr_two_root(lr_two a)
{
  double s = sqrt(a.hi);
  lr_two p = lr_two_product(s, s);
  if (!(s > 0)) return (lr_two){s, 0};
  return lr_two_quick(s, (((a.hi - p.hi) - p.lo) + a.lo) / (2 * s));
}

#endif
