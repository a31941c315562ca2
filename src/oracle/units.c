/* The unit of f.  Norms, curvatures and errors are made of squares, and these
 * of fourth powers, which underflow for values of 1e-80 and overflow for those
 * of 1e160.  Where the first value is outside of what is safe, f is worked on
 * in another unit, a power of two: nothing is rounded. */
#include "oracle/oracle.h"

#include "base/finite.h"

#include <float.h>
#include <math.h>

/* As powers of two, 1e-60 and 1e10.  The square of a millionth of a slope,
 * times the rounding of a double, does not underflow.  Lengths that are tried
 * before anything is known of f suit values that are not far above one, and f
 * may be 1e60 times larger elsewhere before fourth powers of slopes overflow.
 */
enum { LOWEST = -200, HIGHEST = 33 };

void lr_oracle_choose_unit(lr_oracle *o, double f)
{
  if (!o->listener.rescaled || o->seen.in_unit || !lr_finite(f) || f == 0)
    return;
  int e = ilogb(f), to = e < LOWEST ? LOWEST : e > HIGHEST ? HIGHEST : e;
  o->seen.in_unit = true;
  if (to == e) return;
  o->seen.unit = scalbn(1, to - e);
  o->differences.noise *= o->seen.unit; /* as it was given */
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

/* ---- what phases believe, in the user's unit ---- */

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
