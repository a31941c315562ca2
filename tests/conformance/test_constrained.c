/* Limits on outputs: what a run with them promises, on problems whose solution
 * is known. */
#include "check.h"

#include <lrgd/lrgd.h>
#include <problems.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A problem watched: how often it was asked, and how often outside of its
 * bounds or of A x <= b. */
typedef struct watched {
  lrgd_problem f;
  lrgd_limits limits;
  size_t asked, outside;
  double fails_beyond; /* outputs are NaN where the violation is larger */
  double times;        /* all outputs but f are this many times larger */
  double low[256], high[256];
} watched;

static double violation(const lrgd_limits *l, size_t m, const double *y)
{
  double most = 0;
  for (size_t i = 0; i < m; i++) {
    double scale = fmax(isfinite(l->lower[i]) ? fabs(l->lower[i]) : 0,
                        isfinite(l->upper[i]) ? fabs(l->upper[i]) : 0);
    double out = fmax(l->lower[i] - y[i], y[i] - l->upper[i]);
    most = fmax(most, out / (scale > 0 ? scale : 1));
  }
  return most;
}

static void ask(size_t p, const double *x, size_t m, double *y, void *user)
{
  watched *w = user;
  w->f.residuals(p, x, m, y, w->f.user);
  w->asked++;
  for (size_t i = 0; i < p; i++)
    if ((w->f.lower && x[i] < w->f.lower[i]) ||
        (w->f.upper && x[i] > w->f.upper[i]))
      w->outside++;
  for (size_t r = 0; r < w->limits.linear_count; r++) {
    double sum = 0;
    for (size_t i = 0; i < p; i++) sum += w->limits.linear[r * p + i] * x[i];
    if (sum > w->limits.linear_most[r] + 1e-12) w->outside++;
  }
  if (violation(w->f.limits, m, y) > w->fails_beyond)
    for (size_t i = 0; i < m; i++) y[i] = NAN;
  for (size_t i = 1; i < m; i++) y[i] *= w->times;
}

static watched watch(const lr_problem *problem)
{
  watched w = {.f = *lr_problem_callbacks(problem),
               .fails_beyond = INFINITY,
               .times = 1};
  w.limits = *w.f.limits;
  return w;
}

typedef struct ended {
  lrgd_result result;
  double x[1000], violation;
  double multipliers[256], outputs[256];
} ended;

static void solve(watched *w, const double *start, int64_t most, ended *e)
{
  lrgd_solver *solver;
  lrgd_error error;
  lrgd_problem problem = w->f;
  lrgd_options options = lrgd_options_default();
  size_t m = problem.residual_count;
  problem.residuals = ask;
  problem.user = w;
  for (size_t i = 0; i < m; i++) {
    w->low[i] = w->f.limits->lower[i] * (i > 0 ? w->times : 1);
    w->high[i] = w->f.limits->upper[i] * (i > 0 ? w->times : 1);
  }
  w->limits.lower = w->low, w->limits.upper = w->high;
  problem.limits = &w->limits;
  options.max_evals = most;
  check_int(lrgd_solver_create(&solver, &problem, &options, &error), LRGD_OK,
            "create");
  check_int(lrgd_solver_solve(solver, start, e->x, &e->result, &error), LRGD_OK,
            "solve");
  e->violation = lrgd_solver_violation(solver);
  check_int(lrgd_solver_residuals(solver, e->outputs), LRGD_OK, "outputs");
  if (lrgd_solver_multipliers(solver, e->multipliers) != LRGD_OK)
    memset(e->multipliers, 0, sizeof e->multipliers);
  check_int((long long)w->asked,
            (long long)lrgd_counts_evaluations(&e->result.counts), "counted");
  (void)lrgd_solver_destroy(&solver);
}

static lr_problem *make(const char *kind, const char *name, const char *text)
{
  lr_problem *problem;
  lrgd_error error;
  lr_setting setting = {name, text};
  check_int(lr_problem_create(&problem, kind, &setting, 1, &error), LRGD_OK,
            "a problem");
  return problem;
}

/* 72: inputs of 1 at the start, 200 at the end, bounds up to 4e5; 74: equations
 * whose models meet them nowhere near the start */
static const char *const numbers[] = {"6",  "12", "22", "31", "39",
                                      "43", "63", "65", "71", "72",
                                      "74", "76", "78", "113"};

TEST("minima of Hock and Schittkowski's problems are found to 1e-5")
{
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    lr_problem *problem = make("hock-schittkowski", "problem", numbers[i]);
    watched w = watch(problem);
    static ended e;
    double best = lr_problem_minimum(problem);
    solve(&w, lr_problem_start(problem), 400, &e);
    check(e.violation <= LRGD_FEASIBLE, "problem %s within limits", numbers[i]);
    check(fabs(e.result.f - best) <= 1e-5 * fmax(1, fabs(best)),
          "problem %s: %.9g for %.9g", numbers[i], e.result.f, best);
    check_int((long long)w.outside, 0, "points outside the bounds");
    lr_problem_destroy(&problem);
  }
}

TEST("a run that has converged is within the limits, and its multipliers hold")
{
  lr_problem *problem = make("hock-schittkowski", "problem", "43");
  watched w = watch(problem);
  static ended e;
  solve(&w, lr_problem_start(problem), 400, &e);
  check_int(e.result.outcome, LRGD_OUTCOME_CONVERGED, "converged");
  check(e.result.certificate.valid, "with a certificate");
  /* the multipliers of problem 43 are 1, 0 and 2 at (0, 1, 2, -1) */
  check_near(e.multipliers[1], 1, 1e-3, "of the first");
  check_near(e.multipliers[2], 0, 1e-3, "of the second");
  check_near(e.multipliers[3], 2, 1e-3, "of the third");
  check_near(e.outputs[0], e.result.f, 1e-15, "f is the first output");
  lr_problem_destroy(&problem);
}

TEST("outputs a thousand times larger or smaller take as many evaluations")
{
  lr_problem *problem = make("hock-schittkowski", "problem", "43");
  double times[] = {1, 1e3, 1e-3};
  size_t asked[3];
  for (size_t i = 0; i < 3; i++) {
    watched w = watch(problem);
    static ended e;
    w.times = times[i];
    solve(&w, lr_problem_start(problem), 400, &e);
    asked[i] = w.asked;
    check_near(e.result.f, -44, 1e-4, "the minimum");
    check(fabs((double)asked[i] - (double)asked[0]) <= 0.2 * (double)asked[0],
          "%zu for %zu", asked[i], asked[0]);
  }
  lr_problem_destroy(&problem);
}

TEST("outputs that fail outside their limits do not stop a run")
{
  lr_problem *problem = make("hock-schittkowski", "problem", "43");
  watched w = watch(problem);
  static ended e;
  w.fails_beyond = 0.3;
  solve(&w, lr_problem_start(problem), 400, &e);
  check_near(e.result.f, -44, 1e-4, "the minimum");
  check(e.violation <= LRGD_FEASIBLE, "within limits");
  lr_problem_destroy(&problem);
}

/* x1 + x2, |x|^2 <= most, x1 x2 >= 1 */
static void two(size_t p, const double *x, size_t m, double *y, void *user)
{
  (void)p, (void)m, (void)user;
  y[0] = x[0] + x[1];
  y[1] = x[0] * x[0] + x[1] * x[1];
  y[2] = x[0] * x[1];
}

static double best_told;

static void listen_to_best(const lrgd_progress *news, void *user)
{
  (void)user;
  best_told = news->best_f;
}

static lrgd_result solve_two(double most, int maximize, double *x,
                             double *violation_left)
{
  double lower[] = {-INFINITY, -INFINITY, 1},
         upper[] = {INFINITY, most, INFINITY};
  lrgd_limits limits = {.maximize = maximize, .lower = lower, .upper = upper};
  lrgd_problem problem = lrgd_problem_default(2);
  lrgd_options options = lrgd_options_default();
  lrgd_solver *solver;
  lrgd_result result;
  problem.residuals = two;
  problem.residual_count = 3;
  problem.limits = &limits;
  options.max_evals = 300;
  options.progress = listen_to_best;
  check_int(lrgd_solver_create(&solver, &problem, &options, NULL), LRGD_OK,
            "create");
  x[0] = 3, x[1] = 0.5;
  check_int(lrgd_solver_solve(solver, x, x, &result, NULL), LRGD_OK, "solve");
  *violation_left = lrgd_solver_violation(solver);
  (void)lrgd_solver_destroy(&solver);
  return result;
}

TEST("limits that contradict each other are reported, and no run has converged")
{
  double x[2], left;
  lrgd_result result = solve_two(1, 0, x, &left);
  check_int(result.outcome, LRGD_OUTCOME_STALLED, "stalled");
  check_int(result.stall, LRGD_STALL_INFEASIBLE, "infeasible");
  check_int(result.end.kind, LRGD_DECISION_KIND_INFEASIBLE, "is the reason");
  check(left > 0.1, "outside by %g", left);
  check(!result.certificate.valid, "no certificate");
}

TEST("the largest f is reported with the user's sign")
{
  double x[2], left;
  lrgd_result result = solve_two(8, 1, x, &left);
  check_int(result.outcome, LRGD_OUTCOME_CONVERGED, "converged");
  check_near(result.f, 4, 1e-6, "x1 = x2 = 2");
  check_near(best_told, 4, 1e-6, "also on the way");
  check_near(result.f, best_told, 1e-12, "the best told");
  check_near(x[0], 2, 1e-3, "x1");
}

TEST("linear limits hold at every point that is asked for")
{
  lr_problem *problem = make("hock-schittkowski", "problem", "76");
  watched w = watch(problem);
  static ended e;
  double A[] = {1, 1, 1, 1, -1, 0, 1, 0}, b[] = {2, 0.5};
  double start[] = {2, 2, 2, 2};
  w.limits.linear_count = 2, w.limits.linear = A, w.limits.linear_most = b;
  solve(&w, start, 300, &e);
  check_int((long long)w.outside, 0, "points outside");
  check(e.violation <= LRGD_FEASIBLE, "within limits");
  check_near(e.result.f, -4, 1e-6, "the minimum at (0, 2, 0, 0)");
  lr_problem_destroy(&problem);
}

/* x1 + x2 + x3, and x1 x2 x3 in the unit of 1. */
static void sum_and_product(size_t p, const double *x, size_t m, double *y,
                            void *user)
{
  (void)m, (void)user;
  y[0] = 0, y[1] = 1;
  for (size_t i = 0; i < p; i++) y[0] += x[i], y[1] *= x[i];
}

static lrgd_problem of_product(const lrgd_limits *limits)
{
  lrgd_problem problem = lrgd_problem_default(3);
  problem.residuals = sum_and_product;
  problem.residual_count = 2;
  problem.limits = limits;
  return problem;
}

TEST(
    "an input whose bounds are equal keeps its value, and the run "
    "converges")
{
  double least[] = {-INFINITY, 1};
  double lower[] = {0.1, 1.5, 0.1}, upper[] = {4, 1.5, 4};
  lrgd_limits limits = {.lower = least};
  lrgd_problem problem = of_product(&limits);
  problem.lower = lower, problem.upper = upper;
  watched w = {.f = problem, .fails_beyond = INFINITY, .times = 1};
  double high[] = {INFINITY, INFINITY};
  limits.upper = high;
  w.limits = limits;
  static ended e;
  double start[] = {1.5, 1.5, 1.5};
  solve(&w, start, 200, &e);
  check_int(e.result.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
  check_int((long long)w.outside, 0, "points outside the bounds");
  check_near(e.x[1], 1.5, 1e-15, "the fixed input");
  check_near(e.result.f, 1.5 + 2 / sqrt(1.5), 1e-6, "the minimum");
}

TEST("the largest f ends a run where it is at least the target, not before")
{
  double most[] = {INFINITY, 8};
  lrgd_limits limits = {.upper = most, .maximize = 1};
  lrgd_problem problem = of_product(&limits);
  double upper[] = {4, 4, 4}, lower[] = {0, 0, 0}, x[3];
  double start[] = {1, 1, 1};
  lrgd_options options = lrgd_options_default();
  lrgd_solver *solver;
  lrgd_result result;
  problem.lower = lower, problem.upper = upper;
  options.target = 5;
  options.max_evals = 200;
  check_int(lrgd_solver_create(&solver, &problem, &options, NULL), LRGD_OK,
            "create");
  check_int(lrgd_solver_solve(solver, start, x, &result, NULL), LRGD_OK,
            "solve");
  check_int(result.outcome, LRGD_OUTCOME_TARGET, "outcome");
  check(result.f >= 5, "f is %g, the target 5", result.f);
  (void)lrgd_solver_destroy(&solver);
}

TEST("limits that do not fit the outputs are refused with a message")
{
  lrgd_problem problem = lrgd_problem_default(2);
  double lower[] = {0, 2, 0}, upper[] = {1, 1, 1};
  lrgd_limits limits = {.lower = lower, .upper = upper};
  lrgd_solver *solver;
  lrgd_error error;
  problem.limits = &limits;
  problem.residuals = two;
  problem.residual_count = 3;
  check_int(lrgd_solver_create(&solver, &problem, NULL, &error),
            LRGD_ERR_INVALID, "a lower limit above the upper one");
  check(strstr(error.text, "output 2"), "%s", error.text);
  lower[1] = 0;
  limits.objective = 3;
  check_int(lrgd_solver_create(&solver, &problem, NULL, &error),
            LRGD_ERR_INVALID, "an objective that is no output");
  check(strstr(error.text, "output 3"), "%s", error.text);
}
