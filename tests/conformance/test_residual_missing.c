/* Method auto on residuals some of which are missing at some points, as gauges
 * fall dry there. */
#include "residual_fit.h"

static double dry;   /* gauge i is dry where y[i mod r] is below */
static bool nothing; /* then the point has no residuals at all */
static bool marks;   /* all dry gauges but the first answer a huge number */
static size_t missing, incomplete;

static void gauges(size_t p, const double *x, size_t m, double *r, void *user)
{
  double y[ROWS], lowest = made.lowest;
  size_t before = missing, reached = made.reached;
  residuals(p, x, m, r, user);
  inner(&made, x, y);
  for (size_t i = 0; i < m; i++)
    if (y[i % made.r] < dry)
      r[i] = marks && missing > before ? 1e80 : NAN, missing++;
  if (missing == before) return;
  made.lowest = lowest, made.reached = reached;
  incomplete++;
  for (size_t i = 0; i < m && nothing; i++) r[i] = NAN;
}

/* The gauges' true values are above the limit, the start is, and random
 * directions lead below it. */
static lrgd_result fit_gauges(shape form, double limit, unsigned seed,
                              lrgd_options o, double *x)
{
  lrgd_result result = {.f = NAN};
  lrgd_error error = {LRGD_OK, ""};
  memset(x, 0, MOST * sizeof *x);
  make(&made, form, 200, 8, 0, seed);
  for (size_t i = 0; i < made.m; i++) made.goal[i] = 0;
  double y[ROWS];
  for (size_t k = 0; k < made.r; k++)
    y[k] = 1 + 0.5 * chance(&made.state); /* all above the limit */
  outer(&made, y, made.goal, NULL);
  dry = limit, missing = incomplete = 0;
  lrgd_problem f = lrgd_problem_default(made.p);
  f.residuals = gauges, f.residual_count = made.m, f.user = &made;
  check(lrgd_minimize(&f, &o, x, &result, &error) == LRGD_OK, "%s", error.text);
  check_int(lrgd_counts_evaluations(&result.counts), made.calls, "the counts");
  check_int(result.counts.failures, incomplete, "failures");
  return result;
}

/* From a start at the edge, where each difference leaves some gauge dry. */
TEST("the known residuals of an incomplete answer update the model")
{
  static double x[MOST];
  lrgd_options o = lrgd_options_default();
  size_t with = 0, without = 0, seen = 0;
  o.max_evals = 400;
  for (unsigned seed = 1; seed <= 8; seed++) {
    nothing = false;
    lrgd_result some = fit_gauges(CURVED, -1e-9, seed, o, x);
    seen += incomplete;
    with += made.reached > 0 ? made.reached : 400;
    check(!some.certificate.valid ||
              steepness(&made, x) <= some.certificate.grad_norm_bound,
          "%g above %g", steepness(&made, x), some.certificate.grad_norm_bound);
    nothing = true;
    (void)fit_gauges(CURVED, -1e-9, seed, o, x);
    without += made.reached > 0 ? made.reached : 400;
  }
  printf("  %zu evaluations to 1e-6 (%zu incomplete), %zu without them\n", with,
         seen, without);
  check(seen > 16, "%zu incomplete answers", seen);
  check(4 * with < 3 * without, "%zu evaluations, %zu without", with, without);
}

/* By the answers with NaN alone, and by those with huge numbers too. */
TEST("a huge number in an incomplete answer is a missing one")
{
  static double x[MOST];
  lrgd_options o = lrgd_options_default();
  size_t by[2] = {0, 0};
  o.max_evals = 400;
  nothing = false;
  for (unsigned seed = 1; seed <= 4; seed++)
    for (int which = 0; which < 2; which++) {
      marks = which == 1;
      (void)fit_gauges(CURVED, -1e-9, seed, o, x);
      by[which] += made.reached > 0 ? made.reached : 400;
    }
  marks = false;
  check_int(by[1], by[0], "evaluations to 1e-6");
}

TEST("f is reported for complete answers only")
{
  static double x[MOST];
  lrgd_options o = lrgd_options_default();
  o.max_evals = 60;
  nothing = false;
  for (unsigned seed = 1; seed <= 5; seed++) {
    double y[ROWS], r[NUMBERS], sum = 0;
    lrgd_result result = fit_gauges(CURVED, -0.02, seed, o, x);
    inner(&made, x, y);
    outer(&made, y, r, NULL);
    for (size_t i = 0; i < made.m; i++) {
      sum += 0.5 * r[i] * r[i];
      check(y[i % made.r] >= dry, "gauge %zu is dry at the result", i);
    }
    check_near(result.f, sum, 1e-9 * (1 + sum), "f");
  }
}

TEST("a start that misses a residual cannot be evaluated")
{
  static double x[MOST];
  nothing = false;
  lrgd_result result = fit_gauges(CURVED, 0.1, 1, lrgd_options_default(), x);
  check_int(result.outcome, LRGD_OUTCOME_FAILED, "the outcome");
}
