/* A x = b together with bounds: every point that is asked satisfies both, and
 * the end is the minimum there. */
#include <lrgd/lrgd.h>

#include "check.h"

#include <stdint.h>
#include <stdlib.h>

enum { MOST = 40, ROWS = 4 };

typedef enum shape { BOWL, STEEP, VALLEY, LINE, SHAPES } shape;
typedef enum oracle { VALUES, SLOPES, GRADIENT, ORACLES } oracle;

/* A function, the set it is minimised on, and how far off any question was. */
typedef struct task {
  shape shape;
  size_t p, m;
  double A[ROWS * MOST], b[ROWS], lower[MOST], upper[MOST], c[MOST];
  double off_plane, off_box;
  uint64_t state, asked;
} task;

static double uniform(task *t)
{
  t->state = t->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (double)(t->state >> 11) * 0x1p-53;
}

static double weight(size_t i)
{
  return 1 + (double)(i % 7);
}

static void look(task *t, const double *x)
{
  t->asked++;
  for (size_t j = 0; j < t->m; j++) {
    double sum = -t->b[j], size = fabs(t->b[j]);
    for (size_t i = 0; i < t->p; i++) {
      sum += t->A[j * t->p + i] * x[i];
      size += fabs(t->A[j * t->p + i] * x[i]);
    }
    t->off_plane = fmax(t->off_plane, fabs(sum) / fmax(size, 1));
  }
  for (size_t i = 0; i < t->p; i++)
    t->off_box = fmax(t->off_box, fmax(t->lower[i] - x[i], x[i] - t->upper[i]));
}

static double value(size_t p, const double *x, void *user)
{
  task *t = user;
  double f = 0;
  look(t, x);
  for (size_t i = 0; i < p; i++) {
    double d = x[i] - t->c[i];
    if (t->shape == BOWL) f += weight(i) * d * d;
    if (t->shape == STEEP) f += exp(0.3 * weight(i) * d) - x[i];
    if (t->shape == LINE) f -= t->c[i] * x[i];
    if (t->shape == VALLEY && i + 1 < p)
      f += 10 * pow(x[i + 1] - x[i] * x[i], 2) + pow(1 - x[i], 2);
  }
  return f;
}

static void slope_of(const task *t, const double *x, double *g)
{
  for (size_t i = 0; i < t->p; i++) {
    double d = x[i] - t->c[i];
    g[i] = t->shape == BOWL    ? 2 * weight(i) * d
           : t->shape == STEEP ? 0.3 * weight(i) * exp(0.3 * weight(i) * d) - 1
           : t->shape == LINE  ? -t->c[i]
                               : 0;
  }
  for (size_t i = 0; t->shape == VALLEY && i + 1 < t->p; i++) {
    double bend = x[i + 1] - x[i] * x[i];
    g[i] += -40 * x[i] * bend - 2 * (1 - x[i]);
    g[i + 1] += 20 * bend;
  }
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  slope_of(user, x, g);
  return value(p, x, user);
}

static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  double g[MOST];
  slope_of(user, x, g);
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p; i++) d[j] += g[i] * U[j * p + i];
  }
  return value(p, x, user);
}

/* Rows are random, or all ones with a whole number on the right: then vertices
 * have more coordinates at bounds than there are equations to spare. */
static void make(task *t, shape s, size_t p, size_t m, uint64_t seed,
                 bool degenerate)
{
  memset(t, 0, sizeof *t);
  t->shape = s;
  t->p = p;
  t->m = m;
  t->state = seed;
  for (size_t i = 0; i < p; i++) {
    t->upper[i] = 1;
    t->c[i] = 2 * uniform(t) - 0.5;
  }
  double inside[MOST];
  for (size_t i = 0; i < p; i++) inside[i] = uniform(t);
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < p; i++) {
      t->A[j * p + i] = degenerate ? 1 : 2 * uniform(t) - 1;
      t->b[j] += t->A[j * p + i] * inside[i];
    }
  if (degenerate) t->b[0] = 1 + (double)(seed % (p - 2));
}

static lrgd_result solve(task *t, oracle o, double *x, lrgd_error *error)
{
  lrgd_problem f = lrgd_problem_default(t->p);
  lrgd_options options = lrgd_options_default();
  lrgd_result result = {.outcome = LRGD_OUTCOME_FAILED};
  lrgd_solver *solver = NULL;
  if (o == VALUES) f.value = value;
  if (o == SLOPES) f.slopes = slopes;
  if (o == GRADIENT) f.gradient = gradient;
  f.user = t;
  f.lower = t->lower;
  f.upper = t->upper;
  options.max_evals = 40000;
  lrgd_status status = lrgd_solver_create(&solver, &f, &options, error);
  if (status == LRGD_OK)
    status = lrgd_solver_set_constraints(solver, t->m, t->A, t->b, error);
  if (status == LRGD_OK)
    status = lrgd_solver_solve(solver, x, x, &result, error);
  check(status == LRGD_OK, "%s", error->text);
  (void)lrgd_solver_destroy(&solver);
  return result;
}

TEST(
    "every point evaluated satisfies A x = b and the bounds, and runs converge")
{
  static const size_t sizes[][2] = {
      {5,  1},
      {9,  4},
      {25, 3}
  };
  int runs = 0, converged = 0;
  for (int s = 0; s < SHAPES; s++)
    for (int o = 0; o < ORACLES; o++)
      for (uint64_t seed = 1; seed <= 8; seed++)
        for (size_t k = 0; k < 4; k++) {
          task t;
          double x[MOST] = {0};
          lrgd_error error = {.text = ""};
          bool degenerate = k == 3;
          make(&t, (shape)s, degenerate ? 15 : sizes[k][0],
               degenerate ? 1 : sizes[k][1], seed, degenerate);
          lrgd_result r = solve(&t, (oracle)o, x, &error);
          runs++;
          converged += r.outcome == LRGD_OUTCOME_CONVERGED;
          check(t.off_plane < 1e-13, "shape %d: off the plane by %g", s,
                t.off_plane);
          check(t.off_box <= 0, "shape %d: out of the box by %g", s, t.off_box);
          if (r.outcome != LRGD_OUTCOME_CONVERGED)
            printf("  shape %d oracle %d seed %d, %zu: %s\n", s, o, (int)seed,
                   k, r.message);
        }
  check(100 * converged >= 97 * runs, "%d of %d runs converged", converged,
        runs);
}

/* The same by values, without bounds, by any method. */
static double off_free_plane(shape s, int method, uint64_t seed)
{
  task t;
  double x[MOST] = {0};
  make(&t, s, 9, 1 + seed % 3, seed, false);
  lrgd_problem f = lrgd_problem_default(t.p);
  lrgd_options options = lrgd_options_default();
  lrgd_result result;
  lrgd_solver *solver = NULL;
  f.value = value;
  f.user = &t;
  options.method = method;
  if (method == LRGD_METHOD_LRGD || method == LRGD_METHOD_ITERATED)
    options.rank = 2;
  options.max_evals = 1000;
  lrgd_status status = lrgd_solver_create(&solver, &f, &options, NULL);
  if (status == LRGD_OK)
    status = lrgd_solver_set_constraints(solver, t.m, t.A, t.b, NULL);
  if (status == LRGD_OK)
    status = lrgd_solver_solve(solver, x, x, &result, NULL);
  check(status == LRGD_OK, "%s", lrgd_status_text(status));
  (void)lrgd_solver_destroy(&solver);
  return t.off_plane;
}

/* Sums of functions of one input each are where steps along inputs tempt. */
TEST("every point evaluated satisfies A x = b, also without bounds")
{
  for (int s = BOWL; s <= VALLEY; s++)
    for (int m = LRGD_METHOD_AUTO; m <= LRGD_METHOD_QUASI_NEWTON; m++)
      for (uint64_t seed = 1; seed <= 8; seed++) {
        double off = off_free_plane((shape)s, m, seed);
        check(off < 1e-12, "shape %d, method %d, seed %d: %g off", s, m,
              (int)seed, off);
      }
}

/* The minimum of the bowl where the sum is b: x_i = clip(c_i - l / 2 w_i). */
static double exact(const task *t, double *x)
{
  double low = -100, high = 100, f = 0;
  for (int k = 0; k < 200; k++) {
    double l = 0.5 * (low + high), sum = 0;
    for (size_t i = 0; i < t->p; i++) {
      x[i] = fmin(fmax(t->c[i] - 0.5 * l / weight(i), 0), 1);
      sum += x[i];
    }
    if (sum > t->b[0])
      low = l;
    else
      high = l;
  }
  for (size_t i = 0; i < t->p; i++)
    f += weight(i) * (x[i] - t->c[i]) * (x[i] - t->c[i]);
  return f;
}

TEST("the run ends at the minimum that a direct computation gives")
{
  for (int o = 0; o < ORACLES; o++)
    for (uint64_t seed = 1; seed <= 20; seed++) {
      task t;
      double x[MOST] = {0}, best[MOST];
      lrgd_error error = {.text = ""};
      make(&t, BOWL, 30, 1, seed, true);
      lrgd_result r = solve(&t, (oracle)o, x, &error);
      check(r.outcome == LRGD_OUTCOME_CONVERGED, "%s", r.message);
      check_within(r.f, exact(&t, best), 1e-8, "oracle %d, seed %d", o,
                   (int)seed);
    }
}

/* What the solver says of bounds 0 .. 1 with these equations and method. */
static lrgd_error refusal(const task *t, lrgd_method method)
{
  lrgd_problem f = lrgd_problem_default(t->p);
  lrgd_options options = lrgd_options_default();
  lrgd_error error = {.text = ""};
  lrgd_solver *solver = NULL;
  f.value = value;
  f.user = (void *)t;
  f.lower = t->lower;
  f.upper = t->upper;
  options.method = method;
  options.rank = 2;
  if (lrgd_solver_create(&solver, &f, &options, &error) == LRGD_OK &&
      lrgd_solver_set_constraints(solver, t->m, t->A, t->b, &error) == LRGD_OK)
    error.text[0] = '\0';
  (void)lrgd_solver_destroy(&solver);
  return error;
}

TEST("infeasible constraints are refused with numbers, before f is evaluated")
{
  task t;
  make(&t, BOWL, 10, 1, 1, true);
  t.b[0] = 11;
  lrgd_error error = refusal(&t, LRGD_METHOD_AUTO);
  check(strstr(error.text, "0 to 10, and b is 11") != NULL, "%s", error.text);
  /* each equation can be satisfied, both together cannot */
  make(&t, BOWL, 10, 2, 1, true);
  t.b[0] = 1;
  for (size_t i = 0; i < 10; i++) t.A[10 + i] = i < 5 ? 1 : 0;
  t.b[1] = 2;
  error = refusal(&t, LRGD_METHOD_AUTO);
  check(strstr(error.text, "all 2 equations") != NULL, "%s", error.text);
  check(t.asked == 0, "f was asked %d times", (int)t.asked);
}

TEST("methods that cannot keep equations and bounds together refuse them")
{
  static const lrgd_method methods[] = {LRGD_METHOD_GD, LRGD_METHOD_LRGD,
                                        LRGD_METHOD_ITERATED,
                                        LRGD_METHOD_ADAPTIVE};
  task t;
  make(&t, BOWL, 10, 1, 1, true);
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    lrgd_error error = refusal(&t, methods[i]);
    check(strstr(error.text, "auto and quasi-newton can") != NULL, "%s",
          error.text);
  }
  check(refusal(&t, LRGD_METHOD_QUASI_NEWTON).text[0] == '\0',
        "quasi-newton can");
}
