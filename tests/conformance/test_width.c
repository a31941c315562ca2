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

TEST("with width 1 a round is one evaluation")
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

TEST("a larger width takes fewer rounds")
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

/* ---- rounds that are told apart ---- */

/* f of many inputs: counts rounds, and when f was a share of its first value.
 */
typedef struct watch {
  double (*f)(size_t p, const double *x);
  size_t width;
  uint64_t rounds, asked;
  double first, best, share;
  uint64_t reached; /* rounds until f was share times the first; 0: never */
} watch;

static void ask(size_t p, size_t m, const double *X, double *f, void *user)
{
  watch *w = user;
  for (size_t i = 0; i < m; i++) {
    f[i] = w->f(p, X + i * p);
    if (w->asked++ == 0) w->first = w->best = f[i];
    if (f[i] < w->best) w->best = f[i];
  }
  w->rounds += (m + w->width - 1) / w->width;
  if (w->reached == 0 && w->best <= w->share * w->first) w->reached = w->rounds;
}

enum { MOST = 300 };

static lrgd_result watched(watch *w, size_t p, int64_t width, double half)
{
  static double x[MOST], lower[MOST], upper[MOST];
  lrgd_problem problem = lrgd_problem_default(p);
  lrgd_options options = lrgd_options_default();
  lrgd_result result;
  lrgd_error error;
  for (size_t i = 0; i < p; i++) {
    x[i] = half > 0 ? 0.2 * half : 0;
    lower[i] = -half;
    upper[i] = half;
  }
  w->width = (size_t)width;
  w->rounds = w->asked = w->reached = 0;
  problem.values = ask;
  problem.user = w;
  if (half > 0) {
    problem.lower = lower;
    problem.upper = upper;
  }
  options.width = width;
  options.max_evals = 60 * (int64_t)p;
  check(lrgd_minimize(&problem, &options, x, &result, &error) == LRGD_OK, "%s",
        error.text);
  return result;
}

/* Rank R: squares of a few dense combinations of the inputs. */
enum { R = 5 };

static void combine(size_t p, const double *x, double *z)
{
  for (size_t j = 0; j < R; j++) {
    z[j] = -1;
    for (size_t i = 0; i < p; i++)
      z[j] +=
          ((double)((i * i + 3 * i * (j + 1) + 7 * j) % 11) - 5) * x[i] / 40;
  }
}

static double low_rank(size_t p, const double *x)
{
  double z[R], f = 0;
  combine(p, x, z);
  for (size_t j = 0; j < R; j++) f += (double)(1 + j) * z[j] * z[j];
  return f;
}

/* The same rank, a curved valley. */
static double valley(size_t p, const double *x)
{
  double z[R], f = 0;
  combine(p, x, z);
  for (size_t j = 0; j + 1 < R; j++) {
    double a = z[j] + 1, b = z[j + 1] + 1 - a * a;
    f += (1 - a) * (1 - a) + 20 * b * b;
  }
  return f;
}

/* All inputs matter. */
static double full_rank(size_t p, const double *x)
{
  double f = 0;
  for (size_t i = 0; i < p; i++) {
    double d = x[i] - 1 + 0.3 * x[(i + 1) % p];
    f += (double)(1 + i % 13) * d * d;
  }
  return f;
}

TEST("exact rank 5 in 300 inputs takes a handful of rounds, and is certified")
{
  static const struct {
    int64_t width;
    uint64_t most;
  } cases[] = {
      {16, 4},
      {64, 3}
  };
  for (size_t i = 0; i < 2; i++) {
    watch w = {.f = low_rank, .share = 1e-3};
    lrgd_result r = watched(&w, MOST, cases[i].width, 0);
    check(w.reached > 0 && w.reached <= cases[i].most, "%d rounds of %d",
          (int)w.reached, (int)cases[i].width);
    check_int(r.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
    check_int(r.counts.rounds, w.rounds, "rounds");
  }
}

TEST("a curved valley of rank 5 takes fewer rounds the wider they are")
{
  uint64_t before = 0;
  for (int64_t width = 1; width <= 64; width *= 4) {
    watch w = {.f = valley, .share = 1e-3};
    lrgd_result r = watched(&w, MOST, width, 0);
    check(w.reached > 0, "reached with rounds of %d", (int)width);
    check(before == 0 || w.reached < before, "%d rounds of %d, %d before",
          (int)w.reached, (int)width, (int)before);
    check_int(r.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
    before = w.reached;
  }
}

/* Convex functions of the same combinations that are far from quadratic. */
static double quartic(size_t p, const double *x)
{
  double z[R], f = 0;
  combine(p, x, z);
  for (size_t j = 0; j < R; j++)
    f += z[j] * z[j] * (0.1 + 0.25 * z[j] * z[j]) * (double)(1 + j);
  return f;
}

static double cones(size_t p, const double *x)
{
  double z[R], f = 0;
  combine(p, x, z);
  for (size_t j = 0; j < R; j++)
    f += sqrt(1 + 4 * z[j] * z[j] * (double)(1 + j)) - 1;
  return f;
}

TEST(
    "rounds of 4 and 8 bring runs of curved low-rank functions to an end "
    "sooner")
{
  static double (*const all[])(size_t p, const double *x) = {quartic, cones};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    watch one = {.f = all[i], .share = 1e-3};
    watched(&one, MOST, 1, 0);
    for (int64_t width = 4; width <= 8; width *= 2) {
      watch w = {.f = all[i], .share = 1e-3};
      lrgd_result r = watched(&w, MOST, width, 0);
      check(3 * w.reached < 2 * one.reached, "%d: %d rounds of %d, %d of 1",
            (int)i, (int)w.reached, (int)width, (int)one.reached);
      check(w.rounds < one.rounds, "%d: %d rounds of %d to the end, %d of 1",
            (int)i, (int)w.rounds, (int)width, (int)one.rounds);
      check(w.asked < 4 * one.asked, "%d: %d evaluations, %d by rounds of 1",
            (int)i, (int)w.asked, (int)one.asked);
      check_int(r.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
    }
  }
}

/* The same with noise that nobody tells, a function of the point. */
static double noisy(size_t p, const double *x)
{
  double sum = 0, f = low_rank(p, x);
  for (size_t i = 0; i < p; i++) sum += sin(1e6 * x[i] * (double)(1 + i));
  return f + 1e-6 * sin(1e3 * sum);
}

TEST("noise that is not told is not taken for a high rank")
{
  watch one = {.f = noisy, .share = 1e-3}, wide = one;
  watched(&one, MOST, 1, 0);
  watched(&wide, MOST, 8, 0);
  check(wide.reached > 0, "reached");
  check(wide.reached < one.reached, "%d rounds, %d of one evaluation",
        (int)wide.reached, (int)one.reached);
  check(wide.asked < 3 * one.asked, "%d evaluations, %d", (int)wide.asked,
        (int)one.asked);
}

TEST("full rank takes rounds in inverse proportion to the width")
{
  watch narrow = {.f = full_rank, .share = 1e-3}, wide = narrow;
  watched(&narrow, 60, 4, 0);
  watched(&wide, 60, 64, 0);
  check(wide.reached > 0 && 6 * wide.reached <= narrow.reached, "%d and %d",
        (int)wide.reached, (int)narrow.reached);
}

/* A sum of squares of sines: in a box of half width 1 a single minimum. */
static double sines(size_t p, const double *x)
{
  double f = 0;
  for (size_t i = 0; i < p; i++) {
    double s = sin(x[i] - 0.3);
    f += s * s * (double)(1 + i % 5);
  }
  return f;
}

TEST("whole runs in rounds of 8 leave less than 15 % of their places empty")
{
  static const struct {
    double (*f)(size_t p, const double *x);
    size_t p;
    double half;
  } cases[] = {
      {low_rank,  MOST, 0},
      {quartic,   48,   0},
      {full_rank, 48,   0},
      {sines,     48,   1}
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    watch w = {.f = cases[i].f, .share = 1e-3};
    lrgd_result r = watched(&w, cases[i].p, 8, cases[i].half);
    check_int(r.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
    check((double)w.asked > 0.85 * 8 * (double)w.rounds,
          "case %d: %d evaluations in %d rounds", (int)i, (int)w.asked,
          (int)w.rounds);
  }
}

TEST("in a box rounds are full from the first value on")
{
  watch one = {.f = full_rank, .share = 1e-2}, wide = one;
  watched(&one, 60, 1, 2);
  watched(&wide, 60, 16, 2);
  check(wide.reached > 0 && 6 * wide.reached <= one.reached, "%d and %d",
        (int)wide.reached, (int)one.reached);
}

static double with_holes(size_t p, const double *x)
{
  return x[0] + x[1] > 1.2 ? NAN : full_rank(p, x);
}

TEST("points that cannot be evaluated do not end the phases in rounds")
{
  for (int boxed = 0; boxed < 2; boxed++) {
    watch w = {.f = with_holes, .share = 0.1};
    lrgd_result r = watched(&w, 60, 16, boxed ? 2 : 0);
    check(w.reached > 0, "a tenth is reached");
    check(r.f <= 0.1 * w.first, "f is %g", r.f);
  }
}

TEST("a budget that ends inside a round is spent to the last evaluation")
{
  watch w = {.f = full_rank};
  double x[60] = {0};
  lrgd_problem problem = lrgd_problem_default(60);
  lrgd_options options = lrgd_options_default();
  lrgd_result r;
  w.width = 16;
  problem.values = ask;
  problem.user = &w;
  options.width = 16;
  options.max_evals = 25;
  check(lrgd_minimize(&problem, &options, x, &r, NULL) == LRGD_OK, "status");
  check_int(r.outcome, LRGD_OUTCOME_BUDGET, "outcome");
  check_int(w.asked, 25, "evaluations");
}
