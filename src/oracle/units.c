/* The unit of f.  Norms, curvatures and errors need squares and fourth powers
 * of f, which underflow for values of 1e-80 and overflow for values of 1e160.
 * Where the first value is outside a safe range, the run scales f by a power of
 * two, which rounds nothing. */
#include "oracle/oracle.h"

#include "base/finite.h"

#include <float.h>
#include <math.h>

void lr_oracle_choose_unit(lr_oracle *o, double f)
{
  if (!o->listener.rescaled || o->seen.in_unit || !lr_finite(f) || f == 0)
    return;
  int lowest = -(int)o->policy->unit_smallest;
  int highest = (int)o->policy->unit_largest;
  int e = ilogb(f), to = e < lowest ? lowest : e > highest ? highest : e;
  o->seen.in_unit = true;
  if (to == e) return;
  o->seen.unit = scalbn(1, to - e);
  o->differences.noise *=
      o->seen.unit; /* the noise was given in the user's unit */
  o->listener.rescaled(o->listener.self);
}

double lr_oracle_own(const lr_oracle *o, double f)
{
  double own = f * o->seen.unit;
  if (!lr_finite(f) || lr_finite(own)) return own;
  return f > 0 ? DBL_MAX : -DBL_MAX;
}

double lr_oracle_users(const lr_oracle *o, double f)
{
  return f / o->seen.unit;
}

/* ---- settings of finite differences, in the user's unit ---- */

lr_difference_settings lr_oracle_difference_settings(const lr_oracle *o)
{
  lr_difference_settings b = o->differences;
  b.noise = lr_oracle_users(o, b.noise);
  return b;
}

void lr_oracle_set_differences(lr_oracle *o, const lr_difference_settings *b)
{
  o->differences = *b;
  o->differences.noise = lr_oracle_own(o, b->noise);
}
