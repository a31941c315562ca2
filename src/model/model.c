/* The model's memory, linear algebra, secant updates and derivatives; its steps
 * are in model_step.c. */
#include "model/model.h"

#include "base/finite.h"
#include "base/memory.h"
#include "model/model_rules.h"
#include "space/vec.h"
#include "subspace/probe.h"

#include <math.h>
#include <string.h>

/* ---- memory ---- */

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
  m->eigen.Q = lr_alloc(a, n * n, sizeof *m->eigen.Q);
  m->g = lr_alloc(a, 7 * (n + 1), sizeof *m->g);
  m->work.dense = lr_dense_create(a, n);
  bool boxed = lr_oracle_boxed(m->oracle);
  size_t columns = boxed ? LR_MODEL_BOXED_COLUMNS : LR_MODEL_COLUMNS;
  m->vectors = m->space->ops->make(m->space, columns);
  if (boxed)
    m->work.faces = lr_alloc(a, 2 * n * n + 4 * (n + 1), sizeof *m->work.faces);
  if (!m->B || !m->eigen.Q || !m->g || !m->work.dense || !m->vectors)
    return false;
  if (boxed && !m->work.faces) return false;
  m->dz = m->g + (n + 1);
  m->work.fresh = m->g + 2 * (n + 1);
  m->work.column = m->g + 3 * (n + 1);
  m->work.hint = m->g + 4 * (n + 1);
  m->eigen.lambda = m->g + 5 * (n + 1);
  m->secant.y = m->g + 6 * (n + 1);
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
  lr_model_start_at(m, start);
  return LR_GO;
}

void lr_model_start_at(lr_model *m, const lr_point *start)
{
  m->start = *start;
  m->start.x = lr_model_vec(m, LR_MODEL_START);
  m->space->ops->copy(m->space, m->start.x, start->x, 1);
  lr_model_restart(m);
}

void lr_model_clear(lr_model *m)
{
  if (!m->run) return;
  const lrgd_allocator *a = &m->run->allocator;
  lr_free(a, m->B);
  lr_free(a, m->eigen.Q);
  lr_free(a, m->g);
  lr_free(a, m->work.faces);
  lr_dense_destroy(&m->work.dense);
  m->space->ops->free(m->space, m->vectors);
  lr_basis_clear(&m->own);
  *m = (lr_model){0};
}

lr_code lr_model_load(lr_model *m, const lr_fit *fit)
{
  lrgd_vec u = lr_model_vec(m, LR_MODEL_SPARE);
  for (size_t j = 0; j < fit->q && j < m->most; j++) {
    m->space->ops->put(m->space, u, 0, fit->p, fit->V + j * fit->p);
    const double *column = fit->B + j * fit->room;
    LR_TRY(lr_model_append(m, u, fit->g[j], column, column[j]));
  }
  m->landing.longest = fit->reach;
  return LR_GO;
}

void lr_model_restart(lr_model *m)
{
  m->base = m->here = m->start;
  m->V->k = 0;
  m->landing.trust = m->eigen.decomposed = false;
  m->landing.longest = 0;
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
  m->secant.sy = 0;
  m->eigen.decomposed = false;
}

/* ---- linear algebra ---- */

static double *entry(lr_model *m, size_t i, size_t j)
{
  return &m->B[j * m->most + i];
}

double lr_model_mean_curvature_from(const lr_model *m, size_t first)
{
  double sum = 0;
  size_t k = m->V->k;
  for (size_t j = first; j < k; j++) sum += m->B[j * (m->most + 1)];
  return k > first ? sum / (double)(k - first) : 0;
}

double lr_model_mean_curvature(const lr_model *m)
{
  return lr_model_mean_curvature_from(m, 0);
}

double lr_model_spread(const lr_model *m)
{
  return lr_model_mean_curvature(m) * (double)m->V->k /
         (double)lr_run_dimension(m->run);
}

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
  m->eigen.decomposed = false;
  return LR_GO;
}

/* Replaces a Hessian that overflowed (values of 1e308, or a kink approached
 * from both sides) by a multiple of the identity, whose steps are about as long
 * as x. */
static void replace_overflow(lr_model *m)
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

/* Replaces eigenvalues by |lambda|, and by a floor where that is larger, so
 * that Newton's step decreases the model at saddle points too. */
lr_code lr_model_decompose(lr_model *m)
{
  size_t k = m->V->k;
  double largest = 0;
  if (m->eigen.decomposed) return LR_GO;
  replace_overflow(m);
  for (size_t j = 0; j < k; j++)
    memcpy(m->eigen.Q + j * k, m->B + j * m->most, k * sizeof *m->eigen.Q);
  if (lr_eigen(m->work.dense, k, m->eigen.Q, m->eigen.lambda) != LRGD_OK)
    return lr_oracle_fault(&m->run->oracle, LRGD_ERR_NUMERIC,
                           "the model of %zu directions has no eigenvalues", k);
  for (size_t j = 0; j < k; j++) {
    m->eigen.lambda[j] = fabs(m->eigen.lambda[j]);
    largest = fmax(largest, m->eigen.lambda[j]);
  }
  double least = lr_model_least_curvature(m->run->policy, largest);
  for (size_t j = 0; j < k; j++)
    m->eigen.lambda[j] = fmax(m->eigen.lambda[j], least);
  m->eigen.largest = largest;
  m->eigen.decomposed = true;
  return LR_GO;
}

lr_code lr_model_solve(lr_model *m, const double *a, double *out, double *form)
{
  size_t k = m->V->k;
  LR_TRY(lr_model_decompose(m));
  *form = 0;
  for (size_t i = 0; out && i < k; i++) out[i] = 0;
  for (size_t j = 0; j < k; j++) {
    const double *q = m->eigen.Q + j * k;
    double c = lr_dot(k, q, a), w = c / m->eigen.lambda[j];
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
  double known = lr_model_known_curvature(m->run->policy, m->eigen.largest);
  for (size_t j = 0; j < m->V->k; j++)
    if (m->eigen.lambda[j] > known) sum += 1 / m->eigen.lambda[j];
  *gain = 0.5 * error * error * sum;
  return LR_GO;
}

/* Whether a step of length s changes derivatives by less than their errors, so
 * that its secant curvature would consist of these. */
static bool too_short(lr_model *m, double s)
{
  double c = fmax(m->eigen.largest, lr_model_mean_curvature(m));
  return s * c < lr_oracle_slope_error(m->oracle, &m->here, c);
}

/* Whether errors of the derivatives under noise explain their change y: an
 * update would then add spurious curvature. */
static bool within_noise(lr_model *m, const double *y)
{
  size_t k = m->V->k;
  if (!(m->oracle->differences.noise > 0)) return false;
  double c = lr_model_mean_curvature(m);
  double error = lr_oracle_slope_error(m->oracle, &m->here, c);
  return lr_model_change_is_noise(m->run->policy, lr_norm(k, y), k, error);
}

/* The secant update of B from the step s = dz and the change y of the
 * derivatives: BFGS where the curvature s'y is positive and y'y/s'y is a
 * curvature that f can have; else SR1, if that leaves B bounded.  (Without SR1,
 * Rosenbrock's function costs twice as much.) */
static void secant(lr_model *m, const double *y, double *Bs)
{
  size_t k = m->V->k;
  const double *s = m->dz;
  for (size_t i = 0; i < k; i++) Bs[i] = lr_dot(k, m->B + i * m->most, s);
  double sBs = lr_dot(k, s, Bs), sy = lr_dot(k, s, y);
  const lr_secant_view pair = {.ss = lr_dot(k, s, s),
                               .sy = sy,
                               .yy = lr_dot(k, y, y),
                               .sBs = sBs,
                               .largest = m->eigen.largest};
  if (lr_model_suits_bfgs(m->run->policy, &pair)) {
    m->secant.sy = sy;
    for (size_t j = 0; j < k; j++)
      for (size_t i = 0; i < k; i++)
        *entry(m, i, j) += y[i] * y[j] / sy - Bs[i] * Bs[j] / sBs;
  } else {
    for (size_t i = 0; i < k; i++) Bs[i] = y[i] - Bs[i];
    double ww = lr_dot(k, Bs, Bs), ws = lr_dot(k, Bs, s);
    if (!lr_model_suits_sr1(m->run->policy, ws, ww, m->eigen.largest)) return;
    for (size_t j = 0; j < k; j++)
      for (size_t i = 0; i < k; i++) *entry(m, i, j) += Bs[i] * Bs[j] / ws;
  }
  m->eigen.decomposed = false;
}

void lr_model_learn(lr_model *m, const double *y, double *scratch)
{
  double moved = lr_norm(m->V->k, m->dz);
  if (moved > 0 && !too_short(m, moved) && !within_noise(m, y))
    secant(m, y, scratch);
}

/* ---- slopes ---- */

/* Sets the hints for difference steps: the curvatures along V.  A small
 * curvature results from secant updates and was not measured; the long
 * difference step that it suggests would be spoilt by the true curvature.  The
 * least measured curvature is used in its place, marked as a guess (negative):
 * it is accurate enough for the derivative. */
static void set_hints(lr_model *m)
{
  size_t k = m->V->k;
  double largest = 0;
  for (size_t j = 0; j < k; j++) largest = fmax(largest, fabs(*entry(m, j, j)));
  double low = lr_model_known_curvature(m->run->policy, largest);
  for (size_t j = 0; j < k; j++)
    m->work.hint[j] = *entry(m, j, j) > low ? *entry(m, j, j) : -low;
}

lr_code lr_model_ask_slopes(lr_model *m)
{
  set_hints(m);
  lr_oracle_begin_gradient(m->oracle);
  return lr_oracle_slopes_hinted(m->oracle, &m->here, lr_basis_column(m->V, 0),
                                 m->V->k, LRGD_PURPOSE_DESCEND, m->work.hint,
                                 m->work.fresh);
}

lr_code lr_model_measure(lr_model *m)
{
  LR_TRY(lr_model_ask_slopes(m));
  memcpy(m->g, m->work.fresh, m->V->k * sizeof *m->g);
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

bool lr_model_draw(lr_model *m)
{
  double norm;
  lrgd_vec u = lr_model_vec(m, LR_MODEL_PROBE);
  bool found = lr_probe_direction(m->V, &m->run->domain, u,
                                  lr_model_vec(m, LR_MODEL_SPARE),
                                  m->oracle->seed, m->draws++, &norm);
  lr_oracle_want(m->oracle, (lrgd_vec){found ? u.block : NULL, u.col});
  return found;
}

lr_code lr_model_probe(lr_model *m, double c, double *d)
{
  if (lr_oracle_had_slope(m->oracle, &m->here, LRGD_PURPOSE_PROBE, d))
    return LR_GO;
  return lr_model_slope(m, lr_model_vec(m, LR_MODEL_PROBE), c,
                        LRGD_PURPOSE_PROBE, d);
}

lr_code lr_model_foresee_slopes(lr_model *m, double c, size_t most, bool *done)
{
  lr_oracle *o = m->oracle;
  size_t k = m->V->k, each = o->differences.two_sided ? 2 : 1;
  *done = (double)o->width >= m->run->policy->wide_least_width &&
          o->ahead.points && most <= o->ahead.room && each * (k + 1) <= most &&
          lr_oracle_begin_plan(o);
  if (!*done) return LR_GO;
  set_hints(m);
  for (size_t j = 0; j < k && *done; j++)
    *done = lr_oracle_plan_slope(o, &m->here, lr_basis_column(m->V, j),
                                 m->work.hint[j]);
  *done = *done &&
          lr_oracle_plan_slope(o, &m->here, lr_model_vec(m, LR_MODEL_PROBE),
                               -fmax(fabs(c), 1e-300));
  return lr_oracle_ask_planned(o, LRGD_PURPOSE_DESCEND);
}

/* ---- noise ---- */

lr_code lr_model_check_noise(lr_model *m)
{
  m->believed = m->oracle->differences.noise;
  LR_TRY(lr_oracle_measure_noise(m->oracle, &m->here, m->draws++));
  lr_run_tell_noise(m->run);
  return LR_GO;
}

bool lr_model_misled(const lr_policy *P, const lr_model *m, double times)
{
  double noise = m->oracle->differences.noise,
         gained = fabs(m->start.f - m->here.f);
  return noise > times * m->believed &&
         lr_model_noise_matters(P, noise, gained);
}
