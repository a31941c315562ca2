/* Gram and Schmidt's orthogonalisation, twice, for columns; Givens rotations
 * for matrices of rank one. */
#include "base/updated_qr.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "base/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

void lr_updated_qr_init(lr_updated_qr *U, size_t n, const lrgd_allocator *a)
{
  *U = (lr_updated_qr){.allocator = *a, .n = n};
}

void lr_updated_qr_clear(lr_updated_qr *U)
{
  if (!U->allocator.alloc) return;
  lr_free(&U->allocator, U->Q);
  lr_free(&U->allocator, U->R);
  lr_updated_qr_init(U, U->n, &U->allocator);
}

void lr_updated_qr_forget(lr_updated_qr *U)
{
  U->k = 0;
  U->updates = 0;
}

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

size_t lr_updated_qr_rows(const lr_updated_qr *U)
{
  return least(U->n, U->k);
}

/* Makes room for one more column. */
static lrgd_status reserve(lr_updated_qr *U)
{
  const lrgd_allocator *a = &U->allocator;
  size_t n = U->n, k = U->k, room = k < 8 ? 16 : 2 * k;
  if (k < U->room) return LRGD_OK;
  size_t ld = least(n, room) + 1, rows = lr_updated_qr_rows(U);
  double *Q = lr_alloc(a, n * ld, sizeof *Q);
  double *R = lr_alloc(a, ld * (room + 1), sizeof *R);
  if (!Q || !R) {
    lr_free(a, Q);
    lr_free(a, R);
    return LRGD_ERR_NOMEM;
  }
  if (rows > 0) memcpy(Q, U->Q, n * rows * sizeof *Q);
  for (size_t j = 0; j < k; j++)
    memcpy(R + j * ld, U->R + j * U->ld, rows * sizeof *R);
  lr_free(a, U->Q);
  lr_free(a, U->R);
  U->Q = Q, U->R = R, U->w = R + ld * room;
  U->ld = ld, U->room = room;
  return LRGD_OK;
}

/* Orthogonalises v against the first q columns of Q; adds its components along
 * them to c. */
static void leave(const lr_updated_qr *U, size_t q, double *v, double *c)
{
  for (int twice = 0; twice < 2; twice++)
    for (size_t i = 0; i < q; i++) {
      const double *column = U->Q + i * U->n;
      double d = lr_dot(U->n, column, v);
      lr_axpy(U->n, -d, column, v);
      c[i] += d;
    }
}

/* v becomes a unit vector orthogonal to the first q columns of Q, q < n: the
 * coordinate axis with the smallest part in their span, orthogonalised. */
static void any_outside(lr_updated_qr *U, size_t q, double *v)
{
  size_t best = 0, n = U->n;
  memset(v, 0, n * sizeof *v);
  for (size_t j = 0; j < q; j++)
    for (size_t i = 0; i < n; i++) v[i] += U->Q[j * n + i] * U->Q[j * n + i];
  for (size_t i = 1; i < n; i++)
    if (v[i] < v[best]) best = i;
  memset(v, 0, n * sizeof *v);
  v[best] = 1;
  for (size_t twice = 0; twice < 2; twice++)
    for (size_t j = 0; j < q; j++) {
      const double *column = U->Q + j * n;
      lr_axpy(n, -lr_dot(n, column, v), column, v);
    }
  lr_scale(n, 1 / lr_norm(n, v), v);
}

/* Appends a to the factorisation: its components along the first q columns of Q
 * are added to c, and column q becomes the unit vector of its part outside
 * them.  Returns the norm of that part, zero where it is below rounding, or so
 * small that its inverse overflows. */
static double extend(lr_updated_qr *U, size_t q, const double *a, double *c)
{
  double *v = U->Q + q * U->n, size = lr_norm(U->n, a);
  memcpy(v, a, U->n * sizeof *v);
  leave(U, q, v, c);
  if (q == U->n) return 0;
  double rest = lr_norm(U->n, v);
  if (rest > 16 * DBL_EPSILON * size && rest >= DBL_MIN) {
    lr_scale(U->n, 1 / rest, v);
    return rest;
  }
  any_outside(U, q, v);
  return 0;
}

lrgd_status lr_updated_qr_append(lr_updated_qr *U, const double *a)
{
  lrgd_status status = reserve(U);
  if (status != LRGD_OK) return status;
  size_t q = lr_updated_qr_rows(U);
  double *column = U->R + U->k * U->ld;
  memset(column, 0, U->ld * sizeof *column);
  column[q] = extend(U, q, a, column);
  U->k++;
  return LRGD_OK;
}

/* A rotation that takes (a, b) to (r, 0). */
typedef struct rotation {
  double c, s;
} rotation;

static rotation rotation_of(double a, double b)
{
  double r = lr_hypot(a, b);
  return r > 0 ? (rotation){a / r, b / r} : (rotation){1, 0};
}

static void rotate(rotation g, double *a, double *b)
{
  double x = *a, y = *b;
  *a = g.c * x + g.s * y;
  *b = g.c * y - g.s * x;
}

/* Rotates rows i and i + 1 of R, from column j on, and the same columns of Q.
 */
static void rotate_rows(lr_updated_qr *U, rotation g, size_t i, size_t j)
{
  double *a = U->Q + i * U->n, *b = a + U->n;
  for (size_t l = 0; l < U->n; l++) rotate(g, a + l, b + l);
  for (; j < U->k; j++)
    rotate(g, U->R + j * U->ld + i, U->R + j * U->ld + i + 1);
}

void lr_updated_qr_update(lr_updated_qr *U, const double *e, const double *K)
{
  size_t k = U->k, q = lr_updated_qr_rows(U), rows = q;
  double *w = U->w;
  if (k == 0) return;
  memset(w, 0, U->ld * sizeof *w);
  double rest = extend(U, q, e, w); /* e = Q w */
  if (q < U->n) w[rows++] = rest;
  for (size_t j = 0; j < k && rows > q; j++) U->R[j * U->ld + q] = 0;
  for (size_t i = rows - 1;
       i-- >
       0;) { /* rotates w, from its last entry upwards, onto the first axis */
    rotation g = rotation_of(w[i], w[i + 1]);
    rotate(g, w + i, w + i + 1);
    rotate_rows(U, g, i, i);
  }
  for (size_t j = 0; j < k; j++) U->R[j * U->ld] += w[0] * K[j];
  for (size_t i = 0; i + 1 < rows;
       i++) { /* R is upper Hessenberg now: makes it triangular again */
    double *column = U->R + i * U->ld;
    rotate_rows(U, rotation_of(column[i], column[i + 1]), i, i);
    column[i + 1] = 0;
  }
  U->updates++;
}

void lr_updated_qr_turn(const lr_updated_qr *U, const double *b, double *y)
{
  lr_gemv_t(U->n, lr_updated_qr_rows(U), U->Q, U->n, b, y);
}
