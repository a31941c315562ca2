/* Adaptors from the signatures of the public callbacks to those that the oracle
 * calls.  This file knows neither counts nor finite differences. */
#include "oracle/answers.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

/* Residuals of a batch of n points, of which the first `taken` have been
 * used. */
typedef struct lr_ahead {
  size_t most, n, taken;
  double *x; /* p x n */
  double *r; /* m x n, and the canary below */
} lr_ahead;

struct lr_host_answers {
  lrgd_problem problem;
  lrgd_allocator allocator;
  lrgd_complex *complex_x; /* scratch for the complex step */
  /* scratch for checks: a copy of x, and an output with the canary below */
  double *copy;
  lr_loss loss;
  lr_known_rows known;   /* prior information */
  lr_outputs outputs;    /* limits, where residuals are outputs: m > 0 */
  lr_random_field field; /* coordinates of the inputs */
  /* the last residuals: those of the callback, then the known ones, then the
   * canary below */
  double *residuals;
  lr_ahead ahead;
  double *lowest;          /* the residuals of the lowest f */
  double lowest_f;         /* the lowest f; NaN: there is none */
  double lowest_violation; /* the violation of the limits there */
  const char *complaint;
};

/* The canary, a number after an output buffer: a callback that changes it has
 * written past the end. */
static const double canary = 0x1.5a5a5a5a5a5a5p+77;

static size_t dimension(const lr_host_answers *host)
{
  return host->problem.dimension;
}

static const double *guard_before(lr_host_answers *host, lrgd_vec x)
{
  const double *data = lrgd_host_data(x);
  if (host->copy) memcpy(host->copy, data, dimension(host) * sizeof *data);
  return data;
}

static void guard_after(lr_host_answers *host, const double *x)
{
  if (!host->copy) return;
  if (memcmp(host->copy, x, dimension(host) * sizeof *x) != 0)
    host->complaint = "a callback changed x, which it may only read";
}

static double host_value(void *self, lrgd_vec x)
{
  lr_host_answers *host = self;
  const double *data = guard_before(host, x);
  double f = host->problem.value(dimension(host), data, host->problem.user);
  guard_after(host, data);
  return f;
}

static void host_start(void *self, lrgd_vec x, uint64_t ticket)
{
  lr_host_answers *host = self;
  const double *data = guard_before(host, x);
  host->problem.start(dimension(host), data, ticket, host->problem.user);
  guard_after(host, data);
}

static uint64_t host_finish(void *self, double *f)
{
  const lr_host_answers *host = self;
  *f = NAN;
  return host->problem.finish(f, host->problem.user);
}

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

/* f = |F|^2 / 2 of the residuals at x, known rows appended to those of the
 * callback; NaN where one is not finite. */
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
  const double *data = guard_before(host, x);
  for (size_t i = 0; i < m; i++) r[i] = NAN;
  r[m] = canary;
  host->problem.residuals(dimension(host), data, m, r, host->problem.user);
  guard_after(host, data);
  if (r[m] != canary)
    host->complaint = "the residuals callback wrote past the end of r";
  return sum_of_squares(host, data);
}

static void host_ask_ahead(void *self, lrgd_vec X, size_t n)
{
  lr_host_answers *host = self;
  lr_ahead *ahead = &host->ahead;
  size_t p = dimension(host), m = host->problem.residual_count;
  const double *x = lrgd_host_data(X);
  memcpy(ahead->x, x, n * p * sizeof *x);
  for (size_t i = 0; i < n * m; i++) ahead->r[i] = NAN;
  ahead->r[n * m] = canary;
  host->problem.residual_batch(p, n, x, m, ahead->r, host->problem.user);
  if (ahead->r[n * m] != canary)
    host->complaint = "the residual_batch callback wrote past the end of R";
  if (host->copy && memcmp(ahead->x, x, n * p * sizeof *x) != 0)
    host->complaint = "a callback changed x, which it may only read";
  ahead->n = n;
  ahead->taken = 0;
}

/* Planned points are used in their order, or not at all. */
static bool host_take_ahead(void *self, lrgd_vec x, double *f)
{
  lr_host_answers *host = self;
  lr_ahead *ahead = &host->ahead;
  size_t p = dimension(host), m = host->problem.residual_count;
  const double *data = lrgd_host_data(x);
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

static void host_correlate(void *self, const double *v, double *y)
{
  lr_host_answers *host = self;
  host->problem.correlate(dimension(host), v, y, host->problem.user);
}

/* A checksum that changes with any bit of x (FNV-1a). */
static uint64_t checksum(const double *x, size_t n)
{
  uint64_t sum = UINT64_C(14695981039346656037), bits;
  for (size_t i = 0; i < n; i++) {
    memcpy(&bits, x + i, sizeof bits);
    sum = (sum ^ bits) * UINT64_C(1099511628211);
  }
  return sum;
}

static void host_values(void *self, lrgd_vec X, size_t m, double *f)
{
  lr_host_answers *host = self;
  size_t p = dimension(host);
  const double *data = lrgd_host_data(X);
  /* a batch buffer has one number more, for the canary */
  double two[2], *out = m == 1 ? two : f;
  double after = m == 1 ? 0 : f[m];
  uint64_t before = host->copy ? checksum(data, m * p) : 0;
  if (host->copy) out[m] = canary;
  host->problem.values(p, m, data, out, host->problem.user);
  if (host->copy && out[m] != canary)
    host->complaint = "the values callback wrote past the end of f";
  if (host->copy && checksum(data, m * p) != before)
    host->complaint = "a callback changed x, which it may only read";
  out[m] = after;
  f[0] = out[0];
}

static double host_gradient(void *self, lrgd_vec x, lrgd_vec g)
{
  lr_host_answers *host = self;
  size_t p = dimension(host);
  const double *data = guard_before(host, x);
  double *out = host->copy ? host->copy + p : lrgd_host_data(g);
  if (host->copy) out[p] = canary;
  double f = host->problem.gradient(p, data, out, host->problem.user);
  guard_after(host, data);
  if (!host->copy) return f;
  if (out[p] != canary)
    host->complaint = "the gradient callback wrote past the end of g";
  memcpy(lrgd_host_data(g), out, p * sizeof *out);
  return f;
}

static double host_slopes(void *self, lrgd_vec x, lrgd_vec U, size_t k,
                          double *d)
{
  lr_host_answers *host = self;
  const double *data = guard_before(host, x);
  /* the oracle's buffer has one number more, for the canary */
  double after = d[k];
  if (host->copy) d[k] = canary;
  double f = host->problem.slopes(dimension(host), data, k, lrgd_host_data(U),
                                  d, host->problem.user);
  guard_after(host, data);
  if (host->copy && d[k] != canary)
    host->complaint = "the slopes callback wrote past the end of d";
  d[k] = after;
  return f;
}

/* The complex step: f(x + i h u) = f(x) + i h f'(x; u) + O(h^2).  There is no
 * cancellation, so that h may be so small that h^2 is below any rounding. */
static double complex_slopes(void *self, lrgd_vec x, lrgd_vec U, size_t k,
                             double *d)
{
  lr_host_answers *host = self;
  size_t p = dimension(host);
  const double h = 1e-50, *at = lrgd_host_data(x);
  double f = NAN;
  for (size_t j = 0; j < k; j++) {
    const double *u = lrgd_host_data((lrgd_vec){U.block, U.col + j});
    for (size_t i = 0; i < p; i++)
      host->complex_x[i] = (lrgd_complex){at[i], h * u[i]};
    lrgd_complex y =
        host->problem.complex_value(p, host->complex_x, host->problem.user);
    d[j] = y.im / h;
    f = y.re;
  }
  return f;
}

static double complex_value(void *self, lrgd_vec x)
{
  lr_host_answers *host = self;
  size_t p = dimension(host);
  const double *at = lrgd_host_data(x);
  for (size_t i = 0; i < p; i++) host->complex_x[i] = (lrgd_complex){at[i], 0};
  return host->problem.complex_value(p, host->complex_x, host->problem.user).re;
}

/* Returns the complaint of this run, and clears it. */
static const char *host_complaint(void *self)
{
  lr_host_answers *host = self;
  const char *complaint = host->complaint;
  host->complaint = NULL;
  return complaint;
}

static size_t host_unanswered(void *self)
{
  const lr_host_answers *host = self;
  return host->problem.unanswered(host->problem.user);
}

/* Allocates a batch; its size is chosen as in lr_oracle_init. */
static lrgd_status make_ahead(lr_host_answers *host)
{
  lr_ahead *ahead = &host->ahead;
  size_t p = dimension(host), m = host->problem.residual_count;
  size_t most = ((size_t)1 << 22) / (m > p ? m : p);
  ahead->most = most < 1 ? 1 : most > 256 ? 256 : most;
  ahead->x = lr_alloc_raw(&host->allocator, p * ahead->most, sizeof *ahead->x);
  ahead->r =
      lr_alloc_raw(&host->allocator, m * ahead->most + 1, sizeof *ahead->r);
  return ahead->x && ahead->r ? LRGD_OK : LRGD_ERR_NOMEM;
}

/* Allocates the residuals, with the known rows. */
static lrgd_status make_residuals(lr_host_answers *host)
{
  const lrgd_problem *problem = &host->problem;
  const lrgd_allocator *a = &host->allocator;
  host->lowest_f = NAN;
  if (!problem->residuals) return LRGD_OK;
  lrgd_status status =
      lr_known_rows_init(&host->known, problem->prior, dimension(host), a);
  if (status == LRGD_OK)
    status = lr_random_field_init(
        &host->field, dimension(host), problem->coordinate_count,
        problem->coordinates, problem->correlation_length, a);
  if (status == LRGD_OK)
    status = lr_outputs_init(&host->outputs, problem->limits,
                             problem->residual_count, dimension(host), a);
  if (status != LRGD_OK) return status;
  size_t all = problem->residual_count + host->known.count;
  host->residuals = lr_alloc(a, 2 * all + 1, sizeof *host->residuals);
  if (!host->residuals) return LRGD_ERR_NOMEM;
  host->lowest = host->residuals + all + 1;
  return problem->residual_batch ? make_ahead(host) : LRGD_OK;
}

void lr_host_answers_set_loss(lr_host_answers *host, lr_loss loss)
{
  host->loss = loss;
}

lr_host_answers *lr_host_answers_create(const lrgd_problem *problem, int guard,
                                        const lrgd_allocator *a)
{
  lr_host_answers *host = lr_alloc(a, 1, sizeof *host);
  if (!host) return NULL;
  size_t p = problem->dimension;
  host->problem = *problem;
  host->allocator = *a;
  if (problem->complex_value)
    host->complex_x = lr_alloc(a, p, sizeof *host->complex_x);
  if (guard) host->copy = lr_alloc(a, 2 * p + 1, sizeof *host->copy);
  if (make_residuals(host) != LRGD_OK ||
      (problem->complex_value && !host->complex_x) || (guard && !host->copy))
    lr_host_answers_destroy(&host);
  return host;
}

void lr_host_answers_destroy(lr_host_answers **host)
{
  if (!*host) return;
  lrgd_allocator a = (*host)->allocator;
  lr_known_rows_clear(&(*host)->known);
  lr_random_field_clear(&(*host)->field);
  lr_outputs_clear(&(*host)->outputs);
  lr_free(&a, (*host)->residuals);
  lr_free(&a, (*host)->ahead.x);
  lr_free(&a, (*host)->ahead.r);
  lr_free(&a, (*host)->complex_x);
  lr_free(&a, (*host)->copy);
  lr_free(&a, *host);
  *host = NULL;
}

lr_answers lr_host_answers_view(lr_host_answers *host)
{
  const lrgd_problem *p = &host->problem;
  lr_answers answers = {.self = host,
                        .slopes_kind = LRGD_KIND_SLOPES,
                        .complaint = host_complaint};
  if (p->value) answers.value = host_value;
  if (p->residuals) {
    answers.value = host_sum_of_squares;
    answers.residuals = host_residuals;
    answers.lowest_residuals = host_lowest_residuals;
    answers.forget_residuals = host_forget_residuals;
    answers.residual_count = p->residual_count + host->known.count;
    answers.loss = host->loss;
    if (host->ahead.most > 1) {
      answers.ask_ahead = host_ask_ahead;
      answers.take_ahead = host_take_ahead;
      answers.most_ahead = host->ahead.most;
      answers.values = host_sums_of_squares;
    }
    if (host->known.count > 0) answers.known = &host->known;
    if (host->outputs.m > 0) answers.outputs = &host->outputs;
    if (host->field.d > 0) answers.field = &host->field;
    if (p->correlate) answers.correlate = host_correlate;
  }
  if (p->values) answers.values = host_values;
  if (p->start) {
    answers.start = host_start;
    answers.finish = host_finish;
  }
  if (p->gradient) answers.gradient = host_gradient;
  if (p->slopes) answers.slopes = host_slopes;
  if (p->unanswered) answers.unanswered = host_unanswered;
  if (p->complex_value && !p->slopes) {
    answers.slopes = complex_slopes;
    answers.slopes_kind = LRGD_KIND_VALUES;
  }
  if (p->complex_value && !p->value && !p->values)
    answers.value = complex_value;
  return answers;
}

static double space_value(void *self, lrgd_vec x)
{
  const lrgd_space_problem *problem = self;
  return problem->value(x, problem->user);
}

static void space_values(void *self, lrgd_vec X, size_t m, double *f)
{
  const lrgd_space_problem *problem = self;
  problem->values(X, m, f, problem->user);
}

static double space_gradient(void *self, lrgd_vec x, lrgd_vec g)
{
  const lrgd_space_problem *problem = self;
  return problem->gradient(x, g, problem->user);
}

static double space_slopes(void *self, lrgd_vec x, lrgd_vec U, size_t k,
                           double *d)
{
  const lrgd_space_problem *problem = self;
  return problem->slopes(x, U, k, d, problem->user);
}

static const char *no_complaint(void *self)
{
  (void)self;
  return NULL;
}

lr_answers lr_space_answers_view(lrgd_space_problem *problem)
{
  return (lr_answers){
      .value = problem->value ? space_value : NULL,
      .values = problem->values ? space_values : NULL,
      .gradient = problem->gradient ? space_gradient : NULL,
      .slopes = problem->slopes ? space_slopes : NULL,
      .slopes_kind = LRGD_KIND_SLOPES,
      .complaint = no_complaint,
      .self = problem,
  };
}
