/* Low-rank gradient descent: Algorithm 1 of the paper.
 *
 * Additions, unless the options ask for the algorithm verbatim: theta^1 is the
 * start, so that its gradient is used; and since a small gradient in H does not
 * bound the rest, the end is checked by probes outside H. Where f turns out to
 * have a higher rank, the missing direction is added. */
#include "paper/paper.h"
#include "solver/solver_rules.h"

#include <math.h>

/* Differences along H do not show that an active bound should be left; the
 * whole gradient, just measured, does: takes a step along it. */
static lr_code leave_bounds(lr_run *run, lrgd_vec g)
{
  lr_code code = lr_step_along(run, g);
  if (code == LR_NOVALUE) return lr_no_step(run);
  LR_TRY(code);
  return lr_new_subspace(run, run->U.k);
}

/* The truncation error of a one-sided difference is half its step times an
 * unknown curvature: slopes that are to be certified are measured by two-sided
 * differences.  *small: they are still small, and known well enough. */
static lr_code measure_closely(lr_run *run, bool *small)
{
  lr_oracle *o = &run->oracle;
  double norm = run->progress.grad_norm;
  bool exact = lr_oracle_has_derivatives(o);
  if (!exact && !o->differences.two_sided) {
    lr_oracle_use_two_sided(o);
    LR_TRY(lr_run_slopes(run, &run->U, LRGD_PURPOSE_CHECK, &norm));
  }
  *small = norm <= lr_run_aim(run);
  if (!*small) return LR_GO;
  bool finer;
  LR_TRY(lr_run_slopes_truncation(run, &run->U, norm, &finer));
  *small = !finer;
  return LR_GO;
}

/* grad f is small in H: checks whether it is small outside.  LR_GO: it is not,
 * and H was enlarged, or differences are two-sided from now on. */
static lr_code check(lr_run *run)
{
  lrgd_vec g = lr_run_work(run, LR_WORK_GRADIENT);
  double bound, norm;
  bool kept, small;
  LR_TRY(measure_closely(run, &small));
  if (!small) return LR_GO;
  LR_TRY(lr_check_outside(run, &run->U, 0, false, &bound));
  if (bound <= run->goal.tol)
    return lr_run_converged(run, bound,
                            run->claim.probed > 0 ? run->options.confidence
                                                  : lr_run_confidence(run),
                            (int64_t)run->claim.probed);
  LR_TRY(lr_run_gradient_or_end(run, g, LRGD_PURPOSE_CHECK, &norm));
  double error = lr_oracle_slope_error(&run->oracle, &run->at, 0) *
                 sqrt((double)lr_run_dimension(run));
  if (!lr_solver_misses(run->policy, norm, error)) return lr_no_step(run);
  if (lr_oracle_blind(&run->oracle, &run->at, 0)) return leave_bounds(run, g);
  LR_TRY(lr_append(run, g, &kept));
  if (!kept) return lr_no_step(run);
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_RANK_RAISED,
                                     .count = run->U.k,
                                     .value = lr_run_told(run, norm)});
  return lr_grown_subspace(run);
}

lr_code lr_method_lrgd(lr_run *run)
{
  size_t r = (size_t)run->options.rank;

  /* pick points theta^j, evaluate gradients g_j = grad f(theta^j);
   * G = [g_1/|g_1| ... g_n/|g_n|] = U S V'; H = span(u_1 ... u_r) */
  LR_TRY(lr_sample_subspace(run, r));
  LR_TRY(lr_new_subspace(run, run->U.k));

  for (;;) {
    /* for t = 0, 1, 2, ...: theta_{t+1} = theta_t - alpha sum d_j u_j */
    lr_code code = lr_descend(run, &run->U, LR_BEFORE_UPDATE);
    if (code == LR_NOVALUE) return lr_no_step(run);
    LR_TRY(code);
    if (lr_run_slow(run)) return lr_run_end_slow(run);
    if (run->options.verbatim)
      return lr_run_end_as_written(run, LRGD_NORM_SUBSPACE);
    LR_TRY(check(run));
  }
}
