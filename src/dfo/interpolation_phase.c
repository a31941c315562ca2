/* The trust-region loop in a box: which steps are evaluated, and how the radius
 * follows.  The rules (dfo_rules.h) are those of Powell's BOBYQA; here the
 * first p + 1 values are enough for a first step, unless they only rose, and
 * the model grows to 2 p + 1 points on the way. */
#include "dfo/interpolation_phase.h"

#include "dfo/box_scaling.h"
#include "dfo/dfo_rules.h"

#include <math.h>

typedef struct phase {
  lr_run *run;
  const lr_policy *policy;
  lr_box_scaling scaling;
  double radius;     /* radius of the trust region */
  double resolution; /* lower bound of the radius */
  int failures;      /* steps in a row that were not accepted */
  int singular;      /* interpolation systems in a row without a solution */
} phase;

bool lr_interpolation_phase_suits(const lr_run *run)
{
  const lr_answers *a = &run->oracle.answers;
  bool by_value = (a->value || a->values) && !a->slopes && !a->gradient;
  return by_value && lr_oracle_boxed(&run->oracle) && run->domain.k == 0 &&
         lr_dfo_suits(run->policy, run->space->dimension);
}

/* ---- steps ---- */

/* The model takes in the value just evaluated, in place of a point. */
static void learn(phase *s, double f, size_t instead_of)
{
  lr_interpolation_take(&s->scaling.q, s->scaling.x, f, s->radius, instead_of);
  s->singular = s->scaling.q.sound ? 0 : s->singular + 1;
}

/* A trust-region step: to the model's minimum within the radius.  *ratio: the
 * reduction ratio; *too_short: the step was not evaluated. */
static lr_code trust_region_step(phase *s, double *ratio, bool *too_short)
{
  lr_interpolation *q = &s->scaling.q;
  double f, predicted = lr_interpolation_step(q, s->radius, s->scaling.d);
  double length = lr_norm(q->p, s->scaling.d), before = q->f[q->best];
  *ratio = -1;
  *too_short =
      lr_dfo_too_short(s->policy, length, s->resolution) || !(predicted > 0);
  if (*too_short) {
    s->radius = lr_dfo_short_radius(s->policy, s->radius, s->resolution);
    return LR_GO;
  }
  LR_TRY(lr_box_scaling_ask(&s->scaling, &f));
  *ratio = (before - f) / predicted;
  s->radius =
      lr_dfo_next_radius(s->policy, s->radius, s->resolution, length, *ratio);
  learn(s, f, q->most);
  return LR_GO;
}

/* The first steps.  Where f is separable, points on the other side of the start
 * determine the whole model; where the first values rose and the step by their
 * slopes fails, these points tell slopes from curvatures. */
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

/* A geometry step: the point farthest from the best one, if it is far, is
 * replaced by one near the best.  *moved: it was. */
static lr_code geometry_step(phase *s, bool *moved)
{
  lr_interpolation *q = &s->scaling.q;
  double distance, f;
  size_t t = lr_interpolation_farthest(q, &distance);
  *moved =
      lr_dfo_is_far(s->policy, distance, s->radius, s->resolution) && q->sound;
  if (!*moved) return LR_GO;
  double reach =
      lr_dfo_geometry_radius(s->policy, distance, s->radius, s->resolution);
  lr_interpolation_spread(q, t, reach, s->scaling.d);
  LR_TRY(lr_box_scaling_ask(&s->scaling, &f));
  learn(s, f, t);
  return LR_GO;
}

/* The resolution gets finer, and the coordinates new scales. */
static void refine(phase *s)
{
  s->failures = 0;
  lr_box_scaling_rescale(&s->scaling, s->resolution);
  s->radius = lr_dfo_finer_radius(s->policy, s->resolution);
  s->resolution = lr_dfo_finer(s->policy, s->resolution);
}

/* One iteration: a trust-region step; where that fails, a geometry step; where
 * the geometry is good and steps fail at the resolution, a finer one. */
static lr_code iterate(phase *s)
{
  double ratio;
  bool too_short, moved;
  LR_TRY(trust_region_step(s, &ratio, &too_short));
  if (lr_dfo_accepts(s->policy, ratio)) {
    s->failures = 0;
    return LR_GO;
  }
  LR_TRY(geometry_step(s, &moved));
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
  return lr_dfo_ends(s->policy, s->singular, s->resolution);
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
 * beyond noise, or the resolution is the last. */
static bool converged(const phase *s, double before)
{
  double level = lr_oracle_level(&s->run->oracle, s->scaling.best.f);
  return at_end(s) || !(before - s->scaling.best.f > level);
}

/* Iterates while interpolation pays and has not converged: lr_dfo_pays() is
 * asked after p/2, p, 2 p and 3 p evaluations. */
static lr_code go_on(phase *s)
{
  uint64_t p = s->scaling.q.p;
  const uint64_t shares[] = {p - p / 2, p / 2, p, p};
  double f[5] = {s->scaling.first};
  bool pays = true;
  for (int i = 0; i < 4 && pays; i++) {
    LR_TRY(spend(s, shares[i]));
    f[i + 1] = s->scaling.best.f;
    pays = lr_dfo_pays(s->policy, f, i + 1, s->resolution);
  }
  double before = f[3];
  for (int i = 4;
       lr_dfo_may_go_on(s->policy, i) && pays && !converged(s, before); i++) {
    before = s->scaling.best.f;
    LR_TRY(spend(s, p));
  }
  lr_run_decide(
      s->run,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_INTERPOLATION_ENDED,
                      .cause = pays ? LRGD_CAUSE_CONVERGED : LRGD_CAUSE_SLOW,
                      .value = lr_run_told(s->run, s->scaling.best.f)});
  return LR_GO;
}

lr_code lr_interpolation_phase(lr_run *run, lr_point *start, lr_point *found)
{
  phase s;
  bool good = false;
  double first = run->policy->dfo_first_radius;
  found->f = NAN;
  LR_TRY(lr_oracle_value(&run->oracle, start, LRGD_PURPOSE_DESCEND));
  lr_run_stand(run, start);
  LR_TRY(lr_run_count(run, start));
  s = (phase){
      .run = run, .policy = run->policy, .radius = first, .resolution = first};
  lr_code code = lr_box_scaling_open(&s.scaling, run, start);
  if (code == LR_GO)
    code = lr_box_scaling_begin(&s.scaling, start, first, &good);
  if (code == LR_GO && good) code = first_steps(&s, start);
  if (code == LR_GO && good) code = go_on(&s);
  if (code == LR_GO && good) {
    run->space->ops->copy(run->space, found->x, s.scaling.best.x, 1);
    lr_oracle_know(&run->oracle, found, s.scaling.best.f);
    /* A convex f has at least this slope at the start.  Quasi-Newton's first
     * gradient, near a minimum, is no measure of which gradient is small. */
    run->goal.first_slope = lr_box_scaling_slope(&s.scaling, start);
  }
  lr_run_stand(run, start); /* columns of the scaling end with it */
  lr_box_scaling_close(&s.scaling);
  return code;
}
