/* Sums of functions of one input each: two gradients, or 2 p + 1 values in a
 * box, are enough to see them through, whatever the curvatures are.  And what
 * is no such sum is not taken for one. */
#include "chance.h"
#include "check.h"

#include <lrgd/lrgd.h>
#include <math.h>
#include <string.h>

enum { P = 60 };

/* sum of c_i (y^2 + quartic y^4), y = x_i - a_i, c_i from 1 to kappa; mixed:
 * the square of a sum of all y more. */
typedef struct sum {
  double kappa, quartic, mixed;
  size_t calls;
} sum;

static double centre(size_t i)
{
  return 0.4 * sin(1.0 + 3.0 * (double)i);
}

static double value(size_t p, const double *x, void *user)
{
  sum *s = user;
  double f = 0, all = 0;
  s->calls++;
  for (size_t i = 0; i < p; i++) {
    double y = x[i] - centre(i);
    double c = pow(s->kappa, (double)((7 * i) % p) / (double)(p - 1));
    f += c * (y * y + s->quartic * y * y * y * y);
    all += sqrt(c) * y * sin(2.0 * (double)i);
  }
  return f + s->mixed * all * all;
}

/* From -0.8 to `target` in so many inputs, in the box of -1 to 1 or without;
 * returns the evaluations. */
static size_t reach(sum *s, size_t p, bool box, lrgd_method method, int seed,
                    double target)
{
  double x[4 * P], low[4 * P], high[4 * P];
  lrgd_problem f = lrgd_problem_default(p);
  lrgd_options o = lrgd_options_default();
  lrgd_result result = {.f = NAN};
  for (size_t i = 0; i < p; i++) {
    x[i] = -0.8 + 0.1 * cos((double)i + seed);
    low[i] = -1;
    high[i] = 1;
  }
  f.value = value;
  f.user = s;
  if (box) {
    f.lower = low;
    f.upper = high;
  }
  s->calls = 0;
  o.method = method;
  o.seed = seed;
  o.target = target;
  o.max_evals = 100 * P;
  check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "runs");
  check(result.outcome == LRGD_OUTCOME_TARGET ||
            result.outcome == LRGD_OUTCOME_CONVERGED,
        "%s", result.message);
  return s->calls;
}

TEST("a sum of parabolas takes two gradients or three")
{
  for (int seed = 1; seed <= 5; seed++)
    for (double kappa = 10; kappa < 1e5; kappa *= 10) {
      sum s = {.kappa = kappa};
      size_t k =
          reach(&s, P, false, LRGD_METHOD_QUASI_NEWTON, seed, 1e-7 * kappa);
      check(k < 4 * P, "quasi-newton: %zu at condition %g", k, kappa);
      size_t a = reach(&s, P, false, LRGD_METHOD_AUTO, seed, 1e-7 * kappa);
      check(a < (kappa < 5e3 ? 5 : 10) * P, "auto: %zu at condition %g", a,
            kappa);
    }
}

TEST("a separable function in a box takes 2 p + 1 values and a few")
{
  for (int seed = 1; seed <= 5; seed++)
    for (double kappa = 10; kappa < 1e5; kappa *= 10) {
      sum s = {.kappa = kappa};
      size_t k =
          reach(&s, P, true, LRGD_METHOD_QUASI_NEWTON, seed, 1e-7 * kappa);
      check(k < 5 * P / 2, "quasi-newton: %zu at condition %g", k, kappa);
      size_t a = reach(&s, P, true, LRGD_METHOD_AUTO, seed, 1e-7 * kappa);
      check(a < 9 * P / 2, "auto: %zu at condition %g", a, kappa);
    }
}

TEST("a separable function in a box takes four gradients where p is large")
{
  sum s = {.kappa = 1e3};
  size_t k = reach(&s, 4 * P, true, LRGD_METHOD_QUASI_NEWTON, 1, 1e-4);
  check(k < 16 * P, "%zu values", k); /* 4 gradients */
}

TEST(
    "a function that is not a sum of parabolas takes more gradients, a mixed "
    "one as before")
{
  for (int box = 0; box < 2; box++) {
    sum bent = {.kappa = 100, .quartic = 1};
    size_t k = reach(&bent, P, box, LRGD_METHOD_QUASI_NEWTON, 1, 1e-5);
    check(k < 12 * P, "%zu values", k);
    sum mixed = {.kappa = 100, .mixed = 1};
    k = reach(&mixed, P, box, LRGD_METHOD_QUASI_NEWTON, 1, 1e-5);
    check(k < 40 * P, "%zu values where inputs act together", k);
  }
}

/* ---- to the bounds, and nothing twice ---- */

enum { FEW = 7, ASKED = 4000 };

typedef struct slope {
  double c[FEW];
  double asked[ASKED][FEW];
  size_t calls;
} slope;

static double linear(size_t p, const double *x, void *user)
{
  slope *s = user;
  double f = 0;
  if (s->calls < ASKED) memcpy(s->asked[s->calls++], x, p * sizeof *x);
  for (size_t i = 0; i < p; i++) f += s->c[i] * x[i];
  return f;
}

static size_t repeats(const slope *s)
{
  size_t count = 0;
  for (size_t i = 1; i < s->calls; i++)
    for (size_t j = 0; j < i; j++)
      if (memcmp(s->asked[i], s->asked[j], sizeof s->asked[i]) == 0) {
        count++;
        break;
      }
  return count;
}

TEST("a linear function in a box ends in a corner, at the bounds themselves")
{
  static slope s;
  unsigned state = 5;
  size_t again = 0;
  for (int run = 0; run < 200; run++) {
    double x[FEW], low[FEW], high[FEW];
    lrgd_problem f = lrgd_problem_default(FEW);
    lrgd_result result;
    for (int i = 0; i < FEW; i++) {
      s.c[i] = chance(&state);
      low[i] = -1.5 + chance(&state);
      high[i] = 1.5 + chance(&state);
      x[i] = 0.3 * chance(&state);
    }
    s.calls = 0;
    f.value = linear;
    f.user = &s;
    f.lower = low;
    f.upper = high;
    check(lrgd_minimize(&f, NULL, x, &result, NULL) == LRGD_OK, "runs");
    check(result.outcome == LRGD_OUTCOME_CONVERGED, "run %d: %s", run,
          result.message);
    for (int i = 0; i < FEW; i++)
      check(x[i] == (s.c[i] > 0 ? low[i] : high[i]), "run %d: %.17g", run,
            x[i]);
    again += repeats(&s);
  }
  /* the end of a column's step, where the next one ends too */
  check(again <= 300, "%zu points were asked for twice", again);
}

static double printed(size_t p, const double *x, void *user)
{
  double f = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) f += (1 + 0.3 * (double)i) * x[i];
  return round(1e3 * f) / 1e3;
}

TEST("a run ends in a corner of the box also where values have few digits")
{
  double x[P] = {0}, low[P], high[P];
  lrgd_problem f = lrgd_problem_default(20);
  lrgd_result result;
  for (int i = 0; i < P; i++) high[i] = -(low[i] = -1);
  f.value = printed;
  f.lower = low;
  f.upper = high;
  check(lrgd_minimize(&f, NULL, x, &result, NULL) == LRGD_OK, "runs");
  check(result.outcome == LRGD_OUTCOME_CONVERGED && fabs(result.f + 77) < 1e-9,
        "%g: %s", result.f, result.message);
  check(lrgd_counts_evaluations(&result.counts) < 150, "%g values",
        (double)lrgd_counts_evaluations(&result.counts));
}

static double near_five(size_t p, const double *x, void *user)
{
  double f = 0, all = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) {
    f += (1 + (double)i) * (x[i] - 5) * (x[i] - 5);
    all += x[i] - 5;
  }
  return f + all * all;
}

TEST("a bound far away does not count as near to any coordinate")
{
  for (double far = 1e6; far < 1e31; far *= 1e6) {
    double x[P], low[P], high[P];
    lrgd_problem f = lrgd_problem_default(10);
    lrgd_result result;
    for (int i = 0; i < P; i++) {
      x[i] = 1;
      low[i] = 1e-3;
      high[i] = far;
    }
    f.value = near_five;
    f.lower = low;
    f.upper = high;
    check(lrgd_minimize(&f, NULL, x, &result, NULL) == LRGD_OK, "runs");
    check(result.f < 1e-6, "%g below %g: %s", result.f, far, result.message);
  }
}
