/* How the model moves: trials and searches, landings, the base that follows,
 * and steps along new directions.  Its algebra is in model.c. */
#include "base/chi2.h"
#include "base/finite.h"
#include "model/model.h"
#include "space/vec.h"

#include <math.h>
#include <string.h>

/* ---- trials ---- */

/* One of the three columns that is neither base, nor here. */
static lrgd_vec free_column(const lr_model *m)
{
  size_t col = LR_MODEL_POINTS;
  while (col == m->base.x.col || col == m->here.x.col) col++;
  return lr_model_vec(m, (int)col);
}

/* y = x + t u, moved into the box. */
static void put_at(lr_model *m, lrgd_vec y, lrgd_vec x, lrgd_vec u, double t)
{
  m->space->ops->axpy_into(m->space, y, x, u, t);
  m->landing.clipped = lr_oracle_boxed(m->oracle) &&
                       m->space->ops->clip(m->space, y, m->oracle->box) > 0;
}

lr_code lr_model_try(lr_model *m, const lr_point *from, lrgd_vec u, double t,
                     lrgd_purpose why)
{
  m->trial.x = free_column(m);
  put_at(m, m->trial.x, from->x, u, t);
  lr_oracle_rename(m->oracle, &m->trial);
  if (lr_oracle_boxed(m->oracle) && lr_same(m->space, m->trial.x, m->here.x)) {
    m->trial.f = m->here.f; /* bounds lead back to where it is known */
    return LR_GO;
  }
  lr_code code = lr_oracle_value(m->oracle, &m->trial, why);
  if (code == LR_NOVALUE) {
    m->trial.f = INFINITY;
    return LR_GO;
  }
  LR_TRY(code);
  return lr_run_offer(m->run, &m->trial);
}

/* Whether a length is near enough to where the parabola is least: from the
 * third on anything that is not far too short will do.  Where a trial costs as
 * much as a gradient, one that falls will: an update needs no more of the slope
 * there, slope (1 - length / least), than to be above 0.9 slope (Wolfe). */
static bool near_least(const lr_model *m, double length, double least,
                       double bend, int trials)
{
  if (least >= 0.7 * length && least <= 1.4 * length) return true;
  if (m->oracle->answers.gradient && bend > 0) return least <= 10 * length;
  return trials > 2 && bend > 0 && least <= 2 * length;
}

/* A trial of a search, t from the base along u. */
static lr_code search_at(lr_model *m, lrgd_vec u, double t, double slope)
{
  LR_TRY(lr_model_try(m, &m->base, u, t, LRGD_PURPOSE_SEARCH));
  double rise = m->trial.f - m->base.f, gained = m->start.f - m->base.f;
  /* no smooth f rises like that; lower jumps are left to the search */
  bool refused = !(rise <= fmax(1e3 * fabs(slope * t), gained));
  const lr_trial_observer *watch = &m->run->observer;
  if (!watch->tried) return LR_GO;
  return watch->tried(watch->self, &m->base, refused ? &m->trial : NULL);
}

lr_code lr_model_search(lr_model *m, lrgd_vec u, double sign, double slope,
                        bool tried, double *t)
{
  double f0 = m->base.f, noise = m->oracle->differences.noise, best = 0,
         length = *t;
  double level = lr_oracle_level(m->oracle, f0);
  lr_point first = m->here;
  if (!tried) {
    m->here = m->base;
    LR_TRY(search_at(m, u, sign * length, slope));
    first = m->trial;
  }
  double f = first.f;
  if (f < f0) {
    best = length;
    m->here = first;
  } else {
    m->here = m->base;
  }
  for (int i = 0; i < 12; i++) {
    double bend = 2 * (f - f0 - length * slope);
    double least = bend > 0 ? -slope * length * length / bend : 2.5 * length;
    bool falls = f <= f0 + 1e-4 * length * slope + noise;
    if (falls && near_least(m, length, least, bend, i + 1)) break;
    double next = fmin(fmax(least, 0.1 * length), (falls ? 4 : 0.5) * length);
    if (best == 0 && -slope * next < level) break; /* nothing to be seen */
    LR_TRY(search_at(m, u, sign * next, slope));
    bool worse = falls && m->trial.f >= f;
    length = next;
    f = m->trial.f;
    if (f < m->here.f) {
      best = length;
      m->here = m->trial;
    }
    if (worse) break;
  }
  *t = best;
  return LR_GO;
}

double lr_model_leap(const lr_model *m)
{
  bool boxed = lr_oracle_boxed(m->oracle) || m->oracle->fold.lower.block;
  return (boxed ? 10 : 4) * m->landing.longest;
}

lr_code lr_model_arrived(lr_model *m)
{
  lr_run *run = m->run;
  run->at = m->here;
  run->shown = m->V;
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
    m->landing.trust = true; /* it is there already */
  if (!(form > 0) || m->landing.trust) return LR_GO;
  double size = lr_norm(k, m->work.column);
  if (m->landing.longest > 0 && !trusted) t = fmin(1, lr_model_leap(m) / size);
  m->space->ops->scale(m->space, step, 0);
  lr_basis_expand(m->V, step, m->work.column);
  LR_TRY(lr_model_search(m, step, 1, -form, false, &t));
  double bend = 0; /* dz'B dz, B as it is, not made positive */
  for (size_t j = 0; j < k; j++)
    bend += m->work.column[j] * lr_dot(k, m->B + j * m->most, m->work.column);
  double promised = m->landing.promised = form - 0.5 * bend;
  if (t == 0) return LR_GO;
  *fall = m->base.f - m->here.f;
  m->landing.trust =
      t == 1 && fabs(*fall - promised) <
                    0.01 * fabs(promised) + 2 * m->oracle->differences.noise;
  for (size_t j = 0; j < k; j++) m->dz[j] = t * m->work.column[j];
  m->landing.longest = fmax(m->landing.longest, t * size);
  return lr_model_arrived(m);
}

/* In a box the last trial may be elsewhere: how far it is from `here`, and
 * *slope, how fast f rises on the way, by the gradient there. */
static double bent(lr_model *m, double h, double *slope)
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
  double e =
      fmax(m->oracle->differences.noise, 1e-15 * fmax(fabs(m->here.f), 1e-8));
  double h = sqrt(sqrt(e)) * lr_oracle_scale(m->oracle, &m->here);
  *c = 0;
  for (int i = 0; i < 12; i++) {
    LR_TRY(lr_model_try(m, &m->here, u, h, LRGD_PURPOSE_SEARCH));
    if (!(m->trial.f < INFINITY)) {
      h /= 16;
      continue;
    }
    double rise = slope, t = bent(m, h, &rise);
    if (!(t > 0.3 * h)) break; /* bounds leave too little of u */
    double d = m->trial.f - m->here.f - t * rise;
    *c = 2 * d / (t * t);
    if (fabs(d) > 20 * e) break;
    h *= 4;
  }
  return LR_GO;
}

/* w'Hw for a Gaussian w, by two values; NaN where they cannot be had. */
static lr_code bend(lr_model *m, double h, double *c)
{
  lrgd_vec u = lr_model_vec(m, LR_MODEL_PROBE);
  uint64_t seed = (uint64_t)m->run->options.seed;
  double length;
  *c = NAN;
  m->space->ops->gaussian(m->space, u, seed, m->draws++);
  if (m->oracle->listener.confine)
    m->oracle->listener.confine(m->oracle->listener.self, u);
  if (lr_oracle_boxed(m->oracle))
    m->space->ops->zero_near_bounds(m->space, u, m->here.x, m->oracle->box, h);
  if (!lr_normalise(m->space, u, &length)) return LR_GO;
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
  double h = sqrt(200 * e / fabs(lr_model_spread(m)));
  *most = INFINITY;
  lr_oracle_want_any(m->oracle);
  if (!(h < INFINITY)) return LR_GO;
  for (size_t i = 0; i < times; i++) {
    LR_TRY(bend(m, h, &c));
    sum += c;
  }
  if (sum < INFINITY)
    *most = sum / (double)times * lr_model_trace_slack(m, times);
  return LR_GO;
}

/* ---- the base follows ---- */

/* Slopes at the landing or, where they cannot be had, nearer to the base. */
static lr_code measure_or_retreat(lr_model *m)
{
  enum { TIMES = 12 };
  lrgd_vec step = lr_model_vec(m, LR_MODEL_STEP);
  lr_code code = lr_model_ask_slopes(m);
  for (int i = 0; i < TIMES && code == LR_NOVALUE; i++) {
    if (!(lr_norm(m->V->k, m->dz) > 0)) break;
    for (size_t j = 0; j < m->V->k; j++) m->dz[j] *= 0.25;
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
  lrgd_vec to = free_column(m);
  m->space->ops->copy(m->space, to, x, 1);
  m->here.x = to;
  lr_oracle_know(m->oracle, &m->here, f);
  m->base = m->here;
  memset(m->dz, 0, m->V->k * sizeof *m->dz);
  return lr_model_measure(m);
}

/* ---- new directions ---- */

/* How far to go along u for its column: to the minimum, but no shorter than
 * what differences can resolve, and no leap. */
static double base_line(lr_model *m, double d, double c, bool *short_of)
{
  size_t k = m->V->k;
  double away = 0, t = fabs(d) / c, least = 1e-12;
  if (k > 0) {
    lrgd_vec w = lr_model_vec(m, LR_MODEL_SPARE);
    m->space->ops->axpy_into(m->space, w, m->base.x, m->start.x, -1);
    (void)m->space->ops->measure(m->space, w, &away);
    least = fmax(least, 3e-4 * away / sqrt((double)k));
  }
  least = fmax(least, 6 * sqrt(m->oracle->differences.noise / c));
  *short_of = t < least;
  t = fmax(t, least);
  /* in folded coordinates nothing is far away */
  bool leaps = m->landing.longest > 0 && !m->oracle->fold.lower.block;
  return leaps ? fmin(t, lr_model_leap(m)) : t;
}

/* Moves from the base along u by about t and makes that `here`; *t becomes the
 * signed length.  Where d is the slope at the base, f is to fall. */
static lr_code go_along(lr_model *m, lrgd_vec u, double d, double c, double *t)
{
  bool short_of, at_base = lr_norm(m->V->k, m->dz) == 0;
  double sign = d > 0 ? -1 : 1, length = base_line(m, d, c, &short_of);
  m->here = m->base;
  LR_TRY(lr_model_try(m, &m->base, u, sign * length, LRGD_PURPOSE_DESCEND));
  for (int i = 0; i < 12 && !(m->trial.f < INFINITY); i++) {
    length *= 0.25; /* a failure: nearer */
    LR_TRY(lr_model_try(m, &m->base, u, sign * length, LRGD_PURPOSE_DESCEND));
  }
  if (!(m->trial.f < INFINITY)) return LR_NOVALUE;
  /* higher than where it all began, by more than noise can explain: c was too
   * small by far, nearer */
  double highest =
      fmax(m->start.f, m->base.f) + 100 * m->oracle->differences.noise;
  for (int i = 0; i < 12 && m->trial.f > highest; i++) {
    double rise = m->trial.f - m->base.f + length * fabs(d);
    double least = 0.5 * fabs(d) * length * length / rise;
    length = fmin(fmax(least, 1e-3 * length), 0.25 * length);
    LR_TRY(lr_model_try(m, &m->base, u, sign * length, LRGD_PURPOSE_DESCEND));
  }
  if (!(m->trial.f < INFINITY)) return LR_NOVALUE;
  m->here = m->trial;
  if (at_base && !short_of) {
    double f = m->here.f, bend = 2 * (f - m->base.f + length * fabs(d));
    if (!(f < m->base.f && bend > 0.05 * c * length * length)) {
      lr_point first = m->here;
      double found = length;
      LR_TRY(lr_model_search(m, u, sign, -fabs(d), true, &found));
      if (found > 0) {
        length = found;
      } else { /* nothing is lower: the first point will do for a column */
        first.x = free_column(m);
        put_at(m, first.x, m->base.x, u, sign * length);
        m->here = first;
      }
    }
  }
  *t = sign * length;
  return LR_GO;
}

/* Whether bounds kept `here` from being t away from the base. */
static bool cut_short(lr_model *m, double t)
{
  lrgd_vec w = lr_model_vec(m, LR_MODEL_SPARE);
  double norm = 0;
  m->space->ops->axpy_into(m->space, w, m->here.x, m->base.x, -1);
  (void)m->space->ops->measure(m->space, w, &norm);
  return fabs(norm - t) > 1e-7 * t;
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
  d -= lr_dot(k, m->work.column, m->dz); /* the slope along u at the old base */
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
