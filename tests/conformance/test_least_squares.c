/* Method auto on residuals: what it pays, what it claims, what it never does.
 */
#include "residual_fit.h"

#include <stdlib.h>

TEST("a linear problem of rank r takes some r + 4 evaluations, whatever p")
{
  static const size_t ranks[] = {3, 5, 10, 20};
  for (size_t i = 0; i < 4; i++)
    for (unsigned seed = 1; seed <= 5; seed++) {
      double x[MOST] = {0};
      lrgd_options o = lrgd_options_default();
      o.seed = seed;
      make(&made, LINEAR, MOST, ranks[i], 0, seed);
      lrgd_result result = solve(&made, o, x);
      check(result.outcome == LRGD_OUTCOME_CONVERGED, "%s", result.message);
      check(made.reached > 0 && made.reached <= ranks[i] + 6,
            "rank %zu, seed %u: %zu evaluations", ranks[i], seed, made.reached);
    }
}

TEST("a linear fit with a misfit takes little more than r values")
{
  static const size_t ranks[] = {5, 10, 20};
  for (size_t i = 0; i < 3; i++)
    for (unsigned seed = 1; seed <= 5; seed++) {
      double x[MOST] = {0};
      lrgd_options o = lrgd_options_default();
      o.seed = seed;
      make(&made, LINEAR, MOST, ranks[i], 1, seed);
      (void)solve(&made, o, x);
      double least = made.lowest; /* of a run to its end: the second counts */
      double most = made.first;
      memset(x, 0, sizeof x);
      make(&made, LINEAR, MOST, ranks[i], 1, seed);
      o.target = least + 1e-6 * (most - least);
      lrgd_result result = solve(&made, o, x);
      check(result.outcome == LRGD_OUTCOME_TARGET && made.calls <= ranks[i] + 6,
            "rank %zu, seed %u: %zu evaluations", ranks[i], seed, made.calls);
    }
}

TEST("under noise a linear fit takes a few times as many evaluations")
{
  for (unsigned seed = 1; seed <= 5; seed++) {
    double x[MOST] = {0};
    lrgd_options o = lrgd_options_default();
    o.seed = seed;
    make(&made, LINEAR, MOST, 10, 0, seed);
    made.noise = 1e-6;
    (void)solve(&made, o, x);
    check(made.reached > 0 && made.reached <= 60, "seed %u: %zu evaluations",
          seed, made.reached);
  }
}

TEST("a function of 20 directions that is mildly curved takes twice as many")
{
  for (unsigned seed = 1; seed <= 3; seed++) {
    double x[MOST] = {0};
    lrgd_options o = lrgd_options_default();
    o.seed = seed;
    make(&made, TRIDIAGONAL, MOST, 20, 0, seed);
    start_at_minus_one(&made, x);
    lrgd_result result = solve(&made, o, x);
    check(result.outcome == LRGD_OUTCOME_CONVERGED, "%s", result.message);
    check(made.reached > 0 && made.reached <= 50, "seed %u: %zu evaluations",
          seed, made.reached);
  }
}

/* A line through three points that are not on one. */
static void line(size_t p, const double *x, size_t m, double *r, void *user)
{
  static const double y[3] = {1, 3, 4};
  (void)p;
  (void)user;
  for (size_t i = 0; i < m; i++) r[i] = x[0] + x[1] * (double)i - y[i];
}

TEST("residuals that are all zero end a run")
{
  double x[MOST] = {0};
  make(&made, LINEAR, MOST, 1, 0, 1);
  made.m = 1;
  lrgd_result result = solve(&made, lrgd_options_default(), x);
  check(result.outcome == LRGD_OUTCOME_CONVERGED, "%s", result.message);
  check(made.calls < 60, "%zu evaluations", made.calls);
}

TEST("two inputs are fitted, and that is certified")
{
  double x[2] = {0, 0};
  lrgd_result result;
  lrgd_problem f = lrgd_problem_default(2);
  f.residuals = line, f.residual_count = 3;
  require(lrgd_minimize(&f, NULL, x, &result, NULL) == LRGD_OK, "a run");
  check(result.outcome == LRGD_OUTCOME_CONVERGED, "%s", result.message);
  check(fabs(x[0] - 7 / 6.) < 1e-6 && fabs(x[1] - 1.5) < 1e-6, "%g and %g",
        x[0], x[1]);
}

/* The share of false certificates among those of many runs. */
static void judge(shape form, double misfit, bool boxed, const char *what)
{
  enum { RUNS = CHECK_RUNS(30) };
  static double lower[MOST], upper[MOST];
  int wrong = 0, certified = 0;
  for (unsigned seed = 1; seed <= RUNS; seed++) {
    double x[MOST] = {0};
    size_t p = 30 + seed % 40;
    lrgd_options o = lrgd_options_default();
    o.seed = seed;
    make(&made, form, p, 4 + seed % 5, misfit, seed);
    for (size_t i = 0; i < p; i++) lower[i] = -1, upper[i] = 0.4;
    if (boxed) made.lower = lower, made.upper = upper;
    lrgd_result result = solve(&made, o, x);
    certified += result.certificate.valid;
    if (!result.certificate.valid) continue;
    double truth = steepness(&made, x);
    wrong += truth > 1.01 * result.certificate.grad_norm_bound;
    check(result.certificate.confidence < 1, "confidence 1 by differences");
    check(result.outcome != LRGD_OUTCOME_CONVERGED ||
              result.certificate.grad_norm_bound > 0,
          "a bound");
  }
  check(certified > RUNS / 2, "%s: %d certified", what, certified);
  /* more than 6 of 30 have a probability of 6e-4 at 5 % each */
  check(wrong <= 6, "%s: %d of %d false", what, wrong, certified);
}

TEST("certificates hold: linear and curved, with and without a misfit")
{
  judge(LINEAR, 0, false, "linear");
  judge(LINEAR, 1, false, "linear with a misfit");
  judge(CURVED, 0, false, "curved");
  judge(CURVED, 1, false, "curved with a misfit");
}

TEST("certificates hold within bounds, and no point outside is evaluated")
{
  judge(LINEAR, 0.3, true, "linear within bounds");
  judge(CURVED, 0.3, true, "curved within bounds");
}

TEST("another unit of the residuals gives the same points")
{
  static double a[MOST], b[MOST];
  lrgd_options o = lrgd_options_default();
  make(&made, CURVED, 50, 6, 0.1, 1);
  lrgd_result one = solve(&made, o, a);
  make(&made, CURVED, 50, 6, 0.1, 1);
  made.unit = 0x1p40;
  lrgd_result other = solve(&made, o, b);
  check_int(lrgd_counts_evaluations(&one.counts),
            lrgd_counts_evaluations(&other.counts), "evaluations");
  check(memcmp(a, b, 50 * sizeof *a) == 0, "the same point");
  check(other.f == one.f * 0x1p80, "f is %g and %g", one.f, other.f);
}

TEST("where F has no value, steps become shorter")
{
  double x[MOST] = {0};
  lrgd_options o = lrgd_options_default();
  o.max_evals = 500;
  make(&made, LINEAR, 60, 5, 0, 3);
  made.fails_beyond = 8; /* the minimum is nearer */
  lrgd_result result = solve(&made, o, x);
  check(result.f < 1e-6 * made.first, "f is %g of %g", result.f, made.first);
}

TEST("the budget is kept to the evaluation")
{
  for (int64_t budget = 1; budget < 60; budget += 7) {
    double x[MOST] = {0};
    lrgd_options o = lrgd_options_default();
    o.max_evals = budget;
    make(&made, CURVED, 40, 8, 1, 2);
    lrgd_result result = solve(&made, o, x);
    check(made.calls <= (size_t)budget, "%zu calls of %lld", made.calls,
          (long long)budget);
    check(result.outcome == LRGD_OUTCOME_BUDGET ||
              result.outcome == LRGD_OUTCOME_CONVERGED,
          "%s", result.message);
  }
}

TEST("the other methods minimise half the sum of squares")
{
  static const lrgd_method methods[] = {LRGD_METHOD_GD, LRGD_METHOD_ADAPTIVE,
                                        LRGD_METHOD_QUASI_NEWTON};
  for (size_t i = 0; i < 3; i++) {
    double x[MOST] = {0};
    lrgd_options o = lrgd_options_default();
    o.method = methods[i];
    o.max_evals = 20000;
    make(&made, LINEAR, 12, 3, 0, 4);
    lrgd_result result = solve(&made, o, x);
    check(result.f < 1e-8 * made.first, "f is %g of %g", result.f, made.first);
  }
}

TEST("residuals and their Jacobian can be asked for afterwards")
{
  enum { INPUTS = 12, NUMBER = 40 };
  double x[INPUTS] = {0}, r[NUMBER], told[NUMBER], y[ROWS];
  static double D[NUMBERS * ROWS], J[NUMBERS * INPUTS], U[INPUTS * INPUTS];
  lrgd_solver *solver;
  lrgd_result result;
  lrgd_options o = lrgd_options_default();
  make(&made, CURVED, INPUTS, 4, 0.5, 6);
  lrgd_problem f = lrgd_problem_default(INPUTS);
  f.residuals = residuals, f.residual_count = made.m, f.user = &made;
  require(lrgd_solver_create(&solver, &f, &o, NULL) == LRGD_OK, "a solver");
  check(lrgd_solver_residuals(solver, told) == LRGD_ERR_INVALID, "none yet");
  check(lrgd_solver_jacobian(solver, J) == LRGD_ERR_INVALID, "none yet");
  require(lrgd_solver_solve(solver, x, x, &result, NULL) == LRGD_OK, "a run");
  size_t m = lrgd_solver_residual_count(solver);
  size_t k = lrgd_solver_basis_size(solver);
  check_int(m, NUMBER, "residuals");
  require(lrgd_solver_residuals(solver, told) == LRGD_OK, "residuals");
  require(lrgd_solver_basis(solver, U) == LRGD_OK, "a basis");
  require(lrgd_solver_jacobian(solver, J) == LRGD_OK, "a Jacobian");
  inner(&made, x, y);
  outer(&made, y, r, D);
  double scale = 0, off = 0;
  for (size_t i = 0; i < m; i++)
    check(fabs(told[i] - r[i]) < 1e-12, "residual %zu: %g for %g", i, told[i],
          r[i]);
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < m; i++) {
      double d = 0;
      for (size_t l = 0; l < made.r; l++) {
        double a = 0;
        for (size_t n = 0; n < INPUTS; n++)
          a += made.A[l * INPUTS + n] * U[j * INPUTS + n];
        d += D[l * m + i] * a;
      }
      scale = fmax(scale, fabs(d));
      off = fmax(off, fabs(d - J[j * m + i]));
    }
  check(off < 0.02 * scale, "the Jacobian is off by %g of %g", off, scale);
  (void)lrgd_solver_destroy(&solver);
}

static double plain(size_t p, const double *x, void *user)
{
  (void)p;
  (void)user;
  return x[0] * x[0];
}

TEST("options that exclude each other are refused with a message")
{
  lrgd_solver *solver;
  lrgd_error error;
  lrgd_problem f = lrgd_problem_default(3);
  f.residuals = residuals;
  check(lrgd_solver_create(&solver, &f, NULL, &error) == LRGD_ERR_INVALID &&
            strstr(error.text, "residual_count is 0"),
        "%s", error.text);
  f.residual_count = 2, f.value = plain;
  check(lrgd_solver_create(&solver, &f, NULL, &error) == LRGD_ERR_INVALID &&
            strstr(error.text, "no other callback"),
        "%s", error.text);
  check(lrgd_solver_residual_count(NULL) == 0, "no solver");
}

TEST("after restarts the Jacobian is along the basis that is told")
{
  enum { INPUTS = 30 };
  double x[INPUTS] = {0}, *J = malloc(NUMBERS * INPUTS * sizeof *J);
  lrgd_solver *solver;
  lrgd_result result;
  lrgd_options o = lrgd_options_default();
  o.restarts = 3;
  make(&made, CURVED, INPUTS, 6, 0.5, 2);
  made.fails_beyond = 6; /* some of the other starts have no value */
  lrgd_problem f = lrgd_problem_default(INPUTS);
  f.residuals = residuals, f.residual_count = made.m, f.user = &made;
  require(J && lrgd_solver_create(&solver, &f, &o, NULL) == LRGD_OK, "solver");
  require(lrgd_solver_solve(solver, x, x, &result, NULL) == LRGD_OK, "a run");
  size_t k = lrgd_solver_basis_size(solver), count = made.m * k;
  for (size_t i = 0; i < NUMBERS * INPUTS; i++) J[i] = NAN;
  if (lrgd_solver_jacobian(solver, J) == LRGD_OK) {
    check(count > 0 && !isnan(J[count - 1]), "%zu numbers", count);
    check(count == NUMBERS * INPUTS || isnan(J[count]), "and no more");
  }
  check(result.f <= made.lowest + 1e-9 * made.first, "f is %g of %g", result.f,
        made.lowest);
  (void)lrgd_solver_destroy(&solver);
  free(J);
}

TEST("bounds that are far away, or fix inputs, do no harm")
{
  static double lower[MOST], upper[MOST];
  for (int fixed = 0; fixed < 2; fixed++) {
    double x[MOST] = {0};
    make(&made, LINEAR, 40, 5, 0, 4);
    for (size_t i = 0; i < 40; i++) lower[i] = -1e20, upper[i] = 1e20;
    if (fixed) lower[3] = upper[3] = lower[7] = upper[7] = 0.1;
    if (fixed) x[3] = x[7] = 0.1;
    made.lower = lower, made.upper = upper;
    lrgd_options o = lrgd_options_default();
    o.max_evals = 2000;
    lrgd_result result = solve(&made, o, x);
    check(result.outcome == LRGD_OUTCOME_CONVERGED, "%d: %s", fixed,
          result.message);
    check(result.f < 1e-6 * made.first, "%d: f is %g", fixed, result.f);
  }
}

TEST("where many inputs are at bounds, a fit takes p evaluations and a few")
{
  static double lower[MOST], upper[MOST];
  size_t sum = 0;
  for (unsigned seed = 1; seed <= 5; seed++) {
    double x[MOST] = {0};
    lrgd_options o = lrgd_options_default();
    o.seed = seed, o.max_evals = 400;
    make(&made, CURVED, 40, 20, 0, seed);
    for (size_t i = 0; i < 40; i++) lower[i] = -0.4, upper[i] = 0.2;
    made.lower = lower, made.upper = upper;
    lrgd_result result = solve(&made, o, x);
    double least = result.f, first = made.first;
    memset(x, 0, sizeof x);
    make(&made, CURVED, 40, 20, 0, seed);
    made.lower = lower, made.upper = upper;
    o.target = least + 1e-3 * (first - least);
    (void)solve(&made, o, x);
    sum += made.calls;
  }
  check(sum <= 5 * 60, "%zu evaluations of five runs", sum);
}

static void only_once(size_t p, const double *x, size_t m, double *r,
                      void *user)
{
  int *calls = user;
  (void)p;
  (void)x;
  for (size_t i = 0; i < m; i++) r[i] = *calls == 0 ? 1 : NAN;
  ++*calls;
}

TEST("where F has a value at the start alone, the run ends")
{
  double x[20] = {0};
  int calls = 0;
  lrgd_result result;
  lrgd_problem f = lrgd_problem_default(20);
  f.residuals = only_once, f.residual_count = 2, f.user = &calls;
  require(lrgd_minimize(&f, NULL, x, &result, NULL) == LRGD_OK, "a run");
  check(result.outcome == LRGD_OUTCOME_STALLED, "%s", result.message);
  check(calls < 200 && result.f == 1, "%d calls, f is %g", calls, result.f);
}

static void overrun(size_t p, const double *x, size_t m, double *r, void *user)
{
  (void)p;
  (void)user;
  for (size_t i = 0; i <= m; i++) r[i] = x[0];
}

TEST("a callback that writes past its residuals is reported")
{
  double x[2] = {1, 1};
  lrgd_result result;
  lrgd_error error;
  lrgd_problem f = lrgd_problem_default(2);
  f.residuals = overrun, f.residual_count = 3;
  check(lrgd_minimize(&f, NULL, x, &result, &error) == LRGD_ERR_ORACLE &&
            strstr(error.text, "past the end of r"),
        "%s", error.text);
}

static void constant(size_t p, const double *x, size_t m, double *r, void *user)
{
  (void)p;
  (void)x;
  for (size_t i = 0; i < m; i++) r[i] = *(double *)user;
}

TEST("residuals that never change are constant, and zero is the minimum")
{
  for (double value = 0; value < 2; value++) {
    double x[9] = {0};
    lrgd_result result;
    lrgd_problem f = lrgd_problem_default(9);
    f.residuals = constant, f.residual_count = 3, f.user = &value;
    require(lrgd_minimize(&f, NULL, x, &result, NULL) == LRGD_OK, "a run");
    check(value > 0 ? result.stall == LRGD_STALL_CONSTANT
                    : result.outcome == LRGD_OUTCOME_CONVERGED,
          "%g: %s", value, result.message);
    check(lrgd_counts_evaluations(&result.counts) < 100, "%llu evaluations",
          (unsigned long long)lrgd_counts_evaluations(&result.counts));
  }
}
