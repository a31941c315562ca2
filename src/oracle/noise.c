/* The noise of f from a handful of values on a line, in the manner of More and
 * Wild ("Estimating computational noise", SIAM J. Sci. Comput. 33, 2011): the
 * k-th differences of a smooth function fall with the spacing, those of noise
 * grow by a known factor, so where the two part the noise can be read off. */
#include "oracle/oracle.h"

#include "base/finite.h"
#include "base/options.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>

enum { VALUES = 8, TRIES = 3 };

/* Values at x + i h u, i = 0 .. VALUES - 1, around the middle of a line.  A
 * box shortens the line; a failed value spoils the attempt. */
static lr_code line_values(lr_oracle *o, lr_point *at, lrgd_vec u, double h,
                           double f[VALUES])
{
  for (int i = 0; i < VALUES; i++) {
    lrgd_vec y = {o->points, 0};
    double t = h * (i - VALUES / 2);
    o->space->ops->copy(o->space, y, at->x, 1);
    o->space->ops->add(o->space, y, u, 1, &t);
    if (o->box.lower.block) (void)o->space->ops->clip(o->space, y, o->box);
    LR_TRY(lr_oracle_ask_values(o, y, 1, LRGD_PROBE, &f[i]));
    if (!lr_finite(f[i])) return LR_NOVALUE;
  }
  return LR_GO;
}

/* The noise levels that each order of differences suggests, and whether the
 * differences of that order change sign, as those of noise do. */
static void difference_table(const double f[VALUES], double sigma[VALUES],
                             bool changes[VALUES])
{
  double d[VALUES], gamma = 1;
  for (int i = 0; i < VALUES; i++) d[i] = f[i];
  for (int k = 1; k < VALUES; k++) {
    double sum = 0;
    int n = VALUES - k;
    bool up = false, down = false;
    for (int i = 0; i < n; i++) {
      d[i] = d[i + 1] - d[i];
      sum += d[i] * d[i];
      up |= d[i] > 0;
      down |= d[i] < 0;
    }
    gamma *= 0.5 * k / (2.0 * k - 1); /* (k!)^2 / (2k)! */
    sigma[k] = sqrt(gamma * sum / n);
    changes[k] = up && down;
  }
}

/* The first order from which three levels agree within a factor of four. */
static double read_table(const double sigma[VALUES], const bool changes[VALUES])
{
  for (int k = 1; k + 2 < VALUES; k++) {
    double low = fmin(fmin(sigma[k], sigma[k + 1]), sigma[k + 2]);
    double high = fmax(fmax(sigma[k], sigma[k + 1]), sigma[k + 2]);
    if (high <= 4 * low && changes[k]) return sigma[k];
  }
  return -1;
}

/* Half of the neighbours equal: the spacing is too short to see anything. */
static bool too_short(const double f[VALUES])
{
  int equal = 0;
  for (int i = 1; i < VALUES; i++) equal += f[i] == f[i - 1];
  return equal >= VALUES / 2;
}

static lr_code estimate(lr_oracle *o, lr_point *at, lrgd_vec u, double scale)
{
  double h = 1e-6 * scale, f[VALUES], sigma[VALUES];
  bool changes[VALUES];
  o->noise = 0;
  for (int attempt = 0; attempt < TRIES; attempt++) {
    lr_code code = line_values(o, at, u, h, f);
    if (code == LR_NOVALUE) {
      h *= 0.01;
      continue;
    }
    LR_TRY(code);
    difference_table(f, sigma, changes);
    double noise = read_table(sigma, changes);
    if (noise > 0) {
      o->noise = noise;
      return LR_GO;
    }
    h *= too_short(f) ? 100 : 0.01;
  }
  return LR_GO; /* smooth down to rounding, or constant: no noise seen */
}

lr_code lr_oracle_find_noise(lr_oracle *o, lr_point *at)
{
  o->noise = lr_given(o->options->noise) ? o->options->noise : 0;
  if (lr_given(o->options->noise)) return LR_GO;
  if (!o->answers.value && !o->answers.values) return LR_GO;
  lrgd_vec u = {o->dir, 0};
  o->space->ops->gaussian(o->space, u, (uint64_t)o->options->seed,
                          UINT64_MAX); /* a stream no method uses */
  if (!lr_normalise(o->space, u, NULL)) return LR_GO;
  return estimate(o, at, u, lr_scale_of(o->space, at->x));
}
