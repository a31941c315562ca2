/* Smooth functions with inputs and derivatives of very different sizes: no
 * noise is seen where there is none, so that runs do not end early for it. */
#include "check.h"
#include "smooth.h"

#include <lrgd/lrgd.h>
#include <string.h>

typedef struct heard {
  const smooth *s;
  double lowest;
} heard;

static double value(size_t p, const double *x, void *user)
{
  heard *h = user;
  double f = h->s->f(p, x);
  h->lowest = fmin(h->lowest, f);
  return f;
}

static lrgd_result minimise(heard *h, int seed)
{
  double x[SMOOTH_MOST_P], lower[SMOOTH_MOST_P], upper[SMOOTH_MOST_P];
  const smooth *s = h->s;
  lrgd_problem problem = lrgd_problem_default(s->p);
  lrgd_options o = lrgd_options_default();
  lrgd_result r = {.f = NAN};
  s->start(s->p, x);
  if (s->bounds) {
    s->bounds(s->p, lower, upper);
    problem.lower = lower;
    problem.upper = upper;
  }
  problem.value = value;
  problem.user = h;
  o.seed = seed;
  o.max_evals = 300 * (int64_t)(s->p + 1) + 2000;
  check(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "runs");
  return r;
}

TEST("smooth functions that are badly scaled have no noise and are minimised")
{
  for (int i = 0; i < SMOOTH_COUNT; i++)
    for (int seed = 0; seed < 4; seed++) {
      heard h = {&smooth_all[i], INFINITY};
      lrgd_result r = minimise(&h, seed);
      /* sums of squares are rounded: to 1e-12 of what they were */
      check(r.noise <= 1e-12 * fmax(fabs(h.lowest), 1), "%s, seed %d: noise %g",
            h.s->name, seed, r.noise);
      check(r.f < h.s->below, "%s, seed %d: f is %g, %s", h.s->name, seed, r.f,
            r.message);
    }
}

/* ---- what is certified there ---- */

enum { MOST_LINKS = 30 };

typedef struct links {
  double powers;
} links;

static double linked(size_t p, const double *x, void *user)
{
  return cosines(((const links *)user)->powers, p, x);
}

TEST("whether they end or stall, what they certify is true: cosines")
{
  static const size_t sizes[] = {5, 10, 20, MOST_LINKS};
  int wrong = 0, ended = 0, times = 0;
  for (int i = 0; i < 4; i++)
    for (int powers = 2; powers <= 12; powers += 2)
      for (int seed = 0; seed < 4; seed++) {
        double x[MOST_LINKS];
        links l = {powers};
        lrgd_problem problem = lrgd_problem_default(sizes[i]);
        lrgd_options o = lrgd_options_default();
        lrgd_result r = {.f = NAN};
        problem.value = linked;
        problem.user = &l;
        o.seed = seed;
        o.max_evals = 300 * (int64_t)sizes[i];
        cosines_start(powers, sizes[i], x);
        check(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "runs");
        wrong += r.certificate.valid && !(cosines_slope(powers, sizes[i], x) <=
                                          1.01 * r.certificate.grad_norm_bound);
        ended += r.outcome == LRGD_OUTCOME_CONVERGED;
        times++;
      }
  check(wrong <= 1, "%d of %d are false", wrong, times);
  check(2 * ended > times, "%d of %d end", ended, times);
}

/* The norm of the projected gradient of PALMER7A. */
static double palmer_slope(const double *a)
{
  double g[6] = {0}, square = 0;
  for (int i = 0; i < 13; i++) {
    double s = palmer_x[i] * palmer_x[i], q = 1 / (a[5] + s);
    double d[6] = {1, s, s * s, s * s * s, q, -a[4] * q * q};
    double e = a[0] + s * (a[1] + s * (a[2] + s * a[3])) + a[4] * q;
    for (int j = 0; j < 6; j++) g[j] += 2 * (e - palmer_y[i]) * d[j];
  }
  for (int j = 0; j < 6; j++)
    if (!(j > 3 && a[j] <= 1e-5 && g[j] > 0)) square += g[j] * g[j];
  return sqrt(square);
}

TEST("whether they end or stall, what they certify is true: PALMER7A")
{
  static const double shares[] = {0, 1e-2, 1e-4, 1e-6, 1e-8};
  int wrong = 0, given = 0;
  for (int method = 0; method <= LRGD_METHOD_QUASI_NEWTON; method++)
    for (int i = 0; i < 5; i++)
      for (int seed = 0; seed < 4; seed++) {
        double x[6], lower[6], upper[6];
        lrgd_problem problem = lrgd_problem_default(6);
        lrgd_options o = lrgd_options_default();
        lrgd_result r = {.f = NAN};
        heard h = {.lowest = INFINITY};
        for (int j = 0; j < SMOOTH_COUNT; j++)
          if (smooth_all[j].f == palmer7a) h.s = &smooth_all[j];
        problem.value = value;
        problem.user = &h;
        problem.lower = lower;
        problem.upper = upper;
        all_ones(6, x);
        palmer_bounds(6, lower, upper);
        o.method = method;
        o.rank = 6;
        o.seed = seed;
        o.max_evals = 5000;
        if (shares[i] > 0) o.tol = shares[i] * palmer_slope(x);
        check(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "runs");
        check(r.noise <= 1e-12 * fmax(r.f, 1), "noise %g", r.noise);
        given += r.certificate.valid;
        wrong += r.certificate.valid &&
                 !(palmer_slope(x) <= 1.01 * r.certificate.grad_norm_bound);
      }
  check(wrong == 0, "%d of %d are false", wrong, given);
  check(given >= 20, "%d are given", given);
}
