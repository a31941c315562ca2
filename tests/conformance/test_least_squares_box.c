/* Fits of a decay a + b exp(-c t) within bounds of which one is active, so that
 * residuals are left over; and residuals that are round numbers by chance. */
#include "check.h"

#include <lrgd/lrgd.h>

#include <string.h>

enum { P = 3, M = 60 };

typedef struct decay {
  double t[M], y[M];
  size_t calls;
} decay;

static void residuals(size_t p, const double *x, size_t m, double *out,
                      void *user)
{
  decay *d = user;
  for (size_t i = 0; i < m; i++)
    out[i] = x[0] + x[1] * exp(-x[p - 1] * d->t[i]) - d->y[i];
  d->calls++;
}

static decay made(void)
{
  decay d = {.calls = 0};
  for (size_t i = 0; i < M; i++) {
    d.t[i] = 10.0 * (double)i / (M - 1);
    d.y[i] = 0.5 + 2 * exp(-0.7 * d.t[i]) + 0.05 * sin(37.0 * (double)i);
  }
  return d;
}

/* A fit in the box 0 <= x <= (1, most, 1). */
static lrgd_result solve(decay *d, double most, int64_t seed, double *x)
{
  static const double lower[P] = {0, 0, 0};
  double upper[P] = {1, most, 1};
  lrgd_options o = lrgd_options_default();
  lrgd_problem f = lrgd_problem_default(P);
  lrgd_result result = {.f = NAN};
  f.residuals = residuals, f.residual_count = M, f.user = d;
  f.lower = lower, f.upper = upper;
  o.seed = seed, o.max_evals = 2000;
  check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "a run");
  return result;
}

static const double starts[][P] = {
    {1,   0.5, 1  },
    {0.5, 0.5, 0.5},
    {0.1, 0.2, 0.9},
    {0.9, 0.1, 0.3}
};

/* One run, from a start of the list. */
static void check_fit(double most, const double *start, int64_t seed,
                      double least)
{
  double x[P];
  memcpy(x, start, sizeof x);
  decay d = made();
  lrgd_result ended = solve(&d, most, seed, x);
  check(ended.outcome == LRGD_OUTCOME_CONVERGED, "box %g: %s", most,
        ended.message);
  check(ended.f < least * (1 + 1e-6), "box %g: f %.9g for %.9g", most, ended.f,
        least);
  check(d.calls <= 200, "box %g: %zu evaluations", most, d.calls);
}

/* The minima to nine digits are those that SciPy's least_squares finds. */
TEST("a fit with residuals left over ends at the minimum in its box")
{
  static const struct {
    double most, least;
  } boxes[] = {
      {0.5, 3.632892154},
      {1,   1.52422407 },
      {1.5, 0.365734836}
  };
  for (size_t b = 0; b < 3; b++)
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
      for (int64_t seed = 1; seed <= 4; seed++)
        check_fit(boxes[b].most, starts[i], seed, boxes[b].least);
}

/* At b = 0 the residuals do not depend on c: no length makes that difference
 * visible, and those of other inputs stay short. */
TEST("an input without effect at the start leaves other differences short")
{
  decay d = made();
  for (int64_t seed = 1; seed <= 10; seed++) {
    double x[P] = {0, 0, 1}, y[P] = {1, 1, 1};
    d.calls = 0;
    lrgd_result ended = solve(&d, 1, seed, x);
    size_t calls = d.calls;
    double least = solve(&d, 1, seed, y).f;
    check(ended.outcome == LRGD_OUTCOME_CONVERGED &&
              ended.f < least * (1 + 1e-6),
          "seed %d: f %.9g for %.9g, %s", (int)seed, ended.f, least,
          ended.message);
    check(calls <= 300, "seed %d: %zu evaluations", (int)seed, calls);
  }
}

static void shifted(size_t p, const double *x, size_t m, double *out,
                    void *user)
{
  const int *power = user;
  (void)p;
  for (size_t i = 0; i < m; i++)
    out[i] = (double)(i + 1) * pow(x[0] - 3, *power);
}

TEST("residuals that are whole numbers at the start are not printed ones")
{
  for (size_t m = 1; m <= 3; m++)
    for (int power = 1; power <= 2; power++) {
      lrgd_options o = lrgd_options_default();
      lrgd_problem f = lrgd_problem_default(1);
      lrgd_result result = {.f = NAN};
      double x[1] = {5};
      f.residuals = shifted, f.residual_count = m, f.user = &power;
      check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "a run");
      check(result.outcome == LRGD_OUTCOME_CONVERGED, "m %zu, power %d: %s", m,
            power, result.message);
      check(fabs(x[0] - 3) < 0.02, "m %zu, power %d: x %g", m, power, x[0]);
      check(result.noise == 0, "m %zu, power %d: noise %g", m, power,
            result.noise);
    }
}
