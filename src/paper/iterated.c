/* Iterated low-rank gradient descent: Algorithm 2 of the paper.
 *
 * Differences from the paper: the gradients that span H are those before each
 * of the r steps (the last step's is needed anyway), nearly dependent ones are
 * left out, and the inner loop is a do ... while, since its condition reads
 * what its body computes.  The oracle calls are exactly the paper's. */
#include "paper/paper.h"

#include <math.h>

/* theta_1 ... theta_r = GD(theta, r); u_1 ... u_r = Gram-Schmidt of the
 * gradients on the way.  Ends the run where one of them is small.  *fell: the
 * largest decrease of one step, where stop_decrease is set. */
static lr_code gradient_steps(lr_run *run, size_t r, double *fell)
{
  lrgd_vec g = lr_run_work(run, LR_WORK_GRADIENT);
  *fell = NAN;
  for (size_t j = 0; j < r; j++) {
    double norm;
    bool kept;
    bool look = j == 0 || !run->options.verbatim; /* the paper: GD(theta, r) */
    LR_TRY(look ? lr_run_gradient_or_end(run, g, LRGD_PURPOSE_IDENTIFY, &norm)
                : lr_run_gradient(run, g, LRGD_PURPOSE_IDENTIFY, &norm));
    if (j == 0) run->U.k = 0;
    LR_TRY(lr_step_along(run, g));
    *fell = fmax(*fell, run->progress.fell);
    LR_TRY(lr_append(run, g, &kept));
  }
  return LR_GO;
}

lr_code lr_method_iterated(lr_run *run)
{
  size_t r = (size_t)run->options.rank;
  LR_TRY(lr_run_reserve(run, r));
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_SUBSPACE_ROUNDS,
                                     .count = r});
  for (;;) { /* while |grad f(theta)| > sqrt(2 mu epsilon) */
    double fell;
    uint64_t before = run->progress.moves;
    lr_code code = gradient_steps(run, r, &fell);
    if (code == LR_NOVALUE) return lr_no_step(run);
    LR_TRY(code);
    LR_TRY(lr_new_subspace(run, run->U.k));
    code = lr_descend(run, &run->U, LR_AFTER_UPDATE);
    if (code != LR_NOVALUE)
      LR_TRY(code); /* no step decreases f in this subspace */
    if (run->progress.moves == before)
      return lr_no_step(run); /* nor in the next one */
    run->progress.fell = fell;
    if (lr_run_slow(run)) return lr_run_end_slow(run);
  }
}
