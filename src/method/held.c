/* A certificate at bounds, without a whole gradient.
 *
 * Of coordinates that a bound holds if g is the gradient, as it was measured
 * before or foreseen by the model, all that matters is that it does hold them.
 * How far these slopes are from g is estimated along random w like any
 * gradient: f(P(x + t w)) - f(P(x - t w)) is t w'grad f, P being the projection
 * into the box, since one of the two moves each coordinate inwards and the
 * other leaves it.  Slopes larger than that change have not turned; if the
 * others are few they are measured.  The rest of the gradient is estimated by
 * probes that leave these coordinates out: 3 m or 4 m values for p. */
#include "method/method.h"
#include "method/model.h"
#include "space/vec.h"
#include "subspace/probe.h"

#include <math.h>

/* Coordinates of a point, a hundred at a time. */
enum { CHUNK = 128 };
typedef struct chunk {
  size_t first, n;
  double x[CHUNK], g[CHUNK], lower[CHUNK], upper[CHUNK];
} chunk;

/* The next ones, with the slopes g; false: there are no more. */
static bool next(const lr_model *m, lrgd_vec g, chunk *c)
{
  lrgd_space *space = m->space;
  const lrgd_box *box = &m->oracle->box;
  c->first += c->n;
  size_t left = space->dimension - c->first;
  c->n = left < CHUNK ? left : CHUNK;
  if (c->n == 0) return false;
  space->ops->get(space, m->here.x, c->first, c->n, c->x);
  space->ops->get(space, g, c->first, c->n, c->g);
  space->ops->get(space, box->lower, c->first, c->n, c->lower);
  space->ops->get(space, box->upper, c->first, c->n, c->upper);
  return true;
}

static bool is_held(const chunk *c, size_t i, double slope)
{
  return lr_bound_holds(c->x[i], slope, c->lower[i], c->upper[i]);
}

/* Coordinates, by the slopes g. */
typedef struct tally {
  size_t held;    /* by bounds */
  size_t weak;    /* of these: by less than some force */
  size_t cramped; /* of these: without room for a difference inwards */
  size_t near;    /* others, without room for one on either side */
} tally;

static tally count(const lr_model *m, lrgd_vec g, double room, double force)
{
  chunk c = {.n = 0};
  tally all = {0};
  while (next(m, g, &c))
    for (size_t i = 0; i < c.n; i++) {
      bool held = is_held(&c, i, c.g[i]);
      double gap = fmin(c.x[i] - c.lower[i], c.upper[i] - c.x[i]);
      all.held += held;
      all.weak += held && !(fabs(c.g[i]) > force);
      all.cramped += held && c.upper[i] - c.lower[i] < room;
      all.near += !held && gap < room;
    }
  return all;
}

/* The random direction `stream`: Gaussian in the coordinates that are held, or
 * in all others, then of norm one; *length is what it had. */
static bool direction(lr_model *m, lrgd_vec g, bool held, uint64_t stream,
                      double *length)
{
  lrgd_vec w = lr_model_vec(m, LR_MODEL_PROBE);
  lrgd_vec other = lr_model_vec(m, LR_MODEL_SPARE);
  double minus = -1;
  m->space->ops->gaussian(m->space, w, (uint64_t)m->run->options.seed, stream);
  if (held) m->space->ops->copy(m->space, other, w, 1);
  lrgd_vec freed = held ? other : w;
  (void)m->space->ops->strike(m->space, freed, m->here.x, g, m->oracle->box);
  if (held) m->space->ops->add(m->space, w, other, 1, &minus);
  return lr_normalise(m->space, w, length);
}

/* *square: of a slope in the free coordinates, on average |grad f|^2 there. */
static lr_code probe_free(lr_model *m, lrgd_vec g, uint64_t stream, double c,
                          double *square)
{
  double length, d;
  *square = INFINITY;
  if (!direction(m, g, false, stream, &length)) {
    *square = 0;
    return LR_GO;
  }
  lr_code code =
      lr_model_slope(m, lr_model_vec(m, LR_MODEL_PROBE), c, LRGD_CHECK, &d);
  if (code == LR_GO) *square = length * length * d * d;
  return code == LR_NOVALUE ? LR_GO : code;
}

/* *bound on the gradient in the coordinates that are free; infinite where one
 * slope, which is no part of it, says that it is larger than the tolerance.
 * (Where it is half of that, it says so once in four hundred times.) */
static lr_code look_at_free(lr_model *m, lrgd_vec g, double c, double *bound)
{
  lr_run *run = m->run;
  size_t probes = (size_t)run->options.probes;
  double S = 0, square, share;
  *bound = INFINITY;
  LR_TRY(probe_free(m, g, m->draws++, c, &square));
  if (!(square <= 2.25 * run->tol * run->tol)) return LR_GO;
  uint64_t stream = lr_next_look(run, &share);
  for (size_t i = 0; i < probes; i++) {
    LR_TRY(probe_free(m, g, stream + i, c, &square));
    S += square;
  }
  *bound = lr_probe_bound(S, probes, share);
  return LR_GO;
}

/* f where x + t w is, moved into the box. */
static lr_code value_inside(lr_model *m, double t, double *f)
{
  lr_point y = {.x = lr_model_vec(m, LR_MODEL_NEXT), .f = NAN};
  m->space->ops->place(m->space, y.x, m->here.x,
                       lr_model_vec(m, LR_MODEL_PROBE), t);
  (void)m->space->ops->clip(m->space, y.x, m->oracle->box);
  lr_oracle_rename(m->oracle, &y);
  LR_TRY(lr_oracle_value(m->oracle, &y, LRGD_CHECK));
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
    if (!direction(m, g, true, stream + i, &length)) return LR_GO;
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

/* *sum of the squares of slopes that a bound held by less than `force` and
 * holds no more: each is measured by a step of length t, or as much of it as
 * the box has room for. */
static lr_code look_at_weak(lr_model *m, lrgd_vec g, double force, double t,
                            double *sum)
{
  chunk c = {.n = 0};
  double f, to;
  lrgd_vec w = lr_model_vec(m, LR_MODEL_PROBE);
  lrgd_vec y = lr_model_vec(m, LR_MODEL_NEXT);
  *sum = 0;
  while (next(m, g, &c))
    for (size_t i = 0; i < c.n; i++) {
      if (!is_held(&c, i, c.g[i]) || fabs(c.g[i]) > force) continue;
      m->space->ops->scale(m->space, w, 0);
      (void)m->space->ops->bump(m->space, w, c.first + i, 1);
      LR_TRY(value_inside(m, c.g[i] > 0 ? t : -t, &f));
      m->space->ops->get(m->space, y, c.first + i, 1, &to);
      if (to == c.x[i]) return LR_NOVALUE; /* rounding took the step */
      double slope = (f - m->here.f) / (to - c.x[i]);
      if (!is_held(&c, i, slope)) *sum += slope * slope;
    }
  return LR_GO;
}

/* Whether there is room for the steps of probe_free, the curvature being c. */
static bool roomy(lr_model *m, lrgd_vec g, double c)
{
  /* as in lr_model_slope: no curvature known is none, and a long step */
  double room = lr_oracle_reach(m->oracle, &m->here, fmax(fabs(c), 1e-300));
  tally all = count(m, g, room, 0);
  return all.near == 0 && all.cramped == 0;
}

/* *bound, on the gradient in the free coordinates, becomes one on all of it. */
static lr_code add_held(lr_model *m, lrgd_vec g, double *bound)
{
  size_t most = (size_t)m->run->options.probes;
  double change, turned;
  LR_TRY(look_at_held(m, g, &change));
  double step = lr_oracle_reach(m->oracle, &m->here, 0);
  tally all = count(m, g, step, change);
  if (all.weak > most) { /* a step that was cut has seen less of the change */
    *bound = all.cramped > 0 ? INFINITY : hypot(*bound, change);
    return LR_GO;
  }
  lr_code code = look_at_weak(m, g, change, step, &turned);
  /* curvature is what B spreads over the coordinates, or as guessed */
  double error = lr_oracle_level(m->oracle, m->here.f) / step +
                 0.5 * step * fabs(lr_model_spread(m));
  error = fmax(error, lr_oracle_slope_error(m->oracle, &m->here, 0));
  *bound = code == LR_GO
               ? hypot(*bound, sqrt(turned) + error * sqrt((double)all.weak))
               : INFINITY;
  return code == LR_NOVALUE ? LR_GO : code;
}

lr_code lr_model_certify_held(lr_model *m, lrgd_vec g, double *bound)
{
  double c = lr_model_spread(m);
  *bound = INFINITY;
  if (!roomy(m, g, c)) return LR_GO;
  LR_TRY(look_at_free(m, g, c, bound));
  m->run->probed = (size_t)m->run->options.probes;
  if (!roomy(m, g, c)) *bound = INFINITY; /* noise just found: longer steps */
  if (!(*bound <= m->run->tol) || count(m, g, 0, 0).held == 0) return LR_GO;
  return add_held(m, g, bound);
}

lr_code lr_model_certify_face(lr_model *m, lrgd_vec g, double *bound)
{
  m->run->probed = (size_t)m->run->options.probes;
  return add_held(m, g, bound);
}
