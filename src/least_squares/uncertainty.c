/* Linear uncertainty of a fit: the covariance of inputs and predictions that
 * follows from residuals and their derivatives (first order, second moment).
 *
 * With independent prior deviations D the inputs are measured in units of
 * these, x = D y. Rows of the Jacobian lie in the span of D V, whose QR factors
 * are Q T: along Q the derivatives are G = J T', and the prior of y is the
 * identity.  With G = U S W' and residuals of variance v, the posterior
 * covariance of y is
 *   I - Q W diag(S^2 / (S^2 + v)) W'Q',
 * which is computed as the sum of the part outside Q and the part left inside,
 * so that small deviations are not differences of large ones.  Without a prior
 * D = I, and v / S^2 replaces v / (S^2 + v).
 *
 * This file knows numbers, and not who found them. */
#include "base/damped.h"
#include "base/dense.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/policy.h"
#include "base/vector.h"

#include <lrgd/analysis.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct lrgd_uncertainty {
  lrgd_fit fit;
  lr_dense *dense;
  double *values; /* k: singular values of J, m x k */
  double *Q;      /* p x k: an orthonormal basis; then Q W */
  double *T;      /* k x k, upper: J = G T */
  double *G;      /* m x k */
  double *S, *W;  /* k singular values and vectors of G */
  double *s, *w;  /* the same for rows of another Jacobian */
  double *rows;   /* scratch: max(m, k) x k */
  double *t, *c;  /* scratch: k numbers each */
  size_t rank;
  double variance;
  int estimated;
};

void lrgd_fit_init(lrgd_fit *fit, size_t size)
{
  lrgd_fit made = {.struct_size = size, .variance = NAN};
  if (!fit) return;
  memset(fit, 0, size);
  memcpy(fit, &made, size < sizeof made ? size : sizeof made);
}

void lrgd_uncertainty_destroy(lrgd_uncertainty **u)
{
  if (!u || !*u) return;
  lrgd_uncertainty *old = *u;
  lr_dense_destroy(&old->dense);
  lr_free(&lr_malloc, old->values);
  lr_free(&lr_malloc, old->Q);
  lr_free(&lr_malloc, old->G);
  lr_free(&lr_malloc, old->rows);
  lr_free(&lr_malloc, old);
  *u = NULL;
}

/* ---- checks of the arguments ---- */

static lrgd_status refuse(lrgd_error *error, lrgd_status status,
                          const char *text)
{
  if (!error) return status;
  error->status = status;
  (void)snprintf(error->text, sizeof error->text, "%s", text);
  return status;
}

static lrgd_status check(const lrgd_fit *fit, lrgd_error *error)
{
  size_t p = fit->dimension, k = fit->directions, m = fit->residuals;
  if (p == 0 || k == 0 || k > p || m == 0 || !fit->jacobian)
    return refuse(error, LRGD_ERR_INVALID,
                  "an uncertainty needs inputs, residuals, and a Jacobian "
                  "along 1 to p directions");
  if (!fit->basis && k != p)
    return refuse(error, LRGD_ERR_INVALID,
                  "without a basis there are as many directions as inputs");
  if (!lr_all_finite(fit->jacobian, m * k) ||
      (fit->basis && !lr_all_finite(fit->basis, p * k)))
    return refuse(error, LRGD_ERR_INVALID,
                  "a number of the Jacobian or of the basis is not finite");
  for (size_t i = 0; fit->deviations && i < p; i++)
    if (!(fit->deviations[i] > 0) || !lr_finite(fit->deviations[i]))
      return refuse(error, LRGD_ERR_INVALID,
                    "a prior deviation must be finite and > 0");
  return LRGD_OK;
}

static bool allocate(lrgd_uncertainty *u)
{
  const lrgd_allocator *a = &lr_malloc;
  size_t p = u->fit.dimension, k = u->fit.directions, m = u->fit.residuals;
  size_t most = m > k ? m : k, small, large, tall;
  if (!lr_product(k, 3 * k + 5, 1, &small) || !lr_product(p, k, 1, &large) ||
      !lr_product(most, k, 1, &tall))
    return false;
  u->dense = lr_dense_create(a, k);
  u->values = lr_alloc(a, small, sizeof(double));
  u->Q = lr_alloc_raw(a, large, sizeof(double));
  u->G = lr_alloc_raw(a, tall, sizeof(double));
  u->rows = lr_alloc_raw(a, tall, sizeof(double));
  if (!u->dense || !u->values || !u->Q || !u->G || !u->rows) return false;
  u->T = u->values + k, u->W = u->T + k * k, u->w = u->W + k * k;
  u->S = u->w + k * k, u->s = u->S + k, u->t = u->s + k, u->c = u->t + k;
  return true;
}

/* ---- bases and spectra ---- */

/* Column j of D V. */
static void fill_column(const lrgd_fit *fit, size_t j, double *to)
{
  size_t p = fit->dimension;
  if (fit->basis)
    memcpy(to, fit->basis + j * p, p * sizeof *to);
  else {
    memset(to, 0, p * sizeof *to);
    to[j] = 1;
  }
  for (size_t i = 0; fit->deviations && i < p; i++) to[i] *= fit->deviations[i];
}

/* D V = Q T, by Gram and Schmidt, twice. */
static lrgd_status factor_basis(lrgd_uncertainty *u)
{
  size_t p = u->fit.dimension, k = u->fit.directions;
  for (size_t j = 0; j < k; j++) {
    double *q = u->Q + j * p, *T = u->T + j * k;
    fill_column(&u->fit, j, q);
    for (int twice = 0; twice < 2; twice++)
      for (size_t i = 0; i < j; i++) {
        double share = lr_dot(p, u->Q + i * p, q);
        lr_axpy(p, -share, u->Q + i * p, q);
        T[i] += share;
      }
    T[j] = lr_norm(p, q);
    if (!(T[j] > 0)) return LRGD_ERR_NUMERIC;
    lr_scale(p, 1 / T[j], q);
  }
  return LRGD_OK;
}

/* G = J T'. */
static void turn_jacobian(lrgd_uncertainty *u)
{
  size_t k = u->fit.directions, m = u->fit.residuals;
  memset(u->G, 0, m * k * sizeof *u->G);
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i <= j; i++)
      lr_axpy(m, u->T[i + j * k], u->fit.jacobian + j * m, u->G + i * m);
}

/* Singular values s and right singular vectors W of the rows of A, each row
 * times its factor. */
static lrgd_status find_spectrum(lrgd_uncertainty *u, const double *A,
                                 const double *factors, double *W, double *s)
{
  size_t k = u->fit.directions, m = u->fit.residuals, n = m > k ? m : k;
  for (size_t j = 0; j < k; j++) {
    double *to = u->rows + j * n;
    memset(to, 0, n * sizeof *to);
    for (size_t i = 0; i < m; i++)
      to[i] = (factors ? factors[i] : 1) * A[i + j * m];
  }
  lr_qr(n, k, u->rows, n, NULL);
  for (size_t j = 0; j < k; j++) /* R', whose left singular vectors are W */
    for (size_t i = 0; i < k; i++)
      W[j + i * k] = i <= j ? u->rows[i + j * n] : 0;
  return lr_svd(u->dense, k, W, s);
}

static size_t rank_of(size_t k, const double *s)
{
  size_t rank = 0;
  double least = lr_policy_current()->ls_rank_cut * s[0];
  while (rank < k && s[rank] > least) rank++;
  return rank;
}

static void set_variance(lrgd_uncertainty *u)
{
  const lrgd_fit *fit = &u->fit;
  size_t n = fit->observations > 0 ? fit->observations : fit->residuals;
  u->variance = fit->variance;
  if (fit->variance >= 0) return;
  u->estimated = n > u->rank;
  u->variance = u->estimated ? 2 * fit->f / (double)(n - u->rank) : 1;
}

/* Q becomes Q W: the combinations of inputs, in units of the prior. */
static void turn_basis(lrgd_uncertainty *u)
{
  size_t p = u->fit.dimension, k = u->fit.directions;
  for (size_t i = 0; i < p; i++) {
    for (size_t j = 0; j < k; j++) u->t[j] = u->Q[i + j * p];
    lr_gemv_t(k, k, u->W, k, u->t, u->c);
    for (size_t j = 0; j < k; j++) u->Q[i + j * p] = u->c[j];
  }
}

static lrgd_status compute(lrgd_uncertainty *u)
{
  lrgd_status status = find_spectrum(u, u->fit.jacobian, NULL, u->W, u->values);
  if (status != LRGD_OK) return status;
  u->rank = rank_of(u->fit.directions, u->values);
  set_variance(u);
  status = factor_basis(u);
  if (status != LRGD_OK) return status;
  turn_jacobian(u);
  memcpy(u->S, u->values, u->fit.directions * sizeof *u->S);
  if (u->fit.deviations) status = find_spectrum(u, u->G, NULL, u->W, u->S);
  if (status == LRGD_OK) turn_basis(u);
  return status;
}

lrgd_status lrgd_uncertainty_create(lrgd_uncertainty **made,
                                    const lrgd_fit *fit, lrgd_error *error)
{
  lrgd_fit given = {.struct_size = sizeof given, .variance = NAN};
  if (!made) return LRGD_ERR_INVALID;
  *made = NULL;
  if (!fit || fit->struct_size < sizeof given.struct_size)
    return refuse(error, LRGD_ERR_INVALID, "there is no fit");
  size_t size = fit->struct_size;
  memcpy(&given, fit, size < sizeof given ? size : sizeof given);
  lrgd_status status = check(&given, error);
  if (status != LRGD_OK) return status;
  lrgd_uncertainty *u = lr_alloc(&lr_malloc, 1, sizeof *u);
  if (!u) return refuse(error, LRGD_ERR_NOMEM, "out of memory");
  u->fit = given;
  status = allocate(u) ? compute(u) : LRGD_ERR_NOMEM;
  if (status == LRGD_OK) {
    *made = u;
    return LRGD_OK;
  }
  lrgd_uncertainty_destroy(&u);
  return refuse(error, status,
                status == LRGD_ERR_NOMEM ? "out of memory for an uncertainty"
                                         : "the Jacobian has no singular "
                                           "values");
}

/* ---- questions ---- */

/* The number of combinations that the data determine; with a prior: better than
 * the prior does. */
static size_t supported(const lrgd_uncertainty *u)
{
  size_t count = 0, k = u->fit.directions;
  if (!u->fit.deviations) return u->rank;
  while (count < k && u->S[count] * u->S[count] > u->variance) count++;
  return count < u->rank ? count : u->rank;
}

/* The posterior variance along a combination, in units of the prior. */
static double left_of(const lrgd_uncertainty *u, double s)
{
  double known = u->fit.deviations ? s * s + u->variance : s * s;
  return u->variance > 0 ? u->variance / known : 0;
}

void lrgd_uncertainty_summarize_sized(const lrgd_uncertainty *u,
                                      lrgd_uncertainty_summary *summary,
                                      size_t size)
{
  lrgd_uncertainty_summary told = {.struct_size = size};
  if (!summary || size < sizeof size) return;
  memset(summary, 0, size);
  if (u) {
    told.rank = u->rank;
    told.supported = supported(u);
    told.condition = u->rank > 0 ? u->values[0] / u->values[u->rank - 1] : 1;
    told.variance = u->variance;
    told.estimated = u->estimated;
    told.prior = u->fit.deviations != NULL;
  }
  memcpy(summary, &told, size < sizeof told ? size : sizeof told);
}

void lrgd_uncertainty_singular_values(const lrgd_uncertainty *u, double *s)
{
  if (u && s) memcpy(s, u->values, u->fit.directions * sizeof *s);
}

void lrgd_uncertainty_identifiability(const lrgd_uncertainty *u, double *share)
{
  if (!u || !share) return;
  size_t p = u->fit.dimension, count = supported(u);
  for (size_t i = 0; i < p; i++) {
    double sum = 0;
    for (size_t j = 0; j < count; j++) sum += u->Q[i + j * p] * u->Q[i + j * p];
    share[i] = fmin(sum, 1);
  }
}

/* The covariance of inputs i and l: the prior outside the basis, plus the
 * posterior inside. */
static double covariance_of(const lrgd_uncertainty *u, size_t i, size_t l)
{
  size_t p = u->fit.dimension, k = u->fit.directions;
  const double *D = u->fit.deviations;
  double inside = 0, outside = i == l ? 1 : 0;
  if (!D && u->rank < p) return INFINITY;
  for (size_t j = 0; j < k; j++) {
    double product = u->Q[i + j * p] * u->Q[l + j * p];
    outside -= product;
    inside += product * left_of(u, u->S[j]);
  }
  if (k == p || (i == l && outside < 0)) outside = 0;
  return D ? D[i] * D[l] * (outside + inside) : inside;
}

void lrgd_uncertainty_deviations(const lrgd_uncertainty *u, double *deviations)
{
  if (!u || !deviations) return;
  for (size_t i = 0; i < u->fit.dimension; i++)
    deviations[i] = sqrt(covariance_of(u, i, i));
}

void lrgd_uncertainty_covariance(const lrgd_uncertainty *u, double *covariance)
{
  if (!u || !covariance) return;
  size_t p = u->fit.dimension;
  for (size_t i = 0; i < p; i++)
    for (size_t l = 0; l <= i; l++)
      covariance[i + l * p] = covariance[l + i * p] = covariance_of(u, i, l);
}

/* ---- predictions ---- */

/* The variance of a prediction with derivatives t along the columns of W. */
static double predicted(const lrgd_uncertainty *u, const double *t,
                        const double *s)
{
  size_t k = u->fit.directions, rank = rank_of(k, s);
  double inside = 0, outside = 0, all = 0;
  for (size_t j = 0; j < k; j++) {
    all += t[j] * t[j];
    if (u->fit.deviations || j < rank)
      inside += t[j] * t[j] * left_of(u, s[j]);
    else
      outside += t[j] * t[j];
  }
  bool open = outside > lr_policy_current()->ls_undetermined * all;
  return open ? INFINITY : inside;
}

static void predict_one(lrgd_uncertainty *u, const double *slopes,
                        const double *W, const double *s, double *before,
                        double *after)
{
  size_t k = u->fit.directions;
  memset(u->t, 0, k * sizeof *u->t);
  lr_gemv(k, k, u->T, k, slopes, u->t);
  lr_gemv_t(k, k, W, k, u->t, u->c);
  *after = sqrt(predicted(u, u->c, s));
  if (before) *before = u->fit.deviations ? lr_norm(k, u->t) : INFINITY;
}

lrgd_status lrgd_uncertainty_predict(lrgd_uncertainty *u, size_t n,
                                     const double *slopes,
                                     const double *factors, double *before,
                                     double *after)
{
  if (!u || !slopes || !after) return LRGD_ERR_INVALID;
  size_t k = u->fit.directions, all;
  const double *W = u->W, *s = u->S;
  if (!lr_product(n, k, 1, &all) || !lr_all_finite(slopes, all) ||
      (factors && !lr_all_finite(factors, u->fit.residuals)))
    return LRGD_ERR_INVALID;
  if (factors) {
    lrgd_status status = find_spectrum(u, u->G, factors, u->w, u->s);
    if (status != LRGD_OK) return status;
    W = u->w, s = u->s;
  }
  for (size_t i = 0; i < n; i++)
    predict_one(u, slopes + i * k, W, s, before ? before + i : NULL, after + i);
  return LRGD_OK;
}
