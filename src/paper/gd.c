/* Gradient descent: p oracle calls a step.  The baseline of the paper. */
#include "paper/paper.h"

/* The gradient last measured, if it is still stored. */
static lrgd_vec gradient(const lr_run *run)
{
  bool kept = run->domain.k == 0 && !lr_oracle_boxed(&run->oracle);
  return kept ? lr_run_work(run, LR_WORK_SEARCH) : (lrgd_vec){NULL, 0};
}

lr_code lr_method_gd(lr_run *run)
{
  lr_run_decide(run,
                (lrgd_decision){.kind = LRGD_DECISION_KIND_GRADIENT_DESCENT,
                                .count = lr_run_dimension(run)});
  LR_TRY(lr_new_subspace(run, lr_run_dimension(run)));
  for (;;) {
    lr_code code = lr_descend(run, NULL, LR_BEFORE_UPDATE);
    if (code == LR_NOVALUE) return lr_no_step(run);
    LR_TRY(code);
    if (lr_run_slow(run)) return lr_run_end_slow(run);
    LR_TRY(lr_run_small(run, gradient(run), run->progress.grad_norm));
  }
}
