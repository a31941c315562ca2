/* Where f cannot be evaluated, or jumps up, beyond some number of an input that
 * has no bound: the minimum within is found, and what holds it is told. */
#include "check.h"

#include <lrgd/lrgd.h>
#include <math.h>
#include <string.h>

enum { P = 40 };

/* Numbers in (-1, 1) that look like chance. */
static double chance(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / (1 << 23) - 1;
}

/* A bowl of full rank whose minimum, 0, is at 0.3 - 0.01 i, and what is beyond
 * the walls. */
typedef struct walled {
  double wall;   /* of the first input */
  double corner; /* there is none where the second input is above */
  double cube;   /* all inputs may be so far from the minimum */
  double beyond; /* f there */
  double moody;  /* such a share of values cannot be had */
  unsigned calls, state;
  bool told; /* a wall was told of */
} walled;

static bool outside(const walled *w, size_t p, const double *x)
{
  double far = 0;
  for (size_t i = 0; i < p; i++)
    far = fmax(far, fabs(x[i] - 0.3 + 0.01 * (double)i));
  return far > w->cube || (x[0] > w->wall && x[1] <= w->corner);
}

static double value(size_t p, const double *x, void *user)
{
  walled *w = user;
  double f = 0, sum = 0;
  w->calls++;
  if (outside(w, p, x)) return w->beyond;
  if (fabs(chance(&w->state)) < w->moody) return NAN;
  for (size_t i = 0; i < p; i++) {
    double y = x[i] - 0.3 + 0.01 * (double)i;
    sum += y;
    f += (1 + 0.2 * (double)i) * (y * y + 0.3 * y * y * y * y);
  }
  return f + log(1 + sum * sum);
}

static void watch(const lrgd_progress *seen, void *user)
{
  walled *w = user;
  w->told |= strstr(seen->phase, "a bound from here on") != NULL;
}

static walled open_land(void)
{
  return (walled){.wall = INFINITY,
                  .corner = INFINITY,
                  .cube = INFINITY,
                  .beyond = NAN,
                  .state = 7};
}

/* From -0.5 in all inputs, or as far from the minimum in them. */
static lrgd_result minimise(walled *w, double start, double *x)
{
  lrgd_problem problem = lrgd_problem_default(P);
  lrgd_options o = lrgd_options_default();
  lrgd_result result = {.f = NAN};
  for (int i = 0; i < P; i++) x[i] = start;
  problem.value = value;
  problem.user = w;
  o.max_evals = 100 * P;
  o.progress = watch;
  o.progress_user = w;
  check(lrgd_minimize(&problem, &o, x, &result, NULL) == LRGD_OK, "runs");
  check(lrgd_counts_evaluations(&result.counts) == w->calls,
        "%u values were asked for", w->calls);
  return result;
}

/* The minimum with the first input at -0.3, found by Newton's method. */
static const double at_the_wall = 0.43033;

TEST("beyond one number of an input nothing can be evaluated")
{
  double x[P];
  walled w = open_land();
  w.wall = -0.3;
  lrgd_result r = minimise(&w, -0.5, x);
  check(fabs(r.f - at_the_wall) < 1e-4, "f is %.9g", r.f);
  check(x[0] <= -0.3 && x[0] > -0.3001, "it is at %.9g", x[0]);
  check(r.outcome == LRGD_STALLED && !r.certificate.valid, "%s", r.message);
  check(strstr(r.message, "cannot be evaluated where input 1 is above") != NULL,
        "%s", r.message);
  check(r.counts.failures < 60, "%d failed", (int)r.counts.failures);
}

TEST("beyond it programs answer with a number of their own")
{
  static const double numbers[] = {100, 1e4, 1e10, 1e300};
  for (int i = 0; i < 4; i++) {
    double x[P];
    walled w = open_land();
    w.wall = -0.3;
    w.beyond = numbers[i];
    lrgd_result r = minimise(&w, -0.5, x);
    check(fabs(r.f - at_the_wall) < 1e-4, "f is %.9g", r.f);
    check(strstr(r.message, "jumps up where input 1 is above") != NULL, "%s",
          r.message);
  }
}

TEST("walls on the way to a minimum do not keep from it")
{
  double x[P];
  walled w = open_land();
  w.cube = 0.82; /* 0.8 at the start */
  lrgd_result r = minimise(&w, -0.5, x);
  check(r.outcome == LRGD_CONVERGED, "%s", r.message);
  check(r.f < 1e-9, "f is %g", r.f);
}

TEST("a wall that ends somewhere is left there")
{
  double x[P];
  walled w = open_land();
  w.wall = -0.3;
  w.corner = 0.1;
  lrgd_result r = minimise(&w, -0.5, x);
  check(w.told, "it was met");
  check(r.outcome == LRGD_CONVERGED, "%s", r.message);
  check(r.f < 1e-9, "f is %g", r.f);
}

TEST("values that fail by chance are no wall")
{
  double x[P];
  walled w = open_land();
  w.moody = 0.2;
  lrgd_result r = minimise(&w, -0.5, x);
  check(r.f < 1e-3, "f is %g: %s", r.f, r.message);
  check(!w.told, "no wall is seen");
}

enum { WIDE = 200, RANK = 8 };

/* Low rank, the minimum at 0; nothing can be evaluated where an input is
 * farther from 0 than `most`. */
typedef struct region {
  double A[RANK][WIDE], most;
} region;

static double within(size_t p, const double *x, void *user)
{
  const region *r = user;
  double f = 0;
  for (size_t i = 0; i < p; i++)
    if (fabs(x[i]) > r->most) return NAN;
  for (int k = 0; k < RANK; k++) {
    double y = 0;
    for (size_t i = 0; i < p; i++) y += r->A[k][i] * x[i];
    f += (1 + k) * (y * y + 0.1 * y * y * y * y);
  }
  return f;
}

TEST("an embedding that leads to where nothing can be evaluated is left")
{
  for (unsigned seed = 1; seed <= 5; seed++) {
    static region r;
    unsigned state = seed;
    double x[WIDE];
    lrgd_problem problem = lrgd_problem_default(WIDE);
    lrgd_result result = {.f = NAN};
    for (int k = 0; k < RANK; k++)
      for (int i = 0; i < WIDE; i++) r.A[k][i] = 0.1 * chance(&state);
    r.most = 0;
    for (int i = 0; i < WIDE; i++) {
      x[i] = 3 * chance(&state);
      r.most = fmax(r.most, 1.01 * fabs(x[i]));
    }
    problem.value = within;
    problem.user = &r;
    check(lrgd_minimize(&problem, NULL, x, &result, NULL) == LRGD_OK, "runs");
    check(result.outcome == LRGD_CONVERGED, "%s", result.message);
    check(result.f < 1e-6, "f is %g", result.f);
    check(result.counts.failures < 250, "%d failed",
          (int)result.counts.failures);
  }
}
