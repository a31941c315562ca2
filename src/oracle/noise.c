/* The noise of f from a handful of values on a line, in the manner of More and
 * Wild ("Estimating computational noise", SIAM J. Sci. Comput. 33, 2011): the
 * k-th differences of a smooth function fall with the spacing, those of noise
 * have variance sd^2 (2k)!/(k!)^2, so where successive orders agree on sd the
 * noise can be read off. */
#include "oracle/oracle.h"

#include "base/finite.h"
#include "base/options.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>

enum { VALUES = 7, TRIES = 3 };

/* Values at x + i h u; the first is known.  Coordinates of u for which the box
 * leaves no room go: a kink at a bound looks like noise. */
static lr_code line_values(lr_oracle *o, lr_point *at, lrgd_vec u, double h,
                           double f[VALUES])
{
  bool boxed = lr_oracle_boxed(o);
  if (boxed) o->space->ops->hold(o->space, u, at->x, o->box, h * (VALUES - 1));
  f[0] = at->f;
  for (int i = 1; i < VALUES; i++) {
    lrgd_vec y = {o->points, 0};
    o->space->ops->place(o->space, y, at->x, u, h * i);
    if (boxed) (void)o->space->ops->clip(o->space, y, o->box);
    LR_TRY(lr_oracle_ask_values(o, y, 1, LRGD_PROBE, &f[i]));
    if (!lr_finite(f[i])) return LR_NOVALUE;
  }
  return LR_GO;
}

/* sigma[k]: the noise that differences of order k suggest. */
static void difference_table(const double f[VALUES], double sigma[VALUES])
{
  double d[VALUES], gamma = 1;
  for (int i = 0; i < VALUES; i++) d[i] = f[i];
  for (int k = 1; k < VALUES; k++) {
    double sum = 0;
    for (int i = 0; i < VALUES - k; i++) {
      d[i] = d[i + 1] - d[i];
      sum += d[i] * d[i];
    }
    gamma *= 0.5 * k / (2.0 * k - 1); /* (k!)^2 / (2k)! */
    sigma[k] = sqrt(gamma * sum / (VALUES - k));
  }
}

/* The level on which three successive orders agree, or a negative number. */
static double agreed(const double sigma[VALUES])
{
  for (int k = 2; k + 2 < VALUES; k++) {
    double low = fmin(fmin(sigma[k], sigma[k + 1]), sigma[k + 2]);
    double high = fmax(fmax(sigma[k], sigma[k + 1]), sigma[k + 2]);
    if (high < 3 * low) return sigma[k + 1];
  }
  return -1;
}

/* Half of the neighbours equal: the spacing is too short to see anything. */
static bool too_short(const double f[VALUES])
{
  int equal = 0;
  for (int i = 1; i < VALUES; i++) equal += f[i] == f[i - 1];
  return 2 * equal >= VALUES - 1;
}

/* *level: the noise, or an upper bound of it; *seen says which. */
static lr_code estimate(lr_oracle *o, lr_point *at, lrgd_vec u, double *level,
                        bool *seen)
{
  double h = 1e-4 * lr_oracle_scale(o, at), f[VALUES], sigma[VALUES];
  *level = 0;
  *seen = false;
  for (int i = 0; i < TRIES; i++) {
    lr_code code = line_values(o, at, u, h, f);
    if (code == LR_NOVALUE) {
      h /= 30;
      continue;
    }
    LR_TRY(code);
    if (too_short(f)) {
      h *= 30;
      continue;
    }
    difference_table(f, sigma);
    double noise = agreed(sigma);
    *level = noise > 0 ? noise : sigma[VALUES - 1];
    *seen = noise > 0;
    if (*seen) return LR_GO;
    h /= 30; /* the table still falls with the order: f is curved here */
  }
  return LR_GO;
}

lr_code lr_oracle_measure_noise(lr_oracle *o, lr_point *at, uint64_t stream)
{
  lrgd_vec u = {o->dir, 0};
  double level;
  bool seen;
  if (!o->answers.value && !o->answers.values) return LR_GO;
  LR_TRY(lr_oracle_value(o, at, LRGD_PROBE));
  o->space->ops->gaussian(o->space, u, (uint64_t)o->options->seed, stream);
  if (o->confine) o->confine(o->self, u);
  if (!lr_normalise(o->space, u, NULL)) return LR_GO;
  LR_TRY(estimate(o, at, u, &level, &seen));
  double rounding = 50 * DBL_EPSILON * fabs(at->f);
  if (seen)
    o->noise = level > rounding ? level : 0;
  else if (level > 0 && level < o->noise)
    o->noise = level;
  return LR_GO;
}

lr_code lr_oracle_find_noise(lr_oracle *o, lr_point *at)
{
  bool given = lr_given(o->options->noise);
  o->noise = given ? o->options->noise : 0;
  if (given) return LR_GO;
  return lr_oracle_measure_noise(o, at, UINT64_MAX); /* nobody else's stream */
}
