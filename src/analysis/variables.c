/* A problem in other variables: a transformation of each coordinate, or a
 * restriction to a subspace. */
#include "analysis/composed_problem.h"
#include "base/elementary.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

/* ---- f(x(y)), coordinate by coordinate ---- */

static double forth(const lrgd_change *c, double y)
{
  double x = c->shift + c->scale * y;
  return c->exponential ? lr_exp(x) : x;
}

/* dx/dy at x. */
static double rate(const lrgd_change *c, double x)
{
  return c->exponential ? c->scale * x : c->scale;
}

static void change_all(const lrgd_composite *made, size_t p, size_t m,
                       const double *Y, double *X)
{
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < p; i++)
      X[j * p + i] = forth(&made->changes[i], Y[j * p + i]);
}

static double changed_value(size_t p, const double *y, void *user)
{
  lrgd_composite *made = user;
  double *x = lr_composite_room(made, p);
  if (!x) return NAN;
  change_all(made, p, 1, y, x);
  return lr_composite_ask(&made->f, x);
}

static void changed_values(size_t p, size_t m, const double *Y, double *f,
                           void *user)
{
  lrgd_composite *made = user;
  double *X = lr_composite_room(made, p * m);
  if (!X) { /* no memory for a batch: one point at a time */
    for (size_t j = 0; j < m; j++) f[j] = changed_value(p, Y + j * p, user);
    return;
  }
  change_all(made, p, m, Y, X);
  lr_composite_ask_all(&made->f, m, X, f);
}

static double changed_gradient(size_t p, const double *y, double *g, void *user)
{
  lrgd_composite *made = user;
  double *x = lr_composite_room(made, p);
  if (!x) return lr_composite_no_numbers(p, g);
  change_all(made, p, 1, y, x);
  double f = made->f.gradient(p, x, g, made->f.user);
  for (size_t i = 0; i < p; i++) g[i] *= rate(&made->changes[i], x[i]);
  return f;
}

static double changed_slopes(size_t p, const double *y, size_t k,
                             const double *U, double *d, void *user)
{
  lrgd_composite *made = user;
  double *x = lr_composite_room(made, p * (k + 1));
  if (!x) return lr_composite_no_numbers(k, d);
  double *W = x + p;
  change_all(made, p, 1, y, x);
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < p; i++)
      W[j * p + i] = rate(&made->changes[i], x[i]) * U[j * p + i];
  return made->f.slopes(p, x, k, W, d, made->f.user);
}

/* ---- f(x0 + U z) ---- */

static double inside(const lrgd_problem *f, size_t i, double x)
{
  if (f->lower && x < f->lower[i]) return f->lower[i];
  if (f->upper && x > f->upper[i]) return f->upper[i];
  return x;
}

static void expand(lrgd_composite *made, size_t m, const double *Z, double *X)
{
  size_t p = made->f.dimension, k = made->problem.dimension;
  for (size_t j = 0; j < m; j++) {
    memcpy(X + j * p, made->x0, p * sizeof *X);
    lr_gemv(p, k, made->U, p, Z + j * k, X + j * p);
  }
  for (size_t i = 0; i < p * m; i++) {
    double x = inside(&made->f, i % p, X[i]);
    /* more than the roundings of k products */
    made->left |= fabs(x - X[i]) > 1e-9 * fmax(1, fabs(x));
    X[i] = x;
  }
}

static double reduced_value(size_t k, const double *z, void *user)
{
  lrgd_composite *made = user;
  double *x = lr_composite_room(made, made->f.dimension);
  (void)k;
  if (!x) return NAN;
  expand(made, 1, z, x);
  return lr_composite_ask(&made->f, x);
}

static void reduced_values(size_t k, size_t m, const double *Z, double *f,
                           void *user)
{
  lrgd_composite *made = user;
  double *X = lr_composite_room(made, made->f.dimension * m);
  if (!X) {
    for (size_t j = 0; j < m; j++) f[j] = reduced_value(k, Z + j * k, user);
    return;
  }
  expand(made, m, Z, X);
  lr_composite_ask_all(&made->f, m, X, f);
}

static double reduced_gradient(size_t k, const double *z, double *g, void *user)
{
  lrgd_composite *made = user;
  size_t p = made->f.dimension;
  double *x = lr_composite_room(made, 2 * p);
  if (!x) return lr_composite_no_numbers(k, g);
  expand(made, 1, z, x);
  double f = made->f.gradient(p, x, x + p, made->f.user);
  lr_gemv_t(p, k, made->U, p, x + p, g);
  return f;
}

static double reduced_slopes(size_t k, const double *z, size_t m,
                             const double *V, double *d, void *user)
{
  lrgd_composite *made = user;
  size_t p = made->f.dimension;
  double *x = lr_composite_room(made, p * (m + 1));
  if (!x) return lr_composite_no_numbers(m, d);
  double *W = x + p;
  expand(made, 1, z, x);
  lr_gemm(p, m, k, made->U, p, V, W, p);
  return made->f.slopes(p, x, m, W, d, made->f.user);
}

/* The y with x(y) = x; a bound that has no such y is dropped. */
static double back(const lrgd_change *c, double x)
{
  double t = c->exponential ? (x > 0 ? lr_log(x) : -INFINITY) : x;
  return (t - c->shift) / c->scale;
}

static lrgd_status change_bounds(lrgd_composite *m)
{
  size_t p = m->f.dimension;
  if (!m->f.lower && !m->f.upper) return LRGD_OK;
  m->lower = lr_alloc(&lr_malloc, p, sizeof *m->lower);
  m->upper = lr_alloc(&lr_malloc, p, sizeof *m->upper);
  if (!m->lower || !m->upper) return LRGD_ERR_NOMEM;
  for (size_t i = 0; i < p; i++) {
    const lrgd_change *c = &m->changes[i];
    double a = back(c, m->f.lower ? m->f.lower[i] : -INFINITY);
    double b = back(c, m->f.upper ? m->f.upper[i] : INFINITY);
    m->lower[i] = fmin(a, b);
    m->upper[i] = fmax(a, b);
  }
  m->problem.lower = m->lower;
  m->problem.upper = m->upper;
  return LRGD_OK;
}

static lrgd_status check_changes(size_t p, const lrgd_change *changes,
                                 bool *affine, lrgd_error *error)
{
  *affine = true;
  for (size_t i = 0; i < p; i++) {
    const lrgd_change *c = &changes[i];
    *affine = *affine && !c->exponential;
    if (!lr_finite(c->shift) || !lr_finite(c->scale) || c->scale == 0)
      return lr_fail(error, LRGD_ERR_INVALID,
                     "coordinate %zu: shift %g and scale %g change nothing "
                     "sensible",
                     i, c->shift, c->scale);
  }
  return LRGD_OK;
}

lrgd_status lrgd_composite_change(lrgd_composite **made, lrgd_part f,
                                  const lrgd_change *changes, lrgd_error *error)
{
  bool affine;
  if (!changes) return lr_fail(error, LRGD_ERR_INVALID, "changes is NULL");
  lrgd_status status = lr_composite_begin(
      made, f.problem, f.problem ? f.problem->dimension : 0, error);
  if (status != LRGD_OK) return status;
  lrgd_composite *m = *made;
  size_t p = m->f.dimension;
  status = check_changes(p, changes, &affine, error);
  if (status != LRGD_OK) {
    lrgd_composite_destroy(made);
    return status;
  }
  m->rank = affine ? f.rank : p;
  m->changes = lr_alloc(&lr_malloc, p, sizeof *m->changes);
  if (!m->changes) return lr_composite_no_memory(made, error);
  memcpy(m->changes, changes, p * sizeof *changes);
  if (lr_composite_has_values(&m->f)) m->problem.value = changed_value;
  if (m->f.values) m->problem.values = changed_values;
  if (m->f.gradient) m->problem.gradient = changed_gradient;
  if (m->f.slopes) m->problem.slopes = changed_slopes;
  /* the scratch for a single value is allocated now */
  bool all = change_bounds(m) == LRGD_OK && lr_composite_room(m, p);
  return all ? LRGD_OK : lr_composite_no_memory(made, error);
}

lrgd_status lrgd_composite_reduce(lrgd_composite **made, const lrgd_problem *f,
                                  const double *x0, size_t k, const double *U,
                                  lrgd_error *error)
{
  if (!x0 || !U) return lr_fail(error, LRGD_ERR_INVALID, "x0 or U is NULL");
  lrgd_status status = lr_composite_begin(made, f, k, error);
  if (status != LRGD_OK) return status;
  lrgd_composite *m = *made;
  size_t p = f->dimension;
  m->rank = k;
  m->x0 = lr_alloc(&lr_malloc, p, sizeof *m->x0);
  m->U = lr_alloc(&lr_malloc, p * k, sizeof *m->U);
  if (!m->x0 || !m->U || !lr_composite_room(m, 2 * p))
    return lr_composite_no_memory(made, error);
  memcpy(m->x0, x0, p * sizeof *x0);
  memcpy(m->U, U, p * k * sizeof *U);
  if (lr_composite_has_values(f)) m->problem.value = reduced_value;
  if (f->values) m->problem.values = reduced_values;
  if (f->gradient) m->problem.gradient = reduced_gradient;
  if (f->slopes) m->problem.slopes = reduced_slopes;
  return LRGD_OK;
}
