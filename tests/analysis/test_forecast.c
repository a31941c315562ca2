/* Runs that were cut off: continued where they tell how, and not otherwise. */
#include "analysis/forecast.h"

#include "check.h"

#include <math.h>

enum { N = 200 };

/* A run whose |grad f| after i iterations is g(i), and f falls with it. */
static lr_forecast continued(double (*g)(double i), size_t n, double target)
{
  double log_g[N], f[N];
  for (size_t i = 0; i < n; i++) {
    log_g[i] = log(g((double)i + 1));
    f[i] = exp(2 * log_g[i]);
  }
  lr_track track = {n, log_g, f};
  return lr_forecast_make(&track, log(target), 100, 40);
}

static double by_factors(double i)
{
  return pow(0.97, i);
}

static double by_powers(double i)
{
  return pow(i, -1.5);
}

/* fast at first, then slow: the slow part was not seen yet in full */
static double in_two_parts(double i)
{
  return exp(-0.3 * i) + 1e-3 * exp(-0.001 * i);
}

/* Steps that overshoot: two in three look worse than the one before. */
static double unsteady(double i)
{
  return by_factors(i) * (1 + 0.8 * fabs(sin(2.1 * i)));
}

TEST("a run that falls by factors is continued to its end")
{
  double want = log(1e-6) / log(0.97); /* 454 */
  lr_forecast told = continued(by_factors, 60, 1e-6);
  check(told.end == LR_END_REACHES, "it is told");
  check_within(told.iterations, want, 0.02 * want, "iterations");
  told = continued(unsteady, 80, 1e-6);
  check(told.end == LR_END_REACHES, "unsteady: it is told");
  check_within(told.iterations, want, 0.2 * want, "unsteady: iterations");
}

TEST("a run that falls by powers is not taken for a fast one")
{
  lr_forecast told = continued(by_powers, 100, 1e-4);
  check(told.end == LR_END_REACHES, "it is told");
  check_within(told.iterations, pow(1e-4, -1 / 1.5), 30, "464 iterations");
}

TEST("what is too far ahead, too short or uneven is not told")
{
  check(continued(by_powers, 100, 1e-12).end == LR_END_UNKNOWN, "too far");
  check(continued(by_factors, 8, 1e-6).end == LR_END_UNKNOWN, "too short");
  check(continued(in_two_parts, 30, 1e-6).end == LR_END_UNKNOWN, "uneven");
}

TEST("a run that stands still will be given up by the solver")
{
  double log_g[60], f[60];
  for (int i = 0; i < 60; i++) {
    log_g[i] = -0.1 * i;
    f[i] = i < 30 ? 100 - i : 71;
  }
  lr_track track = {60, log_g, f};
  lr_forecast told = lr_forecast_make(&track, -10, 100, 40);
  check(told.end == LR_END_STALLS, "stalls");
  check_near(told.iterations, 60 + 100 - 30, 1e-12, "after 100 such");
  track.n = 35; /* five without a decrease are nothing yet */
  check(lr_forecast_make(&track, -10, 100, 40).end != LR_END_STALLS, "not yet");
}

TEST("a run that creeps on within rounding is not taken for one that stands")
{
  double log_g[60], f[60];
  for (int i = 0; i < 60; i++) {
    log_g[i] = -1;
    f[i] = 100 - 1e-12 * (i / 12); /* it falls at every twelfth */
  }
  lr_track track = {60, log_g, f};
  check(lr_forecast_make(&track, -10, 100, 40).end == LR_END_UNKNOWN,
        "the next fall may come as the others did");
}

TEST("a method that learns is not carried far")
{
  double log_g[60], f[60];
  for (int i = 0; i < 60; i++) {
    log_g[i] = -0.1 * i;
    f[i] = exp(-0.2 * i);
  }
  lr_track track = {60, log_g, f};
  check(lr_forecast_make(&track, -24, 100, 40).end == LR_END_REACHES, "steady");
  check(lr_forecast_make(&track, -24, 100, 2).end == LR_END_UNKNOWN, "learns");
}
