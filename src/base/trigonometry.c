/* Sine, cosine and the angles, to go with base/elementary.c. */
#include "base/elementary.h"

/* pi / 2 as the sum of three numbers of 33, 33 and 53 bits. */
#define FIRST 0x1.921fb544p+0
#define SECOND 0x1.0b4611a6p-34
#define THIRD 0x1.3198a2e037073p-69

static const lr_two half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const lr_two whole_pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

enum { WINDOW = 7, DIGITS = WINDOW + 2 };

/* The fractional bits of 2 / pi. */
static const uint32_t two_over_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
    0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
    0x56033046};

/* P = M times the WINDOW words of 2 / pi from `first` on, P[0] the lowest. */
static void window_times(uint64_t M, int first, uint32_t P[DIGITS])
{
  uint32_t part[2] = {(uint32_t)M, (uint32_t)(M >> 32)};
  for (int i = 0; i < DIGITS; i++) P[i] = 0;
  for (int j = 0; j < 2; j++) {
    uint64_t carry = 0;
    for (int i = 0; i < WINDOW; i++) {
      carry += (uint64_t)part[j] * two_over_pi[first + WINDOW - 1 - i];
      carry += P[i + j];
      P[i + j] = (uint32_t)carry;
      carry >>= 32;
    }
    P[WINDOW + j] = (uint32_t)carry;
  }
}

static void shift_left(uint32_t P[DIGITS], int by)
{
  int words = by / 32, bits = by % 32;
  for (int i = DIGITS - 1; i >= 0; i--) {
    uint64_t high = i >= words ? P[i - words] : 0;
    uint64_t low = i > words ? P[i - words - 1] : 0;
    P[i] = (uint32_t)(((high << 32 | low) << bits) >> 32);
  }
}

/* The fraction P / 2^(32 DIGITS) as two doubles. */
static lr_two fraction(const uint32_t P[DIGITS])
{
  lr_two sum = {0, 0};
  double unit = 0x1p-32;
  for (int i = DIGITS - 1; i >= 0; i--) {
    sum = lr_two_add(sum, (lr_two){P[i] * unit, 0});
    unit *= 0x1p-32;
  }
  return sum;
}

/* x = q pi/2 + r with |r| <= pi/4, for any x > 1/2; returns q modulo 4.  Payne
 * and Hanek (SIGNUM Newsletter 18, 1983): of x 2/pi, x = M 2^e with an integer
 * M of 53 bits, only the bits of 2/pi are needed that give no multiple of 4.
 * No double is closer to a multiple of pi/2 than 2^-62 of it, and the 7 words
 * leave 2^-138. */
static unsigned reduce_far(double x, lr_two *r)
{
  uint32_t P[DIGITS];
  uint64_t M = (lr_bits(x) & UINT64_C(0x000fffffffffffff)) | UINT64_C(1) << 52;
  int e = (int)(lr_bits(x) >> 52) - 1075, first = e > 2 ? (e - 2) / 32 : 0;
  window_times(M, first, P);
  shift_left(P, 32 * (DIGITS - WINDOW - first) - 2 + e);
  unsigned q = P[DIGITS - 1] >> 30; /* the integer part of the quotient */
  shift_left(P, 2);
  unsigned beyond = P[DIGITS - 1] >> 31; /* the fraction is above 1/2 */
  for (int i = 0; beyond && i < DIGITS; i++) P[i] = ~P[i];
  *r = lr_two_times(fraction(P), half_pi);
  if (beyond) *r = (lr_two){-r->hi, -r->lo};
  return (q + beyond) & 3;
}

/* x - q pi/2 by three parts of pi/2 (Cody and Waite, 1980) where the quotient
 * has 20 bits at most, so that its products with the first two are exact.  What
 * is left out is below 2^-99, too much only where r is tiny. */
static unsigned reduce(double x, lr_two *r)
{
  const double shift = 0x1.8p52;
  double n = (x * 0x1.45f306dc9c883p-1 + shift) - shift;
  *r = (lr_two){x, 0};
  if (n == 0) return 0;
  if (!(x < 0x1p20)) return reduce_far(x, r);
  lr_two s = lr_two_sum(x - n * FIRST, -(n * SECOND));
  *r = lr_two_sum(s.hi, s.lo - n * THIRD);
  return fabs(r->hi) < 0x1p-16 ? reduce_far(x, r) : (unsigned)n & 3;
}

/* sin(r) for |r| <= pi/4 + a little: the Taylor series through r^17 leaves
 * 2^-62 of it. */
static double sin_near(lr_two r)
{
  double x = r.hi, z = x * x, w = z * z;
  double odd =
      -1.0 / 6 -
      w * (1.0 / 5040 + w * (1.0 / 39916800 + w * (1.0 / 1307674368000)));
  double even =
      1.0 / 120 +
      w * (1.0 / 362880 + w * (1.0 / 6227020800 + w * (1.0 / 355687428096000)));
  return x + (r.lo * (1 - 0.5 * z) + x * z * (odd + z * even));
}

/* cos(r) for |r| <= pi/4 + a little: the Taylor series through r^16 leaves
 * 2^-58. */
static double cos_near(lr_two r)
{
  double x = r.hi, z = x * x, w = z * z, half = 0.5 * z;
  double odd =
      1.0 / 24 +
      w * (1.0 / 40320 + w * (1.0 / 479001600 + w * (1.0 / 20922789888000)));
  double even = -1.0 / 720 - w * (1.0 / 3628800 + w * (1.0 / 87178291200));
  lr_two first = lr_two_quick(1, -half);
  return first.hi + (first.lo + (w * (odd + z * even) - x * r.lo));
}

/* sin, cos, -sin or -cos of r, for q = 0, 1, 2, 3. */
static double turned(unsigned q, lr_two r)
{
  double v = q & 1 ? cos_near(r) : sin_near(r);
  return q & 2 ? -v : v;
}

double lr_sin(double x)
{
  lr_two r;
  double size = fabs(x);
  if (size < 0x1p-27) return x;
  if (!(size <= DBL_MAX)) return NAN;
  unsigned q = reduce(size, &r);
  return signbit(x) ? -turned(q, r) : turned(q, r);
}

double lr_cos(double x)
{
  lr_two r;
  double size = fabs(x);
  if (!(size <= DBL_MAX)) return NAN;
  unsigned q = reduce(size, &r);
  return turned(q + 1, r);
}

/* atan(n / 8) */
static const lr_two steps[] = {
    {0,                    0                     },
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57 },
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56 },
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56 },
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55 }
};

/* atan(t), 0 <= t <= 1: atan(t) = atan(c) + atan((t - c) / (1 + c t)) with c
 * the nearest eighth, so that the Taylor series of the second, of |u| < 1/15,
 * may end with u^13 and leaves 2^-58 of it. */
static lr_two atan_near(lr_two t)
{
  int n = (int)(8 * t.hi + 0.5);
  double c = n / 8.0;
  lr_two u = t, below = lr_two_product(c, t.hi);
  if (n > 0) {
    below = lr_two_add((lr_two){1, 0}, below);
    below.lo += c * t.lo;
    u = lr_two_quotient(lr_two_sum(t.hi - c, t.lo), below);
  }
  double z = u.hi * u.hi;
  double series =
      -1.0 / 3 +
      z * (1.0 / 5 +
           z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11 + z * (1.0 / 13)))));
  return lr_two_add(steps[n], lr_two_quick(u.hi, u.lo + u.hi * z * series));
}

static lr_two less(lr_two a, lr_two b)
{
  return lr_two_add(a, (lr_two){-b.hi, -b.lo});
}

/* The angle of the point (x, y) of the first quadrant, not both 0, both of
 * modest size or 0. */
static lr_two angle(lr_two y, lr_two x)
{
  if (y.hi <= x.hi) return atan_near(lr_two_quotient(y, x));
  return less(half_pi, atan_near(lr_two_quotient(x, y)));
}

/* atan(y / x) for any finite y, x > 0: both are brought near 1, exactly, unless
 * the quotient is so small that it is its angle. */
static lr_two angle_scaled(double y, double x)
{
  if (y < 0x1p-60 * x) return (lr_two){y / x, 0};
  if (x < 0x1p-60 * y) return less(half_pi, (lr_two){x / y, 0});
  int k = ilogb(x);
  return angle((lr_two){scalbn(y, -k), 0}, (lr_two){scalbn(x, -k), 0});
}

double lr_atan2(double y, double x)
{
  lr_two a = {0, 0};
  if (isnan(x) || isnan(y)) return x + y;
  if (isinf(x) && isinf(y)) {
    x = copysign(1, x);
    y = copysign(1, y);
  }
  if (isinf(y) || (x == 0 && y != 0))
    a = half_pi;
  else if (y != 0 && !isinf(x))
    a = angle_scaled(fabs(y), fabs(x));
  if (signbit(x)) a = less(whole_pi, a);
  return copysign(a.hi, y);
}

/* sqrt(1 - x^2) */
static lr_two other_leg(double x)
{
  lr_two square = lr_two_product(x, x);
  return lr_two_root(less((lr_two){1, 0}, square));
}

double lr_asin(double x)
{
  double size = fabs(x);
  if (!(size <= 1)) return NAN;
  if (size < 0x1p-27) return x;
  return copysign(angle((lr_two){size, 0}, other_leg(x)).hi, x);
}

double lr_acos(double x)
{
  if (!(fabs(x) <= 1)) return NAN;
  lr_two a = angle(other_leg(x), (lr_two){fabs(x), 0});
  return signbit(x) ? less(whole_pi, a).hi : a.hi;
}
