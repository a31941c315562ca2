/* Residuals for the oracle: f of them, and what is kept of the lowest.  This
 * file knows neither counts nor finite differences. */
#include "oracle/residual_answers.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"

#include <math.h>

/* f of the outputs; also keeps the outputs of the best point so far. */
static double of_outputs(lr_host_answers *host)
{
  const double *y = host->residuals;
  double f = lr_outputs_f(&host->outputs, y);
  size_t worst;
  if (isnan(f)) return f;
  double violation = lr_outputs_violation(&host->outputs, y, &worst);
  if (!lr_outputs_better(f, violation, host->lowest_f, host->lowest_violation))
    return f;
  host->lowest_f = f;
  host->lowest_violation = violation;
  memcpy(host->lowest, y, host->outputs.m * sizeof *y);
  return f;
}

/* f of the residuals at x, known rows appended to those of the callback; NaN
 * where one is not finite.  The residuals of the lowest f are kept. */
static double sum_of_squares(lr_host_answers *host, const double *x)
{
  size_t m = host->problem.residual_count, all = m + host->known.count;
  double *r = host->residuals;
  if (host->outputs.m > 0) return of_outputs(host);
  lr_known_rows_at(&host->known, x, r + m);
  double f = NAN;
  if (lr_all_finite(r, all) && host->loss.kind == LRGD_LOSS_LINEAR)
    f = 0.5 * lr_dot(all, r, r);
  else if (lr_all_finite(r, all))
    f = lr_loss_cost(&host->loss, m, r) + 0.5 * lr_dot(all - m, r + m, r + m);
  if (f < host->lowest_f || (isnan(host->lowest_f) && !isnan(f))) {
    host->lowest_f = f;
    memcpy(host->lowest, r, all * sizeof *r);
  }
  return f;
}

static double host_sum_of_squares(void *self, lrgd_vec x)
{
  lr_host_answers *host = self;
  size_t m = host->problem.residual_count;
  double *r = host->residuals;
  const double *data = lr_guard_before(host, x);
  for (size_t i = 0; i < m; i++) r[i] = NAN;
  r[m] = lr_canary;
  host->problem.residuals(lr_host_dimension(host), data, m, r,
                          host->problem.user);
  lr_guard_after(host, data);
  if (r[m] != lr_canary)
    host->complaint = "the residuals callback wrote past the end of r";
  return sum_of_squares(host, data);
}

static void host_ask_ahead(void *self, lrgd_vec X, size_t n)
{
  lr_host_answers *host = self;
  lr_ahead *ahead = &host->ahead;
  size_t p = lr_host_dimension(host), m = host->problem.residual_count;
  const double *x = lrgd_host_data(X);
  memcpy(ahead->x, x, n * p * sizeof *x);
  for (size_t i = 0; i < n * m; i++) ahead->r[i] = NAN;
  ahead->r[n * m] = lr_canary;
  host->problem.residual_batch(p, n, x, m, ahead->r, host->problem.user);
  if (ahead->r[n * m] != lr_canary)
    host->complaint = "the residual_batch callback wrote past the end of R";
  if (host->copy && memcmp(ahead->x, x, n * p * sizeof *x) != 0)
    host->complaint = "a callback changed x, which it may only read";
  ahead->n = n;
  ahead->taken = 0;
}

/* The residuals at x where they were known before the run. */
static bool host_recall(lr_host_answers *host, lrgd_vec x, double *f)
{
  const double *data = lrgd_host_data(x), *r = NULL;
  if (host->vectors && !host->anew)
    r = lr_known_vectors_at(host->vectors, data);
  if (!r) return false;
  memcpy(host->residuals, r, host->problem.residual_count * sizeof *r);
  *f = sum_of_squares(host, data);
  return true;
}

/* Planned points are used in their order, or not at all. */
static bool host_take_ahead(void *self, lrgd_vec x, double *f)
{
  lr_host_answers *host = self;
  lr_ahead *ahead = &host->ahead;
  size_t p = lr_host_dimension(host), m = host->problem.residual_count;
  const double *data = lrgd_host_data(x);
  if (host_recall(host, x, f)) return true;
  for (size_t i = ahead->taken; i < ahead->n; i++) {
    if (memcmp(ahead->x + i * p, data, p * sizeof *data) != 0) continue;
    memcpy(host->residuals, ahead->r + i * m, m * sizeof *ahead->r);
    ahead->taken = i + 1;
    *f = sum_of_squares(host, data);
    return true;
  }
  return false;
}

/* Values of f for methods that do not use residuals. */
static void host_sums_of_squares(void *self, lrgd_vec X, size_t n, double *f)
{
  lr_host_answers *host = self;
  for (size_t i = 0; i < n; i += host->ahead.n) {
    size_t left = n - i, most = host->ahead.most;
    host_ask_ahead(host, (lrgd_vec){X.block, X.col + i},
                   left < most ? left : most);
    for (size_t j = 0; j < host->ahead.n; j++)
      (void)host_take_ahead(host, (lrgd_vec){X.block, X.col + i + j},
                            &f[i + j]);
  }
}

static const double *host_residuals(void *self)
{
  const lr_host_answers *host = self;
  return host->residuals;
}

static const double *host_lowest_residuals(void *self)
{
  const lr_host_answers *host = self;
  return isnan(host->lowest_f) ? NULL : host->lowest;
}

static void host_forget_residuals(void *self)
{
  lr_host_answers *host = self;
  host->lowest_f = NAN;
  host->outputs.scaled = false;
  host->ahead.n = 0;
}

static void host_ignore_known(void *self, bool ignore)
{
  lr_host_answers *host = self;
  host->anew = ignore;
}

void lr_host_answers_know(lr_host_answers *host, const lr_known_vectors *known)
{
  host->vectors = known;
}

double lr_host_answers_f(lr_host_answers *host, const double *x,
                         const double *r)
{
  memcpy(host->residuals, r, host->problem.residual_count * sizeof *r);
  return sum_of_squares(host, x);
}

static void host_correlate(void *self, const double *v, double *y)
{
  lr_host_answers *host = self;
  host->problem.correlate(lr_host_dimension(host), v, y, host->problem.user);
}

/* ---- derivatives: f's gradient and slopes follow, and J is kept ---- */

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
  double f = sum_of_squares(host, data);
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
  if (!hold_slopes(host, k)) {
    host->complaint = lr_complaint_memory;
    return NAN;
  }
  prepare_derivatives(host, k * m);
  host->problem.residual_slopes(p, data, k, u, m, host->residuals,
                                host->derivatives, host->problem.user);
  check_derivatives(host, data, k * m);
  double f = sum_of_squares(host, data);
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
static lrgd_status make_derivatives(lr_host_answers *host)
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

static void view_derivatives(lr_host_answers *host, lr_answers *answers)
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

/* Allocates a batch; its size is chosen as in lr_oracle_init. */
static lrgd_status make_ahead(lr_host_answers *host)
{
  lr_ahead *ahead = &host->ahead;
  size_t p = lr_host_dimension(host), m = host->problem.residual_count;
  size_t most = ((size_t)1 << 22) / (m > p ? m : p);
  ahead->most = most < 1 ? 1 : most > 256 ? 256 : most;
  ahead->x = lr_alloc_raw(&host->allocator, p * ahead->most, sizeof *ahead->x);
  ahead->r =
      lr_alloc_raw(&host->allocator, m * ahead->most + 1, sizeof *ahead->r);
  return ahead->x && ahead->r ? LRGD_OK : LRGD_ERR_NOMEM;
}

lrgd_status lr_host_make_residuals(lr_host_answers *host)
{
  const lrgd_problem *problem = &host->problem;
  const lrgd_allocator *a = &host->allocator;
  host->lowest_f = NAN;
  if (!lr_gives_residuals(problem)) return LRGD_OK;
  lrgd_status status = lr_known_rows_init(&host->known, problem->prior,
                                          lr_host_dimension(host), a);
  if (status == LRGD_OK)
    status = lr_random_field_init(
        &host->field, lr_host_dimension(host), problem->coordinate_count,
        problem->coordinates, problem->correlation_length, a);
  if (status == LRGD_OK)
    status =
        lr_outputs_init(&host->outputs, problem->limits,
                        problem->residual_count, lr_host_dimension(host), a);
  if (status != LRGD_OK) return status;
  size_t all = problem->residual_count + host->known.count;
  host->residuals = lr_alloc(a, 2 * all + 1, sizeof *host->residuals);
  if (!host->residuals) return LRGD_ERR_NOMEM;
  host->lowest = host->residuals + all + 1;
  status = make_derivatives(host);
  return status == LRGD_OK && problem->residual_batch ? make_ahead(host)
                                                      : status;
}

void lr_host_free_residuals(lr_host_answers *host)
{
  const lrgd_allocator *a = &host->allocator;
  lr_known_rows_clear(&host->known);
  lr_random_field_clear(&host->field);
  lr_outputs_clear(&host->outputs);
  lr_free(a, host->residuals);
  lr_free(a, host->derivatives);
  lr_free(a, host->by_columns);
  lr_free(a, host->ahead.x);
  lr_free(a, host->ahead.r);
}

void lr_host_view_residuals(lr_host_answers *host, lr_answers *answers)
{
  const lrgd_problem *p = &host->problem;
  if (p->residuals) answers->value = host_sum_of_squares;
  answers->residuals = host_residuals;
  answers->lowest_residuals = host_lowest_residuals;
  answers->forget_residuals = host_forget_residuals;
  answers->residual_count = p->residual_count + host->known.count;
  answers->loss = host->loss;
  answers->take_ahead = host_take_ahead;
  answers->ignore_known = host_ignore_known;
  if (host->ahead.most > 1) {
    answers->ask_ahead = host_ask_ahead;
    answers->most_ahead = host->ahead.most;
    answers->values = host_sums_of_squares;
  }
  if (host->known.count > 0) answers->known = &host->known;
  if (host->outputs.m > 0) answers->outputs = &host->outputs;
  if (host->field.d > 0) answers->field = &host->field;
  if (p->correlate) answers->correlate = host_correlate;
  view_derivatives(host, answers);
}
