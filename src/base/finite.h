/* Finiteness by bit pattern: right even in a host program that was built with
 * -ffast-math, where the compiler folds isfinite() to true. */
#ifndef LR_FINITE_H
#define LR_FINITE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool lr_finite(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (bits & UINT64_C(0x7ff0000000000000)) != UINT64_C(0x7ff0000000000000);
}

static inline bool lr_finite_float(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (bits & UINT32_C(0x7f800000)) != UINT32_C(0x7f800000);
}

static inline bool lr_all_finite(const double *x, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!lr_finite(x[i])) return false;
  return true;
}

#endif
