/* theta <- theta - alpha grad: the paper's step. */
#include "step/step.h"

static lr_code take(lr_step *s, const lr_restricted *phi, double f,
                    const double *d, double *z, double *fz)
{
  (void)phi;
  (void)f;
  (void)fz;
  for (size_t i = 0; i < s->k; i++) z[i] = -s->given.alpha * d[i];
  return LR_GO;
}

const lr_step_ops lr_step_fixed = {.take = take};
