/* Elementary functions whose bits are the same on every machine: what steers a
 * run goes through these, not through libm, which has variants by processor.
 * They are made of IEEE + - * / sqrt in a fixed order (base/twofold.h), round
 * to nearest, and do not set errno.
 *
 * Errors over the whole range of arguments: below 1.5 ulp for lr_tanh; 0.9 for
 * lr_expm1, lr_log, lr_log1p, lr_sinh, lr_cosh, lr_sin, lr_cos; 0.55 for the
 * others (0.8 where exp or a power is subnormal).  So where the result is a
 * double, lr_pow, lr_log10, lr_cbrt and lr_hypot return it: 10^n, log10(10^n),
 * cbrt(27), hypot(3, 4).
 * NaN, infinities and zeros are as in C11's Annex F. */
#ifndef LR_ELEMENTARY_H
#define LR_ELEMENTARY_H

#include <stdint.h>
#include <string.h>

#include "base/twofold.h"

#define LR_PI 3.14159265358979323846

double lr_exp(double x);
double lr_expm1(double x);
double lr_log(double x);
double lr_log1p(double x);
double lr_log10(double x);
double lr_pow(double x, double y);

double lr_sinh(double x);
double lr_cosh(double x);
double lr_tanh(double x);

double lr_cbrt(double x);
double lr_hypot(double x, double y);

/* Any finite x: far from zero it is reduced by as many digits of 2/pi as it
 * takes. */
double lr_sin(double x);
double lr_cos(double x);
double lr_asin(double x);
double lr_acos(double x);
double lr_atan2(double y, double x);

/* log(2) in two parts; multiples of the first, of 40 bits, by an exponent are
 * exact. */
#define LR_LN2_HI 0x1.62e42fefa4p-1
#define LR_LN2_LO (-0x1.8432a1b0e2634p-43)

LR_INSIDE uint64_t lr_bits(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

LR_INSIDE double lr_from_bits(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* x = 2^k m with m between sqrt(1/2) and sqrt(2), for a normal x > 0; returns k
 * as a double.  The exponent becomes one by arithmetic on bits: vector
 * registers know no conversion of 64-bit integers before AVX-512. */
LR_INSIDE double lr_split_power(double x, double *m)
{
  const uint64_t one = UINT64_C(0x3ff0000000000000);
  const uint64_t root_half = UINT64_C(0x3fe6a09e667f3bcd);
  uint64_t bits = lr_bits(x) + (one - root_half);
  *m = lr_from_bits((bits & UINT64_C(0x000fffffffffffff)) + root_half);
  return lr_from_bits((bits >> 52) | UINT64_C(0x4330000000000000)) -
         (0x1p52 + 1023);
}

/* k log(2) + log(1 + f) + rest, |f| < 0.415, for a rest of rounding errors.
 * With s = f / (2 + f), log(1 + f) = 2 atanh(s) = 2 s + s R where
 * R = sum 2 s^2n / (2n + 1), n = 1 .. 10: s^2 < 0.0295, so what is left out is
 * below 2^-60 of the sum.  2 s = f - s f, and s f = f^2 / 2 - s f^2 / 2, so
 * that f, which is exact, is added last. */
LR_INSIDE double lr_log_sum(double k, double f, double rest)
{
  double s = f / (2 + f), z = s * s, w = z * z, half = 0.5 * f * f;
  double odd = 2.0 / 3 +
               w * (2.0 / 7 + w * (2.0 / 11 + w * (2.0 / 15 + w * (2.0 / 19))));
  double even =
      2.0 / 5 +
      w * (2.0 / 9 + w * (2.0 / 13 + w * (2.0 / 17 + w * (2.0 / 21))));
  double R = z * odd + w * even;
  return k * LR_LN2_HI -
         ((half - (s * (half + R) + (k * LR_LN2_LO + rest))) - f);
}

/* lr_log of a normal x > 0: no branch, no call, so that loops over it become
 * vector code. */
LR_INSIDE double lr_log_normal(double x)
{
  double m, k = lr_split_power(x, &m);
  return lr_log_sum(k, m - 1, 0);
}

#endif
