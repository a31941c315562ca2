/* Values that are written with few digits, as programs print them. */
#ifndef LR_DIGITS_H
#define LR_DIGITS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* A whole number, as far as doubles can tell. */
static inline bool lr_is_whole(double units)
{
  return fabs(units - round(units)) <= 8 * DBL_EPSILON * fabs(units);
}

#endif
