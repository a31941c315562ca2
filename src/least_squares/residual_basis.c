/* Changes of the basis V of a model of residuals: to a part of its span, to the
 * axes, and of the lengths of these. */
#include "base/memory.h"
#include "base/vector.h"
#include "least_squares/residual_model.h"

#include <string.h>

/* The first n columns of A, rows x k with leading dimension ld, become A W;
 * room: rows x n numbers of scratch. */
static void times(size_t rows, size_t k, double *A, size_t ld, const double *W,
                  size_t n, double *room)
{
  lr_gemm(rows, n, k, A, ld, W, room, rows);
  lr_copy_columns(rows, n, room, rows, A, ld);
}

lrgd_status lr_residual_model_restrict(lr_residual_model *M, const double *W,
                                       size_t n)
{
  const lrgd_allocator *a = &M->allocator;
  size_t p = M->p, m = M->m, k = M->k, most = m > p ? m : p;
  double *room = lr_alloc_raw(a, (most > k ? most : k) * n, sizeof *room);
  if (!room) return LRGD_ERR_NOMEM;
  times(p, k, M->V, p, W, n, room);
  times(m, k, M->J, m, W, n, room);
  times(k, k, M->P, M->room, W, n, room); /* P W, then W'(P W) */
  for (size_t j = 0; j < n; j++)
    lr_gemv_t(k, n, W, k, M->P + j * M->room, room + j * n);
  lr_copy_columns(n, n, room, n, M->P, M->room);
  lr_bends_turn(&M->bends, k, W, n, room);
  lr_free(a, room);
  M->k = n;
  lr_residual_model_rewritten(M);
  for (size_t j = 0; j < n; j++) M->size[j] = lr_norm(M->n, M->J + j * m);
  return LRGD_OK;
}

/* W = A V', A being n x p with leading dimension ld. */
static void times_transpose(size_t n, size_t p, const double *A, size_t ld,
                            const double *V, double *W)
{
  for (size_t i = 0; i < p; i++) {
    memset(W + i * n, 0, n * sizeof *W);
    for (size_t j = 0; j < p; j++)
      lr_axpy(n, V[j * p + i], A + j * ld, W + i * n);
  }
}

lrgd_status lr_residual_model_turn(lr_residual_model *M)
{
  const lrgd_allocator *a = &M->allocator;
  size_t p = M->p, m = M->m, most = m > p ? m : p;
  double *W = lr_alloc_raw(a, most * p, sizeof *W);
  if (!W) return LRGD_ERR_NOMEM;
  times_transpose(m, p, M->J, m, M->V, W); /* J V' */
  memcpy(M->J, W, m * p * sizeof *W);
  times_transpose(p, p, M->P, M->room, M->V, W); /* V P V' */
  for (size_t j = 0; j < p; j++)
    for (size_t i = 0; i < p; i++) M->P[i * M->room + j] = W[j * p + i];
  times_transpose(p, p, M->P, M->room, M->V, W);
  lr_copy_columns(p, p, W, p, M->P, M->room);
  lr_bends_forget(&M->bends);
  lr_free(a, W);
  lr_residual_model_rewritten(M);
  memset(M->V, 0, p * p * sizeof *M->V);
  for (size_t j = 0; j < p; j++) {
    M->V[j * p + j] = 1;
    M->size[j] = lr_norm(M->n, M->J + j * m);
  }
  return LRGD_OK;
}

void lr_residual_model_stretch(lr_residual_model *M, const double *scale)
{
  lr_bends_stretch(&M->bends, M->k, scale);
  for (size_t j = 0; j < M->k; j++) {
    lr_scale(M->m, scale[j], M->J + j * M->m);
    M->size[j] *= scale[j];
    for (size_t i = 0; i < M->k; i++)
      M->P[j * M->room + i] *= scale[i] * scale[j];
  }
  lr_residual_model_rewritten(M);
}
