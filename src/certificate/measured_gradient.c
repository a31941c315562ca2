/* A gradient that was measured, and is small: how far may it be off, and is it
 * small indeed?
 *
 * Noise and rounding, over the steps of p differences, are independent, so that
 * the norm of what they do follows a chi distribution.  What f bends along the
 * steps is measured by two-sided differences, as a bound that holds where f is
 * convex; where that bound is in the way, steps of twice the length tell more:
 * their truncation error is four times as large.  (error.c) */
#include "base/options.h"
#include "certificate/certificate.h"

#include "space/vec.h"

#include <math.h>

static bool is_given(const lr_oracle *o)
{
  return o->answers.slopes || o->answers.gradient;
}

double lr_run_confidence(const lr_run *run)
{
  const lr_oracle *o = &run->oracle;
  bool exact = is_given(o) && !(o->accuracy.slope_noise > 0);
  return exact ? 1 : run->options.confidence;
}

/* What noise does, at most. */
static double noise_error(lr_run *run)
{
  return lr_oracle_gradient_error(&run->oracle, &run->at, 0,
                                  lr_run_dimension(run),
                                  run->options.confidence);
}

/* g at the present point with steps so many times as long. */
static lr_code measure_widely(lr_run *run, lrgd_vec g, double c, double times)
{
  lr_oracle *o = &run->oracle;
  double norm, before = o->accuracy.widen;
  lr_oracle_widen(o, times * before);
  lr_code code =
      run->own.gradient
          ? run->own.gradient(run->own.self, g)
          : lr_run_gradient_at(run, &run->at, g, LRGD_PURPOSE_CHECK, c, &norm);
  lr_oracle_widen(o, before);
  return code;
}

/* *error, by truncation, of g, from the same with steps of twice the length:
 * that is off by four times as much, of which half is taken for once, and by
 * noise, half of what it must be being taken off.  Where the two differ by as
 * much as the one-sided slopes of one of them, f is not smooth over such steps,
 * and nothing is known. */
static lr_code truncation(lr_run *run, lrgd_vec g, double c, lrgd_vec spare,
                          double *error)
{
  lr_oracle *o = &run->oracle;
  lr_errors errors = o->accuracy.errors;
  double apart = 0, minus = -1;
  lr_code code = measure_widely(run, spare, c, 2);
  lr_oracle_set_errors(o, &errors);
  if (code == LR_NOVALUE) return LR_GO;
  LR_TRY(code);
  run->space->ops->add(run->space, spare, g, 1, &minus);
  if (lr_oracle_boxed(o) && !run->own.gradient)
    (void)run->space->ops->zero_active(run->space, spare, run->at.x, g, o->box);
  if (!run->space->ops->measure(run->space, spare, &apart)) return LR_GO;
  double rest = apart * apart - 0.5 * errors.noise2;
  bool wild = apart > 0.5 * *error && apart * apart > 9 * errors.noise2;
  *error = wild ? INFINITY : fmin(*error, 0.5 * sqrt(fmax(rest, 0)));
  return LR_GO;
}

lr_code lr_run_gradient_error(lr_run *run, lrgd_vec g, double c, lrgd_vec spare,
                              double norm, double *error)
{
  lr_oracle *o = &run->oracle;
  LR_TRY(lr_oracle_hear_slopes(o, &run->at, run->options.confidence));
  double noise = noise_error(run), bend = lr_oracle_truncation(o, &run->at);
  double known = norm + noise;
  bool decides = known <= run->goal.tol && known + bend > run->goal.tol;
  /* where it is much of a bound that is too large anyhow: is f smooth there? */
  decides |= known > run->goal.tol && bend > 0.3 * known;
  if (decides && g.block) LR_TRY(truncation(run, g, c, spare, &bend));
  *error = noise + bend;
  return LR_GO;
}

bool lr_run_smooth(lr_run *run, double bound)
{
  const double much = 0.1;
  lr_oracle *o = &run->oracle;
  if (is_given(o)) return true;
  double change = bound * lr_oracle_reach(o, &run->at, 0);
  return change <= much * fmax(run->record.first_f - run->record.heard_f, 0);
}

lr_code lr_run_small(lr_run *run, lrgd_vec g, double norm)
{
  lr_oracle *o = &run->oracle;
  double error;
  if (!is_given(o) && run->options.verbatim)
    return lr_run_end_as_written(run, lr_run_norm(run));
  if (!is_given(o) && !o->differences.two_sided) {
    lr_oracle_use_two_sided(o); /* it will be measured again */
    return LR_GO;
  }
  lrgd_vec spare = lr_run_work(run, LR_WORK_EXTRA);
  LR_TRY(lr_run_gradient_error(run, g, 0, spare, norm, &error));
  bool flat = norm == 0 && !(run->goal.tol > 0); /* no slope was ever seen */
  if (flat || norm + error <= run->goal.tol)
    return lr_run_converged(run, norm + error, lr_run_confidence(run), 0);
  if (error < 0.5 * run->goal.tol) { /* a smaller one will do */
    run->goal.aim = run->goal.tol - error;
    return LR_GO;
  }
  lr_run_settle(run, norm + error, lr_run_confidence(run), 0);
  return lr_oracle_stall(
      o, o->differences.noise > 0 ? LRGD_STALL_NOISE : LRGD_STALL_ROUNDING,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_GRADIENT_ERROR,
                      .norm = lr_run_norm(run),
                      .value = lr_run_told(run, norm),
                      .level = lr_run_told(run, error),
                      .limit = lr_run_told(run, run->goal.tol)});
}

lr_code lr_run_gradient_or_end(lr_run *run, lrgd_vec g, lrgd_purpose why,
                               double *norm)
{
  LR_TRY(lr_run_gradient(run, g, why, norm));
  while (*norm <= lr_run_aim(run)) {
    LR_TRY(lr_run_small(run, g, *norm));
    if (*norm > lr_run_aim(run)) break;
    LR_TRY(lr_run_gradient(run, g, why, norm));
  }
  return LR_GO;
}

/* Evaluations for a gradient that something may be claimed of. */
static uint64_t price(const lr_run *run)
{
  const lr_answers *a = &run->oracle.answers;
  uint64_t n = lr_run_dimension(run);
  return a->slopes ? n : a->gradient ? 1 : 2 * n;
}

/* Stands on the point that is returned, in a column that is not for what is
 * heard. */
static void stand_on_best(lr_run *run)
{
  if (run->record.best == LR_RUN_HEARD) {
    run->space->ops->copy(run->space, (lrgd_vec){run->points, 0},
                          (lrgd_vec){run->points, run->record.best}, 1);
    run->record.best = 0;
  }
  run->at.x = (lrgd_vec){run->points, run->record.best};
  lr_oracle_rename(&run->oracle, &run->at);
  run->at.f = run->record.best_f;
}

/* What the gradient is there.  LR_GO: a bound is known. */
static lr_code tell_gradient(lr_run *run, double *bound)
{
  lrgd_vec g = lr_run_work(run, LR_WORK_GRADIENT);
  lrgd_vec spare = lr_run_work(run, LR_WORK_EXTRA);
  double norm, error;
  LR_TRY(lr_run_gradient_at(run, &run->at, g, LRGD_PURPOSE_CHECK, 0, &norm));
  LR_TRY(lr_run_gradient_error(run, g, 0, spare, norm, &error));
  *bound = norm + error;
  return lr_run_smooth(run, *bound) ? LR_GO : LR_NOVALUE;
}

/* Where a look has met a lower value, by more than noise, the next one takes
 * steps over which a slope of that bound lowers f by half of that at most. */
static void look_closer(lr_run *run, double bound)
{
  lr_oracle *o = &run->oracle;
  double fall = bound * lr_oracle_reach(o, &run->at, 0);
  double least = 3 * lr_oracle_level(o, run->at.f);
  if (fall > least) lr_oracle_widen(o, least / fall);
}

/* One look, and what follows from it. */
static lr_code close_once(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  double bound = INFINITY;
  lrgd_stall reason = o->ending.stall;
  lrgd_decision why = o->ending.why, held = o->ending.held;
  stand_on_best(run);
  lr_code code = tell_gradient(run, &bound);
  if (code == LR_FAULT) return code;
  if (code == LR_GO && bound <= run->goal.tol)
    code = lr_run_converged(run, bound, lr_run_confidence(run), 0);
  else if (code == LR_GO)
    lr_run_settle(run, bound, lr_run_confidence(run), 0);
  if (!run->claim.certificate.valid || bound > run->goal.tol) {
    /* whatever kept this from being told */
    (void)lr_oracle_stall(o, reason, why);
    lr_oracle_hold(o, held);
  }
  if (bound < INFINITY) look_closer(run, bound);
  lr_run_deliver(run); /* the look may have met a lower value */
  return LR_END;
}

lr_code lr_run_close(lr_run *run)
{
  enum { TIMES = 3 };
  lr_oracle *o = &run->oracle;
  if (o->seen.cliffs > 0 || lr_oracle_missed(o) > 0)
    return LR_END; /* one-sided */
  if (lr_given(run->options.stop_decrease) || run->options.verbatim)
    return LR_END;                  /* as was asked */
  if (run->polytope) return LR_END; /* its method has measured it */
  for (int i = 0; i < TIMES; i++) {
    if (o->ending.outcome != LRGD_OUTCOME_STALLED ||
        run->claim.certificate.valid)
      break;
    if (!(run->goal.tol > 0) || 2 * price(run) > lr_oracle_spent(o)) break;
    lr_oracle_use_two_sided(o);
    if (close_once(run) == LR_FAULT) return LR_FAULT;
  }
  lr_oracle_widen(o, 1);
  return LR_END;
}
