/* Bugs that a reading found: each left a test behind. */
#include <lrgd/space.h>
#include <stdlib.h>

#include "chance.h"
#include "found.h"

TEST("a model of one direction stays within its memory")
{
  for (int64_t method = LRGD_METHOD_AUTO; method <= LRGD_METHOD_QUASI_NEWTON;
       method++) {
    asked a = everywhere();
    lrgd_problem problem = problem_of(&a, false);
    lrgd_options o = lrgd_options_default();
    double x[P] = {0};
    o.method = method;
    o.rank = 1;
    o.max_evals = 5000;
    if (method == LRGD_METHOD_GD) continue;
    check(isfinite(solved(&problem, &o, x).f), "method %d", (int)method);
  }
}

TEST("restarts with slopes alone ask along directions that still exist")
{
  asked a = everywhere();
  lrgd_problem problem = problem_of(&a, true);
  lrgd_options o = lrgd_options_default();
  double x[P] = {0};
  o.restarts = 2;
  lrgd_result result = solved(&problem, &o, x);
  check(result.outcome == LRGD_OUTCOME_CONVERGED && result.f < 1e-10, "f is %g",
        result.f);
}

TEST("a restart that fails does not lose the attempt that converged")
{
  asked a = everywhere();
  lrgd_problem problem = problem_of(&a, false);
  lrgd_options o = lrgd_options_default();
  double x[P] = {0};
  lrgd_result once = solved(&problem, &o, x);
  size_t calls = a.calls;
  a = everywhere();
  a.fail_at = (int)calls + 1; /* the first value of the second attempt */
  o.restarts = 1;
  for (int i = 0; i < P; i++) x[i] = 0;
  lrgd_result twice = solved(&problem, &o, x);
  check(twice.outcome == LRGD_OUTCOME_CONVERGED && twice.f <= once.f, "%s",
        twice.message);
}

TEST("auto too measures slopes inside the bounds")
{
  asked a = {.lower = -1, .upper = 0.05};
  lrgd_problem problem = problem_of(&a, true);
  double x[P] = {0}, lower[P], upper[P];
  for (int i = 0; i < P; i++) lower[i] = a.lower, upper[i] = a.upper;
  problem.lower = lower;
  problem.upper = upper;
  lrgd_result result = solved(&problem, NULL, x);
  check(a.outside == 0, "%zu coordinates outside", a.outside);
  check(result.outcome == LRGD_OUTCOME_CONVERGED, "%s", result.message);
}

TEST("bounds of the largest double count as none")
{
  asked a = everywhere();
  lrgd_problem problem = problem_of(&a, false);
  double x[P] = {0}, lower[P], upper[P];
  for (int i = 0; i < P; i++) lower[i] = -1.7e308, upper[i] = 1.7e308;
  problem.lower = lower;
  problem.upper = upper;
  lrgd_result result = solved(&problem, NULL, x);
  check(result.outcome == LRGD_OUTCOME_CONVERGED && result.f < 1e-8, "%s",
        result.message);
}

/* Lowest at the start, which is a corner. */
static double corner(size_t p, const double *x, void *user)
{
  double f = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) f -= exp(-100 * x[i]) / (double)p;
  return f;
}

TEST("in a box no result is worse than the start")
{
  lrgd_problem problem = lrgd_problem_default(P);
  double x[P] = {0}, lower[P] = {0}, upper[P];
  for (int i = 0; i < P; i++) upper[i] = 1e6;
  problem.value = corner;
  problem.lower = lower;
  problem.upper = upper;
  check(solved(&problem, NULL, x).f <= -1 + 1e-12, "f at the start is -1");
}

/* f is only there where x_0 is 1. */
static double fibre(size_t p, const double *x, void *user)
{
  double f = 0;
  (void)user;
  if (x[0] != 1) return NAN;
  for (size_t i = 0; i < p; i++) f += x[i] * x[i];
  return f;
}

TEST("a derivative that could not be measured is not certified")
{
  lrgd_problem problem = lrgd_problem_default(5);
  double x[5] = {1, 1, 1, 1, 1};
  problem.value = fibre;
  lrgd_result result = solved(&problem, NULL, x);
  check(result.outcome != LRGD_OUTCOME_CONVERGED && !result.certificate.valid,
        "%s", result.message);
}

static double huber(size_t p, const double *x, double *g, void *user)
{
  (void)p, (void)user;
  g[0] = x[0] > 1 ? 1 : x[0] < -1 ? -1 : x[0];
  return fabs(x[0]) > 1 ? fabs(x[0]) - 0.5 : 0.5 * x[0] * x[0];
}

TEST("a long descent of constant slope is not taken for a stall")
{
  lrgd_problem problem = lrgd_problem_default(1);
  lrgd_options o = lrgd_options_default();
  double x[1] = {1e4};
  problem.gradient = huber;
  o.method = LRGD_METHOD_GD;
  o.alpha = 0.5;
  lrgd_result result = solved(&problem, &o, x);
  check(result.outcome == LRGD_OUTCOME_CONVERGED && result.f < 1e-9, "%s",
        result.message);
}

TEST("an evaluated point is returned, however small the budget")
{
  for (int64_t budget = 1; budget < 12; budget++) {
    asked a = everywhere();
    lrgd_problem problem = problem_of(&a, false);
    lrgd_options o = lrgd_options_default();
    double x[P] = {0};
    o.max_evals = budget;
    o.method = LRGD_METHOD_QUASI_NEWTON;
    check(isfinite(solved(&problem, &o, x).f), "budget %d", (int)budget);
  }
}

TEST("a basis takes the place of constraints, and bounds are refused with it")
{
  asked a = everywhere();
  lrgd_problem problem = problem_of(&a, false);
  lrgd_solver *solver;
  lrgd_result result;
  double x[P] = {0}, A[P], b = 7, W[P] = {0}, upper[P];
  for (int i = 0; i < P; i++) A[i] = upper[i] = 1;
  W[0] = 1;
  require(lrgd_solver_create(&solver, &problem, NULL, NULL) == LRGD_OK, "made");
  check(lrgd_solver_set_constraints(solver, 1, A, &b, NULL) == LRGD_OK, "one");
  check(lrgd_solver_set_basis(solver, 1, W, NULL) == LRGD_OK, "then a basis");
  check(lrgd_solver_solve(solver, x, x, &result, NULL) == LRGD_OK, "solved");
  for (int i = 1; i < P; i++) check(x[i] == 0, "coordinate %d is free", i);
  (void)lrgd_solver_destroy(&solver);
  problem.upper = upper;
  require(lrgd_solver_create(&solver, &problem, NULL, NULL) == LRGD_OK, "made");
  check(lrgd_solver_set_basis(solver, 1, W, NULL) == LRGD_ERR_INVALID,
        "refused");
  (void)lrgd_solver_destroy(&solver);
}

TEST("a solver that is not made leaves NULL")
{
  lrgd_solver *solver = (lrgd_solver *)&solver;
  check(lrgd_solver_create_in(&solver, NULL, NULL, NULL) == LRGD_ERR_INVALID &&
            !solver,
        "no problem, no solver");
}

/* A small bowl on a high plain, printed with two digits after the point: what
 * differences of the usual length see of it is exactly nothing. */
static double printed(size_t p, const double *x, void *user)
{
  double f = 62.9;
  (void)user;
  for (size_t i = 0; i < p; i++) f += 0.05 * ((x[i] - 2) * (x[i] - 2) - 4);
  return 0.02 * round(f / 0.02);
}

TEST("a gradient of exact zeros is doubted where values have few digits")
{
  for (size_t p = 4; p <= P; p *= 2) {
    for (int seed = 1; seed <= 5; seed++) {
      double x[P] = {0}, lowest = 62.9 - 0.2 * (double)p;
      lrgd_problem problem = lrgd_problem_default(p);
      lrgd_options options = lrgd_options_default();
      lrgd_result result;
      problem.value = printed;
      options.seed = seed;
      check_int(lrgd_minimize(&problem, &options, x, &result, NULL), LRGD_OK,
                "status");
      check(result.f < lowest + 0.02 * (double)p,
            "p = %zu, seed %d: %g of %g, %s", p, seed, result.f, lowest,
            result.message);
    }
  }
}

enum { TIGHT = 80, RANK = 4 };

/* Four directions. */
typedef struct directions {
  double of[RANK][TIGHT];
} directions;

static void make_directions(directions *D, int seed)
{
  for (int r = 0; r < RANK; r++)
    for (int i = 0; i < TIGHT; i++)
      D->of[r][i] = 0.16 * sin(seed + 97.0 * r + (3.7 + r) * i * i);
}

/* f varies along four directions; g, if not NULL, is its gradient. */
static double dense(const double *x, const directions *D, double *g)
{
  static const double weight[RANK] = {1, 3, 10, 30},
                      to[RANK] = {1, -.5, .7, .2};
  double f = 2.5;
  for (int i = 0; g && i < TIGHT; i++) g[i] = 0;
  for (int r = 0; r < RANK; r++) {
    double s = -to[r];
    for (int i = 0; i < TIGHT; i++) s += D->of[r][i] * x[i];
    f += weight[r] * s * s;
    for (int i = 0; g && i < TIGHT; i++)
      g[i] += 2 * weight[r] * s * D->of[r][i];
  }
  return f;
}

static double printed_dense(size_t p, const double *x, void *user)
{
  (void)p;
  return round(1e5 * dense(x, user, NULL)) / 1e5;
}

/* In a tight box, where most are held and the slopes of the others are nothing
 * that six digits show. */
TEST("derivatives that are zero away from bounds are not accepted")
{
  int wrong = 0, claims = 0;
  for (int seed = 1; seed <= CHECK_RUNS(30); seed++) {
    directions D;
    double x[TIGHT], g[TIGHT], lower[TIGHT], upper[TIGHT], sum = 0;
    lrgd_problem problem = lrgd_problem_default(TIGHT);
    lrgd_options options = lrgd_options_default();
    lrgd_result result;
    for (int i = 0; i < TIGHT; i++) {
      lower[i] = 0.05;
      upper[i] = 0.45;
      x[i] = 0.25;
    }
    make_directions(&D, seed);
    problem.value = printed_dense;
    problem.user = &D;
    problem.lower = lower;
    problem.upper = upper;
    options.seed = seed;
    options.max_evals = 1500;
    check_int(lrgd_minimize(&problem, &options, x, &result, NULL), LRGD_OK,
              "status");
    (void)dense(x, &D, g);
    for (int i = 0; i < TIGHT; i++) {
      bool held = (x[i] <= 0.05 && g[i] > 0) || (x[i] >= 0.45 && g[i] < 0);
      sum += held ? 0 : g[i] * g[i];
    }
    claims += result.certificate.valid;
    wrong += result.certificate.valid &&
             sqrt(sum) > result.certificate.grad_norm_bound;
  }
  check(wrong <= 1, "%d of %d are wrong", wrong, claims);
}

static double flat(size_t p, const double *x, void *user)
{
  (void)p, (void)x, (void)user;
  return 3.5;
}

TEST(
    "a constant function is reported as constant, however many inputs it "
    "has")
{
  for (size_t p = 5; p <= 320; p *= 4) {
    double x[320] = {0};
    lrgd_problem problem = lrgd_problem_default(p);
    lrgd_result result;
    problem.value = flat;
    check_int(lrgd_minimize(&problem, NULL, x, &result, NULL), LRGD_OK,
              "status");
    check(result.outcome == LRGD_OUTCOME_STALLED, "p = %zu: %s", p,
          result.message);
    check(result.stall == LRGD_STALL_CONSTANT && !result.certificate.valid,
          "%s", lrgd_stall_text(result.stall));
    check(result.end.kind == LRGD_DECISION_KIND_CONSTANT &&
              result.end.value == 3.5,
          "%s", result.message);
  }
}
