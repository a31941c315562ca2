/* The trust-region loop in a box: which steps are evaluated, and how the radius
 * is updated.  The rules (dfo_rules.h) are those of Powell's BOBYQA; here p + 1
 * values are enough for a first step, unless all of them are higher than the
 * start, and the model grows to 2 p + 1 points on the way. */
#include "dfo/interpolation_phase.h"

#include "dfo/box_scaling.h"
#include "dfo/dfo_rules.h"

#include <math.h>

typedef struct phase {
  lr_run *run;
  const lr_policy *policy;
  lr_box_scaling scaling;
  bool small;        /* few dimensions */
  bool goes_on;      /* it continues from points of another opening */
  double radius;     /* the trust-region radius */
  double resolution; /* lower bound of the radius */
  int failures;      /* consecutive steps that were not accepted */
  /* the last step was too short, and the model is accurate enough */
  bool accurate;
  bool done;        /* a minimum was found */
  double errors[3]; /* errors of the model at the last points */
  int singular;     /* consecutive singular interpolation systems */
} phase;

bool lr_interpolation_phase_suits(const lr_run *run)
{
  const lr_answers *a = &run->oracle.answers;
  bool by_value = (a->value || a->values) && !a->slopes && !a->gradient;
  size_t p = run->space->dimension;
  bool boxed = lr_oracle_boxed(&run->oracle);
  bool suits = lr_dfo_is_small(run->policy, p) ||
               (boxed && lr_dfo_suits(run->policy, p));
  return by_value && run->domain.k == 0 && suits;
}

/* ---- steps ---- */

/* Adds the value just evaluated to the model, in place of a point. */
static void learn(phase *s, double f, size_t instead_of)
{
  lr_interpolation_take(&s->scaling.q, s->scaling.x, f, s->radius, instead_of);
  s->singular = s->scaling.q.sound ? 0 : s->singular + 1;
}

static void remember_error(phase *s, double error)
{
  s->errors[0] = s->errors[1];
  s->errors[1] = s->errors[2];
  s->errors[2] = error;
}

/* Whether the model's minimum, which is inside the trust region, is that of
 * f. */
static bool at_minimum(const phase *s, double length, double predicted)
{
  const lr_interpolation *q = &s->scaling.q;
  double f = s->scaling.best.f;
  if (!s->small || q->count <= 2 * q->p || length >= s->radius) return false;
  return lr_dfo_is_at_minimum(s->policy, predicted, s->scaling.first - f,
                              lr_oracle_level(&s->run->oracle, f));
}

/* A trust-region step: to the model's minimum within the radius.  *ratio: the
 * reduction ratio; *too_short: the step was too short to be evaluated. */
static lr_code trust_region_step(phase *s, double *ratio, bool *too_short)
{
  lr_interpolation *q = &s->scaling.q;
  double f, predicted = lr_interpolation_step(q, s->radius, s->scaling.d);
  double length = lr_norm(q->p, s->scaling.d), before = q->f[q->best];
  *ratio = -1;
  s->done = at_minimum(s, length, predicted);
  *too_short =
      lr_dfo_too_short(s->policy, length, s->resolution) || !(predicted > 0);
  if (*too_short) {
    s->accurate =
        s->small && lr_dfo_is_accurate(s->policy, s->errors, predicted,
                                       length / s->resolution);
    s->radius = lr_dfo_short_radius(s->policy, s->radius, s->resolution);
    return LR_GO;
  }
  LR_TRY(lr_box_scaling_ask(&s->scaling, &f));
  *ratio = (before - f) / predicted;
  remember_error(s, fabs(before - f - predicted));
  s->radius =
      lr_dfo_next_radius(s->policy, s->radius, s->resolution, length, *ratio);
  learn(s, f, q->most);
  return LR_GO;
}

/* The first steps.  Where f is separable, points on the opposite side of the
 * start determine the whole model; where the first values are higher than the
 * start and the step by their differences fails, these points separate
 * derivatives from curvatures. */
static lr_code first_steps(phase *s, const lr_point *start)
{
  lr_box_scaling *c = &s->scaling;
  bool separable, too_short;
  double ratio, before = c->best.f;
  LR_TRY(lr_box_scaling_try_separable(c, &separable));
  if (separable) return lr_box_scaling_add_opposite(c, start, s->radius, false);
  if (!lr_box_scaling_rises(c)) return LR_GO;
  LR_TRY(trust_region_step(s, &ratio, &too_short));
  if (too_short || lr_dfo_accepts(s->policy, ratio)) return LR_GO;
  return lr_box_scaling_add_opposite(c, start, s->radius, c->best.f < before);
}

/* A geometry step: the point farthest from the best one, if it is too far, is
 * replaced by one near the best; with few inputs the new point is added while
 * there is room, since a quadratic f needs all its points.  *moved: a step was
 * made. */
static lr_code geometry_step(phase *s, bool *moved)
{
  lr_interpolation *q = &s->scaling.q;
  double distance, f;
  size_t t = lr_interpolation_farthest(q, &distance);
  *moved = q->sound && lr_dfo_is_far(s->policy, s->small, distance, s->radius,
                                     s->resolution);
  if (!*moved) return LR_GO;
  double reach =
      lr_dfo_geometry_radius(s->policy, distance, s->radius, s->resolution);
  lr_interpolation_spread(q, t, reach, s->scaling.d);
  double expected =
      q->f[q->best] + lr_interpolation_rise(q, s->scaling.d, s->scaling.x);
  LR_TRY(lr_box_scaling_ask(&s->scaling, &f));
  remember_error(s, fabs(f - expected));
  bool more = s->small && q->count < q->most;
  learn(s, f, more ? q->most : t);
  return LR_GO;
}

/* Refines the resolution, and rescales the coordinates. */
static void refine(phase *s)
{
  s->failures = 0;
  lr_box_scaling_rescale(&s->scaling, s->resolution);
  s->radius = lr_dfo_finer_radius(s->policy, s->resolution);
  s->resolution = lr_dfo_finer(s->policy, s->small, s->resolution);
}

/* One iteration: a trust-region step; if that fails, a geometry step; if the
 * geometry is good and steps fail at the resolution, a finer resolution. */
static lr_code iterate(phase *s)
{
  double ratio;
  bool too_short, moved;
  LR_TRY(trust_region_step(s, &ratio, &too_short));
  if (lr_dfo_accepts(s->policy, ratio)) {
    s->failures = 0;
    return LR_GO;
  }
  moved = false;
  if (!(too_short && s->accurate)) LR_TRY(geometry_step(s, &moved));
  if (moved) {
    s->failures = 0;
    return LR_GO;
  }
  bool goes_on = !too_short && (ratio > 0 || s->radius > s->resolution);
  if (!goes_on && (too_short || lr_dfo_refines(s->policy, ++s->failures)))
    refine(s);
  return LR_GO;
}

static bool at_end(const phase *s)
{
  return s->done ||
         lr_dfo_ends(s->policy, s->small, s->singular, s->resolution);
}

static lr_code spend(phase *s, uint64_t evaluations)
{
  uint64_t end = lr_oracle_spent(&s->run->oracle) + evaluations;
  while (lr_oracle_spent(&s->run->oracle) < end && !at_end(s))
    LR_TRY(iterate(s));
  return LR_GO;
}

/* ---- the phase ---- */

/* Whether the phase has converged: the last p evaluations brought no decrease
 * beyond noise, or the last resolution is reached. */
static bool converged(const phase *s, double before)
{
  double level = lr_oracle_level(&s->run->oracle, s->scaling.best.f);
  return at_end(s) || !(before - s->scaling.best.f > level);
}

/* Iterates until interpolation has converged or no longer pays; lr_dfo_pays()
 * decides that after p/2, p, 2 p and 3 p evaluations. */
static lr_code go_on_while_it_pays(phase *s, bool *pays)
{
  uint64_t p = s->scaling.q.p;
  const uint64_t shares[] = {p - p / 2, p / 2, p, p};
  double f[5] = {s->scaling.first};
  for (int i = 0; i < 4 && *pays; i++) {
    LR_TRY(spend(s, shares[i]));
    f[i + 1] = s->scaling.best.f;
    *pays = lr_dfo_pays(s->policy, f, i + 1, s->resolution);
  }
  double before = f[3];
  for (int i = 4;
       lr_dfo_may_go_on(s->policy, i) && *pays && !converged(s, before); i++) {
    before = s->scaling.best.f;
    LR_TRY(spend(s, p));
  }
  return LR_GO;
}

static lr_code go_on(phase *s)
{
  bool pays = true;
  if (s->small) {
    double most = lr_dfo_small_budget(s->policy, s->scaling.q.p);
    LR_TRY(spend(s, (uint64_t)most));
  } else if (s->goes_on) {
    LR_TRY(spend(s, lr_dfo_further_budget(s->policy, s->scaling.q.p)));
    pays = at_end(s);
  } else {
    LR_TRY(go_on_while_it_pays(s, &pays));
  }
  lr_run_decide(
      s->run,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_INTERPOLATION_ENDED,
                      .cause = pays ? LRGD_CAUSE_CONVERGED : LRGD_CAUSE_SLOW,
                      .value = lr_run_told(s->run, s->scaling.best.f)});
  return LR_GO;
}

/* Hands the lowest point over to the next phase, in few dimensions with the
 * model there. */
static lr_code hand_over(const phase *s, const lr_point *start,
                         lr_interpolation_end *end)
{
  lr_run *run = s->run;
  run->space->ops->copy(run->space, end->point.x, s->scaling.best.x, 1);
  lr_oracle_know(&run->oracle, &end->point, s->scaling.best.f);
  end->minimum = s->small && at_end(s) && !s->scaling.replaced;
  /* For a convex f the gradient at the start is at least this large.
   * Quasi-Newton's first gradient is measured near a minimum, and gives no
   * scale for the tolerance. */
  run->goal.first_slope =
      fmax(run->goal.first_slope, lr_box_scaling_slope(&s->scaling, start));
  if (!s->small || s->scaling.replaced ||
      lr_box_scaling_fit(&s->scaling, &end->fit) == LRGD_OK)
    return LR_GO;
  return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for a quadratic in %zu dimensions",
                         s->scaling.q.p);
}

/* The first model: of known points around the start, or where they determine
 * none of new ones.  *good: there is one. */
static lr_code begin(phase *s, lr_point *start, const lr_box_points *known,
                     bool *good)
{
  LR_TRY(lr_box_scaling_open(&s->scaling, s->run, start));
  *good = false;
  if (known->n > 0) LR_TRY(lr_box_scaling_begin_at(&s->scaling, known, good));
  s->goes_on = *good;
  if (s->goes_on) {
    s->radius = known->radius;
    s->resolution = lr_dfo_further_resolution(s->policy, s->radius);
    return LR_GO;
  }
  LR_TRY(lr_box_scaling_begin(&s->scaling, start, s->radius, good));
  return *good ? first_steps(s, start) : LR_GO;
}

lr_code lr_interpolation_phase(lr_run *run, lr_point *start,
                               const lr_box_points *known,
                               lr_interpolation_end *end)
{
  phase s;
  bool good = false;
  double first =
      lr_dfo_first_radius(run->policy, lr_oracle_boxed(&run->oracle));
  end->point.f = NAN;
  LR_TRY(lr_oracle_value(&run->oracle, start, LRGD_PURPOSE_DESCEND));
  lr_run_stand(run, start);
  LR_TRY(lr_run_count(run, start));
  s = (phase){
      .run = run,
      .policy = run->policy,
      .small = lr_dfo_is_small(run->policy, run->space->dimension),
      .radius = first,
      .resolution = first,
      .errors = {INFINITY, INFINITY, INFINITY}
  };
  lr_code code = begin(&s, start, known, &good);
  if (code == LR_GO && good) code = go_on(&s);
  if (code == LR_GO && good) code = hand_over(&s, start, end);
  /* the run's iterate is in memory of the scaling, which is freed next */
  lr_run_stand(run, start);
  lr_box_scaling_close(&s.scaling);
  return code;
}
