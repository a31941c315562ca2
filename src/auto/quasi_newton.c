/* Quasi-Newton in the span of gradients.
 *
 * The iterates of BFGS stay in the span of the gradients (Gill, Leonard, SIAM
 * J. Optim. 12, 2001), so that V = that span and a k x k matrix are enough.
 * Each full gradient is followed by steps inside V, at k values each, for as
 * long as they decrease f more per evaluation than the full gradient did.  A
 * function of rank r needs at most r + 1 full gradients; on others this is an
 * ordinary quasi-Newton method. */
#include "auto/auto_rules.h"
#include "auto/quasi_newton_rules.h"

#include "base/options.h"
#include "hidden/hidden_bound.h"
#include "model/model_rules.h"
#include "space/vec.h"

#include <math.h>

void lr_quasi_newton_init(lr_quasi_newton *q, lr_phase *phase)
{
  *q = (lr_quasi_newton){
      .phase = phase, .model = &phase->model, .progress.lowest = INFINITY};
}

static uint64_t spent(const lr_quasi_newton *q)
{
  return lr_oracle_spent(q->model->oracle);
}

/* In a box: writes the new derivatives along V into the stored gradient, as the
 * base has moved. */
static void update_stored_gradient(lr_model *m)
{
  lrgd_vec full = lr_model_vec(m, LR_MODEL_FULL);
  lr_basis_project(m->V, full, m->work.fresh);
  for (size_t j = 0; j < m->V->k; j++)
    m->work.column[j] = m->g[j] - m->work.fresh[j];
  lr_basis_expand(m->V, full, m->work.column);
}

/* The BFGS update of B by y y'/s'y where the new gradient has a part outside V:
 * y then has a part along the new direction u too (Gill and Leonard).  The
 * unknown rest of B's curvature along u is set to y'y/s'y (Shanno and Phua). */
static lr_code append_turned(lr_model *m, lrgd_vec u, double left)
{
  double sy = m->secant.sy, more = left * left;
  const double *y = m->secant.y;
  double c = (lr_dot(m->V->k, y, y) + more) / sy;
  for (size_t i = 0; i < m->V->k; i++) m->work.column[i] = y[i] * (left / sy);
  return lr_model_append(m, u, left, m->work.column, c + more / sy);
}

/* Measures the curvature along -u.  After a gradient without the active
 * coordinates only the inactive part of u is used, as the other derivatives are
 * predictions. */
static lr_code curvature_along(lr_quasi_newton *q, lrgd_vec u, double slope,
                               double *c)
{
  lr_model *m = q->model;
  lrgd_vec down = lr_model_vec(m, LR_MODEL_SPARE);
  lrgd_vec full = lr_model_vec(m, LR_MODEL_FULL);
  m->space->ops->copy(m->space, down, u, 1);
  if (q->active.now) {
    (void)m->space->ops->zero_active(m->space, down, m->here.x, full,
                                     m->oracle->box);
    (void)lr_normalise(m->space, down, NULL);
    m->space->ops->dot(m->space, down, 1, full, &slope);
  }
  m->space->ops->scale(m->space, down, -1);
  return lr_model_curvature(m, down, -slope, c);
}

/* Adds the direction G to V without measuring its Hessian column, where a
 * gradient costs one evaluation. */
static lr_code append_unmeasured(lr_quasi_newton *q, lrgd_vec G, double left)
{
  lr_model *m = q->model;
  if (m->secant.sy > 0 && !lr_oracle_boxed(m->oracle))
    return append_turned(m, G, left);
  double c = m->V->k > 0 ? lr_model_mean_curvature(m) : q->curvature.last;
  if (!(c > 0)) c = left / lr_oracle_scale(m->oracle, &m->here);
  q->curvature.last = c; /* the step in a box needs it */
  return lr_model_append(m, G, left, NULL, c);
}

/* G becomes its part outside V, a unit vector; *slope is the derivative along
 * it.  *none: G is in V. */
static void project_out(const lr_quasi_newton *q, lrgd_vec G, double *slope,
                        bool *none)
{
  const lr_model *m = q->model;
  double before = 0;
  (void)m->space->ops->measure(m->space, G, &before);
  *slope = lr_basis_reject(m->V, G);
  *none = !lr_qn_is_new(lr_qn_policy(q), *slope, before);
  if (*none) return;
  (void)lr_normalise(m->space, G, NULL);
  if (q->active.count > 0) /* V has parts along active coordinates */
    m->space->ops->dot(m->space, G, 1, lr_model_vec(m, LR_MODEL_FULL), slope);
}

/* Measures the curvature along u.  Where it is not positive, it is replaced by
 * the last one, by the model's mean, or by a guess from the sizes of the
 * derivative along u and of x; but by no less than its absolute value there:
 * the slope changes by its own size over the distance slope / |c|, beyond which
 * f is unknown (Gill, Murray and Wright, section 4.4). */
static lr_code measure_curvature(lr_quasi_newton *q, lrgd_vec u, double slope)
{
  double c;
  LR_TRY(curvature_along(q, u, slope, &c));
  if (c > 0)
    q->curvature.last = c;
  else if (!(q->curvature.last > 0))
    q->curvature.last = lr_model_mean_curvature(q->model);
  if (!(q->curvature.last > 0))
    q->curvature.last =
        fmax(-c, lr_qn_guessed_curvature(
                     lr_qn_policy(q), slope,
                     lr_oracle_scale(q->model->oracle, &q->model->here)));
  return LR_GO;
}

/* Removes the oldest directions from a full V. */
static void make_room(lr_quasi_newton *q)
{
  lr_model *m = q->model;
  size_t k = m->V->k;
  if (k < m->most || k >= lr_run_dimension(m->run)) return;
  lr_model_forget(m, lr_model_forgotten(lr_qn_policy(q), k));
}

/* Adds a unit direction u to V, with a measured Hessian column where V is small
 * enough for that to pay. */
static lr_code extend(lr_quasi_newton *q, lrgd_vec u, double slope)
{
  lr_model *m = q->model;
  double unexplained, p = (double)lr_run_dimension(m->run);
  double c = q->curvature.last;
  if (q->active.count > 0 ||
      lr_qn_columns_too_dear(lr_qn_policy(q), (double)m->V->k, p))
    return lr_model_append(m, u, slope, NULL, c);
  lr_code code = lr_model_extend(m, u, slope, c, &unexplained);
  if (code == LR_NOVALUE) return lr_model_append(m, u, slope, NULL, c);
  LR_TRY(code);
  if (lr_oracle_boxed(m->oracle)) update_stored_gradient(m);
  return LR_GO;
}

/* Whether no gradient was judged before this one, which may be that of a start
 * at a minimum. */
static bool is_first(const lr_quasi_newton *q)
{
  return q->progress.rounds == 0 && q->progress.failed == 0 && !q->closer;
}

/* A guess of the truncation error of one-sided derivatives along all
 * coordinates, from the last curvature measured. */
static double truncation(const lr_quasi_newton *q)
{
  lr_model *m = q->model;
  double reach = lr_oracle_reach(m->oracle, &m->here, -q->curvature.coordinate);
  double c = fmax(q->curvature.last, q->curvature.coordinate);
  return 0.5 * reach * c * sqrt((double)m->space->dimension);
}

/* Whether the derivative along the gradient, by a two-sided difference, is not
 * the gradient's norm. G: the gradient, or its direction. */
static lr_code is_truncation(lr_quasi_newton *q, lrgd_vec G, double norm,
                             bool *blurred)
{
  lr_model *m = q->model;
  lrgd_vec u = lr_model_vec(m, LR_MODEL_SPARE);
  double f[2], h = lr_qn_two_sided(q).reach;
  m->space->ops->copy(m->space, u, G, 1);
  if (!lr_normalise(m->space, u, NULL)) return LR_GO;
  for (int i = 0; i < 2; i++) {
    LR_TRY(lr_model_try(m, &m->here, u, i == 0 ? h : -h, LRGD_PURPOSE_CHECK));
    if (m->landing.clipped || !(m->trial.f < INFINITY)) return LR_GO;
    f[i] = m->trial.f;
  }
  *blurred =
      lr_qn_is_truncation(lr_qn_policy(q), norm, (f[0] - f[1]) / (2 * h));
  return LR_GO;
}

/* Whether a one-sided gradient is within its error: rounding, and truncation by
 * the curvature measured since.  If it is the first, the start may be
 * stationary, and that gradient gives no scale for the tolerance. */
static lr_code is_blurred(lr_quasi_newton *q, lrgd_vec G, bool *blurred)
{
  const lr_policy *P = lr_qn_policy(q);
  lr_model *m = q->model;
  const lr_oracle *o = m->oracle;
  bool exact = lr_oracle_has_derivatives(o);
  double norm = m->run->progress.grad_norm;
  *blurred = false;
  if (exact || !(q->curvature.last > 0) || o->differences.noise > 0)
    return LR_GO;
  double error = lr_qn_gradient_error(q) + truncation(q);
  *blurred = is_first(q) && lr_qn_blurred(P, norm, error);
  if (*blurred || !lr_qn_doubts(P, norm, truncation(q))) return LR_GO;
  return is_truncation(q, G, norm, blurred);
}

/* Raises the tolerance that nobody gave, where the first gradient is not far
 * above its error: two-sided differences resolve more than one-sided ones, but
 * no small share of the gradient close to a minimum. */
static void raise_tolerance(lr_quasi_newton *q)
{
  lr_run *run = q->phase->run;
  if (lr_given(run->options.tol) || !lr_qn_resolves(q)) return;
  double first = fmax(run->progress.grad_norm, run->goal.first_slope);
  double least = lr_qn_least_tolerance(lr_qn_policy(q), first,
                                       lr_qn_gradient_error(q) + truncation(q),
                                       lr_qn_two_sided(q).error);
  run->goal.tol = fmax(run->goal.tol, fmin(least, run->goal.most_tol));
}

/* Whether the gradient G is blurred, if a curvature tells; if the first one is
 * not, what it says of the tolerance. G: the gradient, or its direction. */
static lr_code judge_sharpness(lr_quasi_newton *q, lrgd_vec G, bool *blurred)
{
  *blurred = false;
  if (q->model->oracle->differences.two_sided) return LR_GO;
  LR_TRY(is_blurred(q, G, blurred));
  if (is_first(q) && !*blurred && q->curvature.last > 0) raise_tolerance(q);
  return LR_GO;
}

/* The part of the gradient G outside V becomes a direction of V, or the
 * diagonal-Hessian step where f is separable.  *blurred: it does not, as G has
 * to be measured by two-sided differences. */
static lr_code learn_direction(lr_quasi_newton *q, lrgd_vec G, bool *blurred)
{
  lr_model *m = q->model;
  double slope;
  bool separable = false, none = false;
  bool unknown = !(q->curvature.last > 0);
  LR_TRY(judge_sharpness(q, G, blurred));
  if (*blurred) return LR_GO;
  make_room(q);
  if (m->V->k >= lr_run_dimension(m->run)) return LR_GO;
  /* in a subspace that the user gave, single coordinates are no feasible
   * directions */
  if (!lr_qn_gradient_given(q) && m->run->domain.k == 0)
    LR_TRY(lr_qn_separable_step(q, G, &slope, &separable));
  if (!separable) project_out(q, G, &slope, &none);
  if (none) return LR_GO;
  if (lr_qn_gradient_given(q)) return append_unmeasured(q, G, slope);
  if (!separable) LR_TRY(measure_curvature(q, G, slope));
  if (unknown) LR_TRY(judge_sharpness(q, G, blurred));
  return *blurred ? LR_GO : extend(q, G, slope);
}

static lr_code step_in_box(lr_quasi_newton *q, double *fall)
{
  lr_model *m = q->model;
  lr_hidden_bounds *hidden = lr_hidden_bounds_of(m->run);
  lr_step_guard guard = {0};
  if (hidden) guard = lr_hidden_surface_guard(&hidden->surface);
  lr_code code =
      lr_model_land_boxed(m, q->curvature.last, hidden ? &guard : NULL, fall);
  if (code == LR_NOVALUE)
    lr_model_forget(
        m, m->V->k); /* no gradient at the new point: no model either */
  return code == LR_NOVALUE ? LR_GO : code;
}

/* Whether a hidden constraint surface limits steps. */
static bool at_surface(const lr_quasi_newton *q)
{
  const lr_hidden_bounds *hidden = lr_hidden_bounds_of(q->model->run);
  return hidden && hidden->surface.met;
}

/* A step to the minimum of the model, within the box if there is one. */
static lr_code step(lr_quasi_newton *q, double *fall)
{
  lr_model *m = q->model;
  bool fits = !lr_oracle_boxed(m->oracle);
  if (!fits && q->active.count == 0 && !at_surface(q))
    LR_TRY(lr_model_fits(m, &fits));
  q->active.interior = fits;
  if (!fits) return step_in_box(q, fall);
  LR_TRY(lr_model_land(m, fall));
  if (!lr_oracle_boxed(m->oracle) || !(*fall > 0)) return LR_GO;
  return lr_model_follow(m, q->curvature.last);
}

/* Moves the base to the new point and measures the derivatives along V
 * there. */
static lr_code rebase(lr_quasi_newton *q)
{
  lr_model *m = q->model;
  lrgd_vec G = lr_model_vec(m, LR_MODEL_GRADIENT);
  if (!lr_oracle_boxed(m->oracle)) return lr_model_rebase(m, NULL);
  if (q->active.interior) {
    LR_TRY(lr_model_rebase(m, NULL));
    update_stored_gradient(m);
  } else {
    LR_TRY(lr_model_rebase_boxed(m));
    q->active.predicted = true;
  }
  m->space->ops->copy(m->space, G, lr_model_vec(m, LR_MODEL_FULL), 1);
  lr_qn_drop_active(q, G);
  return LR_GO;
}

/* One step inside V.  *none: derivatives along V cannot be evaluated, and a
 * full gradient follows. */
static lr_code step_inside(lr_quasi_newton *q, bool *none)
{
  lr_model *m = q->model;
  uint64_t before = spent(q);
  double f = m->here.f, fall;
  lr_code code = rebase(q);
  *none = code == LR_NOVALUE;
  if (*none) return LR_GO;
  LR_TRY(code);
  LR_TRY(step(q, &fall));
  uint64_t price = spent(q) - before;
  q->inside.inside += price;
  q->inside.rate = (f - m->here.f) / (double)price;
  q->inside.tried = true;
  return LR_GO;
}

/* Takes steps inside V while they decrease f by at least `rate` per evaluation,
 * the rate of the last full gradient; stops at jumps of f, along which progress
 * is slow. */
static lr_code steps_inside(lr_quasi_newton *q, double rate)
{
  const lr_policy *P = lr_qn_policy(q);
  lr_model *m = q->model;
  uint64_t cliffs = m->oracle->seen.cliffs;
  bool none = false;
  bool go =
      !m->landing.trust &&
      lr_qn_steps_inside(P, &q->inside, q->active.interior, (double)m->V->k,
                         (double)lr_run_dimension(m->run), rate);
  while (go) {
    LR_TRY(step_inside(q, &none));
    go = !none && !m->landing.trust &&
         lr_qn_goes_on_inside(P, q->inside.rate, rate,
                              (double)(m->oracle->seen.cliffs - cliffs));
  }
  return LR_GO;
}

/* After a round without a decrease: measures the noise.  Under noise,
 * differences become two-sided, unless noise is to stop the phase.  From the
 * second such round on the model is discarded, and one-sided differences are no
 * longer used. */
static lr_code count_failure(lr_quasi_newton *q, bool *stuck)
{
  lr_model *m = q->model;
  lr_oracle *o = m->oracle;
  unsigned failed = ++q->progress.failed;
  *stuck = failed >
           lr_qn_failed_rounds(lr_qn_policy(q), o->differences.noise > 0 &&
                                                    o->differences.two_sided);
  if (*stuck) return LR_GO;
  LR_TRY(lr_phase_measure_noise(q->phase));
  *stuck = q->stops_at_noise && o->differences.noise > 0;
  if (*stuck) return LR_GO;
  if (o->differences.noise > 0 || failed > 1) lr_oracle_use_two_sided(o);
  if (failed > 1) lr_model_forget(m, m->V->k);
  return LR_GO;
}

/* Whether a window of rounds has brought a negligible decrease.  Gradients
 * without the active coordinates may be the cause: the phase then continues
 * once with full gradients. f: the value before this round. */
static bool creeps(lr_quasi_newton *q, double f)
{
  lr_qn_progress *s = &q->progress;
  double here = q->model->here.f;
  if (s->rounds == 0) s->first_f = s->window_f = f;
  if (!lr_qn_window_ends(lr_qn_policy(q), ++s->rounds)) return false;
  double gained = s->first_f - here, lately = s->window_f - here;
  bool active = q->active.ever && !q->active.never_again;
  uint64_t cliffs = q->model->oracle->seen.cliffs - s->cliffs;
  s->cliffs += cliffs;
  s->window_f = here;
  if (!lr_qn_creeps(lr_qn_policy(q), lately, gained, (double)cliffs, active))
    return false;
  if (!active) return true;
  q->active.never_again = true;
  lr_model_forget(q->model, q->model->V->k);
  return false;
}

/* Under noise the long difference step of a Hessian column may raise f as much
 * as the last step lowered it, repeatedly: counts the rounds without a decrease
 * beyond the noise. */
static bool idles(lr_quasi_newton *q)
{
  lr_qn_progress *s = &q->progress;
  double f = q->model->here.f, noise = q->model->oracle->differences.noise;
  if (!(s->lowest <= f + noise)) {
    s->lowest = f;
    s->idle = 0;
  }
  return noise > 0 && lr_qn_idles(lr_qn_policy(q), ++s->idle);
}

/* Measures the noise from time to time.  Where difference steps were far too
 * short for it, the model has spurious curvature, which makes its steps too
 * short. */
static lr_code watch_noise(lr_quasi_newton *q)
{
  const lr_policy *P = lr_qn_policy(q);
  lr_model *m = q->model;
  uint64_t last = q->phase->noise_measured;
  double since = (double)(lr_phase_clock(q->phase) + 1 - last);
  bool due = last == 0 || lr_qn_noise_due(P, since, (double)m->space->dimension,
                                          m->oracle->differences.noise > 0);
  if (lr_qn_gradient_given(q) || !due) return LR_GO;
  LR_TRY(lr_phase_measure_noise(q->phase));
  if (lr_qn_misled(P, m)) lr_model_forget(m, m->V->k);
  return LR_GO;
}

/* Differences become two-sided from here on; at the start the tolerance, the
 * model and the noise are measured anew. */
static void look_closer(lr_quasi_newton *q)
{
  lr_model *m = q->model;
  lr_oracle_use_two_sided(m->oracle);
  if (q->progress.rounds > 0 || q->progress.failed > 0) return;
  lr_run_forget_tolerance(m->run);
  lr_model_restart(m);
  q->separable.paired = false;
  q->closer = true;
}

/* A gradient and a step; *before is the value of f before the step.  *blurred:
 * the gradient has to be measured by two-sided differences; no step was
 * made. */
static lr_code gradient_step(lr_quasi_newton *q, double *before, bool *blurred)
{
  lr_model *m = q->model;
  lrgd_vec G = lr_model_vec(m, LR_MODEL_GRADIENT);
  double fall;
  LR_TRY(lr_hidden_bounds_review(lr_hidden_bounds_of(m->run), &m->here));
  LR_TRY(lr_qn_pretest(q));
  LR_TRY(watch_noise(q));
  const lr_difference_settings *s = &m->oracle->differences;
  bool one_sided = !s->two_sided;
  LR_TRY(lr_qn_gradient(q, G));
  *before = m->here.f;
  *blurred = is_first(q) && one_sided && s->two_sided && lr_qn_resolves(q);
  if (!*blurred) LR_TRY(learn_direction(q, G, blurred));
  return m->V->k > 0 && !*blurred ? step(q, &fall) : LR_GO;
}

static lr_code iterate(lr_quasi_newton *q, bool *stuck)
{
  lr_model *m = q->model;
  uint64_t began = spent(q);
  bool blurred;
  double f;
  *stuck = idles(q);
  if (*stuck) return LR_GO;
  LR_TRY(gradient_step(q, &f, &blurred));
  if (blurred) {
    look_closer(q);
    return LR_GO;
  }
  uint64_t price = spent(q) - began;
  double decrease = f - m->here.f;
  double rounding =
      lr_auto_rounding(lr_qn_policy(q), lr_oracle_level(m->oracle, f));
  if (!(decrease > fmax(m->oracle->differences.noise, rounding)))
    return count_failure(q, stuck);
  q->progress.failed = 0;
  q->progress.decrease = decrease;
  *stuck = creeps(q, f) ||
           (at_surface(q) &&
            lr_hidden_surface_ends(lr_qn_policy(q),
                                   &lr_hidden_bounds_of(m->run)->surface));
  q->inside.outside += price;
  if (lr_qn_gradient_given(q)) return LR_GO;
  return steps_inside(q, decrease / (double)price);
}

lr_code lr_quasi_newton_advance(lr_phase *phase, double budget, lr_why *why)
{
  bool stuck = false;
  do LR_TRY(iterate(phase->self, &stuck));
  while (!stuck && (double)lr_phase_clock(phase) < budget);
  *why = stuck ? LR_WHY_STUCK : LR_WHY_BUDGET;
  return LR_GO;
}
