/* Method auto on residuals that begins with what another run was answered. */
#include "residual_fit.h"

enum { KEPT = 400 };

/* All answers of a run: points and simulated values. */
static double points[KEPT * MOST], answers[KEPT * NUMBERS];
static size_t kept, again; /* again: known points that were asked for */
static bool records;
static double weight[NUMBERS], shift[NUMBERS];

/* The residuals, weighted and with other goals. */
static void weighted(size_t p, const double *x, size_t m, double *r, void *user)
{
  double first = made.first, lowest = made.lowest, f = 0;
  size_t reached = made.reached;
  residuals(p, x, m, r, user);
  for (size_t i = 0; i < kept && !records; i++)
    again += memcmp(points + i * p, x, p * sizeof *x) == 0;
  if (records && kept < KEPT) {
    memcpy(points + kept * p, x, p * sizeof *x);
    memcpy(answers + kept++ * m, r, m * sizeof *r);
  }
  for (size_t i = 0; i < m; i++) {
    r[i] = weight[i] * (r[i] - shift[i]);
    f += 0.5 * r[i] * r[i];
  }
  made.first = made.calls == 1 && first == 0 ? f : first;
  made.lowest = fmin(lowest, f);
  made.reached = reached;
  if (reached == 0 && f <= 1e-6 * made.first) made.reached = made.calls;
}

/* What the callback would have answered at the known points. */
static const double *known_residuals(void)
{
  static double R[KEPT * NUMBERS];
  for (size_t j = 0; j < kept; j++)
    for (size_t i = 0; i < made.m; i++)
      R[j * made.m + i] = weight[i] * (answers[j * made.m + i] - shift[i]);
  return R;
}

/* The solver's own way through a run that may know the answers. */
static lrgd_result run(lrgd_options o, bool knows, int verify, double *x,
                       lrgd_status expected)
{
  lrgd_solver *solver;
  lrgd_result result = {.f = NAN};
  lrgd_error error = {LRGD_OK, ""};
  lrgd_problem f = lrgd_problem_default(made.p);
  f.residuals = weighted, f.residual_count = made.m, f.user = &made;
  f.lower = made.lower, f.upper = made.upper;
  made.calls = made.reached = again = 0;
  made.lowest = INFINITY;
  check(lrgd_solver_create(&solver, &f, &o, &error) == LRGD_OK, "%s",
        error.text);
  if (knows)
    check(lrgd_solver_learn_residuals(solver, kept, points, known_residuals(),
                                      verify, &error) == LRGD_OK,
          "%s", error.text);
  check_int(lrgd_solver_solve(solver, x, x, &result, &error), expected,
            "the solve");
  check_int(lrgd_counts_evaluations(&result.counts), made.calls, "the counts");
  (void)lrgd_solver_destroy(&solver);
  return result;
}

/* A first run, which is recorded; then other weights and goals, which the
 * truth y + dy meets. */
static void first_run(shape form, size_t p, unsigned seed, lrgd_options o)
{
  static double x[MOST];
  double y[ROWS] = {0}, r[NUMBERS];
  memset(x, 0, sizeof x);
  make(&made, form, p, 8, 0, seed);
  for (size_t i = 0; i < made.m; i++) weight[i] = 1, shift[i] = 0;
  records = true, kept = 0;
  (void)run(o, false, 0, x, LRGD_OK);
  records = false;
  inner(&made, x, y);
  for (size_t k = 0; k < made.r; k++) y[k] += 0.3 * chance(&made.state);
  outer(&made, y, r, NULL);
  for (size_t i = 0; i < made.m; i++)
    weight[i] = 1 + 0.5 * chance(&made.state), shift[i] = r[i];
}

TEST("known residuals serve a run with other weights and targets")
{
  for (int form = LINEAR; form <= CURVED; form += CURVED) {
    size_t with = 0, without = 0;
    for (unsigned seed = 1; seed <= 5; seed++) {
      static double x[MOST], y[MOST];
      lrgd_options o = lrgd_options_default();
      o.max_evals = 300, o.seed = seed;
      first_run((shape)form, 300, seed, o);
      memset(x, 0, sizeof x), memset(y, 0, sizeof y);
      made.first = 0;
      lrgd_result fresh = run(o, false, 0, y, LRGD_OK);
      without += made.reached ? made.reached : 300;
      lrgd_result warm = run(o, true, 0, x, LRGD_OK);
      with += made.reached ? made.reached : 300;
      check_int(again, 0, "known points asked for");
      check_int(warm.outcome, LRGD_OUTCOME_CONVERGED, "the outcome");
      check(warm.f <= fresh.f + 1e-6 * made.first, "f is %g, and %g fresh",
            warm.f, fresh.f);
    }
    printf("  %zu evaluations to 1e-6, %zu without\n", with, without);
    check(2 * with < without, "%zu evaluations, %zu without", with, without);
  }
}

/* A datum far off adds little to the gradient of a loss, from which the
 * tolerance follows. */
TEST("the tolerance follows from the gradient of the loss")
{
  static double x[MOST];
  lrgd_options o = lrgd_options_default();
  o.max_evals = 300;
  first_run(CURVED, 300, 6, o);
  shift[0] += 1e6;
  o.loss = LRGD_LOSS_CAUCHY;
  memset(x, 0, sizeof x);
  lrgd_result fresh = run(o, false, 0, x, LRGD_OK);
  memset(x, 0, sizeof x);
  lrgd_result warm = run(o, true, 0, x, LRGD_OK);
  check_int(fresh.outcome, LRGD_OUTCOME_CONVERGED, "the outcome");
  check_int(warm.outcome, LRGD_OUTCOME_CONVERGED, "the outcome, warm");
  double least = fresh.certificate.grad_norm_bound;
  double most = warm.certificate.grad_norm_bound;
  check(most < 2000 * least, "|g| is at most %g, and %g fresh", most, least);
}

TEST("a run whose target is met by a known point evaluates nothing")
{
  static double x[MOST];
  lrgd_options o = lrgd_options_default();
  first_run(CURVED, 300, 3, o);
  for (size_t i = 0; i < made.m; i++) weight[i] = 2, shift[i] = 0;
  memset(x, 0, sizeof x);
  made.first = 1;
  o.target = 1e-4 * made.first;
  lrgd_result result = run(o, true, 0, x, LRGD_OK);
  check_int(result.outcome, LRGD_OUTCOME_TARGET, "the outcome");
  check_int(made.calls, 0, "evaluations");
}

TEST("another function is detected where a known point is verified")
{
  static double x[MOST];
  lrgd_options o = lrgd_options_default();
  o.max_evals = 200;
  first_run(CURVED, 300, 2, o);
  memset(x, 0, sizeof x);
  made.first = 0;
  lrgd_result same = run(o, true, 1, x, LRGD_OK);
  check_int(same.outcome, LRGD_OUTCOME_CONVERGED, "the same function");
  check_int(again, 1, "known points asked for");
  answers[0] += 1e-3; /* the start, which is not the lowest */
  for (size_t i = 0; i < kept; i++) answers[i * made.m + 1] += 1e-3;
  memset(x, 0, sizeof x);
  (void)run(o, true, 1, x, LRGD_ERR_REFUSED);
  check_int(made.calls, 1, "evaluations");
}

TEST(
    "known residuals serve runs with bounds, of slopes and of other "
    "methods")
{
  static double x[MOST], low[MOST], high[MOST];
  lrgd_options o = lrgd_options_default();
  o.max_evals = 400;
  first_run(CURVED, 40, 4, o);
  for (size_t i = 0; i < made.p; i++) low[i] = -0.2, high[i] = 0.2;
  made.lower = low, made.upper = high;
  answers[1] = NAN; /* the start misses a number */
  memset(x, 0, sizeof x);
  made.first = 0;
  lrgd_result boxed = run(o, true, 0, x, LRGD_OK);
  check(isfinite(boxed.f), "f is %g", boxed.f);
  check_int(made.outside, 0, "points outside");
  made.lower = made.upper = NULL;
  o.method = LRGD_METHOD_QUASI_NEWTON, o.max_evals = 2000;
  memset(x, 0, sizeof x);
  lrgd_result other = run(o, true, 0, x, LRGD_OK);
  check(isfinite(other.f), "f is %g", other.f);
}

/* Three combinations of 60 inputs, the third squared: f is flat where it is
 * lowest.  Records its answers where it is told to. */
static void flat(size_t p, const double *x, size_t m, double *r, void *user)
{
  double sum[3] = {0};
  (void)user;
  for (size_t i = 0; i < p; i++) sum[i < 10 ? 0 : i < 20 ? 1 : 2] += x[i];
  r[0] = sum[0] - 1, r[1] = 2 * (sum[1] + 2), r[2] = sum[2] * sum[2];
  if (!records || kept == KEPT) return;
  memcpy(points + kept * p, x, p * sizeof *x);
  memcpy(answers + kept++ * m, r, m * sizeof *r);
}

static lrgd_result fit_flat(bool knows, unsigned seed)
{
  double x[60];
  lrgd_solver *solver;
  lrgd_result result = {.f = NAN};
  lrgd_options o = lrgd_options_default();
  lrgd_problem f = lrgd_problem_default(60);
  f.residuals = flat, f.residual_count = 3;
  o.seed = seed, o.max_evals = 1000;
  for (size_t i = 0; i < 60; i++) x[i] = 0.1;
  if (!check(lrgd_solver_create(&solver, &f, &o, NULL) == LRGD_OK, "a solver"))
    return result;
  if (knows)
    check(lrgd_solver_learn_residuals(solver, kept, points, answers, 0, NULL) ==
              LRGD_OK,
          "known residuals");
  check_int(lrgd_solver_solve(solver, x, x, &result, NULL), LRGD_OK, "a solve");
  (void)lrgd_solver_destroy(&solver);
  return result;
}

TEST("a run does not begin at a point of a certificate's differences")
{
  records = true, kept = 0;
  lrgd_result first = fit_flat(false, 1);
  records = false;
  check_int(first.outcome, LRGD_OUTCOME_CONVERGED, "the first run");
  for (unsigned seed = 1; seed <= 4; seed++) {
    lrgd_result more = fit_flat(true, seed);
    uint64_t paid = lrgd_counts_evaluations(&more.counts);
    check_int(more.outcome, LRGD_OUTCOME_CONVERGED, "the outcome");
    check(paid <= 60, "%.0f evaluations at the end of another run",
          (double)paid);
  }
}

TEST("unusable known residuals are refused")
{
  lrgd_solver *solver;
  lrgd_problem f = lrgd_problem_default(3);
  lrgd_options o = lrgd_options_default();
  f.residuals = weighted, f.residual_count = 2;
  require(lrgd_solver_create(&solver, &f, &o, NULL) == LRGD_OK, "a solver");
  check(lrgd_solver_learn_residuals(solver, 2, NULL, answers, 0, NULL) ==
            LRGD_ERR_INVALID,
        "no points");
  check(lrgd_solver_learn_residuals(solver, 0, NULL, NULL, 0, NULL) == LRGD_OK,
        "none");
  (void)lrgd_solver_destroy(&solver);
}
