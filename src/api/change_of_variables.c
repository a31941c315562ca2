/* A change of variables for the solver, by the chain rule: with D =
 * diag(dx/dz), grad_z f = D grad_x f, and the slope along u in z is the one
 * along D u in x. x is clipped to the box, which rounding may leave. */
#include "base/elementary.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/policy.h"
#include "base/status.h"

#include <float.h>

struct lrgd_variables {
  size_t p;
  double *scale;
  unsigned char *log;        /* nonzero: the variable is a logarithm */
  double *lower_x, *upper_x; /* NULL: none */
  double *lower, *upper;     /* the bounds of z */
  lrgd_problem inner;        /* the user's problem, in x */
  double *x;                 /* a point for inner */
  double *columns;           /* more points or directions, and their room */
  size_t room;
  lrgd_complex *complex_x;
};

static double into(const lrgd_variables *t, size_t i, double x)
{
  return (t->log[i] ? lr_log(x) : x) / t->scale[i];
}

/* The x of z, always finite: a program must not get infinity, nor the
 * logarithm's zero. */
static double back(const lrgd_variables *t, size_t i, double z)
{
  double x = t->scale[i] * z;
  if (t->log[i]) x = fmax(lr_exp(x), DBL_MIN);
  x = fmin(fmax(x, -DBL_MAX), DBL_MAX);
  if (t->lower_x && x < t->lower_x[i]) x = t->lower_x[i];
  if (t->upper_x && x > t->upper_x[i]) x = t->upper_x[i];
  return x;
}

/* dx/dz at x. */
static double slope(const lrgd_variables *t, size_t i, double x)
{
  return t->log[i] ? t->scale[i] * x : t->scale[i];
}

void lrgd_variables_into(const lrgd_variables *t, const double *x, double *z)
{
  for (size_t i = 0; t && x && z && i < t->p; i++) z[i] = into(t, i, x[i]);
}

void lrgd_variables_back(const lrgd_variables *t, const double *z, double *x)
{
  for (size_t i = 0; t && x && z && i < t->p; i++) x[i] = back(t, i, z[i]);
}

lrgd_decision lrgd_variables_decision(const lrgd_variables *t,
                                      const lrgd_decision *decision)
{
  lrgd_decision d = decision ? *decision : (lrgd_decision){0};
  if (t && d.input > 0 && d.input <= t->p)
    d.value = back(t, d.input - 1, d.value);
  return d;
}

/* ---- the callbacks ---- */

/* Room for so many columns; false without memory. */
static bool need(lrgd_variables *t, size_t columns)
{
  if (columns <= t->room) return true;
  size_t count;
  if (!lr_product(columns, t->p, 1, &count)) return false;
  double *larger = lr_alloc_raw(&lr_malloc, count, sizeof *larger);
  if (!larger) return false;
  lr_free(&lr_malloc, t->columns);
  t->columns = larger;
  t->room = columns;
  return true;
}

static double ask_value(size_t p, const double *z, void *user)
{
  lrgd_variables *t = user;
  lrgd_variables_back(t, z, t->x);
  return t->inner.value(p, t->x, t->inner.user);
}

static void ask_values(size_t p, size_t m, const double *Z, double *f,
                       void *user)
{
  lrgd_variables *t = user;
  if (!need(t, m)) { /* without memory one by one, with the same results */
    for (size_t j = 0; j < m; j++) {
      lrgd_variables_back(t, Z + j * p, t->x);
      t->inner.values(p, 1, t->x, &f[j], t->inner.user);
    }
    return;
  }
  for (size_t j = 0; j < m; j++)
    lrgd_variables_back(t, Z + j * p, t->columns + j * p);
  t->inner.values(p, m, t->columns, f, t->inner.user);
}

static void start_value(size_t p, const double *z, uint64_t ticket, void *user)
{
  lrgd_variables *t = user;
  lrgd_variables_back(t, z, t->x);
  t->inner.start(p, t->x, ticket, t->inner.user);
}

static uint64_t finish_value(double *f, void *user)
{
  const lrgd_variables *t = user;
  return t->inner.finish(f, t->inner.user);
}

static double ask_gradient(size_t p, const double *z, double *g, void *user)
{
  lrgd_variables *t = user;
  lrgd_variables_back(t, z, t->x);
  double f = t->inner.gradient(p, t->x, g, t->inner.user);
  for (size_t i = 0; i < p; i++) g[i] *= slope(t, i, t->x[i]);
  return f;
}

static double ask_slopes(size_t p, const double *z, size_t k, const double *U,
                         double *d, void *user)
{
  lrgd_variables *t = user;
  double f = NAN;
  /* as many at once as memory allows: the results are the same */
  size_t most = need(t, k) ? k : 1;
  lrgd_variables_back(t, z, t->x);
  size_t first = 0;
  do {
    for (size_t j = 0; j < most; j++)
      for (size_t i = 0; i < p; i++)
        t->columns[j * p + i] = U[(first + j) * p + i] * slope(t, i, t->x[i]);
    double told = t->inner.slopes(p, t->x, most, t->columns,
                                  k > 0 ? d + first : d, t->inner.user);
    if (!lr_finite(f)) f = told;
    first += most;
  } while (first < k);
  return f;
}

/* The imaginary parts are those of the complex step: far too small to leave the
 * box or to affect exp. */
static lrgd_complex ask_complex(size_t p, const lrgd_complex *z, void *user)
{
  lrgd_variables *t = user;
  for (size_t i = 0; i < p; i++) {
    double x = back(t, i, z[i].re);
    double angle = t->scale[i] * z[i].im;
    t->complex_x[i] = t->log[i]
                          ? (lrgd_complex){x * lr_cos(angle), x * lr_sin(angle)}
                          : (lrgd_complex){x, angle};
  }
  return t->inner.complex_value(p, t->complex_x, t->inner.user);
}

static void ask_residuals(size_t p, const double *z, size_t m, double *r,
                          void *user)
{
  lrgd_variables *t = user;
  lrgd_variables_back(t, z, t->x);
  t->inner.residuals(p, t->x, m, r, t->inner.user);
}

static void ask_residual_batch(size_t p, size_t n, const double *Z, size_t m,
                               double *R, void *user)
{
  lrgd_variables *t = user;
  if (!need(t, n)) { /* without memory one by one, with the same results */
    for (size_t j = 0; j < n; j++) ask_residuals(p, Z + j * p, m, R + j * m, t);
    return;
  }
  for (size_t j = 0; j < n; j++)
    lrgd_variables_back(t, Z + j * p, t->columns + j * p);
  t->inner.residual_batch(p, n, t->columns, m, R, t->inner.user);
}

static void ask_residual_jacobian(size_t p, const double *z, size_t m,
                                  double *r, double *J, void *user)
{
  lrgd_variables *t = user;
  lrgd_variables_back(t, z, t->x);
  t->inner.residual_jacobian(p, t->x, m, r, J, t->inner.user);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < p; j++) J[i * p + j] *= slope(t, j, t->x[j]);
}

static void ask_residual_slopes(size_t p, const double *z, size_t k,
                                const double *U, size_t m, double *r, double *D,
                                void *user)
{
  lrgd_variables *t = user;
  /* as many at once as memory allows: the results are the same */
  size_t most = need(t, k) ? k : 1;
  lrgd_variables_back(t, z, t->x);
  for (size_t first = 0; first < k; first += most) {
    for (size_t j = 0; j < most; j++)
      for (size_t i = 0; i < p; i++)
        t->columns[j * p + i] = U[(first + j) * p + i] * slope(t, i, t->x[i]);
    t->inner.residual_slopes(p, t->x, most, t->columns, m, r, D + first * m,
                             t->inner.user);
  }
}

static size_t ask_unanswered(void *user)
{
  const lrgd_variables *t = user;
  return t->inner.unanswered(t->inner.user);
}

void lrgd_variables_wrap(lrgd_variables *t, lrgd_problem *problem)
{
  if (!t || !problem) return;
  t->inner = *problem;
  problem->user = t;
  problem->lower = t->lower;
  problem->upper = t->upper;
  if (problem->value) problem->value = ask_value;
  if (problem->values) problem->values = ask_values;
  if (problem->start) problem->start = start_value;
  if (problem->finish) problem->finish = finish_value;
  if (problem->gradient) problem->gradient = ask_gradient;
  if (problem->slopes) problem->slopes = ask_slopes;
  if (problem->complex_value) problem->complex_value = ask_complex;
  if (problem->residuals) problem->residuals = ask_residuals;
  if (problem->residual_batch) problem->residual_batch = ask_residual_batch;
  if (problem->residual_jacobian)
    problem->residual_jacobian = ask_residual_jacobian;
  if (problem->residual_slopes) problem->residual_slopes = ask_residual_slopes;
  if (problem->unanswered) problem->unanswered = ask_unanswered;
}

/* ---- creating a change of variables ---- */

static lrgd_status check_scale(size_t p, const double *scale, lrgd_error *error)
{
  for (size_t i = 0; scale && i < p; i++)
    if (!(scale[i] > 0) || !lr_finite(scale[i]))
      return lr_fail(error, LRGD_ERR_INVALID,
                     "the scale of input %zu is %g; it must be > 0", i + 1,
                     scale[i]);
  return LRGD_OK;
}

static lrgd_status check_log(const lrgd_problem *problem,
                             const unsigned char *log, lrgd_error *error)
{
  for (size_t i = 0; log && i < problem->dimension; i++)
    if (log[i] && problem->upper && !(problem->upper[i] > 0))
      return lr_fail(error, LRGD_ERR_INVALID,
                     "input %zu is at most %g, and has no logarithm", i + 1,
                     problem->upper[i]);
  return LRGD_OK;
}

/* Copies a bound, and writes it in z. */
static bool take_bound(const lrgd_variables *t, const double *given,
                       double **in_x, double **in_z)
{
  if (!given) return true;
  *in_x = lr_alloc(&lr_malloc, t->p, sizeof **in_x);
  *in_z = lr_alloc(&lr_malloc, t->p, sizeof **in_z);
  if (!*in_x || !*in_z) return false;
  for (size_t i = 0; i < t->p; i++) {
    (*in_x)[i] = given[i];
    (*in_z)[i] =
        t->log[i] && !(given[i] > 0) ? -INFINITY : into(t, i, given[i]);
  }
  return true;
}

static bool fill(lrgd_variables *t, const lrgd_problem *problem,
                 const double *scale, const unsigned char *log)
{
  t->scale = lr_alloc(&lr_malloc, t->p, sizeof *t->scale);
  t->log = lr_alloc(&lr_malloc, t->p, sizeof *t->log);
  t->x = lr_alloc(&lr_malloc, t->p, sizeof *t->x);
  t->complex_x = lr_alloc(&lr_malloc, problem->complex_value ? t->p : 1,
                          sizeof *t->complex_x);
  if (!t->scale || !t->log || !t->x || !t->complex_x || !need(t, 1))
    return false;
  for (size_t i = 0; i < t->p; i++) {
    t->scale[i] = scale ? scale[i] : 1;
    t->log[i] = log && log[i];
  }
  return take_bound(t, problem->lower, &t->lower_x, &t->lower) &&
         take_bound(t, problem->upper, &t->upper_x, &t->upper);
}

lrgd_status lrgd_variables_create(lrgd_variables **variables,
                                  const lrgd_problem *problem,
                                  const double *scale, const unsigned char *log,
                                  lrgd_error *error)
{
  if (!variables) return lr_fail(error, LRGD_ERR_INVALID, "no variables");
  *variables = NULL;
  if (!problem || problem->dimension == 0)
    return lr_fail(error, LRGD_ERR_INVALID, "a problem has inputs");
  lrgd_status status = check_scale(problem->dimension, scale, error);
  if (status == LRGD_OK) status = check_log(problem, log, error);
  if (status != LRGD_OK) return status;
  lrgd_variables *made = lr_alloc(&lr_malloc, 1, sizeof *made);
  if (made) made->p = problem->dimension;
  if (made && fill(made, problem, scale, log)) {
    *variables = made;
    return LRGD_OK;
  }
  lrgd_variables_destroy(&made);
  return lr_fail(error, LRGD_ERR_NOMEM, "out of memory for %zu inputs",
                 problem->dimension);
}

void lrgd_variables_destroy(lrgd_variables **variables)
{
  if (!variables || !*variables) return;
  lrgd_variables *t = *variables;
  void *owned[] = {t->scale, t->log,     t->lower_x,   t->upper_x, t->lower,
                   t->upper, t->columns, t->complex_x, t->x,       t};
  for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
    lr_free(&lr_malloc, owned[i]);
  *variables = NULL;
}

/* ---- scales by the widths of a box ---- */

/* Whether the start shows that the box of its input is far too large: it lies
 * close to a bound. */
static bool is_generous(const lrgd_problem *problem, size_t i, double start)
{
  double below = start - problem->lower[i], above = problem->upper[i] - start;
  double near = fmin(below, above);
  double width = problem->upper[i] - problem->lower[i];
  return near > 0 && near < lr_policy_current()->widths_near * width;
}

double lrgd_variables_widths(const lrgd_problem *problem, const double *start,
                             double *scale)
{
  if (!problem || !problem->lower || !problem->upper || !start || !scale)
    return 1;
  double least = INFINITY, most = 0;
  for (size_t i = 0; i < problem->dimension; i++) {
    double width = problem->upper[i] - problem->lower[i];
    if (!lr_finite(width) || is_generous(problem, i, start[i])) return 1;
    if (width > 0) least = fmin(least, width);
    most = fmax(most, width);
  }
  if (!(most > lr_policy_current()->widths_alike * least) ||
      !lr_finite(most / least))
    return 1;
  for (size_t i = 0; i < problem->dimension; i++) {
    double width = problem->upper[i] - problem->lower[i];
    scale[i] = width > 0 ? width : 1;
  }
  return most / least;
}
