/* The change of variables: chain rule, bounds, and scales by the widths of a
 * box, on both sides of each number of the policy. */
#include "check.h"

#include <lrgd/lrgd.h>
#include <math.h>

enum { P = 2 };

/* f = x1 + x1 x2; asked remembers the point. */
typedef struct asked {
  double x[P];
} asked;

static double value(size_t p, const double *x, void *user)
{
  asked *a = user;
  for (size_t i = 0; i < p; i++) a->x[i] = x[i];
  return x[0] + x[0] * x[1];
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  g[0] = 1 + x[1];
  g[1] = x[0];
  return value(p, x, user);
}

static lrgd_problem make(asked *a, const double *lower, const double *upper)
{
  lrgd_problem problem = lrgd_problem_default(P);
  problem.user = a;
  problem.value = value;
  problem.gradient = gradient;
  problem.lower = lower;
  problem.upper = upper;
  return problem;
}

TEST("f is asked in the units of the user, gradients come by the chain rule")
{
  asked a;
  lrgd_problem problem = make(&a, NULL, NULL);
  const double scale[P] = {10, 1}, x[P] = {30, 0.5};
  const unsigned char log[P] = {0, 1};
  lrgd_variables *v;
  double z[P], g[P];
  check(lrgd_variables_create(&v, &problem, scale, log, NULL) == LRGD_OK,
        "made");
  lrgd_variables_wrap(v, &problem);
  lrgd_variables_into(v, x, z);
  check_near(z[0], 3, 1e-15, "scaled");
  check_near(z[1], -0.69314718055994531, 1e-15, "logarithm");
  double f = problem.gradient(P, z, g, problem.user);
  check_near(a.x[0], 30, 1e-14, "x1");
  check_near(a.x[1], 0.5, 1e-15, "x2");
  check_near(f, 45, 1e-13, "f");
  check_near(g[0], 10 * 1.5, 1e-13, "df/dz1 = scale df/dx1");
  check_near(g[1], 0.5 * 30, 1e-13, "df/dz2 = x2 df/dx2");
  lrgd_variables_back(v, z, z);
  check_near(z[0], 30, 1e-14, "back in place");
  lrgd_variables_destroy(&v);
  check(v == NULL, "cleared");
}

TEST("bounds are those of z, and no point leaves those of x")
{
  asked a;
  const double lower[P] = {-5, 0}, upper[P] = {7, 3};
  lrgd_problem problem = make(&a, lower, upper);
  const double scale[P] = {3, 1}, far[P] = {1e9, 1e9};
  const unsigned char log[P] = {0, 1};
  lrgd_variables *v;
  check(lrgd_variables_create(&v, &problem, scale, log, NULL) == LRGD_OK,
        "made");
  lrgd_variables_wrap(v, &problem);
  check_near(problem.upper[0], 7.0 / 3, 1e-15, "upper bound of z1");
  check(isinf(problem.lower[1]) && problem.lower[1] < 0, "log 0");
  (void)problem.value(P, far, problem.user);
  check(a.x[0] == 7 && a.x[1] == 3, "at the bounds: %g %g", a.x[0], a.x[1]);
  lrgd_decision d = {.input = 1, .value = 1};
  check_near(lrgd_variables_decision(v, &d).value, 3, 1e-15, "a decision");
  check(lrgd_variables_decision(NULL, &d).value == 1, "unchanged");
  lrgd_variables_destroy(&v);
}

TEST("scales that are not positive and inputs without logarithm are refused")
{
  asked a;
  const double lower[P] = {-5, -2}, upper[P] = {7, 0};
  const double scale[P] = {3, 0};
  const unsigned char log[P] = {0, 1};
  lrgd_problem problem = make(&a, lower, upper);
  lrgd_variables *v;
  lrgd_error error;
  check(lrgd_variables_create(&v, &problem, scale, NULL, &error) ==
            LRGD_ERR_INVALID,
        "a scale of 0");
  check_text(error.text, "the scale of input 2 is 0; it must be > 0", "why");
  check(lrgd_variables_create(&v, &problem, NULL, log, &error) ==
            LRGD_ERR_INVALID,
        "a logarithm of what is at most 0");
  check_text(error.text, "input 2 is at most 0, and has no logarithm", "why");
  check(v == NULL, "nothing was made");
}

static double widths(double second, double start, double *scale)
{
  asked a;
  const double lower[P] = {0, 0}, upper[P] = {1, second};
  const double at[P] = {0.5, start};
  lrgd_problem problem = make(&a, lower, upper);
  return lrgd_variables_widths(&problem, at, scale);
}

TEST("widths of a box are scales where they differ by more than 100 times")
{
  double scale[P] = {-1, -1};
  check(widths(99, 20, scale) == 1 && scale[0] == -1, "99 times");
  check_near(widths(101, 20, scale), 101, 1e-12, "101 times");
  check(scale[0] == 1 && scale[1] == 101, "%g %g", scale[0], scale[1]);
  check(widths(INFINITY, 20, scale) == 1, "no bound");
}

TEST("a start within a thousandth of a bound shows a box that is no scale")
{
  double scale[P];
  check(widths(1e4, 9, scale) == 1, "9 of 10,000");
  check(widths(1e4, 11, scale) == 1e4, "11 of 10,000");
  check(widths(1e4, 0, scale) == 1e4, "at the bound");
}
