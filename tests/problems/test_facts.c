/* The facts that built-in problems state (rank, minimum, L, start) are measured
 * again. */
#include "make_problem.h"

static void measure_smoothness(const char *line, const lr_problem *problem,
                               const double *x, const double *g, double f)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension;
  double y[MOST], other[MOST], L = lr_problem_smoothness(problem);
  (void)f;
  if (isnan(L)) return;
  draw_point(problem, y);
  c->gradient(p, y, other, c->user);
  for (size_t i = 0; i < p; i++) {
    other[i] -= g[i];
    y[i] -= x[i];
  }
  check(norm(p, other) <= L * norm(p, y) * (1 + 1e-12) + 1e-12,
        "%s: the gradient changes by %g over %g, L is %g", line, norm(p, other),
        norm(p, y), L);
}

TEST("no gradient changes faster than L")
{
  at_points(measure_smoothness);
}

/* The gradient of least squares is linear, so differences of it along u are
 * H u, and u <- H u turns u towards the largest eigenvalue of H, which is L. */
TEST("L of least squares is the largest curvature, to 1e-4 and from above")
{
  lr_problem *problem;
  const lrgd_problem *c;
  double u[30], x[30], g[30], g0[30], L, size = 0;
  require(make(&problem, "least-squares p=30 rank=8 n=20", NULL) == LRGD_OK,
          "made");
  c = lr_problem_callbacks(problem);
  L = lr_problem_smoothness(problem);
  state = 3;
  spread(30, u);
  c->gradient(30, lr_problem_start(problem), g0, c->user);
  for (int i = 0; i < 300; i++) {
    lr_scale(30, 1 / norm(30, u), u);
    for (int j = 0; j < 30; j++) x[j] = lr_problem_start(problem)[j] + u[j];
    c->gradient(30, x, g, c->user);
    for (int j = 0; j < 30; j++) u[j] = g[j] - g0[j];
    size = norm(30, u);
  }
  check(size <= L * (1 + 1e-12) && size >= L * (1 - 1e-4),
        "curvature %.9g, L %.9g", size, L);
  lr_problem_destroy(&problem);
}

static void measure_minimum(const char *line, const lr_problem *problem,
                            const double *x, const double *g, double f)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  const double *best = lr_problem_minimiser(problem);
  size_t p = c->dimension;
  double end[MOST], minimum = lr_problem_minimum(problem), at_best;
  (void)x;
  (void)g;
  if (!best) return;
  check(f >= minimum, "%s: f = %.17g is below the minimum %.17g", line, f,
        minimum);
  at_best = c->gradient(p, best, end, c->user);
  check_within(at_best, minimum, 1e2 * DBL_EPSILON * (1 + fabs(minimum)), "%s",
               line);
  if (!c->lower)
    check(norm(p, end) <= 1e5 * DBL_EPSILON, "%s: the gradient there is %g",
          line, norm(p, end));
}

TEST("the minimum is attained where stated, and no value is lower")
{
  at_points(measure_minimum);
}

/* Moves the largest of the columns G_j ... to place j, takes the direction out
 * of the others, normalises it and returns the norm it had. */
static double pivot(size_t p, size_t m, size_t j, double *G)
{
  size_t best = j;
  double size;
  for (size_t i = j; i < m; i++)
    if (norm(p, G + i * p) > norm(p, G + best * p)) best = i;
  lr_swap(p, G + j * p, G + best * p);
  size = norm(p, G + j * p);
  if (!(size > 0)) return 0;
  lr_scale(p, 1 / size, G + j * p);
  for (size_t i = j + 1; i < m; i++)
    for (int pass = 0; pass < 2; pass++)
      lr_axpy(p, -dot(p, G + i * p, G + j * p), G + j * p, G + i * p);
  return size;
}

/* Gradients at m random points: exactly rank directions.  The last of them may
 * be faint (rare for the samples to show it well); rounding is at 1e-15. */
static void check_rank(const char *line, const lr_problem *problem, size_t m)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension, rank = lr_problem_rank(problem);
  double *G = numbers(p * m), *x = numbers(p), f, size = 1;
  for (size_t i = 0; i < m; i++) {
    draw_point(problem, x);
    c->gradient(p, x, G + i * p, c->user);
    if (norm(p, G + i * p) > 0) lr_scale(p, 1 / norm(p, G + i * p), G + i * p);
  }
  for (size_t j = 0; j < rank; j++) size = pivot(p, m, j, G);
  check(size > 1e-8, "%s: direction %zu shows, at %g", line, rank, size);
  for (size_t j = rank; j < m; j++)
    size = fmax(norm(p, G + j * p), j == rank ? 0 : size);
  check(size < 1e-11, "%s: no direction beyond %zu, at %g", line, rank, size);
  /* so f does not change along what is orthogonal to the span */
  f = c->value(p, x, c->user);
  spread(p, G + rank * p);
  for (size_t j = 0; j < rank; j++)
    lr_axpy(p, -dot(p, G + j * p, G + rank * p), G + j * p, G + rank * p);
  lr_axpy(p, 1, G + rank * p, x);
  check_within(c->value(p, x, c->user), f, 1e-11 * (1 + fabs(f)),
               "%s: f outside its span", line);
  free(G);
  free(x);
}

TEST("gradients span exactly as many dimensions as the rank says")
{
  for (size_t l = 0; l < LINES; l++) {
    lr_problem *problem;
    lrgd_status status = make(&problem, lines[l], NULL);
    require(status == LRGD_OK, "%s", lines[l]);
    state = 100 + l;
    if (lr_problem_callbacks(problem)->dimension < 100)
      check_rank(lines[l], problem, 4 * lr_problem_rank(problem) + 4);
    lr_problem_destroy(&problem);
  }
}

TEST("the start lies within the bounds and is no minimiser")
{
  for (size_t l = 0; l < LINES; l++) {
    lr_problem *problem;
    const lrgd_problem *c;
    const double *x;
    lrgd_status status = make(&problem, lines[l], NULL);
    require(status == LRGD_OK, "%s", lines[l]);
    c = lr_problem_callbacks(problem);
    x = lr_problem_start(problem);
    for (size_t i = 0; c->lower && i < c->dimension; i++)
      check(c->lower[i] <= x[i] && x[i] <= c->upper[i], "%s: %zu", lines[l], i);
    if (strncmp(lines[l], "constant", 8) != 0 && !strstr(lines[l], "lower=2"))
      check(!(c->value(c->dimension, x, c->user) <=
              lr_problem_minimum(problem) + 1e-3),
            "%s: there is something to do", lines[l]);
    check(c->struct_size == sizeof *c, "%s: struct_size is set", lines[l]);
    lr_problem_destroy(&problem);
  }
}

/* A line whose facts are known by hand. */
static void check_facts(const char *line, size_t rank, double minimum,
                        double smoothness)
{
  lr_problem *problem;
  lrgd_error error = {LRGD_OK, ""};
  lrgd_status status = make(&problem, line, &error);
  require(status == LRGD_OK, "%s: %s", line, error.text);
  check_int(lr_problem_rank(problem), rank, "%s: rank", line);
  if (isnan(minimum))
    check(isnan(lr_problem_minimum(problem)), "%s: minimum not known", line);
  else
    check_within(lr_problem_minimum(problem), minimum, 1e-15, "%s", line);
  if (isnan(smoothness))
    check(isnan(lr_problem_smoothness(problem)), "%s: L not known", line);
  else
    check_near(lr_problem_smoothness(problem), smoothness, 1e-15, "%s", line);
  lr_problem_destroy(&problem);
}

TEST("rank, minimum and L are those known by hand")
{
  check_facts("quadratic", 5, 0, 100);
  check_facts("quadratic spectrum=3,1 scale=1", 2, 0, 6);
  check_facts("quadratic spectrum=3,0", 1, 0, 3);
  check_facts("quadratic spectrum=3,-4", 2, -INFINITY, 4);
  check_facts("quadratic tail=-1", 100, -INFINITY, 100);
  check_facts("quadratic p=9 tail=0.1", 9, 0, 100);
  check_facts("ridge sigma=cosh", 5, 0, NAN);
  check_facts("ridge sigma=sine", 5, 0, 8);
  check_facts("network noise=1", 17, NAN, NAN);
  check_facts("rosenbrock n=6", 6, 0, NAN);
  check_facts("powell", 4, 0, NAN);
  check_facts("beale", 2, 0, NAN);
  check_facts("log-sum-exp m=8 mu=0.5", 5, 0.5 * log(16), 2);
  check_facts("product p=3", 3, 0.125, 4);
  check_facts("product p=4 transform=log", 1, 4 * log(0.5), 0);
  check_facts("linear", 1, -INFINITY, 0);
  check_facts("constant value=2", 0, 2, 0);
}

TEST("the paper's f = x^T H x with H = diag(3, 1) is exact")
{
  lr_problem *problem;
  const lrgd_problem *c;
  double x[] = {1.5, 1.5}, g[2];
  lrgd_status status = make(&problem,
                            "quadratic p=2 spectrum=3,1 rotation=none "
                            "centre=zero scale=1",
                            NULL);
  require(status == LRGD_OK, "it can be made");
  c = lr_problem_callbacks(problem);
  check(c->gradient(2, x, g, c->user) == 9, "3 * 2.25 + 2.25");
  check(g[0] == 9 && g[1] == 3, "2 H x");
  lr_problem_destroy(&problem);
}

TEST("the classic functions start where their authors start them")
{
  /* values at the classic starts: More, Garbow and Hillstrom (1981) */
  const struct {
    const char *line;
    double f;
  } known[] = {
      {"rosenbrock",             24.2     },
      {"rosenbrock n=10 seed=7", 5 * 24.2 },
      {"powell",                 215      },
      {"beale",                  14.203125}
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    lr_problem *problem;
    const lrgd_problem *c;
    lrgd_status status = make(&problem, known[i].line, NULL);
    require(status == LRGD_OK, "%s", known[i].line);
    c = lr_problem_callbacks(problem);
    check_near(c->value(c->dimension, lr_problem_start(problem), c->user),
               known[i].f, 1e-13, "%s", known[i].line);
    lr_problem_destroy(&problem);
  }
}

TEST("stable formulas hold where the plain ones overflow")
{
  const char *const far[] = {"logistic p=4 rank=2 n=20",
                             "log-sum-exp p=4 rank=2 m=9",
                             "ridge p=4 rank=2 sigma=logcosh"};
  for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
    lr_problem *problem;
    const lrgd_problem *c;
    double x[] = {1e6, -1e6, 1e6, 1e6}, g[4], f;
    lrgd_complex z[4], answer;
    lrgd_status status = make(&problem, far[i], NULL);
    require(status == LRGD_OK, "%s", far[i]);
    c = lr_problem_callbacks(problem);
    f = c->gradient(4, x, g, c->user);
    check(isfinite(f) && f > 1e3 && isfinite(norm(4, g)), "%s: %g", far[i], f);
    for (int j = 0; j < 4; j++) z[j] = (lrgd_complex){x[j], 0};
    answer = c->complex_value(4, z, c->user);
    check_near(answer.re, f, 1e-13, "%s: complex", far[i]);
    lr_problem_destroy(&problem);
  }
}

TEST("everything is a function of the seed")
{
  lr_problem *one, *again, *other;
  const lrgd_problem *c;
  double x[100], f;
  require(make(&one, "logistic seed=5", NULL) == LRGD_OK, "one");
  require(make(&again, "logistic seed=5", NULL) == LRGD_OK, "again");
  require(make(&other, "logistic seed=6", NULL) == LRGD_OK, "other");
  state = 1;
  draw_point(one, x);
  c = lr_problem_callbacks(one);
  f = c->value(100, x, c->user);
  c = lr_problem_callbacks(again);
  check(c->value(100, x, c->user) == f, "the same seed, the same bits");
  c = lr_problem_callbacks(other);
  check(c->value(100, x, c->user) != f, "another seed, another problem");
  lr_problem_destroy(&one);
  lr_problem_destroy(&again);
  lr_problem_destroy(&other);
}
