/* Limits on outputs: a trust-region method on models of all outputs of an
 * evaluation.
 *
 * One evaluation returns the objective and all constraints, so that it improves
 * all models (output_model.h).  The step minimises an exact penalty function of
 * the models (constrained_step.c).  Up to some thirty inputs the models use all
 * of them; beyond, a growing random subspace: where objective and constraints
 * are of rank r, any r directions and a few more contain a solution, whatever p
 * is. */
#include "constrained/constrained.h"

#include "constrained/constrained_rules.h"
#include "constrained/constrained_state.h"

#include "base/vector.h"

#include <math.h>
#include <string.h>

/* z = b + t u, clipped to the bounds and moved to within A x <= b; returns the
 * share of the step that is left. A coordinate at a bound is clipped on one
 * side only, so that bounds leave t or -t at least half of |u|^2. */
static double place_improvement(lr_constrained *s, const double *u, double t,
                                double *z)
{
  const double *b = s->M.z + s->M.base * s->M.room_n;
  double left = 0;
  for (size_t j = 0; j < s->n; j++) {
    z[j] = fmax(b[j] + t * u[j], lr_con_lower(s, j));
    z[j] = fmin(z[j], lr_con_upper(s, j));
    left += u[j] * (z[j] - b[j]) / t;
  }
  return left * lr_con_contain(s, z);
}

/* The radius at which points improve the models. Where the trust region has a
 * floor that is its floor, however far steps go meanwhile: the points stay good
 * when steps become shorter (rho and Delta of Powell's NEWUOA). */
static double sampling_radius(const lr_constrained *s)
{
  return lr_con_has_floor(s->policy, s->n) ? fmin(s->floor, s->radius)
                                           : s->radius;
}

/* Improves the models by evaluating a point outside the span of the near ones;
 * *done: that was possible. */
static lr_code improve(lr_constrained *s, bool *done)
{
  double *u = s->other.s, *z = s->v, t = sampling_radius(s);
  double near = lr_con_near(s->policy) * t / s->radius;
  size_t index;
  *done = false;
  size_t k =
      lr_output_model_span(&s->M, near, lr_con_angle(s->policy), s->step.s, u);
  if (k >= s->n) return LR_GO;
  double up = place_improvement(s, u, t, z);
  /* the other side only where bounds and rows take more than half of this one
   */
  if (up < 0.5 && place_improvement(s, u, -t, z) > up) t = -t;
  for (int side = 0; side < 2 && !*done; side++, t = -t) {
    /* bounds and rows leave too short a step */
    if (!(place_improvement(s, u, t, z) > 0.2)) continue;
    lr_code code = lr_con_evaluate(s, z, LRGD_PURPOSE_IDENTIFY, &index);
    if (code != LR_GO && code != LR_NOVALUE) return code;
    *done = code == LR_GO;
  }
  return LR_GO;
}

static void fit(lr_constrained *s)
{
  lr_output_choice by = {.angle = lr_con_angle(s->policy),
                         .far = lr_con_far(s->policy, s->axes),
                         .spread = 1e-4};
  lr_output_model_fit(&s->M, lr_con_lowest(s), s->radius, &by);
}

/* In more directions than lr_con_has_floor() says, the trust region stays above
 * `floor` while the models can be improved, as in Powell's NEWUOA: otherwise it
 * vanishes long before all directions are known at its size. */
static void lower_floor(lr_constrained *s)
{
  s->floor = lr_con_lowered(s->policy, s->floor);
  s->radius = fmax(lr_con_shrunk(s->policy, s->radius), s->floor);
}

static lr_code fail_above_floor(lr_constrained *s)
{
  bool done, lowest = s->radius <= s->floor;
  s->radius = fmax(lr_con_shrunk(s->policy, s->radius), s->floor);
  LR_TRY(improve(s, &done));
  if (!done && lowest) lower_floor(s);
  return LR_GO;
}

/* After a step that was not accepted: improves the models, or shrinks the trust
 * region. */
static lr_code fail(lr_constrained *s)
{
  bool done = false;
  s->failures++;
  if (lr_con_has_floor(s->policy, s->n)) return fail_above_floor(s);
  if (s->failures % 2 == 0) LR_TRY(improve(s, &done));
  if (!done) s->radius = lr_con_shrunk(s->policy, s->radius);
  return LR_GO;
}

/* Handles a step that is very short or predicts no decrease: improves the
 * models or shrinks the trust region.  *step: the step is to be evaluated all
 * the same. */
static lr_code mind_short_step(lr_constrained *s, bool *step)
{
  bool done,
      falls = s->step.predicted > 1e-14 * fabs(lr_con_merit(s, s->M.base));
  *step = true;
  if (falls && !lr_con_is_short(s->policy, s->step.length)) return LR_GO;
  LR_TRY(improve(s, &done));
  *step = falls && !done;
  if (!done && lr_con_has_floor(s->policy, s->n))
    lower_floor(s);
  else if (!done)
    s->radius =
        lr_con_short_radius(s->policy, s->radius, falls ? s->step.length : 0);
  return LR_GO;
}

static lr_code make_step(lr_constrained *s)
{
  size_t index;
  double *z = s->v, before = lr_con_merit(s, s->M.base);
  const double *b = s->M.z + s->M.base * s->M.room_n;
  for (size_t j = 0; j < s->n; j++) z[j] = b[j] + s->M.unit * s->step.s[j];
  (void)lr_con_contain(s, z);
  lr_code code = lr_con_evaluate(s, z, LRGD_PURPOSE_DESCEND, &index);
  if (code == LR_NOVALUE) {
    s->radius = lr_con_shrunk(s->policy, s->step.length * s->M.unit);
    s->floor = fmin(s->floor, s->radius);
    return LR_GO;
  }
  LR_TRY(code);
  double ratio = (before - lr_con_merit(s, index)) / s->step.predicted;
  LR_TRY(lr_con_arrive(s));
  if (lr_con_is_poor(s->policy, ratio)) return fail(s);
  s->failures = 0;
  s->radius = lr_con_next_radius(s->policy, s->radius, ratio, s->step.length);
  return LR_GO;
}

static lr_code iterate(lr_constrained *s)
{
  bool step, grown;
  /* the floor begins at the radius at which directions become too many */
  if (!lr_con_has_floor(s->policy, s->n)) s->floor = s->radius;
  fit(s);
  lr_con_weigh(s);
  LR_TRY(lr_con_find_step(s));
  size_t known = s->M.count;
  LR_TRY(lr_con_look(s));
  /* the models must be fitted again, as probes have added points */
  if (s->M.count > known) return LR_GO;
  bool infeasible = s->best_violation > LRGD_FEASIBLE &&
                    lr_con_is_infeasible(s->policy, s->stuck);
  if (infeasible || lr_con_too_small(s->policy, s->radius, s->first_radius))
    return lr_con_give_up(s);
  if (!s->axes && s->n < s->M.room_n &&
      lr_con_takes_direction(s->policy, lr_con_slope_outside(s),
                             s->step.slope)) {
    LR_TRY(lr_con_grow(s, &grown));
    /* otherwise bounds exclude every other direction */
    if (grown) return LR_GO;
  }
  LR_TRY(mind_short_step(s, &step));
  return step ? make_step(s) : LR_GO;
}

lr_code lr_method_constrained(lr_run *run)
{
  lr_constrained s;
  lr_code code = lr_con_open(&s, run);
  if (code == LR_GO) code = lr_con_begin(&s);
  while (code == LR_GO) code = iterate(&s);
  if (code == LR_END) lr_con_leave(&s);
  lr_con_close(&s);
  return code;
}
