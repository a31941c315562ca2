/* What a run records and reports: the best point, decisions, the callback, the
 * certificate, and its end. */
#include "solver/iterate_record.h"

#include "base/finite.h"
#include "base/options.h"
#include "solver/gradient_check.h"
#include "solver/solver_rules.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The present point as the user sees it; NULL: not host doubles. */
static const double *shown_point(lr_run *run)
{
  if (!lr_is_host_double(run->space)) return NULL;
  return lrgd_host_data(lr_oracle_shown(&run->oracle, run->at.x));
}

void lr_run_tell(lr_run *run, lrgd_event event)
{
  if (!run->options.progress) return;
  size_t n = run->phase_count;
  lrgd_progress progress = {
      .struct_size = sizeof progress,
      .event = event,
      .outcome = run->oracle.ending.outcome,
      .phase = n > 0 ? run->phases[n - 1].text : "",
      .iteration = run->progress.moves,
      .f = lr_run_sense(run) * lr_run_told(run, run->at.f),
      .best_f = lr_run_sense(run) * lr_run_told(run, run->record.best_f),
      .grad_norm = lr_run_told(run, run->progress.grad_norm),
      .rank = lr_run_rank(run),
      .counts = &run->oracle.counts,
      .seconds = lr_oracle_seconds(&run->oracle),
      .x = shown_point(run),
      .decision = n > 0 ? &run->phases[n - 1].decision : NULL,
  };
  run->options.progress(&progress, run->options.progress_user);
}

/* Keeps the list of hidden bounds in force, by the decisions that find and
 * remove them. */
static void keep_hidden(lr_hidden_list *list, const lrgd_decision *d)
{
  size_t n = 0;
  switch (d->kind) {
  case LRGD_DECISION_KIND_HIDDEN_BOUND:
    if (list->count < LR_HIDDEN_MOST) list->found[list->count++] = *d;
    return;
  case LRGD_DECISION_KIND_HIDDEN_BOUND_REMOVED:
    for (size_t i = 0; i < list->count; i++)
      if (list->found[i].input != d->input || list->found[i].side != d->side)
        list->found[n++] = list->found[i];
    list->count = n;
    return;
  case LRGD_DECISION_KIND_HIDDEN_SURFACE: /* a surface replaces all bounds */
  case LRGD_DECISION_KIND_RESTART: list->count = 0; return;
  default: return;
  }
}

void lr_run_decide(lr_run *run, lrgd_decision decision)
{
  /* the last place is for the newest decision */
  size_t n = run->phase_count < LR_PHASES ? run->phase_count++ : LR_PHASES - 1;
  lrgd_phase *phase = &run->phases[n];
  phase->struct_size = sizeof *phase;
  phase->iteration = run->progress.moves;
  phase->evaluations = lrgd_counts_evaluations(&run->oracle.counts);
  phase->rank = lr_run_rank(run);
  phase->f = lr_run_sense(run) * lr_run_told(run, run->at.f);
  phase->decision = decision;
  (void)lrgd_decision_text(&decision, NULL, phase->text, sizeof phase->text);
  keep_hidden(&run->hidden, &decision);
  lr_run_tell(run, LRGD_EVENT_PHASE);
}

void lr_run_tell_noise(lr_run *run)
{
  double noise = run->oracle.differences.noise;
  bool known = run->options.noise > 0; /* the user gave the noise */
  if (noise > 0 && !known && !run->noise_told) {
    run->noise_told = true;
    lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_NOISE_FOUND,
                                       .value = lr_run_told(run, noise)});
  }
}

static size_t option_row(const char *name)
{
  size_t i = 0;
  while (i < lrgd_option_count() && strcmp(lrgd_option_at(i)->name, name) != 0)
    i++;
  return i;
}

void lr_run_tell_unused(lr_run *run)
{
  const lrgd_options *o = &run->options;
  bool step = o->step != LRGD_STEP_AUTO;
  if (step || lr_given(o->alpha) || lr_given(o->momentum))
    lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_OPTION_UNUSED,
                                       .count = option_row(step ? "step"
                                                           : lr_given(o->alpha)
                                                               ? "alpha"
                                                               : "momentum")});
}

/* Records a value: keeps the lowest so far and its point, which also stands for
 * the best iterate until there is one. */
void lr_run_hear(void *self, lrgd_vec x, double f)
{
  lr_run *run = self;
  if (isnan(run->record.first_f)) run->record.first_f = f;
  if (!(run->record.heard_f <= f)) {
    run->record.heard_f = f;
    run->space->ops->copy(run->space, (lrgd_vec){run->points, LR_RUN_HEARD}, x,
                          1);
  }
  if (!isnan(run->record.best_f)) return;
  run->record.best =
      run->at.x.block == run->points && run->at.x.col == 1 ? 2 : 1;
  run->record.best_f = f;
  run->space->ops->copy(run->space, (lrgd_vec){run->points, run->record.best},
                        x, 1);
}

lr_code lr_run_record(lr_run *run, const lr_point *point)
{
  if (!(run->record.best_f <= point->f)) {
    run->record.best_f = point->f;
    run->record.best = point->x.col;
  }
  double sense = lr_run_sense(run);
  if (lr_given(run->options.target) && point->f <= sense * run->options.target)
    return lr_oracle_end(
        &run->oracle, LRGD_OUTCOME_TARGET,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_TARGET,
                        .value = sense * lr_run_told(run, point->f),
                        .limit = run->asked.target});
  return LR_GO;
}

lr_code lr_run_offer(lr_run *run, const lr_point *point)
{
  if (run->record.best_f <= point->f) return LR_GO;
  lr_point copy = {
      {run->points, 0},
      point->id, point->f
  };
  lr_oracle_show(&run->oracle, copy.x, point->x);
  return lr_run_record(run, &copy);
}

lr_code lr_run_count(lr_run *run, const lr_point *point)
{
  if (isnan(run->record.start_f)) run->record.start_f = point->f;
  return lr_run_offer(run, point);
}

void lr_run_leave(lr_run *run)
{
  bool own = run->at.x.block == run->points;
  if (own && !(run->record.best_f <= run->at.f) && lr_finite(run->at.f)) {
    run->record.best_f = run->at.f;
    run->record.best = run->at.x.col;
  }
  if (own) return;
  lr_run_stand_at(run, (lrgd_vec){run->points, run->record.best},
                  run->record.best_f);
}

/* ---- the point that is returned ---- */

/* How much lower than a certified point a value may be by noise alone. */
static double chance(const lr_run *run)
{
  double descent = fmax(run->record.first_f - run->record.heard_f, 0);
  double size = fmax(fabs(run->record.heard_f), fabs(run->record.best_f));
  return lr_solver_chance(run->policy, size, descent,
                          run->oracle.differences.noise);
}

/* Whether the lowest value belongs to the differences that certified the
 * converged point: its distance is at most their step, doubled once, and it is
 * no lower than a gradient within the bound allows; or it is lower by a
 * negligible part of the descent.  A point with derivatives that the user gives
 * has no such neighbours: the lower point can be certified itself. */
static bool is_there(lr_run *run)
{
  const lr_oracle *o = &run->oracle;
  lrgd_space *space = run->space;
  lr_point best = {
      {run->points, run->record.best},
      0, run->record.best_f
  };
  lrgd_vec w = lr_run_work(run, LR_WORK_EXTRA);
  double away = 0, bound = run->claim.certificate.grad_norm_bound;
  double lower = run->record.best_f - run->record.heard_f;
  if (o->ending.outcome != LRGD_OUTCOME_CONVERGED) return false;
  if (lr_oracle_has_derivatives(o)) return false;
  space->ops->axpy_into(space, w, (lrgd_vec){run->points, LR_RUN_HEARD}, best.x,
                        -1);
  if (!space->ops->measure(space, w, &away)) return false;
  lr_oracle_rename(&run->oracle, &best);
  double h = lr_oracle_reach(&run->oracle, &best, 0);
  return lr_solver_is_neighbour(run->policy, away, h, lower,
                                run->record.first_f - run->record.heard_f) &&
         lower <= bound * away;
}

bool lr_run_is_above(lr_run *run)
{
  const lr_oracle *o = &run->oracle;
  double above = run->record.best_f - run->record.heard_f;
  if (!(above > 0) || run->options.verbatim) return false;
  if (o->ending.outcome == LRGD_OUTCOME_STALLED)
    return o->ending.stall == LRGD_STALL_ELSEWHERE;
  return o->ending.outcome == LRGD_OUTCOME_CONVERGED && above > chance(run) &&
         !is_there(run);
}

/* Drops the certificate, which belongs to a point that is not returned. */
static void uncertify(lr_run *run)
{
  double bound = run->claim.certificate.grad_norm_bound;
  run->claim.certificate = (lrgd_certificate){0};
  if (run->oracle.ending.outcome != LRGD_OUTCOME_CONVERGED) return;
  (void)lr_oracle_stall(
      &run->oracle, LRGD_STALL_ELSEWHERE,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_LOWER_ELSEWHERE,
                      .norm = lr_run_norm(run),
                      .value = lr_run_told(run, bound),
                      .level = lr_run_told(run, run->record.best_f),
                      .limit = lr_run_told(run, run->record.heard_f)});
}

/* Whether all values, at two points or more, are equal: rather than at a
 * minimum, the run is then with a program that does not read its input. */
static bool is_constant(const lr_oracle *o)
{
  bool ended = o->ending.outcome == LRGD_OUTCOME_CONVERGED ||
               o->ending.outcome == LRGD_OUTCOME_STALLED;
  return ended && !o->answers.outputs && !o->answers.slopes &&
         !o->answers.gradient && lrgd_counts_evaluations(&o->counts) > 1 &&
         o->seen.low == o->seen.high;
}

void lr_run_deliver(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  if (is_constant(o)) {
    run->claim.certificate = (lrgd_certificate){0};
    (void)lr_oracle_stall(o, LRGD_STALL_CONSTANT,
                          (lrgd_decision){.kind = LRGD_DECISION_KIND_CONSTANT,
                                          .value = o->seen.low});
  }
  if (!(run->record.heard_f < run->record.best_f)) return;
  if (run->options.verbatim && run->progress.looked > 0)
    return; /* the best iterate is returned */
  bool certified = run->claim.certificate.valid ||
                   run->oracle.ending.outcome == LRGD_OUTCOME_CONVERGED;
  if (certified && run->record.best_f - run->record.heard_f <= chance(run))
    return;
  if (certified && is_there(run)) return;
  uncertify(run);
  run->record.best = LR_RUN_HEARD;
  run->record.best_f = run->record.heard_f;
}

lr_code lr_run_look(lr_run *run, double grad_norm)
{
  run->moving.retreat = false;
  run->progress.grad_norm = grad_norm;
  if (!(run->goal.tol > 0))
    run->goal.tol =
        fmax(run->goal.least_tol,
             lr_solver_default_tolerance(
                 run->policy, fmax(grad_norm, run->goal.first_slope)));
  if (run->progress.looked == run->at.id) return LR_GO;
  if (run->progress.looked == 0) {
    run->record.start_f = run->at.f;
    if (run->options.verbatim)
      /* so far the best value is one of a sample point, which is no iterate */
      run->record.best_f = NAN;
  }
  run->progress.looked = run->at.id;
  /* compares iterates, not rejected trials */
  double rounding = DBL_EPSILON * fabs(run->at.f);
  bool fell = !(run->record.lowest <= run->at.f + rounding);
  run->progress.stalled = fell ? 0 : run->progress.stalled + 1;
  if (fell) run->record.lowest = run->at.f;
  lr_code code = lr_run_record(run, &run->at);
  lr_run_tell(run, LRGD_EVENT_ITERATION);
  LR_TRY(code);
  if (run->progress.stalled >= (uint64_t)run->options.stall_iterations)
    return lr_run_no_decrease(
        run, (lrgd_decision){.kind = LRGD_DECISION_KIND_NO_DECREASE,
                             .count = run->progress.stalled,
                             .value = lr_run_told(run, grad_norm),
                             .limit = lr_run_told(run, run->goal.tol)});
  return LR_GO;
}

bool lr_run_slow(const lr_run *run)
{
  double least = run->options.stop_decrease;
  return lr_given(least) && run->progress.fell < least;
}

lr_code lr_run_end_slow(lr_run *run)
{
  return lr_oracle_stall(
      &run->oracle, LRGD_STALL_SLOW,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_SMALL_DECREASE,
                      .value = lr_run_told(run, run->progress.fell),
                      .limit = run->asked.stop_decrease});
}

lr_code lr_run_end_as_written(lr_run *run, lrgd_norm norm)
{
  return lr_oracle_stall(
      &run->oracle, LRGD_STALL_UNCERTIFIED,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_AS_WRITTEN,
                      .norm = norm,
                      .value = lr_run_told(run, run->progress.grad_norm),
                      .limit = lr_run_told(run, run->goal.tol)});
}

lr_code lr_run_measure_fall(lr_run *run, double f)
{
  run->progress.fell = NAN;
  if (!lr_given(run->options.stop_decrease)) return LR_GO;
  lr_code code = lr_oracle_value(&run->oracle, &run->at, LRGD_PURPOSE_CHECK);
  if (code == LR_NOVALUE) return LR_GO;
  LR_TRY(code);
  run->progress.fell = f - run->at.f;
  return LR_GO;
}

lrgd_norm lr_run_norm(const lr_run *run)
{
  const lr_oracle *o = &run->oracle;
  bool box = o->box.lower.block || o->fold.lower.block;
  return box                 ? LRGD_NORM_PROJECTED
         : run->domain.k > 0 ? LRGD_NORM_DOMAIN
                             : LRGD_NORM_FULL;
}

void lr_run_settle(lr_run *run, double bound, double confidence, int64_t probes)
{
  /* some derivatives in the subspace are unknown */
  if (run->oracle.incomplete) return;
  if (!lr_finite(bound)) return;
  if (lr_solver_is_above(run->policy, run->at.f, run->record.best_f,
                         run->oracle.differences.noise))
    return;
  if (run->at.x.block != run->points) /* the point belongs to a model */
    lr_oracle_show(&run->oracle, (lrgd_vec){run->points, 0}, run->at.x);
  run->record.best = run->at.x.block == run->points ? run->at.x.col : 0;
  run->record.best_f = run->at.f;
  run->claim.certificate = (lrgd_certificate){.valid = 1,
                                              .grad_norm_bound = bound,
                                              .confidence = confidence,
                                              .probes = probes};
}

/* Whether the present point is as low as the best one: up to rounding and noise
 * or, if it is close to that one, up to what a gradient of at most `bound`
 * allows. */
static bool is_as_low(lr_run *run, double bound)
{
  double above = run->at.f - run->record.best_f;
  if (above <= lr_oracle_level(&run->oracle, run->at.f)) return true;
  lrgd_vec w = lr_run_work(run, LR_WORK_EXTRA);
  double away = 0, size = lr_scale_of(run->space, run->at.x);
  run->space->ops->axpy_into(run->space, w, run->at.x,
                             (lrgd_vec){run->points, run->record.best}, -1);
  if (!run->space->ops->measure(run->space, w, &away)) return false;
  return lr_solver_is_beside(run->policy, away, size) && above <= bound * away;
}

/* Whether every input is at one of its bounds. */
static bool is_corner(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  const lrgd_space_ops *ops = run->space->ops;
  lrgd_vec u = lr_run_work(run, LR_WORK_EXTRA);
  double free = 0;
  if (!lr_oracle_boxed(o)) return false;
  ops->gaussian(run->space, u, o->seed, 0);
  ops->zero_near_bounds(run->space, u, run->at.x, o->box, 0);
  return ops->measure(run->space, u, &free) && free == 0;
}

/* Measures the noise at a corner of the bounds: signs of differences alone say
 * that f increases inwards, and noise that was never measured may have made
 * them. */
static lr_code doubt_corner(lr_run *run, bool *noisy)
{
  lr_oracle *o = &run->oracle;
  bool given = lr_oracle_has_derivatives(o);
  *noisy = false;
  if (given || o->differences.noise > 0 || !is_corner(run)) return LR_GO;
  /* a stream of its own */
  lr_code code = lr_oracle_measure_noise(o, &run->at, UINT64_MAX - 2);
  *noisy = code == LR_GO && o->differences.noise > 0;
  return code == LR_NOVALUE ? LR_GO : code;
}

/* The error by noise of a gradient at a corner. */
static double corner_error(lr_run *run)
{
  return lr_oracle_slope_error(&run->oracle, &run->at, 0) *
         sqrt((double)run->space->dimension);
}

lr_code lr_run_converged(lr_run *run, double bound, double confidence,
                         int64_t probes)
{
  bool noisy;
  LR_TRY(doubt_corner(run, &noisy));
  if (noisy)
    return lr_oracle_stall(
        &run->oracle, LRGD_STALL_NOISE,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_GRADIENT_ERROR,
                        .norm = lr_run_norm(run),
                        .value = lr_run_told(run, run->progress.grad_norm),
                        .level = lr_run_told(run, corner_error(run)),
                        .limit = lr_run_told(run, run->goal.tol)});
  if (run->oracle.incomplete)
    return lr_oracle_stall(
        &run->oracle, LRGD_STALL_UNEVALUABLE,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_GRADIENT_PARTIAL,
                        .norm = lr_run_norm(run),
                        .value = lr_run_told(run, bound)});
  if (run->at.f > run->record.start_f && !is_as_low(run, bound))
    return lr_oracle_stall(
        &run->oracle, LRGD_STALL_ELSEWHERE,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_ABOVE_START,
                        .norm = lr_run_norm(run),
                        .value = lr_run_told(run, bound),
                        .level = lr_run_told(run, run->at.f),
                        .limit = lr_run_told(run, run->record.start_f)});
  run->record.best_f =
      /* the value of the certified point */
      fmax(run->record.best_f, run->at.f);
  lr_run_settle(run, bound, confidence, probes);
  return lr_oracle_end(&run->oracle, LRGD_OUTCOME_CONVERGED,
                       (lrgd_decision){.kind = LRGD_DECISION_KIND_CONVERGED,
                                       .norm = lr_run_norm(run),
                                       .value = lr_run_told(run, bound),
                                       .level = confidence});
}

lr_code lr_run_certified(lr_run *run, double bound)
{
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_GRADIENT_BOUND,
                                     .norm = lr_run_norm(run),
                                     .value = lr_run_told(run, bound),
                                     .level = run->options.confidence,
                                     .limit = lr_run_told(run, run->goal.tol)});
  if (!(bound <= run->goal.tol)) return LR_GO;
  return lr_run_converged(run, bound, run->options.confidence,
                          (int64_t)run->claim.probed);
}
