/* Each from its definition by real and imaginary parts, a + i b. */
#include "analytic.h"

#include <math.h>

/* re + i im: C11's CMPLX, which not every <complex.h> has. */
static double complex pair(double re, double im)
{
  double parts[2] = {re, im};
  double complex z;
  memcpy(&z, parts, sizeof z); /* C11 6.2.5: a complex number is laid out so */
  return z;
}

/* R. L. Smith, Algorithm 116, CACM 5 (1962): by the larger part of b, whose
 * square may not be a number; one that is tiny stays so. */
double complex lr_cdiv(double complex a, double complex b)
{
  double re = creal(b), im = cimag(b);
  if (fabs(re) >= fabs(im)) {
    double ratio = im / re, length = re + im * ratio;
    return pair((creal(a) + cimag(a) * ratio) / length,
                (cimag(a) - creal(a) * ratio) / length);
  }
  double ratio = re / im, length = re * ratio + im;
  return pair((creal(a) * ratio + cimag(a)) / length,
              (cimag(a) * ratio - creal(a)) / length);
}

double lr_cabs(double complex z)
{
  return lr_hypot(creal(z), cimag(z));
}

/* The root with a real part >= 0; the larger part first, the other one as
 * b / 2 of it, which does not cancel. */
double complex lr_csqrt(double complex z)
{
  double a = creal(z), b = cimag(z);
  double large = sqrt(0.5 * fabs(a) + 0.5 * lr_hypot(a, b));
  if (large == 0) return pair(0, b);
  if (a >= 0) return pair(large, b / (2 * large));
  return pair(fabs(b) / (2 * large), copysign(large, b));
}

double complex lr_cexp(double complex z)
{
  double size = lr_exp(creal(z)), b = cimag(z);
  return pair(size * lr_cos(b), size * lr_sin(b));
}

/* log |z|: near |z| = 1 from |z|^2 - 1 = (l - 1) (l + 1) + s^2, l the larger
 * and s the smaller part, where log(|z|) would cancel. */
static double log_modulus(double a, double b)
{
  double size = lr_hypot(a, b), large = fmax(fabs(a), fabs(b));
  double small = fmin(fabs(a), fabs(b));
  if (size == large || size < 0.5 || size > 2) return lr_log(size);
  return 0.5 * lr_log1p((large - 1) * (large + 1) + small * small);
}

double complex lr_clog(double complex z)
{
  double a = creal(z), b = cimag(z);
  return pair(log_modulus(a, b), lr_atan2(b, a));
}

double complex lr_cpow(double complex z, double power)
{
  double size = lr_pow(lr_cabs(z), power);
  double angle = power * lr_atan2(cimag(z), creal(z));
  return pair(size * lr_cos(angle), size * lr_sin(angle));
}

double complex lr_csinh(double complex z)
{
  double a = creal(z), b = cimag(z);
  return pair(lr_sinh(a) * lr_cos(b), lr_cosh(a) * lr_sin(b));
}

/* -i sinh(i z) */
double complex lr_csin(double complex z)
{
  double a = creal(z), b = cimag(z);
  return pair(lr_sin(a) * lr_cosh(b), lr_cos(a) * lr_sinh(b));
}

double complex lr_ccos(double complex z)
{
  double a = creal(z), b = cimag(z);
  return pair(lr_cos(a) * lr_cosh(b), -(lr_sin(a) * lr_sinh(b)));
}

/* With T = tanh(a) and u = tan(b): (T + i u) / (1 + i T u), whose imaginary
 * part has the factor 1 - T^2 = 1 / cosh(a)^2. */
double complex lr_ctanh(double complex z)
{
  double a = creal(z), b = cimag(z), T = lr_tanh(a), c = lr_cosh(a);
  double u = lr_sin(b) / lr_cos(b), under = 1 + T * T * u * u;
  return pair(T * (1 + u * u) / under, u / c / c / under);
}

/* (log(1 + i z) - log(1 - i z)) / (2 i): half the angle of 1 - |z|^2 + 2 i a,
 * and log(((1 + b)^2 + a^2) / ((1 - b)^2 + a^2)) / 4. */
double complex lr_catan(double complex z)
{
  double a = creal(z), b = cimag(z);
  double under = a * a + (1 - b) * (1 - b);
  return pair(0.5 * lr_atan2(2 * a, (1 - a) * (1 + a) - b * b),
              0.25 * lr_log1p(4 * b / under));
}
