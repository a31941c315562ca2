/* The embedding.
 *
 * If f(x) = g(A x) with A r x p, then for almost every p x k matrix V with k >=
 * r the restriction z -> f(x0 + V z) attains min f, without A being known. V
 * grows by one random direction at a time, each with its exact column of the
 * Hessian: on a quadratic the minimum over x0 + span V is always known, and the
 * minimisation costs r^2/2 + 2.5 r + 2 values whatever p.
 *
 * When the embedding stops or pauses: embedding_rules.c. */
#include "auto/embedding_state.h"

#include "auto/auto_rules.h"

#include "base/memory.h"
#include "certificate/certificate.h"

#include <math.h>
#include <string.h>

/* ---- views of its state, for the rules ---- */

static bool near_tolerance(const lr_embedding *e)
{
  const lr_model *m = e->model;
  return lr_embedding_near(lr_embedding_policy(e), lr_norm(m->V->k, m->g),
                           m->run->goal.tol);
}

static lr_embedding_view view(const lr_embedding *e)
{
  const lr_policy *P = lr_embedding_policy(e);
  size_t k = e->model->V->k;
  return (lr_embedding_view){
      .p = lr_embedding_dimension(e),
      .k = (double)k,
      .evaluations = (double)lr_phase_clock(e->phase),
      .failures = (double)lr_phase_failures(e->phase),
      .after_newton = e->after_newton,
      .warm = e->warm,
      .led = e->led,
      .bounded = lr_embedding_mapped(e),
      .quadratic = lr_predictions_quadratic(P, &e->predictions),
      .curved = lr_predictions_curved(P, &e->predictions),
      .near_tolerance = near_tolerance(e),
      .outside = e->outside.now,
      .first = e->outside.first,
      .early_rank = lr_columns_early_rank(P, &e->columns, k),
      .half_rank = e->columns.rank[k / 2],
      .rank_supported = lr_predictions_support_rank(P, &e->predictions),
      .columns = (double)e->columns.count,
      .unexplained = lr_columns_unexplained(P, &e->columns)};
}

static lr_step_view step_view(const lr_embedding *e, double decrease)
{
  const lr_model *m = e->model;
  return (lr_step_view){.decrease = decrease,
                        .predicted = m->landing.promised,
                        .gained = m->start.f - m->here.f,
                        .f_start = m->start.f,
                        .rounding = lr_oracle_level(m->oracle, m->base.f),
                        .noise = m->oracle->differences.noise,
                        .steps = (double)e->predictions.count,
                        .recent = lr_predictions_recent(&e->predictions, 2),
                        .evaluations = (double)lr_phase_clock(e->phase)};
}

bool lr_embedding_goes_on(lr_embedding *e, unsigned pauses, double f,
                          double fell)
{
  const lr_policy *P = lr_embedding_policy(e);
  double first = e->outside.first, now = e->outside.now;
  bool falls = first > 0 && now <= P->outside_fall * first;
  const lr_pause_view v = {.first = pauses == 1 &&
                                    (!lr_embedding_mapped(e) || falls),
                           .warm = e->warm,
                           .f = e->model->here.f,
                           .f_before = e->paused_f,
                           .outside = now,
                           .outside_before = e->paused_outside,
                           .other = f,
                           .other_fell = fell};
  e->led = lr_embedding_pays(P, &v);
  e->paused_f = v.f;
  e->paused_outside = now;
  return lr_embedding_pays(P, &v);
}

bool lr_embedding_is_compared(const lr_embedding *e)
{
  const lr_embedding_view v = view(e);
  return lr_embedding_compares(&v);
}

static void probed(lr_embedding *e, double derivative)
{
  lr_outside_add(lr_embedding_policy(e), &e->outside, e->model->V->k,
                 lr_embedding_dimension(e), derivative);
}

/* After a probe outside V: whether |g outside V| has stopped falling as V
 * grows. improves_inside: a step inside V predicts a larger decrease than one
 * outside. */
static lr_why judge_outside(lr_embedding *e, bool improves_inside)
{
  const lr_policy *P = lr_embedding_policy(e);
  lr_embedding_view v = view(e);
  uint64_t last = e->probed;
  e->probed = lr_phase_clock(e->phase);
  if (!(v.first > 0)) return LR_WHY_NOTHING;
  if (v.outside < P->outside_fall * e->outside.reference) {
    e->outside.reference = v.outside;
    e->fell = e->probed;
    return LR_WHY_NOTHING;
  }
  if (improves_inside || lr_embedding_waits_for_rank(P, &v)) {
    e->fell += e->probed -
               last; /* evaluations made since the last probe do not count */
    return LR_WHY_NOTHING;
  }
  return lr_embedding_no_fall(P, &v, (double)(e->probed - e->fell));
}

/* Under noise: whether steps and new directions have stopped decreasing f by
 * more than the noise.  (The decrease is measured from the base, which may be
 * higher than an earlier point of the model.) */
static bool idles(lr_embedding *e)
{
  const lr_model *m = e->model;
  lr_embedding_idling *i = &e->idling;
  bool falls = !(m->here.f > i->lowest - m->oracle->differences.noise);
  if (falls || !(m->oracle->differences.noise > 0)) {
    *i =
        (lr_embedding_idling){.lowest = m->here.f, .columns = e->columns.count};
    return false;
  }
  return lr_embedding_idles(lr_embedding_policy(e), ++i->steps,
                            e->columns.count - i->columns);
}

/* ---- the phase ---- */

/* Computes a certificate where the gradient is small inside V, by measurement,
 * and outside, by the last probe. In mapped coordinates it proves nothing (the
 * map has stationary points of its own): *converged tells the scheduler, which
 * checks without the map; as it does at the start, if that is close to a
 * minimum and lower. */
static lr_code certify(lr_embedding *e, double d, bool *converged)
{
  lr_model *m = e->model;
  lr_run *run = m->run;
  size_t k = m->V->k;
  double bound, outside = (lr_embedding_dimension(e) - (double)k) * d * d;
  double inside = lr_norm(k, m->g), tol = e->tolerance * run->goal.tol;
  if (!(inside * inside + outside <= tol * tol)) return LR_GO;
  bool returns = run->goal.least_tol > 0 && m->here.f > run->record.best_f;
  *converged = lr_embedding_mapped(e) || returns;
  if (*converged) return LR_GO;
  LR_TRY(lr_model_certify(m, false, &bound));
  return lr_run_certified(run, bound);
}

/* The derivative d along the first direction without its truncation error,
 * which follows from the curvature measured since; d itself unless that error
 * is large relative to it, as at a minimum. */
static double without_truncation(lr_embedding *e, double d)
{
  const lr_policy *P = lr_embedding_policy(e);
  lr_model *m = e->model;
  double error = lr_oracle_chord_error(m->oracle, &m->here, P->first_curvature,
                                       e->curvature);
  return lr_embedding_is_truncation(P, d, error) ? d - error : d;
}

/* Sets up the first direction: derivative, curvature by one value, Hessian
 * column. */
static lr_code begin(lr_embedding *e)
{
  lr_model *m = e->model;
  double d, unexplained;
  if (!e->phase->begun) lr_phase_start_clock(e->phase);
  e->drawn = false;
  e->probed = e->fell = lr_phase_clock(e->phase);
  lrgd_vec u = lr_model_vec(m, LR_MODEL_PROBE);
  LR_TRY(lr_oracle_value(m->oracle, &m->here, LRGD_PURPOSE_DESCEND));
  m->start.f = m->base.f = m->here.f;
  LR_TRY(lr_run_count(m->run, &m->here));
  if (!lr_model_draw(m)) return LR_GO;
  LR_TRY(lr_model_slope(m, u, lr_embedding_policy(e)->first_curvature,
                        LRGD_PURPOSE_PROBE, &d));
  probed(e, d);
  double sign = d > 0 ? -1 : 1; /* u is to descend */
  if (d != 0) m->space->ops->scale(m->space, u, sign);
  LR_TRY(lr_model_curvature(m, u, -fabs(d), &e->curvature));
  d = sign * without_truncation(e, d);
  e->curvature = fabs(e->curvature) > 0 ? fabs(e->curvature) : 1;
  e->columns.rank[1] = 1;
  LR_TRY(lr_model_extend(m, u, d, e->curvature, &unexplained));
  e->phase->begun = true;
  return LR_GO;
}

/* Restarts, as the noise is larger than assumed: what was measured with the
 * assumed noise is discarded. */
static void start_over(lr_embedding *e)
{
  lr_model *m = e->model;
  lr_run_decide(
      m->run, (lrgd_decision){
                  .kind = LRGD_DECISION_KIND_EMBEDDING_RESTARTED,
                  .value = lr_run_told(m->run, m->oracle->differences.noise)});
  lr_model_restart(m);
  lr_run_forget_tolerance(m->run);
  e->failed_steps = 0;
  e->eigenvectors = 0;
  e->idling = (lr_embedding_idling){.lowest = INFINITY};
  e->predictions = (lr_predictions){.count = 0};
  e->columns = (lr_columns){.rank = e->columns.rank};
  e->outside = (lr_outside){.now = INFINITY};
  e->gain_outside = INFINITY;
}

/* Moves the base to the new point and takes the gradient inside V there;
 * differences become two-sided where one-sided ones measure noise only. */
static lr_code rebase(lr_embedding *e)
{
  lr_model *m = e->model;
  lr_oracle *o = m->oracle;
  size_t k = m->V->k;
  LR_TRY(lr_model_rebase(m, NULL));
  double gg = lr_dot(k, m->g, m->g) / (double)k, bend = 0;
  for (size_t j = 0; j < k; j++) bend += fabs(m->B[j * (m->most + 1)]);
  if (o->differences.noise > 0 && !o->differences.two_sided &&
      gg < o->differences.noise * bend / (double)k) {
    lr_oracle_use_two_sided(o);
    LR_TRY(lr_model_measure(m));
  }
  return LR_GO;
}

/* The largest decrease that is not significant: within the noise, a rounding
 * error, or what the errors of the derivatives alone would predict. */
static lr_code meaningless(lr_model *m, double *fall)
{
  *fall = m->oracle->differences.noise;
  if (*fall > 0) return LR_GO;
  LR_TRY(lr_model_gain_error(m, fall));
  *fall = fmax(*fall, lr_auto_rounding(m->run->policy,
                                       lr_oracle_level(m->oracle, m->base.f)));
  return LR_GO;
}

/* Measures the noise after a step whose result noise may explain. *again: the
 * embedding has restarted. */
static lr_code doubt(lr_embedding *e, double fall, bool *again)
{
  const lr_step_view v = step_view(e, fall);
  *again = false;
  if (e->phase->noise_measured > 0) return LR_GO;
  if (!lr_embedding_suspects_noise(lr_embedding_policy(e), &v)) return LR_GO;
  LR_TRY(lr_phase_measure_noise(e->phase));
  *again = lr_embedding_misled(lr_embedding_policy(e), e->model);
  if (!*again) return LR_GO;
  start_over(e);
  return begin(e);
}

/* Counts a step without a decrease as failed; *stuck: too many have failed. */
static lr_code count_failure(lr_embedding *e, double fall, bool *stuck)
{
  lr_oracle *o = e->model->oracle;
  double nothing;
  *stuck = false;
  LR_TRY(meaningless(e->model, &nothing));
  if (fall > nothing) return LR_GO;
  if (o->differences.noise > 0 || near_tolerance(e)) lr_oracle_use_two_sided(o);
  *stuck = lr_embedding_is_stuck(lr_embedding_policy(e), ++e->failed_steps);
  return LR_GO;
}

/* Whether the embedding stops after this step, and why. */
static lr_why judge_step(lr_embedding *e, double fall, double budget)
{
  const lr_policy *P = lr_embedding_policy(e);
  const lr_embedding_view v = view(e);
  const lr_step_view s = step_view(e, fall);
  lr_why why = lr_embedding_over_budget(P, &v, budget);
  /* the embedding has converged as far as noise allows, even where no other
   * rule ends it */
  if (why != LR_WHY_NOTHING && (s.noise > 0 || why == LR_WHY_BUDGET) &&
      e->failed_steps > 0 && lr_embedding_ends_in_noise(P, &s))
    why = LR_WHY_STUCK;
  return why;
}

/* A step to the minimum of the model; f decreases by *fall.  *why: the reason
 * to stop, if any. */
static lr_code step(lr_embedding *e, double budget, double *fall, bool *again,
                    lr_why *why)
{
  bool stuck;
  LR_TRY(lr_model_land(e->model, fall));
  lr_predictions_add(&e->predictions, e->model->landing.trust);
  LR_TRY(doubt(e, *fall, again));
  if (*again) return LR_GO;
  LR_TRY(count_failure(e, *fall, &stuck));
  *why = stuck || idles(e) ? LR_WHY_STUCK : judge_step(e, *fall, budget);
  return LR_GO;
}

/* A directional derivative along a fresh direction outside V, and the curvature
 * to expect there. */
typedef struct outside_probe {
  double derivative, curvature;
  bool improves_inside; /* a step inside V predicts a larger decrease */
} outside_probe;

/* Whether the gradient outside V is so small that the error of the gradient
 * inside V matters: then the gradient inside is measured, where so far the
 * model has predicted it. */
static bool nothing_outside(const lr_embedding *e, double d, double fall)
{
  const lr_model *m = e->model;
  double tol = m->run->goal.tol;
  return lr_embedding_negligible(lr_embedding_policy(e), e->gain_outside,
                                 fall) ||
         (lr_embedding_dimension(e) - (double)m->V->k) * d * d <= tol * tol;
}

static lr_code probe(lr_embedding *e, double fall, double gain_inside,
                     outside_probe *found)
{
  lr_model *m = e->model;
  double c = e->foreseen > 0 ? e->foreseen : lr_embedding_probe_curvature(e);
  double d;
  LR_TRY(lr_model_probe(m, c, &d));
  e->drawn = false;
  e->foreseen = 0;
  e->gain_outside = 0.5 * d * d / c *
                    lr_columns_unexplained(lr_embedding_policy(e), &e->columns);
  if (m->landing.trust && nothing_outside(e, d, fall)) {
    LR_TRY(rebase(e));
    m->landing.trust = false;
    LR_TRY(lr_model_gain(m, &gain_inside));
  }
  probed(e, d);
  *found = (outside_probe){.derivative = d,
                           .curvature = c,
                           .improves_inside = !m->landing.trust &&
                                              gain_inside > e->gain_outside};
  return LR_GO;
}

/* How far the map into the bounds has bent the path from the start, relative to
 * its length; 0 without bounds. */
static double bend(const lr_embedding *e)
{
  lr_model *m = e->model;
  const lrgd_space_ops *ops = m->space->ops;
  lrgd_vec spare = lr_model_vec(m, LR_MODEL_SPARE);
  double moved = 0, bent = 0;
  if (!lr_embedding_mapped(e)) return 0;
  ops->axpy_into(m->space, spare, m->here.x, m->start.x, -1);
  if (!ops->measure(m->space, spare, &moved)) return INFINITY;
  lr_oracle_show(m->oracle, spare, m->here.x);
  ops->add(m->space, spare, m->here.x, 1, &(double){-1});
  if (!ops->measure(m->space, spare, &bent)) return INFINITY;
  return moved > 0 ? bent / moved : INFINITY;
}

/* Before the embedding ends (its trial is over, or V is larger than the rank
 * estimate): probes at the present point show whether it is about to reach the
 * minimum; then *why becomes LR_WHY_NOTHING.  Not done where bounds matter,
 * since derivatives of the map vanish at bounds, whatever f does. */
static lr_code look_again(lr_embedding *e, lr_why *why)
{
  const lr_policy *P = lr_embedding_policy(e);
  lr_model *m = e->model;
  double c = lr_embedding_probe_curvature(e);
  if (!(m->here.f < m->start.f)) return LR_GO; /* no step has decreased f */
  /* the first gradient was measured too long ago */
  if (e->after_newton) return LR_GO;
  lr_embedding_view now = view(e);
  if (!lr_embedding_may_go_on(P, &now)) return LR_GO;
  if (!lr_embedding_straight(P, bend(e))) return LR_GO;
  for (unsigned n = 0; lr_embedding_looks_again(P, n); n++) {
    double d;
    if (!lr_embedding_draw(e)) return LR_GO;
    LR_TRY(lr_model_probe(m, c, &d));
    e->drawn = false;
    probed(e, d);
    double outside = (lr_embedding_dimension(e) - (double)m->V->k) * d * d;
    if (!lr_embedding_fell(P, outside, e->outside.first)) return LR_GO;
  }
  *why = LR_WHY_NOTHING;
  return LR_GO;
}

/* Adds the probed direction to V. */
static lr_code extend(lr_embedding *e, const outside_probe *found, lr_why *why)
{
  lr_model *m = e->model;
  double unexplained, p = lr_embedding_dimension(e);
  LR_TRY(lr_model_extend(m, lr_model_vec(m, LR_MODEL_PROBE), found->derivative,
                         found->curvature, &unexplained));
  size_t k = m->V->k;
  bool high =
      lr_columns_add(lr_embedding_policy(e), &e->columns, k, p, unexplained);
  *why = high ? LR_WHY_HIGH_RANK : LR_WHY_NOTHING;
  lr_run_decide(m->run,
                (lrgd_decision){.kind = LRGD_DECISION_KIND_EMBEDDING_DIRECTION,
                                .count = k,
                                .value = unexplained,
                                .level = fmin(e->columns.rank[k], p)});
  return LR_GO;
}

/* After a step that the model did not predict well: measures the gradient
 * inside V.  *stay: a further step inside predicts a larger decrease than a
 * step along a probe outside. */
static lr_code look_inside(lr_embedding *e, double fall, double *gain,
                           bool *stay)
{
  lr_model *m = e->model;
  *stay = false;
  *gain = 0;
  if (m->landing.trust) return LR_GO;
  LR_TRY(rebase(e));
  LR_TRY(lr_model_gain(m, gain));
  bool small = lr_embedding_small_inside(
      lr_embedding_policy(e), lr_norm(m->V->k, m->g), m->run->goal.tol);
  *stay = *gain > e->gain_outside && fall > 0 && !small;
  return LR_GO;
}

/* One iteration: a step, a probe, and the probed direction added to V. */
static lr_code iterate(lr_embedding *e, double budget, lr_why *why)
{
  lr_model *m = e->model;
  double fall = 0, gain_inside;
  outside_probe found;
  bool again = false, stay, converged = false, landed = e->landed;
  *why = LR_WHY_FULL;
  if (!lr_embedding_draw(e)) return LR_GO;
  *why = LR_WHY_NOTHING;
  e->landed = false;
  if (!landed) LR_TRY(step(e, budget, &fall, &again, why));
  if (*why == LR_WHY_NO_SIGN || *why == LR_WHY_PAST_RANK)
    LR_TRY(look_again(e, why));
  if (again || *why != LR_WHY_NOTHING) return LR_GO;
  if (!landed) LR_TRY(lr_embedding_foresee(e, !m->landing.trust));
  LR_TRY(look_inside(e, fall, &gain_inside, &stay));
  if (stay || !lr_embedding_draw(e)) return LR_GO;
  LR_TRY(probe(e, fall, gain_inside, &found));
  lr_embedding_set_tolerance(e);
  if (landed || !m->landing.trust) /* the gradient inside V is measured */
    LR_TRY(certify(e, found.derivative, &converged));
  *why = converged ? LR_WHY_CONVERGED : judge_outside(e, found.improves_inside);
  if (*why != LR_WHY_NOTHING || (found.improves_inside && fall > 0))
    return LR_GO;
  *why = m->V->k >= m->most ? LR_WHY_FULL : LR_WHY_NOTHING;
  return *why == LR_WHY_NOTHING ? extend(e, &found, why) : LR_GO;
}

lr_code lr_embedding_advance(lr_phase *phase, double budget, lr_why *why)
{
  lr_embedding *e = phase->self;
  lr_code code = phase->begun ? LR_GO : begin(e);
  *why = LR_WHY_NOTHING;
  while (*why == LR_WHY_NOTHING && code == LR_GO)
    code = iterate(e, budget, why);
  if (code == LR_GO) *why = lr_embedding_judge_start(e, *why);
  if (code != LR_NOVALUE || !phase->begun) return code;
  *why = LR_WHY_UNEVALUABLE;
  return LR_GO;
}
