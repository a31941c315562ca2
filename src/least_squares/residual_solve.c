/* The step of the model of residuals: damped linear least squares, repeated
 * where a loss weighs the residuals or there are terms of curvature. */
#include "least_squares/residual_model.h"

#include "base/memory.h"
#include "base/vector.h"
#include "least_squares/least_squares_rules.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Writes the rows of scale L', P = L L', below row n of the k columns of A:
 * Cholesky's factor, a pivot that rounding made negative counting as zero. */
static void stack_root(lr_residual_model *M, size_t n, double scale)
{
  size_t k = M->k, ld = n + k;
  double *A = M->damped.A + n;
  for (size_t j = 0; j < k; j++) { /* column j of L' is row j of L */
    double *column = A + j * ld;
    for (size_t i = 0; i <= j; i++) {
      const double *other = A + i * ld;
      double sum = M->P[j * M->room + i] - lr_dot(i, other, column);
      if (i < j)
        column[i] = other[i] > 0 ? sum / other[i] : 0;
      else
        column[i] = sum > 0 ? sqrt(sum) : 0;
    }
    memset(column + j + 1, 0, (k - j - 1) * sizeof *column);
  }
  for (size_t j = 0; j < k; j++) lr_scale(j + 1, scale, A + j * ld);
}

/* Copies R, and Q'F, to row `first` of the k columns of A, ld numbers each, and
 * of b; returns the rows. */
static size_t stack_triangle(const lr_updated_qr *U, const double *F,
                             size_t first, double *A, size_t ld, double *b)
{
  size_t rows = lr_updated_qr_rows(U);
  for (size_t j = 0; j < U->k; j++)
    memcpy(A + j * ld + first, U->R + j * U->ld, rows * sizeof *A);
  if (rows > 0) lr_updated_qr_turn(U, F, b + first);
  return rows;
}

/* Fills the stacked equations with J factored again, at a point z0 where the
 * terms of curvature change J, or with weights, which change from step to step.
 */
static lrgd_status stack_anew(lr_residual_model *M, const double *z0,
                              size_t *rows)
{
  size_t k = M->k, m = M->m, n = m < k ? m : k, ld = n + k;
  lrgd_status status = lr_damped_reserve(&M->damped, m + k, k);
  if (status != LRGD_OK) return status;
  double *A = M->damped.A;
  memcpy(A, M->J, m * k * sizeof *A);
  memcpy(M->b, M->F, m * sizeof *A);
  if (z0) lr_bends_linearise(&M->bends, k, z0, A, M->b);
  for (size_t i = 0; M->weight && i < m; i++) {
    M->b[i] *= M->weight[i];
    for (size_t j = 0; j < k; j++) A[j * m + i] *= M->weight[i];
  }
  lr_qr(m, k, A, m, M->b);
  /* columns move towards the front: ascending order; else descending */
  if (ld <= m)
    for (size_t j = 0; j < k; j++)
      memmove(A + j * ld, A + j * m, n * sizeof *A);
  else
    for (size_t j = k; j-- > 0;) memmove(A + j * ld, A + j * m, n * sizeof *A);
  for (size_t j = 0; j + 1 < n; j++)
    memset(A + j * ld + j + 1, 0, (n - j - 1) * sizeof *A);
  memset(M->b + n, 0, k * sizeof *M->b);
  stack_root(M, n, sqrt(M->mass) * M->c);
  *rows = ld;
  return LRGD_OK;
}

/* Fills the stacked equations [J; sqrt(n) c P^(1/2)] z = -[F; 0], with
 * triangular factors instead of J. */
static lrgd_status stack(lr_residual_model *M, const double *z0, size_t *rows)
{
  if (M->weight || z0) return stack_anew(M, z0, rows);
  lrgd_status status = lr_residual_model_factor(M);
  if (status != LRGD_OK) return status;
  size_t k = M->k, n = lr_updated_qr_rows(&M->measured) +
                       (M->given.n > 0 ? lr_updated_qr_rows(&M->given) : 0);
  status = lr_damped_reserve(&M->damped, n + k, k);
  if (status != LRGD_OK) return status;
  double *A = M->damped.A;
  size_t half = stack_triangle(&M->measured, M->F, 0, A, n + k, M->b);
  if (M->given.n > 0)
    (void)stack_triangle(&M->given, M->F + M->n, half, A, n + k, M->b);
  memset(M->b + n, 0, k * sizeof *M->b);
  stack_root(M, n, sqrt(M->mass) * M->c);
  *rows = n + k;
  return LRGD_OK;
}

/* Finds mu = q |z(mu)|^2 by bisection of its logarithm; ends at once where the
 * equations contain a NaN. */
static double balance(lr_damped *s, double q)
{
  double size2 = s->largest * s->largest;
  double low = 1e-26 * size2 + 1e-300,
         high = fmin(fmax(4 * low, 1e8 * size2), DBL_MAX);
  while (high > low && !lr_ls_damping_found(lr_policy_current(), low, high)) {
    double mu = sqrt(low) * sqrt(high);
    if (q * lr_damped_norm2(s, mu) > mu)
      low = mu;
    else
      high = mu;
  }
  return high;
}

/* Replaces the columns of the stacked equations by the combinations to which
 * the step is restricted. */
static lrgd_status combine(lr_residual_model *M, size_t rows)
{
  size_t n = M->within_count;
  double *A = M->damped.A;
  double *room = lr_alloc_raw(&M->allocator, rows * n, sizeof *room);
  if (!room) return LRGD_ERR_NOMEM;
  lr_gemm(rows, n, M->k, A, rows, M->within, room, rows);
  memcpy(A, room, rows * n * sizeof *A);
  lr_free(&M->allocator, room);
  return LRGD_OK;
}

static lrgd_status solve_step(lr_residual_model *M, const double *z0, double *z)
{
  size_t rows = 0;
  lrgd_status status = stack(M, z0, &rows);
  if (status == LRGD_OK && M->within) status = combine(M, rows);
  if (status != LRGD_OK) return status;
  size_t n = M->within ? M->within_count : M->k;
  lr_damped_factor(&M->damped, rows, n, M->b);
  M->mu = balance(&M->damped, 0.5 * M->mass * M->c * M->c);
  lr_damped_solve(&M->damped, M->mu, M->within ? M->y : z);
  if (!M->within) return LRGD_OK;
  memset(z, 0, M->k * sizeof *z);
  lr_gemv(M->k, n, M->within, M->k, M->y, z);
  return LRGD_OK;
}

/* With a loss, the weights are those of the residuals after the step; with
 * terms of curvature, J is that of the model after the step: Gauss-Newton steps
 * are repeated until the model's f no longer decreases. */
lrgd_status lr_residual_model_step(lr_residual_model *M, double *z)
{
  const lr_policy *P = lr_policy_current();
  lrgd_status status = solve_step(M, NULL, z);
  if ((!M->weight && M->bends.count == 0) || status != LRGD_OK) return status;
  double best = 0, promised = lr_residual_model_promise(M, z, M->r);
  memset(M->z, 0, M->k * sizeof *z);
  for (unsigned times = 0; lr_ls_reweighs(P, times); times++) {
    for (unsigned half = 0; lr_ls_reweighs(P, half) && promised <= best;
         half++) {
      for (size_t j = 0; j < M->k; j++) z[j] = 0.5 * (z[j] + M->z[j]);
      promised = lr_residual_model_promise(M, z, M->r);
    }
    if (!(promised > best)) break;
    bool better = lr_ls_weights_help(P, promised, best);
    best = promised;
    memcpy(M->z, z, M->k * sizeof *z);
    if (!better) break;
    if (M->weight) lr_residual_model_weigh(M, M->r);
    status = solve_step(M, M->bends.count > 0 ? M->z : NULL, z);
    if (status != LRGD_OK) return status;
    promised = lr_residual_model_promise(M, z, M->r);
  }
  memcpy(z, M->z, M->k * sizeof *z);
  if (M->weight) lr_residual_model_weigh(M, M->F);
  return status;
}
