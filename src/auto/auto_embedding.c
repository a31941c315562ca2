/* The scheduler's actions for the states of `auto` that use the embedding. */
#include "auto/auto_phases.h"

#include "auto/auto_known.h"

#include "certificate/certificate.h"
#include "space/vec.h"

#include <math.h>

/* ---- the beginning ---- */

/* Whether an embedding may be tried, that is whether known evaluations do not
 * show that it is slower than quasi-Newton here. An embedding that was slower
 * in coordinates mapped into a box shows nothing about one without the map,
 * since the map adds curvature along all inputs: then an embedding is tried
 * before quasi-Newton measures a gradient at the first known point. */
static bool may_embed(const lr_auto *a)
{
  if (!lr_run_begins_warm(a->run) || a->fit.embedding) return true;
  return a->fit.folded && !lr_auto_bounded(a) && !lr_auto_goes_on(a);
}

/* Whether the embedding suits the problem. */
static lr_event choose_first(const lr_auto *a)
{
  const lr_run *run = a->run;
  const lr_answers *answers = &run->oracle.answers;
  bool by_value = (answers->value || answers->values) && !answers->slopes;
  /* the chain rule for derivatives given by the user is not implemented by the
   * map into the box */
  bool maps = by_value && LR_HAS(run->space, map_to_box) &&
              LR_HAS(run->space, map_from_box);
  bool embeds = lr_auto_embeds(run->policy, (double)lr_run_dimension(run)) &&
                !answers->gradient && (maps || !lr_auto_bounded(a)) &&
                may_embed(a) &&
                (!a->fit.spans || lr_auto_fit_embeds(run, &a->fit));
  return embeds ? LR_EVENT_SUITS : LR_EVENT_OTHERWISE;
}

lr_code lr_auto_start(lr_auto *a, lr_event *event)
{
  *event = lr_auto_wide_opening(a);
  if (*event != LR_EVENT_OTHERWISE) return LR_GO;
  *event = choose_first(a);
  if (!lr_run_begins_warm(a->run) && lr_surrogate_phase_suits(a->run))
    *event = LR_EVENT_BOX;
  return LR_GO;
}

lr_code lr_auto_open_box(lr_auto *a, lr_event *event)
{
  LR_TRY(lr_surrogate_phase(a->run, &a->start, &a->known));
  bool found = a->known.n > 0;
  a->start_moved = a->start_moved || found;
  *event = found ? LR_EVENT_FOUND : choose_first(a);
  return LR_GO;
}

/* The start in mapped coordinates.  Where it is too near a bound for the map,
 * the mapped start is another point, whose value is not known. */
static lr_point unmapped(lr_auto *a)
{
  lr_run *run = a->run;
  const lrgd_space_ops *ops = run->space->ops;
  lrgd_vec back = lr_run_work(run, LR_WORK_SEARCH);
  lr_point start = {.x = lr_run_work(run, LR_WORK_EXTRA), .f = NAN};
  double minus = -1, moved = 0, scale;
  ops->map_from_box(run->space, start.x, a->start.x, a->box);
  ops->map_to_box(run->space, back, start.x, a->box);
  ops->add(run->space, back, a->start.x, 1, &minus);
  (void)ops->measure(run->space, back, &moved);
  lr_oracle_rename(&run->oracle, &start);
  scale = lr_oracle_scale(&run->oracle, &a->start);
  if (lr_auto_same_point(run->policy, moved, scale)) start.f = a->start.f;
  return start;
}

/* Chooses the start of the embedding where the known evaluations are gradients
 * at sample points (of a diagnosis, not of a descent): the first sample point,
 * with the random directions of a run without known evaluations.  The lowest
 * sample point is low by chance only. */
static void choose_start(lr_auto *a)
{
  if (a->fit.q > 0 || !a->fit.sampled) return;
  lr_auto_start_at_first(a);
  if (a->start_moved) lr_oracle_reseed(&a->run->oracle, 0);
}

static lr_code begin_embedding(lr_auto *a)
{
  lr_run *run = a->run;
  choose_start(a);
  lr_point start = a->start;
  bool bounded = lr_auto_bounded(a);
  lr_run_decide(
      run, (lrgd_decision){.kind = LRGD_DECISION_KIND_EMBEDDING,
                           .cause = bounded ? LRGD_CAUSE_UNBOUNDED_VARIABLES
                                            : LRGD_CAUSE_NONE});
  /* the map may move the start: evaluate the user's start first */
  if (bounded) {
    LR_TRY(lr_oracle_value(&run->oracle, &a->start, LRGD_PURPOSE_DESCEND));
    run->record.start_f = a->start.f;
    LR_TRY(lr_run_offer(run, &a->start));
    start = unmapped(a);
    a->in_embedding.box = (lrgd_box){
        .lower = {NULL, 0}
    };
    a->in_embedding.fold = a->box;
  }
  a->in_embedding.differences = lr_oracle_difference_settings(&run->oracle);
  lr_auto_switch(a, &a->in_embedding);
  LR_TRY(lr_model_init(&a->in_embedding.model, run, &start, true,
                       lr_auto_most_directions(run),
                       LR_STREAM_EMBED + (run->progress.attempt << 32)));
  LR_TRY(lr_embedding_init(&a->embedding, &a->in_embedding));
  a->embedding.after_newton = a->fit.newton;
  /* a short trial may end in a comparison at any iteration */
  if (!bounded &&
      lr_embedding_is_small(run->policy, (double)lr_run_dimension(run)))
    LR_TRY(lr_auto_prepare_quasi_newton(a, &a->start));
  /* the map makes gradients shorter: this is the most it can have been */
  if (bounded) a->embedding.outside.first = a->fit.steepness * a->fit.steepness;
  if (lr_embedding_suits_fit(&a->embedding, &a->fit)) {
    LR_TRY(lr_model_load(&a->in_embedding.model, &a->fit));
    LR_TRY(lr_embedding_continue(&a->embedding, &a->fit));
  }
  lr_auto_start_at_first(a);
  return LR_GO;
}

/* ---- a turn of the embedding ---- */

static lr_event after_embedding(const lr_auto *a)
{
  const lr_run *run = a->run;
  const lr_embedding_end_view v = {
      .why = a->why,
      .refused = lr_oracle_began_refused(&run->oracle, run->record.heard_f),
      .bounded = lr_auto_bounded(a),
      .noisy = run->oracle.differences.noise > 0,
      .spans = a->fit.spans,
      .predicted = lr_predictions_right(&a->embedding.predictions)};
  return lr_auto_after_embedding(run->policy, &v);
}

static lr_code advance_embedding(lr_auto *a)
{
  lr_phase *phase = &a->in_embedding;
  double budget = lr_auto_turn(a->run->policy, (double)lr_run_dimension(a->run),
                               lr_auto_bounded(a), a->pauses + 1);
  return phase->advance(phase, budget, &a->why);
}

lr_code lr_auto_embed(lr_auto *a, lr_event *event)
{
  if (!a->in_embedding.model.run) LR_TRY(begin_embedding(a));
  LR_TRY(advance_embedding(a));
  if (!lr_auto_bounded(a) && !a->start_moved)
    a->start.f = a->in_embedding.model.start.f;
  bool compared =
      a->why == LR_WHY_NO_SIGN && lr_embedding_is_compared(&a->embedding);
  if (a->why == LR_WHY_BUDGET || compared) {
    a->pauses++;
    *event = LR_EVENT_PAUSED;
    return LR_GO;
  }
  lr_run_decide(a->run,
                (lrgd_decision){.kind = LRGD_DECISION_KIND_EMBEDDING_ENDED,
                                .cause = lr_why_cause(a->why)});
  *event = after_embedding(a);
  return LR_GO;
}

/* A round of quasi-Newton while the embedding pauses. */
lr_code lr_auto_compare(lr_auto *a, lr_event *event)
{
  const lr_model *ours = &a->in_embedding.model;
  const lr_model *other = &a->in_quasi_newton.model;
  lr_why why;
  lr_auto_switch(a, &a->in_quasi_newton);
  /* after so short a trial its tolerance comes from few slopes */
  if (a->why == LR_WHY_NO_SIGN) lr_run_forget_tolerance(a->run);
  LR_TRY(lr_auto_begin_quasi_newton(a, &a->start));
  double f = other->here.f;
  LR_TRY(a->in_quasi_newton.advance(&a->in_quasi_newton, 0, &why));
  lr_auto_switch(a, &a->in_embedding);
  bool pays = lr_embedding_goes_on(&a->embedding, a->pauses, other->here.f,
                                   f - other->here.f);
  lr_run_stand(a->run, &ours->here);
  lr_run_decide(a->run, (lrgd_decision){
                            .kind = pays ? LRGD_DECISION_KIND_EMBEDDING_LEADS
                                         : LRGD_DECISION_KIND_EMBEDDING_TRAILS,
                            .value = lr_run_told(a->run, ours->here.f),
                            .level = lr_run_told(a->run, other->here.f)});
  *event = pays ? LR_EVENT_PAYS : after_embedding(a);
  return LR_GO;
}

/* ---- where the embedding is stuck ---- */

/* Measures the gradient in V where the embedding is stuck.  A Hessian column
 * needs a difference step over which noise and rounding do not hide it, whose
 * end may be higher than an earlier point of the embedding: then the embedding
 * returns to that point, which is the one to certify. */
static lr_code measure_where_stuck(lr_auto *a)
{
  const lr_run *run = a->run;
  lr_model *m = &a->in_embedding.model;
  double f = m->here.f, best = run->record.best_f;
  double noise = run->oracle.differences.noise;
  bool above =
      noise > 0 ? lr_auto_is_above(run->policy, f, best, noise) : f > best;
  if (!above) return lr_model_rebase(m, NULL);
  return lr_model_move(m, (lrgd_vec){run->points, run->record.best},
                       run->record.best_f);
}

static lr_stuck judge_stuck(lr_auto *a, double c, double bound)
{
  lr_run *run = a->run;
  lr_model *m = &a->in_embedding.model;
  double p = (double)lr_run_dimension(run);
  lr_stuck_view v = {.bound = bound,
                     .first = a->embedding.outside.first,
                     .curvature = c,
                     .noise = run->oracle.differences.noise};
  v.error = lr_oracle_slope_error(&run->oracle, &m->here, c) * sqrt(p);
  /* the mean curvature along the gradient, which has parts along all p
   * directions */
  v.gain = 0.5 * bound * bound / (c * p / (double)m->V->k);
  return lr_auto_stuck(run->policy, &v);
}

/* Ends a run whose gradient is zero within the error of its differences. At a
 * start where no value was lower, a tolerance that the user did not give is
 * raised to that error: no smaller gradient can be measured there. */
static lr_code end_stuck(lr_run *run, double bound)
{
  double confidence = run->options.confidence;
  int64_t probes = (int64_t)run->claim.probed;
  bool noisy = run->oracle.differences.noise > 0;
  /* no gradient so far has been nonzero, and no tolerance is known */
  bool flat = !(run->goal.tol > 0);
  if (!noisy && (flat || lr_run_began_at_minimum(run))) {
    if (!flat) run->goal.tol = fmax(run->goal.tol, bound);
    return lr_run_converged(run, bound, confidence, probes);
  }
  lr_run_settle(run, bound, confidence, probes);
  return lr_oracle_stall(
      &run->oracle, noisy ? LRGD_STALL_NOISE : LRGD_STALL_ROUNDING,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_NO_STEP_BOUND,
                      .norm = lr_run_norm(run),
                      .value = lr_run_told(run, bound),
                      .level = confidence});
}

lr_code lr_auto_check_stationarity(lr_auto *a, lr_event *event)
{
  lr_run *run = a->run;
  lr_model *m = &a->in_embedding.model;
  double bound, c = lr_model_mean_curvature(m);
  LR_TRY(lr_phase_measure_noise(&a->in_embedding));
  LR_TRY(measure_where_stuck(a));
  LR_TRY(lr_model_certify(m, true, &bound));
  if (bound <= run->goal.tol)
    return lr_run_converged(run, bound, run->options.confidence,
                            (int64_t)run->claim.probed);
  lr_stuck stuck = judge_stuck(a, c, bound);
  /* close to a minimum, differences resolve more than such a bound */
  bool loose = run->goal.least_tol > 0 && bound > run->goal.least_tol;
  if (stuck == LR_STUCK_MEANINGLESS || loose) return LR_GO;
  if (stuck == LR_STUCK_FOR_GOOD) return end_stuck(run, bound);
  /* quasi-Newton continues with its own model, unless both phases stopped at
   * noise */
  const lr_phase *other = &a->in_quasi_newton;
  bool lower =
      run->oracle.differences.noise > 0 && m->here.f < other->model.here.f;
  if (!other->begun || lower) *event = LR_EVENT_DESCENDS;
  return LR_GO;
}

/* Quasi-Newton with the embedding's model, iterate and difference settings. */
lr_code lr_auto_continue_model(lr_auto *a, lr_event *event)
{
  lr_phase *phase = &a->in_embedding;
  lr_why why;
  lr_oracle_want_any(&a->run->oracle);
  lr_hidden_bounds_watch(a->hidden);
  lr_quasi_newton_init(&a->continued, phase);
  phase->advance = lr_quasi_newton_advance;
  phase->self = &a->continued;
  LR_TRY(phase->advance(phase, INFINITY, &why));
  /* under noise a second descent from the start would end here again */
  if (a->run->oracle.differences.noise > 0) *event = LR_EVENT_NOISY;
  return LR_GO;
}

/* ---- bounds ---- */

/* Moves quasi-Newton to the embedding's point, with the embedding's difference
 * settings. */
static lr_code move_to_embedding(lr_auto *a)
{
  lr_run *run = a->run;
  const lr_point *at = &a->in_embedding.model.here;
  lr_point found = {.x = lr_run_work(run, LR_WORK_EXTRA)};
  lr_oracle_show(&run->oracle, found.x, at->x);
  lr_oracle_know(&run->oracle, &found, at->f);
  lr_model_clear(&a->in_quasi_newton.model);
  a->in_quasi_newton.begun = false;
  a->in_quasi_newton.differences = lr_oracle_difference_settings(&run->oracle);
  lr_auto_switch(a, &a->in_quasi_newton);
  return lr_auto_begin_quasi_newton(a, &found);
}

/* Certifies the embedding's minimum without the map into the box: where few
 * inputs are near a bound, directional derivatives along random directions
 * measure nearly all of the gradient. */
lr_code lr_auto_check_bounds(lr_auto *a, lr_event *event)
{
  lr_run *run = a->run;
  lr_model *m = &a->in_quasi_newton.model;
  bool large;
  double bound;
  LR_TRY(move_to_embedding(a));
  if (a->why != LR_WHY_CONVERGED) return LR_GO;
  lr_run_stand(run, &m->here);
  run->progress.grad_norm = 0;
  /* failed evaluations of the embedding do not count here */
  lr_oracle_begin_gradient(&run->oracle);
  LR_TRY(lr_model_certify_unheld(
      m, lr_model_mean_curvature(&a->in_embedding.model), &large, &bound));
  if (bound <= run->goal.tol)
    return lr_run_converged(run, bound, run->options.confidence,
                            (int64_t)run->claim.probed);
  if (large && lr_auto_checks_again(run->policy, ++a->checks))
    *event = LR_EVENT_NOT_STATIONARY;
  return LR_GO;
}

/* The embedding continues to a smaller gradient norm: that costs k values,
 * while quasi-Newton would begin with p. */
lr_code lr_auto_tighten(lr_auto *a, lr_event *event)
{
  (void)event;
  lr_auto_switch(a, &a->in_embedding);
  lr_embedding_tighten(&a->embedding);
  return advance_embedding(a);
}

/* ---- a start that has no value ---- */

lr_code lr_auto_move_start(lr_auto *a, lr_event *event)
{
  lr_run *run = a->run;
  lrgd_vec lowest = {run->points, LR_RUN_HEARD};
  (void)event;
  a->start.f = a->in_embedding.model.start.f;
  lr_run_decide(
      run, (lrgd_decision){.kind = LRGD_DECISION_KIND_START_MOVED,
                           .value = lr_run_told(run, a->start.f),
                           .level = lr_run_told(run, run->record.heard_f)});
  lr_oracle_begin_at(&run->oracle, &a->start, lowest, run->record.heard_f);
  run->record.start_f = run->record.heard_f;
  return lr_run_offer(run, &a->start);
}
