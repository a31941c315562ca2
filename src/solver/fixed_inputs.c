/* Bounds that leave no input free: the box is one point, and the projected
 * gradient there is 0 whatever f is.  f is evaluated once. */
#include "solver/fixed_inputs.h"

#include "solver/iterate_record.h"

bool lr_inputs_are_fixed(lr_run *run)
{
  lrgd_box box = run->oracle.box;
  lrgd_vec width = lr_run_work(run, LR_WORK_EXTRA);
  double size;
  if (!box.lower.block) return false;
  run->space->ops->axpy_into(run->space, width, box.upper, box.lower, -1);
  return run->space->ops->measure(run->space, width, &size) && size == 0;
}

lr_code lr_method_fixed(lr_run *run)
{
  LR_TRY(lr_oracle_value(&run->oracle, &run->at, LRGD_PURPOSE_DESCEND));
  run->progress.grad_norm = 0;
  return lr_run_converged(run, 0, 1, 0);
}
