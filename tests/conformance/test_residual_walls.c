/* Fits in a box of few inputs, and fits whose residuals are no numbers beyond
 * some value of an input: a bound that nobody has told. */
#include "check.h"

#include <lrgd/lrgd.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { P = 3, M = 12 };

/* a exp(-b t) + c - y: y is that of (2, 0.7, 0.3). */
static struct {
  size_t calls, digits; /* digits printed; 0: all */
  size_t input;         /* no number beyond `wall` of this input ... */
  double wall, side;    /* ... above it (1), below it (-1); 0: anywhere */
} fit;

static double rounded(double r)
{
  char text[40];
  if (fit.digits == 0) return r;
  (void)snprintf(text, sizeof text, "%.*g", (int)fit.digits, r);
  return strtod(text, NULL);
}

static void residuals(size_t p, const double *x, size_t m, double *r,
                      void *user)
{
  (void)p, (void)user;
  fit.calls++;
  bool beyond = fit.side * (x[fit.input] - fit.wall) > 0;
  for (size_t i = 0; i < m; i++) {
    double t = 4.0 * (double)i / (double)(m - 1);
    double y = 2 * exp(-0.7 * t) + 0.3;
    r[i] = beyond ? NAN : rounded(x[0] * exp(-x[1] * t) + x[2] - y);
  }
}

static void jacobian(size_t p, const double *x, size_t m, double *r, double *J,
                     void *user)
{
  residuals(p, x, m, r, user);
  fit.calls--;
  for (size_t i = 0; i < m; i++) {
    double t = 4.0 * (double)i / (double)(m - 1);
    J[i * p] = exp(-x[1] * t), J[i * p + 1] = -x[0] * t * J[i * p];
    J[i * p + 2] = 1;
  }
}

static lrgd_result run(const double *lower, const double *upper, bool with_J,
                       double *x)
{
  lrgd_problem f = lrgd_problem_default(P);
  lrgd_options o = lrgd_options_default();
  lrgd_result result = {.f = NAN};
  lrgd_error error = {LRGD_OK, ""};
  f.residual_count = M, f.residuals = residuals;
  if (with_J) f.residual_jacobian = jacobian;
  f.lower = lower, f.upper = upper;
  o.max_evals = 3000;
  fit.calls = 0;
  check(lrgd_minimize(&f, &o, x, &result, &error) == LRGD_OK, "%s", error.text);
  return result;
}

/* Walls on each input, short of the free optimum. */
static const struct {
  size_t input;
  double at, side, start[P];
} walls[] = {
    {0, 1.5, 1,  {1, 1, 0}  },
    {1, 0.9, -1, {1, 1.5, 0}},
    {2, 0.1, 1,  {1, 1, 0}  },
    {1, 0.6, 1,  {1, 0.3, 0}},
};
enum { WALLS = sizeof walls / sizeof walls[0] };

/* The same fit with the bound told. */
static lrgd_result told(size_t i, double *x)
{
  double lower[P], upper[P];
  for (size_t j = 0; j < P; j++) lower[j] = -INFINITY, upper[j] = INFINITY;
  (walls[i].side > 0 ? upper : lower)[walls[i].input] = walls[i].at;
  memcpy(x, walls[i].start, P * sizeof *x);
  return run(lower, upper, false, x);
}

TEST("a curved fit that bounds hold away from its optimum does not creep")
{
  for (size_t i = 0; i < WALLS; i++) {
    double x[P];
    fit.side = 0, fit.digits = 0;
    lrgd_result result = told(i, x);
    check_int(result.outcome, LRGD_OUTCOME_CONVERGED, "the outcome");
    check(x[walls[i].input] == walls[i].at, "%g, bound %g", x[walls[i].input],
          walls[i].at);
    /* 1,930 at the first wall, and stalled, where steps at bounds took no
     * account of curvature */
    check(fit.calls <= 70, "wall %zu: %zu evaluations", i, fit.calls);
  }
}

TEST("printed digits are heard of at bounds too")
{
  for (size_t i = 0; i < WALLS; i++)
    for (size_t digits = 4; digits <= 6; digits++) {
      double x[P];
      fit.side = 0, fit.digits = 0;
      double best = told(i, x).f;
      fit.digits = digits;
      lrgd_result result = told(i, x);
      check(result.f < best + 0.01 * best + 1e-6, "%g, best %g", result.f,
            best);
      check(result.noise > 0, "no noise was found");
      check(fit.calls <= 80, "wall %zu, %zu digits: %zu evaluations", i, digits,
            fit.calls);
    }
  fit.digits = 0;
}

TEST("a wall that nobody has told ends at the optimum on it")
{
  for (size_t i = 0; i < WALLS; i++)
    for (int with_J = 0; with_J < 2; with_J++) {
      double x[P];
      fit.side = 0;
      double best = told(i, x).f;
      memcpy(x, walls[i].start, sizeof x);
      fit.input = walls[i].input, fit.wall = walls[i].at;
      fit.side = walls[i].side;
      lrgd_result result = run(NULL, NULL, with_J, x);
      check(result.f <= best + 2e-3 * best, "wall %zu: f %g, best %g", i,
            result.f, best);
      check_int(result.stall, LRGD_STALL_UNEVALUABLE, "the reason");
      /* 438 to 974, and up to 140 times as high, without */
      check(fit.calls <= 120, "wall %zu: %zu evaluations", i, fit.calls);
    }
}
