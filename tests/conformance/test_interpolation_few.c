/* Interpolation before quasi-Newton on functions of few inputs, with and
 * without bounds: a model may then have all the points that determine a
 * quadratic. */
#include <lrgd/lrgd.h>

#include "check.h"

enum { FEW = 5, QUADRATIC = (FEW + 1) * (FEW + 2) / 2 };

typedef struct few {
  size_t calls, within; /* values, until f fell to 1e-8 of the first */
  double first;
  double limit; /* no value where x_0 is above; INFINITY: everywhere */
  double lowest;
} few;

/* Full rank, all products of inputs; 0 at (1, 2, 3, ...). */
static double coupled(size_t p, const double *x, void *user)
{
  few *c = user;
  double sum = 0, f = 0;
  c->calls++;
  if (x[0] > c->limit) return NAN;
  for (size_t i = 0; i < p; i++) {
    double y = x[i] - (double)(i + 1);
    sum += y;
    f += (double)(1 + i) * y * y;
  }
  f += 3 * sum * sum;
  if (c->calls == 1) c->first = f;
  if (f <= 1e-8 * c->first && c->within == 0) c->within = c->calls;
  c->lowest = fmin(c->lowest, f);
  return f;
}

static lrgd_result minimise_few(few *c, double at, double wide)
{
  double x[FEW], low[FEW], high[FEW];
  lrgd_problem f = lrgd_problem_default(FEW);
  lrgd_result result = {.f = NAN};
  for (int i = 0; i < FEW; i++) {
    x[i] = at * (1 + i);
    low[i] = x[i] - wide;
    high[i] = x[i] + wide;
  }
  f.value = coupled;
  f.user = c;
  if (wide > 0) {
    f.lower = low;
    f.upper = high;
  }
  check(lrgd_minimize(&f, NULL, x, &result, NULL) == LRGD_OK, "runs");
  return result;
}

TEST("a quadratic of few inputs is minimised by the values that determine it")
{
  static const struct {
    double at, wide;
  } from[] = {
      {0,    0 },
      {1e-2, 0 },
      {30,   0 },
      {-4,   0 },
      {0,    20},
  };
  for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
    few c = {.limit = INFINITY, .lowest = INFINITY};
    lrgd_result r = minimise_few(&c, from[i].at, from[i].wide);
    check(r.outcome == LRGD_OUTCOME_CONVERGED, "from %g: %s", from[i].at,
          r.message);
    check(c.within > 0 && c.within <= 2 * QUADRATIC,
          "from %g: %zu values to 1e-8, %d determine it", from[i].at, c.within,
          QUADRATIC);
  }
}

TEST("with few inputs a region without values does not end the run")
{
  few c = {.limit = 2, .lowest = INFINITY};
  lrgd_result r = minimise_few(&c, 0.5, 0);
  check(r.f == c.lowest && r.f < 1e-6, "f is %g, the lowest seen %g", r.f,
        c.lowest);
}
