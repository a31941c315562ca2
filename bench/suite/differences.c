/* Gradients for solvers that need one, by differences of counted values. */
#include "bench.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The mean curvature along a coordinate, which is the trace of the Hessian over
 * p: the mean over random u with entries +-1/sqrt(p) of u . (g(x0 + t u) -
 * g(x0)) / t.  (A u of equal signs would see one direction only.) */
static double mean_curvature(const bench_problem *problem)
{
  enum { DRAWS = 4 };
  size_t p = problem->p;
  double *x = malloc(3 * p * sizeof *x), *g = x + p, *g0 = x + 2 * p;
  double sum = 0, t = 1e-4;
  uint64_t bits = 12345;
  if (!x) bench_die("no memory for %zu numbers", 3 * p);
  problem->f.gradient(p, problem->x0, g0, problem->f.user);
  for (int draw = 0; draw < DRAWS; draw++) {
    double change = 0;
    for (size_t i = 0; i < p; i++) {
      bits = bits * UINT64_C(6364136223846793005) + 1442695040888963407u;
      x[i] = problem->x0[i] + (bits >> 63 ? t : -t);
    }
    problem->f.gradient(p, x, g, problem->f.user);
    for (size_t i = 0; i < p; i++)
      change += (x[i] - problem->x0[i]) * (g[i] - g0[i]);
    sum += fabs(change) / (t * t * (double)p);
  }
  free(x);
  return sum / DRAWS;
}

/* ---- of simulators: from values ---- */

/* f at x0 + t u, where the entries of u are +-1/sqrt(p). */
static double along(const bench_problem *problem, double t, uint64_t draw)
{
  size_t p = problem->p;
  double *x = malloc(p * sizeof *x), f, each = t / sqrt((double)p);
  uint64_t bits = 777 + draw;
  if (!x) bench_die("no memory for %zu numbers", p);
  for (size_t i = 0; i < p; i++) {
    bits = bits * UINT64_C(6364136223846793005) + 1442695040888963407u;
    x[i] = problem->x0[i] + (bits >> 63 ? each : -each);
  }
  f = problem->f.value(p, x, problem->f.user);
  free(x);
  return f;
}

/* The noise, from fifth differences of values a thousandth apart: the smooth
 * part cancels, and noise e has the standard deviation e sqrt(252). */
static double measured_noise(const bench_problem *problem)
{
  enum { VALUES = 24, ORDER = 5 };
  double f[VALUES], sum = 0;
  for (int i = 0; i < VALUES; i++) f[i] = along(problem, 1e-3 * i, 0);
  for (int order = 0; order < ORDER; order++)
    for (int i = 0; i + order + 1 < VALUES; i++) f[i] = f[i + 1] - f[i];
  for (int i = 0; i + ORDER < VALUES; i++) sum += f[i] * f[i];
  return sqrt(sum / 252 / (VALUES - ORDER));
}

/* The same mean curvature, from second differences with a step of 1/20. */
static double measured_curvature(const bench_problem *problem)
{
  enum { DRAWS = 4 };
  double sum = 0, t = 0.05;
  for (uint64_t draw = 0; draw < DRAWS; draw++)
    sum += fabs(along(problem, t, draw) - 2 * problem->f0 +
                along(problem, -t, draw)) /
           (t * t);
  return sum / DRAWS;
}

/* The curvature of residuals: the root mean square of F'' along single inputs,
 * by second differences with a step of 1/1000. */
static double residual_curvature(const bench_problem *problem)
{
  enum { DRAWS = 6 };
  size_t p = problem->p, m = problem->m;
  double *x = malloc((p + 3 * m) * sizeof *x), *F = x + p, sum = 0;
  if (!x) bench_die("no memory for %zu numbers", p + 3 * m);
  memcpy(x, problem->x0, p * sizeof *x);
  lr_problem_residuals(problem->made, x, F);
  for (size_t draw = 0; draw < DRAWS; draw++) {
    size_t j = draw * p / DRAWS;
    double t = 1e-3 * fmax(1, fabs(x[j]));
    x[j] = problem->x0[j] + t;
    lr_problem_residuals(problem->made, x, F + m);
    x[j] = problem->x0[j] - t;
    lr_problem_residuals(problem->made, x, F + 2 * m);
    x[j] = problem->x0[j];
    for (size_t i = 0; i < m; i++) {
      double bend = (F[m + i] - 2 * F[i] + F[2 * m + i]) / (t * t);
      sum += bend * bend / (double)(DRAWS * m);
    }
  }
  free(x);
  return sqrt(sum);
}

/* The difference step for residuals: SciPy's where there is no noise, else 2
 * sqrt(e / c) as for f. */
static double residual_step(const bench_run *run)
{
  double c;
  if (!(run->counter.noise > 0)) return sqrt(DBL_EPSILON);
  c = residual_curvature(&run->problem);
  return fmin(2 * sqrt(run->counter.noise / fmax(c, 1e-300)), 1);
}

static double scalar_step(const bench_run *run)
{
  bool simulator = run->counter.simulator;
  double noise = simulator ? measured_noise(&run->problem) : run->counter.noise;
  double c = simulator ? measured_curvature(&run->problem)
                       : mean_curvature(&run->problem);
  double error =
      fmax(noise, 4 * DBL_EPSILON * fmax(fabs(run->problem.f0), 1e-8));
  double most = noise > 0 ? 1e-1 : 1e-4;
  return fmin(fmax(2 * sqrt(error / fmax(c, 1e-300)), 1e-8), most);
}

double bench_difference_step(const bench_run *run)
{
  if (run->problem.m) return residual_step(run);
  return scalar_step(run);
}

double bench_first_step(const bench_run *run)
{
  const lrgd_problem *f = &run->problem.f;
  return f->lower ? fmin(0.5, 0.25 * (f->upper[0] - f->lower[0])) : 0.5;
}

/* Steps point inwards where the upper bound is near. */
double bench_ask_gradient(bench_run *run, const double *x, double *g)
{
  const lrgd_problem *f = &run->problem.f;
  size_t p = run->problem.p;
  double fx = bench_ask(&run->counter, x), *y = malloc(p * sizeof *y);
  if (!y) bench_die("no memory for %zu numbers", p);
  for (size_t i = 0; i < p; i++) y[i] = x[i];
  for (size_t i = 0; i < p; i++) {
    double h = run->h * fmax(1, fabs(x[i]));
    if (f->upper && x[i] + h > f->upper[i]) h = -h;
    y[i] = x[i] + h;
    g[i] = (bench_ask(&run->counter, y) - fx) / (y[i] - x[i]);
    y[i] = x[i];
  }
  free(y);
  return fx;
}

static void measure_jacobian(bench_run *run, const double *x, const double *r,
                             double *J)
{
  const lrgd_problem *f = &run->problem.f;
  size_t p = run->problem.p, m = run->problem.m;
  double *y = malloc(p * sizeof *y);
  if (!y) bench_die("no memory for %zu numbers", p);
  memcpy(y, x, p * sizeof *y);
  for (size_t j = 0; j < p; j++) {
    double h = run->h * fmax(1, fabs(x[j]));
    if (f->upper && x[j] + h > f->upper[j]) h = -h;
    y[j] = x[j] + h;
    bench_ask_residuals(&run->counter, y, J + j * m);
    for (size_t i = 0; i < m; i++)
      J[j * m + i] = (J[j * m + i] - r[i]) / (y[j] - x[j]);
    y[j] = x[j];
  }
  free(y);
}

void bench_ask_jacobian(bench_run *run, const double *x, const double *r,
                        double *J)
{
  size_t p = run->problem.p, size = run->problem.m * p;
  if (!run->kept) {
    run->kept = malloc((p + size) * sizeof *run->kept);
    if (!run->kept) bench_die("no memory for a Jacobian");
    run->kept[0] = NAN; /* marks the cache as empty: NaN equals no x */
  }
  if (memcmp(run->kept, x, p * sizeof *x) == 0) {
    memcpy(J, run->kept + p, size * sizeof *J);
    return;
  }
  measure_jacobian(run, x, r, J);
  memcpy(run->kept, x, p * sizeof *x);
  memcpy(run->kept + p, J, size * sizeof *J);
}
