/* The rounding error of a value of f that a user's function computes. */
#ifndef LR_ROUNDING_H
#define LR_ROUNDING_H

#include "base/policy.h"

#include <float.h>
#include <math.h>

static inline double lr_value_rounding(const lr_policy *P, double f)
{
  return P->value_roundings * DBL_EPSILON * fabs(f);
}

#endif
