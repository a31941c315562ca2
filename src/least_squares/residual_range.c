/* The range of J: which columns are outside that of the others, and which
 * directions have become uncertain. */
#include "least_squares/residual_model.h"

#include "least_squares/least_squares_rules.h"

#include "base/memory.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

/* The least |column j - J y|^2 over y along the first n columns, and y'Py. */
static double outside(lr_residual_model *M, size_t n, size_t j, double *spread)
{
  const lr_updated_qr *U = &M->measured;
  size_t m = M->n, rows = j + 1 < m ? j + 1 : m, ld = U->ld;
  const double *R = U->R, *column = R + j * ld;
  double *y = M->z, largest = 0;
  for (size_t i = 0; i < n && i < m; i++)
    largest = fmax(largest, fabs(R[i * ld + i]));
  memset(y, 0, M->k * sizeof *y);
  for (size_t i = n < m ? n : m; i-- > 0;) { /* back substitution */
    double sum = column[i];
    for (size_t l = i + 1; l < n && l < m; l++) sum -= R[l * ld + i] * y[l];
    if (fabs(R[i * ld + i]) > 1e-12 * largest) y[i] = sum / R[i * ld + i];
  }
  *spread = lr_residual_model_times_P(M, y, M->w);
  double sum = 0;
  for (size_t i = n; i < rows; i++) sum += column[i] * column[i];
  return sum;
}

/* The novelty ratio of column j relative to the n columns before it; *doubt:
 * its expected squared distance. */
static double distance(lr_residual_model *M, size_t n, size_t j, double *doubt)
{
  double spread, out = outside(M, n, j, &spread);
  double variance = M->P[j * M->room + j] + spread;
  double rounding = 1e-20 * M->size[j] * M->size[j];
  *doubt = (double)M->n * M->c * M->c * variance + rounding;
  return out / (*doubt + 1e-300);
}

lr_novelty lr_residual_model_novelty(lr_residual_model *M, size_t last)
{
  size_t k = M->k;
  lr_novelty n = {.most = INFINITY, .last = INFINITY, .doubt = INFINITY};
  if (k <= last || lr_residual_model_factor(M) != LRGD_OK) return n;
  double doubt;
  n.most = 0;
  for (size_t j = k - last; j < k; j++)
    n.most = fmax(n.most, distance(M, k - last, j, &doubt));
  double size = lr_norm(M->n, M->J + (k - 1) * M->m);
  n.last = distance(M, k - 1, k - 1, &doubt);
  n.doubt = doubt / (size * size + 1e-300);
  return n;
}

/* The triangle of all of J, k x k with ld numbers a column: in the factors
 * where no rows are known, else in the scratch. */
static lrgd_status triangle(lr_residual_model *M, const double **R, size_t *ld)
{
  lrgd_status status = lr_residual_model_factor(M);
  *R = M->measured.R, *ld = M->measured.ld;
  if (status != LRGD_OK || M->given.n == 0) return status;
  size_t k = M->k, a = lr_updated_qr_rows(&M->measured);
  size_t b = lr_updated_qr_rows(&M->given), n = a + b;
  status = lr_damped_reserve(&M->damped, n, k);
  if (status != LRGD_OK) return status;
  double *A = M->damped.A;
  for (size_t j = 0; j < k; j++) {
    memcpy(A + j * n, M->measured.R + j * M->measured.ld, a * sizeof *A);
    memcpy(A + j * n + a, M->given.R + j * M->given.ld, b * sizeof *A);
  }
  lr_qr(n, k, A, n, NULL);
  *R = A, *ld = n;
  return LRGD_OK;
}

lrgd_status lr_residual_model_directions(lr_residual_model *M, double *W,
                                         double *s)
{
  const double *R;
  size_t k = M->k, n = M->m < k ? M->m : k, ld;
  if (M->dense_room < k) {
    lr_dense_destroy(&M->dense);
    M->dense = lr_dense_create(&M->allocator, M->room);
    if (!M->dense) return LRGD_ERR_NOMEM;
    M->dense_room = M->room;
  }
  lrgd_status status = triangle(M, &R, &ld);
  if (status != LRGD_OK) return status;
  memset(W, 0, k * k * sizeof *W);
  for (size_t j = 0; j < k; j++) /* R', whose left singular vectors they are */
    for (size_t i = 0; i <= j && i < n; i++) W[i * k + j] = R[j * ld + i];
  return lr_svd(M->dense, k, W, s);
}

lrgd_status lr_residual_model_new_directions(lr_residual_model *M, double **W)
{
  size_t k = M->k;
  *W = lr_alloc_raw(&M->allocator, k * k + k, sizeof **W);
  if (!*W) return LRGD_ERR_NOMEM;
  lrgd_status status = lr_residual_model_directions(M, *W, *W + k * k);
  if (status == LRGD_OK) return LRGD_OK;
  lr_free(&M->allocator, *W);
  *W = NULL;
  return status;
}

lrgd_status lr_residual_model_squares(lr_residual_model *M, double *C)
{
  const double *R;
  size_t k = M->k, n = M->m < k ? M->m : k, ld;
  lrgd_status status = triangle(M, &R, &ld);
  for (size_t j = 0; j < k && status == LRGD_OK; j++)
    for (size_t i = 0; i <= j; i++)
      C[i * k + j] = C[j * k + i] =
          lr_dot(i + 1 < n ? i + 1 : n, R + i * ld, R + j * ld);
  return status;
}

/* Moves the singular directions W of J with significant singular values to the
 * first columns of W.  Returns their number. */
static size_t keep_significant(lr_residual_model *M, double *W)
{
  size_t k = M->k, n = 0;
  double *s = W + k * k, unit = M->mass * M->c * M->c;
  for (size_t j = 0; j < k; j++) {
    double *w = W + j * k;
    double variance = unit * lr_residual_model_times_P(M, w, M->y);
    if (!lr_ls_is_significant(lr_policy_current(), s[j], s[0], variance))
      continue;
    memmove(W + n * k, w, k * sizeof *w);
    n++;
  }
  return n;
}

lrgd_status lr_residual_model_confined_step(lr_residual_model *M, double *z)
{
  double *W;
  lrgd_status status = lr_residual_model_new_directions(M, &W);
  if (status != LRGD_OK) return status;
  size_t n = keep_significant(M, W);
  if (n > 0 && n < M->k) {
    M->within = W, M->within_count = n;
    status = lr_residual_model_step(M, z);
    M->within = NULL;
  }
  lr_free(&M->allocator, W);
  return status;
}

lrgd_status lr_residual_model_stalest(lr_residual_model *M,
                                      bool significant_only, double *w,
                                      double *cost)
{
  const lr_policy *P = lr_policy_current();
  size_t k = M->k;
  double *W, *g = M->z;
  *cost = 0;
  lrgd_status status = lr_residual_model_new_directions(M, &W);
  if (status != LRGD_OK) return status;
  const double *s = W + k * k;
  lr_gemv_t(M->m, k, M->J, M->m, M->G, g);
  for (size_t j = 0; j < k; j++) {
    const double *v = W + j * k;
    double var = M->mass * M->c * M->c * lr_residual_model_times_P(M, v, M->y);
    if (significant_only && !lr_ls_is_significant(P, s[j], s[0], var)) continue;
    double s2 = s[j] * s[j], mu = M->mu + 1e-300;
    double uF = s[j] > 0 ? lr_dot(k, v, g) / s[j] : 0; /* J v = s u */
    double gone = s2 / (s2 + mu) - s2 / (s2 + mu + var);
    if (0.5 * uF * uF * gone <= *cost) continue;
    *cost = 0.5 * uF * uF * gone;
    memcpy(w, v, k * sizeof *w);
  }
  lr_free(&M->allocator, W);
  return LRGD_OK;
}
