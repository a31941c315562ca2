/* Derivatives of residuals that the user gives: the gradient and the slopes of
 * f that follow from them, and J itself for the method on residuals. */
#include "oracle/host_answers.h"

#include "base/memory.h"
#include "base/vector.h"

#include <math.h>

/* G = the derivatives of f with respect to the residuals; f is finite. */
static void derivatives_of_f(const lr_host_answers *host, double *G)
{
  size_t m = host->problem.residual_count, all = m + host->known.count;
  for (size_t i = 0; i < all; i++) {
    double r = host->residuals[i];
    G[i] = i < m ? lr_loss_weight(&host->loss, r) * r : r;
  }
}

/* Whether the callback kept to its buffers. */
static void check_derivatives(lr_host_answers *host, const double *x, size_t n)
{
  lr_guard_after(host, x);
  if (host->residuals[host->problem.residual_count] != lr_canary)
    host->complaint = "a callback wrote past the end of r";
  if (host->derivatives[n] != lr_canary)
    host->complaint = "a callback wrote past the end of the derivatives";
}

static void prepare_derivatives(lr_host_answers *host, size_t n)
{
  size_t m = host->problem.residual_count;
  for (size_t i = 0; i < m; i++) host->residuals[i] = NAN;
  for (size_t i = 0; i < n; i++) host->derivatives[i] = NAN;
  host->residuals[m] = host->derivatives[n] = lr_canary;
}

/* The gradient J'G of f; J is kept by columns. */
static double host_jacobian_gradient(void *self, lrgd_vec x, lrgd_vec to)
{
  lr_host_answers *host = self;
  size_t p = lr_host_dimension(host), m = host->problem.residual_count;
  const double *data = lr_guard_before(host, x), *J = host->derivatives;
  double *g = lrgd_host_data(to), *G = host->by_columns + m * p;
  prepare_derivatives(host, m * p);
  host->problem.residual_jacobian(p, data, m, host->residuals,
                                  host->derivatives, host->problem.user);
  check_derivatives(host, data, m * p);
  double f = lr_host_sum_of_squares(host, data);
  for (size_t i = 0; i < p; i++) g[i] = NAN;
  if (isnan(f)) return f;
  derivatives_of_f(host, G);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < p; j++) host->by_columns[j * m + i] = J[i * p + j];
  lr_known_rows_back(&host->known, NULL, G + m, g);
  for (size_t j = 0; j < p; j++) g[j] += lr_dot(m, host->by_columns + j * m, G);
  return f;
}

/* Makes room for the derivatives along k directions. */
static bool hold_slopes(lr_host_answers *host, size_t k)
{
  size_t m = host->problem.residual_count;
  if (k <= host->columns) return true;
  lr_free(&host->allocator, host->derivatives);
  host->derivatives =
      lr_alloc_raw(&host->allocator, k * m + 1, sizeof *host->derivatives);
  host->columns = host->derivatives ? k : 0;
  return host->derivatives != NULL;
}

/* d[j] = G'(F'u) for each direction; the derivatives of F are kept. */
static double host_residual_slopes(void *self, lrgd_vec x, lrgd_vec U, size_t k,
                                   double *d)
{
  lr_host_answers *host = self;
  size_t p = lr_host_dimension(host), m = host->problem.residual_count;
  const double *data = lr_guard_before(host, x), *u = lrgd_host_data(U);
  double *G = host->by_columns, *known = G + m + host->known.count;
  if (!hold_slopes(host, k)) return NAN;
  prepare_derivatives(host, k * m);
  host->problem.residual_slopes(p, data, k, u, m, host->residuals,
                                host->derivatives, host->problem.user);
  check_derivatives(host, data, k * m);
  double f = lr_host_sum_of_squares(host, data);
  for (size_t j = 0; j < k; j++) d[j] = NAN;
  if (isnan(f)) return f;
  derivatives_of_f(host, G);
  for (size_t j = 0; j < k; j++) {
    lr_known_rows_along(&host->known, NULL, u + j * p, known);
    d[j] = lr_dot(m, host->derivatives + j * m, G) +
           lr_dot(host->known.count, known, G + m);
  }
  return f;
}

static const double *host_jacobian(void *self)
{
  const lr_host_answers *host = self;
  return host->by_columns;
}

static const double *host_slope_columns(void *self)
{
  const lr_host_answers *host = self;
  return host->derivatives;
}

/* Allocates derivatives: those along directions when their number is known,
 * here the first ones. */
lrgd_status lr_host_make_derivatives(lr_host_answers *host)
{
  const lrgd_problem *problem = &host->problem;
  size_t m = problem->residual_count, q = host->known.count, n;
  const lrgd_allocator *a = &host->allocator;
  if (problem->residual_slopes) {
    host->by_columns = lr_alloc(a, m + 2 * q, sizeof *host->by_columns);
    return host->by_columns && hold_slopes(host, 1) ? LRGD_OK : LRGD_ERR_NOMEM;
  }
  if (!problem->residual_jacobian) return LRGD_OK;
  if (!lr_product(m, lr_host_dimension(host), 1, &n)) return LRGD_ERR_NOMEM;
  host->derivatives = lr_alloc_raw(a, n + 1, sizeof *host->derivatives);
  host->by_columns = lr_alloc_raw(a, n + m + q, sizeof *host->by_columns);
  return host->derivatives && host->by_columns ? LRGD_OK : LRGD_ERR_NOMEM;
}

void lr_host_view_derivatives(lr_host_answers *host, lr_answers *answers)
{
  if (host->problem.residual_jacobian) {
    answers->gradient = host_jacobian_gradient;
    answers->jacobian = host_jacobian;
  }
  if (host->problem.residual_slopes) {
    answers->slopes = host_residual_slopes;
    answers->residual_slopes = host_slope_columns;
  }
}
