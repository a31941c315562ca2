/* Bugs that a reading found: each left a test behind. */
#include <lrgd/space.h>
#include <stdlib.h>

#include "chance.h"
#include "check.h"

enum { P = 40 };

typedef struct asked {
  size_t calls, outside;
  double lower, upper; /* counted against */
  int fail_at;         /* this call answers NaN; 0: none */
} asked;

static void look(asked *a, size_t p, const double *x)
{
  a->calls++;
  for (size_t i = 0; i < p; i++)
    a->outside += !(x[i] >= a->lower && x[i] <= a->upper);
}

/* A bowl along two directions. */
static double bowl_gradient(size_t p, const double *x, double *g)
{
  double s[2] = {-3, 1};
  for (size_t i = 0; i < p; i++) s[i % 2] += x[i];
  for (size_t i = 0; i < p; i++) g[i] = 2 * s[i % 2] / 10;
  return (s[0] * s[0] + s[1] * s[1]) / 10;
}

static double value(size_t p, const double *x, void *user)
{
  asked *a = user;
  double g[P];
  look(a, p, x);
  if ((size_t)a->fail_at == a->calls) return NAN;
  return bowl_gradient(p, x, g);
}

static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  double g[P], f = bowl_gradient(p, x, g);
  look(user, p, x);
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p; i++) d[j] += g[i] * U[j * p + i];
  }
  return f;
}

static asked everywhere(void)
{
  return (asked){.lower = -INFINITY, .upper = INFINITY};
}

static lrgd_problem problem_of(asked *a, bool by_slopes)
{
  lrgd_problem problem = lrgd_problem_default(P);
  if (by_slopes)
    problem.slopes = slopes;
  else
    problem.value = value;
  problem.user = a;
  return problem;
}

static lrgd_result solved(const lrgd_problem *problem, const lrgd_options *o,
                          double *x)
{
  lrgd_result result = {.f = NAN};
  lrgd_error error = {.text = ""};
  check(lrgd_minimize(problem, o, x, &result, &error) == LRGD_OK, "%s",
        error.text);
  return result;
}

TEST("a model of one direction stays within its memory")
{
  for (int64_t method = LRGD_METHOD_AUTO; method <= LRGD_METHOD_QUASI_NEWTON;
       method++) {
    asked a = everywhere();
    lrgd_problem problem = problem_of(&a, false);
    lrgd_options o = lrgd_options_default();
    double x[P] = {0};
    o.method = method;
    o.rank = 1;
    o.max_evals = 5000;
    if (method == LRGD_METHOD_GD) continue;
    check(isfinite(solved(&problem, &o, x).f), "method %d", (int)method);
  }
}

TEST("restarts with slopes alone ask along directions that still exist")
{
  asked a = everywhere();
  lrgd_problem problem = problem_of(&a, true);
  lrgd_options o = lrgd_options_default();
  double x[P] = {0};
  o.restarts = 2;
  lrgd_result result = solved(&problem, &o, x);
  check(result.outcome == LRGD_OUTCOME_CONVERGED && result.f < 1e-10, "f is %g",
        result.f);
}

TEST("a restart that fails does not lose the attempt that converged")
{
  asked a = everywhere();
  lrgd_problem problem = problem_of(&a, false);
  lrgd_options o = lrgd_options_default();
  double x[P] = {0};
  lrgd_result once = solved(&problem, &o, x);
  size_t calls = a.calls;
  a = everywhere();
  a.fail_at = (int)calls + 1; /* the first value of the second attempt */
  o.restarts = 1;
  for (int i = 0; i < P; i++) x[i] = 0;
  lrgd_result twice = solved(&problem, &o, x);
  check(twice.outcome == LRGD_OUTCOME_CONVERGED && twice.f <= once.f, "%s",
        twice.message);
}

TEST("auto too measures slopes inside the bounds")
{
  asked a = {.lower = -1, .upper = 0.05};
  lrgd_problem problem = problem_of(&a, true);
  double x[P] = {0}, lower[P], upper[P];
  for (int i = 0; i < P; i++) lower[i] = a.lower, upper[i] = a.upper;
  problem.lower = lower;
  problem.upper = upper;
  lrgd_result result = solved(&problem, NULL, x);
  check(a.outside == 0, "%zu coordinates outside", a.outside);
  check(result.outcome == LRGD_OUTCOME_CONVERGED, "%s", result.message);
}

TEST("bounds of the largest numbers are no bounds")
{
  asked a = everywhere();
  lrgd_problem problem = problem_of(&a, false);
  double x[P] = {0}, lower[P], upper[P];
  for (int i = 0; i < P; i++) lower[i] = -1.7e308, upper[i] = 1.7e308;
  problem.lower = lower;
  problem.upper = upper;
  lrgd_result result = solved(&problem, NULL, x);
  check(result.outcome == LRGD_OUTCOME_CONVERGED && result.f < 1e-8, "%s",
        result.message);
}

/* Lowest at the start, which is a corner. */
static double corner(size_t p, const double *x, void *user)
{
  double f = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) f -= exp(-100 * x[i]) / (double)p;
  return f;
}

TEST("in a box no result is worse than the start")
{
  lrgd_problem problem = lrgd_problem_default(P);
  double x[P] = {0}, lower[P] = {0}, upper[P];
  for (int i = 0; i < P; i++) upper[i] = 1e6;
  problem.value = corner;
  problem.lower = lower;
  problem.upper = upper;
  check(solved(&problem, NULL, x).f <= -1 + 1e-12, "f at the start is -1");
}

/* f is only there where x_0 is 1. */
static double fibre(size_t p, const double *x, void *user)
{
  double f = 0;
  (void)user;
  if (x[0] != 1) return NAN;
  for (size_t i = 0; i < p; i++) f += x[i] * x[i];
  return f;
}

TEST("what could not be measured is not certified")
{
  lrgd_problem problem = lrgd_problem_default(5);
  double x[5] = {1, 1, 1, 1, 1};
  problem.value = fibre;
  lrgd_result result = solved(&problem, NULL, x);
  check(result.outcome != LRGD_OUTCOME_CONVERGED && !result.certificate.valid,
        "%s", result.message);
}

static double huber(size_t p, const double *x, double *g, void *user)
{
  (void)p, (void)user;
  g[0] = x[0] > 1 ? 1 : x[0] < -1 ? -1 : x[0];
  return fabs(x[0]) > 1 ? fabs(x[0]) - 0.5 : 0.5 * x[0] * x[0];
}

TEST("a long straight way down is no stall")
{
  lrgd_problem problem = lrgd_problem_default(1);
  lrgd_options o = lrgd_options_default();
  double x[1] = {1e4};
  problem.gradient = huber;
  o.method = LRGD_METHOD_GD;
  o.alpha = 0.5;
  lrgd_result result = solved(&problem, &o, x);
  check(result.outcome == LRGD_OUTCOME_CONVERGED && result.f < 1e-9, "%s",
        result.message);
}

TEST("an evaluated point is returned, however small the budget")
{
  for (int64_t budget = 1; budget < 12; budget++) {
    asked a = everywhere();
    lrgd_problem problem = problem_of(&a, false);
    lrgd_options o = lrgd_options_default();
    double x[P] = {0};
    o.max_evals = budget;
    o.method = LRGD_METHOD_QUASI_NEWTON;
    check(isfinite(solved(&problem, &o, x).f), "budget %d", (int)budget);
  }
}

TEST("a basis takes the place of constraints, and bounds are refused with it")
{
  asked a = everywhere();
  lrgd_problem problem = problem_of(&a, false);
  lrgd_solver *solver;
  lrgd_result result;
  double x[P] = {0}, A[P], b = 7, W[P] = {0}, upper[P];
  for (int i = 0; i < P; i++) A[i] = upper[i] = 1;
  W[0] = 1;
  require(lrgd_solver_create(&solver, &problem, NULL, NULL) == LRGD_OK, "made");
  check(lrgd_solver_set_constraints(solver, 1, A, &b, NULL) == LRGD_OK, "one");
  check(lrgd_solver_set_basis(solver, 1, W, NULL) == LRGD_OK, "then a basis");
  check(lrgd_solver_solve(solver, x, x, &result, NULL) == LRGD_OK, "solved");
  for (int i = 1; i < P; i++) check(x[i] == 0, "coordinate %d is free", i);
  (void)lrgd_solver_destroy(&solver);
  problem.upper = upper;
  require(lrgd_solver_create(&solver, &problem, NULL, NULL) == LRGD_OK, "made");
  check(lrgd_solver_set_basis(solver, 1, W, NULL) == LRGD_ERR_INVALID,
        "refused");
  (void)lrgd_solver_destroy(&solver);
}

TEST("a solver that is not made leaves NULL")
{
  lrgd_solver *solver = (lrgd_solver *)&solver;
  check(lrgd_solver_create_in(&solver, NULL, NULL, NULL) == LRGD_ERR_INVALID &&
            !solver,
        "no problem, no solver");
}

/* A small bowl on a high plain, printed with two digits after the point: what
 * differences of the usual length see of it is exactly nothing. */
static double printed(size_t p, const double *x, void *user)
{
  double f = 62.9;
  (void)user;
  for (size_t i = 0; i < p; i++) f += 0.05 * ((x[i] - 2) * (x[i] - 2) - 4);
  return 0.02 * round(f / 0.02);
}

TEST("a gradient of exact zeros is not believed where values are printed")
{
  for (size_t p = 4; p <= P; p *= 2) {
    for (int seed = 1; seed <= 5; seed++) {
      double x[P] = {0}, lowest = 62.9 - 0.2 * (double)p;
      lrgd_problem problem = lrgd_problem_default(p);
      lrgd_options options = lrgd_options_default();
      lrgd_result result;
      problem.value = printed;
      options.seed = seed;
      check_int(lrgd_minimize(&problem, &options, x, &result, NULL), LRGD_OK,
                "status");
      check(result.f < lowest + 0.02 * (double)p,
            "p = %zu, seed %d: %g of %g, %s", p, seed, result.f, lowest,
            result.message);
    }
  }
}

enum { TIGHT = 80, RANK = 4 };

/* Four directions. */
typedef struct directions {
  double of[RANK][TIGHT];
} directions;

static void make_directions(directions *D, int seed)
{
  for (int r = 0; r < RANK; r++)
    for (int i = 0; i < TIGHT; i++)
      D->of[r][i] = 0.16 * sin(seed + 97.0 * r + (3.7 + r) * i * i);
}

/* f varies along four directions; g, if not NULL, is its gradient. */
static double dense(const double *x, const directions *D, double *g)
{
  static const double weight[RANK] = {1, 3, 10, 30},
                      to[RANK] = {1, -.5, .7, .2};
  double f = 2.5;
  for (int i = 0; g && i < TIGHT; i++) g[i] = 0;
  for (int r = 0; r < RANK; r++) {
    double s = -to[r];
    for (int i = 0; i < TIGHT; i++) s += D->of[r][i] * x[i];
    f += weight[r] * s * s;
    for (int i = 0; g && i < TIGHT; i++)
      g[i] += 2 * weight[r] * s * D->of[r][i];
  }
  return f;
}

static double printed_dense(size_t p, const double *x, void *user)
{
  (void)p;
  return round(1e5 * dense(x, user, NULL)) / 1e5;
}

/* In a tight box, where most are held and the slopes of the others are nothing
 * that six digits show. */
TEST("nor are the zeros of those that no bound holds")
{
  int wrong = 0, claims = 0;
  for (int seed = 1; seed <= CHECK_RUNS(30); seed++) {
    directions D;
    double x[TIGHT], g[TIGHT], lower[TIGHT], upper[TIGHT], sum = 0;
    lrgd_problem problem = lrgd_problem_default(TIGHT);
    lrgd_options options = lrgd_options_default();
    lrgd_result result;
    for (int i = 0; i < TIGHT; i++) {
      lower[i] = 0.05;
      upper[i] = 0.45;
      x[i] = 0.25;
    }
    make_directions(&D, seed);
    problem.value = printed_dense;
    problem.user = &D;
    problem.lower = lower;
    problem.upper = upper;
    options.seed = seed;
    options.max_evals = 1500;
    check_int(lrgd_minimize(&problem, &options, x, &result, NULL), LRGD_OK,
              "status");
    (void)dense(x, &D, g);
    for (int i = 0; i < TIGHT; i++) {
      bool held = (x[i] <= 0.05 && g[i] > 0) || (x[i] >= 0.45 && g[i] < 0);
      sum += held ? 0 : g[i] * g[i];
    }
    claims += result.certificate.valid;
    wrong += result.certificate.valid &&
             sqrt(sum) > result.certificate.grad_norm_bound;
  }
  check(wrong <= 1, "%d of %d are wrong", wrong, claims);
}

static double flat(size_t p, const double *x, void *user)
{
  (void)p, (void)x, (void)user;
  return 3.5;
}

TEST("a constant function is no minimum, however many inputs it has")
{
  for (size_t p = 5; p <= 320; p *= 4) {
    double x[320] = {0};
    lrgd_problem problem = lrgd_problem_default(p);
    lrgd_result result;
    problem.value = flat;
    check_int(lrgd_minimize(&problem, NULL, x, &result, NULL), LRGD_OK,
              "status");
    check(result.outcome == LRGD_OUTCOME_STALLED, "p = %zu: %s", p,
          result.message);
    check(result.stall == LRGD_STALL_CONSTANT && !result.certificate.valid,
          "%s", lrgd_stall_text(result.stall));
    check(result.end.kind == LRGD_DECISION_KIND_CONSTANT &&
              result.end.value == 3.5,
          "%s", result.message);
  }
}

static double flat_and_large(size_t p, const double *x, void *user)
{
  (void)p, (void)x, (void)user;
  return 3.5e200;
}

static double large_bowl(size_t p, const double *x, void *user)
{
  double sum = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) sum += (x[i] - 1) * (x[i] - 1);
  return 1e200 * sum;
}

TEST("decisions have the numbers of f, whatever unit a run works in")
{
  double x[5] = {0};
  lrgd_problem problem = lrgd_problem_default(5);
  lrgd_result result;
  problem.value = flat_and_large;
  check_int(lrgd_minimize(&problem, NULL, x, &result, NULL), LRGD_OK, "status");
  check(result.end.kind == LRGD_DECISION_KIND_CONSTANT &&
            result.end.value == 3.5e200,
        "%s", result.message);
  problem.value = large_bowl;
  check_int(lrgd_minimize(&problem, NULL, x, &result, NULL), LRGD_OK, "status");
  check(result.end.kind == LRGD_DECISION_KIND_CONVERGED &&
            result.end.value == result.certificate.grad_norm_bound &&
            result.end.value > 1e180,
        "%s", result.message);
}

/* Least where every input is zero. */
typedef struct whole {
  double offset;
  int power;
} whole;

static double least_at_zero(size_t p, const double *x, void *user)
{
  const whole *w = user;
  double f = w->offset;
  for (size_t i = 0; i < p; i++)
    f += pow(fabs(x[i]), w->power) * (double)(1 + i % 3);
  return f;
}

TEST("a start that is the minimum is seen to be one, and no noise")
{
  static const whole all[] = {
      {0,    2},
      {7,    2},
      {-1e3, 2}
  };
  for (size_t p = 1; p <= 32; p *= 2)
    for (int i = 0; i < 3; i++) {
      whole w = all[i];
      double x[32] = {0};
      lrgd_problem problem = lrgd_problem_default(p);
      lrgd_result result;
      problem.value = least_at_zero;
      problem.user = &w;
      check_int(lrgd_minimize(&problem, NULL, x, &result, NULL), LRGD_OK,
                "status");
      check(result.outcome == LRGD_OUTCOME_CONVERGED, "p = %zu: %s", p,
            result.message);
      check(result.stall == LRGD_STALL_NONE, "%s",
            lrgd_stall_text(result.stall));
      check(result.f == w.offset && result.certificate.confidence < 1,
            "p = %zu: f is %g, confidence %g", p, result.f,
            result.certificate.confidence);
    }
}

static double downhill(size_t p, const double *x, void *user)
{
  double *lowest = user, f = 0;
  for (size_t i = 0; i < p; i++) f += x[i];
  if (f < *lowest) *lowest = f;
  return f;
}

TEST("of a function without bound the lowest value seen is returned")
{
  double x[80] = {0}, lowest = INFINITY;
  lrgd_problem problem = lrgd_problem_default(80);
  lrgd_result result;
  problem.value = downhill;
  problem.user = &lowest;
  check_int(lrgd_minimize(&problem, NULL, x, &result, NULL), LRGD_OK, "status");
  check(result.outcome == LRGD_OUTCOME_UNBOUNDED, "%s", result.message);
  check(result.f == lowest, "%g is told, %g was seen", result.f, lowest);
}

/* A quartic whose gradient is given. */
static double quartic(size_t p, const double *x, double *g, void *user)
{
  double f = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) {
    double d = x[i] - 2 * sin((double)i), w = 1 + (double)(i % 10);
    f += w * (d * d + 0.1 * d * d * d * d);
    g[i] = w * (2 * d + 0.4 * d * d * d);
  }
  return f;
}

TEST("in a box a gradient that is given makes a quasi-Newton method")
{
  enum { MOST = 400 };
  for (size_t p = 50; p <= MOST; p *= 2) {
    static double x[MOST], lower[MOST], upper[MOST];
    for (size_t i = 0; i < p; i++) x[i] = 0, lower[i] = -1, upper[i] = 1;
    lrgd_problem problem = lrgd_problem_default(p);
    lrgd_options options = lrgd_options_default();
    lrgd_result result;
    problem.gradient = quartic;
    problem.lower = lower;
    problem.upper = upper;
    options.max_evals = 1000;
    check_int(lrgd_minimize(&problem, &options, x, &result, NULL), LRGD_OK,
              "status");
    size_t asked_for = (size_t)lrgd_counts_evaluations(&result.counts);
    check(result.outcome == LRGD_OUTCOME_CONVERGED && asked_for < 120,
          "p = %zu: %zu evaluations, %s", p, asked_for, result.message);
  }
}

/* A bowl; one in seven of its values cannot be had. */
static double holes(size_t p, const double *x, void *user)
{
  size_t *calls = user;
  double f = 0;
  (*calls)++;
  if (*calls > 1 && *calls * 2654435761u % 1000 < 140) return NAN;
  for (size_t i = 0; i < p; i++)
    f += (1 + (double)(i % 5)) * (x[i] - 1) * (x[i] - 1);
  return f;
}

TEST("a probe that fails does not end a run")
{
  for (int seed = 1; seed <= 20; seed++) {
    double x[100] = {0};
    size_t calls = (size_t)seed * 1000;
    lrgd_problem problem = lrgd_problem_default(100);
    lrgd_options options = lrgd_options_default();
    lrgd_result result;
    problem.value = holes;
    problem.user = &calls;
    options.method = LRGD_METHOD_QUASI_NEWTON;
    options.seed = seed;
    options.max_evals = 4000;
    options.retries = 1;
    check_int(lrgd_minimize(&problem, &options, x, &result, NULL), LRGD_OK,
              "status");
    check(result.outcome != LRGD_OUTCOME_FAILED, "seed %d: %s", seed,
          result.message);
  }
}

/* A bowl whose fourth to seventh answer is something else. */
typedef struct patchy {
  double instead;
  int calls;
} patchy;

static double patched(size_t p, const double *x, void *user)
{
  patchy *h = user;
  double f = 0;
  h->calls++;
  if (h->calls == 4) return NAN;
  if (h->calls > 4 && h->calls < 8) return h->instead;
  for (size_t i = 0; i < p; i++) f += (1 + (double)i) * (x[i] - 1) * (x[i] - 1);
  return f;
}

TEST("what ends a run among its retries has ended it")
{
  const struct {
    double instead;
    int64_t most;
    lrgd_outcome outcome;
  } cases[] = {
      {NAN,       1,          LRGD_OUTCOME_FAILED   },
      {-INFINITY, LRGD_UNSET, LRGD_OUTCOME_UNBOUNDED},
      {NAN,       LRGD_UNSET, LRGD_OUTCOME_CONVERGED},
  };
  for (int i = 0; i < 3; i++) {
    double x[6] = {0};
    patchy h = {.instead = cases[i].instead};
    lrgd_problem problem = lrgd_problem_default(6);
    lrgd_options options = lrgd_options_default();
    lrgd_result result;
    problem.value = patched;
    problem.user = &h;
    options.retries = 5;
    options.max_failures = cases[i].most;
    check_int(lrgd_minimize(&problem, &options, x, &result, NULL), LRGD_OK,
              "status");
    check(result.outcome == cases[i].outcome, "case %d: %s", i, result.message);
  }
}

/* A bowl, less what it is at the start, of which a few decimals are told. */
enum { SMALL = 40 };

typedef struct rounded {
  double weight[SMALL], least[SMALL], first, unit;
} rounded;

static double in_full(const rounded *b, const double *x)
{
  double f = 0;
  for (size_t i = 0; i < SMALL; i++) {
    double y = x[i] - b->least[i];
    f += b->weight[i] * (y * y + 0.2 * y * y * y * y);
  }
  return f;
}

static double in_print(size_t p, const double *x, void *user)
{
  const rounded *b = user;
  (void)p;
  return round((in_full(b, x) - b->first) / b->unit) * b->unit;
}

/* Minimises one and returns what is left of f. */
static double minimise_rounded(unsigned seed, double unit, bool box)
{
  double x[SMALL], low[SMALL], high[SMALL];
  rounded b = {.unit = unit};
  lrgd_problem problem = lrgd_problem_default(SMALL);
  lrgd_options options = lrgd_options_default();
  lrgd_result result;
  for (int i = 0; i < SMALL; i++) {
    b.weight[i] = 0.2 + chance_share(&seed);
    b.least[i] = 2 * chance_share(&seed) - 1;
    x[i] = 0.5;
    low[i] = -3;
    high[i] = 3;
  }
  b.first = in_full(&b, x);
  problem.value = in_print;
  problem.user = &b;
  problem.lower = box ? low : NULL;
  problem.upper = box ? high : NULL;
  options.max_evals = 20000;
  check_int(lrgd_minimize(&problem, &options, x, &result, NULL), LRGD_OK,
            "status");
  check(result.outcome != LRGD_OUTCOME_FAILED, "%s", result.message);
  return in_full(&b, x) / b.first;
}

TEST("printed values of which none fails do not end as failed")
{
  for (unsigned seed = 1; seed <= 15; seed++)
    for (int box = 0; box < 2; box++) {
      check(minimise_rounded(seed, 0.1, box) < 0.1, "it falls");
      check(minimise_rounded(seed, 0.001, box) < 0.01, "it falls");
    }
}

typedef struct once {
  size_t calls, fails; /* this one cannot be had */
  double above;        /* nor what is above in the first input */
} once;

static double but_one(size_t p, const double *x, void *user)
{
  once *o = user;
  double f = 0;
  if (++o->calls == o->fails || x[0] > o->above) return NAN;
  for (size_t i = 0; i < p; i++)
    f += (1 + (double)(i % 7)) * (x[i] - 0.3) * (x[i] - 0.3);
  return f;
}

TEST("one value that fails, early or late, does not end a run")
{
  for (int box = 0; box < 2; box++)
    for (int corner = 0; corner < 2; corner++)
      for (size_t fails = 2; fails < 60; fails++) {
        double x[SMALL], low[SMALL], high[SMALL];
        once o = {.fails = fails, .above = INFINITY};
        lrgd_problem problem = lrgd_problem_default(SMALL);
        lrgd_result result;
        for (int i = 0; i < SMALL; i++) {
          low[i] = 0;
          high[i] = 1;
          x[i] = corner ? 0 : 0.7;
        }
        problem.value = but_one;
        problem.user = &o;
        problem.lower = box ? low : NULL;
        problem.upper = box ? high : NULL;
        check(lrgd_minimize(&problem, NULL, x, &result, NULL) == LRGD_OK,
              "runs");
        check(result.f < 1e-6, "without %zu: %g, %s", fails, result.f,
              result.message);
      }
}

TEST("where all directions from the start fail but those along inputs, K goes")
{
  for (int box = 0; box < 2; box++) {
    double x[SMALL] = {0}, low[SMALL] = {0}, high[SMALL];
    once o = {.above = box ? 0.01 : 1e-12};
    lrgd_problem problem = lrgd_problem_default(SMALL);
    lrgd_result result;
    for (int i = 0; i < SMALL; i++) high[i] = 1;
    problem.value = but_one;
    problem.user = &o;
    problem.lower = box ? low : NULL;
    problem.upper = box ? high : NULL;
    check(lrgd_minimize(&problem, NULL, x, &result, NULL) == LRGD_OK, "runs");
    check(result.f < 0.1, "%g: %s", result.f, result.message); /* 14 at first */
  }
}
