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
