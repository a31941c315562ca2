/* The scheduler's actions for the states of `auto` that evaluate in rounds. */
#include "auto/auto_phases.h"

#include "auto/auto_known.h"

#include "space/vec.h"
#include "wide/span.h"
#include "wide/survey.h"
#include "wide/survey_flight.h"
#include "wide/wide_descent.h"
#include "wide/wide_fit.h"
#include "wide/wide_rules.h"

#include <math.h>

lr_event lr_auto_wide_opening(const lr_auto *a)
{
  const lr_run *run = a->run;
  const lr_answers *answers = &run->oracle.answers;
  bool by_value = (answers->value || answers->values) && !answers->slopes &&
                  !answers->gradient;
  size_t width = run->oracle.width;
  double p = (double)run->space->dimension;
  if (!by_value || run->domain.k > 0 || a->fit.q > 0 ||
      run->options.noise > 0 || lr_run_begins_warm(run))
    return LR_EVENT_OTHERWISE;
  if (lr_auto_bounded(a))
    return lr_survey_suits(run->policy, width, p) ? LR_EVENT_WIDE_BOX
                                                  : LR_EVENT_OTHERWISE;
  return lr_wide_suits(run->policy, width, p) ? LR_EVENT_WIDE
                                              : LR_EVENT_OTHERWISE;
}

/* ---- the embedding ---- */

/* Moves the start to the point that the rounds reached. */
static void move_start(lr_auto *a, const lr_point *at)
{
  lr_run *run = a->run;
  run->space->ops->copy(run->space, a->start.x, at->x, 1);
  lr_oracle_know(&run->oracle, &a->start, at->f);
}

/* Stores the model inside the subspace as the fit that the embedding continues
 * from, with its centre as the start. */
static lr_code hand_over(lr_auto *a, lr_span *s, const lr_point *at)
{
  lr_run *run = a->run;
  LR_TRY(
      lr_wide_fit(run, &a->fit, &s->V, s->k, s->g, s->B, s->most, s->radius));
  a->fit.embedding = true;
  a->fit.steepness = s->slope;
  run->goal.first_slope = fmax(run->goal.first_slope, s->slope);
  move_start(a, at);
  return LR_GO;
}

static lr_code embed(lr_auto *a, lr_rounds *rounds, lr_span *s, bool *low)
{
  lr_run *run = a->run;
  size_t most = lr_stream_most(run->policy, lr_auto_most_directions(run));
  LR_TRY(lr_span_open(s, rounds, &a->start, most));
  LR_TRY(lr_stream(s, low));
  a->start.f = s->start.f;
  if (!*low) return LR_GO;
  if (lr_rounds_async(rounds)) LR_TRY(lr_survey_span_in_flight(s));
  LR_TRY(lr_inside(s));
  return hand_over(a, s, &rounds->here);
}

lr_code lr_auto_embed_wide(lr_auto *a, lr_event *event)
{
  lr_run *run = a->run;
  lr_rounds rounds;
  lr_span span = {0};
  bool low = false;
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_EMBEDDING});
  lr_code code = lr_rounds_open(&rounds, run, &a->start);
  if (code == LR_GO) code = embed(a, &rounds, &span, &low);
  /* the point is in memory of `rounds`, which is freed below */
  lr_run_stand(run, &a->start);
  bool noisy = span.noisy;
  lr_span_close(&span);
  lr_rounds_close(&rounds);
  LR_TRY(code);
  bool embeds = lr_auto_embeds(run->policy, (double)lr_run_dimension(run));
  if (low)
    *event = LR_EVENT_MODEL_KEPT;
  else if (noisy)
    *event = embeds ? LR_EVENT_SUITS : LR_EVENT_NOISY;
  return LR_GO;
}

/* ---- quasi-Newton, and the survey before it in a box ---- */

/* The mean directional derivative of f between the start and the iterate: the
 * gradient of a convex f at the start is at least that large.  In the
 * coordinates of a box derivatives have another unit. */
static double mean_slope(const lr_auto *a, const lr_rounds *rounds)
{
  lrgd_space *space = a->run->space;
  lrgd_vec way = {rounds->points, 0};
  double length = 0, fell = a->run->record.start_f - rounds->here.f;
  space->ops->axpy_into(space, way, rounds->here.x, a->start.x, -1);
  bool moved = space->ops->measure(space, way, &length) && length > 0;
  return moved ? fell / length : 0;
}

/* In a box: the survey, then quasi-Newton in rounds.  *good: the box is
 * finite. */
static lr_code descend_boxed(lr_auto *a, lr_rounds *rounds, lr_frame *frame,
                             bool *good)
{
  lr_run *run = a->run;
  double radius, slope;
  LR_TRY(lr_frame_open(frame, run, good));
  if (!*good) return LR_GO;
  LR_TRY(lr_survey(rounds, frame, &radius));
  LR_TRY(lr_descent(rounds, frame, radius, &slope));
  run->goal.first_slope = fmax(run->goal.first_slope, mean_slope(a, rounds));
  return LR_GO;
}

/* Without bounds: quasi-Newton in rounds.  The tolerance is relative to the
 * gradient at the start. */
static lr_code descend_free(lr_auto *a, lr_rounds *rounds)
{
  lr_run *run = a->run;
  double scale = lr_scale_of(run->space, a->start.x), slope = 0;
  double radius = lr_wide_first_radius(run->policy, scale);
  LR_TRY(lr_descent(rounds, NULL, radius, &slope));
  run->goal.first_slope = fmax(run->goal.first_slope, slope);
  return LR_GO;
}

lr_code lr_auto_descend_wide(lr_auto *a, lr_event *event)
{
  lr_run *run = a->run;
  lr_rounds rounds;
  lr_frame frame = {0};
  bool bounded = lr_auto_bounded(a), good = !bounded;
  lr_auto_switch(a, &a->in_quasi_newton);
  lr_hidden_bounds_watch(a->hidden);
  lr_run_forget_tolerance(run);
  lr_fit_clear(&a->found.fit);
  a->found = (lr_interpolation_end){.point.x = lr_run_work(run, LR_WORK_EXTRA)};
  a->before = lr_oracle_difference_settings(&run->oracle);
  lr_code code = lr_rounds_open(&rounds, run, &a->start);
  if (code == LR_GO)
    code = bounded ? descend_boxed(a, &rounds, &frame, &good)
                   : descend_free(a, &rounds);
  if (code == LR_GO && good) {
    run->space->ops->copy(run->space, a->found.point.x, rounds.here.x, 1);
    lr_oracle_know(&run->oracle, &a->found.point, rounds.here.f);
    *event = LR_EVENT_FOUND;
  }
  lr_run_stand(run, &a->start);
  lr_frame_close(&frame);
  lr_rounds_close(&rounds);
  return code;
}
