/* Noise in slopes and gradients that are given.
 *
 * Second differences of slopes over three points that are next to each other
 * are nothing but noise, sqrt(6) times as large.  One of them tells that there
 * is none; where there is some, eight tell how much. */
#include "oracle/oracle.h"

#include "base/chi2.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>

#define LR_STREAM_SLOPES (UINT64_C(5) << 40)

enum { LOOKS = 8 };

/* The random direction `stream` in v, of norm one, as far as the run may move;
 * room > 0: without the coordinates that have less of it. */
static bool draw(lr_oracle *o, lrgd_vec v, uint64_t stream, const lr_point *at,
                 double room)
{
  uint64_t seed = (uint64_t)o->options->seed;
  o->space->ops->gaussian(o->space, v, seed, LR_STREAM_SLOPES + stream);
  if (o->listener.confine) o->listener.confine(o->listener.self, v);
  if (room > 0 && lr_oracle_boxed(o))
    o->space->ops->zero_near_bounds(o->space, v, at->x, o->box, room);
  return lr_normalise(o->space, v, NULL);
}

/* The squares of what noise makes of a slope, and of f, from the look'th try;
 * *found: there was something to try. */
static lr_code try_slopes(lr_oracle *o, lr_point *at, uint64_t look,
                          double square[2], bool *found)
{
  lrgd_vec y = {o->room.points, 0}, u = {o->room.points, 1},
           w = {o->room.dir, 0};
  double apart = 1e-9 * lr_oracle_scale(o, at), d[3][2], f[3];
  *found = draw(o, u, 2 * look + 1, at, 0);
  if (!*found) return LR_GO;
  for (int i = 0; i < 3; i++) {
    lr_point next = {.x = y};
    /* w is scratch, and drawn again; at bounds all round, y is x itself */
    if (draw(o, w, 2 * look, at, 4 * apart))
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

/* f is noisy by so much more than it is rounded. */
static void note_noise(lr_oracle *o, const lr_point *at, double noise)
{
  const double rounding = 1e3 * DBL_EPSILON;
  if (o->options->noise > 0) return; /* that is what it is */
  if (noise > rounding * fabs(at->f))
    o->differences.noise = fmax(o->differences.noise, noise);
}

/* The methods of the paper believe that there is no noise where none is told;
 * the others look for themselves. */
static bool doubts(const lr_oracle *o)
{
  int64_t method = o->options->method;
  if (o->options->verbatim) return false;
  return method == LRGD_METHOD_AUTO || method == LRGD_METHOD_QUASI_NEWTON ||
         o->options->noise != 0;
}

lr_code lr_oracle_hear_slopes(lr_oracle *o, lr_point *at, double confidence)
{
  /* Of the tolerance.  Noise of a hundredth, which may make a claim false by
   * that much, looks like less than this once in ten thousand times. */
  const double nothing = 1e-6;
  bool told = o->options->noise > 0;
  bool given = o->answers.slopes || o->answers.gradient, found = true;
  double tol = o->accuracy.tol ? *o->accuracy.tol : 0, square[2],
         sum[2] = {0, 0};
  if (!given || !isnan(o->accuracy.slope_noise) || !doubts(o)) return LR_GO;
  if (o->plane) { /* random directions would leave it */
    o->accuracy.slope_noise = told ? INFINITY : 0;
    return LR_GO;
  }
  uint64_t looks = 0;
  double least = nothing * tol / sqrt((double)o->space->dimension);
  while (looks < LOOKS) {
    lr_code code = try_slopes(o, at, looks, square, &found);
    if (code == LR_NOVALUE || !found) break;
    LR_TRY(code);
    sum[0] += square[0];
    sum[1] += square[1];
    looks++;
    if (looks == 1 && !told && sqrt(square[0]) <= least) break;
  }
  o->accuracy.slope_noise = 0;
  if (looks == 0) return LR_GO;
  note_noise(o, at, sqrt(sum[1] / (double)looks));
  if (looks == LOOKS)
    o->accuracy.slope_noise =
        sqrt(sum[0] / lr_chi2_quantile(LOOKS, 1 - confidence));
  return LR_GO;
}
