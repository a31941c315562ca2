/* Trials of the model, and line searches: parabolas through two values and a
 * slope, one trial after the other, or a round of lengths at a time. */
#include "model/model.h"
#include "model/model_rules.h"
#include "space/vec.h"
#include "step/step_rules.h"

#include <math.h>

/* ---- trials ---- */

lrgd_vec lr_model_free_column(const lr_model *m)
{
  size_t col = LR_MODEL_POINTS;
  while (col == m->base.x.col || col == m->here.x.col) col++;
  return lr_model_vec(m, (int)col);
}

void lr_model_put_at(lr_model *m, lrgd_vec y, lrgd_vec x, lrgd_vec u, double t)
{
  lr_oracle_place(m->oracle, y, x, u, 1, &t);
  m->landing.clipped = lr_oracle_boxed(m->oracle) &&
                       m->space->ops->clip(m->space, y, m->oracle->box) > 0;
}

lr_code lr_model_try(lr_model *m, const lr_point *from, lrgd_vec u, double t,
                     lrgd_purpose why)
{
  m->trial.x = lr_model_free_column(m);
  lr_oracle_rename(m->oracle, &m->trial);
  lr_model_put_at(m, m->trial.x, from->x, u, t);
  if (lr_oracle_boxed(m->oracle) && lr_same(m->space, m->trial.x, m->here.x)) {
    m->trial.f = m->here.f; /* the clipped point is a known one */
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

/* ---- line searches ---- */

/* Evaluates a trial of a line search, t from the base along u, and tells the
 * observer whether it failed: a large jump of f counts as a failure.  (Smaller
 * jumps are left to the search.) */
static lr_code search_at(lr_model *m, lrgd_vec u, double t, double slope)
{
  LR_TRY(lr_model_try(m, &m->base, u, t, LRGD_PURPOSE_SEARCH));
  bool refused = lr_model_is_cliff(m->run->policy, m->trial.f - m->base.f,
                                   slope * t, m->start.f - m->base.f);
  const lr_trial_observer *watch = &m->run->observer;
  if (!watch->tried) return LR_GO;
  return watch->tried(watch->self, &m->base, refused ? &m->trial : NULL);
}

/* A line search with a width evaluates a round of lengths, in this order: 1,
 * 1/2, 2, 1/4, ... */
static double multiple(size_t i)
{
  int powers = (int)((i + 1) / 2);
  return ldexp(1, i % 2 == 1 ? -powers : powers);
}

lr_code lr_model_foresee_lengths(lr_model *m, lrgd_vec u, double t)
{
  lr_oracle *o = m->oracle;
  lrgd_vec y = lr_model_free_column(m);
  size_t most = lr_model_lengths(m->run->policy, o->width);
  m->landing.ahead = 0;
  if (!o->ahead.points || most < 2) return LR_GO;
  bool more = lr_oracle_begin_plan(o);
  for (size_t i = 0; i < most && more; i++) {
    lr_model_put_at(m, y, m->base.x, u, t * multiple(i));
    more = lr_oracle_plan(o, y);
  }
  LR_TRY(lr_oracle_ask_planned(o, LRGD_PURPOSE_SEARCH));
  m->landing.ahead = o->ahead.known;
  m->landing.ahead_length = fabs(t);
  return LR_GO;
}

lr_code lr_model_shorten(lr_model *m, lrgd_vec u, double sign, double highest,
                         double *t)
{
  double first = *t;
  if (m->landing.ahead_length != first) return LR_GO;
  for (size_t i = 1; i < m->landing.ahead && m->trial.f > highest; i += 2) {
    *t = first * multiple(i);
    LR_TRY(lr_model_try(m, &m->base, u, sign * *t, LRGD_PURPOSE_DESCEND));
  }
  return LR_GO;
}

/* Tries the other lengths of the round of which `length` was the first; *best
 * becomes the length of the lowest point so far, if it is one of them.  *length
 * and *f: of that point, or of the shortest step where none is lower. */
static lr_code search_round(lr_model *m, lrgd_vec u, double sign, double slope,
                            double *length, double *f, double *best)
{
  double first = *length;
  for (size_t i = 1; i < m->landing.ahead; i++) {
    double next = first * multiple(i);
    LR_TRY(search_at(m, u, sign * next, slope));
    if (m->trial.f < m->here.f) {
      m->here = m->trial;
      *best = next;
    }
    if (next < *length) {
      *length = next;
      *f = m->trial.f;
    }
  }
  m->landing.ahead = 0;
  if (*best > 0) {
    *length = *best;
    *f = m->here.f;
  }
  return LR_GO;
}

lr_code lr_model_search(lr_model *m, lrgd_vec u, double sign, double slope,
                        bool tried, double *t)
{
  const lr_policy *P = m->run->policy;
  double f0 = m->base.f, noise = m->oracle->differences.noise, best = 0,
         length = *t;
  double level = lr_oracle_level(m->oracle, f0);
  lr_point first = m->here;
  if (!tried) {
    m->here = m->base;
    LR_TRY(lr_model_foresee_lengths(m, u, sign * length));
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
  for (int i = 0; lr_model_tries(P, i); i++) {
    double bend, least = lr_model_parabola(P, f - f0, length, slope, &bend);
    bool falls = lr_search_falls(P, f0, length, slope, noise, f);
    if (falls && lr_model_search_ends(P, length, least, bend, i + 1,
                                      m->oracle->answers.gradient))
      break;
    if (m->landing.ahead > 1 && m->landing.ahead_length == length) {
      LR_TRY(search_round(m, u, sign, slope, &length, &f, &best));
      continue;
    }
    double next = lr_search_next(P, length, least, falls);
    /* the decrease predicted at the next length is less than the noise */
    if (best == 0 && -slope * next < level) break;
    LR_TRY(lr_model_foresee_lengths(m, u, sign * next));
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
