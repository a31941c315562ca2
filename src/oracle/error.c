/* The length of a finite difference and the error of the derivative it gives.
 *
 * A difference over the step h has two errors: noise and rounding of f, divided
 * by h, and the truncation error, which grows with h.  A one-sided difference
 * gives no estimate of its truncation error, so that no certificate relies on
 * one. A two-sided difference bounds it: lr_errors.bend2. */
#include "oracle/difference_rules.h"
#include "oracle/oracle.h"

#include "base/chi2.h"
#include "base/elementary.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>

/* Guesses an unknown curvature as the size of f over the square of the size of
 * x.  Where differences of that length showed no change of f, the guess is
 * smaller, which makes them longer. */
static double guess(const lr_oracle *o, double scale)
{
  double far = o->differences.stretch * scale;
  return (o->seen.f_scale > 0 ? o->seen.f_scale : 1) / (far * far);
}

/* The step over which noise and rounding of all p derivatives are a small part
 * of the tolerance; infinite where the tolerance is unknown or f has jumps and
 * missing values, at which differences become one-sided. */
static double enough(const lr_oracle *o, double e)
{
  double tol = o->accuracy.tol ? *o->accuracy.tol : 0;
  bool jumps = o->seen.cliffs > 0 || lr_oracle_missed(o) > 0;
  if (!(tol > 0) || jumps) return INFINITY;
  return lr_difference_resolving(o->policy, e, (double)o->space->dimension, tol,
                                 o->plane);
}

/* A two-sided step: h, or shorter where the tolerance does not need that
 * length. */
static double two_sided(const lr_oracle *o, double unit, double e, double h)
{
  double least = o->policy->shortest_step * unit;
  return o->accuracy.widen * fmin(h, fmax(enough(o, e), least));
}

/* A one-sided step minimises the sum of both errors.  Where the curvature c is
 * known, its part of the difference is subtracted, and a longer step is better.
 * A two-sided step is longer again, since the error of order h cancels. */
double lr_oracle_step(const lr_oracle *o, double scale, double f, double c)
{
  const lr_policy *P = o->policy;
  double e = lr_oracle_level(o, f);
  double longest = lr_difference_longest(P, o->differences.noise > 0,
                                         o->differences.stretch);
  if (c == 0 && o->differences.two_sided) {
    double h = lr_difference_two_sided(P, e, guess(o, scale), scale, longest);
    return two_sided(o, scale, e, h);
  }
  double bend = c != 0 ? fabs(c) : guess(o, scale);
  double h = lr_difference_one_sided(P, e, bend, scale, longest);
  if (o->differences.two_sided)
    return two_sided(o, scale, e, P->step_two_sided * h);
  return c > 0 ? P->step_known_curvature * h : h;
}

double lr_oracle_reach(lr_oracle *o, lr_point *at, double c)
{
  return lr_oracle_step(o, lr_oracle_scale(o, at), at->f, -fabs(c));
}

double lr_oracle_slope_error(lr_oracle *o, lr_point *at, double c)
{
  if (lr_oracle_has_derivatives(o))
    return o->accuracy.slope_noise > 0 ? o->accuracy.slope_noise : 0;
  double scale = lr_oracle_scale(o, at), h = lr_oracle_reach(o, at, c);
  double noise = lr_oracle_level(o, at->f) / h;
  if (o->differences.two_sided) return noise;
  return noise + 0.5 * h * (c != 0 ? fabs(c) : guess(o, scale));
}

double lr_oracle_chord_error(lr_oracle *o, lr_point *at, double guessed,
                             double c)
{
  if (lr_oracle_has_derivatives(o) || o->differences.two_sided) return 0;
  return 0.5 * c * lr_oracle_reach(o, at, guessed);
}

double lr_oracle_gradient_error(lr_oracle *o, lr_point *at, double c, size_t n,
                                double confidence)
{
  double one = lr_oracle_slope_error(o, at, c), e2 = (double)n * one * one;
  double free = (double)n; /* degrees of freedom of the chi^2 variable */
  if (n == 0 || !(one > 0)) return 0;
  if (!lr_oracle_has_derivatives(o) && o->accuracy.errors.id == at->id &&
      o->accuracy.errors.noise4 > 0) {
    e2 = o->accuracy.errors.noise2;
    free = fmax(1, e2 * e2 / o->accuracy.errors.noise4);
  }
  /* near f = 0 the squares may underflow */
  double norm = e2 > DBL_MIN ? sqrt(e2) : sqrt((double)n) * one;
  return norm * sqrt(lr_chi2_quantile(free, confidence) / free);
}

double lr_oracle_truncation(const lr_oracle *o, const lr_point *at)
{
  if (lr_oracle_has_derivatives(o)) return 0;
  if (o->accuracy.errors.id != at->id || !o->accuracy.errors.two_sided)
    return INFINITY;
  return sqrt(fmax(o->accuracy.errors.bend2, 0));
}

void lr_oracle_scale_errors(lr_oracle *o, double times)
{
  o->accuracy.errors.noise2 *= times * times;
  o->accuracy.errors.noise4 *= times * times * times * times;
  o->accuracy.errors.bend2 *= times * times;
}
