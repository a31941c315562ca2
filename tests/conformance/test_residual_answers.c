/* Method auto on residuals: answers that are rounded, marked or at the target.
 */
#include "residual_fit.h"

/* The residuals of `made`, rounded to single precision, or with a huge number
 * in place of NaN. */
static void rounded(size_t p, const double *x, size_t m, double *r, void *user)
{
  residuals(p, x, m, r, user);
  for (size_t i = 0; i < m; i++) {
    volatile float single = (float)r[i];
    r[i] = isnan(r[i]) ? 1e144 : (double)single;
  }
}

static lrgd_result solve_rounded(lrgd_options o, double *x)
{
  lrgd_problem f = lrgd_problem_default(made.p);
  lrgd_result result = {.f = NAN};
  f.residuals = rounded, f.residual_count = made.m, f.user = &made;
  check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "a run");
  return result;
}

TEST("residuals in single precision are fitted")
{
  for (unsigned seed = 1; seed <= 3; seed++) {
    static double x[MOST];
    lrgd_options o = lrgd_options_default();
    o.seed = seed, o.max_evals = 400;
    memset(x, 0, sizeof x);
    make(&made, CURVED, 40, 5, 0, seed);
    for (size_t i = 0; i < made.m; i++) made.goal[i] += 1000;
    lrgd_result far = solve_rounded(o, x); /* a misfit that hides differences */
    check(far.stall != LRGD_STALL_CONSTANT, "%s", far.message);
    memset(x, 0, sizeof x);
    make(&made, CURVED, 40, 5, 0, seed);
    lrgd_result near = solve_rounded(o, x);
    check(near.f < 1e-6 * made.first, "f is %g of %g", near.f, made.first);
  }
}

TEST("a huge number for a point that cannot be evaluated is no noise")
{
  static double x[MOST];
  lrgd_options o = lrgd_options_default();
  o.max_evals = 500;
  make(&made, LINEAR, 60, 5, 0, 3);
  made.fails_beyond = 8;
  lrgd_result result = solve_rounded(o, x);
  check(result.f < 1e-6 * made.first, "f is %g of %g", result.f, made.first);
}

TEST("a run that starts at the target returns the residuals there")
{
  double x[30] = {0}, r[NUMBERS];
  lrgd_solver *solver;
  lrgd_result result;
  lrgd_options o = lrgd_options_default();
  make(&made, CURVED, 30, 4, 0.5, 6);
  lrgd_problem f = lrgd_problem_default(30);
  f.residuals = residuals, f.residual_count = made.m, f.user = &made;
  o.target = 1e9;
  require(lrgd_solver_create(&solver, &f, &o, NULL) == LRGD_OK, "a solver");
  require(lrgd_solver_solve(solver, x, x, &result, NULL) == LRGD_OK, "a run");
  check(result.outcome == LRGD_OUTCOME_TARGET && made.calls == 1, "%s",
        result.message);
  require(lrgd_solver_residuals(solver, r) == LRGD_OK, "residuals");
  double sum = 0;
  for (size_t i = 0; i < made.m; i++) sum += 0.5 * r[i] * r[i];
  check_near(sum, made.first, 1e-12, "their squares");
  (void)lrgd_solver_destroy(&solver);
}

TEST("differences along directions count as derivatives")
{
  double x[MOST] = {0};
  make(&made, LINEAR, MOST, 5, 0, 1);
  lrgd_result result = solve(&made, lrgd_options_default(), x);
  uint64_t calls = lrgd_counts_oracle_calls(&result.counts);
  check(calls >= 5 && calls < made.calls, "%llu of %zu evaluations",
        (unsigned long long)calls, made.calls);
}
