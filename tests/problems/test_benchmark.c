/* The problems of the benchmark: gradients against differences of values, and
 * the facts they state against what is measured. */
#include "make_problem.h"

static const char *const tried[] = {
    "branin p=12",
    "hartmann p=12 seed=3",
    "styblinski-tang p=12 n=5",
    "styblinski-tang p=300 n=270",
    "chained-rosenbrock p=12 n=7",
    "chained-rosenbrock p=8 n=8",
    "predator p=12",
    "predator p=12 prior=0.01",
    "heat-rod p=12 sensors=4",
    "heat-rod p=300",
    "heat-rod p=2 sensors=1",
    "exponentials p=12",
    "exponentials p=2 m=5",
};
enum { TRIED = sizeof tried / sizeof tried[0] };

/* A point not too far: the simulators are steep far away. */
static void near_start(const lr_problem *problem, double *x)
{
  size_t p = lr_problem_callbacks(problem)->dimension;
  spread(p, x);
  for (size_t i = 0; i < p; i++)
    x[i] = lr_problem_start(problem)[i] + 0.2 * x[i];
}

/* Five points: the error is h^4 f'''''/30 and eps f/h. */
static void look_at_gradient(const char *line, const lr_problem *problem)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension;
  double x[MOST], u[MOST], g[MOST], d[1], h = 1e-3, f, slope;
  near_start(problem, x);
  spread(p, u);
  lr_scale(p, 1 / norm(p, u), u);
  f = c->gradient(p, x, g, c->user);
  check_near(c->value(p, x, c->user), f, 1e-13, "%s: value", line);
  slope = (8 * (along(c, x, h, u) - along(c, x, -h, u)) -
           (along(c, x, 2 * h, u) - along(c, x, -2 * h, u))) /
          (12 * h);
  check_within(dot(p, g, u), slope, 1e-8 * (norm(p, g) + fabs(f)), "%s: slope",
               line);
  c->slopes(p, x, 1, u, d, c->user);
  check_within(d[0], dot(p, g, u), 1e-12 * norm(p, g), "%s: slopes", line);
  c->values(p, 1, x, d, c->user);
  check(d[0] == c->value(p, x, c->user), "%s: one value of a batch", line);
}

TEST("gradients and slopes are those of the values")
{
  on_each(tried, TRIED, look_at_gradient);
}

static void look_at_minimum(const char *line, const lr_problem *problem)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  const double *best = lr_problem_minimiser(problem);
  double g[MOST], x[MOST], f, minimum = lr_problem_minimum(problem);
  size_t p = c->dimension;
  f = c->value(p, lr_problem_start(problem), c->user);
  if (!best) {
    check(isnan(minimum), "%s: neither is known", line);
    return;
  }
  check(f > minimum + 1e-4, "%s: there is something to do", line);
  f = c->gradient(p, best, g, c->user);
  check_within(f, minimum, 1e-13 * (1 + fabs(minimum)), "%s: minimum", line);
  check(norm(p, g) <= 1e-11 * (1 + fabs(minimum)), "%s: |g| is %g there", line,
        norm(p, g));
  for (int i = 0; i < POINTS; i++) {
    near_start(problem, x);
    check(c->value(p, x, c->user) > minimum, "%s: not undercut", line);
  }
}

TEST("the minimum is attained where stated")
{
  on_each(tried, TRIED, look_at_minimum);
}

/* For v orthogonal to the gradients at many points f does not change along v:
 * made by taking out of v what lies in the span of those gradients. */
static void look_at_rank(const char *line, const lr_problem *problem)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension, rank = lr_problem_rank(problem), found = 0;
  double G[12 * 13], v[MOST], x[MOST], f;
  if (rank == 0 || rank == p || p > 12) return;
  for (size_t i = 0; i < 40 && found <= rank; i++) {
    double *g = G + found * p, size;
    near_start(problem, x);
    c->gradient(p, x, g, c->user);
    size = norm(p, g);
    for (int pass = 0; pass < 2; pass++)
      for (size_t j = 0; j < found; j++)
        lr_axpy(p, -dot(p, g, G + j * p), G + j * p, g);
    if (norm(p, g) < 1e-9 * size) continue;
    lr_scale(p, 1 / norm(p, g), g);
    found++;
  }
  check_int(found, rank, "%s: directions seen", line);
  near_start(problem, x);
  f = c->value(p, x, c->user);
  spread(p, v);
  for (size_t j = 0; j < found; j++)
    lr_axpy(p, -dot(p, v, G + j * p), G + j * p, v);
  check_within(along(c, x, 1, v), f, 1e-7 * (1 + fabs(f)),
               "%s: f along the rest", line);
}

TEST("embedded functions have the rank they state")
{
  on_each(tried, TRIED, look_at_rank);
}

static double start_value(const char *line)
{
  lr_problem *problem;
  const lrgd_problem *c;
  double f;
  if (make(&problem, line, NULL) != LRGD_OK) return NAN;
  c = lr_problem_callbacks(problem);
  f = c->value(c->dimension, lr_problem_start(problem), c->user);
  lr_problem_destroy(&problem);
  return f;
}

TEST("values at the starts are those known by hand")
{
  check_near(start_value("branin"), 24.129964413622268, 1e-12, "branin");
  check_near(start_value("hartmann"), -0.5053149917022333, 1e-12, "hartmann");
  check_near(start_value("styblinski-tang n=4"), 4 * -10, 1e-12, "(1-16-5)/2");
  check_near(start_value("chained-rosenbrock n=2"), 24.2, 1e-12, "n = 2");
  check_near(start_value("chained-rosenbrock n=3"), 24.2 + 484, 1e-12,
             "100 (-1.2 - 1)^2 more");
}

/* With one conductivity u = s(1 - s)/2 solves -u'' = 1, and the three-point
 * formula is exact for it; so f is 0 wherever the truth is even. */
TEST("a rod of one conductivity cools as the formula says")
{
  lr_problem *problem;
  const lrgd_problem *c;
  double even[20] = {0}, more[20], f[2];
  require(make(&problem, "heat-rod p=20 spread=1e-9", NULL) == LRGD_OK, "made");
  c = lr_problem_callbacks(problem);
  for (int i = 0; i < 20; i++) more[i] = log(2);
  f[0] = c->value(20, even, c->user);
  f[1] = c->value(20, more, c->user);
  check_within(f[0], 0, 1e-15, "the truth is even");
  check_near(f[1], 0.25, 1e-6, "twice the conductivity, half the heat");
  lr_problem_destroy(&problem);
}

static void check_refused(const char *line, const char *sentence)
{
  lr_problem *problem;
  lrgd_error error = {LRGD_OK, ""};
  check_int(make(&problem, line, &error), LRGD_ERR_INVALID, "%s", line);
  check_text(error.text, sentence, "%s", line);
}

TEST("what cannot be built is refused in a sentence")
{
  check_refused("branin p=1", "rank 2 exceeds dimension 1");
  check_refused("hartmann p=5", "rank 6 exceeds dimension 5");
  check_refused("chained-rosenbrock n=1", "n 1 is less than 2");
  check_refused("predator prior=-1", "prior -1 is less than 0");
  check_refused("heat-rod p=5 sensors=5", "5 sensors need more than 5 cells");
  check_refused("exponentials p=7", "p 7 is not even");
}
