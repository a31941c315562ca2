/* Problems composed of problems: the paper's algebra of low-rank functions.
 * Every callback of a composite applies the chain rule to the callbacks of its
 * parts. */
#include "analysis/composed_problem.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/status.h"

#include <math.h>

double *lr_composite_room(lrgd_composite *made, size_t count)
{
  if (count <= made->room_count) return made->room;
  double *more = lr_alloc(&lr_malloc, count, sizeof *more);
  if (!more) return NULL; /* the old block stays valid */
  lr_free(&lr_malloc, made->room);
  made->room = more;
  made->room_count = count;
  return more;
}

double lr_composite_no_numbers(size_t k, double *d)
{
  for (size_t i = 0; i < k; i++) d[i] = NAN;
  return NAN;
}

double lr_composite_ask(const lrgd_problem *f, const double *x)
{
  double y = NAN;
  if (f->value) return f->value(f->dimension, x, f->user);
  if (f->values) f->values(f->dimension, 1, x, &y, f->user);
  return y;
}

void lr_composite_ask_all(const lrgd_problem *f, size_t m, const double *X,
                          double *y)
{
  size_t p = f->dimension;
  if (f->values)
    f->values(p, m, X, y, f->user);
  else
    for (size_t i = 0; i < m; i++) y[i] = lr_composite_ask(f, X + i * p);
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
  lrgd_composite *made = user;
  double slope;
  (void)p;
  return made->phi(lr_composite_ask(&made->f, x), &slope, made->phi_user);
}

static void mapped_values(size_t p, size_t m, const double *X, double *f,
                          void *user)
{
  lrgd_composite *made = user;
  double slope;
  (void)p;
  lr_composite_ask_all(&made->f, m, X, f);
  for (size_t i = 0; i < m; i++) f[i] = made->phi(f[i], &slope, made->phi_user);
}

static double mapped_gradient(size_t p, const double *x, double *g, void *user)
{
  lrgd_composite *made = user;
  double slope, f = made->f.gradient(p, x, g, made->f.user);
  f = made->phi(f, &slope, made->phi_user);
  for (size_t i = 0; i < p; i++) g[i] *= slope;
  return f;
}

static double mapped_slopes(size_t p, const double *x, size_t k,
                            const double *U, double *d, void *user)
{
  lrgd_composite *made = user;
  double slope, f = made->f.slopes(p, x, k, U, d, made->f.user);
  f = made->phi(f, &slope, made->phi_user);
  for (size_t j = 0; j < k; j++) d[j] *= slope;
  return f;
}

/* ---- f + g, f g: d(f + g) = df + dg, d(f g) = g df + f dg ---- */

static double sum_value(size_t p, const double *x, void *user)
{
  lrgd_composite *made = user;
  (void)p;
  return lr_composite_ask(&made->f, x) + lr_composite_ask(&made->g, x);
}

static double product_value(size_t p, const double *x, void *user)
{
  lrgd_composite *made = user;
  (void)p;
  return lr_composite_ask(&made->f, x) * lr_composite_ask(&made->g, x);
}

/* Combines the derivatives of both parts, k numbers each, by the rule of the
 * composite; returns its value. */
static double join(const lrgd_composite *made, size_t k, double f, double g,
                   double *d, const double *e)
{
  for (size_t j = 0; j < k; j++)
    d[j] = made->sum ? d[j] + e[j] : g * d[j] + f * e[j];
  return made->sum ? f + g : f * g;
}

static double joined_gradient(size_t p, const double *x, double *g, void *user)
{
  lrgd_composite *made = user;
  double *e = lr_composite_room(made, p);
  if (!e) return lr_composite_no_numbers(p, g);
  double a = made->f.gradient(p, x, g, made->f.user);
  double b = made->g.gradient(p, x, e, made->g.user);
  return join(made, p, a, b, g, e);
}

static double joined_slopes(size_t p, const double *x, size_t k,
                            const double *U, double *d, void *user)
{
  lrgd_composite *made = user;
  double *e = lr_composite_room(made, k + 1);
  if (!e) return lr_composite_no_numbers(k, d);
  double a = made->f.slopes(p, x, k, U, d, made->f.user);
  double b = made->g.slopes(p, x, k, U, e, made->g.user);
  return join(made, k, a, b, d, e);
}

/* ---- creation and destruction ---- */

lrgd_status lr_composite_no_memory(lrgd_composite **made, lrgd_error *error)
{
  lrgd_composite_destroy(made);
  return lr_fail(error, LRGD_ERR_NOMEM, "out of memory for a made problem");
}

static size_t no_answer(const lrgd_problem *f)
{
  return f->unanswered ? f->unanswered(f->user) : 0;
}

/* Evaluations of the parts that ended without an answer. */
static size_t unanswered(void *user)
{
  const lrgd_composite *m = user;
  return no_answer(&m->f) + no_answer(&m->g);
}

lrgd_status lr_composite_begin(lrgd_composite **made, const lrgd_problem *f,
                               size_t p, lrgd_error *error)
{
  lrgd_problem part = {0};
  if (!made) return lr_fail(error, LRGD_ERR_INVALID, "made is NULL");
  *made = NULL;
  if (f && lr_problem_take(&part, f, error) != LRGD_OK) return LRGD_ERR_INVALID;
  if (part.dimension == 0)
    return lr_fail(error, LRGD_ERR_INVALID, "a part is NULL or has no inputs");
  if (!part.value && !part.values && !part.gradient && !part.slopes)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "a part has neither values, gradients nor slopes");
  *made = lr_alloc(&lr_malloc, 1, sizeof **made);
  if (!*made) return lr_composite_no_memory(made, error);
  (*made)->problem = lrgd_problem_default(p);
  (*made)->problem.user = *made;
  (*made)->problem.unanswered = unanswered;
  (*made)->f = part;
  return LRGD_OK;
}

void lrgd_composite_destroy(lrgd_composite **made)
{
  lrgd_composite *m = made ? *made : NULL;
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

const lrgd_problem *lrgd_composite_problem(const lrgd_composite *made)
{
  return made ? &made->problem : NULL;
}

size_t lrgd_composite_rank(const lrgd_composite *made)
{
  return made ? made->rank : 0;
}

bool lr_composite_has_values(const lrgd_problem *f)
{
  return f->value || f->values;
}

lrgd_status lrgd_composite_compose(lrgd_composite **made, lrgd_part f,
                                   lrgd_scalar_map phi, void *user,
                                   lrgd_error *error)
{
  if (!phi) return lr_fail(error, LRGD_ERR_INVALID, "phi is NULL");
  lrgd_status status = lr_composite_begin(
      made, f.problem, f.problem ? f.problem->dimension : 0, error);
  if (status != LRGD_OK || !*made) return status;
  lrgd_composite *m = *made;
  m->phi = phi;
  m->phi_user = user;
  m->rank = f.rank;
  m->problem.lower = m->f.lower;
  m->problem.upper = m->f.upper;
  if (lr_composite_has_values(&m->f)) m->problem.value = mapped_value;
  if (m->f.values) m->problem.values = mapped_values;
  if (m->f.gradient) m->problem.gradient = mapped_gradient;
  if (m->f.slopes) m->problem.slopes = mapped_slopes;
  return LRGD_OK;
}

lrgd_status lrgd_composite_scale(lrgd_composite **made, lrgd_part f, double a,
                                 lrgd_error *error)
{
  lrgd_status status = lrgd_composite_compose(made, f, scale_map, NULL, error);
  if (status != LRGD_OK || !*made) return status;
  (*made)->a = a;
  (*made)->phi_user = &(*made)->a;
  return LRGD_OK;
}

/* The intersection of the bounds of both parts. */
static lrgd_status meet(lrgd_composite *m)
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

static lrgd_status join_parts(lrgd_composite **made, lrgd_part f, lrgd_part g,
                              lrgd_value_fn value, lrgd_error *error)
{
  if (!f.problem || !g.problem || f.problem->dimension != g.problem->dimension)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "parts of %zu and %zu inputs cannot be joined",
                   f.problem ? f.problem->dimension : 0,
                   g.problem ? g.problem->dimension : 0);
  lrgd_status status =
      lr_composite_begin(made, f.problem, f.problem->dimension, error);
  if (status != LRGD_OK || !*made) return status;
  lrgd_composite *m = *made;
  size_t p = m->f.dimension, rank = f.rank + g.rank;
  if (lr_problem_take(&m->g, g.problem, error) != LRGD_OK) {
    lrgd_composite_destroy(made);
    return LRGD_ERR_INVALID;
  }
  m->sum = value == sum_value;
  m->rank = rank < p ? rank : p;
  if (lr_composite_has_values(&m->f) && lr_composite_has_values(&m->g))
    m->problem.value = value;
  if (m->f.gradient && m->g.gradient) m->problem.gradient = joined_gradient;
  if (m->f.slopes && m->g.slopes) m->problem.slopes = joined_slopes;
  if (!m->problem.value && !m->problem.gradient && !m->problem.slopes) {
    lrgd_composite_destroy(made);
    return lr_fail(error, LRGD_ERR_INVALID,
                   "the parts have no kind of answer in common");
  }
  return meet(m) == LRGD_OK ? LRGD_OK : lr_composite_no_memory(made, error);
}

lrgd_status lrgd_composite_sum(lrgd_composite **made, lrgd_part f, lrgd_part g,
                               lrgd_error *error)
{
  return join_parts(made, f, g, sum_value, error);
}

lrgd_status lrgd_composite_product(lrgd_composite **made, lrgd_part f,
                                   lrgd_part g, lrgd_error *error)
{
  return join_parts(made, f, g, product_value, error);
}
