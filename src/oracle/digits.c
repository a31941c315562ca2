/* With how many digits all values so far are written. */
#include "oracle/digits.h"

#include "base/elementary.h"
#include "oracle/oracle.h"

void lr_oracle_read_digits(lr_oracle *o, double f)
{
  o->seen.low = fmin(o->seen.low, f);
  o->seen.high = fmax(o->seen.high, f);
  if (o->seen.digits >= LR_MANY || f == 0) return;
  double unit = lr_pow(10, floor(lr_log10(fabs(f))));
  for (int d = 1; d < LR_MANY; d++, unit /= 10) {
    if (!lr_is_whole(f / unit)) continue;
    o->seen.digits = d > o->seen.digits ? d : o->seen.digits;
    return;
  }
  o->seen.digits = LR_MANY;
}

double lr_oracle_last_place(const lr_oracle *o, double own)
{
  double f = lr_oracle_users(o, own);
  if (!(o->seen.high > o->seen.low) || o->seen.digits == 0 ||
      o->seen.digits >= LR_MANY || f == 0)
    return 0;
  return lr_oracle_own(
      o, lr_pow(10, floor(lr_log10(fabs(f))) - o->seen.digits + 1));
}
