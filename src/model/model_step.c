/* Steps of the model: Newton's step, measured curvatures, the move of the base
 * point, and steps along new directions.  Trials and line
 * searches: model_search.c. */
#include "base/chi2.h"
#include "base/finite.h"
#include "model/model.h"
#include "model/model_rules.h"
#include "solver/warm_start.h"
#include "space/vec.h"
#include "step/step_rules.h"

#include <math.h>
#include <string.h>

/* ---- landings ---- */

double lr_model_leap(const lr_model *m)
{
  bool boxed = lr_oracle_boxed(m->oracle) || m->oracle->fold.lower.block;
  return lr_model_longest(m->run->policy, m->landing.longest, boxed);
}

lr_code lr_model_arrived(lr_model *m)
{
  lr_run *run = m->run;
  lr_run_stand(run, &m->here);
  run->shown = m->V;
  run->whole = false;
  return lr_run_arrived(run);
}

lr_code lr_model_land(lr_model *m, double *fall)
{
  size_t k = m->V->k;
  bool trusted = m->landing.trust;
  double form, t = 1;
  lrgd_vec step = lr_model_vec(m, LR_MODEL_STEP);
  *fall = m->landing.promised = 0;
  m->landing.trust = false;
  m->here = m->base;
  LR_TRY(lr_model_solve(m, m->g, m->work.column, &form));
  memset(m->dz, 0, k * sizeof *m->dz);
  if (trusted && 0.5 * form < lr_oracle_level(m->oracle, m->base.f))
    m->landing.trust = true; /* the base is the minimum */
  if (!(form > 0) || m->landing.trust) return LR_GO;
  double size = lr_norm(k, m->work.column);
  if (m->landing.longest > 0 && !trusted) t = fmin(1, lr_model_leap(m) / size);
  m->space->ops->scale(m->space, step, 0);
  lr_basis_expand(m->V, step, m->work.column);
  LR_TRY(lr_model_search(m, step, 1, -form, false, &t));
  double bend = 0; /* dz'B dz, with B's own eigenvalues */
  for (size_t j = 0; j < k; j++)
    bend += m->work.column[j] * lr_dot(k, m->B + j * m->most, m->work.column);
  double promised = m->landing.promised = form - 0.5 * bend;
  if (t == 0) return LR_GO;
  *fall = m->base.f - m->here.f;
  m->landing.trust =
      t == 1 && lr_model_predicts(m->run->policy, *fall, promised,
                                  m->oracle->differences.noise);
  for (size_t j = 0; j < k; j++) m->dz[j] = t * m->work.column[j];
  m->landing.longest = fmax(m->landing.longest, t * size);
  return lr_model_arrived(m);
}

/* ---- measured curvatures ---- */

/* The distance from `here` to the last trial, which bounds may have clipped;
 * *slope becomes the directional derivative at `here` towards it. */
static double trial_distance(lr_model *m, double h, double *slope)
{
  if (!m->landing.clipped) return h;
  lrgd_vec s = lr_model_vec(m, LR_MODEL_NEXT);
  double size = 0;
  m->space->ops->axpy_into(m->space, s, m->trial.x, m->here.x, -1);
  (void)m->space->ops->measure(m->space, s, &size);
  m->space->ops->dot(m->space, s, 1, lr_model_vec(m, LR_MODEL_FULL), slope);
  *slope /= size;
  return size;
}

lr_code lr_model_curvature(lr_model *m, lrgd_vec u, double slope, double *c)
{
  const lr_policy *P = m->run->policy;
  double e = lr_model_value_error(P, m->oracle->differences.noise, m->here.f);
  double h = sqrt(sqrt(e)) * lr_oracle_scale(m->oracle, &m->here);
  *c = 0;
  for (int i = 0; lr_model_tries(P, i); i++) {
    LR_TRY(lr_model_try(m, &m->here, u, h, LRGD_PURPOSE_SEARCH));
    if (!(m->trial.f < INFINITY)) {
      h = lr_model_curvature_step(P, h, true);
      continue;
    }
    double rise = slope, t = trial_distance(m, h, &rise);
    if (!lr_model_leaves_enough(P, t, h)) break;
    double d = m->trial.f - m->here.f - t * rise;
    *c = 2 * d / (t * t);
    if (lr_model_sees_curvature(P, d, e)) break;
    h = lr_model_curvature_step(P, h, false);
  }
  return LR_GO;
}

/* LR_MODEL_PROBE = a Gaussian direction, normalised; *length: its norm before
 * that. */
static bool random_direction(lr_model *m, uint64_t stream, double h,
                             double *length)
{
  lrgd_vec u = lr_model_vec(m, LR_MODEL_PROBE);
  m->space->ops->gaussian(m->space, u, m->oracle->seed, stream);
  if (m->oracle->listener.confine)
    m->oracle->listener.confine(m->oracle->listener.self, u);
  if (lr_oracle_boxed(m->oracle))
    m->space->ops->zero_near_bounds(m->space, u, m->here.x, m->oracle->box, h);
  return lr_normalise(m->space, u, length);
}

/* Evaluates the points of the next `times` of these second differences side by
 * side, where the width allows it. */
static lr_code foresee_curvatures(lr_model *m, size_t times, double h)
{
  lrgd_vec u = lr_model_vec(m, LR_MODEL_PROBE), y = lr_model_free_column(m);
  double length;
  bool more = lr_oracle_begin_plan(m->oracle);
  for (size_t i = 0; i < 2 * times && more; i++) {
    more = random_direction(m, m->draws + i / 2, h, &length);
    if (more) lr_model_put_at(m, y, m->here.x, u, i % 2 == 0 ? h : -h);
    more = more && lr_oracle_plan(m->oracle, y);
  }
  return lr_oracle_ask_planned(m->oracle, LRGD_PURPOSE_CHECK);
}

/* w'Hw for a Gaussian w by a second difference; NaN where f has no value. */
static lr_code random_curvature(lr_model *m, double h, double *c)
{
  lrgd_vec u = lr_model_vec(m, LR_MODEL_PROBE);
  double length;
  *c = NAN;
  if (!random_direction(m, m->draws++, h, &length)) return LR_GO;
  LR_TRY(lr_model_try(m, &m->here, u, h, LRGD_PURPOSE_CHECK));
  double ahead = m->trial.f;
  LR_TRY(lr_model_try(m, &m->here, u, -h, LRGD_PURPOSE_CHECK));
  double twice = ahead - 2 * m->here.f + m->trial.f;
  *c = length * length * fabs(twice) / (h * h);
  return LR_GO;
}

double lr_model_trace_slack(const lr_model *m, size_t times)
{
  double share = 1 - m->run->options.confidence;
  return (double)times / lr_chi2_quantile((double)times, share);
}

lr_code lr_model_trace(lr_model *m, size_t times, double *most)
{
  double e = lr_oracle_level(m->oracle, m->here.f), sum = 0, c;
  double h = lr_model_trace_step(m->run->policy, e, lr_model_spread(m));
  *most = INFINITY;
  lr_oracle_want_any(m->oracle);
  if (!(h < INFINITY)) return LR_GO;
  LR_TRY(foresee_curvatures(m, times, h));
  for (size_t i = 0; i < times; i++) {
    LR_TRY(random_curvature(m, h, &c));
    sum += c;
  }
  if (sum < INFINITY)
    *most = sum / (double)times * lr_model_trace_slack(m, times);
  return LR_GO;
}

/* ---- the move of the base ---- */

/* Measures derivatives at the landing or, where they cannot be evaluated,
 * closer to the base. */
static lr_code measure_or_retreat(lr_model *m)
{
  const lr_policy *P = m->run->policy;
  lrgd_vec step = lr_model_vec(m, LR_MODEL_STEP);
  lr_code code = lr_model_ask_slopes(m);
  for (int i = 0; lr_model_tries(P, i) && code == LR_NOVALUE; i++) {
    if (!(lr_norm(m->V->k, m->dz) > 0)) break;
    for (size_t j = 0; j < m->V->k; j++)
      m->dz[j] = lr_step_retreat(P, m->dz[j]);
    m->space->ops->scale(m->space, step, 0);
    lr_basis_expand(m->V, step, m->dz);
    m->here = m->base;
    LR_TRY(lr_model_try(m, &m->base, step, 1, LRGD_PURPOSE_SEARCH));
    if (!(m->trial.f < INFINITY)) continue;
    m->here = m->trial;
    m->landing.longest = lr_norm(m->V->k, m->dz);
    code = lr_model_ask_slopes(m);
  }
  return code;
}

lr_code lr_model_rebase(lr_model *m, const double *known)
{
  size_t k = m->V->k;
  m->secant.sy = 0;
  if (!known) {
    LR_TRY(measure_or_retreat(m));
    known = m->work.fresh;
  }
  for (size_t i = 0; i < k; i++) m->secant.y[i] = known[i] - m->g[i];
  lr_model_learn(m, m->secant.y, m->work.hint);
  memmove(m->g, known, k * sizeof *m->g);
  memset(m->dz, 0, k * sizeof *m->dz);
  m->base = m->here;
  return LR_GO;
}

lr_code lr_model_move(lr_model *m, lrgd_vec x, double f)
{
  lrgd_vec to = lr_model_free_column(m);
  m->space->ops->copy(m->space, to, x, 1);
  m->here.x = to;
  lr_oracle_know(m->oracle, &m->here, f);
  m->base = m->here;
  memset(m->dz, 0, m->V->k * sizeof *m->dz);
  return lr_model_measure(m);
}

/* ---- new directions ---- */

/* The shortest step along u, of curvature c, over which values and slopes
 * resolve its column of the Hessian. */
static double shortest_column_step(lr_model *m, double c)
{
  size_t k = m->V->k;
  double away = 0, error = lr_oracle_level(m->oracle, m->base.f);
  if (k > 0) {
    lrgd_vec w = lr_model_vec(m, LR_MODEL_SPARE);
    m->space->ops->axpy_into(m->space, w, m->base.x, m->start.x, -1);
    (void)m->space->ops->measure(m->space, w, &away);
  }
  return lr_model_shortest(m->run->policy, away, k, error, c);
}

/* The length of the step along u by which its column of the Hessian is
 * measured: to the minimum of the parabola, but not shorter than `least`, nor
 * longer than steps have been. */
static double column_step(const lr_model *m, double d, double c, double least)
{
  double t = fmax(fabs(d) / c, least);
  /* in coordinates mapped into a box no point is far away */
  bool leaps = m->landing.longest > 0 && !m->oracle->fold.lower.block;
  return leaps ? fmin(t, lr_model_leap(m)) : t;
}

/* The values that a step along a new direction may reach: those of the start
 * and the base.  Where the slope is that of the landing, f may rise from the
 * base; but a run that begins at the lowest known point has its start there.
 * Then f may rise by as much as it fell to the landing, up to the first known
 * value. */
static double highest_start(const lr_model *m)
{
  const lr_known *known = &m->run->learned.known;
  double f = fmax(m->start.f, m->base.f);
  bool landed = lr_norm(m->V->k, m->dz) > 0;
  if (!landed || !lr_run_begins_warm(m->run)) return f;
  return fmax(f, fmin(known->f[0], m->base.f + m->landing.promised));
}

/* Evaluates f at *t along u from the base; nearer where f has no value, or one
 * above the start by more than errors, as the curvature was then
 * underestimated. d: the derivative along u. */
static lr_code try_along(lr_model *m, lrgd_vec u, double sign, double d,
                         double *t)
{
  const lr_policy *P = m->run->policy;
  double error = lr_oracle_level(m->oracle, m->base.f);
  double highest = lr_model_column_ceiling(P, highest_start(m), error);
  LR_TRY(lr_model_try(m, &m->base, u, sign * *t, LRGD_PURPOSE_DESCEND));
  for (int i = 0; lr_model_tries(P, i) && !(m->trial.f < INFINITY); i++) {
    *t = lr_step_retreat(P, *t);
    LR_TRY(lr_model_try(m, &m->base, u, sign * *t, LRGD_PURPOSE_DESCEND));
  }
  if (!(m->trial.f < INFINITY)) return LR_NOVALUE;
  LR_TRY(lr_model_shorten(m, u, sign, highest, t));
  for (int i = 0; lr_model_tries(P, i) && m->trial.f > highest; i++) {
    double rise = m->trial.f - m->base.f + *t * fabs(d);
    double least = 0.5 * fabs(d) * *t * *t / rise;
    *t = lr_model_column_retreat(P, *t, least);
    LR_TRY(lr_model_foresee_lengths(m, u, sign * *t));
    LR_TRY(lr_model_try(m, &m->base, u, sign * *t, LRGD_PURPOSE_DESCEND));
    LR_TRY(lr_model_shorten(m, u, sign, highest, t));
  }
  return m->trial.f < INFINITY ? LR_GO : LR_NOVALUE;
}

/* Moves from the base along u by about t, and makes that `here`; *t becomes the
 * signed length.  Where d is the derivative at the base, and f does not
 * decrease or has too little curvature, a line search follows; a decrease that
 * it finds over a shorter step than values resolve, and within their errors, is
 * rounding. */
static lr_code go_along(lr_model *m, lrgd_vec u, double d, double c, double *t)
{
  bool at_base = lr_norm(m->V->k, m->dz) == 0;
  double least = shortest_column_step(m, c);
  bool short_of = fabs(d) / c < least;
  double sign = d > 0 ? -1 : 1, length = column_step(m, d, c, least);
  m->here = m->base;
  LR_TRY(lr_model_foresee_lengths(m, u, sign * length));
  LR_TRY(try_along(m, u, sign, d, &length));
  m->here = m->trial;
  double f = m->here.f, bend = 2 * (f - m->base.f + length * fabs(d));
  bool good = f < m->base.f && lr_model_bends(m->run->policy, bend, c, length);
  if (at_base && !short_of && !good) {
    lr_point first = m->here;
    double found = length;
    LR_TRY(lr_model_search(m, u, sign, -fabs(d), true, &found));
    double fall = m->base.f - m->here.f;
    if (found >= least || fall > lr_oracle_level(m->oracle, m->base.f)) {
      length = found;
    } else { /* no point is lower: the first one still gives a column */
      first.x = lr_model_free_column(m);
      lr_model_put_at(m, first.x, m->base.x, u, sign * length);
      m->here = first;
    }
  }
  *t = sign * length;
  return LR_GO;
}

/* Whether bounds shortened the step from the base to `here`, which has length
 * t. */
static bool cut_short(lr_model *m, double t)
{
  lrgd_vec w = lr_model_vec(m, LR_MODEL_SPARE);
  double norm = 0;
  m->space->ops->axpy_into(m->space, w, m->here.x, m->base.x, -1);
  (void)m->space->ops->measure(m->space, w, &norm);
  return lr_model_is_cut(m->run->policy, norm, t);
}

lr_code lr_model_extend(lr_model *m, lrgd_vec u, double d, double c,
                        double *rho)
{
  size_t k = m->V->k;
  double t, explained;
  LR_TRY(go_along(m, u, d, c, &t));
  if (lr_oracle_boxed(m->oracle) && cut_short(m, fabs(t))) {
    m->here = m->base;
    return LR_NOVALUE;
  }
  LR_TRY(lr_model_ask_slopes(m));
  for (size_t i = 0; i < k; i++)
    m->work.column[i] = (m->work.fresh[i] - m->g[i]) / t;
  d -= lr_dot(k, m->work.column, m->dz); /* the slope along u at the base */
  double bend = 2 * (m->here.f - m->base.f - t * d) / (t * t);
  *rho = 1;
  if (k > 0 && bend > 0) {
    LR_TRY(lr_model_solve(m, m->work.column, NULL, &explained));
    *rho = fmin(fmax(1 - explained / bend, 0), 1);
  }
  memcpy(m->g, m->work.fresh, k * sizeof *m->g);
  LR_TRY(lr_model_append(m, u, d + bend * t, m->work.column, bend));
  memset(m->dz, 0, (k + 1) * sizeof *m->dz);
  m->landing.longest = fmax(m->landing.longest, fabs(t));
  m->base = m->here;
  return lr_model_arrived(m);
}
