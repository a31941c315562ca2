/* Runs of `auto` that start at a minimum, or at the end of an earlier run: they
 * end after a few gradients, with a true certificate.  The value there may be
 * zero, of which no share is a rounding error. */
#include "check.h"

#include <lrgd/lrgd.h>

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST = 60 };

/* *user + sum of 100 (x_i+1 - x_i^2)^2 + (1 - x_i)^2; g: its gradient, or
 * NULL. */
static double chain(size_t p, const double *x, double above, double *g)
{
  double f = above;
  for (size_t i = 0; g && i < p; i++) g[i] = 0;
  for (size_t i = 0; i + 1 < p; i++) {
    double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
    f += 100 * a * a + b * b;
    if (!g) continue;
    g[i] -= 400 * a * x[i] + 2 * b;
    g[i + 1] += 200 * a;
  }
  return f;
}

/* *user + sum of i (x_i - 3)^2 */
static double squares(size_t p, const double *x, double above, double *g)
{
  double f = above;
  for (size_t i = 0; i < p; i++) {
    double d = x[i] - 3;
    f += (double)(i + 1) * d * d;
    if (g) g[i] = 2 * (double)(i + 1) * d;
  }
  return f;
}

typedef struct from {
  const char *name;
  double (*f)(size_t p, const double *x, double above, double *g);
  size_t p;
  double far, minimum;
  /* the most evaluations from the minimum, and from the end of a run */
  uint64_t at, near;
} from;

typedef struct asked {
  const from *what;
  double above;
} asked;

static double value(size_t p, const double *x, void *user)
{
  const asked *a = user;
  return a->what->f(p, x, a->above, NULL);
}

static lrgd_result run(asked *a, double *x, bool box)
{
  double lower[MOST], upper[MOST];
  size_t p = a->what->p;
  lrgd_problem problem = lrgd_problem_default(p);
  lrgd_options o = lrgd_options_default();
  lrgd_result r;
  for (size_t i = 0; i < p; i++) {
    lower[i] = -100;
    upper[i] = 100;
  }
  problem.value = value;
  problem.user = a;
  if (box) {
    problem.lower = lower;
    problem.upper = upper;
  }
  o.max_evals = 5000;
  lrgd_status status = lrgd_minimize(&problem, &o, x, &r, NULL);
  check(status == LRGD_OK, "%s", lrgd_status_text(status));
  return r;
}

static void check_run(asked *a, double *x, bool box, uint64_t most)
{
  double g[MOST], norm = 0;
  lrgd_result r = run(a, x, box);
  uint64_t n = lrgd_counts_evaluations(&r.counts);
  (void)a->what->f(a->what->p, x, a->above, g);
  for (size_t i = 0; i < a->what->p; i++) norm += g[i] * g[i];
  norm = sqrt(norm);
  const char *name = a->what->name;
  check(r.outcome == LRGD_OUTCOME_CONVERGED, "%s above %g, box %d: %s", name,
        a->above, box, r.message);
  check(r.certificate.valid && norm <= r.certificate.grad_norm_bound,
        "%s above %g, box %d: %g is above %g", name, a->above, box, norm,
        r.certificate.grad_norm_bound);
  check(n <= most, "%s above %g, box %d: %d evaluations, %d at most", name,
        a->above, box, (int)n, (int)most);
}

/* Rounding of x, all that changes values near f = 0, was taken for noise, and
 * the truncation error of one-sided differences for a gradient: runs took up to
 * 600,000 evaluations, or stalled. */
TEST("a run from a minimum, or from the end of another run, ends soon")
{
  static const from all[] = {
      {"Rosenbrock in 10 inputs", chain,   10, -1, 1, 80,  1000},
      {"one input",               squares, 1,  0,  3, 36,  36  },
      {"8 inputs",                squares, 8,  0,  3, 75,  75  },
      {"60 inputs",               squares, 60, 0,  3, 300, 150 }
  };
  static const double above[] = {0, 1, 1e4};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    for (int k = 0; k < 6; k++) {
      asked a = {.what = &all[i], .above = above[k / 2]};
      double x[MOST];
      for (size_t j = 0; j < all[i].p; j++) x[j] = all[i].minimum;
      check_run(&a, x, k % 2 == 1, all[i].at);
      for (size_t j = 0; j < all[i].p; j++) x[j] = all[i].far;
      (void)run(&a, x, false);
      check_run(&a, x, k % 2 == 1, all[i].near);
    }
}
