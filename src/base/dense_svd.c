/* Singular values and left singular vectors by one-sided Jacobi rotations of a
 * matrix that two QR factorisations have made nearly diagonal (Drmac and
 * Veselic, SIAM J. Matrix Anal. Appl. 29, 2008):
 *
 *   P A P' = Q R, rows sorted and columns pivoted;  R' = Q2 X', so R = X Q2';
 *   X V = U S by rotations of the columns of X, and A = (P'Q U) S (...)'.
 *
 * Rotations change columns relative to their own lengths, which is why small
 * singular values are as accurate as large ones. */
#include "base/dense_work.h"
#include "base/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- QR ---- */

/* Sorts the rows of A by their largest entries, large ones first: reflections
 * then leave the small ones their digits (Cox and Higham, 1998). */
static void sort_rows(lr_dense *w, size_t m, double *A)
{
  double *largest = w->vector, *column = largest + m;
  size_t *order = w->order;
  memset(largest, 0, m * sizeof *largest);
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < m; i++)
      largest[i] = fmax(largest[i], fabs(A[j * m + i]));
  for (size_t i = 0; i < m; i++) {
    size_t at = i;
    for (; at > 0 && largest[order[at - 1]] < largest[i]; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  for (size_t j = 0; j < m; j++) {
    memcpy(column, A + j * m, m * sizeof *column);
    for (size_t i = 0; i < m; i++) A[j * m + i] = column[order[i]];
  }
}

/* A = (I - tau v v') A for `columns` columns of n numbers. */
static void reflect_rest(size_t n, size_t columns, const double *v, double tau,
                         double *A, size_t ld, double *c)
{
  lr_gemv_t(n, columns, A, ld, v, c);
  for (size_t j = 0; j < columns; j++) lr_axpy(n, -tau * c[j], v, A + j * ld);
}

/* Updates the length of a column below an entry; computes it anew where half of
 * its digits were lost (Drmac and Bujanovic, ACM Trans. Math. Softw. 35,
 * 2008). */
static void shorten(size_t n, const double *column, double entry, double *left,
                    double *exact)
{
  double t = *left > 0 ? fabs(entry) / *left : 1, u = *left / *exact;
  double rest = fmax((1 + t) * (1 - t), 0);
  if (*left > 0 && rest * u * u > 1e-8) {
    *left *= sqrt(rest);
    return;
  }
  *left = *exact = lr_norm(n, column);
}

/* Pivoted QR of the m x m matrix A: reflections are stored below the diagonal,
 * and the diagonal in r.  Returns the rank. */
static size_t pivoted_qr(size_t m, double *A, double *tau, double *r, double *c,
                         double *left, double *exact)
{
  for (size_t j = 0; j < m; j++) left[j] = exact[j] = lr_norm(m, A + j * m);
  for (size_t k = 0; k < m; k++) {
    size_t best = k;
    for (size_t j = k + 1; j < m; j++)
      if (left[j] > left[best]) best = j;
    if (!(left[best] > 0)) return k;
    if (best != k) lr_swap(m, A + k * m, A + best * m);
    left[best] = left[k];
    exact[best] = exact[k];
    double *v = A + k * m + k;
    tau[k] = lr_reflection(m - k, v, r + k);
    reflect_rest(m - k, m - k - 1, v, tau[k], v + m, m, c);
    for (size_t j = k + 1; j < m; j++)
      shorten(m - k - 1, A + j * m + k + 1, A[j * m + k], left + j, exact + j);
  }
  return m;
}

/* S = R', m x k: row i of R is r[i] and what is right of the diagonal. */
static void transpose(lr_dense *w, size_t m, size_t k, const double *A,
                      const double *r)
{
  for (size_t j = 0; j < k; j++) {
    double *to = w->S + j * w->ld;
    memset(to, 0, j * sizeof *to);
    to[j] = r[j];
    for (size_t i = j + 1; i < m; i++) to[i] = A[i * m + j];
  }
}

/* S, m x k, becomes X, k x k: the transpose of its triangular factor. */
static void lower_factor(lr_dense *w, size_t m, size_t k, double *c)
{
  double *S = w->S;
  size_t ld = w->ld;
  for (size_t j = 0; j < k; j++) {
    double *v = S + j * ld + j, beta;
    double tau = lr_reflection(m - j, v, &beta);
    reflect_rest(m - j, k - j - 1, v, tau, v + ld, ld, c);
    v[0] = beta;
  }
  for (size_t j = 0; j < k; j++)
    for (size_t i = j + 1; i < k; i++) {
      S[j * ld + i] = S[i * ld + j];
      S[i * ld + j] = 0;
    }
}

/* ---- rotations ---- */

typedef struct jacobi {
  double *X;
  size_t n, ld;
  /* n rounded up to a multiple of the lanes of an inner product; the rows
   * beyond n are zero */
  size_t rows;
  double *square; /* squares of the columns' lengths */
  double *spare;  /* 2 n numbers */
  double *gamma;  /* inner products of the pairs that are rotated together */
  bool still;     /* the present sweep has not rotated anything */
} jacobi;

/* Below this ratio of squared lengths, that is for columns shorter than 1e-60
 * of the longest, squares and products may underflow. */
static const double short_square = 1e-120;

static double *column(const jacobi *J, size_t j)
{
  return J->X + j * J->ld;
}

/* The rotation that makes columns orthogonal whose squares are a and b and
 * whose inner product is g, the longer one coming first.  Returns what the
 * square of that one grows by, and that of the other shrinks. */
static inline double find_rotation(double a, double b, double g, double *c,
                                   double *s)
{
  double d = b - a, root = sqrt(d * d + 4 * g * g);
  double t = 2 * g / (fabs(d) + root), cosine = 1 / sqrt(1 + t * t);
  /* a further quarter turn, so that the longer column comes first */
  *c = d > 0 ? t * cosine : cosine;
  *s = d > 0 ? -cosine : -(t * cosine);
  return fabs(t * g);
}

/* Column j scaled by a power of two to a length near 1. */
static double *unit_column(const jacobi *J, size_t j, double norm, double *to)
{
  int e = ilogb(norm);
  for (size_t i = 0; i < J->n; i++) to[i] = scalbn(column(J, j)[i], -e);
  return to;
}

/* A pair of which one is short: columns are scaled before they are multiplied,
 * and the rotation is found from their lengths' ratio. */
static void rotate_short(jacobi *J, size_t p, size_t q, double tolerance)
{
  double a = lr_norm(J->n, column(J, p)), b = lr_norm(J->n, column(J, q));
  double most = a > b ? a : b, least = a > b ? b : a, c, s;
  if (!(least > 0)) return;
  const double *x = unit_column(J, p, a, J->spare);
  const double *y = unit_column(J, q, b, J->spare + J->n);
  double cosine = lr_dot(J->n, x, y) / lr_norm(J->n, x) / lr_norm(J->n, y);
  if (!(fabs(cosine) > tolerance)) return;
  double ratio = least / most, tiny = ratio < 1e-9 ? ratio * cosine : 0;
  (void)find_rotation(a / most * (a / most), b / most * (b / most),
                      cosine * ratio, &c, &s);
  if (tiny !=
      0) { /* 1 / ratio^2 would overflow: use the first term of its series */
    c = a < b ? tiny : 1;
    s = a < b ? -1 : -tiny;
  }
  lr_rotate(J->n, column(J, p), column(J, q), c, s);
  J->square[p] = lr_dot(J->n, column(J, p), column(J, p));
  J->square[q] = lr_dot(J->n, column(J, q), column(J, q));
  J->still = false;
}

/* Rotates columns p < q, whose inner product is g. */
static void rotate_pair(jacobi *J, size_t p, size_t q, double g,
                        double tolerance)
{
  double a = J->square[p], b = J->square[q], c, s;
  if (!(a > short_square && b > short_square)) {
    rotate_short(J, p, q, tolerance);
    return;
  }
  if (!(g * g > tolerance * tolerance * a * b)) return;
  double more = find_rotation(a, b, g, &c, &s);
  lr_rotate(J->rows, column(J, p), column(J, q), c, s);
  J->square[p] = (b > a ? b : a) + more;
  J->square[q] = (b > a ? a : b) - more;
  J->still = false;
}

/* Rotates all pairs with p + q = level.  No column is in two of these pairs, so
 * that they are independent, and a sweep over all levels gives the result of a
 * sweep by rows. */
static void rotate_level(jacobi *J, size_t level, double tolerance)
{
  size_t first = level < J->n ? 0 : level - J->n + 1, end = (level + 1) / 2;
  for (size_t p = first; p < end; p++)
    J->gamma[p - first] = lr_dot(J->rows, column(J, p), column(J, level - p));
  for (size_t p = first; p < end; p++)
    rotate_pair(J, p, level - p, J->gamma[p - first], tolerance);
}

static void measure(jacobi *J)
{
  for (size_t j = 0; j < J->n; j++)
    J->square[j] = lr_dot(J->rows, column(J, j), column(J, j));
}

/* Sweeps until all columns are orthogonal; some four to nine are usual. */
static bool orthogonalise(jacobi *J)
{
  double tolerance = sqrt((double)J->n) * DBL_EPSILON;
  for (size_t j = 0; j < J->n; j++)
    memset(column(J, j) + J->n, 0, (J->rows - J->n) * sizeof *J->X);
  for (int sweeps = 0; sweeps < 60; sweeps++) {
    J->still = true;
    measure(J);
    for (size_t level = 1; level + 2 < 2 * J->n; level++)
      rotate_level(J, level, tolerance);
    if (J->still) return true;
  }
  return J->n < 2;
}

/* ---- vectors ---- */

/* x = the first unit vector that is not nearly in the span of j columns, less
 * its part in it. */
static void complete(jacobi *J, size_t j)
{
  double *x = column(J, j), *c = J->spare, least = 0.5 / (double)J->n;
  for (size_t i = 0; i < J->n; i++) {
    memset(x, 0, J->n * sizeof *x);
    x[i] = 1;
    for (int pass = 0; pass < 2; pass++) {
      lr_gemv_t(J->n, j, J->X, J->ld, x, c);
      for (size_t l = 0; l < j; l++) c[l] = -c[l];
      lr_gemv(J->n, j, J->X, J->ld, c, x);
    }
    double norm = lr_norm(J->n, x);
    if (norm * norm < least) continue;
    for (size_t l = 0; l < J->n; l++) x[l] /= norm;
    return;
  }
}

/* Exchanges column p with the longest of the columns p, p + 1, ... */
static void bring_longest(jacobi *J, double *norm, size_t p)
{
  size_t best = p;
  for (size_t j = p + 1; j < J->n; j++)
    if (norm[j] > norm[best]) best = j;
  if (best == p) return;
  lr_swap(J->n, column(J, p), column(J, best));
  lr_swap(1, norm + p, norm + best);
}

/* Columns of X over their lengths, which are the singular values, descending;
 * X is filled up to m x m with the identity. */
static void finish(jacobi *J, size_t m, double *s)
{
  for (size_t j = 0; j < J->n; j++) s[j] = lr_norm(J->n, column(J, j));
  for (size_t p = 0; p < J->n; p++) {
    double *x = column(J, p);
    bring_longest(J, s, p);
    if (s[p] > 0)
      for (size_t i = 0; i < J->n; i++) x[i] /= s[p];
    else
      complete(J, p);
    memset(x + J->n, 0, (m - J->n) * sizeof *x);
  }
  for (size_t j = J->n; j < m; j++) {
    memset(column(J, j), 0, m * sizeof *J->X);
    column(J, j)[j] = 1;
    s[j] = 0;
  }
}

/* A = P'Q S, with the rows in their original order. */
static void put_back(lr_dense *w, size_t m, double *A)
{
  for (size_t j = 0; j < m; j++) {
    for (size_t i = 0; i < m; i++) A[j * m + w->order[i]] = w->S[j * w->ld + i];
    lr_turn_positive(m, A + j * m);
  }
}

lrgd_status lr_svd(lr_dense *w, size_t m, double *R, double *s)
{
  if (m > w->n) return LRGD_ERR_INVALID;
  double scale = lr_scale_down(R, m * m);
  if (scale < 0) return LRGD_ERR_NUMERIC;
  if (!(scale > 0)) {
    for (size_t i = 0; i < m; i++) s[i] = 0;
    lr_set_identity(R, m, m);
    return LRGD_OK;
  }
  double *tau = w->vector, *a = tau + m, *b = a + m, *c = b + m, *d = c + m;
  sort_rows(w, m, R);
  size_t k = pivoted_qr(m, R, tau, a, b, c, d);
  transpose(w, m, k, R, a);
  lower_factor(w, m, k, b);
  jacobi J = {.X = w->S, .n = k, .ld = w->ld, .rows = (k + 7) / 8 * 8};
  J.square = a;
  J.spare = b;
  J.gamma = d;
  if (!orthogonalise(&J)) return LRGD_ERR_NUMERIC;
  finish(&J, m, s);
  lr_reflect(m, k, R, m, tau, m, w->S, w->ld, false);
  put_back(w, m, R);
  lr_scale_up(s, m, scale);
  return LRGD_OK;
}
