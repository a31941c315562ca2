/* Steepest descent with backtracking to Armijo's condition.  The first length
 * tried is twice the last one accepted, so that it can also grow. */
#include "step/step.h"

#include <math.h>

static lr_code take(lr_step *s, const lr_restricted *phi, double f,
                    const double *d, double *z, double *fz)
{
  double norm = lr_norm(s->k, d);
  double t = lr_step_first(s, norm) * (s->length > 0 ? 2 : 1);
  for (size_t i = 0; i < s->k; i++) s->u[i] = -d[i];
  lr_search line = {phi, s->u, s->k, f, -norm * norm, z};
  LR_TRY(lr_search_armijo(&line, false, &t, fz));
  s->length = t;
  return LR_GO;
}

const lr_step_ops lr_step_backtracking = {.take = take};
