/* Nesterov's accelerated gradient.  The iterates are the extrapolated points
 * y.  With x_{j+1} = y_j - alpha d_j and v_j = x_{j+1} - x_j,
 *
 *   v_j           = beta_{j-1} v_{j-1} - alpha d_j
 *   y_{j+1} - y_j = beta_j v_j - alpha d_j
 *
 * With mu given beta is (1 - q)/(1 + q), q = sqrt(alpha mu).  Otherwise it is
 * (t_j - 1)/t_{j+1} with t_{j+1} = (1 + sqrt(1 + 4 t_j^2))/2 (Nesterov, 1983),
 * restarted where the velocity points uphill (O'Donoghue and Candes, 2015), so
 * that mu need not be known. */
#include "step/step.h"

#include <math.h>

/* beta_j; s->count holds t_j. */
static double momentum(lr_step *s)
{
  if (s->given.momentum > 0) return s->given.momentum;
  if (s->given.mu > 0) {
    double q = sqrt(fmin(s->length * s->given.mu, 1));
    return (1 - q) / (1 + q);
  }
  double t = s->count, next = 0.5 * (1 + sqrt(1 + 4 * t * t));
  s->count = next;
  return (t - 1) / next;
}

static lr_code take(lr_step *s, const lr_restricted *phi, double f,
                    const double *d, double *z, double *fz)
{
  bool fixed = s->given.alpha > 0;
  if (!fixed && s->count == 0) return lr_step_push_off(s, phi, f, d, z, fz);
  double L = lr_step_curvature(s, d).size;
  if (fixed)
    s->length = s->given.alpha;
  else if (L * s->length > 1)
    s->length = 1 / L;
  /* w = beta_{j-1} v_{j-1}, the momentum of the last move */
  bool uphill = lr_dot(s->k, d, s->v) > 0;
  if (s->count == 0 || !s->paired || uphill) {
    for (size_t i = 0; i < s->k; i++) s->w[i] = 0;
    s->count = 1;
  }
  double beta = momentum(s);
  for (size_t i = 0; i < s->k; i++) {
    s->v[i] = s->w[i] - s->length * d[i];
    s->w[i] = beta * s->v[i];
    z[i] = s->w[i] - s->length * d[i];
  }
  return LR_GO;
}

const lr_step_ops lr_step_nesterov = {.take = take};
