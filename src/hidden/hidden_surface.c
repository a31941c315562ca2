/* Steps of a model on the good side of a hidden surface.
 *
 * Bisection locates the surface along a step.  The same from p neighbouring
 * points, each displaced along one input, measures its normal, at some seven
 * evaluations per input.  The model's step is then its minimum in the box and
 * on the good side of the tangent plane, with a margin, as the normal may be
 * inaccurate or the surface curved.  Every later point of the surface corrects
 * the normal; where steps still fail, it is measured again. */
#include "hidden/hidden_surface.h"

#include "hidden/hidden_rules.h"
#include "model/model_rules.h"
#include "space/vec.h"
#include "step/step_rules.h"

#include <math.h>

enum { NORMAL, LAST, POINT, STEP, INSIDE, BESIDE, FRESH, COLUMNS };

void lr_hidden_surface_clear(lr_hidden_surface *e, lrgd_space *space)
{
  if (e->columns) space->ops->free(space, e->columns);
  *e = (lr_hidden_surface){0};
}

lr_code lr_hidden_surface_meet(lr_hidden_surface *e, lr_oracle *o, double level)
{
  lrgd_space *space = o->space;
  if (!e->columns) e->columns = space->ops->make(space, COLUMNS);
  if (!e->columns)
    return lr_oracle_fault(
        o, LRGD_ERR_NOMEM,
        "out of memory for a hidden surface across %zu inputs",
        space->dimension);
  e->met = true;
  e->level = level;
  return LR_GO;
}

bool lr_hidden_surface_ends(const lr_policy *P, const lr_hidden_surface *e)
{
  return lr_surface_ends(P, e->fruitless_steps) ||
         lr_surface_ends(P, e->fruitless_normals);
}

static lrgd_vec column(const lr_hidden_surface *e, size_t which)
{
  return (lrgd_vec){e->columns, which};
}

/* Whether x + t u, which becomes the model's trial, is beyond the surface. */
static lr_code evaluate(const lr_hidden_surface *e, lr_model *m, lrgd_vec x,
                        lrgd_vec u, double t, bool *beyond)
{
  const lr_point from = {.x = x};
  LR_TRY(lr_model_try(m, &from, u, t, LRGD_PURPOSE_SEARCH));
  *beyond = !(m->trial.f <= e->level) || !(m->trial.f < INFINITY);
  return LR_GO;
}

/* ---- the surface and its normal ---- */

/* Halves the interval from *good to *bad along u from x that contains the
 * surface. */
static lr_code halve(const lr_hidden_surface *e, lr_model *m, lrgd_vec x,
                     lrgd_vec u, double *good, double *bad)
{
  bool beyond;
  double middle = 0.5 * (*good + *bad);
  LR_TRY(evaluate(e, m, x, u, middle, &beyond));
  *(beyond ? bad : good) = middle;
  return LR_GO;
}

/* Locates the surface along STEP from the base, which may be close to it. */
static lr_code locate(const lr_hidden_surface *e, lr_model *m, double *good,
                      double *bad)
{
  const lr_policy *P = m->run->policy;
  bool beyond = true;
  for (int i = 0; lr_model_tries(P, i) && beyond; i++) {
    double t = lr_surface_first(P, *bad);
    LR_TRY(evaluate(e, m, m->base.x, column(e, STEP), t, &beyond));
    *(beyond ? bad : good) = t;
  }
  while (!beyond && !lr_surface_is_located(P, *good, *bad))
    LR_TRY(halve(e, m, m->base.x, column(e, STEP), good, bad));
  return LR_GO;
}

/* By how much the distance to the surface, along the unit vector STEP, is
 * smaller from BESIDE than from INSIDE, where it is `far`; h: the distance
 * between these two points. */
static lr_code nearer(const lr_hidden_surface *e, lr_model *m, double far,
                      double h, double *by)
{
  const lr_policy *P = m->run->policy;
  lrgd_vec x = column(e, BESIDE), u = column(e, STEP);
  double good = far, bad = far, reach = lr_normal_reach(P, h);
  bool first, beyond;
  LR_TRY(evaluate(e, m, x, u, far, &first));
  beyond = first;
  for (int i = 0; lr_normal_tries(P, i) && beyond == first; i++) {
    double t = first ? far - reach : far + reach;
    LR_TRY(evaluate(e, m, x, u, t, &beyond));
    *(beyond ? &bad : &good) = t;
    reach = lr_normal_farther(P, reach);
  }
  while (beyond != first && !lr_normal_is_located(P, bad - good, h))
    LR_TRY(halve(e, m, x, u, &good, &bad));
  *by = far - 0.5 * (good + bad);
  return LR_GO;
}

/* Sets INSIDE to a point at some distance from the surface: the base or, if
 * that is too close, a point behind it along the unit vector STEP.  *far, the
 * distance of the surface, becomes `enough` if possible, and is located more
 * accurately than to within `fine` as before. */
static lr_code go_inside(const lr_hidden_surface *e, lr_model *m, double enough,
                         double fine, double *far)
{
  const lr_policy *P = m->run->policy;
  lrgd_space *space = m->space;
  lrgd_vec x = column(e, INSIDE);
  double back = enough - *far;
  space->ops->copy(space, x, m->base.x, 1);
  for (int i = 0; lr_surface_looks_inside(P, i) && back > 0; i++) {
    bool beyond;
    LR_TRY(evaluate(e, m, m->base.x, column(e, STEP), -back, &beyond));
    if (beyond || m->landing.clipped) {
      back = lr_step_retreat(P, back);
      continue;
    }
    space->ops->copy(space, x, m->trial.x, 1);
    *far += back;
    break;
  }
  double good = *far - fine, bad = *far + fine;
  while (!lr_normal_has_middle(P, bad - good, *far))
    LR_TRY(halve(e, m, x, column(e, STEP), &good, &bad));
  *far = 0.5 * (good + bad);
  return LR_GO;
}

/* Measures the normal, the surface being at the distance `far` from INSIDE
 * along the unit vector STEP.  For a plane, the distances along all inputs
 * agree with that along STEP; where they differ much, points fail for other
 * reasons, and there is no surface. */
static lr_code measure(lr_hidden_surface *e, lr_model *m, double far)
{
  lrgd_space *space = m->space;
  lrgd_vec x = column(e, BESIDE), n = column(e, FRESH);
  lrgd_vec inside = column(e, INSIDE);
  const lr_policy *P = m->run->policy;
  double h = lr_normal_step(P, far), ratio, f = m->base.f;
  bool gained = lr_normal_gained(P, e->f - f, m->run->record.start_f - f);
  e->fruitless_normals = gained || !e->known ? 0 : e->fruitless_normals + 1;
  e->f = f;
  for (size_t i = 0; i < space->dimension; i++) {
    double by, shift = h;
    space->ops->copy(space, x, inside, 1);
    (void)space->ops->add_at(space, x, i, shift);
    if (space->ops->clip(space, x, m->oracle->box) > 0) {
      space->ops->copy(space, x, inside, 1);
      (void)space->ops->add_at(space, x, i, shift = -h);
      (void)space->ops->clip(space, x, m->oracle->box);
    }
    LR_TRY(nearer(e, m, far, h, &by));
    by /= shift;
    space->ops->put(space, n, i, 1, &by);
  }
  space->ops->dot(space, n, 1, column(e, STEP), &ratio);
  bool good = lr_normal_agrees(P, ratio) && lr_normalise(space, n, NULL);
  if (good) space->ops->copy(space, column(e, NORMAL), n, 1);
  e->known |= good;
  if (e->known) return LR_GO; /* keep the earlier normal */
  e->met = false;
  e->refuted = true;
  lr_run_decide(m->run, (lrgd_decision){
                            .kind = LRGD_DECISION_KIND_HIDDEN_SURFACE_REFUTED});
  return LR_GO;
}

/* Makes the normal orthogonal to the line from the last point of the surface to
 * the new one, both located to within `fine`. */
static void correct(lr_hidden_surface *e, const lr_policy *P, lrgd_space *space,
                    double fine)
{
  lrgd_vec n = column(e, NORMAL), way = column(e, BESIDE);
  double length = 0, along;
  space->ops->axpy_into(space, way, column(e, POINT), column(e, LAST), -1);
  (void)space->ops->measure(space, way, &length);
  space->ops->dot(space, way, 1, n, &along);
  if (!lr_normal_is_off(P, along, fine)) return;
  along /= -length * length;
  space->ops->add(space, n, way, 1, &along);
  e->known = lr_normalise(space, n, NULL);
}

/* Records a point of the surface, between `good` and `bad` times STEP, whose
 * length is `size`: corrects the normal, or (anew) measures it. */
static lr_code learn(lr_hidden_surface *e, lr_model *m, double good, double bad,
                     double size, bool anew)
{
  lrgd_space *space = m->space;
  double at = 0.5 * (good + bad);
  space->ops->axpy_into(space, column(e, POINT), m->base.x, column(e, STEP),
                        at);
  if (e->known && !anew) {
    correct(e, m->run->policy, space, (bad - good) * size);
  } else {
    double far = at * size, fine = 0.5 * (bad - good) * size;
    space->ops->scale(space, column(e, STEP), 1 / size);
    double room = lr_surface_room(m->run->policy, size);
    LR_TRY(go_inside(e, m, room, fine, &far));
    LR_TRY(measure(e, m, far));
    space->ops->scale(space, column(e, STEP), size);
  }
  space->ops->copy(space, column(e, LAST), column(e, POINT), 1);
  return LR_GO;
}

/* ---- steps on the good side of the surface ---- */

/* LR_MODEL_STEP = the minimum in the box of the Lagrangian, the model plus the
 * multiplier times the distance along the normal.  *over: by how much the step
 * violates the margin to the plane, which is `room` away from the base. */
static lr_code step_with(const lr_hidden_surface *e, lr_model *m, double c,
                         double multiplier, double room, double *over)
{
  lrgd_space *space = m->space;
  lrgd_vec full = lr_model_vec(m, LR_MODEL_FULL), n = column(e, NORMAL);
  lrgd_vec step = lr_model_vec(m, LR_MODEL_STEP);
  double promised, along, size = 0, back = -multiplier;
  space->ops->add(space, full, n, 1, &multiplier);
  lr_code code = lr_model_minimise_boxed(m, c, &promised);
  space->ops->add(space, full, n, 1, &back);
  LR_TRY(code);
  space->ops->axpy_into(space, step, lr_model_vec(m, LR_MODEL_BENT), m->base.x,
                        -1);
  space->ops->dot(space, step, 1, n, &along);
  (void)space->ops->measure(space, step, &size);
  *over = lr_surface_excess(m->run->policy, along, size, room);
  return LR_GO;
}

/* Finds the step with the least Lagrange multiplier of the surface that keeps
 * the margin to it. */
static lr_code step_within(const lr_hidden_surface *e, lr_model *m, double c)
{
  const lr_policy *P = m->run->policy;
  lrgd_space *space = m->space;
  lrgd_vec n = column(e, NORMAL), way = column(e, BESIDE);
  double room, over, pull, low = 0, high;
  space->ops->axpy_into(space, way, column(e, LAST), m->base.x, -1);
  space->ops->dot(space, way, 1, n, &room);
  LR_TRY(step_with(e, m, c, 0, room, &over));
  if (!(over > 0)) return LR_GO;
  space->ops->dot(space, lr_model_vec(m, LR_MODEL_FULL), 1, n, &pull);
  high = fabs(pull) > 0 ? fabs(pull) : 1;
  LR_TRY(step_with(e, m, c, high, room, &over));
  for (int i = 0; lr_multiplier_tries(P, i) && over > 0; i++) {
    low = high;
    high = lr_multiplier_next(P, high);
    LR_TRY(step_with(e, m, c, high, room, &over));
  }
  for (int i = 0; lr_multiplier_halves(P, i); i++) {
    double middle = 0.5 * (low + high);
    LR_TRY(step_with(e, m, c, middle, room, &over));
    *(over > 0 ? &low : &high) = middle;
  }
  return step_with(e, m, c, high, room, &over);
}

/* Whether LR_MODEL_STEP differs from STEP, which crossed the surface. */
static bool differs(const lr_hidden_surface *e, lr_model *m, double size)
{
  lrgd_space *space = m->space;
  double by = 0;
  space->ops->axpy_into(space, column(e, BESIDE),
                        lr_model_vec(m, LR_MODEL_STEP), column(e, STEP), -1);
  (void)space->ops->measure(space, column(e, BESIDE), &by);
  return lr_surface_differs(m->run->policy, by, size);
}

/* Replaces a step that crossed the surface by one that keeps the margin; where
 * that one predicts no decrease (*falls), by half of the way to the surface. */
static lr_code replace(lr_hidden_surface *e, lr_model *m, double c, double *t,
                       double *slope, bool anew, bool *falls)
{
  lrgd_space *space = m->space;
  lrgd_vec step = lr_model_vec(m, LR_MODEL_STEP);
  lrgd_vec full = lr_model_vec(m, LR_MODEL_FULL);
  double good = 0, bad = *t, size = 0,
         gained = m->run->record.start_f - m->base.f;
  double level = lr_oracle_level(m->oracle, m->base.f);
  space->ops->copy(space, column(e, STEP), step, 1);
  (void)space->ops->measure(space, step, &size);
  LR_TRY(locate(e, m, &good, &bad));
  LR_TRY(learn(e, m, good, bad, size, anew));
  *falls = false;
  if (e->known) {
    LR_TRY(step_within(e, m, c));
    space->ops->dot(space, step, 1, full, slope);
    *falls = lr_surface_falls(m->run->policy, -*slope, gained, level) &&
             differs(e, m, size);
    e->fruitless_steps += !*falls;
  }
  *t = 1;
  if (*falls) return LR_GO;
  space->ops->copy(space, step, column(e, STEP), 1);
  space->ops->dot(space, step, 1, full, slope);
  *t = 0.5 * good;
  return LR_GO;
}

/* The lr_step_guard: replaces a step that crosses the surface, repeatedly while
 * the replacement crosses it too; before the last replacement the normal is
 * measured again. */
static lr_code keep(void *self, lr_model *m, double c, double *t, double *slope,
                    bool *tried)
{
  const lr_policy *P = m->run->policy;
  lr_hidden_surface *e = self;
  bool falls = true;
  *tried = false;
  for (int i = 0; lr_surface_tries(P, i) && e->met && falls; i++) {
    lrgd_vec step = lr_model_vec(m, LR_MODEL_STEP);
    bool beyond, last = !lr_surface_tries(P, i + 1);
    LR_TRY(evaluate(e, m, m->base.x, step, *t, &beyond));
    *tried = !beyond;
    if (beyond) {
      LR_TRY(replace(e, m, c, t, slope, last, &falls));
      continue;
    }
    m->here = m->trial;
    e->fruitless_steps = 0;
    break;
  }
  return LR_GO;
}

lr_step_guard lr_hidden_surface_guard(lr_hidden_surface *e)
{
  return (lr_step_guard){.self = e, .keep = keep};
}
