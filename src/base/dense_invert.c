/* The inverse of a symmetric matrix, definite or not: P A P' = L D L' with
 * pivots of one or two rows (Bunch and Kaufman, Math. Comp. 31, 1977), then
 * column after column of the inverse from the last, each from those before. */
#include "base/dense_work.h"
#include "base/finite.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

/* A matrix, of which the lower half is kept. */
typedef struct half {
  size_t n, ld;
  double *A;
} half;

static double *at(const half *h, size_t i, size_t j)
{
  return h->A + j * h->ld + i;
}

static size_t largest(size_t n, const double *x)
{
  size_t best = 0;
  for (size_t i = 1; i < n; i++)
    if (fabs(x[i]) > fabs(x[best])) best = i;
  return best;
}

/* The largest entry of row r off the diagonal, from column k on. */
static double largest_of_row(const half *h, size_t k, size_t r)
{
  double most = 0;
  for (size_t j = k; j < r; j++) most = fmax(most, fabs(*at(h, r, j)));
  for (size_t i = r + 1; i < h->n; i++) most = fmax(most, fabs(*at(h, i, r)));
  return most;
}

/* The row with which the pivot row is exchanged; *two: the pivot has two rows.
 * Returns n where column k is zero. */
static size_t choose_pivot(const half *h, size_t k, bool *two)
{
  static const double alpha = 0.6403882032022076; /* (1 + sqrt 17) / 8 */
  double here = fabs(*at(h, k, k));
  size_t r = k;
  *two = false;
  if (k + 1 < h->n) r = k + 1 + largest(h->n - k - 1, at(h, k + 1, k));
  double below = r > k ? fabs(*at(h, r, k)) : 0;
  if (!(fmax(here, below) > 0)) return h->n;
  if (here >= alpha * below) return k;
  double row = largest_of_row(h, k, r);
  if (here >= alpha * below * (below / row)) return k;
  *two = !(fabs(*at(h, r, r)) >= alpha * row);
  return r;
}

/* Exchanges rows and columns a < b of the matrix from column a on. */
static void exchange(half *h, size_t a, size_t b)
{
  if (a == b) return;
  lr_swap(h->n - b - 1, at(h, b + 1, a), at(h, b + 1, b));
  for (size_t i = a + 1; i < b; i++) lr_swap(1, at(h, i, a), at(h, b, i));
  lr_swap(1, at(h, a, a), at(h, b, b));
}

/* Turns column k, which is x / d, into a column of L, and updates the rest of
 * the matrix. */
static void eliminate_one(half *h, size_t k, double *x)
{
  size_t m = h->n - k - 1;
  double d = *at(h, k, k), *column = at(h, k + 1, k);
  if (m == 0) return;
  memcpy(x, column, m * sizeof *x);
  for (size_t i = 0; i < m; i++) column[i] /= d;
  for (size_t j = 0; j < m; j++)
    lr_axpy(m - j, -column[j], x + j, at(h, k + 1 + j, k + 1 + j));
}

/* Eliminates columns k and k + 1 by the inverse of their 2 x 2 block. */
static void eliminate_two(half *h, size_t k, double *x)
{
  if (k + 2 == h->n) return;
  size_t m = h->n - k - 2;
  double *u = at(h, k + 2, k), *v = at(h, k + 2, k + 1), *y = x + m;
  double b = *at(h, k + 1, k), p = *at(h, k + 1, k + 1) / b;
  double q = *at(h, k, k) / b, by = 1 / ((p * q - 1) * b);
  memcpy(x, u, m * sizeof *x);
  memcpy(y, v, m * sizeof *y);
  for (size_t i = 0; i < m; i++) {
    u[i] = by * (p * x[i] - y[i]);
    v[i] = by * (q * y[i] - x[i]);
  }
  const double *pair = x;
  for (size_t j = 0; j < m; j++) {
    double c[2] = {-u[j], -v[j]};
    lr_gemv(m - j, 2, pair + j, m, c, at(h, k + 2 + j, k + 2 + j));
  }
}

/* pivots[k]: the row with which row k was exchanged; plus n in both rows of a
 * pivot of two. */
static bool factorise(half *h, size_t *pivots, double *x)
{
  for (size_t k = 0; k < h->n;) {
    bool two;
    size_t r = choose_pivot(h, k, &two), row = two ? k + 1 : k;
    if (r == h->n) return false;
    exchange(h, row, r);
    if (two && r != row) lr_swap(1, at(h, row, k), at(h, r, k));
    if (two)
      eliminate_two(h, k, x);
    else
      eliminate_one(h, k, x);
    pivots[k] = two ? r + h->n : r;
    if (two) pivots[k + 1] = pivots[k];
    k = row + 1;
  }
  return true;
}

/* ---- the inverse ---- */

/* Column k below the diagonal becomes - (inverse of the rest) times it.
 * Returns what that adds to the diagonal. */
static double unfold(half *h, size_t k, size_t first, double *x)
{
  size_t m = h->n - first;
  double *column = at(h, first, k);
  if (m == 0) return 0;
  memcpy(x, column, m * sizeof *x);
  lr_symv(m, at(h, first, first), h->ld, x, column);
  for (size_t i = 0; i < m; i++) column[i] = -column[i];
  return -lr_dot(m, x, column);
}

static void unfold_two(half *h, size_t k, double *x)
{
  double b = *at(h, k + 1, k), size = fabs(b), sign = b / size;
  double p = *at(h, k, k) / size, q = *at(h, k + 1, k + 1) / size;
  double d = size * (p * q - 1);
  size_t m = h->n - k - 2;
  *at(h, k, k) = q / d;
  *at(h, k + 1, k + 1) = p / d;
  *at(h, k + 1, k) = -sign / d;
  *at(h, k + 1, k + 1) += unfold(h, k + 1, k + 2, x);
  if (m > 0)
    *at(h, k + 1, k) -= lr_dot(m, at(h, k + 2, k + 1), at(h, k + 2, k));
  *at(h, k, k) += unfold(h, k, k + 2, x);
}

static void unfold_all(half *h, const size_t *pivots, double *x)
{
  for (size_t end = h->n; end > 0;) {
    size_t k = end - 1, r = pivots[k];
    bool two = r >= h->n;
    if (two) {
      k--;
      r -= h->n;
      unfold_two(h, k, x);
      exchange(h, k + 1, r);
      if (r != k + 1) lr_swap(1, at(h, k + 1, k), at(h, r, k));
    } else {
      *at(h, k, k) = 1 / *at(h, k, k);
      *at(h, k, k) += unfold(h, k, k + 1, x);
      exchange(h, k, r);
    }
    end = k;
  }
}

lrgd_status lr_invert(lr_dense *w, size_t m, double *A, size_t ld)
{
  if (m > w->n) return LRGD_ERR_INVALID;
  half h = {m, ld, A};
  for (size_t j = 0; j < m; j++)
    if (!lr_all_finite(at(&h, j, j), m - j)) return LRGD_ERR_NUMERIC;
  if (!factorise(&h, w->order, w->vector)) return LRGD_ERR_NUMERIC;
  unfold_all(&h, w->order, w->vector);
  return LRGD_OK;
}
