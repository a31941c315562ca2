/* Adaptors from the signatures of the public callbacks to those that the oracle
 * calls.  This file knows neither counts nor finite differences. */
#include "oracle/residual_answers.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

static double host_value(void *self, lrgd_vec x)
{
  lr_host_answers *host = self;
  const double *data = lr_guard_before(host, x);
  double f =
      host->problem.value(lr_host_dimension(host), data, host->problem.user);
  lr_guard_after(host, data);
  return f;
}

static void host_start(void *self, lrgd_vec x, uint64_t ticket)
{
  lr_host_answers *host = self;
  const double *data = lr_guard_before(host, x);
  host->problem.start(lr_host_dimension(host), data, ticket,
                      host->problem.user);
  lr_guard_after(host, data);
}

static uint64_t host_finish(void *self, double *f)
{
  const lr_host_answers *host = self;
  *f = NAN;
  return host->problem.finish(f, host->problem.user);
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
  size_t p = lr_host_dimension(host);
  const double *data = lrgd_host_data(X);
  /* a batch buffer has one number more, for the canary */
  double two[2], *out = m == 1 ? two : f;
  double after = m == 1 ? 0 : f[m];
  uint64_t before = host->copy ? checksum(data, m * p) : 0;
  if (host->copy) out[m] = lr_canary;
  host->problem.values(p, m, data, out, host->problem.user);
  if (host->copy && out[m] != lr_canary)
    host->complaint = "the values callback wrote past the end of f";
  if (host->copy && checksum(data, m * p) != before)
    host->complaint = "a callback changed x, which it may only read";
  out[m] = after;
  f[0] = out[0];
}

static double host_gradient(void *self, lrgd_vec x, lrgd_vec g)
{
  lr_host_answers *host = self;
  size_t p = lr_host_dimension(host);
  const double *data = lr_guard_before(host, x);
  double *out = host->copy ? host->copy + p : lrgd_host_data(g);
  if (host->copy) out[p] = lr_canary;
  double f = host->problem.gradient(p, data, out, host->problem.user);
  lr_guard_after(host, data);
  if (!host->copy) return f;
  if (out[p] != lr_canary)
    host->complaint = "the gradient callback wrote past the end of g";
  memcpy(lrgd_host_data(g), out, p * sizeof *out);
  return f;
}

static double host_slopes(void *self, lrgd_vec x, lrgd_vec U, size_t k,
                          double *d)
{
  lr_host_answers *host = self;
  const double *data = lr_guard_before(host, x);
  /* the oracle's buffer has one number more, for the canary */
  double after = d[k];
  if (host->copy) d[k] = lr_canary;
  double f = host->problem.slopes(lr_host_dimension(host), data, k,
                                  lrgd_host_data(U), d, host->problem.user);
  lr_guard_after(host, data);
  if (host->copy && d[k] != lr_canary)
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
  size_t p = lr_host_dimension(host);
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
  size_t p = lr_host_dimension(host);
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
  if (lr_host_make_residuals(host) != LRGD_OK ||
      (problem->complex_value && !host->complex_x) || (guard && !host->copy))
    lr_host_answers_destroy(&host);
  return host;
}

void lr_host_answers_destroy(lr_host_answers **host)
{
  if (!*host) return;
  lrgd_allocator a = (*host)->allocator;
  lr_host_free_residuals(*host);
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
  if (lr_gives_residuals(p)) lr_host_view_residuals(host, &answers);
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
