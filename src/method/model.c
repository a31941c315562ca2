/* The model's life, its linear algebra and its bookkeeping. */
#include "method/model.h"

#include "base/finite.h"
#include "base/memory.h"
#include "method/method.h"
#include "space/vec.h"
#include "subspace/probe.h"

#include <math.h>
#include <string.h>

/* ---- life ---- */

lrgd_vec lr_model_vec(const lr_model *m, int column)
{
  return (lrgd_vec){m->vectors, (size_t)column};
}

static lr_code no_memory(lr_model *m)
{
  return lr_oracle_fault(&m->run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for a model of %zu directions in "
                         "dimension %zu",
                         m->most, m->run->space->dimension);
}

static bool allocate(lr_model *m)
{
  const lrgd_allocator *a = &m->run->allocator;
  size_t n = m->most;
  m->B = lr_alloc(a, n * n, sizeof *m->B);
  m->Q = lr_alloc(a, n * n, sizeof *m->Q);
  m->g = lr_alloc(a, 6 * (n + 1), sizeof *m->g);
  m->lapack = lr_lapack_create(a, n);
  bool boxed = lr_oracle_boxed(m->oracle);
  size_t columns = boxed ? LR_MODEL_BOXED_COLUMNS : LR_MODEL_COLUMNS;
  m->vectors = m->space->ops->make(m->space, columns);
  if (boxed) m->faces = lr_alloc(a, 2 * n * n + 2 * (n + 1), sizeof *m->faces);
  if (!m->B || !m->Q || !m->g || !m->lapack || !m->vectors) return false;
  if (boxed && !m->faces) return false;
  m->dz = m->g + (n + 1);
  m->fresh = m->g + 2 * (n + 1);
  m->column = m->g + 3 * (n + 1);
  m->hint = m->g + 4 * (n + 1);
  m->lambda = m->g + 5 * (n + 1);
  return true;
}

lr_code lr_model_init(lr_model *m, lr_run *run, const lr_point *start,
                      bool shared, size_t most, uint64_t stream)
{
  *m = (lr_model){.run = run,
                  .oracle = &run->oracle,
                  .space = run->space,
                  .most = most,
                  .draws = stream};
  m->V = shared ? &run->U : &m->own;
  if (!allocate(m)) return no_memory(m);
  if (!shared && lr_basis_init(&m->own, run->space, &run->allocator,
                               most < 16 ? most : 16) != LRGD_OK)
    return no_memory(m);
  m->start = *start;
  m->start.x = lr_model_vec(m, LR_MODEL_START);
  m->space->ops->copy(m->space, m->start.x, start->x, 1);
  lr_model_restart(m);
  return LR_GO;
}

void lr_model_clear(lr_model *m)
{
  if (!m->run) return;
  const lrgd_allocator *a = &m->run->allocator;
  lr_free(a, m->B);
  lr_free(a, m->Q);
  lr_free(a, m->g);
  lr_free(a, m->faces);
  lr_lapack_destroy(&m->lapack);
  m->space->ops->free(m->space, m->vectors);
  lr_basis_clear(&m->own);
  *m = (lr_model){0};
}

void lr_model_restart(lr_model *m)
{
  m->base = m->here = m->start;
  m->V->k = 0;
  m->trust = m->decomposed = false;
  m->longest = 0;
  m->checked_noise = 0;
}

void lr_model_forget(lr_model *m, size_t count)
{
  size_t k = m->V->k, left = k - count, n = m->most;
  for (size_t j = 0; count > 0 && j < left; j++) {
    m->space->ops->copy(m->space, lr_basis_column(m->V, j),
                        lr_basis_column(m->V, j + count), 1);
    m->g[j] = m->g[j + count];
    m->dz[j] = m->dz[j + count];
    memmove(m->B + j * n, m->B + (j + count) * n + count, left * sizeof *m->B);
  }
  m->V->k = left;
  m->decomposed = false;
}

/* ---- the model's algebra ---- */

static double *entry(lr_model *m, size_t i, size_t j)
{
  return &m->B[j * m->most + i];
}

double lr_model_mean_curvature(const lr_model *m)
{
  double sum = 0;
  size_t k = m->V->k;
  for (size_t j = 0; j < k; j++) sum += m->B[j * (m->most + 1)];
  return k > 0 ? sum / (double)k : 0;
}

/* Curvatures that are no numbers any more (values of 1e308, or a kink met from
 * both sides) go: steps about as long as x is large remain. */
static void mend_curvature(lr_model *m)
{
  size_t k = m->V->k;
  double c = lr_norm(k, m->g) / lr_oracle_scale(m->oracle, &m->here);
  bool good = true;
  for (size_t j = 0; j < k; j++)
    good = good && lr_all_finite(entry(m, 0, j), k);
  for (size_t j = 0; j < k && !good; j++)
    for (size_t i = 0; i < k; i++)
      *entry(m, i, j) = i != j ? 0 : c > 0 && lr_finite(c) ? c : 1;
}

/* Eigenvalues of B, made positive: |lambda|, and no less than a floor.  Steps
 * then go downhill in saddles too. */
lr_code lr_model_decompose(lr_model *m)
{
  size_t k = m->V->k;
  double largest = 0;
  if (m->decomposed) return LR_GO;
  mend_curvature(m);
  for (size_t j = 0; j < k; j++)
    memcpy(m->Q + j * k, m->B + j * m->most, k * sizeof *m->Q);
  if (lr_eigen(m->lapack, k, m->Q, m->lambda) != LRGD_OK)
    return lr_oracle_fault(&m->run->oracle, LRGD_ERR_NUMERIC,
                           "the model of %zu directions has no eigenvalues", k);
  for (size_t j = 0; j < k; j++) {
    m->lambda[j] = fabs(m->lambda[j]);
    largest = fmax(largest, m->lambda[j]);
  }
  for (size_t j = 0; j < k; j++)
    m->lambda[j] = fmax(m->lambda[j], 1e-9 * largest + 1e-300);
  m->largest = largest;
  m->decomposed = true;
  return LR_GO;
}

lr_code lr_model_solve(lr_model *m, const double *a, double *out, double *form)
{
  size_t k = m->V->k;
  LR_TRY(lr_model_decompose(m));
  *form = 0;
  for (size_t i = 0; out && i < k; i++) out[i] = 0;
  for (size_t j = 0; j < k; j++) {
    const double *q = m->Q + j * k;
    double c = lr_dot(k, q, a), w = c / m->lambda[j];
    *form += c * w;
    for (size_t i = 0; out && i < k; i++) out[i] -= w * q[i];
  }
  return LR_GO;
}

lr_code lr_model_gain(lr_model *m, double *gain)
{
  LR_TRY(lr_model_solve(m, m->g, NULL, gain));
  *gain *= 0.5;
  return LR_GO;
}

lr_code lr_model_gain_error(lr_model *m, double *gain)
{
  double c = lr_model_mean_curvature(m), sum = 0;
  double error = lr_oracle_slope_error(m->oracle, &m->here, c);
  LR_TRY(lr_model_decompose(m));
  for (size_t j = 0; j < m->V->k; j++)
    if (m->lambda[j] > 1e-3 * m->largest) sum += 1 / m->lambda[j];
  *gain = 0.5 * error * error * sum;
  return LR_GO;
}

/* Whether s is so short that the errors of two slopes, not their difference,
 * would make the curvature along it. */
static bool too_short(lr_model *m, double s)
{
  double c = fmax(m->largest, lr_model_mean_curvature(m));
  return s * c < lr_oracle_slope_error(m->oracle, &m->here, c);
}

/* Whether the errors of the slopes explain y, their change: there is nothing
 * to be learned from it then, but curvatures that are not there. */
static bool within_noise(lr_model *m, const double *y)
{
  size_t k = m->V->k;
  if (!(m->oracle->noise > 0)) return false;
  double c = lr_model_mean_curvature(m);
  double error = lr_oracle_slope_error(m->oracle, &m->here, c);
  return lr_norm(k, y) < 2 * sqrt(2 * (double)k) * error;
}

/* The secant update: B becomes right along s = dz, given y, the change of the
 * slopes.  BFGS where the curvature is positive; SR1 where it is not (skipping
 * it instead costs twice as much on Rosenbrock's function), if that does not
 * blow B up.  y y'/s'y is a curvature that f has where it is convex; ten times
 * any that was seen says that it is not. */
static void secant(lr_model *m, const double *y, double *Bs)
{
  size_t k = m->V->k;
  const double *s = m->dz;
  for (size_t i = 0; i < k; i++) Bs[i] = lr_dot(k, m->B + i * m->most, s);
  double sBs = lr_dot(k, s, Bs), sy = lr_dot(k, s, y);
  double yy = lr_dot(k, y, y), ss = lr_dot(k, s, s);
  double highest = 10 * fmax(m->largest, sqrt(yy / ss));
  if (sBs > 0 && sy > 1e-10 * sqrt(ss * yy) && yy < highest * sy) {
    for (size_t j = 0; j < k; j++)
      for (size_t i = 0; i < k; i++)
        *entry(m, i, j) += y[i] * y[j] / sy - Bs[i] * Bs[j] / sBs;
  } else {
    for (size_t i = 0; i < k; i++) Bs[i] = y[i] - Bs[i];
    double ww = lr_dot(k, Bs, Bs), ws = lr_dot(k, Bs, s);
    if (!(2 * fabs(ws) * m->largest > ww)) return;
    for (size_t j = 0; j < k; j++)
      for (size_t i = 0; i < k; i++) *entry(m, i, j) += Bs[i] * Bs[j] / ws;
  }
  m->decomposed = false;
}

/* ---- slopes ---- */

/* Curvatures along V as hints.  Below a thousandth of the largest they are no
 * more than what updates left there: a step as long as they suggest would pick
 * up the curvature that there is.  With that thousandth as a guess, no slope is
 * less accurate than the one along the largest. */
static void set_hints(lr_model *m)
{
  size_t k = m->V->k;
  double largest = 0;
  for (size_t j = 0; j < k; j++) largest = fmax(largest, fabs(*entry(m, j, j)));
  double low = 1e-3 * largest + 1e-300;
  for (size_t j = 0; j < k; j++)
    m->hint[j] = *entry(m, j, j) > low ? *entry(m, j, j) : -low;
}

/* fresh = slopes along V where the model has landed. */
static lr_code measure(lr_model *m)
{
  set_hints(m);
  m->oracle->incomplete = false;
  return lr_oracle_slopes_hinted(m->oracle, &m->here, lr_basis_column(m->V, 0),
                                 m->V->k, LRGD_DESCEND, m->hint, m->fresh);
}

lr_code lr_model_measure(lr_model *m)
{
  LR_TRY(measure(m));
  memcpy(m->g, m->fresh, m->V->k * sizeof *m->g);
  return LR_GO;
}

lr_code lr_model_slope(lr_model *m, lrgd_vec u, double c, lrgd_purpose why,
                       double *d)
{
  double two[2], guess = -fmax(fabs(c), 1e-300);
  LR_TRY(lr_oracle_slopes_hinted(m->oracle, &m->here, u, 1, why, &guess, two));
  *d = two[0];
  return LR_GO;
}

static lr_code try_at(lr_model *m, const lr_point *from, lrgd_vec u, double t,
                      lrgd_purpose why);

/* Slopes at the landing or, where they cannot be had, nearer to the base. */
static lr_code measure_or_retreat(lr_model *m)
{
  enum { TIMES = 12 };
  lrgd_vec step = lr_model_vec(m, LR_MODEL_STEP);
  lr_code code = measure(m);
  for (int i = 0; i < TIMES && code == LR_NOVALUE; i++) {
    if (!(lr_norm(m->V->k, m->dz) > 0)) break;
    for (size_t j = 0; j < m->V->k; j++) m->dz[j] *= 0.25;
    m->space->ops->scale(m->space, step, 0);
    lr_basis_expand(m->V, step, m->dz);
    m->here = m->base;
    LR_TRY(try_at(m, &m->base, step, 1, LRGD_SEARCH));
    if (!(m->trial.f < INFINITY)) continue;
    m->here = m->trial;
    m->longest = lr_norm(m->V->k, m->dz);
    code = measure(m);
  }
  return code;
}

lr_code lr_model_rebase(lr_model *m, const double *known)
{
  size_t k = m->V->k;
  if (!known) {
    LR_TRY(measure_or_retreat(m));
    known = m->fresh;
  }
  for (size_t i = 0; i < k; i++) m->column[i] = known[i] - m->g[i];
  double moved = lr_norm(k, m->dz);
  if (moved > 0 && !too_short(m, moved) && !within_noise(m, m->column))
    secant(m, m->column, m->hint);
  memmove(m->g, known, k * sizeof *m->g);
  memset(m->dz, 0, k * sizeof *m->dz);
  m->base = m->here;
  return LR_GO;
}

bool lr_model_draw(lr_model *m)
{
  double norm;
  lrgd_vec u = lr_model_vec(m, LR_MODEL_PROBE);
  bool found = lr_probe_direction(
      m->V, &m->run->domain, u, lr_model_vec(m, LR_MODEL_SPARE),
      (uint64_t)m->run->options.seed, m->draws++, &norm);
  m->oracle->wanted = (lrgd_vec){found ? u.block : NULL, u.col};
  m->oracle->wanted_id = 0;
  return found;
}

lr_code lr_model_probe(lr_model *m, double c, double *d)
{
  if (lr_oracle_had_slope(m->oracle, &m->here, LRGD_PROBE, d)) return LR_GO;
  return lr_model_slope(m, lr_model_vec(m, LR_MODEL_PROBE), c, LRGD_PROBE, d);
}

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
  m->space->ops->place(m->space, y, x, u, t);
  m->clipped = lr_oracle_boxed(m->oracle) &&
               m->space->ops->clip(m->space, y, m->oracle->box) > 0;
}

/* The value at from + t u, moved into the box; infinite where there is none. */
static lr_code try_at(lr_model *m, const lr_point *from, lrgd_vec u, double t,
                      lrgd_purpose why)
{
  m->trial.x = free_column(m);
  put_at(m, m->trial.x, from->x, u, t);
  lr_oracle_rename(m->oracle, &m->trial);
  lr_code code = lr_oracle_value(m->oracle, &m->trial, why);
  if (code == LR_NOVALUE) {
    m->trial.f = INFINITY;
    return LR_GO;
  }
  LR_TRY(code);
  return lr_run_offer(m->run, &m->trial);
}

/* Whether a length is near enough to where the parabola is least: from the
 * third on anything that is not far too short will do. */
static bool near_least(double length, double least, double bend, int trials)
{
  if (least >= 0.7 * length && least <= 1.4 * length) return true;
  return trials > 2 && bend > 0 && least <= 2 * length;
}

lr_code lr_model_search(lr_model *m, lrgd_vec u, double sign, double slope,
                        bool tried, double *t)
{
  double f0 = m->base.f, noise = m->oracle->noise, best = 0, length = *t;
  double level = lr_oracle_level(m->oracle, f0);
  lr_point first = m->here;
  if (!tried) {
    m->here = m->base;
    LR_TRY(try_at(m, &m->base, u, sign * length, LRGD_SEARCH));
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
    if (falls && near_least(length, least, bend, i + 1)) break;
    double next = fmin(fmax(least, 0.1 * length), (falls ? 4 : 0.5) * length);
    if (best == 0 && -slope * next < level) break; /* nothing to be seen */
    LR_TRY(try_at(m, &m->base, u, sign * next, LRGD_SEARCH));
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

lr_code lr_model_arrived(lr_model *m)
{
  lr_run *run = m->run;
  run->at = m->here;
  run->shown = m->V;
  run->moves++;
  lr_run_tell(run, LRGD_EVENT_ITERATION);
  if (run->moves >= (uint64_t)run->options.max_iterations)
    return lr_oracle_end(m->oracle, LRGD_BUDGET, "%g iterations are over",
                         (double)run->moves);
  return LR_GO;
}

lr_code lr_model_land(lr_model *m, double *fall)
{
  size_t k = m->V->k;
  bool trusted = m->trust;
  double form, t = 1;
  lrgd_vec step = lr_model_vec(m, LR_MODEL_STEP);
  *fall = m->promised = 0;
  m->trust = false;
  m->here = m->base;
  LR_TRY(lr_model_solve(m, m->g, m->column, &form));
  memset(m->dz, 0, k * sizeof *m->dz);
  if (!(form > 0)) return LR_GO;
  double size = lr_norm(k, m->column);
  if (m->longest > 0 && !trusted)
    t = fmin(1, LR_MODEL_LEAP * m->longest / size);
  m->space->ops->scale(m->space, step, 0);
  lr_basis_expand(m->V, step, m->column);
  LR_TRY(lr_model_search(m, step, 1, -form, false, &t));
  double bend = 0; /* dz'B dz, B as it is, not made positive */
  for (size_t j = 0; j < k; j++)
    bend += m->column[j] * lr_dot(k, m->B + j * m->most, m->column);
  double promised = m->promised = form - 0.5 * bend;
  if (t == 0) return LR_GO;
  *fall = m->base.f - m->here.f;
  m->trust = t == 1 && fabs(*fall - promised) <
                           0.01 * fabs(promised) + 2 * m->oracle->noise;
  for (size_t j = 0; j < k; j++) m->dz[j] = t * m->column[j];
  m->longest = fmax(m->longest, t * size);
  return lr_model_arrived(m);
}

/* In a box the last trial may be elsewhere: how far it is from `here`, and
 * *slope, how fast f rises on the way, by the gradient there. */
static double bent(lr_model *m, double h, double *slope)
{
  if (!m->clipped) return h;
  lrgd_vec s = lr_model_vec(m, LR_MODEL_NEXT);
  double size = 0;
  m->space->ops->place(m->space, s, m->trial.x, m->here.x, -1);
  (void)m->space->ops->measure(m->space, s, &size);
  m->space->ops->dot(m->space, s, 1, lr_model_vec(m, LR_MODEL_FULL), slope);
  *slope /= size;
  return size;
}

lr_code lr_model_curvature(lr_model *m, lrgd_vec u, double slope, double *c)
{
  double e = fmax(m->oracle->noise, 1e-15 * fmax(fabs(m->here.f), 1e-8));
  double h = sqrt(sqrt(e)) * lr_oracle_scale(m->oracle, &m->here);
  *c = 0;
  for (int i = 0; i < 12; i++) {
    LR_TRY(try_at(m, &m->here, u, h, LRGD_SEARCH));
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

/* ---- new directions ---- */

lr_code lr_model_append(lr_model *m, lrgd_vec u, double d, const double *column,
                        double c)
{
  size_t k = m->V->k;
  if (k >= m->most)
    return lr_oracle_fault(m->oracle, LRGD_ERR_NUMERIC,
                           "a model of %zu directions is full", m->most);
  if (k == m->V->capacity &&
      lr_basis_reserve(m->V, 2 * k < m->most ? 2 * k : m->most) != LRGD_OK)
    return no_memory(m);
  m->space->ops->copy(m->space, lr_basis_column(m->V, k), u, 1);
  for (size_t i = 0; i < k; i++)
    *entry(m, i, k) = *entry(m, k, i) = column ? column[i] : 0;
  *entry(m, k, k) = c;
  m->g[k] = d;
  m->dz[k] = 0;
  m->V->k = k + 1;
  m->decomposed = false;
  return LR_GO;
}

/* How far to go along u for its column: to the minimum, but no shorter than
 * what differences can resolve. */
static double base_line(lr_model *m, double d, double c, bool *short_of)
{
  size_t k = m->V->k;
  double away = 0, t = fabs(d) / c, least = 1e-12;
  if (k > 0) {
    lrgd_vec w = lr_model_vec(m, LR_MODEL_SPARE);
    m->space->ops->place(m->space, w, m->base.x, m->start.x, -1);
    (void)m->space->ops->measure(m->space, w, &away);
    least = fmax(least, 3e-4 * away / sqrt((double)k));
  }
  least = fmax(least, 6 * sqrt(m->oracle->noise / c));
  *short_of = t < least;
  t = fmax(t, least);
  /* in folded coordinates nothing is far away */
  bool leaps = m->longest > 0 && !m->oracle->fold.lower.block;
  return leaps ? fmin(t, LR_MODEL_LEAP * m->longest) : t;
}

/* Moves from the base along u by about t and makes that `here`; *t becomes the
 * signed length.  Where d is the slope at the base, f is to fall. */
static lr_code go_along(lr_model *m, lrgd_vec u, double d, double c, double *t)
{
  bool short_of, at_base = lr_norm(m->V->k, m->dz) == 0;
  double sign = d > 0 ? -1 : 1, length = base_line(m, d, c, &short_of);
  m->here = m->base;
  LR_TRY(try_at(m, &m->base, u, sign * length, LRGD_DESCEND));
  for (int i = 0; i < 12 && !(m->trial.f < INFINITY); i++) {
    length *= 0.25; /* a failure: nearer */
    LR_TRY(try_at(m, &m->base, u, sign * length, LRGD_DESCEND));
  }
  if (!(m->trial.f < INFINITY)) return LR_NOVALUE;
  /* higher than where it all began: c was too small by far, nearer */
  double highest = fmax(m->start.f, m->base.f);
  for (int i = 0; i < 12 && m->trial.f > highest; i++) {
    double rise = m->trial.f - m->base.f + length * fabs(d);
    double least = 0.5 * fabs(d) * length * length / rise;
    length = fmin(fmax(least, 1e-3 * length), 0.25 * length);
    LR_TRY(try_at(m, &m->base, u, sign * length, LRGD_DESCEND));
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
  m->space->ops->place(m->space, w, m->here.x, m->base.x, -1);
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
  LR_TRY(measure(m));
  for (size_t i = 0; i < k; i++) m->column[i] = (m->fresh[i] - m->g[i]) / t;
  d -= lr_dot(k, m->column, m->dz); /* the slope along u at the old base */
  double bend = 2 * (m->here.f - m->base.f - t * d) / (t * t);
  *rho = 1;
  if (k > 0 && bend > 0) {
    LR_TRY(lr_model_solve(m, m->column, NULL, &explained));
    *rho = fmin(fmax(1 - explained / bend, 0), 1);
  }
  memcpy(m->g, m->fresh, k * sizeof *m->g);
  LR_TRY(lr_model_append(m, u, d + bend * t, m->column, bend));
  memset(m->dz, 0, (k + 1) * sizeof *m->dz);
  m->longest = fmax(m->longest, fabs(t));
  m->base = m->here;
  return lr_model_arrived(m);
}

/* ---- what is known ---- */

lr_code lr_model_check_noise(lr_model *m)
{
  LR_TRY(lr_oracle_measure_noise(m->oracle, &m->here, m->draws++));
  m->checked_noise = lrgd_counts_evaluations(&m->oracle->counts) + 1;
  return LR_GO;
}

lr_code lr_model_certify(lr_model *m, double *bound)
{
  m->run->at = m->here;
  m->run->grad_norm = lr_norm(m->V->k, m->g);
  return lr_check_outside(m->run, m->V, lr_model_mean_curvature(m), bound);
}
