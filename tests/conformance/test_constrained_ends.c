/* How runs with limits end: at vertices of linear limits, and where the limits
 * cannot be met. */
#include "check.h"

#include <lrgd/lrgd.h>

#include <math.h>
#include <string.h>

typedef struct ended {
  lrgd_status status;
  lrgd_error error;
  lrgd_result result;
  double x[8], violation;
} ended;

static ended solve(const lrgd_limits *limits, size_t p, size_t m,
                   lrgd_residuals_fn outputs, const double *start)
{
  lrgd_problem problem = lrgd_problem_default(p);
  lrgd_options options = lrgd_options_default();
  lrgd_solver *solver;
  ended e = {0};
  problem.residuals = outputs;
  problem.residual_count = m;
  problem.limits = limits;
  options.max_evals = 300;
  e.status = lrgd_solver_create(&solver, &problem, &options, &e.error);
  if (e.status == LRGD_OK) {
    e.status = lrgd_solver_solve(solver, start, e.x, &e.result, &e.error);
    e.violation = lrgd_solver_violation(solver);
  }
  (void)lrgd_solver_destroy(&solver);
  return e;
}

/* -x1 - x2 */
static void sum(size_t p, const double *x, size_t m, double *y, void *user)
{
  (void)p, (void)m, (void)user;
  y[0] = -x[0] - x[1];
}

/* |x - (5, 4)|^2 */
static void distance(size_t p, const double *x, size_t m, double *y, void *user)
{
  (void)p, (void)m, (void)user;
  y[0] = (x[0] - 5) * (x[0] - 5) + (x[1] - 4) * (x[1] - 4);
}

/* x1 + 2 x2 <= 4, 3 x1 + x2 <= 6, and 4 x1 + 3 x2 <= 10: all meet at one point.
 */
static const double rows[] = {1, 2, 3, 1, 4, 3}, most[] = {4, 6, 10};

TEST("a run ends as converged at a vertex of linear limits")
{
  double start[] = {0, 0};
  for (size_t count = 2; count <= 3; count++) {
    lrgd_limits limits = {
        .linear_count = count, .linear = rows, .linear_most = most};
    ended e = solve(&limits, 2, 1, distance, start);
    check_int(e.result.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
    check_near(e.x[0], 1.6, 1e-6, "x1");
    check_near(e.x[1], 1.2, 1e-6, "x2");
  }
}

TEST("a point on one linear limit is no solution where another one is ahead")
{
  lrgd_limits limits = {.linear_count = 2, .linear = rows, .linear_most = most};
  double start[] = {0, 0};
  ended e = solve(&limits, 2, 1, sum, start);
  check_int(e.result.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
  check_near(e.result.f, -2.8, 1e-6, "f");
}

TEST("an equation as two opposite rows is refused with their numbers")
{
  double A[] = {1, 1, -1, -1}, b[] = {3, -3};
  double starts[][2] = {
      {1, 2},
      {0, 0}
  };
  lrgd_limits limits = {.linear_count = 2, .linear = A, .linear_most = b};
  for (size_t i = 0; i < 2; i++) {
    ended e = solve(&limits, 2, 1, distance, starts[i]);
    check_int(e.status, LRGD_ERR_INVALID, "status");
    check(strstr(e.error.text, "linear limits 1 and 2"), "%s", e.error.text);
  }
}

TEST("linear limits without a point that meets them are refused")
{
  double A[] = {1, 0, 0, 1, -1, -1}, b[] = {1, 1, -3}, start[] = {0, 0};
  lrgd_limits limits = {.linear_count = 3, .linear = A, .linear_most = b};
  ended e = solve(&limits, 2, 1, distance, start);
  check_int(e.status, LRGD_ERR_INVALID, "status");
  check(strstr(e.error.text, "all 3 linear limits"), "%s", e.error.text);
}

/* An objective without a minimum beside an output that is always 5, or at least
 * 1. */
static void falls_beside_5(size_t p, const double *x, size_t m, double *y,
                           void *user)
{
  (void)p, (void)m, (void)user;
  y[0] = x[0] + x[1], y[1] = 5;
}

static void falls_above_1(size_t p, const double *x, size_t m, double *y,
                          void *user)
{
  (void)p, (void)m, (void)user;
  y[0] = x[0], y[1] = x[1] * x[1] + 1;
}

static void check_infeasible(lrgd_residuals_fn outputs, double upper,
                             double left)
{
  double high[] = {INFINITY, upper}, start[] = {1, 2};
  lrgd_limits limits = {.upper = high};
  ended e = solve(&limits, 2, 2, outputs, start);
  check_int(e.result.outcome, LRGD_OUTCOME_STALLED, "outcome");
  check_int(e.result.stall, LRGD_STALL_INFEASIBLE, "its reason");
  check(!e.result.certificate.valid, "no certificate");
  check_near(e.violation, left, 1e-6, "the violation that is left");
  check(lrgd_counts_evaluations(&e.result.counts) < 60, "%lld evaluations",
        (long long)lrgd_counts_evaluations(&e.result.counts));
}

TEST("an unbounded objective does not hide that a limit cannot be met")
{
  check_infeasible(falls_beside_5, 1, 4);
  check_infeasible(falls_above_1, 0.5, 1);
}

/* The sum of more inputs than models in all of them serve, and the first. */
enum { MANY = 260 };

static void sum_of_many(size_t p, const double *x, size_t m, double *y,
                        void *user)
{
  (void)m, (void)user;
  y[0] = 0, y[1] = x[0];
  for (size_t i = 0; i < p; i++) y[0] += x[i];
}

static lrgd_result solve_many(int64_t budget)
{
  double lower[MANY], upper[MANY], x[MANY], high[] = {INFINITY, 2};
  lrgd_limits limits = {.upper = high};
  lrgd_problem problem = lrgd_problem_default(MANY);
  lrgd_options options = lrgd_options_default();
  lrgd_solver *solver;
  lrgd_result result;
  for (size_t i = 0; i < MANY; i++) lower[i] = 0, upper[i] = 1, x[i] = 0.5;
  problem.residuals = sum_of_many, problem.residual_count = 2;
  problem.limits = &limits, problem.lower = lower, problem.upper = upper;
  options.max_evals = budget;
  check_int(lrgd_solver_create(&solver, &problem, &options, NULL), LRGD_OK,
            "create");
  check_int(lrgd_solver_solve(solver, x, x, &result, NULL), LRGD_OK, "solve");
  (void)lrgd_solver_destroy(&solver);
  return result;
}

TEST(
    "a run in a subspace ends where all remaining inputs are at active "
    "bounds")
{
  lrgd_result result = solve_many(200);
  check(result.f < 115, "f has fallen from 130 to %g", result.f);
}

TEST(
    "a budget ends a run in a subspace at any evaluation, also of a new "
    "direction")
{
  for (int64_t budget = 1; budget <= 60; budget++) {
    lrgd_result result = solve_many(budget);
    long long used = (long long)lrgd_counts_evaluations(&result.counts);
    check(used <= budget, "%lld of %lld", used, (long long)budget);
    uint64_t slopes =
        result.counts.oracle_calls[LRGD_PURPOSE_IDENTIFY] -
        lrgd_counts_of(&result.counts, LRGD_KIND_VALUES, LRGD_PURPOSE_IDENTIFY);
    if (budget <= 7) /* the first directions alone */
      check_int((long long)slopes, 0, "slopes without an evaluation");
    if (used == budget)
      check_int(result.outcome, LRGD_OUTCOME_BUDGET, "outcome");
    check(isfinite(result.f), "f is %g", result.f);
  }
}
