/* Models from gradients at sample points, of a function whose derivatives are
 * known. */
#include "fit_log.h"

static lr_fit sampled(const log_of *l, lr_known *known)
{
  lr_fit fit = {0};
  if (lr_known_init(known, &lr_malloc, P, l->n, l->e) != LRGD_OK) abort();
  size_t low = lr_known_lowest(known, NULL, NULL);
  check_int(lr_fit_samples(&fit, known, low, true), LRGD_OK, "fitted");
  return fit;
}

/* Differences at `count` points; the second is higher than the first. */
static void sample(log_of *l, int count)
{
  unsigned state = 9;
  l->n = 0;
  for (int i = 0; i < count; i++) {
    double x[P];
    for (size_t j = 0; j < P; j++) x[j] = i == 0 ? 0 : chance(&state);
    for (size_t j = 0; i == 1 && j < P; j++) x[j] -= 2 * A[j];
    ask_differences(l, x, 1e-6);
  }
}

/* g and B are f's, but for B between open directions, where it is 0. */
static void check_samples(const lr_fit *fit, const double *x)
{
  size_t settled = fit->q - fit->open;
  for (size_t i = 0; i < fit->q; i++) {
    const double *v = fit->V + i * P;
    check_within(fit->g[i], slope(x, v), 1e-4, "g %zu", i);
    for (size_t j = 0; j < fit->q; j++) {
      bool open = i >= settled && j >= settled;
      double b = open ? 0 : bend(v, fit->V + j * P);
      check_within(fit->B[i * fit->room + j], b, 1e-3, "B %zu %zu", i, j);
    }
  }
}

TEST("gradients at sample points are columns of the Hessian")
{
  static log_of l;
  lr_known known;
  make_truth();
  sample(&l, 3);
  lr_fit fit = sampled(&l, &known);
  check(fit.spans && fit.sampled && fit.at == 0, "a model at the first point");
  check_int(fit.q, 5, "two steps between points, three gradients");
  check_int(fit.open, 3, "open directions");
  check_samples(&fit, l.x);
  forget(&fit, &known);
}

TEST("gradients at sample points that are dependent leave nothing open")
{
  static log_of l;
  lr_known known;
  make_truth();
  sample(&l, 5);
  lr_fit fit = sampled(&l, &known);
  check_int(fit.q, RANK, "the gradients span what f varies along");
  check_int(fit.open, 0, "open directions");
  check_samples(&fit, l.x);
  forget(&fit, &known);
}

TEST("where f is no quadratic between sample points all of B is open")
{
  static log_of l;
  lr_known known;
  make_truth();
  sample(&l, 3);
  for (size_t i = P + 1; i < 2 * (P + 1); i++) l.e[i].f += 1;
  lr_fit fit = sampled(&l, &known);
  check_int(fit.q, 3, "the gradients");
  check_int(fit.open, 3, "open directions");
  check_samples(&fit, l.x);
  forget(&fit, &known);
}

TEST("a descent after sample points is told from its lowest value")
{
  static log_of l;
  double x[P] = {0};
  unsigned state = 5;
  lr_known known;
  make_truth();
  sample(&l, 3);
  lr_fit fit = sampled(&l, &known);
  check(!fit.descended, "samples alone are no descent");
  forget(&fit, &known);
  for (int i = 0; i < 6; i++, step(x, &state)) ask(&l, x);
  fit = sampled(&l, &known);
  check(fit.descended && fit.spans, "steps are one");
  forget(&fit, &known);
  l.n = 0;
  memset(x, 0, sizeof x);
  for (int i = 0; i < 4; i++, step(x, &state)) ask_differences(&l, x, 1e-6);
  fit = sampled(&l, &known);
  check(!fit.sampled && fit.q == 0, "gradients of a descent are no samples");
  forget(&fit, &known);
}

TEST("memory that runs short in a model of samples is reported, and freed")
{
  static log_of l;
  lrgd_status status = LRGD_ERR_NOMEM;
  lr_known known;
  size_t n = 0;
  make_truth();
  sample(&l, 3);
  if (lr_known_init(&known, &lr_malloc, P, l.n, l.e) != LRGD_OK) abort();
  while (status != LRGD_OK && n < 100) {
    meter m = {.fail_at = ++n};
    lr_fit fit = {0};
    known.allocator = (lrgd_allocator){meter_alloc, meter_free, &m};
    status = lr_fit_samples(&fit, &known, 0, true);
    check(status == (m.calls < n ? LRGD_OK : LRGD_ERR_NOMEM),
          "allocation %zu: status %d", n, (int)status);
    lr_fit_clear(&fit);
    check_int(m.live, 0, "allocation %zu: blocks left", n);
  }
  check(n > 8, "%zu allocations", n);
  known.allocator = lr_malloc;
  lr_known_clear(&known);
}
