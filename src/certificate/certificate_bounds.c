/* A certificate at bounds, without a whole gradient.
 *
 * Of coordinates that a bound holds if g is the gradient, as it was measured
 * before or foreseen by the model, all that matters is that it does hold them.
 * How far these slopes are from g is estimated along random w like any
 * gradient: f(P(x + t w)) - f(P(x - t w)) is t w'grad f, P being the projection
 * into the box, since one of the two moves each coordinate inwards and the
 * other leaves it.  Slopes larger than that change have not turned; if the
 * others are not too many they are measured.  So are those that are not held,
 * but so near a bound that no difference has room on both sides.  The rest of
 * the gradient is estimated by probes that leave all these coordinates out: 3 m
 * or 4 m values for p. */
#include "certificate/certificate.h"

#include "base/elementary.h"
#include "space/vec.h"
#include "subspace/probe.h"

#include <math.h>

/* Coordinates of a point, a hundred at a time. */
enum { CHUNK = 128 };
typedef struct chunk {
  size_t first, n;
  double x[CHUNK], g[CHUNK], lower[CHUNK], upper[CHUNK];
} chunk;

/* The next ones, with the slopes g (block NULL: unknown); false: there are no
 * more. */
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

static bool is_held(const chunk *c, size_t i, double slope)
{
  return lr_bound_holds(c->x[i], slope, c->lower[i], c->upper[i]);
}

/* By the slopes g: held, but by no more than some force. */
static bool is_weak(const chunk *c, size_t i, double force)
{
  return is_held(c, i, c->g[i]) && !(fabs(c->g[i]) > force);
}

/* Not held, and without room for a difference on both sides; one that cannot
 * move at all does not count. */
static bool is_near(const chunk *c, size_t i, double room)
{
  double gap = fmin(c->x[i] - c->lower[i], c->upper[i] - c->x[i]);
  return !is_held(c, i, c->g[i]) && gap <= room && c->lower[i] < c->upper[i];
}

/* Coordinates, by the slopes g. */
typedef struct tally {
  size_t held;    /* by bounds */
  size_t weak;    /* of these: by less than some force */
  size_t cramped; /* of these: without room for a difference inwards */
  size_t near;    /* others, without room for one on both sides */
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

/* The random direction `stream`: Gaussian in the coordinates that are held, of
 * norm one; *length is what it had. */
static bool held_direction(lr_model *m, lrgd_vec g, uint64_t stream,
                           double *length)
{
  lrgd_vec w = lr_model_vec(m, LR_MODEL_PROBE);
  lrgd_vec freed = lr_model_vec(m, LR_MODEL_SPARE);
  double minus = -1;
  m->space->ops->gaussian(m->space, w, (uint64_t)m->run->options.seed, stream);
  m->space->ops->copy(m->space, freed, w, 1);
  (void)m->space->ops->zero_active(m->space, freed, m->here.x, g,
                                   m->oracle->box);
  m->space->ops->add(m->space, w, freed, 1, &minus);
  return lr_normalise(m->space, w, length);
}

/* The same in those that are further than `room` from their bounds. */
static bool free_direction(lr_model *m, double room, uint64_t stream,
                           double *length)
{
  lrgd_vec w = lr_model_vec(m, LR_MODEL_PROBE);
  m->space->ops->gaussian(m->space, w, (uint64_t)m->run->options.seed, stream);
  m->space->ops->zero_near_bounds(m->space, w, m->here.x, m->oracle->box, room);
  return lr_normalise(m->space, w, length);
}

/* The room that probe_free needs, the curvature being c; no curvature known is
 * none, and a long step, as in lr_model_slope. */
static double room_for(lr_model *m, double c)
{
  return lr_oracle_reach(m->oracle, &m->here, fmax(fabs(c), 1e-300));
}

/* The smallest slope that a difference of that reach can see. */
static double level_slope(lr_model *m, double c)
{
  return lr_oracle_level(m->oracle, m->here.f) / room_for(m, c);
}

/* *square: of a slope in the free coordinates, on average |grad f|^2 there.
 * *flat: it was nothing at all, as where values have fewer digits than the step
 * needs. */
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
    /* values that are equal are equal to their rounding, no more */
    if (d == 0) d = level_slope(m, c);
    *square = length * length * d * d;
  }
  return code == LR_NOVALUE ? LR_GO : code;
}

/* *bound on the gradient in the coordinates that are free; infinite where one
 * slope, which is no part of it, says that it is larger than the tolerance.
 * (Where it is half of that, it says so once in four hundred times.) */
static lr_code look_at_free(lr_model *m, double c, double *bound)
{
  lr_run *run = m->run;
  size_t probes = (size_t)run->options.probes;
  double S = 0, square, share;
  bool flat = false;
  *bound = INFINITY;
  LR_TRY(probe_free(m, m->draws++, c, &flat, &square));
  if (!(square <= 2.25 * run->goal.tol * run->goal.tol)) return LR_GO;
  uint64_t stream = lr_next_look(run, &share);
  for (size_t i = 0; i < probes; i++) {
    LR_TRY(probe_free(m, stream + i, c, &flat, &square));
    S += square;
  }
  double noise = m->oracle->differences.noise;
  if (flat) LR_TRY(lr_model_check_noise(m));
  if (m->oracle->differences.noise > noise)
    return LR_GO; /* those steps saw nothing */
  *bound = lr_probe_bound(S, probes, share);
  return LR_GO;
}

/* f where x + t w is, moved into the box. */
static lr_code value_inside(lr_model *m, double t, double *f)
{
  lr_point y = {.x = lr_model_vec(m, LR_MODEL_NEXT), .f = NAN};
  m->space->ops->axpy_into(m->space, y.x, m->here.x,
                           lr_model_vec(m, LR_MODEL_PROBE), t);
  (void)m->space->ops->clip(m->space, y.x, m->oracle->box);
  lr_oracle_rename(m->oracle, &y);
  LR_TRY(lr_oracle_value(m->oracle, &y, LRGD_PURPOSE_CHECK));
  *f = y.f;
  return LR_GO;
}

/* *bound on the change of the slopes that are held, since they were g. */
static lr_code look_at_held(lr_model *m, lrgd_vec g, double *bound)
{
  lr_run *run = m->run;
  size_t probes = (size_t)run->options.probes;
  double t = lr_oracle_reach(m->oracle, &m->here, 0), share;
  uint64_t stream = lr_next_look(run, &share);
  double S = 0, length, ahead, back, was;
  *bound = INFINITY;
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

/* Coordinates that are measured one by one, and what came of it. */
typedef struct apart {
  double force, room; /* those held by no more, or with no more */
  double step;        /* of a difference, where there is room */
  double spread;      /* what curvature there may be along each */
  double slopes;      /* sum of the squares of those that no bound holds */
  double errors;      /* and of the errors of all */
} apart;

/* Coordinate i of a chunk, by a step inwards. */
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
  if (to == c->x[i]) return LR_NOVALUE; /* rounding took the step */
  double t = to - c->x[i], slope = (f - m->here.f) / t;
  double error = lr_oracle_level(m->oracle, m->here.f) / fabs(t) +
                 0.5 * fabs(t) * a->spread;
  error = fmax(error, lr_oracle_slope_error(m->oracle, &m->here, 0));
  if (!is_held(c, i, slope)) a->slopes += slope * slope;
  a->errors += error * error;
  return LR_GO;
}

/* *bound, on the rest of the gradient, takes these in. */
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

/* *bound, on the gradient in the free coordinates, becomes one on all of it;
 * room: what these have at least; c: the curvature along a coordinate. */
static lr_code add_others(lr_model *m, lrgd_vec g, double c, double room,
                          double *bound)
{
  size_t most = m->space->dimension / 2; /* a gradient would cost twice that */
  double step = lr_oracle_reach(m->oracle, &m->here, 0), change = 0;
  apart a = {.force = -1, .room = room, .step = step, .spread = fabs(c)};
  if (g.block && count(m, g, -1, 0).held > 0) {
    LR_TRY(look_at_held(m, g, &change));
    tally all = count(m, g, step, change);
    a.force = change;
    if (all.weak > most) { /* a step that was cut has seen less of the change */
      *bound = all.cramped > 0 ? INFINITY : lr_hypot(*bound, change);
      a.force = -1;
    }
  }
  return look_apart(m, g, &a, bound);
}

/* Whether few enough are near their bounds. */
static bool roomy(lr_model *m, lrgd_vec g, double c)
{
  tally all = count(m, g, room_for(m, c), 0);
  return 8 * all.near <= m->space->dimension && all.cramped == 0;
}

/* *large: it is, already where nothing is near a bound. */
static lr_code certify(lr_model *m, lrgd_vec g, double c, bool *large,
                       double *bound)
{
  *bound = INFINITY;
  *large = false;
  if (!roomy(m, g, c)) return LR_GO;
  LR_TRY(look_at_free(m, c, bound));
  m->run->claim.probed = (size_t)m->run->options.probes;
  if (!roomy(m, g, c)) { /* noise just found: longer steps */
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
