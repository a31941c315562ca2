/* Residuals of several points at once: the same evaluations as one by one. */
#include "residual_fit.h"

/* What was asked: batches, points in them, and a sum over all points that
 * depends on their order. */
typedef struct seen {
  size_t batches, together, points;
  double trace;
  size_t fails; /* each question of a multiple of this number fails */
  size_t past;  /* write past the end in the batch of this number */
} seen;

static seen log_of;

static void note(size_t p, const double *x)
{
  double sum = 0;
  for (size_t i = 0; i < p; i++) sum += (double)(i + 1) * x[i];
  log_of.trace = 0.5 * log_of.trace + sum;
  log_of.points++;
}

static void single(size_t p, const double *x, size_t m, double *r, void *user)
{
  note(p, x);
  residuals(p, x, m, r, user);
  if (log_of.fails > 0 && log_of.points % log_of.fails == 0) r[m / 2] = NAN;
}

static void batch(size_t p, size_t n, const double *X, size_t m, double *R,
                  void *user)
{
  log_of.batches++;
  log_of.together += n;
  for (size_t j = 0; j < n; j++) single(p, X + j * p, m, R + j * m, user);
  if (log_of.batches == log_of.past) R[n * m] = 1;
}

static lrgd_status run(bool together, lrgd_options o, double *x,
                       lrgd_result *result)
{
  lrgd_problem f = lrgd_problem_default(made.p);
  f.residuals = single, f.residual_count = made.m, f.user = &made;
  f.lower = made.lower, f.upper = made.upper;
  if (together) f.residual_batch = batch;
  log_of = (seen){.past = log_of.past, .fails = log_of.fails};
  memset(x, 0, made.p * sizeof *x);
  for (size_t i = 0; i < made.p; i++) x[i] = made.shape == LINEAR ? 0 : -1;
  return lrgd_minimize(&f, &o, x, result, NULL);
}

static const double low[60] = {0};
static double high[60];

/* A square system of p inputs: J is renewed on the way.  boxed: all of it is
 * measured along the axes first. */
static void prepare(bool boxed, unsigned seed)
{
  make(&made, TRIDIAGONAL, boxed ? 20 : 60, 20, 0, seed);
  for (size_t i = 0; i < 60; i++) high[i] = INFINITY;
  if (boxed) made.lower = low, made.upper = high;
}

TEST("points of a batch are those that come one by one, in order")
{
  for (unsigned seed = 1; seed <= 6; seed++) {
    double x[60], y[60];
    lrgd_result a, b;
    lrgd_options o = lrgd_options_default();
    o.seed = seed, o.max_evals = 300;
    prepare(seed % 2 == 0, seed);
    require(run(false, o, x, &a) == LRGD_OK, "a run");
    seen apart = log_of;
    prepare(seed % 2 == 0, seed);
    require(run(true, o, y, &b) == LRGD_OK, "a run");
    check(memcmp(x, y, made.p * sizeof *x) == 0 && a.f == b.f, "%g and %g", a.f,
          b.f);
    check(log_of.points == apart.points && log_of.trace == apart.trace,
          "%zu and %zu points", apart.points, log_of.points);
    check(lrgd_counts_evaluations(&b.counts) == log_of.points, "%zu points",
          log_of.points);
    check(log_of.together > 2 * log_of.batches && log_of.batches > 0,
          "seed %u: %zu points in %zu batches", seed, log_of.together,
          log_of.batches);
  }
}

TEST("a budget is kept to the evaluation, in the middle of a batch too")
{
  for (int64_t most = 1; most < 60; most += 3) {
    double x[60], y[60];
    lrgd_result a, b;
    lrgd_options o = lrgd_options_default();
    o.max_evals = most;
    prepare(true, 2);
    require(run(false, o, x, &a) == LRGD_OK, "a run");
    size_t points = log_of.points;
    prepare(true, 2);
    require(run(true, o, y, &b) == LRGD_OK, "a run");
    check(log_of.points == points && log_of.points <= (size_t)most, "%zu of %d",
          log_of.points, (int)most);
    check(a.f == b.f, "%g and %g", a.f, b.f);
  }
}

TEST("methods other than auto get residuals in batches too")
{
  double x[60], y[60];
  lrgd_result result;
  lrgd_options o = lrgd_options_default();
  o.method = LRGD_METHOD_GD, o.max_evals = 200;
  prepare(false, 1);
  for (size_t i = 0; i < made.p; i++) y[i] = -1;
  lrgd_result alone = solve(&made, o, y);
  prepare(false, 1);
  require(run(true, o, x, &result) == LRGD_OK, "a run");
  check(result.f == alone.f, "%g and %g", result.f, alone.f);
  check(log_of.together > 100 && log_of.points <= 200, "%zu of %zu points",
        log_of.together, log_of.points);
}

TEST("points that fail in a batch are evaluated again one by one")
{
  double x[60];
  lrgd_result result;
  lrgd_options o = lrgd_options_default();
  o.max_evals = 400, o.retries = 1;
  prepare(false, 3);
  log_of.fails = 7;
  require(run(true, o, x, &result) == LRGD_OK, "a run");
  check(result.f < 1e-2 * made.first, "f is %g of %g", result.f, made.first);
  log_of.fails = 0;
  check(result.counts.failures > 5, "%d failed", (int)result.counts.failures);
  check(lrgd_counts_evaluations(&result.counts) == log_of.points, "%zu points",
        log_of.points);
}

TEST("a callback that writes past the end of a batch is reported")
{
  double x[60];
  lrgd_result result;
  lrgd_options o = lrgd_options_default();
  log_of.past = 1;
  prepare(true, 2);
  check(run(true, o, x, &result) == LRGD_ERR_ORACLE, "it went unnoticed");
  log_of.past = 0;
}

TEST("a batch without single residuals is refused")
{
  double x[2] = {0, 0};
  lrgd_error error;
  lrgd_problem f = lrgd_problem_default(2);
  f.residual_batch = batch, f.residual_count = 2;
  check(lrgd_minimize(&f, NULL, x, NULL, &error) == LRGD_ERR_INVALID, "taken");
}
