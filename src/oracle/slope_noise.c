/* Noise in derivatives that the user gives.
 *
 * The second difference of derivatives at three neighbouring points consists of
 * noise, with six times its variance.  One second difference shows whether
 * there is noise; several estimate it. */
#include "oracle/oracle.h"

#include "base/chi2.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>

#define LR_STREAM_SLOPES (UINT64_C(5) << 40)

/* Draws the random unit direction `stream` in the domain of the run; room > 0:
 * without the coordinates that are nearer to a bound. */
static bool draw(lr_oracle *o, lrgd_vec v, uint64_t stream, const lr_point *at,
                 double room)
{
  o->space->ops->gaussian(o->space, v, o->seed, LR_STREAM_SLOPES + stream);
  if (o->listener.confine) o->listener.confine(o->listener.self, v);
  if (room > 0 && lr_oracle_boxed(o))
    o->space->ops->zero_near_bounds(o->space, v, at->x, o->box, room);
  return lr_normalise(o->space, v, NULL);
}

/* Estimates the variances of the noise in a derivative and in f from the second
 * differences along random direction number `look`; *found: there was a
 * direction. */
static lr_code try_slopes(lr_oracle *o, lr_point *at, uint64_t look,
                          double spacing, double square[2], bool *found)
{
  lrgd_vec y = {o->room.points, 0}, u = {o->room.points, 1},
           w = {o->room.dir, 0};
  double apart = spacing * lr_oracle_scale(o, at);
  double d[3][2], f[3];
  *found = draw(o, u, 2 * look + 1, at, 0);
  if (!*found) return LR_GO;
  for (int i = 0; i < 3; i++) {
    lr_point next = {.x = y};
    /* w is scratch and is drawn again, with room for twice the two steps of the
     * line; where all coordinates are at bounds, y stays x */
    if (draw(o, w, 2 * look, at, 2 * 2 * apart))
      o->space->ops->axpy_into(o->space, y, at->x, w, i * apart);
    else
      o->space->ops->copy(o->space, y, at->x, 1);
    lr_oracle_rename(o, &next);
    LR_TRY(lr_oracle_slopes(o, &next, u, 1, LRGD_PURPOSE_CHECK, d[i]));
    f[i] = next.f;
  }
  double slope = d[0][0] - 2 * d[1][0] + d[2][0];
  double value = f[0] - 2 * f[1] + f[2];
  square[0] = slope * slope / 6;
  square[1] = value * value / 6;
  return LR_GO;
}

/* Raises the noise of f to this, where it is well above rounding. */
static void note_noise(lr_oracle *o, const lr_point *at, double noise)
{
  double rounding = o->policy->slope_noise_of_f * DBL_EPSILON;
  if (o->options->noise > 0) return; /* the user has given the noise */
  if (noise > rounding * fabs(at->f))
    o->differences.noise = fmax(o->differences.noise, noise);
}

/* Whether second differences over a far shorter spacing vanish compared with
 * these squares: then f oscillates, and there is no noise. */
static lr_code try_shorter(lr_oracle *o, lr_point *at, const double square[2],
                           bool *smooth)
{
  const uint64_t looks = (uint64_t)o->policy->slope_noise_confirm;
  double share = o->policy->slope_noise_smooth;
  double spacing = o->policy->noise_last_spacing, now[2];
  bool found;
  *smooth = false;
  for (uint64_t look = 0; look < looks; look++) {
    lr_code code = try_slopes(o, at, look, spacing, now, &found);
    if (code == LR_NOVALUE || (code == LR_GO && !found)) return LR_GO;
    LR_TRY(code);
    if (!(now[0] <= share * square[0]) || !(now[1] <= share * square[1]))
      return LR_GO;
  }
  *smooth = true;
  return LR_GO;
}

/* Whether the method measures noise that the user has not given.  The methods
 * of the paper do not. */
static bool doubts(const lr_oracle *o)
{
  int64_t method = o->options->method;
  if (o->options->verbatim) return false;
  return method == LRGD_METHOD_AUTO || method == LRGD_METHOD_QUASI_NEWTON ||
         o->options->noise != 0;
}

lr_code lr_oracle_hear_slopes(lr_oracle *o, lr_point *at, double confidence)
{
  const uint64_t most = (uint64_t)o->policy->slope_noise_looks;
  bool told = o->options->noise > 0;
  bool given = lr_oracle_has_derivatives(o), found = true, smooth;
  double tol = o->accuracy.tol ? *o->accuracy.tol : 0, square[2],
         sum[2] = {0, 0};
  if (!given || !isnan(o->accuracy.slope_noise) || !doubts(o)) return LR_GO;
  if (o->plane) { /* random directions would leave the plane */
    o->accuracy.slope_noise = told ? INFINITY : 0;
    return LR_GO;
  }
  uint64_t looks = 0;
  double least =
      o->policy->slope_noise_none * tol / sqrt((double)o->space->dimension);
  while (looks < most) {
    lr_code code = try_slopes(o, at, looks, o->policy->slope_noise_spacing,
                              square, &found);
    if (code == LR_NOVALUE || !found) break;
    LR_TRY(code);
    sum[0] += square[0];
    sum[1] += square[1];
    looks++;
    if (looks == 1 && !told && sqrt(square[0]) <= least) break;
  }
  o->accuracy.slope_noise = 0;
  if (looks == 0) return LR_GO;
  if (looks == most && !told) {
    double mean[2] = {sum[0] / (double)looks, sum[1] / (double)looks};
    LR_TRY(try_shorter(o, at, mean, &smooth));
    if (smooth) return LR_GO;
  }
  note_noise(o, at, sqrt(sum[1] / (double)looks));
  if (looks == most)
    o->accuracy.slope_noise =
        sqrt(sum[0] / lr_chi2_quantile((double)most, 1 - confidence));
  return LR_GO;
}
