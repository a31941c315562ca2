/* Decisions of finite differences. */
#include "oracle/difference_rules.h"

#include "base/elementary.h"

#include <math.h>

double lr_difference_longest(const lr_policy *P, bool noise, double stretch)
{
  return noise
             ? fmin(P->longest_step_noisy * stretch, P->longest_step_stretched)
             : P->longest_step;
}

double lr_difference_one_sided(const lr_policy *P, double error, double c,
                               double scale, double longest)
{
  return fmin(fmax(2 * sqrt(error / c), P->shortest_step * scale),
              longest * scale);
}

double lr_difference_two_sided(const lr_policy *P, double error, double c,
                               double scale, double longest)
{
  double h = lr_cbrt(3 * error / c * scale);
  return fmin(fmax(h, P->shortest_step_two_sided * scale),
              fmax(longest, P->longest_step_two_sided) * scale);
}

double lr_difference_resolving(const lr_policy *P, double error, double p,
                               double tol, bool on_plane)
{
  double gain = on_plane ? P->step_on_plane : 1;
  return P->step_resolution * gain * error * sqrt(0.5 * p) / tol;
}

bool lr_difference_is_cut(const lr_policy *P, double cut, double h)
{
  return fabs(cut) < P->direction_room * fabs(h);
}

double lr_difference_jump(const lr_policy *P, double f_scale, double error)
{
  return fmax(f_scale, P->jump_errors * error);
}

void lr_difference_jumps(const lr_policy *P, double ahead, double back,
                         double jump, bool *ahead_jumps, bool *back_jumps)
{
  double ratio = P->jump_ratio;
  bool both = fmin(ahead, back) > fmax(jump, ratio * fabs(ahead - back));
  *ahead_jumps = both || ahead > fmax(jump, ratio * fabs(back));
  *back_jumps = both || back > fmax(jump, ratio * fabs(ahead));
}

bool lr_difference_is_active(const lr_policy *P, double d, double noise2,
                             double truncation2)
{
  double sure = P->active_errors * P->active_errors * noise2;
  return d * d > sure + fmax(truncation2, 0);
}

bool lr_difference_stretches(const lr_policy *P, double stretch)
{
  return stretch < P->stretch_most;
}
