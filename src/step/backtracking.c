/* Steepest descent with a backtracking line search to Armijo's condition.  The
 * first trial is longer than the last accepted step, so that lengths can also
 * grow. */
#include "step/step.h"
#include "step/step_rules.h"

#include <math.h>

static lr_code take(lr_step *s, const lr_restricted *phi, double f,
                    const double *d, double *z, double *fz)
{
  double norm = lr_norm(s->k, d);
  double t = lr_step_first(s, norm);
  if (s->length > 0) t = lr_step_grown(s->policy, t);
  for (size_t i = 0; i < s->k; i++) s->u[i] = -d[i];
  lr_search line = {phi, s->u, s->k, f, -norm * norm, z, s->policy};
  LR_TRY(lr_search_armijo(&line, false, &t, fz));
  s->length = t;
  return LR_GO;
}

const lr_step_ops lr_step_backtracking = {.take = take};
