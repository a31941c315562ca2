/* The method that needs to be told nothing.
 *
 * R (embed.c) minimises in a growing random embedding, at a price that does
 * not depend on p; K (krylov.c) is the quasi-Newton method for functions that
 * are not low-rank.  R has to earn its keep: it pauses every 1.2 p evaluations,
 * K takes a round from the start with a model of its own, and R goes on only
 * if it is further down and makes something of its lead.  K's rounds are
 * kept.
 *
 * Under bounds R works in folded coordinates, where there are none; a minimum
 * it finds there is then looked at by K, which knows which bounds hold. */
#include "auto/auto.h"

#include "auto/embedding_state.h"
#include "auto/quasi_newton_state.h"
#include "base/options.h"
#include "certificate/certificate.h"
#include "dfo/interpolation_phase.h"
#include "hidden/hidden_bound.h"
#include "space/vec.h"

#include <math.h>
#include <string.h>

enum {
  MOST = 150, /* directions a model may hold: memory stays O(p) */
  SMALL = 30  /* dimensions below which a full gradient is cheap */
};

/* The two phases and what passes between them. */
typedef struct phases {
  lr_run *run;
  lr_point start; /* where the run began */
  lrgd_box box;   /* the user's */
  lr_model r, k;
  lr_embedding R;
  lr_quasi_newton K;
  bool k_begun;
  bool k_alone; /* its way ended at a wall, and it goes on from there */
  lr_hidden_bounds
      *walls;      /* it watches out for them; R, which goes far, must not */
  bool k_turn;     /* whose turn it is ... */
  uint64_t since;  /* ... evaluations when it began ... */
  uint64_t failed; /* ... answers that were no value ... */
  lr_difference_settings other; /* ... and what the other one believes */
  bool elsewhere; /* the start is not where R began: K begins a run ago */
  lr_fit fit;     /* of what was known before, to the start; q = 0: nothing */
} phases;

static size_t most_directions(const lr_run *run)
{
  size_t most = lr_run_most_directions(run);
  return most < MOST ? most : MOST;
}

/* ---- bounds: folded for R, as they are for K ---- */

static bool boxed(const phases *a)
{
  return a->box.lower.block != NULL;
}

static void use_fold(phases *a, bool fold)
{
  if (fold)
    lr_oracle_use_fold(&a->run->oracle, a->box);
  else
    lr_oracle_use_box(&a->run->oracle, a->box);
}

/* ---- turns ---- */

static uint64_t spent(const phases *a)
{
  return lr_oracle_spent(&a->run->oracle);
}

/* The turn passes.  What one of them has come to believe of f is not the
 * other's, nor is the time: so that K takes the very path it takes alone. */
static void pass_turn(phases *a, bool to_k)
{
  lr_oracle *o = &a->run->oracle;
  if (to_k == a->k_turn) return;
  lr_difference_settings mine = lr_oracle_difference_settings(o);
  uint64_t away = spent(a) - a->since, failed = lr_oracle_missed(o) - a->failed;
  lr_oracle_set_differences(o, &a->other);
  a->other = mine;
  a->since = spent(a);
  a->failed = lr_oracle_missed(o);
  a->k_turn = to_k;
  use_fold(a, boxed(a) && !to_k);
  if (to_k) {
    if (a->k.noise.checked > 0) a->k.noise.checked += away;
  } else {
    a->R.began += away;
    a->R.looked += away;
    a->R.progressed += away;
    a->R.failed += failed;
  }
}

/* ---- K ---- */

/* Puts K's model at a point, as the user sees it. */
static lr_code begin_k(phases *a, const lr_point *at)
{
  if (a->k_begun) return LR_GO;
  lr_point from = *at; /* its value is asked for before K's time begins */
  LR_TRY(lr_oracle_value(&a->run->oracle, &from, LRGD_PURPOSE_DESCEND));
  LR_TRY(lr_model_init(&a->k, a->run, &from, false, most_directions(a->run),
                       LR_STREAM_QUASI_NEWTON));
  lr_quasi_newton_init(&a->K, &a->k);
  a->k_begun = true;
  if (at != &a->start || a->fit.q == 0 || a->elsewhere) return LR_GO;
  LR_TRY(lr_model_load(&a->k, &a->fit));
  a->K.curvature = fabs(lr_model_mean_curvature(&a->k));
  return LR_GO;
}

static lr_code krylov(lr_quasi_newton *K)
{
  bool stuck = false;
  while (!stuck) LR_TRY(lr_quasi_newton_round(K, &stuck));
  return LR_GO;
}

static lr_code stalled(lr_run *run)
{
  return lr_oracle_stall(&run->oracle, LRGD_STALL_NO_DECREASE,
                         "no step falls; %s is %.3g, %.3g was asked",
                         lr_run_gradient_text(run),
                         lr_run_told(run, run->progress.grad_norm),
                         lr_run_told(run, run->goal.tol));
}

/* K from a point, or from where its rounds have brought it. */
static lr_code stand_k(phases *a, const lr_point *at)
{
  lr_run *run = a->run;
  LR_TRY(begin_k(a, at));
  run->at = a->k.here;
  lr_run_note(run, "quasi-Newton in the span of gradients%s",
              run->oracle.answers.gradient ? ", one evaluation each" : "");
  return LR_GO;
}

/* The same until no step falls. */
static lr_code k_from(phases *a, const lr_point *at)
{
  LR_TRY(stand_k(a, at));
  return krylov(&a->K);
}

/* K's model is no more. */
static void leave_k(phases *a)
{
  a->run->at = a->start; /* it was the model's ... */
  a->run->shown = NULL;  /* ... as was its basis */
  lr_model_clear(&a->k);
  a->k_begun = false;
}

/* What is known already is not to be given up for an end that is higher, by
 * more than noise and a thousandth of the way down: that is no end. */
static void keep(phases *a)
{
  lr_run *run = a->run;
  double slack = 4 * run->oracle.differences.noise +
                 1e-3 * (a->start.f - run->record.best_f);
  run->record.start_f = fmin(run->record.start_f, run->record.best_f + slack);
}

/* The way from the start, for as many values as were spent so far.  If it is
 * not lower by then, K goes back to the best point, to which it was hasty, and
 * believes what it did there. */
static lr_code try_start(phases *a, lr_difference_settings there, bool *stuck)
{
  lr_run *run = a->run;
  lr_point best = {.x = lr_run_work(run, LR_WORK_EXTRA)};
  uint64_t end = 2 * spent(a);
  double f = run->record.best_f;
  LR_TRY(stand_k(a, &a->start));
  while (!*stuck && spent(a) < end) LR_TRY(lr_quasi_newton_round(&a->K, stuck));
  if (a->k.here.f < f) return LR_GO;
  *stuck = false;
  lr_run_note(run, "the start leads no lower: back to %.6g",
              lr_run_told(run, run->record.best_f));
  leave_k(a);
  run->space->ops->copy(run->space, best.x,
                        (lrgd_vec){run->points, run->record.best}, 1);
  lr_oracle_know(&run->oracle, &best, run->record.best_f);
  there.two_sided = true;
  lr_oracle_set_differences(&run->oracle, &there);
  return begin_k(a, &best);
}

/* K after values alone have told what they can.  What they found is a dead end
 * now and then; the start is another way.  *stuck: no step falls any more. */
static lr_code k_after_survey(phases *a, bool *stuck)
{
  lr_run *run = a->run;
  lr_point found = {.x = lr_run_work(run, LR_WORK_EXTRA)};
  lr_difference_settings first = lr_oracle_difference_settings(&run->oracle);
  lr_run_note(run, "a quadratic through values in the box");
  LR_TRY(lr_interpolation_phase(run, &a->start, &found));
  keep(a);
  if (isnan(found.f)) return LR_GO;
  LR_TRY(stand_k(a, &found));
  a->K.hasty = true;
  LR_TRY(krylov(&a->K));
  lr_run_note(run, "no step falls at %.6g: once more from the start",
              lr_run_told(run, run->at.f));
  lr_difference_settings there = lr_oracle_difference_settings(&run->oracle);
  keep(a);
  leave_k(a);
  lr_oracle_set_differences(&run->oracle, &first); /* as if nothing had been */
  return there.noise > 0 ? try_start(a, there, stuck) : LR_GO;
}

/* An embedding wanders far in directions that hardly matter: if it was not a
 * step of K that led to the lowest point known, K begins where everything
 * began, and what it asked for then is known.  (Not where K is all there is and
 * f is a quadratic whose minimum the embedding was about to find.) */
static void begin_at_first(phases *a)
{
  lr_run *run = a->run;
  bool alone = run->options.method == LRGD_METHOD_QUASI_NEWTON;
  bool fits = a->fit.q > 0 && a->fit.quadratic;
  if (a->fit.newton || (alone && fits)) return;
  if (a->elsewhere || !lr_run_first_is_inside(run)) return;
  lr_run_to_first(run, &a->start);
  a->elsewhere = true;
}

/* K to the end. */
static lr_code finish_with_k(phases *a)
{
  bool stuck = false;
  pass_turn(a, true);
  lr_hidden_bounds_watch(a->walls);
  if (!a->k_begun && !a->k_alone) begin_at_first(a);
  if (!a->k_begun && !a->k_alone && !a->fit.newton) {
    lr_run_forget_tolerance(a->run); /* that was R's */
    /* a gradient is known at the start: K had begun without a survey */
    if (lr_interpolation_phase_suits(a->run) && !a->fit.gradient_first)
      LR_TRY(k_after_survey(a, &stuck));
  }
  if (!stuck) LR_TRY(k_from(a, &a->start));
  return stalled(a->run);
}

/* ---- R ---- */

/* The start in folded coordinates.  Near a bound that is another point. */
static lr_point unfolded(phases *a)
{
  lr_run *run = a->run;
  const lrgd_space_ops *ops = run->space->ops;
  lrgd_vec back = lr_run_work(run, LR_WORK_SEARCH);
  lr_point start = {.x = lr_run_work(run, LR_WORK_EXTRA), .f = NAN};
  double minus = -1, moved = 0;
  ops->map_from_box(run->space, start.x, a->start.x, a->box);
  ops->map_to_box(run->space, back, start.x, a->box);
  ops->add(run->space, back, a->start.x, 1, &minus);
  (void)ops->measure(run->space, back, &moved);
  lr_oracle_rename(&run->oracle, &start);
  if (moved <= 1e-12 * lr_oracle_scale(&run->oracle, &a->start))
    start.f = a->start.f;
  return start;
}

static lr_code begin_r(phases *a)
{
  lr_run *run = a->run;
  lr_point start = a->start;
  lr_run_note(run, "embedding in random directions%s",
              boxed(a) ? ", bounds folded" : "");
  if (boxed(a)) { /* unfolding may move it: first its own value */
    LR_TRY(lr_oracle_value(&run->oracle, &a->start, LRGD_PURPOSE_DESCEND));
    run->record.start_f = a->start.f;
    LR_TRY(lr_run_offer(run, &a->start));
    start = unfolded(a);
  }
  use_fold(a, boxed(a));
  LR_TRY(lr_model_init(&a->r, run, &start, true, most_directions(run),
                       LR_STREAM_EMBED + (run->progress.attempt << 32)));
  LR_TRY(lr_embedding_init(&a->R, &a->r));
  if (!boxed(a) && a->fit.q > 0) {
    LR_TRY(lr_model_load(&a->r, &a->fit));
    LR_TRY(lr_embedding_continue(&a->R, &a->fit));
  }
  begin_at_first(a);
  return LR_GO;
}

/* A round for K while R pauses; *leads: K has come further down, or will. */
static lr_code compare(phases *a, bool *leads)
{
  bool stuck;
  pass_turn(a, true);
  LR_TRY(begin_k(a, &a->start));
  double f = a->k.here.f;
  LR_TRY(lr_quasi_newton_round(&a->K, &stuck));
  pass_turn(a, false);
  *leads = !lr_embedding_pays(&a->R, a->k.here.f, f - a->k.here.f);
  a->run->at = a->r.here;
  lr_run_note(a->run, "%s: embedding at %.6g, quasi-Newton at %.6g",
              *leads ? "the embedding does not pay" : "it pays and goes on",
              lr_run_told(a->run, a->r.here.f),
              lr_run_told(a->run, a->k.here.f));
  return LR_GO;
}

static const char *why_ended(lr_embedding_end end)
{
  static const char *const texts[] = {
      "paused",
      "done inside the bounds",
      "no step falls any more",
      "what is left outside falls no further: low rank and a tail",
      "the gradient outside does not fall",
      "the rank is too high for an embedding",
      "nothing says that it will pay",
      "larger than the rank foretold",
      "dearer than the rank foretold",
      "f cannot be evaluated where it leads",
      "as many directions as are allowed"};
  return texts[end];
}

/* R with its pauses.  *end: why it ended for good. */
static lr_code embed(phases *a, lr_embedding_end *end)
{
  bool k_leads = false;
  LR_TRY(begin_r(a));
  while (!k_leads) {
    LR_TRY(lr_embedding_advance(&a->R, end));
    if (!boxed(a) && !a->elsewhere) a->start.f = a->r.start.f;
    if (*end != LR_EMBEDDING_PAUSED) {
      lr_run_note(a->run, "embedding ends: %s", why_ended(*end));
      return LR_GO;
    }
    LR_TRY(compare(a, &k_leads));
  }
  return LR_GO;
}

/* Slopes where R can go no lower.  Under noise a column needs a long step, and
 * what lies there need not be as low as where R has been before. */
static lr_code settle_r(phases *a)
{
  lr_run *run = a->run;
  double noise = run->oracle.differences.noise;
  if (!(noise > 0 && a->r.here.f > run->record.best_f + 3 * noise))
    return lr_model_rebase(&a->r, NULL);
  return lr_model_move(&a->r, (lrgd_vec){run->points, run->record.best},
                       run->record.best_f);
}

/* R can go no lower: what is known there?  *go_on: more is to be had. */
static lr_code look_where_stuck(phases *a, bool *go_on)
{
  lr_run *run = a->run;
  double bound, c = lr_model_mean_curvature(&a->r);
  LR_TRY(lr_model_check_noise(&a->r)); /* is it that? */
  LR_TRY(settle_r(a));
  LR_TRY(lr_model_certify(&a->r, true, &bound));
  if (bound <= run->goal.tol)
    return lr_run_converged(run, bound, run->options.confidence,
                            (int64_t)run->claim.probed);
  /* noise made up a curvature: this says nothing, and K begins anew */
  if (bound > 100 * sqrt(a->R.first) && a->R.first > 0) return LR_GO;
  double p = (double)lr_run_dimension(run),
         noise = run->oracle.differences.noise;
  double floor = lr_oracle_slope_error(&run->oracle, &a->r.here, c) * sqrt(p);
  /* along such a gradient f bends as all p directions together do */
  double gain = 0.5 * bound * bound / (c * p / (double)a->r.V->k);
  *go_on = bound > (noise > 0 ? 10 : 5) * floor;
  if (noise > 0 && c > 0 && gain < 15 * noise) *go_on = false;
  if (*go_on) return LR_GO;
  if (!(run->goal.tol > 0 || noise > 0)) /* no slope was ever seen: f is flat */
    return lr_run_converged(run, bound, run->options.confidence,
                            (int64_t)run->claim.probed);
  lr_run_settle(run, bound, run->options.confidence,
                (int64_t)run->claim.probed);
  return lr_oracle_stall(
      &run->oracle, noise > 0 ? LRGD_STALL_NOISE : LRGD_STALL_ROUNDING,
      "no step falls; %s <= %.3g with confidence %.3g, as far "
      "as differences can tell",
      lr_run_gradient_text(run), bound, run->options.confidence);
}

/* K where R's model stands, with all that was learned. */
static lr_code go_on_from_r(phases *a)
{
  lr_quasi_newton K;
  lr_oracle_want_any(&a->run->oracle);
  lr_hidden_bounds_watch(a->walls);
  lr_quasi_newton_init(&K, &a->r);
  LR_TRY(krylov(&K));
  /* under noise the start would only lead here again */
  return a->run->oracle.differences.noise > 0 ? stalled(a->run) : LR_GO;
}

/* Where few bounds are near, slopes along random directions see nearly
 * everything: a few values certify what R found in folded coordinates.  *large:
 * the gradient is, inside the box, where R can do something about it. */
static lr_code look_inside_bounds(phases *a, double c, bool *large)
{
  lr_run *run = a->run;
  double bound;
  run->at = a->k.here;
  run->progress.grad_norm = 0;
  lr_oracle_begin_gradient(&run->oracle); /* that was R's */
  LR_TRY(lr_model_certify_unheld(&a->k, c, large, &bound));
  if (!(bound <= run->goal.tol)) return LR_GO;
  return lr_run_converged(run, bound, run->options.confidence,
                          (int64_t)run->claim.probed);
}

/* Under bounds: K at the point R found, nothing else kept. */
static lr_code k_where_r_is(phases *a)
{
  lr_point found = a->r.here;
  found.x = lr_run_work(a->run, LR_WORK_EXTRA);
  lr_oracle_show(&a->run->oracle, found.x, a->r.here.x);
  lr_oracle_know(&a->run->oracle, &found, a->r.here.f);
  lr_model_clear(&a->k);
  a->k_begun = false;
  a->other =
      lr_oracle_difference_settings(&a->run->oracle); /* R knows the place */
  pass_turn(a, true);
  return begin_k(a, &found);
}

/* R is done inside the bounds: is it so?  If that can be seen and is not, R
 * goes on for a smaller gradient, which costs it k values where K would begin
 * with p. */
static lr_code look_at_bounds(phases *a)
{
  enum { TIMES = 3 };
  for (int i = 0; i < TIMES; i++) {
    bool large;
    lr_embedding_end end;
    LR_TRY(k_where_r_is(a));
    LR_TRY(look_inside_bounds(a, lr_model_mean_curvature(&a->r), &large));
    if (!large || i + 1 == TIMES) break;
    pass_turn(a, false);
    lr_embedding_tighten(&a->R);
    LR_TRY(lr_embedding_advance(&a->R, &end));
    if (end != LR_EMBEDDING_DONE) return k_where_r_is(a);
  }
  return LR_GO;
}

/* The start was refused: K begins where the lowest value was heard. */
static lr_code begin_elsewhere(phases *a)
{
  lr_run *run = a->run;
  lrgd_vec lowest = {run->points, LR_RUN_HEARD};
  a->start.f = a->r.start.f;
  lr_run_note(run, "f is %.6g around the start, %.6g elsewhere: from there",
              lr_run_told(run, a->start.f),
              lr_run_told(run, run->record.heard_f));
  lr_oracle_begin_at(&run->oracle, &a->start, lowest, run->record.heard_f);
  run->record.start_f = run->record.heard_f;
  return lr_run_offer(run, &a->start);
}

static lr_code after_r(phases *a, lr_embedding_end end)
{
  /* What R learned is worth keeping where a model of it can be trusted: after
   * a collapse of the gradient, or where f is quadratic. */
  double trusted = lr_embedding_trusted(&a->R);
  bool known = end == LR_EMBEDDING_TAIL || end == LR_EMBEDDING_DEAR ||
               (end == LR_EMBEDDING_STALL && trusted > 0.75) ||
               (end == LR_EMBEDDING_HIGH_RANK && trusted > 0.9);
  bool go_on = known && !(a->run->oracle.differences.noise > 0);
  if (lr_oracle_began_refused(&a->run->oracle, a->run->record.heard_f))
    return begin_elsewhere(a);
  if (boxed(a)) return end == LR_EMBEDDING_DONE ? look_at_bounds(a) : LR_GO;
  if (end == LR_EMBEDDING_STUCK) LR_TRY(look_where_stuck(a, &go_on));
  if (a->k_begun && end == LR_EMBEDDING_STUCK) { /* K has its own, unless ... */
    bool noisy = a->run->oracle.differences.noise >
                 0; /* ... all that is left is noise */
    go_on = go_on && noisy && a->r.here.f < a->k.here.f;
  }
  return go_on ? go_on_from_r(a) : LR_GO;
}

/* ---- the method ---- */

static lr_code begin_with_r(phases *a)
{
  lr_embedding_end end;
  LR_TRY(embed(a, &end));
  return after_r(a, end);
}

static lr_code run_phases(phases *a)
{
  const lr_answers *answers = &a->run->oracle.answers;
  bool wide = lr_run_dimension(a->run) >= SMALL;
  bool by_value = (answers->value || answers->values) && !answers->slopes;
  /* folded slopes would need the chain rule: K takes those as they are */
  bool folds = by_value && LR_HAS(a->run->space, map_to_box) &&
               LR_HAS(a->run->space, map_from_box);
  bool embeds = wide && !answers->gradient && (folds || !boxed(a)) &&
                (a->fit.embedding || !lr_run_begins_warm(a->run));
  if (!a->k_alone && embeds) {
    lr_code code = begin_with_r(a);
    if (code == LR_NOVALUE && !isnan(a->run->record.start_f))
      lr_run_note(a->run, "embedding ends: %s",
                  "f cannot be evaluated where it begins");
    else
      LR_TRY(code);
  }
  return finish_with_k(a);
}

static lr_code open_phases(phases *a, lr_run *run, bool again)
{
  *a = (phases){.run = run, .start = run->at, .box = run->oracle.box};
  /* run->points is where the best point goes: keep the start elsewhere */
  a->start.x = lr_run_work(run, LR_WORK_GRADIENT);
  run->space->ops->copy(run->space, a->start.x, run->at.x, 1);
  lr_oracle_forgive(&run->oracle);
  a->other = lr_oracle_difference_settings(&run->oracle);
  a->k_alone = again;
  if (again || run->progress.attempt > 0)
    return LR_GO; /* it begins elsewhere */
  LR_TRY(lr_run_fit(run, most_directions(run), &a->fit));
  lr_oracle_know_partial(&run->oracle, &a->start, a->fit.partial);
  return LR_GO;
}

/* The run keeps the basis of the model it ended in. */
static void close_phases(phases *a)
{
  lr_run *run = a->run;
  if (run->shown == &a->k.own) {
    lr_basis last = a->k.own;
    a->k.own = run->U;
    run->U = last;
  }
  run->shown = NULL;
  lr_oracle_want_any(&run->oracle); /* it was a column of a model */
  lr_oracle_know_partial(&run->oracle, NULL, NULL); /* as they were the fit's */
  use_fold(a, false);
  lr_embedding_clear(&a->R);
  lr_model_clear(&a->r);
  lr_model_clear(&a->k);
  lr_fit_clear(&a->fit);
}

static lr_code run_as(lr_run *run, lr_code (*method)(phases *a))
{
  phases a;
  lr_hidden_bounds walls;
  lr_code code = LR_GO;
  lr_run_tell_unused(run);
  lr_hidden_bounds_open(&walls, run);
  do {
    if (code == LR_AGAIN)
      lr_hidden_bounds_enter(&walls); /* K goes on from there */
    code = open_phases(&a, run, code == LR_AGAIN);
    a.walls = &walls;
    if (code == LR_GO) code = method(&a);
    close_phases(&a);
    if (code == LR_END) code = lr_hidden_bounds_check(&walls);
  } while (code == LR_AGAIN);
  lr_hidden_bounds_close(&walls);
  if (code != LR_NOVALUE) return code;
  return lr_oracle_end(&run->oracle, LRGD_OUTCOME_FAILED,
                       "%s cannot be evaluated: the answer is not finite",
                       isnan(run->record.start_f) ? "the start"
                                                  : "a point on the way");
}

lr_code lr_method_auto(lr_run *run)
{
  return run_as(run, run_phases);
}

lr_code lr_method_quasi_newton(lr_run *run)
{
  return run_as(run, finish_with_k);
}
