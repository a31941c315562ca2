/* Outputs of several points at once: the same evaluations as one by one. */
#include "check.h"

#include <lrgd/lrgd.h>
#include <problems.h>

#include <string.h>

/* What was asked: calls, and the points of all in order. */
typedef struct seen {
  lrgd_problem f;
  size_t calls, points, largest;
  double trace;
} seen;

static void single(size_t p, const double *x, size_t m, double *y, void *user)
{
  seen *s = user;
  double sum = 0;
  for (size_t i = 0; i < p; i++) sum += (double)(i + 1) * x[i];
  s->trace = 0.5 * s->trace + sum;
  s->points++;
  s->calls++;
  s->f.residuals(p, x, m, y, s->f.user);
}

static void batch(size_t p, size_t n, const double *X, size_t m, double *Y,
                  void *user)
{
  seen *s = user;
  size_t calls = s->calls;
  for (size_t j = 0; j < n; j++) single(p, X + j * p, m, Y + j * m, user);
  s->calls = calls + 1;
  if (n > s->largest) s->largest = n;
}

static seen run(const char *kind, const char *name, const char *text,
                bool together, int64_t most, lrgd_result *result)
{
  lr_setting setting = {name, text};
  lr_problem *problem;
  lrgd_options options = lrgd_options_default();
  double x[40];
  check_int(lr_problem_create(&problem, kind, &setting, 1, NULL), LRGD_OK,
            "a problem");
  seen s = {.f = *lr_problem_callbacks(problem)};
  lrgd_problem f = s.f;
  f.residuals = single, f.user = &s;
  if (together) f.residual_batch = batch;
  options.max_evals = most;
  memcpy(x, lr_problem_start(problem), f.dimension * sizeof *x);
  check_int(lrgd_minimize(&f, &options, x, result, NULL), LRGD_OK, "a run");
  lr_problem_destroy(&problem);
  return s;
}

static void compare(const char *kind, const char *name, const char *text,
                    int64_t most, size_t saved)
{
  lrgd_result a, b;
  seen apart = run(kind, name, text, false, most, &a);
  seen together = run(kind, name, text, true, most, &b);
  check(a.f == b.f && a.outcome == b.outcome, "%s: f %g and %g", text, a.f,
        b.f);
  check(apart.points == together.points && apart.trace == together.trace,
        "%s: %zu and %zu points", text, apart.points, together.points);
  check(lrgd_counts_evaluations(&b.counts) == together.points, "%zu points",
        together.points);
  check(together.calls + saved <= apart.calls, "%s: %zu calls for %zu", text,
        together.calls, apart.calls);
}

TEST("outputs of a batch are those that come one by one, in order")
{
  compare("design", "part", "speed-reducer", 300, 6);
  compare("design", "part", "welded-beam", 300, 3);
  compare("truss", "bars", "25", 90, 7);
  compare("hock-schittkowski", "problem", "113", 300, 9);
  compare("limited-quadratic", "p", "40", 60, 0);
}

TEST("first differences come in one batch, and probes of a certificate too")
{
  lrgd_result result;
  seen s = run("hock-schittkowski", "problem", "43", true, 300, &result);
  check_int(result.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
  /* 4 differences; 4 probes, of two points each */
  check_int((long long)s.largest, 8, "the largest batch");
  check(s.calls + 3 + 7 <= s.points, "%zu calls for %zu points", s.calls,
        s.points);
}

TEST("a budget is kept to the evaluation, in the middle of a batch too")
{
  for (int64_t most = 1; most < 30; most++)
    compare("design", "part", "speed-reducer", most, 0);
}
