/* Elementary functions of complex numbers, made of those of real ones
 * (base/elementary.h), so that problems have the same bits on every machine.
 * A tiny imaginary part that carries a derivative along (the complex step)
 * keeps its digits; far from the real axis and near zeros of the real or the
 * imaginary part they claim no more than a few ulp of the modulus. */
#ifndef LR_ANALYTIC_H
#define LR_ANALYTIC_H

#include <complex.h>

#include "base/elementary.h"

/* a / b: that of C is a routine of the compiler's library, which changed from
 * one version to the next and fuses products where the processor can. */
double complex lr_cdiv(double complex a, double complex b);
double lr_cabs(double complex z);
double complex lr_csqrt(double complex z);
double complex lr_cexp(double complex z);
double complex lr_clog(double complex z);
double complex lr_cpow(double complex z, double power);
double complex lr_csin(double complex z);
double complex lr_ccos(double complex z);
double complex lr_csinh(double complex z);
double complex lr_ctanh(double complex z);
double complex lr_catan(double complex z);

#endif
