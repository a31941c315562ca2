/* Functions of complex numbers: near libm's long double ones, and their tiny
 * imaginary parts are derivatives to the last few places. */
#include "analytic.h"

#include "check.h"

typedef struct function {
  const char *name;
  double complex (*ours)(double complex);
  long double complex (*theirs)(long double complex);
  double most; /* |Re z| tried */
} function;

static double complex ours_power(double complex z)
{
  return lr_cpow(z, 0.758);
}

static long double complex theirs_power(long double complex z)
{
  return cpowl(z, 0.758);
}

static double complex ours_quotient(double complex z)
{
  return lr_cdiv(3.7, z);
}

static long double complex theirs_quotient(long double complex z)
{
  return 3.7 / z;
}

static const function functions[] = {
    {"cdiv",  ours_quotient, theirs_quotient, 1e3},
    {"csqrt", lr_csqrt,      csqrtl,          1e3},
    {"cexp",  lr_cexp,       cexpl,           30 },
    {"clog",  lr_clog,       clogl,           1e3},
    {"cpow",  ours_power,    theirs_power,    1e3},
    {"csin",  lr_csin,       csinl,           30 },
    {"ccos",  lr_ccos,       ccosl,           30 },
    {"csinh", lr_csinh,      csinhl,          30 },
    {"ctanh", lr_ctanh,      ctanhl,          8  },
    {"catan", lr_catan,      catanl,          30 },
};

enum { FUNCTIONS = sizeof functions / sizeof *functions, POINTS = 2000 };

/* Between -1 and 1, from an integer. */
static double spread(uint64_t i)
{
  return (double)((i * UINT64_C(0x9e3779b97f4a7c15)) >> 11) * 0x1p-52 - 1;
}

TEST("complex functions are right to a few units of their modulus")
{
  for (size_t j = 0; j < FUNCTIONS; j++)
    for (uint64_t i = 1; i <= POINTS; i++) {
      const function *f = &functions[j];
      double complex z = f->most * spread(i) + 3 * spread(7 * i + 1) * I;
      long double complex want = f->theirs(z);
      double off = (double)cabsl(f->ours(z) - want);
      check(off <= 8 * DBL_EPSILON * (double)cabsl(want), "%s(%g + %g i): %g",
            f->name, creal(z), cimag(z), off);
    }
}

TEST("a tiny imaginary part comes out with all its digits")
{
  for (size_t j = 0; j < FUNCTIONS; j++)
    for (uint64_t i = 1; i <= POINTS; i++) {
      const function *f = &functions[j];
      double complex z = f->most * fabs(spread(i)) + 1e-30 * I;
      double want = (double)cimagl(f->theirs(z)), got = cimag(f->ours(z));
      check_near(got, want, 8 * DBL_EPSILON, "%s at %g", f->name, creal(z));
    }
}

TEST("the real part is that of the real function where there is one")
{
  for (uint64_t i = 1; i <= POINTS; i++) {
    double x = 5 * spread(i);
    check(creal(lr_cexp(x)) == lr_exp(x), "exp(%g)", x);
    check(creal(lr_csinh(x)) == lr_sinh(x), "sinh(%g)", x);
    check(creal(lr_ctanh(x)) == lr_tanh(x), "tanh(%g)", x);
    check(creal(lr_clog(fabs(x))) == lr_log(fabs(x)), "log(%g)", fabs(x));
    check(creal(lr_csqrt(fabs(x))) == sqrt(fabs(x)), "sqrt(%g)", fabs(x));
  }
}

TEST("roots of numbers left of the axis lie on the right branch")
{
  check(lr_csqrt(-4) == 2 * I && lr_csqrt(0) == 0, "of -4 and 0");
  check(cimag(lr_csqrt(conj(-4 + 0 * I))) == -2, "of -4 from below");
  check(lr_csqrt(-3 + 4 * I) == 1 + 2 * I, "of -3 + 4 i");
  check_near(cimag(lr_clog(-1)), LR_PI, DBL_EPSILON, "log(-1)");
}
