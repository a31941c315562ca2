/* How long a difference is, and how wrong it may be: the one place that says
 * so.
 *
 * A difference over the step h is off by noise and rounding, over h, and by
 * what f bends along it.  One-sided ones cannot see that: nothing is claimed
 * from them.  Two-sided ones measure it: error.bend2. */
#include "oracle/oracle.h"

#include "base/chi2.h"
#include "base/elementary.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>

/* Where nothing is known of the curvature, it is guessed as the size of f
 * over the square of the size of x; less where steps made from that were too
 * short to see anything. */
static double guess(const lr_oracle *o, double scale)
{
  double far = o->differences.stretch * scale;
  return (o->seen.f_scale > 0 ? o->seen.f_scale : 1) / (far * far);
}

/* The step that tells a gradient well enough from the tolerance: noise and
 * rounding of all p slopes are a sixteenth of it.  A longer one would only meet
 * more of the curvature. */
static double enough(const lr_oracle *o, double e)
{
  double tol = o->accuracy.tol ? *o->accuracy.tol : 0;
  bool walls = o->seen.cliffs > 0 || lr_oracle_missed(o) > 0;
  if (!(tol > 0) || walls) return INFINITY;
  /* on a plane with bounds, steps of t and t/2 to one side gain six times the
   * noise of one of t to either side */
  double gain = o->plane ? 6 : 1;
  return 16 * gain * e * sqrt(0.5 * (double)o->space->dimension) / tol;
}

static double two_sided(const lr_oracle *o, double unit, double e, double h)
{
  return o->accuracy.widen * fmin(h, fmax(enough(o, e), 1e-8 * unit));
}

/* One-sided: the error level/h + c h/2 is least at h = sqrt(2 level/c); where
 * c is known its share is taken off, and a longer step is better still, though
 * not by much: c itself is known roughly.  Two-sided: the error of order h is
 * gone, and the step is longer again, as far as the tolerance asks for it.  The
 * limits keep x + h u apart from x, and close to it. */
double lr_oracle_step(const lr_oracle *o, double scale, double f, double c)
{
  double e = lr_oracle_level(o, f);
  double longest =
      o->differences.noise > 0 ? fmin(0.1 * o->differences.stretch, 0.5) : 1e-4;
  if (c == 0 && o->differences.two_sided) {
    double h = lr_cbrt(3 * e / guess(o, scale) * scale);
    h = fmin(fmax(h, 1e-6 * scale), fmax(longest, 1e-3) * scale);
    return two_sided(o, scale, e, h);
  }
  double bend = c != 0 ? fabs(c) : guess(o, scale);
  double h = fmin(fmax(2 * sqrt(e / bend), 1e-8 * scale), longest * scale);
  if (o->differences.two_sided) return two_sided(o, scale, e, 6 * h);
  return c > 0 ? 3 * h : h;
}

double lr_oracle_reach(lr_oracle *o, lr_point *at, double c)
{
  return lr_oracle_step(o, lr_oracle_scale(o, at), at->f, -fabs(c));
}

static bool given(const lr_oracle *o)
{
  return o->answers.slopes || o->answers.gradient;
}

double lr_oracle_slope_error(lr_oracle *o, lr_point *at, double c)
{
  if (given(o))
    return o->accuracy.slope_noise > 0 ? o->accuracy.slope_noise : 0;
  double scale = lr_oracle_scale(o, at), h = lr_oracle_reach(o, at, c);
  double noise = lr_oracle_level(o, at->f) / h;
  if (o->differences.two_sided) return noise;
  return noise + 0.5 * h * (c != 0 ? fabs(c) : guess(o, scale));
}

double lr_oracle_gradient_error(lr_oracle *o, lr_point *at, double c, size_t n,
                                double confidence)
{
  double one = lr_oracle_slope_error(o, at, c), e2 = (double)n * one * one;
  double free = (double)n; /* degrees of freedom */
  if (n == 0 || !(one > 0)) return 0;
  if (!given(o) && o->accuracy.errors.id == at->id &&
      o->accuracy.errors.noise4 > 0) {
    e2 = o->accuracy.errors.noise2;
    free = fmax(1, e2 * e2 / o->accuracy.errors.noise4);
  }
  /* around f = 0 the squares may underflow */
  double norm = e2 > DBL_MIN ? sqrt(e2) : sqrt((double)n) * one;
  return norm * sqrt(lr_chi2_quantile(free, confidence) / free);
}

double lr_oracle_truncation(const lr_oracle *o, const lr_point *at)
{
  if (given(o)) return 0;
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
