/* The width: rounds are counted, and the path depends on it alone, not on
 * whether the user's callback takes one point or many. */
#include "check.h"

#include <lrgd/lrgd.h>

#include <math.h>
#include <string.h>

enum { P = 40 };

static double bowl(const double *x)
{
  double f = 0;
  for (int i = 0; i < P; i++) {
    double d = x[i] - 1 + 0.1 * x[(i + 1) % P];
    f += (1 + i % 7) * d * d;
  }
  return f;
}

static double one(size_t p, const double *x, void *user)
{
  (void)p;
  ++*(uint64_t *)user;
  return bowl(x);
}

static void many(size_t p, size_t m, const double *X, double *f, void *user)
{
  for (size_t i = 0; i < m; i++) f[i] = one(p, X + i * p, user);
}

typedef struct run {
  double x[P];
  lrgd_result result;
  uint64_t asked;
} run;

static void solve(run *r, int64_t width, bool batches, bool boxed)
{
  static double lower[P], upper[P];
  lrgd_problem problem = lrgd_problem_default(P);
  lrgd_options options = lrgd_options_default();
  lrgd_error error;
  *r = (run){.asked = 0};
  for (int i = 0; i < P; i++) {
    lower[i] = -2;
    upper[i] = 3;
  }
  problem.user = &r->asked;
  if (batches)
    problem.values = many;
  else
    problem.value = one;
  if (boxed) {
    problem.lower = lower;
    problem.upper = upper;
  }
  options.width = width;
  check(lrgd_minimize(&problem, &options, r->x, &r->result, &error) == LRGD_OK,
        "%s", error.text);
}

TEST("one evaluation at a time: a round is an evaluation")
{
  for (int i = 0; i < 4; i++) {
    run r;
    solve(&r, 1, i % 2 != 0, i > 1);
    check_int(r.result.counts.rounds, r.asked, "rounds");
    check_int(r.result.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
  }
}

TEST("the path is a function of the width, whichever callback is given")
{
  static const int64_t widths[] = {1, 2, 3, 8, 64, 1000};
  for (size_t i = 0; i < 2 * sizeof widths / sizeof *widths; i++) {
    run a, b;
    int64_t width = widths[i / 2];
    solve(&a, width, true, i % 2 != 0);
    solve(&b, width, false, i % 2 != 0);
    check(memcmp(a.x, b.x, sizeof a.x) == 0, "x at width %d", (int)width);
    check_int(a.asked, b.asked, "evaluations");
    check_int(a.result.counts.rounds, b.result.counts.rounds, "rounds");
    check_int(lrgd_counts_evaluations(&a.result.counts), a.asked, "counted");
    check(a.result.counts.rounds * (uint64_t)width >= a.asked,
          "rounds are full");
    check_int(a.result.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
    check(fabs(a.result.f) < 1e-6 || i % 2 != 0, "f is %g", a.result.f);
  }
}

TEST("a width takes fewer rounds")
{
  run narrow, wide;
  solve(&narrow, 1, true, false);
  solve(&wide, 16, true, false);
  check(2 * wide.result.counts.rounds < narrow.result.counts.rounds,
        "%d and %d", (int)wide.result.counts.rounds,
        (int)narrow.result.counts.rounds);
}

TEST("a width from 1 to 65536 is taken, and no other")
{
  lrgd_options o = lrgd_options_default();
  check_int(o.width, 1, "the default");
  check(lrgd_options_set(&o, "width", "65536", NULL) == LRGD_OK, "the most");
  check(lrgd_options_set(&o, "width", "65537", NULL) != LRGD_OK, "more");
  check(lrgd_options_set(&o, "width", "0", NULL) != LRGD_OK, "none");
}
