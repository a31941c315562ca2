/* Bugs that a reading found, in what values of f were taken for: each left a
 * test behind. */
#include <lrgd/space.h>
#include <stdlib.h>

#include "chance.h"
#include "found.h"

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

TEST("decisions have the user's values of f, whatever unit a run works in")
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

TEST(
    "a start that is the minimum is recognised, and no noise is found "
    "there")
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

TEST("for an unbounded function the lowest value seen is returned")
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

TEST("a run that ends during a retry has ended")
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

TEST("where f has values only along inputs from the start, quasi-Newton runs")
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
