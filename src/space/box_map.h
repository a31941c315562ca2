/* Operations on one coordinate and its bounds, shared by the space of host
 * memory and by kernels on a GPU.  The latter define LR_MAP_SIN and LR_MAP_ASIN
 * as their own sines; the core's are used otherwise. */
#ifndef LR_BOX_MAP_H
#define LR_BOX_MAP_H

#include "base/elementary.h"

#include <math.h>
#include <stdbool.h>

#ifndef LR_MAP_SIN
#define LR_MAP_SIN lr_sin
#define LR_MAP_ASIN lr_asin
#endif

/* Larger bounds count as none: their squares would overflow. */
LR_INSIDE bool lr_is_bound(double x)
{
  return fabs(x) < 1e100;
}

/* The map into a box.  Two bounds: a sine between them.  One: a branch of a
 * hyperbola.  Neither is constant on any interval. */
LR_INSIDE double lr_map_to_box(double y, double lower, double upper)
{
  bool low = lr_is_bound(lower), high = lr_is_bound(upper);
  if (low && high) {
    double half = 0.5 * upper - 0.5 * lower, middle = lower + half;
    if (!(half > 0)) return lower;
    double x = middle + half * LR_MAP_SIN((y - middle) / half);
    return fmin(fmax(x, lower), upper);
  }
  if (!low && !high) return y;
  double bound = low ? lower : upper, unit = 1 + fabs(bound), t = y - bound;
  double away = sqrt(unit * unit + t * t) - unit;
  return low ? bound + away : bound - away;
}

LR_INSIDE double lr_map_from_box(double x, double lower, double upper,
                                 double margin)
{
  bool low = lr_is_bound(lower), high = lr_is_bound(upper);
  double off = margin * (1 + fabs(x));
  if (low && high) {
    double half = 0.5 * upper - 0.5 * lower, middle = lower + half;
    if (!(half > 0)) return lower;
    double most = 1 - fmin(margin, off / half);
    double s = fmin(fmax((x - middle) / half, -most), most);
    return middle + half * LR_MAP_ASIN(s);
  }
  if (!low && !high) return x;
  double bound = low ? lower : upper, unit = 1 + fabs(bound);
  double away = fmax(fabs(x - bound), fmin(margin * unit, off)) + unit;
  double t = sqrt(away * away - unit * unit);
  return low ? bound + t : bound - t;
}

/* The rounding error of x + (bound - x), for x of the bound's size. */
LR_INSIDE double lr_rounding_at(double bound, double epsilon)
{
  return lr_is_bound(bound) ? 4 * epsilon * fabs(bound) : 0;
}

#endif
