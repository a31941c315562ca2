/* Problems made of problems: the paper's algebra of low-rank functions, and
 * changes of variables.  Every callback of what is made is the chain rule on
 * the callbacks of its parts. */
#include "base/finite.h"
#include "base/memory.h"
#include "base/status.h"

#include <cblas.h>
#include <lrgd/analysis.h>
#include <math.h>
#include <string.h>

struct lrgd_made {
  lrgd_problem problem; /* what is made; user is the lrgd_made */
  size_t rank;
  lrgd_problem f, g; /* its parts */
  double a;
  lrgd_scalar_map phi;
  void *phi_user;
  lrgd_change *changes;
  double *x0, *U; /* of a reduction */
  double *lower, *upper;
  double *room; /* scratch of a call */
  size_t room_count;
};

/* count numbers of scratch, NULL where there are none; what an earlier call
 * got is lost. */
static double *room(lrgd_made *made, size_t count)
{
  if (count <= made->room_count) return made->room;
  lr_free(&lr_malloc, made->room);
  made->room = lr_alloc(&lr_malloc, count, sizeof *made->room);
  made->room_count = made->room ? count : 0;
  return made->room;
}

static double no_numbers(size_t k, double *d)
{
  for (size_t i = 0; i < k; i++) d[i] = NAN;
  return NAN;
}

static double ask(const lrgd_problem *f, const double *x)
{
  double y = NAN;
  if (f->value) return f->value(f->dimension, x, f->user);
  f->values(f->dimension, 1, x, &y, f->user);
  return y;
}

static void ask_all(const lrgd_problem *f, size_t m, const double *X, double *y)
{
  size_t p = f->dimension;
  if (f->values)
    f->values(p, m, X, y, f->user);
  else
    for (size_t i = 0; i < m; i++) y[i] = ask(f, X + i * p);
}

/* ---- a f, phi(f) ---- */

static double scale_map(double t, double *slope, void *user)
{
  double a = *(double *)user;
  *slope = a;
  return a * t;
}

static double mapped_value(size_t p, const double *x, void *user)
{
  lrgd_made *made = user;
  double slope;
  (void)p;
  return made->phi(ask(&made->f, x), &slope, made->phi_user);
}

static void mapped_values(size_t p, size_t m, const double *X, double *f,
                          void *user)
{
  lrgd_made *made = user;
  double slope;
  (void)p;
  ask_all(&made->f, m, X, f);
  for (size_t i = 0; i < m; i++)
    f[i] = made->phi(f[i], &slope, made->phi_user);
}

static double mapped_gradient(size_t p, const double *x, double *g, void *user)
{
  lrgd_made *made = user;
  double slope, f = made->f.gradient(p, x, g, made->f.user);
  f = made->phi(f, &slope, made->phi_user);
  for (size_t i = 0; i < p; i++) g[i] *= slope;
  return f;
}

static double mapped_slopes(size_t p, const double *x, size_t k,
                            const double *U, double *d, void *user)
{
  lrgd_made *made = user;
  double slope, f = made->f.slopes(p, x, k, U, d, made->f.user);
  f = made->phi(f, &slope, made->phi_user);
  for (size_t j = 0; j < k; j++) d[j] *= slope;
  return f;
}

/* ---- f + g, f g: d(f + g) = df + dg, d(f g) = g df + f dg ---- */

static double sum_value(size_t p, const double *x, void *user)
{
  lrgd_made *made = user;
  (void)p;
  return ask(&made->f, x) + ask(&made->g, x);
}

static double product_value(size_t p, const double *x, void *user)
{
  lrgd_made *made = user;
  (void)p;
  return ask(&made->f, x) * ask(&made->g, x);
}

/* Slopes or a gradient of both parts, k numbers each, put together. */
static double join(lrgd_made *made, size_t k, double f, double g, double *d,
                   const double *e)
{
  bool sum = made->problem.value == sum_value;
  if (!made->problem.value) sum = made->a > 0;
  for (size_t j = 0; j < k; j++) d[j] = sum ? d[j] + e[j] : g * d[j] + f * e[j];
  return sum ? f + g : f * g;
}

static double joined_gradient(size_t p, const double *x, double *g, void *user)
{
  lrgd_made *made = user;
  double *e = room(made, p);
  if (!e) return no_numbers(p, g);
  double a = made->f.gradient(p, x, g, made->f.user);
  double b = made->g.gradient(p, x, e, made->g.user);
  return join(made, p, a, b, g, e);
}

static double joined_slopes(size_t p, const double *x, size_t k,
                            const double *U, double *d, void *user)
{
  lrgd_made *made = user;
  double *e = room(made, k + 1);
  if (!e) return no_numbers(k, d);
  double a = made->f.slopes(p, x, k, U, d, made->f.user);
  double b = made->g.slopes(p, x, k, U, e, made->g.user);
  return join(made, k, a, b, d, e);
}

/* ---- f(x(y)), coordinate by coordinate ---- */

static double forth(const lrgd_change *c, double y)
{
  double x = c->shift + c->scale * y;
  return c->exponential ? exp(x) : x;
}

/* dx/dy where x is what y became. */
static double rate(const lrgd_change *c, double x)
{
  return c->exponential ? c->scale * x : c->scale;
}

static void change_all(const lrgd_made *made, size_t p, size_t m,
                       const double *Y, double *X)
{
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < p; i++)
      X[j * p + i] = forth(&made->changes[i], Y[j * p + i]);
}

static double changed_value(size_t p, const double *y, void *user)
{
  lrgd_made *made = user;
  double *x = room(made, p);
  if (!x) return NAN;
  change_all(made, p, 1, y, x);
  return ask(&made->f, x);
}

static void changed_values(size_t p, size_t m, const double *Y, double *f,
                           void *user)
{
  lrgd_made *made = user;
  double *X = room(made, p * m);
  if (!X) {
    (void)no_numbers(m, f);
    return;
  }
  change_all(made, p, m, Y, X);
  ask_all(&made->f, m, X, f);
}

static double changed_gradient(size_t p, const double *y, double *g, void *user)
{
  lrgd_made *made = user;
  double *x = room(made, p);
  if (!x) return no_numbers(p, g);
  change_all(made, p, 1, y, x);
  double f = made->f.gradient(p, x, g, made->f.user);
  for (size_t i = 0; i < p; i++) g[i] *= rate(&made->changes[i], x[i]);
  return f;
}

static double changed_slopes(size_t p, const double *y, size_t k,
                             const double *U, double *d, void *user)
{
  lrgd_made *made = user;
  double *x = room(made, p * (k + 1)), *W = x + p;
  if (!x) return no_numbers(k, d);
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

static void expand(const lrgd_made *made, size_t m, const double *Z, double *X)
{
  size_t p = made->f.dimension, k = made->problem.dimension;
  for (size_t j = 0; j < m; j++) memcpy(X + j * p, made->x0, p * sizeof *X);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)p, (int)m, (int)k,
              1, made->U, (int)p, Z, (int)k, 1, X, (int)p);
  for (size_t i = 0; i < p * m; i++) X[i] = inside(&made->f, i % p, X[i]);
}

static double reduced_value(size_t k, const double *z, void *user)
{
  lrgd_made *made = user;
  double *x = room(made, made->f.dimension);
  (void)k;
  if (!x) return NAN;
  expand(made, 1, z, x);
  return ask(&made->f, x);
}

static void reduced_values(size_t k, size_t m, const double *Z, double *f,
                           void *user)
{
  lrgd_made *made = user;
  double *X = room(made, made->f.dimension * m);
  (void)k;
  if (!X) {
    (void)no_numbers(m, f);
    return;
  }
  expand(made, m, Z, X);
  ask_all(&made->f, m, X, f);
}

static double reduced_gradient(size_t k, const double *z, double *g, void *user)
{
  lrgd_made *made = user;
  size_t p = made->f.dimension;
  double *x = room(made, 2 * p);
  if (!x) return no_numbers(k, g);
  expand(made, 1, z, x);
  double f = made->f.gradient(p, x, x + p, made->f.user);
  cblas_dgemv(CblasColMajor, CblasTrans, (int)p, (int)k, 1, made->U, (int)p,
              x + p, 1, 0, g, 1);
  return f;
}

static double reduced_slopes(size_t k, const double *z, size_t m,
                             const double *V, double *d, void *user)
{
  lrgd_made *made = user;
  size_t p = made->f.dimension;
  double *x = room(made, p * (m + 1)), *W = x + p;
  if (!x) return no_numbers(m, d);
  expand(made, 1, z, x);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)p, (int)m, (int)k,
              1, made->U, (int)p, V, (int)k, 0, W, (int)p);
  return made->f.slopes(p, x, m, W, d, made->f.user);
}

/* ---- life ---- */

static lrgd_status no_memory(lrgd_made **made, lrgd_error *error)
{
  lrgd_made_destroy(made);
  return lr_fail(error, LRGD_ERR_NOMEM, "out of memory for a made problem");
}

static lrgd_status begin(lrgd_made **made, const lrgd_problem *f, size_t p,
                         lrgd_error *error)
{
  *made = NULL;
  if (!f || f->dimension == 0)
    return lr_fail(error, LRGD_ERR_INVALID, "a part is NULL or has no inputs");
  if (!f->value && !f->values && !f->gradient && !f->slopes)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "a part has neither values, gradients nor slopes");
  *made = lr_alloc(&lr_malloc, 1, sizeof **made);
  if (!*made) return no_memory(made, error);
  (*made)->problem = lrgd_problem_default(p);
  (*made)->problem.user = *made;
  (*made)->f = *f;
  return LRGD_OK;
}

void lrgd_made_destroy(lrgd_made **made)
{
  lrgd_made *m = made ? *made : NULL;
  if (!m) return;
  lr_free(&lr_malloc, m->changes);
  lr_free(&lr_malloc, m->x0);
  lr_free(&lr_malloc, m->U);
  lr_free(&lr_malloc, m->lower);
  lr_free(&lr_malloc, m->upper);
  lr_free(&lr_malloc, m->room);
  lr_free(&lr_malloc, m);
  *made = NULL;
}

const lrgd_problem *lrgd_made_problem(const lrgd_made *made)
{
  return &made->problem;
}

size_t lrgd_made_rank(const lrgd_made *made)
{
  return made->rank;
}

static bool has_values(const lrgd_problem *f)
{
  return f->value || f->values;
}

lrgd_status lrgd_made_compose(lrgd_made **made, lrgd_part f,
                              lrgd_scalar_map phi, void *user,
                              lrgd_error *error)
{
  lrgd_status status = begin(made, f.problem, f.problem->dimension, error);
  if (status != LRGD_OK) return status;
  lrgd_made *m = *made;
  m->phi = phi;
  m->phi_user = user;
  m->rank = f.rank;
  m->problem.lower = m->f.lower;
  m->problem.upper = m->f.upper;
  if (has_values(&m->f)) m->problem.value = mapped_value;
  if (m->f.values) m->problem.values = mapped_values;
  if (m->f.gradient) m->problem.gradient = mapped_gradient;
  if (m->f.slopes) m->problem.slopes = mapped_slopes;
  return LRGD_OK;
}

lrgd_status lrgd_made_scale(lrgd_made **made, lrgd_part f, double a,
                            lrgd_error *error)
{
  lrgd_status status = lrgd_made_compose(made, f, scale_map, NULL, error);
  if (status != LRGD_OK) return status;
  (*made)->a = a;
  (*made)->phi_user = &(*made)->a;
  return LRGD_OK;
}

/* The bounds that hold for both parts. */
static lrgd_status meet(lrgd_made *m)
{
  size_t p = m->f.dimension;
  if (!m->f.lower && !m->f.upper && !m->g.lower && !m->g.upper) return LRGD_OK;
  m->lower = lr_alloc(&lr_malloc, p, sizeof *m->lower);
  m->upper = lr_alloc(&lr_malloc, p, sizeof *m->upper);
  if (!m->lower || !m->upper) return LRGD_ERR_NOMEM;
  for (size_t i = 0; i < p; i++) {
    m->lower[i] = fmax(m->f.lower ? m->f.lower[i] : -INFINITY,
                       m->g.lower ? m->g.lower[i] : -INFINITY);
    m->upper[i] = fmin(m->f.upper ? m->f.upper[i] : INFINITY,
                       m->g.upper ? m->g.upper[i] : INFINITY);
  }
  m->problem.lower = m->lower;
  m->problem.upper = m->upper;
  return LRGD_OK;
}

static lrgd_status join_parts(lrgd_made **made, lrgd_part f, lrgd_part g,
                              lrgd_value_fn value, lrgd_error *error)
{
  if (!f.problem || !g.problem || f.problem->dimension != g.problem->dimension)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "parts of %zu and %zu inputs cannot be joined",
                   f.problem ? f.problem->dimension : 0,
                   g.problem ? g.problem->dimension : 0);
  lrgd_status status = begin(made, f.problem, f.problem->dimension, error);
  if (status != LRGD_OK) return status;
  lrgd_made *m = *made;
  size_t p = m->f.dimension, rank = f.rank + g.rank;
  m->g = *g.problem;
  m->a = value == sum_value;
  m->rank = rank < p ? rank : p;
  if (has_values(&m->f) && has_values(&m->g)) m->problem.value = value;
  if (m->f.gradient && m->g.gradient) m->problem.gradient = joined_gradient;
  if (m->f.slopes && m->g.slopes) m->problem.slopes = joined_slopes;
  if (!m->problem.value && !m->problem.gradient && !m->problem.slopes) {
    lrgd_made_destroy(made);
    return lr_fail(error, LRGD_ERR_INVALID,
                   "the parts have no kind of answer in common");
  }
  return meet(m) == LRGD_OK ? LRGD_OK : no_memory(made, error);
}

lrgd_status lrgd_made_sum(lrgd_made **made, lrgd_part f, lrgd_part g,
                          lrgd_error *error)
{
  return join_parts(made, f, g, sum_value, error);
}

lrgd_status lrgd_made_product(lrgd_made **made, lrgd_part f, lrgd_part g,
                              lrgd_error *error)
{
  return join_parts(made, f, g, product_value, error);
}

/* y with x(y) = x; the bound of a coordinate that cannot be had is none. */
static double back(const lrgd_change *c, double x)
{
  double t = c->exponential ? (x > 0 ? log(x) : -INFINITY) : x;
  return (t - c->shift) / c->scale;
}

static lrgd_status change_bounds(lrgd_made *m)
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

lrgd_status lrgd_made_change(lrgd_made **made, lrgd_part f,
                             const lrgd_change *changes, lrgd_error *error)
{
  bool affine;
  lrgd_status status = begin(made, f.problem, f.problem->dimension, error);
  if (status != LRGD_OK) return status;
  lrgd_made *m = *made;
  size_t p = m->f.dimension;
  status = check_changes(p, changes, &affine, error);
  if (status != LRGD_OK) {
    lrgd_made_destroy(made);
    return status;
  }
  m->rank = affine ? f.rank : p;
  m->changes = lr_alloc(&lr_malloc, p, sizeof *m->changes);
  if (!m->changes) return no_memory(made, error);
  memcpy(m->changes, changes, p * sizeof *changes);
  if (has_values(&m->f)) m->problem.value = changed_value;
  if (m->f.values) m->problem.values = changed_values;
  if (m->f.gradient) m->problem.gradient = changed_gradient;
  if (m->f.slopes) m->problem.slopes = changed_slopes;
  return change_bounds(m) == LRGD_OK ? LRGD_OK : no_memory(made, error);
}

lrgd_status lrgd_made_reduce(lrgd_made **made, const lrgd_problem *f,
                             const double *x0, size_t k, const double *U,
                             lrgd_error *error)
{
  lrgd_status status = begin(made, f, k, error);
  if (status != LRGD_OK) return status;
  lrgd_made *m = *made;
  size_t p = f->dimension;
  m->rank = k;
  m->x0 = lr_alloc(&lr_malloc, p, sizeof *m->x0);
  m->U = lr_alloc(&lr_malloc, p * k, sizeof *m->U);
  if (!m->x0 || !m->U) return no_memory(made, error);
  memcpy(m->x0, x0, p * sizeof *x0);
  memcpy(m->U, U, p * k * sizeof *U);
  if (has_values(f)) m->problem.value = reduced_value;
  if (f->values) m->problem.values = reduced_values;
  if (f->gradient) m->problem.gradient = reduced_gradient;
  if (f->slopes) m->problem.slopes = reduced_slopes;
  return LRGD_OK;
}
