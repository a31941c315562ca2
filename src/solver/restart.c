/* Runs a method again: from points around the start, returning the best end,
 * since a certificate cannot see another basin; and from the lowest value,
 * where the method has converged above it. */
#include "solver/restart.h"

#include "base/memory.h"

#include <math.h>

/* The best end of the attempts so far. */
typedef struct kept {
  lrgd_block *points; /* the start, and the point of that end */
  bool any;
  double f, grad_norm, sigma_r;
  lr_basis U;
  lr_run_fitted fitted; /* residuals and their derivatives there */
  lrgd_outcome outcome;
  lrgd_certificate certificate;
  lrgd_stall stall;
  lrgd_decision why, held;
  lr_hidden_list hidden;
} kept;

static void exchange(lr_basis *a, lr_basis *b)
{
  lr_basis c = *a;
  *a = *b;
  *b = c;
}

/* Swaps the subspace, and the residuals' derivatives along it. */
static void exchange_spaces(kept *k, lr_run *run)
{
  lr_run_fitted fitted = k->fitted;
  exchange(&k->U, &run->U);
  k->fitted = run->fitted;
  run->fitted = fitted;
}

static void keep(kept *k, lr_run *run)
{
  if (k->any && !(run->record.best_f < k->f)) return;
  k->any = true;
  k->f = run->record.best_f;
  k->grad_norm = run->progress.grad_norm;
  k->sigma_r = run->progress.sigma_r;
  exchange_spaces(k, run);
  k->outcome = run->oracle.ending.outcome;
  k->stall = run->oracle.ending.stall;
  k->why = run->oracle.ending.why;
  k->held = run->oracle.ending.held;
  k->certificate = run->claim.certificate;
  k->hidden = run->hidden;
  run->space->ops->copy(run->space, (lrgd_vec){k->points, 1},
                        (lrgd_vec){run->points, run->record.best}, 1);
}

/* Ends the run with the best attempt; cut: with the outcome of the last one,
 * which the budget ended. */
static void give_back(kept *k, lr_run *run, bool cut)
{
  exchange_spaces(k, run);
  run->progress.sigma_r = k->sigma_r;
  run->record.best = 0;
  run->record.best_f = k->f;
  run->progress.grad_norm = k->grad_norm;
  run->claim.certificate = k->certificate;
  run->hidden = k->hidden;
  if (!cut) {
    if (k->outcome == LRGD_OUTCOME_STALLED)
      (void)lr_oracle_stall(&run->oracle, k->stall, k->why);
    else
      (void)lr_oracle_end(&run->oracle, k->outcome, k->why);
    lr_oracle_hold(&run->oracle, k->held);
  }
  lrgd_vec x = {run->points, 0};
  run->space->ops->copy(run->space, x, (lrgd_vec){k->points, 1}, 1);
  lr_run_stand_at(run, x, k->f);
}

/* Discards the last move, the subspace and the certificate. */
static void forget(lr_run *run)
{
  lr_run_forget_fit(run);
  run->progress.stalled = 0;
  run->progress.stood = run->progress.fell = NAN;
  run->moving.retreat = false;
  run->claim.certificate = (lrgd_certificate){0};
  run->U.k = 0;
}

/* Moves the run to the point of the lowest value. */
static void begin_at_lowest(lr_run *run)
{
  lr_run_decide(
      run, (lrgd_decision){.kind = LRGD_DECISION_KIND_ABOVE_START,
                           .norm = lr_run_norm(run),
                           .value = lr_run_told(
                               run, run->claim.certificate.grad_norm_bound),
                           .level = lr_run_told(run, run->record.best_f),
                           .limit = lr_run_told(run, run->record.heard_f)});
  lrgd_vec x = {run->points, 0};
  run->record.best = 0;
  run->record.best_f = run->record.heard_f;
  run->space->ops->copy(run->space, x, (lrgd_vec){run->points, LR_RUN_HEARD},
                        1);
  lr_run_stand_at(run, x, NAN);
  forget(run);
}

/* Runs the method, and again from the lowest value as long as it converges
 * above that value and finds a lower one. */
static lr_code to_the_lowest(lr_run *run, lr_method method)
{
  double before = INFINITY;
  lr_code code = method(run);
  while (code == LR_END) {
    lr_run_leave(run);
    if (!lr_run_is_above(run) || !(run->record.heard_f < before)) break;
    before = run->record.heard_f;
    begin_at_lowest(run);
    code = method(run);
  }
  return code;
}

/* Moves the run to a random point around its first start. */
static lr_code begin_again(kept *k, lr_run *run)
{
  lrgd_vec x = {run->points, 0};
  run->record.best = 0;
  run->record.best_f = NAN;
  run->space->ops->copy(run->space, x, (lrgd_vec){k->points, 0}, 1);
  lr_run_stand_at(run, x, NAN);
  LR_TRY(lr_run_sample(run, LR_STREAM_RESTART + run->progress.attempt,
                       run->options.sample_radius));
  run->space->ops->copy(run->space, x, run->trial.x, 1);
  lr_run_stand_at(run, x, NAN);
  forget(run);
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_RESTART,
                                     .count = run->progress.attempt,
                                     .value = lr_run_told(run, k->f)});
  return LR_GO;
}

/* Whether another attempt may follow this end. */
static bool may_go_on(const lr_run *run)
{
  lrgd_outcome outcome = run->oracle.ending.outcome;
  int64_t most = run->options.max_failures;
  if (most != LRGD_UNSET && run->oracle.counts.failures > (uint64_t)most)
    return false; /* failures end the whole run, not one attempt */
  return outcome == LRGD_OUTCOME_CONVERGED || outcome == LRGD_OUTCOME_STALLED ||
         (outcome == LRGD_OUTCOME_FAILED && run->progress.attempt > 0);
}

static lr_code attempts(kept *k, lr_run *run, lr_method method)
{
  uint64_t most = (uint64_t)run->options.restarts;
  for (run->progress.attempt = 0;; run->progress.attempt++) {
    if (run->progress.attempt > 0) LR_TRY(begin_again(k, run));
    lr_code code = method(run);
    if (code != LR_END) return code;
    lr_run_leave(run);
    bool last = !may_go_on(run) || run->progress.attempt == most;
    keep(k, run);
    if (!last) continue;
    bool cut =
        !may_go_on(run) && run->oracle.ending.outcome != LRGD_OUTCOME_BUDGET;
    give_back(k, run, cut);
    return LR_END;
  }
}

lr_code lr_with_restarts(lr_run *run, lr_method method)
{
  if (run->options.restarts == 0) return to_the_lowest(run, method);
  kept k = {.points = run->space->ops->make(run->space, 2)};
  if (!k.points ||
      lr_basis_init(&k.U, run->space, &run->allocator, 1) != LRGD_OK) {
    run->space->ops->free(run->space, k.points);
    return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for the start of a restart");
  }
  run->space->ops->copy(run->space, (lrgd_vec){k.points, 0}, run->at.x, 1);
  lr_code code = attempts(&k, run, method);
  run->space->ops->free(run->space, k.points);
  lr_basis_clear(&k.U);
  lr_free(&run->allocator, k.fitted.F);
  lr_free(&run->allocator, k.fitted.J);
  return code;
}
