/* Slopes by differences of values: how long a step, on which side of the
 * point, never outside the box. */
#include "oracle/oracle.h"

#include "base/finite.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>

static bool boxed(const lr_oracle *o)
{
  return o->box.lower.block != NULL;
}

/* The level below which differences of values mean nothing. */
static double level_of(const lr_oracle *o, double f)
{
  return fmax(fmax(o->noise, 4 * DBL_EPSILON * fabs(f)), DBL_MIN);
}

/* Where nothing is known of the curvature, it is guessed as the size of f
 * over the square of the size of x. */
static double unit_of(const lr_oracle *o)
{
  return o->f_scale > 0 ? o->f_scale : 1;
}

/* Forward: the error level/h + c h/2 is least at h = sqrt(2 level/c).
 * Central: level/h + f''' h^2/6 is least near h = (3 level/f''')^(1/3).
 * The limits keep x + h u apart from x, and close to it. */
static double step_length(const lr_oracle *o, double scale, double f)
{
  double relative = level_of(o, f) / unit_of(o);
  bool central = o->options->differences == LRGD_CENTRAL;
  double h = central ? cbrt(3 * relative) : sqrt(2 * relative);
  double shortest = central ? 1e-6 : 1e-8, longest = o->noise > 0 ? 0.1 : 1e-3;
  return scale * fmin(fmax(h, shortest), longest);
}

double lr_oracle_slope_error(lr_oracle *o, lr_point *at)
{
  if (o->answers.slopes || o->answers.gradient) return 0;
  double scale = lr_scale_of(o->space, at->x), h = step_length(o, scale, at->f);
  double noise = level_of(o, at->f) / h;
  if (o->options->differences == LRGD_CENTRAL) return noise;
  return noise + 0.5 * h * unit_of(o) / (scale * scale);
}

/* One difference: the point goes to column `col` of the batch, and the signed
 * step that makes it is returned; 0 where the box leaves no room at all. */
typedef struct difference {
  lr_oracle *o;
  lr_point *at;
  lrgd_vec U; /* directions; U.block NULL: the coordinates */
  double h;
} difference;

/* Which way to go when there is room `back` and `ahead`. */
static double choose_side(double h, double back, double ahead)
{
  if (ahead >= h) return h;
  if (back >= h) return -h;
  return ahead >= back ? ahead : -back;
}

static double place_coordinate(difference *D, size_t i, size_t col, double sign)
{
  lr_oracle *o = D->o;
  lrgd_vec y = {o->points, col};
  double t = sign * D->h;
  if (boxed(o)) {
    double x, lower, upper;
    o->space->ops->export(o->space, D->at->x, i, 1, &x);
    o->space->ops->export(o->space, o->box.lower, i, 1, &lower);
    o->space->ops->export(o->space, o->box.upper, i, 1, &upper);
    t = sign * choose_side(D->h, sign > 0 ? x - lower : upper - x,
                           sign > 0 ? upper - x : x - lower);
  }
  o->space->ops->copy(o->space, y, D->at->x, 1);
  return o->space->ops->bump(o->space, y, i, t);
}

static double place_direction(difference *D, size_t j, size_t col, double sign)
{
  lr_oracle *o = D->o;
  lrgd_vec y = {o->points, col}, u = {D->U.block, D->U.col + j};
  double t = sign * D->h;
  if (boxed(o)) {
    double back, ahead;
    o->space->ops->reach(o->space, D->at->x, u, o->box, &back, &ahead);
    t = sign *
        choose_side(D->h, sign > 0 ? back : ahead, sign > 0 ? ahead : back);
    if (fabs(t) < D->h / 8) {
      /* a dense direction at a bound may have no room on either side: leave
       * out the coordinates that are against their bounds */
      lrgd_vec held = {o->dir, 0};
      o->space->ops->copy(o->space, held, u, 1);
      o->space->ops->hold(o->space, held, D->at->x, o->box, D->h);
      u = held;
      t = sign * D->h;
    }
  }
  o->space->ops->copy(o->space, y, D->at->x, 1);
  o->space->ops->add(o->space, y, u, 1, &t);
  if (boxed(o)) (void)o->space->ops->clip(o->space, y, o->box);
  return t;
}

static double place(difference *D, size_t j, size_t col, double sign)
{
  return D->U.block ? place_direction(D, j, col, sign)
                    : place_coordinate(D, j, col, sign);
}

/* The slope from a failed difference: once more from the other side. */
static lr_code other_side(difference *D, size_t j, double tried,
                          lrgd_purpose why, double *d)
{
  double t = place(D, j, 0, tried > 0 ? -1 : 1), f;
  if (t == 0 || (t > 0) == (tried > 0)) return LR_NOVALUE;
  LR_TRY(lr_oracle_ask_values(D->o, (lrgd_vec){D->o->points, 0}, 1, why, &f));
  if (!lr_finite(f)) return LR_NOVALUE;
  *d = (f - D->at->f) / t;
  return lr_finite(*d) ? LR_GO : LR_NOVALUE;
}

/* One-sided differences along directions first .. first + m - 1. */
static lr_code forward(difference *D, size_t first, size_t m, lrgd_purpose why,
                       double *d)
{
  lr_oracle *o = D->o;
  size_t asked = 0;
  for (size_t j = 0; j < m; j++) {
    o->steps[j] = place(D, first + j, asked, 1);
    asked += o->steps[j] != 0;
  }
  LR_TRY(
      lr_oracle_ask_values(o, (lrgd_vec){o->points, 0}, asked, why, o->values));
  for (size_t j = 0, i = 0; j < m; j++) {
    double t = o->steps[j];
    d[j] = t != 0 ? (o->values[i++] - D->at->f) / t : 0;
  }
  for (size_t j = 0; j < m; j++)
    if (!lr_finite(d[j]))
      LR_TRY(other_side(D, first + j, o->steps[j], why, &d[j]));
  return LR_GO;
}

/* Two-sided differences; where the box leaves room on one side only, the two
 * points lie at different distances and the slope between them is taken. */
static lr_code central(difference *D, size_t first, size_t m, lrgd_purpose why,
                       double *d)
{
  lr_oracle *o = D->o;
  for (size_t j = 0; j < m; j++) {
    o->steps[2 * j] = place(D, first + j, 2 * j, 1);
    o->steps[2 * j + 1] = place(D, first + j, 2 * j + 1, -1);
  }
  LR_TRY(
      lr_oracle_ask_values(o, (lrgd_vec){o->points, 0}, 2 * m, why, o->values));
  for (size_t j = 0; j < m; j++) {
    double wide = o->steps[2 * j] - o->steps[2 * j + 1];
    double rise = o->values[2 * j] - o->values[2 * j + 1];
    if (wide == 0) { /* both fell on the same side */
      wide = o->steps[2 * j];
      rise = o->values[2 * j] - D->at->f;
    }
    d[j] = wide != 0 ? rise / wide : 0;
    if (!lr_finite(d[j])) return LR_NOVALUE;
  }
  return LR_GO;
}

/* All k slopes, a batch at a time, into d or, where d is NULL, into g. */
static lr_code all(difference *D, size_t k, lrgd_purpose why, double *d,
                   lrgd_vec g)
{
  lr_oracle *o = D->o;
  bool two = o->options->differences == LRGD_CENTRAL && o->batch >= 2;
  size_t price = two ? 2 : 1, most = o->batch / price;
  LR_TRY(lr_oracle_afford(o, price * k + (lr_finite(D->at->f) ? 0 : 1)));
  LR_TRY(lr_oracle_value(o, D->at, why));
  D->h = step_length(o, lr_scale_of(o->space, D->at->x), D->at->f);
  for (size_t first = 0; first < k; first += most) {
    size_t m = k - first < most ? k - first : most;
    double *out = d ? d + first : o->slopes;
    LR_TRY(two ? central(D, first, m, why, out)
               : forward(D, first, m, why, out));
    if (!d) o->space->ops->import(o->space, g, first, m, out);
  }
  return LR_GO;
}

lr_code lr_oracle_differences(lr_oracle *o, lr_point *at, lrgd_vec U, size_t k,
                              lrgd_purpose why, double *d)
{
  difference D = {.o = o, .at = at, .U = U};
  return all(&D, k, why, d, (lrgd_vec){0});
}

lr_code lr_oracle_coordinate_differences(lr_oracle *o, lr_point *at, lrgd_vec g,
                                         lrgd_purpose why)
{
  difference D = {.o = o, .at = at};
  return all(&D, o->space->dimension, why, NULL, g);
}
