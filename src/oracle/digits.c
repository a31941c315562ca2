/* Counts the decimal digits with which all values so far are written. */
#include "oracle/oracle.h"

#include "base/elementary.h"

#include <math.h>

void lr_oracle_read_digits(lr_oracle *o, double f)
{
  const int many = (int)o->policy->many_digits;
  o->seen.low = fmin(o->seen.low, f);
  o->seen.high = fmax(o->seen.high, f);
  if (o->seen.digits >= many || f == 0) return;
  double unit = lr_pow(10, floor(lr_log10(fabs(f))));
  for (int d = 1; d < many; d++, unit /= 10) {
    if (!lr_is_whole(f / unit)) continue;
    o->seen.digits = d > o->seen.digits ? d : o->seen.digits;
    return;
  }
  o->seen.digits = many;
}

double lr_oracle_last_place(const lr_oracle *o, double own)
{
  double f = lr_oracle_users(o, own);
  if (!(o->seen.high > o->seen.low) || o->seen.digits == 0 ||
      o->seen.digits >= (int)o->policy->many_digits || f == 0)
    return 0;
  return lr_oracle_own(
      o, lr_pow(10, floor(lr_log10(fabs(f))) - o->seen.digits + 1));
}
