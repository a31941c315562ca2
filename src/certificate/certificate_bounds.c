/* A certificate on the projected gradient, without a whole gradient.
 *
 * An active coordinate adds nothing to the projected gradient as long as its
 * multiplier, the derivative along it, keeps its sign.  Its earlier value g was
 * measured before or predicted by the model.  Random w estimate by how much the
 * multipliers have changed: f(P(x + t w)) - f(P(x - t w)) is t w'grad f, P
 * being the projection into the box, since one of the two points moves each
 * active coordinate inwards and the other leaves it where it is.  A multiplier
 * larger than that change keeps its sign; the others are measured, if they are
 * not too many.  So are free coordinates so near a bound that two-sided
 * differences have no room.  Probes that leave all these coordinates out bound
 * the rest of the gradient: 3 m or 4 m values in place of p. */
#include "certificate/certificate.h"

#include "certificate/certificate_rules.h"

#include "base/elementary.h"
#include "space/vec.h"
#include "subspace/probe.h"

#include <math.h>

/* A block of coordinates of a point. */
enum { CHUNK = 128 };
typedef struct chunk {
  size_t first, n;
  double x[CHUNK], g[CHUNK], lower[CHUNK], upper[CHUNK];
} chunk;

/* Reads the next coordinates with the derivatives g along them (block NULL:
 * unknown, zero).  False: there are no more. */
static bool next(const lr_model *m, lrgd_vec g, chunk *c)
{
  lrgd_space *space = m->space;
  const lrgd_box *box = &m->oracle->box;
  c->first += c->n;
  size_t left = space->dimension - c->first;
  c->n = left < CHUNK ? left : CHUNK;
  if (c->n == 0) return false;
  space->ops->get(space, m->here.x, c->first, c->n, c->x);
  for (size_t i = 0; i < c->n; i++) c->g[i] = 0;
  if (g.block) space->ops->get(space, g, c->first, c->n, c->g);
  space->ops->get(space, box->lower, c->first, c->n, c->lower);
  space->ops->get(space, box->upper, c->first, c->n, c->upper);
  return true;
}

/* Whether a bound is active along coordinate i, whose derivative is `slope`. */
static bool is_held(const chunk *c, size_t i, double slope)
{
  return lr_bound_holds(c->x[i], slope, c->lower[i], c->upper[i]);
}

/* Whether a coordinate is active with a multiplier of at most `force`. */
static bool is_weak(const chunk *c, size_t i, double force)
{
  return is_held(c, i, c->g[i]) && !(fabs(c->g[i]) > force);
}

/* Whether a coordinate is free, but too near a bound for a two-sided
 * difference.  A fixed coordinate does not count: it cannot move at all. */
static bool is_near(const chunk *c, size_t i, double room)
{
  double gap = fmin(c->x[i] - c->lower[i], c->upper[i] - c->x[i]);
  return !is_held(c, i, c->g[i]) && gap <= room && c->lower[i] < c->upper[i];
}

/* Counts of coordinates, by their derivatives g. */
typedef struct tally {
  size_t held; /* active */
  size_t weak; /* active bounds with a small multiplier */
  /* active bounds of inputs whose box is too narrow for a difference */
  size_t cramped;
  size_t near; /* free, too near a bound for a two-sided difference */
} tally;

static tally count(const lr_model *m, lrgd_vec g, double room, double force)
{
  chunk c = {.n = 0};
  tally all = {0};
  while (next(m, g, &c))
    for (size_t i = 0; i < c.n; i++) {
      bool held = is_held(&c, i, c.g[i]);
      all.held += held;
      all.weak += is_weak(&c, i, force);
      all.cramped += held && c.upper[i] - c.lower[i] < room;
      all.near += is_near(&c, i, room);
    }
  return all;
}

/* Draws the random direction `stream`: Gaussian along the active coordinates,
 * zero along the others, then normalised; *length is the norm it had. */
static bool held_direction(lr_model *m, lrgd_vec g, uint64_t stream,
                           double *length)
{
  lrgd_vec w = lr_model_vec(m, LR_MODEL_PROBE);
  lrgd_vec freed = lr_model_vec(m, LR_MODEL_SPARE);
  double minus = -1;
  m->space->ops->gaussian(m->space, w, m->oracle->seed, stream);
  m->space->ops->copy(m->space, freed, w, 1);
  (void)m->space->ops->zero_active(m->space, freed, m->here.x, g,
                                   m->oracle->box);
  m->space->ops->add(m->space, w, freed, 1, &minus);
  return lr_normalise(m->space, w, length);
}

/* A random direction along the coordinates further than `room` from their
 * bounds. */
static bool free_direction(lr_model *m, double room, uint64_t stream,
                           double *length)
{
  lrgd_vec w = lr_model_vec(m, LR_MODEL_PROBE);
  m->space->ops->gaussian(m->space, w, m->oracle->seed, stream);
  m->space->ops->zero_near_bounds(m->space, w, m->here.x, m->oracle->box, room);
  return lr_normalise(m->space, w, length);
}

/* The step that probe_free needs for the curvature c.  An unknown curvature
 * counts as zero, which makes the step long, as in lr_model_slope. */
static double room_for(lr_model *m, double c)
{
  return lr_oracle_reach(m->oracle, &m->here, fmax(fabs(c), 1e-300));
}

/* The smallest derivative that a difference over that step resolves. */
static double level_slope(lr_model *m, double c)
{
  return lr_oracle_level(m->oracle, m->here.f) / room_for(m, c);
}

/* One probe along the free coordinates: the expectation of *square is |grad
 * f|^2 along these.  *flat: the two values were equal, as happens where f is
 * written with fewer digits than the step needs. */
static lr_code probe_free(lr_model *m, uint64_t stream, double c, bool *flat,
                          double *square)
{
  double length, d;
  *square = INFINITY;
  if (!free_direction(m, room_for(m, c), stream, &length)) {
    *square = 0;
    return LR_GO;
  }
  lr_code code = lr_model_slope(m, lr_model_vec(m, LR_MODEL_PROBE), c,
                                LRGD_PURPOSE_CHECK, &d);
  if (code == LR_GO) {
    *flat |= d == 0;
    /* equal values show only that the derivative is below the resolution */
    if (d == 0) d = level_slope(m, c);
    *square = length * length * d * d;
  }
  return code == LR_NOVALUE ? LR_GO : code;
}

/* Evaluates the points of these probes side by side, where the width allows it.
 */
static lr_code foresee_free(lr_model *m, uint64_t stream, size_t probes,
                            double c)
{
  double length, guess = -fmax(fabs(c), 1e-300);
  bool more = lr_oracle_begin_plan(m->oracle);
  for (size_t i = 0; i < probes && more; i++)
    more = free_direction(m, room_for(m, c), stream + i, &length) &&
           lr_oracle_plan_slope(m->oracle, &m->here,
                                lr_model_vec(m, LR_MODEL_PROBE), guess);
  return lr_oracle_ask_planned(m->oracle, LRGD_PURPOSE_CHECK);
}

/* Bounds the gradient along the free coordinates by probes.  *bound is infinite
 * where a first probe, which is not part of the bound, already shows a gradient
 * above the tolerance. */
static lr_code look_at_free(lr_model *m, double c, double *bound)
{
  lr_run *run = m->run;
  size_t probes = (size_t)run->options.probes;
  double S = 0, square, share;
  bool flat = false;
  *bound = INFINITY;
  LR_TRY(probe_free(m, m->draws++, c, &flat, &square));
  if (!lr_certificate_one_probe(run->policy, square, run->goal.tol))
    return LR_GO;
  uint64_t stream = lr_next_look(run, &share);
  LR_TRY(foresee_free(m, stream, probes, c));
  for (size_t i = 0; i < probes; i++) {
    LR_TRY(probe_free(m, stream + i, c, &flat, &square));
    S += square;
  }
  double noise = m->oracle->differences.noise;
  if (flat) LR_TRY(lr_model_check_noise(m));
  if (m->oracle->differences.noise > noise)
    return LR_GO; /* the steps were too short for that noise */
  *bound = lr_probe_bound(S, probes, share);
  return LR_GO;
}

/* LR_MODEL_NEXT = the projection of x + t w into the box. */
static lrgd_vec put_inside(lr_model *m, double t)
{
  lrgd_vec y = lr_model_vec(m, LR_MODEL_NEXT);
  m->space->ops->axpy_into(m->space, y, m->here.x,
                           lr_model_vec(m, LR_MODEL_PROBE), t);
  (void)m->space->ops->clip(m->space, y, m->oracle->box);
  return y;
}

/* Evaluates f at LR_MODEL_NEXT, projected into the box. */
static lr_code value_inside(lr_model *m, double t, double *f)
{
  lr_point y = {.x = put_inside(m, t), .f = NAN};
  lr_oracle_rename(m->oracle, &y);
  LR_TRY(lr_oracle_value(m->oracle, &y, LRGD_PURPOSE_CHECK));
  *f = y.f;
  return LR_GO;
}

/* Evaluates the points of these probes side by side. */
static lr_code foresee_held(lr_model *m, lrgd_vec g, uint64_t stream,
                            size_t probes, double t)
{
  double length;
  bool more = lr_oracle_begin_plan(m->oracle);
  for (size_t i = 0; i < probes && more; i++)
    more = held_direction(m, g, stream + i, &length) &&
           lr_oracle_plan(m->oracle, put_inside(m, t)) &&
           lr_oracle_plan(m->oracle, put_inside(m, -t));
  return lr_oracle_ask_planned(m->oracle, LRGD_PURPOSE_CHECK);
}

/* Bounds the change of the multipliers since the gradient g. */
static lr_code look_at_held(lr_model *m, lrgd_vec g, double *bound)
{
  lr_run *run = m->run;
  size_t probes = (size_t)run->options.probes;
  double t = lr_oracle_reach(m->oracle, &m->here, 0), share;
  uint64_t stream = lr_next_look(run, &share);
  double S = 0, length, ahead, back, was;
  *bound = INFINITY;
  LR_TRY(foresee_held(m, g, stream, probes, t));
  for (size_t i = 0; i < probes; i++) {
    if (!held_direction(m, g, stream + i, &length)) return LR_GO;
    lr_code code = value_inside(m, t, &ahead);
    if (code == LR_GO) code = value_inside(m, -t, &back);
    if (code == LR_NOVALUE) return LR_GO;
    LR_TRY(code);
    m->space->ops->dot(m->space, lr_model_vec(m, LR_MODEL_PROBE), 1, g, &was);
    double change = length * ((ahead - back) / t - was);
    S += change * change;
  }
  *bound = lr_probe_bound(S, probes, share);
  return LR_GO;
}

/* Coordinates whose derivatives are measured one by one. */
typedef struct apart {
  /* active coordinates: those with a multiplier of at most this */
  double force;
  double room;   /* free coordinates: those at most this far from a bound */
  double step;   /* length of a difference, where the box allows it */
  double spread; /* the expected curvature along each */
  double slopes; /* sum of squares of the derivatives of free coordinates */
  double errors; /* sum of squares of the errors of all derivatives */
} apart;

/* Measures the derivative along coordinate i of a chunk, by a one-sided
 * difference away from the nearer bound. */
static lr_code measure_one(lr_model *m, const chunk *c, size_t i, apart *a)
{
  lrgd_vec w = lr_model_vec(m, LR_MODEL_PROBE);
  lrgd_vec y = lr_model_vec(m, LR_MODEL_NEXT);
  bool up = c->x[i] - c->lower[i] < c->upper[i] - c->x[i];
  double f, to;
  m->space->ops->scale(m->space, w, 0);
  (void)m->space->ops->add_at(m->space, w, c->first + i, 1);
  LR_TRY(value_inside(m, up ? a->step : -a->step, &f));
  m->space->ops->get(m->space, y, c->first + i, 1, &to);
  if (to == c->x[i]) return LR_NOVALUE; /* the step is below rounding */
  double t = to - c->x[i], slope = (f - m->here.f) / t;
  double error = lr_oracle_level(m->oracle, m->here.f) / fabs(t) +
                 0.5 * fabs(t) * a->spread;
  error = fmax(error, lr_oracle_slope_error(m->oracle, &m->here, 0));
  if (!is_held(c, i, slope)) a->slopes += slope * slope;
  a->errors += error * error;
  return LR_GO;
}

/* Adds these coordinates to *bound, a bound on the rest of the gradient. */
static lr_code look_apart(lr_model *m, lrgd_vec g, apart *a, double *bound)
{
  chunk c = {.n = 0};
  while (next(m, g, &c))
    for (size_t i = 0; i < c.n; i++) {
      if (!is_weak(&c, i, a->force) && !is_near(&c, i, a->room)) continue;
      lr_code code = measure_one(m, &c, i, a);
      if (code == LR_NOVALUE) {
        *bound = INFINITY;
        return LR_GO;
      }
      LR_TRY(code);
    }
  *bound = lr_hypot(*bound, sqrt(a->slopes) + sqrt(a->errors));
  return LR_GO;
}

/* Extends *bound from the free coordinates that are further than `room` from
 * their bounds to all coordinates.  c: the curvature along a coordinate. */
static lr_code add_others(lr_model *m, lrgd_vec g, double c, double room,
                          double *bound)
{
  const lr_policy *P = m->run->policy;
  double step = lr_oracle_reach(m->oracle, &m->here, 0), change = 0;
  apart a = {.force = -1, .room = room, .step = step, .spread = fabs(c)};
  if (g.block && count(m, g, -1, 0).held > 0) {
    LR_TRY(look_at_held(m, g, &change));
    tally all = count(m, g, step, change);
    a.force = change;
    if (lr_certificate_too_many(P, all.weak, m->space->dimension)) {
      /* where the box cut the steps, they have shown only a part of the
       * change */
      *bound = all.cramped > 0 ? INFINITY : lr_hypot(*bound, change);
      a.force = -1;
    }
  }
  return look_apart(m, g, &a, bound);
}

/* Whether the coordinates too near their bounds are few enough. */
static bool roomy(lr_model *m, lrgd_vec g, double c)
{
  tally all = count(m, g, room_for(m, c), 0);
  return all.cramped == 0 &&
         lr_certificate_has_room(m->run->policy, all.near, m->space->dimension);
}

/* Bounds the projected gradient.  *large: along the free coordinates alone it
 * exceeds the tolerance. */
static lr_code certify(lr_model *m, lrgd_vec g, double c, bool *large,
                       double *bound)
{
  *bound = INFINITY;
  *large = false;
  if (!roomy(m, g, c)) return LR_GO;
  LR_TRY(look_at_free(m, c, bound));
  m->run->claim.probed = (size_t)m->run->options.probes;
  if (!roomy(m, g, c)) { /* the probes found noise: longer steps */
    *bound = INFINITY;
    return LR_GO;
  }
  *large = !(*bound <= m->run->goal.tol);
  return *large ? LR_GO : add_others(m, g, c, room_for(m, c), bound);
}

lr_code lr_model_certify_held(lr_model *m, lrgd_vec g, double *bound)
{
  bool large;
  return certify(m, g, lr_model_spread(m), &large, bound);
}

lr_code lr_model_certify_unheld(lr_model *m, double c, bool *large,
                                double *bound)
{
  const lrgd_vec unknown = {NULL, 0};
  return certify(m, unknown, c, large, bound);
}

lr_code lr_model_certify_face(lr_model *m, lrgd_vec g, double *bound)
{
  m->run->claim.probed = (size_t)m->run->options.probes;
  return add_others(m, g, lr_model_spread(m), -1, bound);
}
