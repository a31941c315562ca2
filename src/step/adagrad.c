/* AdaGrad (Duchi, Hazan, Singer, 2011) in the coordinates of the subspace:
 * z_i = -alpha d_i / sqrt(sum of all d_i^2 so far).
 *
 * Without a given alpha, a line search along the first move, -sign(d),
 * determines it. */
#include "base/elementary.h"
#include "step/step.h"

#include <float.h>
#include <math.h>

static lr_code take(lr_step *s, const lr_restricted *phi, double f,
                    const double *d, double *z, double *fz)
{
  double slope = 0;
  for (size_t i = 0; i < s->k; i++) {
    s->v[i] = lr_hypot(s->v[i], d[i]);
    s->u[i] = -d[i] / fmax(s->v[i], DBL_MIN);
    slope += d[i] * s->u[i];
  }
  bool first = s->count == 0;
  s->count++;
  if (s->given.alpha > 0)
    s->length = s->given.alpha;
  else if (first)
    return lr_step_learn(s, phi, f, slope, z, fz);
  for (size_t i = 0; i < s->k; i++) z[i] = s->length * s->u[i];
  return LR_GO;
}

const lr_step_ops lr_step_adagrad = {.take = take};
