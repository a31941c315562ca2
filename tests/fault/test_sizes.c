/* Values of any finite size are values: what a run does, and claims, does not
 * hang on the unit that f is measured in. */
#include "check.h"

#include <float.h>
#include <lrgd/lrgd.h>
#include <math.h>

enum { P = 12 };

/* Waves or a bowl, times `unit`, above `floor`. */
typedef struct sized {
  double unit, floor;
  bool waves;
} sized;

static double gradient(size_t p, const double *x, double *g, void *user)
{
  const sized *s = user;
  double f = 0;
  for (size_t i = 0; i < p; i++) {
    double c = (double)(1 + i), t = x[i] - 1 - 0.1 * (double)i;
    f += s->waves ? c * (1 - cos(t)) : c * t * t;
    g[i] = s->unit * (s->waves ? c * sin(t) : 2 * c * t);
  }
  return s->floor + s->unit * f;
}

static double value(size_t p, const double *x, void *user)
{
  double g[P];
  return gradient(p, x, g, user);
}

static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  double g[P], f = gradient(p, x, g, user);
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p; i++) d[j] += g[i] * U[j * p + i];
  }
  return f;
}

static lrgd_problem problem_of(sized *s, int kind)
{
  lrgd_problem problem = lrgd_problem_default(P);
  problem.user = s;
  if (kind == LRGD_KIND_VALUES) problem.value = value;
  if (kind == LRGD_KIND_SLOPES) problem.slopes = slopes;
  if (kind == LRGD_KIND_GRADIENTS) problem.gradient = gradient;
  return problem;
}

/* |grad f| at x in units of s->unit, which may be as small as numbers are. */
static double steepness(sized *s, const double *x)
{
  sized one = {1, 0, s->waves};
  double g[P], norm = 0;
  (void)gradient(P, x, g, &one);
  for (int i = 0; i < P; i++) norm = hypot(norm, g[i]);
  return norm;
}

static void check_run(sized s, int kind, int64_t method)
{
  double x[P] = {0};
  lrgd_problem problem = problem_of(&s, kind);
  lrgd_options o = lrgd_options_default();
  lrgd_result r = {.f = NAN};
  o.method = method;
  if (method == LRGD_METHOD_LRGD || method == LRGD_METHOD_ITERATED) o.rank = 3;
  o.max_evals = 20000;
  check(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "runs");
  check(r.outcome == LRGD_OUTCOME_CONVERGED,
        "unit %g, waves %d, kind %d, method %d: %s", s.unit, s.waves, kind,
        (int)method, r.message);
  double bound = r.certificate.grad_norm_bound / s.unit, is = steepness(&s, x);
  check(is <= 1.01 * bound, "unit %g, kind %d, method %d: %g is %g", s.unit,
        kind, (int)method, bound, is);
  check(is < 1e-3 && r.f <= s.unit, "f is %g, its gradient %g", r.f, is);
}

TEST(
    "functions with values of 1e-290 to 1e300 are minimised by every "
    "method")
{
  static const double units[] = {1e-290, 1e-181, 1e-100, 1e30, 1e200, 1e300};
  for (int i = 0; i < 6; i++)
    for (int kind = 0; kind < LRGD_KIND_COUNT; kind++)
      for (int64_t m = LRGD_METHOD_AUTO; m <= LRGD_METHOD_QUASI_NEWTON; m++)
        for (int waves = 0; waves < 2; waves++)
          check_run((sized){units[i], 0, waves}, kind, m);
}

TEST("a first value below -1e30 is accepted")
{
  static const double floors[] = {-1e31, -1e100, -1e300};
  for (int i = 0; i < 3; i++) {
    sized s = {-1e-3 * floors[i], floors[i], false};
    double x[P] = {0};
    lrgd_problem problem = problem_of(&s, LRGD_KIND_VALUES);
    lrgd_result r = {.f = NAN};
    check(lrgd_minimize(&problem, NULL, x, &r, NULL) == LRGD_OK, "runs");
    check(r.outcome == LRGD_OUTCOME_CONVERGED, "%g: %s", s.floor, r.message);
    check(fabs(r.f / s.floor - 1) < 1e-9, "f is %g of its least",
          r.f / s.floor);
  }
}

TEST("tolerance, target and noise are in the unit that f has")
{
  sized s = {1e-200, 0, false};
  double x[P] = {0}, y[P] = {0};
  lrgd_problem problem = problem_of(&s, LRGD_KIND_VALUES);
  lrgd_options o = lrgd_options_default();
  lrgd_result r = {.f = NAN};
  o.target = 1e-203;
  check(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "runs");
  check(r.outcome == LRGD_OUTCOME_TARGET && r.f <= o.target && r.f > 0,
        "%g: %s", r.f, r.message);
  o = lrgd_options_default();
  o.tol = 1e-201;
  o.noise = 1e-215;
  check(lrgd_minimize(&problem, &o, y, &r, NULL) == LRGD_OK, "runs");
  check(r.outcome == LRGD_OUTCOME_CONVERGED &&
            r.certificate.grad_norm_bound <= o.tol,
        "%s", r.message);
}
