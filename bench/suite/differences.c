/* Gradients for those who want one, out of counted values. */
#include "bench.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* (u . (g(x0 + t u) - g(x0))) / t for u = all signs equal to one over sqrt p
 * would see one direction only; with random signs the mean of u^T H u is the
 * trace over p, the mean curvature along a coordinate. */
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

double bench_difference_step(const bench_run *run)
{
  double c = mean_curvature(&run->problem);
  double error = fmax(run->counter.noise,
                      4 * DBL_EPSILON * fmax(fabs(run->problem.f0), 1e-8));
  double most = run->counter.noise > 0 ? 1e-1 : 1e-4;
  return fmin(fmax(2 * sqrt(error / fmax(c, 1e-300)), 1e-8), most);
}

double bench_first_step(const bench_run *run)
{
  const lrgd_problem *f = &run->problem.f;
  return f->lower ? fmin(0.5, 0.25 * (f->upper[0] - f->lower[0])) : 0.5;
}

/* Steps to the inside where the upper bound is near. */
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
