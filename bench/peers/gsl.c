/* GSL's minimisers, which do not support bounds. */
#include "peers.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void run_bfgs2(bench_run *run);
static void run_simplex(bench_run *run);
static void run_multifit(bench_run *run);

/* clang-format off */
const bench_solver bench_gsl[] = {
  {"gsl-bfgs2", "GSL",
   "vector_bfgs2, tol 0.1, gradients by forward differences; up to 5 restarts "
   "where it says that it makes no progress", false, run_bfgs2, 0},
  {"gsl-simplex", "GSL", "nmsimplex2, first step 0.5", false, run_simplex, 0},
  {"gsl-multifit", "GSL",
   "multifit_nlinear, lm with its usual scaling, Jacobians by forward "
   "differences", false, run_multifit, BENCH_RESIDUALS | BENCH_TALL},
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

/* ---- residuals ---- */

/* GSL's vectors may have strides: its numbers are copied. */
typedef struct fit {
  bench_run *run;
  double *x, *r, *J;
} fit;

static void copy_in(const fit *f, const gsl_vector *x)
{
  for (size_t j = 0; j < f->run->problem.p; j++) f->x[j] = gsl_vector_get(x, j);
}

static int residuals(const gsl_vector *x, void *user, gsl_vector *r)
{
  const fit *f = user;
  copy_in(f, x);
  bench_ask_residuals(&f->run->counter, f->x, f->r);
  for (size_t i = 0; i < f->run->problem.m; i++) {
    if (!isfinite(f->r[i])) return GSL_EBADFUNC;
    gsl_vector_set(r, i, f->r[i]);
  }
  return GSL_SUCCESS;
}

/* GSL asks for the derivative at the iterate, whose residuals it has but this
 * file does not keep: they are evaluated again, and that evaluation is not
 * counted. */
static int jacobian(const gsl_vector *x, void *user, gsl_matrix *J)
{
  const fit *f = user;
  size_t p = f->run->problem.p, m = f->run->problem.m;
  copy_in(f, x);
  lr_problem_residuals(f->run->problem.made, f->x, f->r);
  bench_ask_jacobian(f->run, f->x, f->r, f->J);
  for (size_t j = 0; j < p; j++)
    for (size_t i = 0; i < m; i++) gsl_matrix_set(J, i, j, f->J[j * m + i]);
  return GSL_SUCCESS;
}

static void run_multifit(bench_run *run)
{
  size_t p = run->problem.p, m = run->problem.m;
  fit f = {run, malloc(p * sizeof(double)), malloc(m * sizeof(double)),
           malloc(m * p * sizeof(double))};
  gsl_multifit_nlinear_parameters usual =
      gsl_multifit_nlinear_default_parameters();
  gsl_multifit_nlinear_fdf fdf = {
      .f = residuals, .df = jacobian, .n = m, .p = p, .params = &f};
  gsl_multifit_nlinear_workspace *w;
  gsl_set_error_handler_off();
  w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &usual, m, p);
  if (!f.x || !f.r || !f.J || !w) bench_die("no memory for GSL");
  if (gsl_multifit_nlinear_init(start_of(run), &fdf, w) == GSL_SUCCESS)
    while (gsl_multifit_nlinear_iterate(w) == GSL_SUCCESS) continue;
  bench_end(&run->counter, "no-progress");
}
