/* How long fits go on after the minimum: residuals of few combinations of many
 * inputs, J having a null space, with residuals left over. */
#include "check.h"

#include "base/random.h"

#include <lrgd/lrgd.h>

#include <stdlib.h>

enum { MOST_P = 60, MOST_R = 6, MOST_M = 40 };

/* F_i = a_i'z + (c_i'z)^2 / 10 - y_i, z = U x having r numbers. */
typedef struct curved {
  size_t p, r, m, calls;
  double U[MOST_R * MOST_P], a[MOST_M * MOST_R], c[MOST_M * MOST_R], y[MOST_M];
  double first, lowest;
  double unit; /* in which values are printed; 0: exactly */
  size_t left; /* the calls when f was last above 1.001 times `near` */
  double near;
} curved;

/* x as a program prints it. */
static double printed(const curved *t, double x)
{
  return t->unit > 0 ? round(x / t->unit) * t->unit : x;
}

static void residuals(size_t p, const double *x, size_t m, double *out,
                      void *user)
{
  curved *t = user;
  double z[MOST_R] = {0}, f = 0;
  for (size_t k = 0; k < t->r; k++)
    for (size_t i = 0; i < p; i++) z[k] += t->U[k * p + i] * x[i];
  for (size_t i = 0; i < m; i++) {
    double line = 0, bend = 0;
    for (size_t k = 0; k < t->r; k++) {
      line += t->a[i * t->r + k] * z[k];
      bend += t->c[i * t->r + k] * z[k];
    }
    out[i] = printed(t, line + 0.1 * bend * bend) - printed(t, t->y[i]);
    f += 0.5 * out[i] * out[i];
  }
  if (t->calls++ == 0) t->first = t->lowest = f;
  if (t->lowest > 1.001 * t->near) t->left = t->calls;
  t->lowest = fmin(t->lowest, f);
}

static curved made;

static void make(size_t p, size_t r, size_t m, uint64_t seed, double *start)
{
  double goal[MOST_R], left[MOST_M];
  made = (curved){.p = p, .r = r, .m = m};
  lr_gaussian(seed, 1, 0, r * p, made.U);
  lr_gaussian(seed, 2, 0, m * r, made.a);
  lr_gaussian(seed, 3, 0, m * r, made.c);
  lr_gaussian(seed, 4, 0, r, goal);
  lr_gaussian(seed, 5, 0, m, left);
  lr_gaussian(seed, 6, 0, p, start);
  for (size_t i = 0; i < r * p; i++) made.U[i] /= sqrt((double)p);
  for (size_t i = 0; i < m; i++) {
    made.y[i] = 0.3 * left[i];
    for (size_t k = 0; k < r; k++) made.y[i] += made.a[i * r + k] * goal[k];
  }
}

static lrgd_result solve(uint64_t seed, double target, double *x)
{
  lrgd_options o = lrgd_options_default();
  lrgd_problem f = lrgd_problem_default(made.p);
  lrgd_result result = {.f = NAN};
  o.seed = (int64_t)seed;
  if (isfinite(target)) o.target = target;
  f.residuals = residuals, f.residual_count = made.m, f.user = &made;
  check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "a run");
  return result;
}

/* The evaluations that runs of seeds 1 to 5 take after they are down to 1e-6 of
 * their gap, on average. */
static double after_the_minimum(size_t p, size_t r, size_t m)
{
  enum { SEEDS = 5 };
  double after = 0, x[MOST_P];
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    make(p, r, m, seed, x);
    lrgd_result ended = solve(seed, -INFINITY, x);
    check(ended.outcome == LRGD_OUTCOME_CONVERGED, "p %zu, seed %u: %s", p,
          (unsigned)seed, ended.message);
    double all = (double)made.calls, least = made.lowest, most = made.first;
    make(p, r, m, seed, x);
    (void)solve(seed, least + 1e-6 * (most - least), x);
    after += (all - (double)made.calls) / SEEDS;
    if (getenv("SOAK"))
      printf("\n  p %zu, seed %u: %zu to 1e-6, %g in all", p, (unsigned)seed,
             made.calls, all);
  }
  return after;
}

TEST("a fit of 4 combinations of 16 inputs ends soon after its minimum")
{
  double after = after_the_minimum(16, 4, 30);
  check(after < 80, "%g evaluations", after);
}

TEST("a fit of 6 combinations of 60 inputs ends soon after its minimum")
{
  double after = after_the_minimum(60, 6, 40);
  check(after < 120, "%g evaluations", after);
}

/* The evaluations that runs of seeds 1 to 5 take after f is within a thousandth
 * of the minimum of exact values, on average. */
static double after_in_print(size_t p, double unit)
{
  enum { SEEDS = 5, M = 20 };
  double after = 0, x[MOST_P];
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    make(p, p, M, seed, x);
    double least = solve(seed, -INFINITY, x).f;
    make(p, p, M, seed, x);
    made.unit = unit, made.near = least;
    lrgd_result result = solve(seed, -INFINITY, x);
    check(result.f < 1.001 * least, "p %zu, unit %g, seed %u: f %g for %g", p,
          unit, (unsigned)seed, result.f, least);
    after += (double)(made.calls - made.left) / SEEDS;
  }
  return after;
}

TEST("a fit of printed values ends soon after its minimum")
{
  for (size_t p = 2; p <= MOST_R; p += 2)
    for (double unit = 1e-8; unit < 2e-4; unit *= 100) {
      double after = after_in_print(p, unit), most = 4 * (double)p + 30;
      check(after <= most, "p %zu, unit %g: %g evaluations after it", p, unit,
            after);
    }
}

/* Evaluations of a run in a box of this half width, within a budget of
 * 4,000. */
static uint64_t printed_in_a_box(size_t p, size_t m, uint64_t seed, double unit,
                                 double half)
{
  double x[MOST_P] = {0}, low[MOST_P], high[MOST_P], start[MOST_P];
  lrgd_options o = lrgd_options_default();
  lrgd_problem f = lrgd_problem_default(p);
  lrgd_result result;
  make(p, p, m, seed, start);
  made.unit = unit;
  for (size_t i = 0; i < m; i++) made.y[i] *= 5;
  for (size_t i = 0; i < p; i++) low[i] = -half, high[i] = half;
  f.lower = low, f.upper = high;
  f.residuals = residuals, f.residual_count = m, f.user = &made;
  o.seed = (int64_t)seed, o.max_evals = 4000;
  check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "a run");
  return made.calls;
}

/* At a corner no step is left, so that measuring again must come to an end. */
TEST("a fit of printed values ends where its minimum is a corner of its box")
{
  static const double units[] = {1e-3, 0.1, 1}, halves[] = {1, 3};
  int runs = 0, lengthy = 0;
  for (size_t p = 1; p <= 3; p++)
    for (uint64_t seed = 1; seed <= CHECK_RUNS(10); seed++)
      for (size_t i = 0; i < 6; i++) {
        double unit = units[i % 3], half = halves[i / 3];
        uint64_t calls = printed_in_a_box(p, p + seed % 3, seed, unit, half);
        check(calls < 4000, "p %zu, seed %u, unit %g, box %g: no end", p,
              (unsigned)seed, unit, half);
        runs++;
        lengthy += calls >= 400;
      }
  check(20 * lengthy <= runs + 20, "%d of %d runs take 400 and more", lengthy,
        runs);
}
