/* Gradient descent: p oracle calls a step.  The baseline of the paper. */
#include "method/method.h"

lr_code lr_method_gd(lr_run *run)
{
  lr_run_note(run, "gradient descent in %zu dimensions", lr_run_dimension(run));
  LR_TRY(lr_new_subspace(run, lr_run_dimension(run)));
  for (;;) {
    lr_code code = lr_descend(run, NULL, LR_BEFORE_UPDATE);
    if (code == LR_NOVALUE) return lr_no_step(run);
    LR_TRY(code);
    if (lr_run_slow(run)) return lr_run_end_slow(run);
    LR_TRY(lr_run_small(run, run->grad_norm));
  }
}
