/* Exponentials, logarithms, powers and roots.  Arguments are reduced to a
 * short interval around 0 and the Taylor series is summed there, with so many
 * terms that what is left out is below a twentieth of an ulp. */
#include "base/elementary.h"

#include <stdbool.h>

/* 2^k v, rounded once, for v of modest size and |k| < 2000. */
static double scale(double v, int k)
{
  int half = k / 2;
  if (k > -1000 && k < 1000)
    return v * lr_from_bits((uint64_t)(k + 1023) << 52);
  return v * lr_from_bits((uint64_t)(half + 1023) << 52) *
         lr_from_bits((uint64_t)(k - half + 1023) << 52);
}

/* (exp(r) - 1 - r - r^2 / 2) / r^3 = sum r^n / (n + 3)!, n = 0 .. 11.  For
 * |r| < 0.35 what is left out of exp(r) is below 2^-63. */
static double cubic_series(double r)
{
  double z = r * r;
  double even =
      1.0 / 6 +
      z * (1.0 / 120 + z * (1.0 / 5040 +
                            z * (1.0 / 362880 + z * (1.0 / 39916800 +
                                                     z * (1.0 / 6227020800)))));
  double odd =
      1.0 / 24 +
      z * (1.0 / 720 + z * (1.0 / 40320 + z * (1.0 / 3628800 +
                                               z * (1.0 / 479001600 +
                                                    z * (1.0 / 87178291200)))));
  return even + r * odd;
}

/* exp(x + rest) = 2^k (hi + lo), |x| < 800, with hi between 0.7 and 1.42:
 * x = k log(2) + r, |r| <= log(2) / 2.  r and r^2 / 2 are kept in two parts,
 * because their roundings alone would be half an ulp and a quarter; so the
 * error is below 2^-57. */
static lr_two exp_parts(double x, double rest, int *k)
{
  const double shift = 0x1.8p52; /* adding it rounds to an integer */
  double n = (x * 0x1.71547652b82fep+0 + shift) - shift;
  lr_two r = lr_two_sum(x - n * LR_LN2_HI, rest - n * LR_LN2_LO);
  lr_two square = lr_two_product(r.hi, r.hi), one = lr_two_quick(1, r.hi);
  lr_two sum = lr_two_quick(one.hi, 0.5 * square.hi);
  double low = (r.lo + r.hi * r.lo) + 0.5 * square.lo;
  low += r.hi * square.hi * cubic_series(r.hi);
  *k = (int)n;
  return lr_two_quick(sum.hi, sum.lo + (one.lo + low));
}

/* exp(x + rest) */
static double exp_sum(double x, double rest)
{
  int k;
  if (!(x < 710)) return isnan(x) ? x : INFINITY;
  if (x < -746) return 0;
  double v = exp_parts(x, rest, &k).hi;
  return scale(v, k);
}

double lr_exp(double x)
{
  return exp_sum(x, 0);
}

double lr_expm1(double x)
{
  int k;
  if (fabs(x) < 0x1p-54) return x;
  if (fabs(x) < 0.35) return x + x * x * (0.5 + x * cubic_series(x));
  if (x < -40) return -1;
  if (!(x < 40)) return lr_exp(x);
  lr_two e = exp_parts(x, 0, &k);
  lr_two less = lr_two_sum(scale(e.hi, k), -1);
  return less.hi + (less.lo + scale(e.lo, k));
}

/* The logarithm of a number that is zero, negative, infinite or NaN; the caller
 * handles subnormal numbers. */
static double log_of_other(double x)
{
  if (x == 0) return -INFINITY;
  if (x < 0) return NAN;
  return x; /* +inf, NaN */
}

/* Whether x > 0 is finite; a subnormal x is multiplied by 2^54, and *k becomes
 * -54. */
static bool log_prepare(double *x, double *k)
{
  *k = 0;
  if (!(*x > 0 && *x <= DBL_MAX)) return false;
  if (*x < DBL_MIN) {
    *x *= 0x1p54;
    *k = -54;
  }
  return true;
}

double lr_log(double x)
{
  double m, k;
  if (!log_prepare(&x, &k)) return log_of_other(x);
  k += lr_split_power(x, &m);
  return lr_log_sum(k, m - 1, 0);
}

double lr_log1p(double x)
{
  double m, k;
  if (fabs(x) < 0x1p-54) return x;
  if (!(x > -1 && x <= DBL_MAX)) return log_of_other(1 + x);
  if (x > -0.29 && x < 0.41) return lr_log_sum(0, x, 0);
  lr_two u = lr_two_sum(1, x);
  k = lr_split_power(u.hi, &m);
  return lr_log_sum(k, m - 1, u.lo / u.hi);
}

/* log(2^k m) to about 2^-68 of it, by the series of lr_log_sum: its first three
 * terms in two doubles, the others, below s^6 / 3.5, in one. */
static lr_two log_two(double k, double m)
{
  double f = m - 1;
  lr_two s = lr_two_quotient((lr_two){f, 0}, lr_two_sum(2, f));
  lr_two z = lr_two_times(s, s);
  double t = z.hi, w = t * t;
  double even = 2.0 / 7 + w * (2.0 / 11 + w * (2.0 / 15 + w * (2.0 / 19)));
  double odd = 2.0 / 9 + w * (2.0 / 13 +
                              w * (2.0 / 17 + w * (2.0 / 21 + w * (2.0 / 25))));
  const lr_two third = {2.0 / 3, 0x1.5555555555555p-55};
  const lr_two fifth = {2.0 / 5, -0x1.999999999999ap-56};
  even += w * w * w * w * (2.0 / 23);
  lr_two sum = lr_two_add(fifth, lr_two_product(t, even + t * odd));
  sum = lr_two_add(third, lr_two_times(z, sum));
  sum = lr_two_add((lr_two){2, 0}, lr_two_times(z, sum));
  sum = lr_two_times(s, sum);
  lr_two whole = lr_two_product(k, LR_LN2_LO);
  whole = lr_two_add((lr_two){k * LR_LN2_HI, 0}, whole);
  return k == 0 ? sum : lr_two_add(whole, sum);
}

double lr_log10(double x)
{
  const lr_two per_decade = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  double m, k;
  if (!log_prepare(&x, &k)) return log_of_other(x);
  k += lr_split_power(x, &m);
  return lr_two_times(log_two(k, m), per_decade).hi;
}

static bool is_integer(double y)
{
  return fabs(y) >= 0x1p53 || floor(y) == y;
}

static bool is_odd(double y)
{
  return fabs(y) < 0x1p53 && floor(y) == y && floor(0.5 * y) != 0.5 * y;
}

/* x^y for finite x > 0.  |y log(x)| may be 745, and is wanted to 2^-55. */
static double power(double x, double y)
{
  double m, k;
  if (x == 1 || fabs(y) < 0x1p-70) return 1;
  if (fabs(y) > 0x1p66) return (x > 1) == (y > 0) ? INFINITY : 0;
  log_prepare(&x, &k);
  k += lr_split_power(x, &m);
  lr_two log_x = log_two(k, m), t = lr_two_product(log_x.hi, y);
  t = lr_two_quick(t.hi, t.lo + log_x.lo * y);
  return exp_sum(t.hi, t.lo);
}

double lr_pow(double x, double y)
{
  if (y == 0 || x == 1) return 1;
  if (isnan(x) || isnan(y)) return x + y;
  double sign = signbit(x) && is_odd(y) ? -1 : 1, size = fabs(x);
  if (isinf(y) && size == 1) return 1;
  /* sign and size of the result depend on which of x and y is 0 or infinite */
  if (size == 0 || isinf(x) || isinf(y))
    return sign * ((size > 1) == (y > 0) ? INFINITY : 0);
  if (x < 0 && !is_integer(y)) return NAN;
  return sign * power(size, y);
}

/* sinh(x) = x + x^3 sum x^2n / (2n + 3)!, n = 0 .. 8: for |x| < 1 what is left
 * out is below 2^-65. */
static double sinh_series(double x)
{
  double z = x * x, w = z * z;
  double even =
      1.0 / 6 +
      w * (1.0 / 5040 + w * (1.0 / 39916800 + w * (1.0 / 1307674368000)));
  double odd =
      1.0 / 120 +
      w * (1.0 / 362880 + w * (1.0 / 6227020800 + w * (1.0 / 355687428096000)));
  even += w * w * w * w * (1 / 121645100408832000.0);
  return x + x * z * (even + z * odd);
}

/* exp(x) / 2 as the sum of two doubles, 0 <= x < 40. */
static lr_two half_exp(double x)
{
  int k;
  lr_two e = exp_parts(x, 0, &k);
  return (lr_two){scale(e.hi, k - 1), scale(e.lo, k - 1)};
}

/* exp(x) / 2 for x >= 40, where exp(x) alone may overflow. */
static double half_exp_far(double x)
{
  int k;
  if (!(x < 712)) return x * INFINITY;
  double v = exp_parts(x, 0, &k).hi;
  return scale(v, k - 1);
}

double lr_sinh(double x)
{
  double size = fabs(x);
  if (size < 1) return size < 0x1p-28 ? x : sinh_series(x);
  if (!(size < 40)) return copysign(half_exp_far(size), x);
  lr_two e = half_exp(size);
  return copysign(e.hi + (e.lo - 0.25 / e.hi), x);
}

double lr_cosh(double x)
{
  double size = fabs(x);
  if (!(size < 40)) return half_exp_far(size);
  lr_two e = half_exp(size);
  return e.hi + (e.lo + 0.25 / e.hi);
}

double lr_tanh(double x)
{
  double size = fabs(x), t = 1;
  if (size < 0x1p-28 || isnan(x)) return x;
  if (size < 1) {
    double e = lr_expm1(2 * size);
    t = lr_two_quotient((lr_two){e, 0}, lr_two_sum(2, e)).hi;
  } else if (size < 22) {
    t = 1 - 2 / (lr_exp(2 * size) + 1);
  }
  return copysign(t, x);
}

/* x = 2^3q m, m between 1 and 8.  A third of the bits of m is its root to 6 %;
 * two steps of Halley's and one of Newton's, this with the residual in two
 * doubles, leave half an ulp. */
double lr_cbrt(double x)
{
  double tiny = 1, size = fabs(x);
  if (!(size > 0 && size <= DBL_MAX)) return x;
  if (size < DBL_MIN) {
    size *= 0x1p54;
    tiny = 0x1p-18;
  }
  int q = ((int)(lr_bits(size) >> 52) + 2049) / 3 - 1024;
  double m = scale(size, -3 * q);
  double t = lr_from_bits(lr_bits(m) / 3 + UINT64_C(0x2a9f700000000000));
  for (int i = 0; i < 2; i++) {
    double cube = t * t * t;
    t *= (cube + 2 * m) / (2 * cube + m);
  }
  lr_two square = lr_two_product(t, t);
  lr_two cube = lr_two_times(square, (lr_two){t, 0});
  t += ((m - cube.hi) - cube.lo) / (3 * square.hi);
  return copysign(scale(t, q) * tiny, x);
}

double lr_hypot(double x, double y)
{
  double a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y)), unit = 1;
  if (isinf(x) || isinf(y)) return INFINITY;
  if (isnan(x) || isnan(y)) return x + y;
  if (b <= 0x1p-60 * a) return a;
  if (a > 0x1p500) unit = 0x1p600;
  if (b < 0x1p-400) unit = 0x1p-600;
  a /= unit;
  b /= unit;
  lr_two sum = lr_two_add(lr_two_product(a, a), lr_two_product(b, b));
  return lr_two_root(sum).hi * unit;
}
