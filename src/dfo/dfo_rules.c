/* Decisions of derivative-free optimisation. */
#include "dfo/dfo_rules.h"

#include "base/elementary.h"
#include "base/finite.h"
#include "step/step_rules.h"

#include <math.h>

/* ---- the trust region ---- */

bool lr_dfo_suits(const lr_policy *P, size_t p)
{
  double n = (double)p;
  return n >= P->dfo_least_dimension && n <= P->dfo_most_dimension;
}

bool lr_dfo_is_small(const lr_policy *P, size_t p)
{
  return (double)p <= P->small_dimension;
}

size_t lr_dfo_points(const lr_policy *P, size_t p)
{
  return lr_dfo_is_small(P, p) ? (p + 1) * (p + 2) / 2 : 2 * p + 1;
}

double lr_dfo_first_radius(const lr_policy *P, bool boxed)
{
  return boxed ? P->dfo_first_radius : P->small_radius;
}

bool lr_dfo_accepts(const lr_policy *P, double ratio)
{
  return ratio >= P->tr_accept;
}

double lr_dfo_radius(const lr_policy *P, double radius, double resolution)
{
  return radius < P->tr_snap * resolution ? resolution : radius;
}

double lr_dfo_next_radius(const lr_policy *P, double radius, double resolution,
                          double step, double ratio)
{
  double shrunk = P->tr_shrink * radius;
  if (!lr_dfo_accepts(P, ratio))
    return lr_dfo_radius(P, fmin(P->tr_shrink * step, shrunk), resolution);
  double grown = ratio > P->tr_extend ? P->tr_grow * step : step;
  return lr_dfo_radius(P, fmax(shrunk, grown), resolution);
}

bool lr_dfo_too_short(const lr_policy *P, double step, double resolution)
{
  return step < P->tr_short_step * resolution;
}

double lr_dfo_short_radius(const lr_policy *P, double radius, double resolution)
{
  return lr_dfo_radius(P, P->tr_short_shrink * radius, resolution);
}

bool lr_dfo_is_far(const lr_policy *P, bool small, double distance,
                   double radius, double resolution)
{
  double far = small ? P->small_far : P->geometry_far_resolution;
  return distance > fmax(P->geometry_far_radius * radius, far * resolution);
}

double lr_dfo_geometry_radius(const lr_policy *P, double distance,
                              double radius, double resolution)
{
  return fmax(fmin(P->geometry_step * distance, radius), resolution);
}

bool lr_dfo_refines(const lr_policy *P, int failures)
{
  return failures >= P->tr_failures;
}

double lr_dfo_finer(const lr_policy *P, bool small, double resolution)
{
  return (small ? P->small_refine : P->tr_refine) * resolution;
}

double lr_dfo_finer_radius(const lr_policy *P, double resolution)
{
  return P->tr_shrink * resolution;
}

bool lr_dfo_ends(const lr_policy *P, bool small, int singular,
                 double resolution)
{
  double last = small ? P->small_last_radius : P->dfo_last_radius;
  return singular >= P->dfo_singular_systems || resolution < last;
}

bool lr_dfo_is_at_minimum(const lr_policy *P, double predicted, double gained,
                          double rounding)
{
  return predicted <= fmax(P->small_gain * gained, rounding);
}

bool lr_dfo_is_accurate(const lr_policy *P, const double errors[3],
                        double predicted, double length)
{
  double most = fmax(errors[0], fmax(errors[1], errors[2]));
  return most * length * length <= P->small_accuracy * predicted;
}

double lr_dfo_small_budget(const lr_policy *P, size_t p)
{
  return P->small_longest * (double)(p + 1);
}

size_t lr_dfo_further_budget(const lr_policy *P, size_t p)
{
  return (size_t)(P->dfo_further * (double)p);
}

double lr_dfo_further_resolution(const lr_policy *P, double radius)
{
  return P->dfo_further_resolution * radius;
}

bool lr_dfo_may_go_on(const lr_policy *P, int rounds)
{
  return rounds < P->dfo_longest;
}

bool lr_dfo_pays(const lr_policy *P, const double *f, int reached,
                 double resolution)
{
  if (reached < 2) return true;
  bool halved = f[2] > 0 && f[2] < P->dfo_early_halved * f[1];
  bool ended = f[1] - f[2] <= P->dfo_early_gain * (f[0] - f[1]) && !halved &&
               resolution < P->dfo_first_radius;
  if (reached == 2) return !ended;
  bool steady = f[2] - f[3] >= P->dfo_steady * (f[1] - f[2]);
  if (reached == 3) return !(ended && steady);
  bool creeps = f[2] - f[4] < P->dfo_late_gain * (f[0] - f[2]);
  bool still = f[3] - f[4] >= P->dfo_steady_late * (f[2] - f[3]);
  return !(steady && still && (ended || creeps));
}

/* ---- the trust-region subproblem ---- */

bool lr_dfo_cg_goes_on(const lr_policy *P, double residual, double first)
{
  return residual > P->cg_residual * first;
}

bool lr_dfo_turns_again(const lr_policy *P, double gain, double all)
{
  return gain > P->arc_gain * all;
}

double lr_dfo_arc_unit(const lr_policy *P, double angle)
{
  return angle / P->arc_samples;
}

/* ---- the interpolation system ---- */

bool lr_dfo_system_holds(const lr_policy *P, size_t updates, size_t p,
                         double distance, double radius, double unit)
{
  bool near = !(distance > P->system_far * unit);
  bool fits = radius <= P->system_far * unit && radius >= P->system_near * unit;
  return (double)updates < P->system_updates * (double)p && near && fits;
}

/* ---- the first values ---- */

bool lr_dfo_scales(const lr_policy *P, size_t p, double power, double *w)
{
  double sum = 0, most = P->scale_range;
  for (size_t i = 0; i < p; i++) sum += w[i] = lr_pow(w[i], power);
  if (!(sum > 0) || !lr_finite(sum)) return false;
  for (size_t i = 0; i < p; i++)
    w[i] = fmin(fmax(w[i] * (double)p / sum, 1 / most), most);
  return true;
}

double lr_dfo_retry(const lr_policy *P, bool room, double h, int attempt)
{
  return attempt == 0 && room ? -h : lr_step_retreat(P, h);
}

bool lr_dfo_tries_again(const lr_policy *P, int attempt)
{
  return attempt < P->first_attempts;
}

double lr_dfo_first_ceiling(const lr_policy *P, double f, const double *changes,
                            size_t n)
{
  return n == 0 ? INFINITY : f + P->first_ceiling * changes[n / 2];
}

double lr_dfo_ceiling(const lr_policy *P, double low, double high)
{
  return high + P->value_ceiling * (high - low);
}

bool lr_dfo_is_penalty(const lr_policy *P, const double *values, size_t n,
                       double f)
{
  double least = values[0];
  size_t same = 0;
  for (size_t i = 0; i < n; i++) same += values[i] == f;
  if ((double)same < P->penalty_share * (double)n || least == 0) return false;
  for (size_t i = 0; i + 1 < n; i++)
    if (values[i + 1] - values[i] >
        P->penalty_gap * (fabs(least) + values[i] - least))
      return f > values[i];
  return false;
}

bool lr_dfo_adds_up(const lr_policy *P, double decrease, double sum,
                    double scale)
{
  return fabs(decrease - sum) < P->separable_sum * scale;
}

bool lr_dfo_rises(const lr_policy *P, size_t rises, size_t p)
{
  return (double)rises >= P->rising_share * (double)p;
}
