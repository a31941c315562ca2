/* The error of a measured gradient, and the end of a run whose gradient is
 * small.
 *
 * Noise and rounding in p finite differences are independent, so that the norm
 * of the error they make follows a chi distribution.  Two-sided differences
 * bound their truncation error where f is convex; where that bound decides, the
 * gradient is measured again with steps of twice the length, whose truncation
 * error is four times as large: the change shows it.  (oracle/error.c) */
#include "base/options.h"
#include "certificate/certificate.h"
#include "certificate/certificate_rules.h"
#include "solver/solver_rules.h"

#include "space/vec.h"

#include <math.h>

double lr_run_confidence(const lr_run *run)
{
  const lr_oracle *o = &run->oracle;
  bool exact = lr_oracle_has_derivatives(o) && !(o->accuracy.slope_noise > 0);
  return exact ? 1 : run->options.confidence;
}

/* A confidence bound on the error of |g| by noise and rounding. */
static double noise_error(lr_run *run)
{
  return lr_oracle_gradient_error(&run->oracle, &run->at, 0,
                                  lr_run_dimension(run),
                                  run->options.confidence);
}

/* The factor on the lengths of differences by which they are twice as long as
 * those of the gradient last measured: since then the tolerance may have become
 * known, which shortens them. */
static double twice_as_long(lr_run *run, double c)
{
  lr_oracle *o = &run->oracle;
  double scale = lr_oracle_scale(o, &run->at);
  double now = lr_oracle_step(o, scale, run->at.f, c);
  bool known = o->accuracy.errors.step > 0 && now > 0 && !run->own.gradient;
  return 2 * (known ? o->accuracy.errors.step / now : 1);
}

/* Measures g at the present point with longer steps, by the given factor. */
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

/* Replaces *error, the bound on the truncation error of g for convex f, by an
 * estimate from a second gradient with steps of twice the length. */
static lr_code truncation(lr_run *run, lrgd_vec g, double c, lrgd_vec spare,
                          double *error)
{
  lr_oracle *o = &run->oracle;
  lr_errors errors = o->accuracy.errors;
  double change = 0, minus = -1;
  lr_code code = measure_widely(run, spare, c, twice_as_long(run, c));
  double longer = sqrt(fmax(o->accuracy.errors.bend2, 0));
  lr_oracle_set_errors(o, &errors);
  if (code == LR_NOVALUE) return LR_GO;
  LR_TRY(code);
  run->space->ops->add(run->space, spare, g, 1, &minus);
  if (lr_oracle_boxed(o) && !run->own.gradient)
    (void)run->space->ops->zero_active(run->space, spare, run->at.x, g, o->box);
  if (!run->space->ops->measure(run->space, spare, &change)) return LR_GO;
  *error = lr_truncation_error(
      run->policy,
      &(lr_two_lengths){*error, longer, change, .noise2 = errors.noise2});
  return LR_GO;
}

/* Derivatives along U with steps of twice the length, into d; *longer: the
 * bound on their truncation error for convex f. */
static lr_code slopes_widely(lr_run *run, const lr_basis *U, double *d,
                             double *longer)
{
  lr_oracle *o = &run->oracle;
  double before = o->accuracy.widen;
  lr_oracle_widen(o, twice_as_long(run, 0) * before);
  lr_code code = lr_oracle_slopes(o, &run->at, lr_basis_column(U, 0), U->k,
                                  LRGD_PURPOSE_CHECK, d);
  lr_oracle_widen(o, before);
  *longer = sqrt(fmax(o->accuracy.errors.bend2, 0));
  return code;
}

lr_code lr_run_slopes_truncation(lr_run *run, const lr_basis *U, double norm,
                                 bool *finer)
{
  lr_oracle *o = &run->oracle;
  const lr_policy *P = run->policy;
  lr_errors errors = o->accuracy.errors;
  double *d = run->moving.placed, change2 = 0, longer, tol = run->goal.tol;
  double *error = &run->claim.bend;
  *finer = false;
  *error = lr_oracle_has_derivatives(o) ? 0 : sqrt(fmax(errors.bend2, 0));
  if (lr_oracle_has_derivatives(o) || !(o->differences.noise > 0)) return LR_GO;
  double noise = lr_certificate_inside(
      P, 0, 0, lr_oracle_slope_error(o, &run->at, 0), U->k);
  if (!lr_truncation_decides(P, norm + noise, *error, tol)) return LR_GO;
  /* overwrites run->moving.placed, which serves as scratch */
  run->moving.placed_k = 0;
  lr_code code = slopes_widely(run, U, d, &longer);
  lr_oracle_set_errors(o, &errors);
  if (code == LR_NOVALUE) return LR_GO;
  LR_TRY(code);
  for (size_t i = 0; i < U->k; i++)
    change2 += (d[i] - run->moving.d[i]) * (d[i] - run->moving.d[i]);
  *error =
      lr_truncation_error(P, &(lr_two_lengths){*error, longer, sqrt(change2),
                                               .noise2 = errors.noise2});
  if (!lr_truncation_decides(P, norm + noise, *error, tol)) return LR_GO;
  double times = lr_certificate_finer_steps(P, *error, noise, tol);
  *finer = times < 1;
  if (*finer) lr_oracle_widen(o, times * o->accuracy.widen);
  return LR_GO;
}

lr_code lr_run_gradient_error(lr_run *run, lrgd_vec g, double c, lrgd_vec spare,
                              double norm, double *error)
{
  lr_oracle *o = &run->oracle;
  LR_TRY(lr_oracle_hear_slopes(o, &run->at, run->options.confidence));
  bool lost = !lr_oracle_has_derivatives(o) && o->accuracy.errors.lost;
  double noise = noise_error(run), bend = lr_oracle_truncation(o, &run->at);
  double known = norm + noise;
  bool decides = lr_truncation_decides(run->policy, known, bend, run->goal.tol);
  if (decides && g.block) LR_TRY(truncation(run, g, c, spare, &bend));
  *error = lost ? INFINITY : noise + bend;
  return LR_GO;
}

bool lr_run_smooth(lr_run *run, double bound)
{
  lr_oracle *o = &run->oracle;
  if (lr_oracle_has_derivatives(o)) return true;
  double change = bound * lr_oracle_reach(o, &run->at, 0);
  /* at a minimum f changes by its error only, whether the run has decreased it
   * or not */
  return bound <= run->policy->close_change * noise_error(run) ||
         lr_certificate_smooth(run->policy, change,
                               run->record.first_f - run->record.heard_f);
}

lr_code lr_run_small(lr_run *run, lrgd_vec g, double norm)
{
  lr_oracle *o = &run->oracle;
  double error;
  if (!lr_oracle_has_derivatives(o) && run->options.verbatim)
    return lr_run_end_as_written(run, lr_run_norm(run));
  if (!lr_oracle_has_derivatives(o) && !o->differences.two_sided) {
    lr_oracle_use_two_sided(o); /* the gradient will be measured again */
    return LR_GO;
  }
  lrgd_vec spare = lr_run_work(run, LR_WORK_EXTRA);
  LR_TRY(lr_run_gradient_error(run, g, 0, spare, norm, &error));
  /* every gradient so far was exactly zero */
  bool flat = norm == 0 && !(run->goal.tol > 0);
  if (flat || norm + error <= run->goal.tol)
    return lr_run_converged(run, norm + error, lr_run_confidence(run), 0);
  if (!lr_certificate_error_hides(run->policy, error, run->goal.tol)) {
    /* continue to a gradient small enough to be certified */
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

/* Evaluations of a gradient whose error can be bounded: two-sided differences
 * where the user gives values only. */
static uint64_t price(const lr_run *run)
{
  const lr_answers *a = &run->oracle.answers;
  uint64_t n = lr_run_dimension(run);
  return a->slopes ? n : a->gradient ? 1 : 2 * n;
}

/* Moves the run to the point that it returns, kept in a column that the
 * oracle's lowest value does not overwrite. */
static void stand_on_best(lr_run *run)
{
  if (run->record.best == LR_RUN_HEARD) {
    run->space->ops->copy(run->space, (lrgd_vec){run->points, 0},
                          (lrgd_vec){run->points, run->record.best}, 1);
    run->record.best = 0;
  }
  lr_run_stand_at(run, (lrgd_vec){run->points, run->record.best},
                  run->record.best_f);
}

/* Measures the gradient there.  LR_GO: *bound is a bound on its norm. */
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

/* A value close to the end was lower than the end's by more than noise. The
 * next gradient uses steps so short that a derivative of the size of the bound
 * changes f by little more than its error, but not so short that rounding of x
 * matters. */
static void look_closer(lr_run *run, double bound)
{
  lr_oracle *o = &run->oracle;
  double reach = lr_oracle_reach(o, &run->at, 0), change = bound * reach;
  double least = run->policy->shortest_step * lr_oracle_scale(o, &run->at);
  double times = lr_certificate_shorter_steps(run->policy, change,
                                              lr_oracle_level(o, run->at.f));
  times = fmax(times, least / reach);
  if (times < 1) lr_oracle_widen(o, times);
}

/* Whether a bound is below the gradient that the run has measured itself, with
 * other steps: then f oscillates within these long ones.  The next gradient
 * uses steps so short that noise is half of that gradient. */
static bool contradicts(lr_run *run, double bound)
{
  lr_oracle *o = &run->oracle;
  double seen = run->progress.grad_norm,
         reach = lr_oracle_reach(o, &run->at, 0);
  double least = run->policy->shortest_step * lr_oracle_scale(o, &run->at);
  if (!(o->differences.noise > 0) || !(bound < seen) || o->accuracy.widen < 1)
    return false;
  double times =
      lr_certificate_short_of_noise(run->policy, noise_error(run), seen);
  times = fmax(times, least / reach);
  if (times < 1) lr_oracle_widen(o, times);
  return times < 1;
}

/* Measures the gradient at the end once, and ends the run if it is small
 * enough.  *again: the bound contradicts an earlier gradient, neither is
 * claimed, and shorter steps are to decide. */
static lr_code close_once(lr_run *run, bool *again)
{
  lr_oracle *o = &run->oracle;
  double bound = INFINITY;
  *again = false;
  lrgd_stall reason = o->ending.stall;
  lrgd_decision why = o->ending.why, held = o->ending.held;
  stand_on_best(run);
  lr_code code = tell_gradient(run, &bound);
  if (code == LR_FAULT) return code;
  *again = code == LR_GO && contradicts(run, bound);
  bool sound = code == LR_GO && !*again;
  if (sound && bound <= run->goal.tol)
    (void)lr_run_converged(run, bound, lr_run_confidence(run), 0);
  else if (sound)
    lr_run_settle(run, bound, lr_run_confidence(run), 0);
  if (*again || !run->claim.certificate.valid || bound > run->goal.tol) {
    /* otherwise the run ends for the reason it had before this measurement */
    (void)lr_oracle_stall(o, reason, why);
    lr_oracle_hold(o, held);
  }
  if (bound < INFINITY && !*again) look_closer(run, bound);
  lr_run_deliver(run); /* a difference may have found a lower value */
  return LR_END;
}

/* Whether no value was lower than the first. */
static bool is_at_start(const lr_run *run)
{
  double level = lr_oracle_level(&run->oracle, run->record.first_f);
  return !(run->record.heard_f < run->record.first_f - level);
}

/* Whether measuring the gradient may still certify a run that has stalled.  At
 * the end of a descent a bound from probes is already as tight as probes allow;
 * at a start that is a minimum only few probes were made. */
static bool is_open(const lr_run *run)
{
  const lrgd_certificate *claim = &run->claim.certificate;
  if (run->oracle.ending.outcome != LRGD_OUTCOME_STALLED) return false;
  if (!claim->valid) return true;
  return is_at_start(run) && !(run->oracle.differences.noise > 0) &&
         claim->grad_norm_bound > run->goal.tol;
}

bool lr_run_began_at_minimum(const lr_run *run)
{
  return !lr_given(run->options.tol) && is_at_start(run);
}

/* Whether a run that has stalled began at a minimum, as far as differences can
 * tell. */
static bool began_at_minimum(const lr_run *run)
{
  double first = lr_solver_first_gradient(run->policy, run->goal.tol);
  return lr_run_began_at_minimum(run) &&
         lr_certificate_stationary_start(
             run->policy, run->claim.certificate.grad_norm_bound, first);
}

/* A run that has stalled ends as converged where it has a certificate within
 * its tolerance, or where it began at a minimum: then the bound becomes its
 * tolerance. */
static void accept_certificate(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  const lrgd_certificate *claim = &run->claim.certificate;
  double bound = claim->grad_norm_bound;
  if (!claim->valid || o->ending.outcome != LRGD_OUTCOME_STALLED) return;
  if (!(bound <= run->goal.tol) && !began_at_minimum(run)) return;
  run->goal.tol = fmax(run->goal.tol, bound);
  (void)lr_oracle_end(o, LRGD_OUTCOME_CONVERGED,
                      (lrgd_decision){.kind = LRGD_DECISION_KIND_CONVERGED,
                                      .norm = lr_run_norm(run),
                                      .value = lr_run_told(run, bound),
                                      .level = claim->confidence});
}

lr_code lr_run_close(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  if (lr_given(run->options.stop_decrease) || run->options.verbatim)
    return LR_END; /* the user's stopping rule on the decrease has ended it */
  /* at jumps and gaps differences are one-sided, and bound nothing */
  bool measures = o->seen.cliffs == 0 && lr_oracle_missed(o) == 0;
  bool again = false;
  for (int i = 0; measures && (again || is_open(run)); i++) {
    /* the method for polytopes has measured the gradient */
    if (!(run->goal.tol > 0) || run->polytope ||
        !lr_certificate_closes(run->policy, i, is_at_start(run),
                               (double)price(run), (double)lr_oracle_spent(o)))
      break;
    lr_oracle_use_two_sided(o);
    if (close_once(run, &again) == LR_FAULT) return LR_FAULT;
  }
  lr_oracle_widen(o, 1);
  if (measures || run->claim.certificate.grad_norm_bound <= run->goal.tol)
    accept_certificate(run);
  return LR_END;
}
