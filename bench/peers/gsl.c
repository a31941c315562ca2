/* GSL's minimisers.  They cannot keep bounds. */
#include "peers.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <string.h>

static void run_bfgs2(bench_run *run);
static void run_simplex(bench_run *run);

/* clang-format off */
const bench_solver bench_gsl[] = {
  {"gsl-bfgs2", "GSL",
   "vector_bfgs2, tol 0.1, gradients by forward differences; up to 5 restarts "
   "where it says that it makes no progress", false, run_bfgs2},
  {"gsl-simplex", "GSL", "nmsimplex2, first step 0.5", false, run_simplex},
  {.name = NULL}
};
/* clang-format on */

static double value(const gsl_vector *x, void *user)
{
  double f = bench_ask(&((bench_run *)user)->counter, x->data);
  return isfinite(f) ? f : HUGE_VAL;
}

static void both(const gsl_vector *x, void *user, double *f, gsl_vector *g)
{
  *f = bench_ask_gradient(user, x->data, g->data);
}

static void slope(const gsl_vector *x, void *user, gsl_vector *g)
{
  double f;
  both(x, user, &f, g);
}

static gsl_vector *start_of(const bench_run *run)
{
  gsl_vector *x = gsl_vector_alloc(run->problem.p);
  if (!x) bench_die("no memory for GSL");
  memcpy(x->data, run->problem.x0, run->problem.p * sizeof *x->data);
  return x;
}

static void run_bfgs2(bench_run *run)
{
  size_t p = run->problem.p;
  gsl_multimin_function_fdf f = {value, slope, both, p, run};
  gsl_vector *x = start_of(run);
  gsl_multimin_fdfminimizer *s;
  gsl_set_error_handler_off();
  s = gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2,
                                      p);
  if (!s) bench_die("no memory for GSL");
  for (int start = 0; start <= 5; start++) {
    gsl_multimin_fdfminimizer_set(s, &f, x, bench_first_step(run), 0.1);
    while (gsl_multimin_fdfminimizer_iterate(s) == GSL_SUCCESS) continue;
    gsl_vector_memcpy(x, gsl_multimin_fdfminimizer_x(s));
  }
  bench_end(&run->counter, "no-progress");
}

static void run_simplex(bench_run *run)
{
  size_t p = run->problem.p;
  gsl_multimin_function f = {value, p, run};
  gsl_vector *x = start_of(run), *step = gsl_vector_alloc(p);
  gsl_multimin_fminimizer *s =
      gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, p);
  gsl_set_error_handler_off();
  if (!s || !step) bench_die("no memory for GSL");
  gsl_vector_set_all(step, bench_first_step(run));
  gsl_multimin_fminimizer_set(s, &f, x, step);
  while (gsl_multimin_fminimizer_iterate(s) == GSL_SUCCESS &&
         gsl_multimin_fminimizer_size(s) > 1e-14)
    continue;
  bench_end(&run->counter, "ended");
}
