/* Adam (Kingma and Ba, 2015) in the coordinates of the subspace:
 * z_i = -alpha m_i / (sqrt(v_i) + eps), m and v being bias-corrected moving
 * averages of d and d^2 with the memories beta1 and beta2.
 *
 * With a constant alpha the steps do not shrink with the gradient, and the
 * iterates end up circling the minimum; a given alpha is kept all the same.
 * Without one, a line search determines the first length, which shrinks where
 * f has not decreased for some steps. */
#include "base/elementary.h"
#include "step/step.h"
#include "step/step_rules.h"

#include <math.h>

/* u = -m_hat / (sqrt(v_hat) + eps |d|): eps is in units of d, so that a scaled
 * f has the same path.  Returns the slope along u. */
static double direction(lr_step *s, const double *d)
{
  const lr_policy *P = s->policy;
  double beta1 = s->given.momentum > 0 ? s->given.momentum : P->adam_beta1;
  double beta2 = P->adam_beta2, eps = P->adam_epsilon;
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
  } else {
    s->waited++;
    s->length = lr_adam_length(s->policy, s->length, &s->waited);
  }
  for (size_t i = 0; i < s->k; i++) z[i] = s->length * s->u[i];
  return LR_GO;
}

const lr_step_ops lr_step_adam = {.take = take};
