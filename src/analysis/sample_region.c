/* Draws points uniformly in a box, or in a ball around the start. */
#include "analysis/diagnosis_state.h"
#include "base/elementary.h"
#include "base/random.h"

#include <math.h>

double lr_diagnosis_uniform(uint64_t seed, uint64_t stream, uint64_t index)
{
  uint32_t bits[4];
  lr_philox(seed, stream, index / 2, bits);
  const uint32_t *two = bits + 2 * (index % 2);
  uint64_t random = (uint64_t)two[0] << 21 ^ two[1] >> 11; /* 53 of them */
  return ((double)random + 0.5) * 0x1p-53;
}

static void place_in_box(lrgd_diagnosis *s, uint64_t seed, uint64_t stream,
                         double *x)
{
  const double *low = lr_standalone_oracle_data(s->standalone.bounds, 0);
  const double *high = lr_standalone_oracle_data(s->standalone.bounds, 1);
  for (size_t i = 0; i < s->p; i++)
    x[i] = low[i] + lr_diagnosis_uniform(seed, stream, i) * (high[i] - low[i]);
}

/* A Gaussian direction, with a length that makes the point uniform in the ball.
 */
static void place_in_ball(lrgd_diagnosis *s, uint64_t seed, uint64_t stream,
                          double *x)
{
  double norm = 0, p = (double)s->p;
  lrgd_vec y = {s->points, LR_TRIAL};
  s->standalone.space->ops->gaussian(s->standalone.space, y, seed, stream);
  (void)s->standalone.space->ops->measure(s->standalone.space, y, &norm);
  double u = lr_diagnosis_uniform(seed, stream, s->p + 1);
  double length = s->region.radius * lr_pow(u, 1 / p) / (norm > 0 ? norm : 1);
  for (size_t i = 0; i < s->p; i++) x[i] = s->x0[i] + length * x[i];
}

void lr_diagnosis_place(lrgd_diagnosis *s, uint64_t stream, double share)
{
  double *x = lr_standalone_oracle_data(s->points, LR_TRIAL);
  uint64_t seed = (uint64_t)s->standalone.options.seed;
  if (s->region.boxed)
    place_in_box(s, seed, stream, x);
  else
    place_in_ball(s, seed, stream, x);
  for (size_t i = 0; i < s->p; i++) x[i] = s->x0[i] + share * (x[i] - s->x0[i]);
  s->trial.x = (lrgd_vec){s->points, LR_TRIAL};
  if (s->standalone.bounds)
    (void)s->standalone.space->ops->clip(s->standalone.space, s->trial.x,
                                         s->standalone.oracle.box);
  lr_oracle_rename(&s->standalone.oracle, &s->trial);
}
