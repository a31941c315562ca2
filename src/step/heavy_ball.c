/* Polyak's heavy ball: z = -alpha d + beta (last z).
 *
 * With alpha = 1/L the choice beta = (1 - sqrt(alpha mu))^2 contracts a
 * quadratic by 1 - sqrt(mu/L) a step (Polyak, 1964), against 1 - mu/L without.
 * Without a given mu, the smallest curvature measured along a move stands for
 * it: momentum is 0 at first, and grows as the path turns along directions of
 * low curvature.  Where the velocity points uphill (d'v > 0) it restarts from
 * 0. */
#include "step/step.h"

#include <math.h>

/* w[0] keeps the smallest curvature along a move; 0: none yet. */
static double momentum(lr_step *s, const double *d)
{
  if (s->given.momentum > 0) return s->given.momentum;
  double mu = s->given.mu;
  if (!(mu > 0)) {
    double seen = fabs(lr_step_curvature(s, d).along);
    if (seen > 0 && (!(s->w[0] > 0) || seen < s->w[0])) s->w[0] = seen;
    mu = s->w[0];
  }
  double root = 1 - sqrt(fmin(s->length * mu, 1));
  return mu > 0 ? root * root : 0;
}

static lr_code take(lr_step *s, const lr_restricted *phi, double f,
                    const double *d, double *z, double *fz)
{
  bool fixed = s->given.alpha > 0;
  if (!fixed && s->count == 0) return lr_step_push_off(s, phi, f, d, z, fz);
  /* a length above 1/L does not contract along a curvature of L */
  double L = lr_step_curvature(s, d).size;
  if (fixed)
    s->length = s->given.alpha;
  else if (L * s->length > 1)
    s->length = 1 / L;
  double beta = momentum(s, d);
  if (!s->paired || lr_dot(s->k, d, s->v) > 0) beta = 0;
  for (size_t i = 0; i < s->k; i++)
    s->v[i] = z[i] = beta * s->v[i] - s->length * d[i];
  s->count++;
  return LR_GO;
}

const lr_step_ops lr_step_heavy_ball = {.take = take};
