/* Adam (Kingma and Ba, 2015) in the coordinates of the subspace: means of d and
 * d^2 with memories beta1 and beta2, freed from their start at zero,
 * z_i = -alpha m_i / (sqrt(v_i) + eps).
 *
 * With a constant alpha its steps do not shrink with the gradient, so it ends
 * up circling the minimum.  Where alpha is given that is what was asked for.
 * Where it is not, the first length is found by a search, and halved after
 * each PATIENCE steps that did not lower f. */
#include "base/elementary.h"
#include "step/step.h"

#include <math.h>

enum { PATIENCE = 20 };
static const double beta2 = 0.999, eps = 1e-8;

/* u = -m_hat / (sqrt(v_hat) + eps |d|); eps in units of d, so that scaling f
 * changes nothing. */
static double direction(lr_step *s, const double *d)
{
  double beta1 = s->given.momentum > 0 ? s->given.momentum : 0.9;
  double norm = lr_norm(s->k, d), slope = 0;
  s->count++;
  double free1 = 1 - lr_pow(beta1, s->count),
         free2 = 1 - lr_pow(beta2, s->count);
  for (size_t i = 0; i < s->k; i++) {
    s->v[i] = beta1 * s->v[i] + (1 - beta1) * d[i];
    s->w[i] = beta2 * s->w[i] + (1 - beta2) * d[i] * d[i];
    s->u[i] = -(s->v[i] / free1) / (sqrt(s->w[i] / free2) + eps * norm);
    slope += d[i] * s->u[i];
  }
  return slope;
}

static lr_code take(lr_step *s, const lr_restricted *phi, double f,
                    const double *d, double *z, double *fz)
{
  double slope = direction(s, d);
  if (s->given.alpha > 0) {
    s->length = s->given.alpha;
  } else if (s->count == 1) {
    s->best = f;
    s->waited = 0;
    return lr_step_learn(s, phi, f, slope, z, fz);
  } else if (f < s->best) {
    s->best = f;
    s->waited = 0;
  } else if (++s->waited >= PATIENCE) {
    s->length *= 0.5;
    s->waited = 0;
  }
  for (size_t i = 0; i < s->k; i++) z[i] = s->length * s->u[i];
  return LR_GO;
}

const lr_step_ops lr_step_adam = {.take = take};
