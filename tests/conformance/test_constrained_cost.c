/* What limits on outputs cost: evaluations until a run is at the optimum, on
 * problems from engineering whose minima are known.  The numbers of evaluations
 * allowed are some 1.3 times those that were measured. */
#include "check.h"

#include <lrgd/lrgd.h>
#include <problems.h>

#include <math.h>
#include <string.h>

/* Counts evaluations, and notes the first that is within the limits to 1e-6 of
 * their scale and within `share` of the minimum. */
typedef struct counted {
  lrgd_problem f;
  double minimum, share;
  size_t asked, reached;
} counted;

static bool is_within(const lrgd_limits *l, size_t m, const double *y)
{
  for (size_t i = 0; i < m; i++) {
    double low = isfinite(l->lower[i]) ? fabs(l->lower[i]) : 0;
    double high = isfinite(l->upper[i]) ? fabs(l->upper[i]) : 0;
    double scale = fmax(low, high);
    double out = fmax(l->lower[i] - y[i], y[i] - l->upper[i]);
    if (!(out <= 1e-6 * (scale > 0 ? scale : 1))) return false;
  }
  return true;
}

static void ask(size_t p, const double *x, size_t m, double *y, void *user)
{
  counted *c = user;
  c->f.residuals(p, x, m, y, c->f.user);
  c->asked++;
  bool near = y[0] - c->minimum <= c->share * fabs(c->minimum);
  if (!c->reached && near && is_within(c->f.limits, m, y))
    c->reached = c->asked;
}

static lrgd_result run(counted *c, const double *start, int64_t most)
{
  lrgd_solver *solver;
  lrgd_result result;
  lrgd_problem problem = c->f;
  lrgd_options options = lrgd_options_default();
  static double x[1000];
  problem.residuals = ask;
  problem.user = c;
  options.max_evals = most;
  check_int(lrgd_solver_create(&solver, &problem, &options, NULL), LRGD_OK,
            "create");
  check_int(lrgd_solver_solve(solver, start, x, &result, NULL), LRGD_OK,
            "solve");
  (void)lrgd_solver_destroy(&solver);
  return result;
}

static lr_problem *make(const char *kind, const lr_setting *settings, size_t n)
{
  lr_problem *problem;
  lrgd_error error;
  check_int(lr_problem_create(&problem, kind, settings, n, &error), LRGD_OK,
            "a problem");
  return problem;
}

/* Solves one to 1e-6 within `most` evaluations, and to its end. */
static void solve(const char *kind, const char *name, const char *text,
                  size_t most)
{
  lr_setting setting = {name, text};
  lr_problem *problem = make(kind, &setting, 1);
  counted c = {.f = *lr_problem_callbacks(problem),
               .minimum = lr_problem_minimum(problem),
               .share = 1e-6};
  lrgd_result result = run(&c, lr_problem_start(problem), 600);
  check(c.reached > 0 && c.reached <= most, "%s: %zu evaluations for %zu", text,
        c.reached, most);
  check_int(result.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
  lr_problem_destroy(&problem);
}

TEST("designs whose inputs differ in size are solved, and runs converge")
{
  solve("design", "part", "welded-beam", 40);
  solve("design", "part", "speed-reducer", 30);
  solve("design", "part", "pressure-vessel", 28);
  solve("design", "part", "spring", 65);
}

TEST(
    "a tower of 25 bars, some of whose stresses do not vary at first, is "
    "solved")
{
  solve("truss", "bars", "25", 140);
}

TEST("a plate whose bounds hold many of 36 inputs is found")
{
  lr_setting size[] = {
      {"length", "6"},
      {"width",  "6"}
  };
  lr_problem *problem = make("limited-plate", size, 2);
  counted c = {.f = *lr_problem_callbacks(problem),
               .minimum = 1.509085084687,
               .share = 1e-3};
  (void)run(&c, lr_problem_start(problem), 1200);
  check(c.reached > 0 && c.reached <= 800, "%zu evaluations", c.reached);
  lr_problem_destroy(&problem);
}

/* A cantilever of five hollow steps, weight and deflection (Svanberg, Int. J.
 * Numer. Methods Eng. 24, 1987); the start is on the limit. */
static void cantilever(size_t p, const double *x, size_t m, double *y,
                       void *user)
{
  static const double share[] = {61, 37, 19, 7, 1};
  (void)m, (void)user;
  y[0] = 0, y[1] = 1;
  for (size_t i = 0; i < p; i++) {
    y[0] += 0.0624 * x[i];
    y[1] -= share[i] / (x[i] * x[i] * x[i]);
  }
}

TEST("a start on a limit of 0 gives violations a scale all the same")
{
  double low[] = {-INFINITY, 0}, high[] = {INFINITY, INFINITY};
  double lower[] = {0.01, 0.01, 0.01, 0.01, 0.01},
         upper[] = {100, 100, 100, 100, 100}, start[] = {5, 5, 5, 5, 5};
  lrgd_limits limits = {.lower = low, .upper = high};
  counted c = {
      .f = lrgd_problem_default(5), .minimum = 1.339956361, .share = 1e-6};
  c.f.residuals = cantilever;
  c.f.residual_count = 2;
  c.f.limits = &limits;
  c.f.lower = lower, c.f.upper = upper;
  lrgd_result result = run(&c, start, 400);
  check_int(result.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
  check_near(result.f, 1.339956361, 1e-7, "the weight");
  check(c.reached > 0 && c.reached <= 90, "%zu evaluations", c.reached);
}

/* Rank 10 and five limits: evaluations to 1e-3 of the minimum. */
static size_t of_low_rank(const char *p)
{
  lr_setting setting = {"p", p};
  lr_problem *problem = make("limited-quadratic", &setting, 1);
  counted c = {.f = *lr_problem_callbacks(problem),
               .minimum = 0.660183847,
               .share = 1e-3};
  (void)run(&c, lr_problem_start(problem), 320);
  lr_problem_destroy(&problem);
  return c.reached;
}

TEST("outputs of rank 10 take no more evaluations where there are more inputs")
{
  size_t few = of_low_rank("100"), many = of_low_rank("1000");
  check(few > 0 && few <= 240, "%zu with 100 inputs", few);
  check(many > 0 && many <= 320, "%zu with 1,000", many);
}
