/* Estimates noise from the differences of values on a line, in the manner of
 * More and Wild ("Estimating computational noise", SIAM J. Sci. Comput. 33,
 * 2011): differences of order k of a smooth function decrease with the spacing,
 * those of noise have variance sd^2 (2k)!/(k!)^2.  Where successive orders
 * agree on sd, it is that of the noise. */
#include "oracle/noise_reading.h"

#include "base/elementary.h"

#include <float.h>
#include <math.h>

/* ---- the difference table of one line ---- */

bool lr_line_end_at_jump(const lr_policy *P, lr_line *L, double f_scale)
{
  double most = 0, others = 0;
  int where = 0;
  for (int i = 1; i < L->n; i++) {
    double step = fabs(L->f[i] - L->f[i - 1]);
    others += fmin(step, most);
    if (step <= most) continue;
    most = step;
    where = i;
  }
  bool jump = f_scale > 0 && most > fmax(P->jump_ratio * others, f_scale);
  if (jump) L->n = where;
  return jump;
}

double lr_line_largest(const lr_line *L)
{
  double size = 0;
  for (int i = 0; i < L->n; i++) size = fmax(size, fabs(L->f[i]));
  return size;
}

double lr_line_steepest(const lr_line *L)
{
  double most = 0;
  for (int i = 1; i < L->n; i++) most = fmax(most, fabs(L->f[i] - L->f[i - 1]));
  return most;
}

int lr_line_ties(const lr_line *L)
{
  int equal = 0;
  for (int i = 1; i < L->n; i++) equal += L->f[i] == L->f[i - 1];
  return equal;
}

bool lr_line_too_short(const lr_policy *P, const lr_line *L)
{
  int ties = lr_line_ties(L);
  return ties > 0 && ties >= P->noise_ties * (L->n - 1);
}

/* ---- the difference table ---- */

lr_difference_table lr_line_table(const lr_line *L)
{
  double d[LR_LINE], gamma = 1;
  lr_difference_table t = {.n = L->n};
  for (int i = 0; i < L->n; i++) d[i] = L->f[i];
  for (int k = 1; k < L->n; k++) {
    double sum = 0, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < L->n - k; i++) {
      d[i] = d[i + 1] - d[i];
      sum += d[i] * d[i];
      low = fmin(low, d[i]);
      high = fmax(high, d[i]);
    }
    gamma *= 0.5 * k / (2.0 * k - 1); /* (k!)^2 / (2k)! */
    t.sigma[k] = sqrt(gamma * sum / (L->n - k));
    t.turns[k] = low < 0 && high > 0;
  }
  return t;
}

bool lr_table_is_polynomial(const lr_policy *P, const lr_difference_table *t)
{
  for (int k = 2; k + 2 < t->n; k++) {
    double rest = 0;
    for (int i = k + 1; i < t->n; i++) rest = fmax(rest, t->sigma[i]);
    if (rest < P->noise_polynomial * t->sigma[k]) return true;
  }
  return false;
}

double lr_table_noise(const lr_policy *P, const lr_difference_table *t)
{
  for (int k = 2; k + 2 < t->n; k++) {
    const double *s = t->sigma + k;
    double low = fmin(fmin(s[0], s[1]), s[2]);
    double high = fmax(fmax(s[0], s[1]), s[2]);
    if (high < P->noise_agreement * low && t->turns[k] && t->turns[k + 1])
      return s[1];
  }
  return -1;
}

double lr_table_bound(const lr_difference_table *t)
{
  return fmax(t->sigma[t->n - 1], t->sigma[t->n - 2]);
}

/* ---- values rounded to a grid ---- */

static double least_gap(const lr_line_values *all)
{
  double least = INFINITY;
  for (int i = 1; i < all->n; i++)
    for (int j = 0; j < i; j++) {
      double gap = fabs(all->f[i] - all->f[j]);
      if (gap > 0) least = fmin(least, gap);
    }
  return least;
}

double lr_grid_spacing(const lr_policy *P, const lr_line_values *all)
{
  double least = least_gap(all);
  int different = 0;
  for (int i = 1; i < all->n; i++) {
    double steps = fabs(all->f[i] - all->f[0]) / least;
    if (!(fabs(steps - round(steps)) <= P->grid_misfit)) return 0;
    different += steps > 0.5;
  }
  bool grid = different >= P->grid_values && all->ties >= P->grid_ties;
  return grid ? least : 0;
}

double lr_grid_last_digit(const lr_policy *P, const lr_line_values *all)
{
  double size = 0;
  int different = 0;
  for (int i = 0; i < all->n; i++) {
    size = fmax(size, fabs(all->f[i]));
    different += all->f[i] != all->f[0];
  }
  if (!(size > 0) || different < P->grid_values) return 0;
  double unit = lr_pow(10, floor(lr_log10(size))), least = least_gap(all);
  for (int digits = 1; digits < P->many_digits; digits++, unit /= 10) {
    bool fits = least >= 0.5 * unit; /* whole units apart, up to rounding */
    for (int i = 0; i < all->n && fits; i++)
      fits = lr_is_whole(all->f[i] / unit);
    if (fits) return unit;
  }
  return 0;
}

double lr_grid_noise(const lr_policy *P, const lr_line_values *all)
{
  if (all->polynomial) return 0;
  double unit = fmax(lr_grid_spacing(P, all), lr_grid_last_digit(P, all));
  return unit / sqrt(12); /* of a uniform distribution */
}

/* ---- levels of noise ---- */

bool lr_noise_is_none(const lr_policy *P, int i, int tries)
{
  return i >= floor(P->noise_none * tries);
}

double lr_noise_spacing(const lr_policy *P, double h, double too_short,
                        double too_long)
{
  if (too_short > 0 && too_long < INFINITY) return sqrt(too_short * too_long);
  return too_short > 0 ? P->noise_spacing_factor * h
                       : h / P->noise_spacing_factor;
}

bool lr_noise_alike(const lr_policy *P, double a, double b)
{
  return a < P->noise_alike * b && b < P->noise_alike * a;
}

int lr_noise_lines(const lr_policy *P, double level, double rounding,
                   double known, double grid, double size)
{
  if (level <= rounding || level < P->noise_alike * known) return 1;
  if (level < P->noise_alike * grid) return 1;
  return (int)(level > P->noise_large * size ? P->noise_lines_large
                                             : P->noise_lines);
}

double lr_noise_least(const lr_policy *P, double before, double now,
                      double rounding, double f)
{
  bool jump = before > P->noise_jump * fabs(f) && now > rounding;
  bool far = before > P->noise_reduction * rounding;
  return far && !jump ? before / P->noise_reduction : 0;
}

double lr_noise_pooled(const lr_policy *P, double before, double now)
{
  return lr_noise_alike(P, before, now) ? sqrt(now * before) : now;
}

double lr_noise_component(const lr_policy *P, double x, double scale)
{
  double least = P->noise_small_input * scale;
  return x != 0 && fabs(x) < least ? fabs(x) / least : 1;
}

double lr_noise_rounding(const lr_policy *P, double size)
{
  return P->noise_roundings * DBL_EPSILON * size;
}

double lr_noise_input_rounding(const lr_policy *P, double slope, double scale,
                               double p)
{
  return P->noise_input_roundings * DBL_EPSILON * scale * slope * sqrt(p);
}
