/* Functions that are no bowl: constant, linear, without a bottom, failing in
 * half of the space, with jumps, with plateaus, a simulator that only works in
 * a region.  auto and quasi-newton end with the right outcome, and soon. */
#include <lrgd/lrgd.h>
#include <stdlib.h>

#include "check.h"

enum { P = 60, MOST = 20000 };

typedef double (*odd)(const double *x);

static double ask(size_t p, const double *x, void *user)
{
  odd f = *(odd *)user;
  (void)p;
  return f(x);
}

/* Two numbers that f varies with, the same in all its coordinates. */
static void reduce(const double *x, double s[2])
{
  s[0] = s[1] = 0;
  for (int i = 0; i < P; i++) {
    s[0] += x[i] * sin(1.0 + i);
    s[1] += x[i] * cos(2.0 * i);
  }
}

static double bowl(const double *x)
{
  double s[2];
  reduce(x, s);
  return (s[0] - 3) * (s[0] - 3) + 5 * (s[1] + 1) * (s[1] + 1);
}

static double constant(const double *x)
{
  (void)x;
  return -2.5;
}

static double linear(const double *x)
{
  double s[2];
  reduce(x, s);
  return s[0] - 2 * s[1];
}

static double saddle(const double *x) /* falls for ever, faster and faster */
{
  double s[2];
  reduce(x, s);
  return s[0] * s[0] - s[1] * s[1] + 0.1 * s[1];
}

static double half(const double *x) /* the minimum is in the good half */
{
  double s[2];
  reduce(x, s);
  return s[0] < -0.1 ? NAN : bowl(x);
}

static double region(const double *x) /* works in a ball around the start */
{
  double s[2], far = 0;
  for (int i = 0; i < P; i++) far += x[i] * x[i];
  if (far > 4) return NAN;
  reduce(x, s);
  return pow(s[0] - 1, 4) + (s[0] - s[1]) * (s[0] - s[1]);
}

static double jumps(const double *x)
{
  double s[2];
  reduce(x, s);
  return bowl(x) + (s[0] > 0.5 ? 0 : 3) + (s[1] > 0 ? 2 : 0);
}

static double stairs(const double *x)
{
  return 0.1 * floor(10 * bowl(x));
}

static double wall(const double *x) /* flat far away, as Gaussians are */
{
  return -exp(-0.1 * bowl(x));
}

static lrgd_result run(odd f, int64_t method, int64_t seed)
{
  lrgd_problem problem = lrgd_problem_default(P);
  lrgd_options o = lrgd_options_default();
  lrgd_result result = {.f = NAN};
  lrgd_error error = {.text = ""};
  double x[P] = {0};
  problem.value = ask;
  problem.user = &f;
  o.method = method;
  o.seed = seed;
  o.max_evals = MOST;
  check(lrgd_minimize(&problem, &o, x, &result, &error) == LRGD_OK, "%s",
        error.text);
  return result;
}

typedef void (*verdict)(const lrgd_result *result, const char *who);

static void with_all(odd f, verdict judge)
{
  static const int64_t methods[] = {LRGD_METHOD_AUTO, LRGD_METHOD_QUASI_NEWTON};
  for (int m = 0; m < 2; m++)
    for (int64_t seed = 1; seed <= 3; seed++) {
      char who[64];
      lrgd_result result = run(f, methods[m], seed);
      (void)snprintf(who, sizeof who, "%s, seed %d: %s, f = %g after %d",
                     m == 0 ? "auto" : "quasi-newton", (int)seed,
                     lrgd_outcome_text(result.outcome), result.f,
                     (int)lrgd_counts_evaluations(&result.counts));
      judge(&result, who);
    }
}

static void constant_at_once(const lrgd_result *result, const char *who)
{
  check(result->stall == LRGD_STALL_CONSTANT, "%s", who);
  check(lrgd_counts_evaluations(&result->counts) < 4 * P, "%s", who);
}

TEST("a constant function is distinguished from a minimum")
{
  with_all(constant, constant_at_once);
}

static void bottomless(const lrgd_result *result, const char *who)
{
  check(result->outcome == LRGD_OUTCOME_UNBOUNDED, "%s", who);
}

TEST("a linear function is unbounded below")
{
  with_all(linear, bottomless);
}

TEST("a saddle is unbounded below")
{
  with_all(saddle, bottomless);
}

static void at_zero(const lrgd_result *result, const char *who)
{
  check(result->f < 1e-5, "%s", who);
  check(result->outcome == LRGD_OUTCOME_CONVERGED ||
            result->outcome == LRGD_OUTCOME_STALLED,
        "%s", who);
}

TEST("a function that fails on half of the space is minimised")
{
  with_all(half, at_zero);
}

TEST("a simulator that fails outside a region is minimised in it")
{
  with_all(region, at_zero);
}

/* Not smooth: no certificate is to be had, the end must come all the same. */
static void honest_end(const lrgd_result *result, const char *who)
{
  check(result->outcome == LRGD_OUTCOME_STALLED ||
            result->outcome == LRGD_OUTCOME_CONVERGED,
        "%s", who);
  check(lrgd_counts_evaluations(&result->counts) < MOST, "%s", who);
}

static void past_jumps(const lrgd_result *result, const char *who)
{
  honest_end(result, who);
  check(result->f < 3, "%s", who); /* 17 at the start */
}

TEST("a run on a function with jumps reaches the lower side and ends")
{
  with_all(jumps, past_jumps);
}

static void down_the_stairs(const lrgd_result *result, const char *who)
{
  honest_end(result, who);
  check(result->f <= 0.5, "%s", who); /* 14 at the start */
}

TEST("a staircase function is descended most of the way")
{
  with_all(stairs, down_the_stairs);
}

static void in_the_well(const lrgd_result *result, const char *who)
{
  check(result->outcome == LRGD_OUTCOME_CONVERGED && result->f < -0.999, "%s",
        who);
}

TEST("a well in a plain is found from its slope")
{
  with_all(wall, in_the_well);
}

TEST("where bounds leave no input free f is evaluated once, by any method")
{
  double fixed[P], x[P];
  odd f = bowl;
  for (int i = 0; i < P; i++) fixed[i] = 0.1 * i - 2, x[i] = 0;
  for (int method = 0; method <= LRGD_METHOD_QUASI_NEWTON; method++) {
    lrgd_problem problem = lrgd_problem_default(P);
    lrgd_options options = lrgd_options_default();
    lrgd_result result;
    problem.value = ask;
    problem.user = &f;
    problem.lower = problem.upper = fixed;
    options.method = method;
    options.rank = 2;
    check(lrgd_minimize(&problem, &options, x, &result, NULL) == LRGD_OK,
          "method %d", method);
    check(result.outcome == LRGD_OUTCOME_CONVERGED, "method %d", method);
    check(lrgd_counts_evaluations(&result.counts) == 1, "method %d", method);
    check(result.f == bowl(fixed) && x[P - 1] == fixed[P - 1], "method %d",
          method);
  }
}
