/* Hostile sizes: bounds and steps that are far away, values that are tiny or
 * huge.  What is asked stays finite and inside, and values are values. */
#include <lrgd/lrgd.h>

#include "check.h"

enum { P = 40, METHODS = 6 };

typedef enum shape { BOWL, SLOPE, SATURATED, FLAT } shape;

/* f, and what it was asked. */
typedef struct asked {
  shape shape;
  double size, offset; /* f = size * shape + offset */
  double lower, upper;
  size_t outside, odd;
} asked;

static double with_gradient(size_t p, const double *x, double *g, void *user)
{
  asked *a = user;
  double sum = 0;
  for (size_t i = 0; i < p; i++) {
    double c = 1 + (double)(i % 5), t = x[i] - 1;
    a->odd += isfinite(x[i]) ? 0 : 1;
    a->outside += x[i] >= a->lower && x[i] <= a->upper ? 0 : 1;
    if (a->shape == BOWL) sum += c * t * t;
    if (a->shape == SLOPE) sum -= x[i];
    if (a->shape == SATURATED) sum += exp(fmin(x[i], 100));
    g[i] = a->shape == BOWL    ? 2 * c * t
           : a->shape == SLOPE ? -1
           : a->shape == FLAT  ? 0
                               : exp(fmin(x[i], 100));
    g[i] *= a->size;
  }
  return a->size * sum + a->offset;
}

static double value(size_t p, const double *x, void *user)
{
  double g[P];
  return with_gradient(p, x, g, user);
}

/* A run from x = start; what its result is. */
static lrgd_result run(asked *a, const lrgd_options *o, size_t p, bool gradient,
                       double start, double *x)
{
  double lower[P], upper[P];
  lrgd_problem problem = lrgd_problem_default(p);
  lrgd_result result = {.f = NAN};
  lrgd_error error = {LRGD_OK, ""};
  for (size_t i = 0; i < p; i++) {
    x[i] = start;
    lower[i] = a->lower;
    upper[i] = a->upper;
  }
  problem.user = a;
  if (gradient)
    problem.gradient = with_gradient;
  else
    problem.value = value;
  if (a->lower > -INFINITY || a->upper < INFINITY) {
    problem.lower = lower;
    problem.upper = upper;
  }
  check(lrgd_minimize(&problem, o, x, &result, &error) == LRGD_OK, "%s",
        error.text);
  return result;
}

static lrgd_options options_of(int method)
{
  lrgd_options o = lrgd_options_default();
  o.method = method;
  o.max_evals = 4000;
  if (method == LRGD_METHOD_LRGD || method == LRGD_METHOD_ITERATED) o.rank = 5;
  return o;
}

static void check_asked(const asked *a, size_t p, const double *x, int method)
{
  check(a->outside == 0, "method %d: %zu coordinates outside of [%g, %g]",
        method, a->outside, a->lower, a->upper);
  check(a->odd == 0, "method %d: %zu coordinates are not finite", method,
        a->odd);
  for (size_t i = 0; i < p; i++)
    check(isfinite(x[i]) && x[i] >= a->lower && x[i] <= a->upper,
          "method %d returns %g in [%g, %g]", method, x[i], a->lower, a->upper);
}

TEST("bounds of any size are kept")
{
  static const double bounds[][2] = {
      {-1e100, 1e100   },
      {0.5,    1e120   },
      {-1e150, INFINITY},
      {0.5,    INFINITY}
  };
  static const double sizes[] = {1, 1e30, 1e35, 1e-170};
  for (int box = 0; box < 4; box++)
    for (int i = 0; i < 8; i++)
      for (int method = 0; method < METHODS; method++) {
        asked a = {.shape = i % 2 ? SLOPE : BOWL,
                   .size = sizes[i / 2],
                   .lower = bounds[box][0],
                   .upper = bounds[box][1]};
        lrgd_options o = options_of(method);
        double x[P];
        (void)run(&a, &o, P, false, 2, x);
        check_asked(&a, P, x, method);
      }
}

TEST("a step that overflows is not taken")
{
  for (int method = 0; method < METHODS; method++) {
    asked a = {
        .shape = SATURATED, .size = 1, .lower = -INFINITY, .upper = INFINITY};
    lrgd_options o = options_of(method);
    double x[P];
    o.alpha = 1e308;
    (void)run(&a, &o, P, true, 1.5, x);
    check_asked(&a, P, x, method);
  }
}

TEST("a large negative value alone does not count as unbounded")
{
  for (int method = 0; method < METHODS; method++)
    for (int gradient = 0; gradient < 2; gradient++) {
      asked a = {.shape = BOWL,
                 .size = 1e35,
                 .offset = -1e38,
                 .lower = -INFINITY,
                 .upper = INFINITY};
      lrgd_options o = options_of(method);
      double x[P];
      o.max_evals = 100000;
      lrgd_result r = run(&a, &o, P, gradient, 0, x);
      check(
          r.outcome == LRGD_OUTCOME_CONVERGED ||
              (r.outcome == LRGD_OUTCOME_STALLED && r.f <= -1e38 * (1 - 1e-9)),
          "method %d: f = %g: %s", method, r.f, r.message);
    }
}

TEST("a decrease without end is unbounded, whatever the size of f")
{
  static const double sizes[] = {1e-30, 1, 1e30};
  for (int method = 0; method < METHODS; method++)
    for (int i = 0; i < 3; i++) {
      asked a = {.shape = SLOPE,
                 .size = sizes[i],
                 .lower = -INFINITY,
                 .upper = INFINITY};
      lrgd_options o = options_of(method);
      double x[P];
      o.max_evals = 20000;
      lrgd_result r = run(&a, &o, P, false, 2, x);
      check(r.outcome == LRGD_OUTCOME_UNBOUNDED ||
                r.outcome == LRGD_OUTCOME_BUDGET,
            "method %d, size %g: %s", method, a.size, r.message);
      check(i != 1 || r.outcome == LRGD_OUTCOME_UNBOUNDED, "method %d: %s",
            method, r.message);
    }
}

static double worker(size_t p, const double *x, void *user)
{
  (void)p, (void)user;
  return (x[0] - 3) * (x[0] - 3) + x[0] * x[0];
}

TEST("integer values of a parabola are not taken for rounding to a grid")
{
  for (int start = 0; start < 2; start++) {
    double x[1] = {start};
    lrgd_problem problem = lrgd_problem_default(1);
    lrgd_result r = {.f = NAN};
    problem.value = worker;
    check(lrgd_minimize(&problem, NULL, x, &r, NULL) == LRGD_OK, "status");
    check(r.outcome == LRGD_OUTCOME_CONVERGED && r.noise == 0, "%s", r.message);
  }
}

/* A valley of two directions; lengths are in units of 1e150. */
static double far_away(size_t p, const double *x, void *user)
{
  double sum[2] = {-1, 2};
  (void)user;
  for (size_t i = 0; i < p; i++)
    sum[i % 3 == 0] += (1 + (double)(i % 7)) * (x[i] / 1e150);
  return sum[0] * sum[0] + 3 * sum[1] * sum[1];
}

TEST("the point returned is the one that was evaluated, far beyond its bounds")
{
  for (int64_t most = 20; most <= 160; most *= 2) {
    double x[P] = {0}, lower[P], upper[P];
    lrgd_problem problem = lrgd_problem_default(P);
    lrgd_options o = options_of(LRGD_METHOD_AUTO);
    lrgd_result r = {.f = NAN};
    for (size_t i = 0; i < P; i++) {
      upper[i] = i < P / 2 ? INFINITY : 1e100;
      lower[i] = -upper[i];
    }
    x[0] = 1e150;
    o.max_evals = most;
    problem.value = far_away;
    problem.lower = lower;
    problem.upper = upper;
    check(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "status");
    for (size_t i = 0; i < P; i++)
      check(x[i] >= lower[i] && x[i] <= upper[i], "%g in [%g, %g]", x[i],
            lower[i], upper[i]);
    check(r.f == far_away(P, x, NULL), "f is %.17g, not %.17g", r.f,
          far_away(P, x, NULL));
  }
}

/* Waves of two directions, 1e-200 high. */
static double ripple(size_t p, const double *x, double *g, void *user)
{
  static const double a[2][3] = {
      {-0.67, 0.51,  0.33 },
      {-0.35, -1.18, -0.16}
  };
  double f = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) g[i] = 0;
  for (int j = 0; j < 2; j++) {
    double t = 0.15 - 1.24 * j;
    for (size_t i = 0; i < p; i++) t += a[j][i] * x[i];
    f += 1e-200 * cos(t);
    for (size_t i = 0; i < p; i++) g[i] -= 1e-200 * a[j][i] * sin(t);
  }
  return f;
}

TEST(
    "a round of Algorithm 2 without a step is the last one, however small "
    "f is")
{
  const double upper[] = {INFINITY, 0.2, -0.78}, low = -INFINITY;
  const double lower[] = {low, low, low};
  for (int64_t rank = 1; rank <= 2; rank++) {
    double x[] = {-0.2, -2.4, -0.78};
    lrgd_problem problem = lrgd_problem_default(3);
    lrgd_options o = options_of(LRGD_METHOD_ITERATED);
    lrgd_result r = {.f = NAN};
    o.rank = rank;
    o.max_evals = 200;
    problem.gradient = ripple;
    problem.lower = lower;
    problem.upper = upper;
    check(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "status");
    check(isfinite(r.f) && r.f < 0, "f is %g", r.f);
  }
}
