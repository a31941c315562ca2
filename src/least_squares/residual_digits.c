/* The units in which a program prints residuals with few digits: all values of
 * one are multiples of a power of ten. */
#include "least_squares/least_squares_state.h"

#include "least_squares/least_squares_rules.h"

#include "base/elementary.h"

#include <math.h>

/* The largest power of ten, at most `unit` (0: any), of which r is a multiple;
 * 0: it has too many digits for a printed one. */
static double printed_unit(const lr_policy *P, double unit, double r)
{
  double size = fabs(r), top = lr_pow(10, ceil(lr_log10(size)));
  if (!(unit > 0)) unit = top;
  for (; lr_ls_prints_few(P, fmax(size, unit) / unit); unit /= 10)
    if (lr_ls_is_whole(P, size / unit)) return unit;
  return 0;
}

/* The unit, lowered where a residual has changed by less than half of it,
 * beyond rounding errors: a number that is printed alike leaves the same
 * residual. Residuals may be round numbers by chance, as x - 3 at x = 5 and
 * next to it. */
static double unit_of_change(const lr_policy *P, double unit, double before,
                             double now)
{
  double change = fabs(now - before), most = fmax(fabs(before), fabs(now));
  if (!(change > lr_ls_rounding_most(P, most))) return unit;
  while (change < 0.5 * unit) unit /= 10;
  return unit;
}

void lr_ls_read_digits(lr_least_squares *s, const double *r)
{
  for (size_t i = 0; i < s->M.n && !s->unprinted; i++) {
    double unit = unit_of_change(s->policy, s->printed[i], s->read[i], r[i]);
    s->read[i] = r[i];
    if (r[i] == 0) continue;
    s->printed[i] = printed_unit(s->policy, unit, r[i]);
    s->unprinted = !(s->printed[i] > 0);
  }
}
