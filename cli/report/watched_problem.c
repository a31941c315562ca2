/* Callbacks that forward requests and collect directional derivatives from the
 * answers. */
#include "watched_problem.h"

static double watch_value(size_t p, const double *x, void *user)
{
  watching *w = user;
  double f = w->inner.value(p, x, w->inner.user);
  slopes_value(w->slopes, x, f);
  return f;
}

static void watch_values(size_t p, size_t m, const double *X, double *f,
                         void *user)
{
  watching *w = user;
  w->inner.values(p, m, X, f, w->inner.user);
  for (size_t j = 0; j < m; j++) slopes_value(w->slopes, X + j * p, f[j]);
}

static double watch_gradient(size_t p, const double *x, double *g, void *user)
{
  watching *w = user;
  double f = w->inner.gradient(p, x, g, w->inner.user);
  slopes_gradient(w->slopes, x, g);
  return f;
}

static double watch_slopes(size_t p, const double *x, size_t k, const double *U,
                           double *d, void *user)
{
  watching *w = user;
  double f = w->inner.slopes(p, x, k, U, d, w->inner.user);
  for (size_t j = 0; j < k; j++) slopes_slope(w->slopes, x, U + j * p, d[j]);
  return f;
}

static lrgd_complex watch_complex(size_t p, const lrgd_complex *z, void *user)
{
  watching *w = user;
  lrgd_complex f = w->inner.complex_value(p, z, w->inner.user);
  for (size_t i = 0; i < p; i++) {
    w->parts[i] = z[i].re;
    w->parts[p + i] = z[i].im;
  }
  slopes_slope(w->slopes, w->parts, w->parts + p, f.im);
  return f;
}

/* f of residuals, or of outputs with limits. */
static void watch_sum(const watching *w, const double *x, size_t m,
                      const double *r)
{
  double sum = 0;
  if (w->inner.limits != NULL) {
    slopes_value(w->slopes, x, r[w->inner.limits->objective]);
    return;
  }
  for (size_t i = 0; i < m; i++) sum += r[i] * r[i];
  slopes_value(w->slopes, x, 0.5 * sum);
}

static void watch_residuals(size_t p, const double *x, size_t m, double *r,
                            void *user)
{
  watching *w = user;
  w->inner.residuals(p, x, m, r, w->inner.user);
  watch_sum(w, x, m, r);
}

static void watch_residual_batch(size_t p, size_t n, const double *X, size_t m,
                                 double *R, void *user)
{
  watching *w = user;
  w->inner.residual_batch(p, n, X, m, R, w->inner.user);
  for (size_t j = 0; j < n; j++) watch_sum(w, X + j * p, m, R + j * m);
}

static void watch_residual_jacobian(size_t p, const double *x, size_t m,
                                    double *r, double *J, void *user)
{
  watching *w = user;
  w->inner.residual_jacobian(p, x, m, r, J, w->inner.user);
  watch_sum(w, x, m, r);
  double *g = w->parts; /* J'F */
  for (size_t j = 0; j < p; j++) g[j] = 0;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < p; j++) g[j] += r[i] * J[i * p + j];
  slopes_gradient(w->slopes, x, g);
}

static void watch_residual_slopes(size_t p, const double *x, size_t k,
                                  const double *U, size_t m, double *r,
                                  double *D, void *user)
{
  watching *w = user;
  w->inner.residual_slopes(p, x, k, U, m, r, D, w->inner.user);
  watch_sum(w, x, m, r);
  for (size_t j = 0; j < k; j++) {
    double d = 0;
    for (size_t i = 0; i < m; i++) d += r[i] * D[j * m + i];
    slopes_slope(w->slopes, x, U + j * p, d);
  }
}

static size_t watch_unanswered(void *user)
{
  const watching *w = user;
  return w->inner.unanswered(w->inner.user);
}

void watch_problem(watching *w, lrgd_problem *problem)
{
  w->inner = *problem;
  problem->user = w;
  if (problem->value != NULL) problem->value = watch_value;
  if (problem->values != NULL) problem->values = watch_values;
  if (problem->gradient != NULL) problem->gradient = watch_gradient;
  if (problem->slopes != NULL) problem->slopes = watch_slopes;
  if (problem->complex_value != NULL) problem->complex_value = watch_complex;
  if (problem->residuals != NULL) problem->residuals = watch_residuals;
  if (problem->residual_batch != NULL)
    problem->residual_batch = watch_residual_batch;
  if (problem->residual_jacobian != NULL)
    problem->residual_jacobian = watch_residual_jacobian;
  if (problem->residual_slopes != NULL)
    problem->residual_slopes = watch_residual_slopes;
  if (problem->unanswered != NULL) problem->unanswered = watch_unanswered;
}
