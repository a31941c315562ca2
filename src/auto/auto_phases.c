/* The scheduler's actions for the states of `auto` that use quasi-Newton, and
 * the interpolation that may precede it. */
#include "auto/auto_phases.h"

#include "auto/auto_known.h"

#include "solver/gradient_check.h"

#include <math.h>

/* ---- creation and destruction ---- */

bool lr_auto_bounded(const lr_auto *a)
{
  return a->box.lower.block != NULL;
}

void lr_auto_switch(lr_auto *a, lr_phase *to)
{
  lr_phase_switch(a->running, to);
  a->running = to;
}

lr_code lr_auto_open(lr_auto *a, lr_run *run, lr_hidden_bounds *hidden,
                     bool at_hidden_bound)
{
  *a = (lr_auto){.run = run,
                 .start = run->at,
                 .box = run->oracle.box,
                 .hidden = hidden,
                 .at_hidden_bound = at_hidden_bound};
  /* run->points holds the best point: keep the start elsewhere */
  a->start.x = lr_run_work(run, LR_WORK_GRADIENT);
  run->space->ops->copy(run->space, a->start.x, run->at.x, 1);
  lr_oracle_forgive(&run->oracle);
  lr_phase_init(&a->in_embedding, run, lr_embedding_advance, &a->embedding);
  lr_phase_init(&a->in_quasi_newton, run, lr_quasi_newton_advance,
                &a->quasi_newton);
  if (at_hidden_bound || run->progress.attempt > 0)
    return LR_GO; /* the fit was made around another point */
  return lr_auto_learn(run, &a->start, &a->fit);
}

/* The run keeps the basis of the model it ended in. */
static void keep_basis(lr_auto *a)
{
  lr_run *run = a->run;
  lr_model *m = &a->in_quasi_newton.model;
  if (run->shown == &m->own) {
    lr_basis last = m->own;
    m->own = run->U;
    run->U = last;
  }
  run->shown = NULL;
}

void lr_auto_close(lr_auto *a)
{
  lr_oracle *o = &a->run->oracle;
  keep_basis(a);
  /* the requested direction was a column of the model just closed */
  lr_oracle_want_any(o);
  /* the fit contains these derivatives */
  lr_oracle_know_partial(o, NULL, NULL);
  lr_oracle_use_box(o, a->box);
  lr_embedding_clear(&a->embedding);
  lr_model_clear(&a->in_embedding.model);
  lr_model_clear(&a->in_quasi_newton.model);
  lr_fit_clear(&a->fit);
  lr_fit_clear(&a->found.fit);
  lr_box_points_clear(&a->known);
}

/* ---- quasi-Newton ---- */

/* The fit of known evaluations, if it was made around this point and is one for
 * quasi-Newton; else NULL. */
static const lr_fit *fit_at(const lr_auto *a, const lr_point *at)
{
  const lr_fit *fit = NULL;
  if (at == &a->start && lr_auto_fit_embeds(a->run, &a->fit)) return NULL;
  if (at == &a->start && !a->start_moved) fit = &a->fit;
  if (at == &a->found.point) fit = &a->found.fit;
  return fit && fit->q > 0 ? fit : NULL;
}

lr_code lr_auto_prepare_quasi_newton(lr_auto *a, const lr_point *at)
{
  return lr_model_init(&a->in_quasi_newton.model, a->run, at, false,
                       lr_auto_most_directions(a->run), LR_STREAM_QUASI_NEWTON);
}

lr_code lr_auto_begin_quasi_newton(lr_auto *a, const lr_point *at)
{
  lr_phase *phase = &a->in_quasi_newton;
  lr_model *m = &phase->model;
  if (phase->begun) return LR_GO;
  lr_point from = *at; /* the value is evaluated before the phase begins */
  LR_TRY(lr_oracle_value(&a->run->oracle, &from, LRGD_PURPOSE_DESCEND));
  if (m->run)
    lr_model_start_at(m, &from);
  else
    LR_TRY(lr_auto_prepare_quasi_newton(a, &from));
  lr_quasi_newton_init(&a->quasi_newton, phase);
  phase->begun = true;
  phase->noise_measured =
      a->run->learned.measured ? lr_phase_clock(phase) + 1 : 0;
  const lr_fit *fit = fit_at(a, at);
  if (!fit) return LR_GO;
  LR_TRY(lr_model_load(m, fit));
  a->quasi_newton.curvature.last = fabs(lr_model_mean_curvature(m));
  return LR_GO;
}

/* Moves quasi-Newton to a point, or to the iterate of its earlier rounds. */
static lr_code stand(lr_auto *a, const lr_point *at)
{
  lr_run *run = a->run;
  LR_TRY(lr_auto_begin_quasi_newton(a, at));
  lr_run_stand(run, &a->in_quasi_newton.model.here);
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_QUASI_NEWTON,
                                     .cause = run->oracle.answers.gradient
                                                  ? LRGD_CAUSE_GRADIENT_GIVEN
                                                  : LRGD_CAUSE_NONE});
  return LR_GO;
}

static lr_code advance(lr_auto *a, double budget, lr_why *why)
{
  return a->in_quasi_newton.advance(&a->in_quasi_newton, budget, why);
}

lr_code lr_auto_descend(lr_auto *a, lr_event *event)
{
  lr_why why;
  (void)event;
  LR_TRY(stand(a, &a->start));
  return advance(a, INFINITY, &why);
}

lr_code lr_auto_stall(lr_auto *a, lr_event *event)
{
  lr_run *run = a->run;
  (void)event;
  return lr_run_no_decrease(
      run, (lrgd_decision){.kind = LRGD_DECISION_KIND_NO_STEP,
                           .norm = lr_run_norm(run),
                           .value = lr_run_told(run, run->progress.grad_norm),
                           .limit = lr_run_told(run, run->goal.tol)});
}

/* Discards quasi-Newton's model. */
static void discard(lr_auto *a)
{
  lr_run_stand(a->run, &a->start); /* the model had its own point */
  a->run->shown = NULL; /* nor is the model's basis shown any longer */
  lr_model_clear(&a->in_quasi_newton.model);
  a->in_quasi_newton.begun = false;
}

/* ---- its opening ---- */

bool lr_auto_goes_on(const lr_auto *a)
{
  const lr_run *run = a->run;
  bool alone = run->options.method == LRGD_METHOD_QUASI_NEWTON;
  bool quadratic = a->fit.q > 0 && a->fit.quadratic;
  if (a->fit.spans || a->fit.descended) return true;
  if (run->learned.replays) return false;
  if (a->fit.newton) return true;
  return alone && (quadratic || !a->fit.gradient_first) &&
         !lr_interpolation_phase_suits(run);
}

void lr_auto_start_at_first(lr_auto *a)
{
  lr_run *run = a->run;
  if (lr_auto_goes_on(a)) return;
  if (a->start_moved || !lr_run_first_is_inside(run)) return;
  lr_run_to_first(run, &a->start);
  a->start_moved = true;
}

lr_code lr_auto_choose_opening(lr_auto *a, lr_event *event)
{
  lr_auto_switch(a, &a->in_quasi_newton);
  lr_hidden_bounds_watch(a->hidden);
  if (a->in_quasi_newton.begun || a->at_hidden_bound) return LR_GO;
  lr_auto_start_at_first(a);
  if (a->fit.newton && !a->start_moved) return LR_GO;
  lr_run_forget_tolerance(a->run); /* that tolerance came from the embedding */
  if (a->run->learned.unopened) return LR_GO;
  if (lr_interpolation_phase_suits(a->run)) *event = LR_EVENT_SUITS;
  return LR_GO;
}

/* Limits where the run may end: not above the lowest known value. */
static void keep_lowest(lr_auto *a)
{
  lr_run *run = a->run;
  double highest =
      lr_auto_highest_end(run->policy, a->start.f, run->record.best_f,
                          run->oracle.differences.noise);
  run->record.start_f = fmin(run->record.start_f, highest);
}

lr_code lr_auto_interpolate(lr_auto *a, lr_event *event)
{
  lr_run *run = a->run;
  a->found = (lr_interpolation_end){.point.x = lr_run_work(run, LR_WORK_EXTRA)};
  a->before = lr_oracle_difference_settings(&run->oracle);
  run->whole = true;
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_INTERPOLATION});
  LR_TRY(lr_interpolation_phase(run, &a->start, &a->known, &a->found));
  keep_lowest(a);
  if (!isnan(a->found.point.f)) *event = LR_EVENT_FOUND;
  return LR_GO;
}

/* Quasi-Newton from the point that interpolation found.  If it makes no
 * progress from there, it begins again at the start, with the difference
 * settings of the start. */
lr_code lr_auto_descend_from_found(lr_auto *a, lr_event *event)
{
  lr_run *run = a->run;
  lr_why why;
  LR_TRY(stand(a, &a->found.point));
  a->quasi_newton.stops_at_noise = true;
  /* near a minimum one-sided differences show their truncation error */
  if (a->found.minimum) lr_oracle_use_two_sided(&run->oracle);
  LR_TRY(advance(a, INFINITY, &why));
  if (a->found.minimum) {
    *event = LR_EVENT_STUCK;
    return LR_GO;
  }
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_START_RETRIED,
                                     .value = lr_run_told(run, run->at.f)});
  a->after = lr_oracle_difference_settings(&run->oracle);
  keep_lowest(a);
  discard(a);
  lr_oracle_set_differences(&run->oracle, &a->before);
  if (a->after.noise > 0) *event = LR_EVENT_NOISY;
  return LR_GO;
}

/* Returns to the lowest point, where quasi-Newton had stopped at noise, and
 * continues with two-sided differences. */
static lr_code return_to_lowest(lr_auto *a)
{
  lr_run *run = a->run;
  lr_point best = {.x = lr_run_work(run, LR_WORK_EXTRA)};
  lr_run_decide(run,
                (lrgd_decision){.kind = LRGD_DECISION_KIND_BEST_RETRIED,
                                .value = lr_run_told(run, run->record.best_f)});
  discard(a);
  run->space->ops->copy(run->space, best.x,
                        (lrgd_vec){run->points, run->record.best}, 1);
  lr_oracle_know(&run->oracle, &best, run->record.best_f);
  a->after.two_sided = true;
  lr_oracle_set_differences(&run->oracle, &a->after);
  return lr_auto_begin_quasi_newton(a, &best);
}

/* The second descent, from the start.  Under noise it has a budget; if its
 * value is not lower when that is spent, quasi-Newton returns to the lowest
 * point. */
lr_code lr_auto_descend_from_start(lr_auto *a, lr_event *event)
{
  lr_run *run = a->run;
  lr_why why;
  double f = run->record.best_f;
  double budget =
      (double)lr_phase_clock(&a->in_quasi_newton) +
      lr_auto_second_start(run->policy, (double)lr_oracle_spent(&run->oracle));
  LR_TRY(stand(a, &a->start));
  LR_TRY(advance(a, budget, &why));
  if (!(a->in_quasi_newton.model.here.f < f)) return return_to_lowest(a);
  if (why == LR_WHY_STUCK) *event = LR_EVENT_STUCK;
  return LR_GO;
}
