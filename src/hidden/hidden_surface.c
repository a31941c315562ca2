/* How a model keeps to the edge of where f can be evaluated.
 *
 * Halving finds how far the edge is along a step; the same from p places beside
 * a point, each moved along one input, finds its normal there, at some seven
 * values an input.  The model's step is then its minimum in the box and on this
 * side of the plane through the last point found.  It stays away from the plane
 * by a tenth of its length: so much may the normal be off or the edge be
 * curved, and the next step has room.  Every later point of the edge corrects
 * the normal; where steps fail all the same, it is measured anew. */
#include "hidden/hidden_surface.h"

#include "space/vec.h"

#include <math.h>

enum { NORMAL, LAST, POINT, STEP, INSIDE, BESIDE, FRESH, COLUMNS };

static const double away = 0.1; /* from the plane, in lengths of a step */

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
    return lr_oracle_fault(o, LRGD_ERR_NOMEM,
                           "out of memory for an edge across %zu inputs",
                           space->dimension);
  e->met = true;
  e->level = level;
  return LR_GO;
}

bool lr_hidden_surface_ends(const lr_hidden_surface *e)
{
  enum { IN_A_ROW = 3 };
  return e->dull >= IN_A_ROW || e->vain >= IN_A_ROW;
}

static lrgd_vec column(const lr_hidden_surface *e, size_t which)
{
  return (lrgd_vec){e->columns, which};
}

/* Whether x + t u is beyond; it is the model's trial. */
static lr_code ask(const lr_hidden_surface *e, lr_model *m, lrgd_vec x,
                   lrgd_vec u, double t, bool *beyond)
{
  const lr_point from = {.x = x};
  LR_TRY(lr_model_try(m, &from, u, t, LRGD_PURPOSE_SEARCH));
  *beyond = !(m->trial.f <= e->level) || !(m->trial.f < INFINITY);
  return LR_GO;
}

/* ---- where it is ---- */

/* The edge along u from x lies between *good and *bad: these become closer. */
static lr_code halve(const lr_hidden_surface *e, lr_model *m, lrgd_vec x,
                     lrgd_vec u, double *good, double *bad)
{
  bool beyond;
  double middle = 0.5 * (*good + *bad);
  LR_TRY(ask(e, m, x, u, middle, &beyond));
  *(beyond ? bad : good) = middle;
  return LR_GO;
}

/* To a twentieth of how far it is from the base, which may be next to
 * nothing. */
static lr_code locate(const lr_hidden_surface *e, lr_model *m, double *good,
                      double *bad)
{
  enum { TIMES = 12 };
  bool beyond = true;
  for (int i = 0; i < TIMES && beyond; i++) {
    double t = 0.2 * *bad;
    LR_TRY(ask(e, m, m->base.x, column(e, STEP), t, &beyond));
    *(beyond ? bad : good) = t;
  }
  while (!beyond && *bad - *good > 0.05 * *bad)
    LR_TRY(halve(e, m, m->base.x, column(e, STEP), good, bad));
  return LR_GO;
}

/* How much nearer the edge is, along the unit vector STEP, from BESIDE than
 * `far`, which it is from INSIDE; h: how far apart these are. */
static lr_code nearer(const lr_hidden_surface *e, lr_model *m, double far,
                      double h, double *by)
{
  enum { TIMES = 4 };
  lrgd_vec x = column(e, BESIDE), u = column(e, STEP);
  double good = far, bad = far, reach = 0.25 * h;
  bool first, beyond;
  LR_TRY(ask(e, m, x, u, far, &first));
  beyond = first;
  for (int i = 0; i < TIMES && beyond == first; i++, reach *= 3) {
    double t = first ? far - reach : far + reach;
    LR_TRY(ask(e, m, x, u, t, &beyond));
    *(beyond ? &bad : &good) = t;
  }
  while (beyond != first && bad - good > 0.15 * away * h)
    LR_TRY(halve(e, m, x, u, &good, &bad));
  *by = far - 0.5 * (good + bad);
  return LR_GO;
}

/* INSIDE becomes a point where there is room to look around: the base, or, if
 * that is too close to the edge, one from which the unit vector STEP leads to
 * it.  *far, how far the edge is, becomes `enough`, if that can be had, and
 * better known than before, which was to within `fine`. */
static lr_code go_inside(const lr_hidden_surface *e, lr_model *m, double enough,
                         double fine, double *far)
{
  enum { TIMES = 6 };
  lrgd_space *space = m->space;
  lrgd_vec x = column(e, INSIDE);
  double back = enough - *far;
  space->ops->copy(space, x, m->base.x, 1);
  for (int i = 0; i < TIMES && back > 0; i++, back *= 0.25) {
    bool beyond;
    LR_TRY(ask(e, m, m->base.x, column(e, STEP), -back, &beyond));
    if (beyond || m->landing.clipped) continue;
    space->ops->copy(space, x, m->trial.x, 1);
    *far += back;
    break;
  }
  double good = *far - fine, bad = *far + fine;
  while (bad - good > 0.02 * away * *far)
    LR_TRY(halve(e, m, x, column(e, STEP), &good, &bad));
  *far = 0.5 * (good + bad);
  return LR_GO;
}

/* The normal, where the edge is `far` from INSIDE along the unit vector STEP.
 * For a plane what is measured along all inputs agrees with that vector; where
 * it does not at all, points fail for other reasons, and there is no edge. */
static lr_code measure(lr_hidden_surface *e, lr_model *m, double far)
{
  lrgd_space *space = m->space;
  lrgd_vec x = column(e, BESIDE), n = column(e, FRESH);
  lrgd_vec inside = column(e, INSIDE);
  double h = 0.3 * far, agrees, f = m->base.f;
  bool gained = e->f - f > 1e-3 * (m->run->record.start_f - f);
  e->vain = gained || !e->known ? 0 : e->vain + 1;
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
  space->ops->dot(space, n, 1, column(e, STEP), &agrees);
  bool good = agrees > 0.75 && agrees < 1.33 && lr_normalise(space, n, NULL);
  if (good) space->ops->copy(space, column(e, NORMAL), n, 1);
  e->known |= good;
  if (e->known) return LR_GO; /* that may be an earlier one */
  e->met = false;
  e->refuted = true;
  lr_run_decide(m->run, (lrgd_decision){
                            .kind = LRGD_DECISION_KIND_HIDDEN_SURFACE_REFUTED});
  return LR_GO;
}

/* The normal is at right angles to the way from the last point to this one,
 * each known to `fine`. */
static void correct(lr_hidden_surface *e, lrgd_space *space, double fine)
{
  lrgd_vec n = column(e, NORMAL), way = column(e, BESIDE);
  double length = 0, along;
  space->ops->axpy_into(space, way, column(e, POINT), column(e, LAST), -1);
  (void)space->ops->measure(space, way, &length);
  space->ops->dot(space, way, 1, n, &along);
  if (!(fabs(along) > 2 * fine)) return;
  along /= -length * length;
  space->ops->add(space, n, way, 1, &along);
  e->known = lr_normalise(space, n, NULL); /* else it is measured anew */
}

/* Another point of the edge, between `good` and `bad` of STEP, whose length is
 * `size`. */
static lr_code learn(lr_hidden_surface *e, lr_model *m, double good, double bad,
                     double size, bool anew)
{
  lrgd_space *space = m->space;
  double at = 0.5 * (good + bad);
  space->ops->axpy_into(space, column(e, POINT), m->base.x, column(e, STEP),
                        at);
  if (e->known && !anew) {
    correct(e, space, (bad - good) * size);
  } else {
    double far = at * size, fine = 0.5 * (bad - good) * size;
    space->ops->scale(space, column(e, STEP), 1 / size);
    LR_TRY(go_inside(e, m, away * size, fine, &far));
    LR_TRY(measure(e, m, far));
    space->ops->scale(space, column(e, STEP), size);
  }
  space->ops->copy(space, column(e, LAST), column(e, POINT), 1);
  return LR_GO;
}

/* ---- steps on this side ---- */

/* LR_MODEL_STEP = the model's minimum in the box, f being steeper by `force`
 * along the normal.  *over: by how much it comes nearer to the plane than it
 * may, `room` being how far that is from the base. */
static lr_code push(const lr_hidden_surface *e, lr_model *m, double c,
                    double force, double room, double *over)
{
  lrgd_space *space = m->space;
  lrgd_vec full = lr_model_vec(m, LR_MODEL_FULL), n = column(e, NORMAL);
  lrgd_vec step = lr_model_vec(m, LR_MODEL_STEP);
  double promised, along, size = 0, back = -force;
  space->ops->add(space, full, n, 1, &force);
  lr_code code = lr_model_minimise_boxed(m, c, &promised);
  space->ops->add(space, full, n, 1, &back);
  LR_TRY(code);
  space->ops->axpy_into(space, step, lr_model_vec(m, LR_MODEL_BENT), m->base.x,
                        -1);
  space->ops->dot(space, step, 1, n, &along);
  (void)space->ops->measure(space, step, &size);
  *over = along + away * size - room;
  return LR_GO;
}

/* The least force that will do. */
static lr_code step_within(const lr_hidden_surface *e, lr_model *m, double c)
{
  enum { TRIPLES = 30, HALVINGS = 10 };
  lrgd_space *space = m->space;
  lrgd_vec n = column(e, NORMAL), way = column(e, BESIDE);
  double room, over, pull, low = 0, high;
  space->ops->axpy_into(space, way, column(e, LAST), m->base.x, -1);
  space->ops->dot(space, way, 1, n, &room);
  LR_TRY(push(e, m, c, 0, room, &over));
  if (!(over > 0)) return LR_GO;
  space->ops->dot(space, lr_model_vec(m, LR_MODEL_FULL), 1, n, &pull);
  high = fabs(pull) > 0 ? fabs(pull) : 1;
  LR_TRY(push(e, m, c, high, room, &over));
  for (int i = 0; i < TRIPLES && over > 0; i++) {
    low = high;
    LR_TRY(push(e, m, c, high *= 3, room, &over));
  }
  for (int i = 0; i < HALVINGS; i++) {
    double middle = 0.5 * (low + high);
    LR_TRY(push(e, m, c, middle, room, &over));
    *(over > 0 ? &low : &high) = middle;
  }
  return push(e, m, c, high, room, &over);
}

/* Whether the step is another than that which led beyond, of this size. */
static bool differs(const lr_hidden_surface *e, lr_model *m, double size)
{
  lrgd_space *space = m->space;
  double by = 0;
  space->ops->axpy_into(space, column(e, BESIDE),
                        lr_model_vec(m, LR_MODEL_STEP), column(e, STEP), -1);
  (void)space->ops->measure(space, column(e, BESIDE), &by);
  return by > 1e-3 * size;
}

/* A step that leads beyond is replaced by one that should not; where the model
 * does not fall along it, by half of the way to the edge. */
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
    *falls = -*slope > fmax(1e-12 * gained, level) && differs(e, m, size);
    e->dull += !*falls;
  }
  *t = 1;
  if (*falls) return LR_GO;
  space->ops->copy(space, step, column(e, STEP), 1);
  space->ops->dot(space, step, 1, full, slope);
  *t = 0.5 * good;
  return LR_GO;
}

/* The step, as lr_step_guard has it: one that leads beyond the edge is replaced
 * by another, which does not. */
static lr_code keep(void *self, lr_model *m, double c, double *t, double *slope,
                    bool *tried)
{
  enum { TIMES = 6 };
  lr_hidden_surface *e = self;
  bool falls = true;
  *tried = false;
  for (int i = 1; i <= TIMES && e->met && falls; i++) {
    bool beyond;
    LR_TRY(ask(e, m, m->base.x, lr_model_vec(m, LR_MODEL_STEP), *t, &beyond));
    *tried = !beyond;
    if (beyond) {
      LR_TRY(replace(e, m, c, t, slope, i == TIMES, &falls));
      continue;
    }
    m->here = m->trial;
    e->dull = 0;
    break;
  }
  return LR_GO;
}

lr_step_guard lr_hidden_surface_guard(lr_hidden_surface *e)
{
  return (lr_step_guard){.self = e, .keep = keep};
}
