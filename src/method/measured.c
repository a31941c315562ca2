/* A gradient that was measured, and is small: how far may it be off, and is it
 * small indeed?
 *
 * A one-sided difference is off by half its step times the curvature along it,
 * which it cannot see: no claim is made from those.  A two-sided one is off by
 * the noise of f, or its rounding, over the step; the errors of n of them are
 * independent, so that their norm follows a chi distribution. */
#include "base/options.h"
#include "method/run.h"

#include <math.h>

void lr_run_forget_tolerance(lr_run *run)
{
  const lrgd_options *o = &run->options;
  if (lr_given(o->epsilon) && lr_given(o->mu))
    run->tol = sqrt(2 * o->mu * o->epsilon);
  else
    run->tol = lr_given(o->tol) ? o->tol : 0;
}

static bool is_exact(const lr_oracle *o)
{
  return o->answers.slopes || o->answers.gradient;
}

double lr_run_gradient_error(lr_run *run, size_t n)
{
  return lr_oracle_gradient_error(&run->oracle, &run->at, 0, n,
                                  run->options.confidence);
}

double lr_run_confidence(const lr_run *run)
{
  return is_exact(&run->oracle) ? 1 : run->options.confidence;
}

lr_code lr_run_small(lr_run *run, double norm)
{
  lr_oracle *o = &run->oracle;
  if (!is_exact(o) && run->options.verbatim)
    return lr_run_end_as_written(run, "by differences");
  if (!is_exact(o) && !o->two_sided) {
    o->two_sided = true; /* it will be measured again */
    return LR_GO;
  }
  double error = lr_run_gradient_error(run, lr_run_dimension(run));
  bool flat = norm == 0 && !(run->tol > 0); /* no slope was ever seen */
  if (flat || norm + error <= run->tol)
    return lr_run_converged(run, norm + error, lr_run_confidence(run), 0);
  if (error < 0.5 * run->tol) { /* a smaller one will do */
    run->aim = run->tol - error;
    return LR_GO;
  }
  lr_run_settle(run, norm + error, lr_run_confidence(run), 0);
  return lr_oracle_stall(
      o, o->noise > 0 ? LRGD_STALL_NOISE : LRGD_STALL_ROUNDING,
      "%s is %.3g; differences of f cannot tell it to better "
      "than %.3g, and %.3g was asked",
      lr_run_gradient_text(run), lr_run_told(run, norm),
      lr_run_told(run, error), lr_run_told(run, run->tol));
}

lr_code lr_run_gradient_or_end(lr_run *run, lrgd_vec g, lrgd_purpose why,
                               double *norm)
{
  LR_TRY(lr_run_gradient(run, g, why, norm));
  while (*norm <= lr_run_aim(run)) {
    LR_TRY(lr_run_small(run, *norm));
    if (*norm > lr_run_aim(run)) break;
    LR_TRY(lr_run_gradient(run, g, why, norm));
  }
  return LR_GO;
}
