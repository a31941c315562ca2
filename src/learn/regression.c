/* Bayesian regression of a quadratic: the Cholesky factor of the covariance of
 * the data, under the prior that maximises their likelihood. */
#include "learn/regression.h"

#include "base/elementary.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct workspace {
  double *flat, *bent; /* n x n: prior covariances due to g, and due to B */
  /* n x n: the Cholesky factor of their sum, lower half by rows */
  double *factor;
  double *alpha; /* n: weights of the data */
  double *far;   /* n: squared distances */
} workspace;

/* The prior covariances of all pairs of data. */
static void fill_prior(const lr_regression *r, workspace *w)
{
  size_t q = r->q, n = r->n;
  for (size_t i = 0; i < n; i++) {
    const double *u = r->u + i * q, *b = r->b + i * q;
    w->far[i] = lr_dot(q, b, b);
    for (size_t j = 0; j <= i; j++) {
      const double *v = r->u + j * q, *c = r->b + j * q;
      double flat = lr_dot(q, u, v);
      w->flat[i * n + j] = flat;
      w->bent[i * n + j] =
          flat * lr_dot(q, b, c) + lr_dot(q, u, c) * lr_dot(q, b, v);
    }
  }
}

double lr_regression_accuracy(const lr_policy *P, double bend)
{
  return bend > 0 ? P->prior_accuracy : P->prior_accuracy_quadratic;
}

/* factor factor' = the covariance of the data with their errors, row by row;
 * *log_det: half the logarithm of its determinant.  False: it is not positive
 * definite. */
static bool decompose(const lr_regression *r, workspace *w, lr_prior at,
                      double *log_det)
{
  size_t n = r->n;
  double share = at.slope * at.slope;
  double accuracy = lr_regression_accuracy(lr_policy_current(), at.bend);
  *log_det = 0;
  for (size_t i = 0; i < n; i++) {
    double *row = w->factor + i * n;
    const double *flat = w->flat + i * n, *bent = w->bent + i * n;
    for (size_t j = 0; j < i; j++)
      row[j] = (share * flat[j] + bent[j] - lr_dot(j, row, w->factor + j * n)) /
               w->factor[j * n + j];
    double error = at.bend * w->far[i];
    double own = accuracy * r->d[i];
    double prior = (share * flat[i] + bent[i]) * (1 + 1e-12); /* rounding */
    double left = prior + r->off[i] * r->off[i] + own * own + error * error -
                  lr_dot(i, row, row);
    if (!(left > 0)) return false;
    row[i] = sqrt(left);
    *log_det += lr_log(row[i]);
  }
  return true;
}

/* alpha = (factor factor')^-1 d; returns d'alpha. */
static double solve(const lr_regression *r, workspace *w)
{
  size_t n = r->n;
  double form = 0;
  for (size_t i = 0; i < n; i++) {
    const double *row = w->factor + i * n;
    w->alpha[i] = (r->d[i] - lr_dot(i, row, w->alpha)) / row[i];
    form += w->alpha[i] * w->alpha[i];
  }
  for (size_t i = n; i-- > 0;) {
    const double *row = w->factor + i * n;
    w->alpha[i] /= row[i];
    for (size_t j = 0; j < i; j++) w->alpha[j] -= w->alpha[i] * row[j];
  }
  return form;
}

/* The log-likelihood, up to a constant, at the most likely scale of the prior;
 * -INFINITY: the covariance is not positive definite. */
static double likelihood(const lr_regression *r, workspace *w, lr_prior at)
{
  double log_det, n = (double)r->n;
  if (!decompose(r, w, at, &log_det)) return -INFINITY;
  return -0.5 * n * lr_log(solve(r, w) / n) - log_det;
}

bool lr_prior_next(const lr_policy *P, lr_prior *at)
{
  const double factor = P->prior_factor;
  if (!(at->slope > 0)) { /* the first point of the grid */
    *at = (lr_prior){.slope = P->prior_slope};
    return true;
  }
  at->bend = at->bend > 0 ? factor * at->bend : P->prior_bend;
  double most = P->prior_bend;
  for (int i = 1; i < P->prior_bends; i++) most *= factor;
  if (at->bend <= most) return true;
  *at = (lr_prior){.slope = factor * at->slope};
  return at->slope <= 1;
}

/* The weights of the data under the most likely prior; *size is its scale. */
static bool weigh(const lr_regression *r, workspace *w, lr_prior *at,
                  double *size)
{
  const lr_policy *P = lr_policy_current();
  double likeliest = -INFINITY, log_det;
  for (lr_prior next = {0}; lr_prior_next(P, &next);) {
    double found = likelihood(r, w, next);
    if (!(found > likeliest)) continue;
    likeliest = found;
    *at = next;
  }
  if (!(likeliest > -INFINITY) || !decompose(r, w, *at, &log_det)) return false;
  *size = sqrt(solve(r, w) / (double)r->n);
  return true;
}

/* g = slope^2 sum alpha u, B = sum alpha (u b' + b u'). */
static void assemble(const lr_regression *r, const double *alpha, double slope,
                     double *g, double *B)
{
  size_t q = r->q;
  double share = slope * slope;
  memset(g, 0, q * sizeof *g);
  memset(B, 0, q * q * sizeof *B);
  for (size_t k = 0; k < r->n; k++) {
    const double *u = r->u + k * q, *b = r->b + k * q;
    for (size_t i = 0; i < q; i++) g[i] += share * alpha[k] * u[i];
    for (size_t j = 0; j < q; j++) {
      double *column = B + j * q;
      double by_b = alpha[k] * b[j], by_u = alpha[k] * u[j];
      for (size_t i = 0; i < q; i++) column[i] += by_b * u[i] + by_u * b[i];
    }
  }
}

/* Scales distances so that the largest is one; returns the largest. */
static double shrink(lr_regression *r)
{
  double farthest = 0;
  for (size_t i = 0; i < r->n; i++)
    farthest = fmax(farthest, lr_norm(r->q, r->b + i * r->q));
  if (farthest > 0) lr_scale(r->n * r->q, 1 / farthest, r->b);
  return farthest;
}

static lrgd_status regress(lr_regression *r, workspace *w, double *g, double *B)
{
  double size = lr_norm(r->n, r->d) / sqrt((double)r->n), length = shrink(r);
  lr_prior at = {0};
  if (!(size > 0 && length > 0) || !lr_finite(size)) return LRGD_ERR_NUMERIC;
  lr_scale(r->n, 1 / size, r->d);
  lr_scale(r->n, 1 / size, r->off);
  fill_prior(r, w);
  if (!weigh(r, w, &at, &r->unit)) return LRGD_ERR_NUMERIC;
  r->bend = at.bend;
  assemble(r, w->alpha, at.slope, g, B);
  lr_scale(r->q, size, g);
  lr_scale(r->q * r->q, size / length, B);
  r->unit *= size / length;
  bool finite = lr_all_finite(g, r->q) && lr_all_finite(B, r->q * r->q);
  return finite ? LRGD_OK : LRGD_ERR_NUMERIC;
}

lrgd_status lr_regress(lr_regression *data, const lrgd_allocator *a, double *g,
                       double *B)
{
  size_t n = data->n;
  double *prior = lr_alloc(a, 2 * n * n, sizeof *prior);
  data->factor = lr_alloc(a, n * n, sizeof *data->factor);
  data->work = lr_alloc(a, 2 * n, sizeof *data->work);
  lrgd_status status = LRGD_ERR_NOMEM;
  if (prior && data->factor && data->work) {
    workspace w = {prior, prior + n * n, data->factor, data->work,
                   data->work + n};
    status = regress(data, &w, g, B);
  }
  lr_free(a, prior);
  return status;
}

double lr_regression_spread(const lr_regression *data, const double *v)
{
  size_t q = data->q, n = data->n;
  double *c = data->work, left = 2; /* the prior variance of v'Bv */
  for (size_t i = 0; i < n; i++) {
    const double *row = data->factor + i * n;
    c[i] = 2 * lr_dot(q, data->u + i * q, v) * lr_dot(q, data->b + i * q, v);
    c[i] = (c[i] - lr_dot(i, row, c)) / row[i];
    left -= c[i] * c[i];
  }
  return data->unit * sqrt(fmax(left, 0));
}

void lr_regression_clear(lr_regression *data, const lrgd_allocator *a)
{
  lr_free(a, data->factor);
  lr_free(a, data->work);
  data->factor = data->work = NULL;
}
