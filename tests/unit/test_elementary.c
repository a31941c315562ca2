/* Elementary functions: near the true value (libm's long double ones), exact
 * where they promise it, and the same bits everywhere. */
#include "base/elementary.h"

#include <stddef.h>
#include <stdlib.h>

#include "check.h"

enum { POINTS = 100000 };

/* splitmix64 (Steele, Lea and Flood, 2014) */
static uint64_t mix(uint64_t v)
{
  v *= UINT64_C(0x9e3779b97f4a7c15);
  v = (v ^ (v >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  v = (v ^ (v >> 27)) * UINT64_C(0x94d049bb133111eb);
  return v ^ (v >> 31);
}

/* From lo to hi, evenly. */
static double even(uint64_t i, double lo, double hi)
{
  return lo + (hi - lo) * ((double)(mix(i) >> 11) * 0x1p-53);
}

/* Of any sign and any exponent from `least` to `most`. */
static double any(uint64_t i, int least, int most)
{
  uint64_t bits = mix(i), range = (uint64_t)(most - least + 1);
  double m = (double)(bits >> 11) * 0x1p-53 + 1;
  double x = scalbn(m, least + (int)((bits & 1023) % range));
  return bits >> 10 & 1 ? -x : x;
}

/* Of (got - want) in units of the last place of want. */
static double ulps(double got, long double want)
{
  int e;
  if (isnan(got) || isnan((double)want))
    return isnan(got) && isnan((double)want) ? 0 : INFINITY;
  if ((double)want == got) return 0; /* overflow, too */
  frexpl(want, &e);
  int unit = e - DBL_MANT_DIG > -1074 ? e - DBL_MANT_DIG : -1074;
  return (double)fabsl(ldexpl((long double)got - want, -unit)) - 0.5;
}

typedef struct function {
  const char *name;
  double (*ours)(double);
  long double (*theirs)(long double);
  double lo, hi;   /* evenly tried here, as well as */
  int least, most; /* with all these exponents */
  double ulps;     /* beyond the half of the last rounding */
  uint64_t bits;   /* the sum of all results' bits */
} function;

static const function functions[] = {
    {"exp",   lr_exp,   expl,   -750, 712, -60,   9,    0.3,  UINT64_C(0xef8afaa4d9dec393)},
    {"expm1", lr_expm1, expm1l, -2,   2,   -1073, 9,    0.7,
     UINT64_C(0xf08df4898a916403)                                                         },
    {"log",   lr_log,   logl,   0,    3,   -1073, 1023, 0.4,  UINT64_C(0x58d5084dba0a2f70)},
    {"log1p", lr_log1p, log1pl, -1,   2,   -1073, 1023, 0.4,
     UINT64_C(0xf6598d758a41e50b)                                                         },
    {"log10", lr_log10, log10l, 0,    3,   -1073, 1023, 0.05,
     UINT64_C(0x125505b6aa0f6e66)                                                         },
    {"sinh",  lr_sinh,  sinhl,  -3,   3,   -1073, 9,    0.5,
     UINT64_C(0xe8c1036eea8de414)                                                         },
    {"cosh",  lr_cosh,  coshl,  -3,   3,   -1073, 9,    0.6,
     UINT64_C(0xf5e34e0ea1246450)                                                         },
    {"tanh",  lr_tanh,  tanhl,  -3,   3,   -1073, 9,    1.0,
     UINT64_C(0x9761d37a09e5458a)                                                         },
    {"cbrt",  lr_cbrt,  cbrtl,  -8,   8,   -1073, 1023, 0.05,
     UINT64_C(0x7ffff8586ca8dd8c)                                                         },
    {"sin",   lr_sin,   sinl,   -1e5, 1e5, -1073, 1023, 0.3,
     UINT64_C(0xdda2ecf58686a7fa)                                                         },
    {"cos",   lr_cos,   cosl,   -1e5, 1e5, -1073, 1023, 0.4,
     UINT64_C(0xe56d8b96c82df861)                                                         },
    {"asin",  lr_asin,  asinl,  -1,   1,   -1073, -1,   0.1,
     UINT64_C(0xca2fa42f0181df00)                                                         },
    {"acos",  lr_acos,  acosl,  -1,   1,   -1073, -1,   0.1,
     UINT64_C(0x3ff026e86f06e087)                                                         },
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Half of the arguments of one kind, half of the other. */
static double argument(const function *f, uint64_t i)
{
  return i % 2 ? even(i, f->lo, f->hi) : any(i, f->least, f->most);
}

TEST("functions of one number are right but for a fraction of the last place")
{
  for (size_t j = 0; j < FUNCTIONS; j++) {
    const function *f = &functions[j];
    double worst = 0, where = 0;
    for (uint64_t i = 1; i <= POINTS; i++) {
      double x = argument(f, i), off = ulps(f->ours(x), f->theirs(x));
      if (off > worst) where = x;
      worst = fmax(worst, off);
    }
    check(worst <= f->ulps, "%s: 1/2 + %g ulp at %.17g", f->name, worst, where);
  }
}

TEST("angles of points and lengths are right but for a tenth of a last place")
{
  for (uint64_t i = 1; i <= POINTS; i++) {
    double y = any(3 * i, -1000, 1000);
    double x = i % 2 ? any(3 * i + 1, -1000, 1000) : y * even(i, -3, 3);
    double off = ulps(lr_atan2(y, x), atan2l(y, x));
    check(off <= 0.1, "atan2(%a, %a): 1/2 + %g", y, x, off);
    off = ulps(lr_hypot(x, y), hypotl(x, y));
    check(off <= 0.1, "hypot(%a, %a): 1/2 + %g", y, x, off);
  }
}

TEST("powers are right but for a fraction of the last place, the largest too")
{
  for (uint64_t i = 1; i <= POINTS; i++) {
    double x = fabs(any(2 * i, -1073, 1023)), y = any(2 * i + 1, -30, 10);
    if (i % 2) x = 1 + even(i, -0.5, 1), y = even(i + 1, -800, 800) / log(x);
    double off = ulps(lr_pow(x, y), powl(x, y));
    check(off <= 0.3, "pow(%a, %a): 1/2 + %g", x, y, off);
  }
}

TEST("sines next to multiples of pi keep their digits")
{
  for (int n = 1; n < 4000; n++) {
    double x = LR_PI / 2 * n, large = scalbn(x, n % 900);
    check(ulps(lr_sin(x), sinl(x)) < 0.3, "sin(%a)", x);
    check(ulps(lr_cos(x), cosl(x)) < 0.4, "cos(%a)", x);
    check(ulps(lr_cos(large), cosl(large)) < 0.4, "cos(%a)", large);
  }
  /* the double nearest to a multiple of pi/2 (Kahan's search of 1983) */
  double nearest = 6381956970095103 * 0x1p797;
  check(ulps(lr_cos(nearest), cosl(nearest)) < 0.4, "cos(%a)", nearest);
}

TEST("powers that are doubles are exact")
{
  double ten = 1;
  for (int n = 0; n <= 22; n++, ten *= 10) {
    check(lr_pow(10, n) == ten, "10^%d", n);
    check(lr_log10(ten) == n, "log10(10^%d)", n);
  }
  for (int n = -1074; n < 1024; n++)
    check(lr_pow(2, n) == scalbn(1, n), "2^%d", n);
  for (int base = 3; base < 100; base++) {
    double product = 1;
    for (int n = 1; (product *= base) < 0x1p53; n++) {
      check(lr_pow(base, n) == product, "%d^%d", base, n);
      check(lr_pow(-base, n) == (n % 2 ? -product : product), "-%d^%d", base,
            n);
    }
  }
  for (int n = -99; n <= 99; n++) { /* else the nearest double */
    char text[8];
    snprintf(text, sizeof text, "1e%d", n);
    check(lr_pow(10, n) == strtod(text, NULL), "10^%d", n);
  }
  check(lr_pow(2.25, 0.5) == 1.5 && lr_pow(0x1p-1074, 0.5) == 0x1p-537,
        "roots");
}

/* Where 10^n is no double, the logarithm of the nearest one still is n. */
TEST("decimal logarithms of powers of ten are whole numbers")
{
  static const double tens[] = {1e-308, 1e-100, 1e-23, 1e-10, 1e-3,
                                0.1,    1e23,   1e40,  1e100, 1e308};
  static const double logs[] = {-308, -100, -23, -10, -3, -1, 23, 40, 100, 308};
  for (size_t i = 0; i < sizeof tens / sizeof *tens; i++)
    check(lr_log10(tens[i]) == logs[i], "log10(%g)", tens[i]);
}

TEST("roots and lengths that are doubles are exact")
{
  for (int n = 1; n < 200; n++) {
    double cube = (double)n * n * n;
    check(lr_cbrt(cube) == n && lr_cbrt(-cube) == -n, "cbrt(%g)", cube);
    check(lr_hypot(3 * n, -4 * n) == 5 * n, "hypot(%d, %d)", 3 * n, 4 * n);
    check(lr_hypot(scalbn(5, n), scalbn(12, n)) == scalbn(13, n), "13 2^%d", n);
  }
  check(lr_hypot(3 * 0x1p-1074, 4 * 0x1p-1074) == 5 * 0x1p-1074, "subnormal");
  check(lr_hypot(0x1.8p1022, 0x1p1023) == 0x1.4p1023, "near overflow");
  check(lr_hypot(DBL_MAX, DBL_MAX) == INFINITY, "overflow");
}

/* Equal, NaN and signs of zeros included. */
static bool same(double a, double b)
{
  return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

TEST("infinities, NaN and zeros give what the C standard says")
{
  static const struct {
    double (*f)(double);
    double x, y;
  } known[] = {
      {lr_exp,   -INFINITY,  0         },
      {lr_exp,   INFINITY,   INFINITY  },
      {lr_exp,   0,          1         },
      {lr_exp,   1e300,      INFINITY  },
      {lr_exp,   -1e300,     0         },
      {lr_exp,   -745.2,     0         },
      {lr_exp,   709.8,      INFINITY  },
      {lr_expm1, -INFINITY,  -1        },
      {lr_expm1, INFINITY,   INFINITY  },
      {lr_expm1, -0.0,       -0.0      },
      {lr_expm1, -1e5,       -1        },
      {lr_expm1, 1e5,        INFINITY  },
      {lr_log,   0,          -INFINITY },
      {lr_log,   -0.0,       -INFINITY },
      {lr_log,   -1,         NAN       },
      {lr_log,   1,          0         },
      {lr_log,   INFINITY,   INFINITY  },
      {lr_log,   -INFINITY,  NAN       },
      {lr_log1p, -1,         -INFINITY },
      {lr_log1p, -1.5,       NAN       },
      {lr_log1p, -0.0,       -0.0      },
      {lr_log1p, INFINITY,   INFINITY  },
      {lr_log10, 0,          -INFINITY },
      {lr_log10, 1,          0         },
      {lr_log10, -2,         NAN       },
      {lr_log10, INFINITY,   INFINITY  },
      {lr_sinh,  -0.0,       -0.0      },
      {lr_sinh,  -INFINITY,  -INFINITY },
      {lr_sinh,  -800,       -INFINITY },
      {lr_cosh,  -INFINITY,  INFINITY  },
      {lr_cosh,  0,          1         },
      {lr_tanh,  -0.0,       -0.0      },
      {lr_tanh,  -INFINITY,  -1        },
      {lr_tanh,  INFINITY,   1         },
      {lr_cbrt,  -0.0,       -0.0      },
      {lr_cbrt,  -INFINITY,  -INFINITY },
      {lr_sin,   -0.0,       -0.0      },
      {lr_sin,   INFINITY,   NAN       },
      {lr_cos,   -0.0,       1         },
      {lr_cos,   -INFINITY,  NAN       },
      {lr_asin,  -0.0,       -0.0      },
      {lr_asin,  1,          LR_PI / 2 },
      {lr_asin,  -1,         -LR_PI / 2},
      {lr_asin,  1.0000001,  NAN       },
      {lr_acos,  1,          0         },
      {lr_acos,  -1,         LR_PI     },
      {lr_acos,  0,          LR_PI / 2 },
      {lr_acos,  -1.0000001, NAN       },
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    check(same(known[i].f(known[i].x), known[i].y), "row %zu: %g gives %g", i,
          known[i].x, known[i].f(known[i].x));
  for (size_t j = 0; j < FUNCTIONS; j++)
    check(isnan(functions[j].ours(NAN)), "%s of NaN", functions[j].name);
}

/* The same kind of number, and the same number but for the last place. */
static bool alike(double got, long double want)
{
  return isnan(got)
             ? isnan((double)want)
             : signbit(got) == signbit((double)want) &&
                   isinf(got) == isinf((double)want) &&
                   (got == 0) == ((double)want == 0) && ulps(got, want) < 0.5;
}

/* All pairs of these are tried, against libm, whose special cases are right. */
static const double odd_ones[] = {
    0.0,   -0.0,   1,         -1,     2,        -2,        3,        -3,
    0.5,   -0.5,   2.5,       -2.5,   INFINITY, -INFINITY, NAN,      0x1p53,
    1e300, -1e300, 0x1p-1074, 0x1p60, -0x1p60,  DBL_MAX,   -DBL_MAX, 1e-300,
};

TEST("special pairs of arguments give what C says")
{
  for (size_t i = 0; i < sizeof odd_ones / sizeof *odd_ones; i++)
    for (size_t j = 0; j < sizeof odd_ones / sizeof *odd_ones; j++) {
      double x = odd_ones[i], y = odd_ones[j];
      check(alike(lr_pow(x, y), powl(x, y)), "pow(%g, %g)", x, y);
      check(alike(lr_hypot(x, y), hypotl(x, y)), "hypot(%g, %g)", x, y);
      check(alike(lr_atan2(y, x), atan2l(y, x)), "atan2(%g, %g)", y, x);
    }
}

TEST("the vectorised logarithm has the bits of the scalar one")
{
  for (uint64_t i = 1; i <= POINTS; i++) {
    double x = fabs(any(i, -1022, 1023));
    check(lr_log_normal(x) == lr_log(x), "at %a", x);
  }
}

/* FNV-1a; a NaN has no bits of its own. */
static uint64_t hash(uint64_t sum, double x)
{
  uint64_t bits = isnan(x) ? UINT64_C(0x7ff8000000000000) : lr_bits(x);
  for (int i = 0; i < 8; i++, bits >>= 8)
    sum = (sum ^ (bits & 255)) * UINT64_C(0x100000001b3);
  return sum;
}

static const uint64_t basis = UINT64_C(0xcbf29ce484222325);

TEST("the bits are those of every other machine, compiler and level")
{
  for (size_t j = 0; j < FUNCTIONS; j++) {
    const function *f = &functions[j];
    uint64_t sum = basis;
    for (uint64_t i = 1; i <= POINTS; i++)
      sum = hash(sum, f->ours(argument(f, i)));
    check(sum == f->bits, "%s: 0x%016llx", f->name, (unsigned long long)sum);
  }
}

TEST("the bits are the same for functions of two numbers")
{
  uint64_t pow_sum = basis, atan_sum = basis, hypot_sum = basis;
  for (uint64_t i = 1; i <= POINTS; i++) {
    double x = even(2 * i, 0, 40), y = even(2 * i + 1, -100, 100);
    double far = any(i, -1000, 1000);
    pow_sum = hash(pow_sum, lr_pow(x, y));
    atan_sum = hash(atan_sum, lr_atan2(i % 2 ? y : far, i % 3 ? -x : x));
    hypot_sum = hash(hypot_sum, lr_hypot(i % 2 ? y : far, x));
  }
  check(pow_sum == UINT64_C(0x43c2ef36a9e82a8c), "pow: 0x%016llx",
        (unsigned long long)pow_sum);
  check(atan_sum == UINT64_C(0x851a77df33b015a8), "atan2: 0x%016llx",
        (unsigned long long)atan_sum);
  check(hypot_sum == UINT64_C(0x8936d5c43aaa24da), "hypot: 0x%016llx",
        (unsigned long long)hypot_sum);
}
