/* Tolerances near what differences can tell: truncation is in the bound. */
#include "api/solver_state.h"
#include "certificate/certificate.h"
#include "check.h"
#include "family.h"

#include <lrgd/lrgd.h>

#include <float.h>
#include <math.h>

/* NIST, Statistical Reference Datasets: Chwirut2, y and x. */
static const double chwirut[54][2] = {
    {92.9,    0.5  },
    {57.1,    1    },
    {31.05,   1.75 },
    {11.5875, 3.75 },
    {8.025,   5.75 },
    {63.6,    0.875},
    {21.4,    2.25 },
    {14.25,   3.25 },
    {8.475,   5.25 },
    {63.8,    0.75 },
    {26.8,    1.75 },
    {16.4625, 2.75 },
    {7.125,   4.75 },
    {67.3,    0.625},
    {41,      1.25 },
    {21.15,   2.25 },
    {8.175,   4.25 },
    {81.5,    0.5  },
    {13.12,   3    },
    {59.9,    0.75 },
    {14.62,   3    },
    {32.9,    1.5  },
    {5.44,    6    },
    {12.56,   3    },
    {5.44,    6    },
    {32,      1.5  },
    {13.95,   3    },
    {75.8,    0.5  },
    {20,      2    },
    {10.42,   4    },
    {59.5,    0.75 },
    {21.67,   2    },
    {8.55,    5    },
    {62,      0.75 },
    {20.2,    2.25 },
    {7.76,    3.75 },
    {3.75,    5.75 },
    {11.81,   3    },
    {54.7,    0.75 },
    {23.7,    2.5  },
    {11.55,   4    },
    {61.3,    0.75 },
    {17.7,    2.5  },
    {8.74,    4    },
    {59.2,    0.75 },
    {16.3,    2.5  },
    {8.62,    4    },
    {81,      0.5  },
    {4.87,    6    },
    {14.62,   3    },
    {81.7,    0.5  },
    {17.17,   2.75 },
    {81.3,    0.5  },
    {28.9,    1.75 }
};

/* The sum of squares of e^(-b1 x) / (b2 + b3 x) - y, and its gradient. */
static double fit(const double *b, double *g)
{
  double f = 0;
  g[0] = g[1] = g[2] = 0;
  for (int i = 0; i < 54; i++) {
    double x = chwirut[i][1], below = b[1] + b[2] * x;
    double model = exp(-b[0] * x) / below, rest = model - chwirut[i][0];
    f += rest * rest;
    g[0] -= 2 * rest * x * model;
    g[1] -= 2 * rest * model / below;
    g[2] -= 2 * rest * model * x / below;
  }
  return f;
}

static double beale(const double *x, double *g)
{
  static const double y[3] = {1.5, 2.25, 2.625};
  double f = 0, power = 1;
  g[0] = g[1] = 0;
  for (int i = 0; i < 3; i++) {
    double last = power;
    power *= x[1];
    double rest = y[i] - x[0] * (1 - power);
    f += rest * rest;
    g[0] -= 2 * rest * (1 - power);
    g[1] += 2 * rest * x[0] * (i + 1) * last;
  }
  return f;
}

static double fit_value(size_t p, const double *x, void *user)
{
  double g[3];
  (void)p;
  (void)user;
  return fit(x, g);
}

static double beale_value(size_t p, const double *x, void *user)
{
  double g[2];
  (void)p;
  (void)user;
  return beale(x, g);
}

typedef double (*with_gradient)(const double *x, double *g);

static double norm_at(with_gradient f, size_t p, const double *x)
{
  double g[3] = {0}, sum = 0;
  (void)f(x, g);
  for (size_t i = 0; i < p; i++) sum += g[i] * g[i];
  return sqrt(sum);
}

/* From x, one run to 10^-digits of the first gradient. */
static void run_to(lrgd_value_fn value, with_gradient f, size_t p, double *x,
                   int64_t method, int digits, int *certified)
{
  lrgd_problem problem = lrgd_problem_default(p);
  lrgd_options o = lrgd_options_default();
  lrgd_result r;
  problem.value = value;
  o.method = method;
  o.rank = method == LRGD_METHOD_LRGD || method == LRGD_METHOD_ITERATED
               ? (int64_t)p
               : LRGD_UNSET;
  o.tol = norm_at(f, p, x) * pow(10, -digits);
  o.max_evals = 5000;
  require(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "it runs");
  double truth = norm_at(f, p, x), bound = r.certificate.grad_norm_bound;
  *certified += r.outcome == LRGD_OUTCOME_CONVERGED;
  check(!r.certificate.valid || truth <= 1.01 * bound,
        "method %d, 1e-%d: |grad f| is %g, at most %g is claimed", (int)method,
        digits, truth, bound);
  check(r.outcome != LRGD_OUTCOME_CONVERGED || bound <= o.tol,
        "method %d, 1e-%d: converged at %g, %g was asked", (int)method, digits,
        bound, o.tol);
}

TEST(
    "the bound includes the truncation error of two-sided differences: "
    "CHWIRUT2 and BEALE")
{
  int certified = 0;
  for (int64_t m = LRGD_METHOD_AUTO; m <= LRGD_METHOD_QUASI_NEWTON; m++)
    for (int digits = 2; digits <= 12; digits++) {
      double b[3] = {0.1, 0.01, 0.02}, x[2] = {1, 1};
      run_to(fit_value, fit, 3, b, m, digits, &certified);
      run_to(beale_value, beale, 2, x, m, digits, &certified);
    }
  check(certified >= 60, "%d of 132 converged", certified);
}

/* A sum of squares around 0.7, 1.4, 2.1, 0.7, ... , above *user. */
static double squares(size_t p, const double *x, void *user)
{
  double f = *(const double *)user;
  for (size_t i = 0; i < p; i++) {
    double t = x[i] - 0.7 * (double)(1 + i % 3);
    f += (double)(1 + i) * t * t;
  }
  return f;
}

TEST("a start at the minimum is certified by every method")
{
  static const size_t sizes[] = {1, 4, 16, 60, 200};
  for (int k = 0; k < 10; k++)
    for (int64_t m = LRGD_METHOD_AUTO; m <= LRGD_METHOD_QUASI_NEWTON; m++) {
      size_t p = sizes[k / 2];
      double x[200], above = k % 2 ? 7 : 0;
      lrgd_problem problem = lrgd_problem_default(p);
      lrgd_options o = lrgd_options_default();
      lrgd_result r;
      for (size_t i = 0; i < p; i++) x[i] = 0.7 * (double)(1 + i % 3);
      problem.value = squares;
      problem.user = &above;
      o.method = m;
      if (m == LRGD_METHOD_LRGD || m == LRGD_METHOD_ITERATED) o.rank = 1;
      require(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "it runs");
      check(r.outcome == LRGD_OUTCOME_CONVERGED, "method %d, p = %zu, %g: %s",
            (int)m, p, above, r.message);
    }
}

/* A sum of three squares along dense directions, which is 0 at x_i = 0.7,
 * 1.4, 2.1, 0.7, ..., above *user. */
static double three_squares(size_t p, const double *x, void *user)
{
  double f = *(const double *)user, t[3] = {0};
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < 3; j++)
      t[j] +=
          cos((double)((i + 1) * (j + 2))) * (x[i] - 0.7 * (double)(1 + i % 3));
  for (size_t j = 0; j < 3; j++) f += (double)(1 + j) * t[j] * t[j] / (double)p;
  return f;
}

/* The bound of a run of auto that starts at the minimum of f; tol 0: not given.
 */
static double bound_at_minimum(lrgd_value_fn f, size_t p, double above,
                               double tol, int64_t seed)
{
  double x[200];
  lrgd_problem problem = lrgd_problem_default(p);
  lrgd_options o = lrgd_options_default();
  lrgd_result r;
  for (size_t i = 0; i < p; i++) x[i] = 0.7 * (double)(1 + i % 3);
  problem.value = f;
  problem.user = &above;
  o.seed = seed;
  if (tol > 0) o.tol = tol;
  lrgd_status status = lrgd_minimize(&problem, &o, x, &r, NULL);
  check(status == LRGD_OK, "%s", lrgd_status_text(status));
  check(r.outcome == LRGD_OUTCOME_CONVERGED, "p = %zu, %g, seed %d: %s", p,
        above, (int)seed, r.message);
  return r.certificate.grad_norm_bound;
}

/* Differences of values of size `above` resolve a gradient of p inputs to some
 * sqrt(p 4 epsilon above c), c being the curvature; of p. */
TEST("auto certifies a start at the minimum as closely as differences can")
{
  static const double above[] = {1, 7, 1e4};
  for (int k = 0; k < 18; k++) {
    size_t p = k % 2 ? 200 : 80;
    double f = above[k / 2 % 3];
    double full = bound_at_minimum(squares, p, f, 0, k / 6);
    double low = bound_at_minimum(three_squares, p, f, 0, k / 6);
    double most = sqrt((double)p * 4 * DBL_EPSILON * f);
    check(full <= 50 * most * sqrt((double)p), "%g of full rank", full);
    check(low <= 50 * most, "%g of low rank", low);
  }
}

TEST("auto certifies a start at the minimum to a tolerance that was given")
{
  for (int k = 0; k < 6; k++) {
    double bound = bound_at_minimum(squares, k % 2 ? 200 : 80, 7, 1e-6, k / 2);
    check(bound <= 1e-6, "%g", bound);
  }
}

/* ---- a start that is the end of an earlier run ---- */

/* A function of four directions in 60 inputs, which no quadratic is: least at
 * *user. */
static double four_directions(size_t p, const double *x, void *user)
{
  double s[4] = {0};
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < 4; j++)
      s[j] += sin((double)((i + 1) * (j + 2) * (j + 3))) * x[i] / sqrt(30.0);
  double d = s[2] - s[0], e = s[3] - s[1] * s[1] / 4;
  return *(const double *)user + (s[0] - 1) * (s[0] - 1) +
         3 * (s[1] + 2) * (s[1] + 2) + log1p(d * d) + 0.3 * e * e;
}

/* The same of three directions and exponential: least above 1. */
static double hanging(size_t p, const double *x, void *user)
{
  double s[3] = {0};
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < 3; j++)
      s[j] += cos((double)((i + 2) * (j + 3) * (j + 1))) * x[i] / sqrt(30.0);
  return *(const double *)user + (s[0] - 1) * (s[0] - 1) +
         2 * (s[1] + 0.5) * (s[1] + 0.5) + cosh(s[2] - 0.3);
}

static lrgd_result from(lrgd_value_fn f, double above, double *x, int64_t seed,
                        bool box)
{
  double lower[60], upper[60];
  lrgd_problem problem = lrgd_problem_default(60);
  lrgd_options o = lrgd_options_default();
  lrgd_result r;
  for (size_t i = 0; i < 60; i++) {
    lower[i] = -100;
    upper[i] = 100;
  }
  problem.value = f;
  problem.user = &above;
  if (box) {
    problem.lower = lower;
    problem.upper = upper;
  }
  o.seed = seed;
  lrgd_status status = lrgd_minimize(&problem, &o, x, &r, NULL);
  check(status == LRGD_OK, "%s", lrgd_status_text(status));
  return r;
}

/* The norm of the gradient, by differences of step h of f above 0: its
 * truncation error is of order h^2. */
static double gradient_norm(lrgd_value_fn f, const double *x)
{
  const double h = 1e-5;
  double y[60], sum = 0, above = 0;
  for (size_t i = 0; i < 60; i++) y[i] = x[i];
  for (size_t i = 0; i < 60; i++) {
    y[i] = x[i] + h;
    double d = f(60, y, &above);
    y[i] = x[i] - h;
    d = (d - f(60, y, &above)) / (2 * h);
    y[i] = x[i];
    sum += d * d;
  }
  return sqrt(sum);
}

/* A share of a gradient that is nearly rounding cannot be resolved: such runs
 * took thousands of evaluations, and stalled. */
TEST(
    "a run from the end point of another ends at once, with a true "
    "certificate")
{
  static const lrgd_value_fn functions[] = {four_directions, hanging, squares};
  static const double above[] = {1, 1e4};
  int quick = 0, runs = 0;
  for (int k = 0; k < 6; k++)
    for (int64_t seed = 1; seed <= 4; seed++)
      for (int box = 0; box < 2; box++) {
        lrgd_value_fn f = functions[k / 2];
        double x[60] = {0};
        lrgd_result first = from(f, above[k % 2], x, 0, false);
        check(first.outcome == LRGD_OUTCOME_CONVERGED, "%s", first.message);
        lrgd_result r = from(f, above[k % 2], x, seed, box);
        uint64_t n = lrgd_counts_evaluations(&r.counts);
        double g = gradient_norm(f, x), bound = r.certificate.grad_norm_bound;
        check(r.outcome == LRGD_OUTCOME_CONVERGED, "%d, seed %d, box %d: %s", k,
              (int)seed, box, r.message);
        check(r.certificate.valid && g <= 1.01 * bound + 1e-7,
              "%d, seed %d, box %d: %g is above %g", k, (int)seed, box, g,
              bound);
        check(n <= 200, "%d, seed %d, box %d: %d evaluations", k, (int)seed,
              box, (int)n);
        quick += n <= 60 / 2 + 40;
        runs++;
      }
  check(5 * quick >= 4 * runs, "%d of %d took at most p/2 + 40", quick, runs);
}

/* |x - 1|^2 above *user. */
static double bowl(size_t p, const double *x, void *user)
{
  double f = *(const double *)user;
  for (size_t i = 0; i < p; i++) f += (x[i] - 1) * (x[i] - 1);
  return f;
}

/* The first gradient is measured where the minimum has been found, before there
 * is a tolerance: its steps are longer than those of the next one. */
TEST("a minimum found by values is certified below an offset of 100")
{
  for (size_t p = 1; p <= 9; p++) {
    double x[9] = {0}, above = -100;
    lrgd_problem problem = lrgd_problem_default(p);
    lrgd_result r;
    problem.value = bowl;
    problem.user = &above;
    require(lrgd_minimize(&problem, NULL, x, &r, NULL) == LRGD_OK, "it runs");
    check(r.outcome == LRGD_OUTCOME_CONVERGED, "p = %zu: %s", p, r.message);
  }
}

/* Dixon and Price's valley in 8 inputs, with normal noise. */
typedef struct valley {
  double noise;
  uint64_t state;
} valley;

static double valley_value(size_t p, const double *x, void *user)
{
  valley *v = user;
  double f = (x[0] - 1) * (x[0] - 1);
  for (size_t i = 1; i < p; i++) {
    double t = 2 * x[i] * x[i] - x[i - 1];
    f += (double)(i + 1) * t * t;
  }
  return f + v->noise * family_normal(&v->state);
}

/* A second measurement of the gradient may show that the first one was good
 * enough: so in some one of thirty of these runs. */
TEST("a run that stalls has no bound within its tolerance")
{
  int met = 0;
  for (int k = 0; k < CHECK_RUNS(400); k++) {
    double x[8];
    uint64_t state = (uint64_t)k;
    valley v = {.noise = pow(10, family_between(&state, -7, -2)),
                .state = state};
    lrgd_problem problem = lrgd_problem_default(8);
    lrgd_options o = lrgd_options_default();
    lrgd_result r;
    for (int i = 0; i < 8; i++) x[i] = family_normal(&v.state);
    problem.value = valley_value;
    problem.user = &v;
    o.tol = pow(10, family_between(&v.state, -2, 1));
    o.max_evals = 2000;
    if (k % 2) o.noise = v.noise;
    require(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "it runs");
    bool valid = r.certificate.valid;
    bool within = valid && r.certificate.grad_norm_bound <= o.tol;
    met += within;
    check(within == (r.outcome == LRGD_OUTCOME_CONVERGED),
          "run %d: bound %g, tolerance %g: %s", k,
          r.certificate.grad_norm_bound, o.tol, r.message);
  }
  check(met >= CHECK_RUNS(400) / 5, "%d runs met their tolerance", met);
}

static double nothing(size_t p, const double *x, void *user)
{
  (void)p, (void)x, (void)user;
  return 0;
}

/* One of 864,000 runs of an outside witness: at a jump no gradient is measured
 * after a stall, but the bound may be there already. */
TEST("nor has one that has met a jump of f")
{
  for (int within = 0; within < 2; within++) {
    lrgd_problem problem = lrgd_problem_default(2);
    lrgd_options o = lrgd_options_default();
    lrgd_solver *solver = NULL;
    problem.value = nothing;
    o.tol = 1;
    require(lrgd_solver_create(&solver, &problem, &o, NULL) == LRGD_OK,
            "it is made");
    lr_run *run = &solver->run;
    run->goal.tol = 1;
    run->oracle.seen.cliffs = 1;
    run->claim.certificate.valid = 1;
    run->claim.certificate.grad_norm_bound = within ? 0.9 : 1.1;
    (void)lr_oracle_stall(&run->oracle, LRGD_STALL_NOISE,
                          (lrgd_decision){.kind = LRGD_DECISION_KIND_NONE});
    check(lr_run_close(run) == LR_END, "it ends");
    bool converged = run->oracle.ending.outcome == LRGD_OUTCOME_CONVERGED;
    check(converged == (within == 1), "within: %d", within);
    lrgd_solver_destroy(&solver);
  }
}
