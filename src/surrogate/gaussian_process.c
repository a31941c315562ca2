/* A Gaussian process with one length (C. E. Rasmussen, C. K. I. Williams,
 * Gaussian Processes for Machine Learning, 2006, algorithm 2.1).  With K = L L'
 * and the vector 1 of ones,
 *   mean = 1'K^-1 y / 1'K^-1 1,  variance = |L^-1 (y - mean 1)|^2 / n,
 *   -log likelihood = n/2 log(variance) + sum log L_ii + constants. */
#include "surrogate/gaussian_process.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "base/vector.h"
#include "surrogate/surrogate_rules.h"

#include <math.h>
#include <string.h>

/* ---- creation and destruction ---- */

lrgd_status lr_gp_init(lr_gp *g, const lrgd_allocator *a, size_t p, size_t most,
                       double length)
{
  *g = (lr_gp){.allocator = *a,
               .policy = lr_policy_current(),
               .p = p,
               .most = most,
               .length = length,
               .nugget = lr_policy_current()->surrogate_nugget};
  g->x = lr_alloc(a, most * p, sizeof *g->x);
  g->apart = lr_alloc(a, most * most, sizeof *g->apart);
  g->L = lr_alloc(a, most * most, sizeof *g->L);
  g->square = lr_alloc(a, 5 * most, sizeof *g->square);
  if (!g->x || !g->apart || !g->L || !g->square) {
    lr_gp_clear(g);
    return LRGD_ERR_NOMEM;
  }
  g->alpha = g->square + most;
  g->work = g->alpha + most;
  return LRGD_OK;
}

void lr_gp_clear(lr_gp *g)
{
  const lrgd_allocator a = g->allocator;
  if (g->p == 0) return;
  lr_free(&a, g->x);
  lr_free(&a, g->apart);
  lr_free(&a, g->L);
  lr_free(&a, g->square);
  *g = (lr_gp){0};
}

/* ---- triangular systems ---- */

/* y = L^-1 y, for the first n rows. */
static void solve_lower(const lr_gp *g, size_t n, double *y)
{
  for (size_t j = 0; j < n; j++) {
    const double *column = g->L + j * g->most;
    y[j] /= column[j];
    lr_axpy(n - j - 1, -y[j], column + j + 1, y + j + 1);
  }
}

/* y = L'^-1 y */
static void solve_upper(const lr_gp *g, size_t n, double *y)
{
  for (size_t j = n; j-- > 0;) {
    const double *column = g->L + j * g->most;
    y[j] = (y[j] - lr_dot(n - j - 1, column + j + 1, y + j + 1)) / column[j];
  }
}

/* ---- the kernel matrix ---- */

static double kernel(double apart, double length)
{
  return lr_exp(-0.5 * apart / (length * length));
}

/* apart[i] = |x - x_i|^2 for the first n points. */
static void distances(const lr_gp *g, const double *x, size_t n, double *apart)
{
  double square = lr_dot(g->p, x, x);
  lr_gemv_t(g->p, n, g->x, g->p, x, apart);
  for (size_t i = 0; i < n; i++)
    apart[i] = fmax(square + g->square[i] - 2 * apart[i], 0);
}

void lr_gp_add(lr_gp *g, const double *x)
{
  double *apart = g->work;
  memcpy(g->x + g->n * g->p, x, g->p * sizeof *x);
  g->square[g->n] = lr_dot(g->p, x, x);
  distances(g, x, g->n, apart);
  for (size_t j = 0; j < g->n; j++) g->apart[j * g->most + g->n] = apart[j];
  g->n++;
}

/* Row i of L from row i of the kernel matrix.  False: the pivot is rounding
 * error. */
static bool extend(lr_gp *g, size_t i)
{
  double *row = g->work, pivot;
  for (size_t j = 0; j < i; j++)
    row[j] = kernel(g->apart[j * g->most + i], g->length);
  solve_lower(g, i, row);
  pivot = 1 + g->nugget - lr_dot(i, row, row);
  if (!(pivot > 0.5 * g->nugget)) return false;
  for (size_t j = 0; j < i; j++) g->L[j * g->most + i] = row[j];
  g->L[i * (g->most + 1)] = sqrt(pivot);
  return true;
}

/* The whole factor, a column after the other. */
static bool factorise(lr_gp *g)
{
  size_t n = g->n, ld = g->most;
  double *row = g->work;
  for (size_t j = 0; j < n; j++) {
    double *column = g->L + j * ld;
    column[j] = 1 + g->nugget;
    for (size_t i = j + 1; i < n; i++)
      column[i] = kernel(g->apart[j * ld + i], g->length);
    for (size_t i = 0; i < j; i++) row[i] = -g->L[i * ld + j];
    lr_gemv(n - j, j, g->L + j, ld, row, column + j);
    if (!(column[j] > 0.5 * g->nugget)) return false;
    lr_scale(n - j, 1 / sqrt(column[j]), column + j);
  }
  g->factored = n;
  return true;
}

/* ---- the fit ---- */

/* Mean and variance; z = L^-1 (y - mean). */
static void profile(lr_gp *g, const double *y, double *z)
{
  size_t n = g->n;
  double *ones = g->work;
  for (size_t i = 0; i < n; i++) {
    z[i] = y[i];
    ones[i] = 1;
  }
  solve_lower(g, n, z);
  solve_lower(g, n, ones);
  g->mean = lr_dot(n, ones, z) / lr_dot(n, ones, ones);
  lr_axpy(n, -g->mean, ones, z);
  g->variance = lr_dot(n, z, z) / (double)n;
}

/* -log of the likelihood times the prior of the length. */
static double misfit(lr_gp *g, const double *y)
{
  double sum = 0;
  if (!factorise(g)) return INFINITY;
  profile(g, y, g->work + 2 * g->most);
  for (size_t i = 0; i < g->n; i++) sum += lr_log(g->L[i * (g->most + 1)]);
  double likely = 0.5 * (double)g->n * lr_log(fmax(g->variance, 1e-300)) + sum;
  return likely + lr_surrogate_length_prior(g->policy, g->length, g->p);
}

void lr_gp_choose_length(lr_gp *g, const double *y)
{
  double last = g->length, length = last, least = INFINITY;
  for (int i = 0; i < LR_SURROGATE_LENGTHS; i++) {
    g->length = lr_surrogate_length(g->policy, last, i, g->p);
    double size = misfit(g, y);
    if (!(size < least)) continue;
    least = size;
    length = g->length;
  }
  g->length = length;
  g->factored = 0;
}

void lr_gp_fit(lr_gp *g, const double *y)
{
  bool grown = g->factored > 0;
  while (grown && g->factored < g->n) {
    grown = extend(g, g->factored);
    g->factored += grown;
  }
  while (g->factored < g->n && !factorise(g)) g->nugget *= 10;
  profile(g, y, g->alpha);
  solve_upper(g, g->n, g->alpha);
}

/* ---- values ---- */

/* k = the kernel between x and the points. */
static void kernels(const lr_gp *g, const double *x, double *k)
{
  distances(g, x, g->n, k);
  for (size_t i = 0; i < g->n; i++) k[i] = kernel(k[i], g->length);
}

double lr_gp_mean(const lr_gp *g, const double *x)
{
  double *k = g->work;
  kernels(g, x, k);
  return g->mean + lr_dot(g->n, k, g->alpha);
}

/* Returns kappa s at x, s being the standard deviation and k the kernel between
 * x and the points; adds its derivatives by k to w, with the sign of a bound
 * m - kappa s. */
static double deviation(const lr_gp *g, const double *k, double kappa,
                        double *w)
{
  size_t n = g->n;
  double *t = g->work + 2 * g->most;
  memcpy(t, k, n * sizeof *t);
  solve_lower(g, n, t);
  double share = fmax(1 + g->nugget - lr_dot(n, t, t), 1e-12);
  double s = kappa * sqrt(g->variance * share);
  solve_upper(g, n, t);
  lr_axpy(n, s / share, t, w);
  return s;
}

double lr_gp_bound(const lr_gp *g, const double *x, double kappa, double *slope)
{
  size_t n = g->n, p = g->p;
  double *k = g->work, *w = k + g->most, below = 0, sum = 0;
  kernels(g, x, k);
  memcpy(w, g->alpha, n * sizeof *w);
  if (kappa > 0) below = deviation(g, k, kappa, w);
  for (size_t i = 0; i < n; i++) {
    w[i] *= k[i];
    sum -= w[i];
  }
  memset(slope, 0, p * sizeof *slope);
  lr_axpy(p, sum, x, slope);
  lr_gemv(p, n, g->x, p, w, slope);
  lr_scale(p, 1 / (g->length * g->length), slope);
  return g->mean + lr_dot(n, k, g->alpha) - below;
}
