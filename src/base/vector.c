/* Inner products in eight partial sums, linear combinations column after
 * column, by blocks of rows that stay in the cache.  Results do not depend on
 * how rows and columns are grouped. */
#include "base/vector.h"

#include "base/finite.h"
#include "base/wide.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
  LANES = 8, /* partial sums of every inner product */
  /* columns that are processed together, so that a vector is loaded once for
   * all of them */
  GROUP = 4,
  /* rows of a block: the part of a vector in it stays in the level-2 cache */
  ROWS = 8192,
  /* the same where few columns are read: in the level-1 cache */
  FEW_ROWS = 1024,
  /* rows of a block to which several columns are added at a time */
  PANEL = 256,
  COLUMNS = 64, /* columns whose partial sums are stored at a time */
};

LR_INSIDE double fold(const double *s)
{
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

#define REAL double
#define NAME(verb) verb##_double
#include "base/vector_kernels.h"

#define REAL float
#define NAME(verb) verb##_float
#include "base/vector_kernels.h"

/* ---- vectors ---- */

double lr_dot(size_t n, const double *x, const double *y)
{
  return dot_one_double(n, x, y);
}

double lr_dot_float(size_t n, const float *x, const float *y)
{
  return dot_one_float(n, x, y);
}

void lr_axpy(size_t n, double a, const double *x, double *y)
{
  add_one_double(n, x, a, y);
}

void lr_scale(size_t n, double a, double *x)
{
  for (size_t i = 0; i < n; i++) x[i] *= a;
}

void lr_scale_float(size_t n, double a, float *x)
{
  for (size_t i = 0; i < n; i++) x[i] = (float)(a * (double)x[i]);
}

/* The norm of x scaled by a power of two near its largest entry. */
static double scaled_norm(size_t n, const double *x)
{
  double largest = 0, sum = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
  if (!(largest > 0)) return 0;
  int e = ilogb(largest);
  for (size_t i = 0; i < n; i++) {
    double t = scalbn(x[i], -e);
    sum += t * t;
  }
  return fmin(scalbn(sqrt(sum), e), DBL_MAX);
}

double lr_norm(size_t n, const double *x)
{
  /* above 1e-280 the sum of squares has lost no digits to underflow */
  double squares = lr_dot(n, x, x);
  if (lr_finite(squares) && squares > 1e-280) return sqrt(squares);
  return lr_all_finite(x, n) ? scaled_norm(n, x) : squares;
}

LR_WIDE static void rotate(size_t n, double *restrict x, double *restrict y,
                           double c, double s)
{
  for (size_t i = 0; i < n; i++) {
    double a = x[i], b = y[i];
    x[i] = c * a - s * b;
    y[i] = s * a + c * b;
  }
}

void lr_rotate(size_t n, double *x, double *y, double c, double s)
{
  rotate(n, x, y, c, s);
}

void lr_swap(size_t n, double *x, double *y)
{
  for (size_t i = 0; i < n; i++) {
    double t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

/* ---- a matrix and a vector ---- */

void lr_gemv_t(size_t n, size_t k, const double *U, size_t ld, const double *g,
               double *c)
{
  dot_all_double(n, k, U, ld, g, c);
}

void lr_gemv_t_float(size_t n, size_t k, const float *U, size_t ld,
                     const float *g, double *c)
{
  dot_all_float(n, k, U, ld, g, c);
}

void lr_gemv(size_t n, size_t k, const double *U, size_t ld, const double *c,
             double *y)
{
  size_t rows = k > GROUP ? ROWS : n;
  if (k == 0) return; /* U may be NULL then */
  for (size_t i = 0; i < n; i += rows) {
    size_t m = n - i < rows ? n - i : rows;
    add_columns_double(m, k, U + i, ld, c, y + i);
  }
}

/* The sign of the result is set where x is not finite: an exponent of ones
 * carries into it. */
LR_INSIDE uint64_t overflown(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (bits & UINT64_C(0x7ff) << 52) + (UINT64_C(1) << 52);
}

LR_WIDE static bool finite(size_t n, const double *y)
{
  uint64_t any = 0;
  for (size_t i = 0; i < n; i++) any |= overflown(y[i]);
  return any >> 63 == 0;
}

/* y = x + a u; whether y is finite. */
LR_WIDE static bool axpy_from(size_t n, const double *restrict x, double a,
                              const double *restrict u, double *restrict y)
{
  uint64_t any = 0;
  for (size_t i = 0; i < n; i++) {
    y[i] = x[i] + a * u[i];
    any |= overflown(y[i]);
  }
  return any >> 63 == 0;
}

bool lr_gemv_from(size_t n, size_t k, const double *x, const double *U,
                  size_t ld, const double *c, double *y)
{
  size_t rows = k > GROUP ? ROWS : FEW_ROWS;
  bool all = true;
  if (k == 1) return axpy_from(n, x, *c, U, y);
  for (size_t i = 0; i < n; i += rows) {
    size_t m = n - i < rows ? n - i : rows;
    memcpy(y + i, x + i, m * sizeof *y);
    if (k > 0) add_columns_double(m, k, U + i, ld, c, y + i);
    all &= finite(m, y + i);
  }
  return all;
}

/* y += U c on at most PANEL rows; the sum is rounded once. */
static void add_floats(size_t n, size_t k, const float *U, size_t ld,
                       const double *c, float *y)
{
  double sum[PANEL];
  for (size_t i = 0; i < n; i++) sum[i] = (double)y[i];
  add_columns_float(n, k, U, ld, c, sum);
  for (size_t i = 0; i < n; i++) y[i] = (float)sum[i];
}

void lr_gemv_float(size_t n, size_t k, const float *U, size_t ld,
                   const double *c, float *y)
{
  for (size_t i = 0; i < n; i += PANEL) {
    size_t m = n - i < PANEL ? n - i : PANEL;
    add_floats(m, k, U + i, ld, c, y + i);
  }
}

void lr_gemm(size_t n, size_t m, size_t k, const double *U, size_t ldu,
             const double *C, double *W, size_t ldw)
{
  for (size_t i = 0; i < n; i += PANEL) {
    size_t rows = n - i < PANEL ? n - i : PANEL;
    for (size_t j = 0; j < m; j++) {
      memset(W + j * ldw + i, 0, rows * sizeof *W);
      add_columns_double(rows, k, U + i, ldu, C + j * k, W + j * ldw + i);
    }
  }
}

void lr_gemm_float(size_t n, size_t m, size_t k, const float *U, size_t ldu,
                   const double *C, float *W, size_t ldw)
{
  for (size_t i = 0; i < n; i += PANEL) {
    size_t rows = n - i < PANEL ? n - i : PANEL;
    for (size_t j = 0; j < m; j++) {
      memset(W + j * ldw + i, 0, rows * sizeof *W);
      add_floats(rows, k, U + i, ldu, C + j * k, W + j * ldw + i);
    }
  }
}

/* ---- symmetric matrices ---- */

/* y += A x for the rows below the diagonal block of GROUP columns, and the
 * partial sums of A'x for these columns: one pass over A serves both halves of
 * a symmetric matrix. */
LR_WIDE static void symv_group(size_t n, const double *restrict A, size_t ld,
                               const double *restrict c,
                               const double *restrict x, double *restrict y,
                               double *restrict sum)
{
  const double *a0 = A, *a1 = A + ld, *a2 = a1 + ld, *a3 = a2 + ld;
  double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  double s[GROUP][LANES] = {{0}};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t j = 0; j < GROUP; j++)
      for (size_t l = 0; l < LANES; l++)
        s[j][l] += A[j * ld + i + l] * x[i + l];
    for (size_t l = 0; l < LANES; l++)
      y[i + l] =
          (((y[i + l] + c0 * a0[i + l]) + c1 * a1[i + l]) + c2 * a2[i + l]) +
          c3 * a3[i + l];
  }
  for (size_t j = 0; j < GROUP; j++)
    for (size_t l = 0; l < LANES; l++) sum[j * LANES + l] = s[j][l];
  for (size_t l = 0; i < n; i++, l++)
    for (size_t j = 0; j < GROUP; j++) {
      sum[j * LANES + l] += A[j * ld + i] * x[i];
      y[i] += c[j] * A[j * ld + i];
    }
}

/* y += A x for k columns within their triangle. */
static void symv_triangle(size_t k, const double *A, size_t ld, const double *x,
                          double *y)
{
  for (size_t j = 0; j < k; j++) {
    y[j] += A[j * ld + j] * x[j];
    for (size_t i = j + 1; i < k; i++) {
      y[i] += A[j * ld + i] * x[j];
      y[j] += A[j * ld + i] * x[i];
    }
  }
}

void lr_symv(size_t n, const double *A, size_t ld, const double *x, double *y)
{
  double sum[GROUP * LANES];
  size_t j = 0;
  memset(y, 0, n * sizeof *y);
  for (; j + GROUP <= n; j += GROUP) {
    const double *D = A + j * ld + j; /* the diagonal block */
    size_t below = j + GROUP;
    symv_triangle(GROUP, D, ld, x + j, y + j);
    symv_group(n - below, D + GROUP, ld, x + j, x + below, y + below, sum);
    for (size_t i = 0; i < GROUP; i++) y[j + i] += fold(sum + i * LANES);
  }
  symv_triangle(n - j, A + j * ld + j, ld, x + j, y + j);
}

void lr_syr(size_t n, double a, const double *x, double *A, size_t ld)
{
  for (size_t j = 0; j < n; j++)
    add_one_double(n - j, x + j, a * x[j], A + j * ld + j);
}

/* z += a x + b y */
LR_WIDE static void add_two(size_t n, double a, const double *restrict x,
                            double b, const double *restrict y,
                            double *restrict z)
{
  for (size_t i = 0; i < n; i++) z[i] = (z[i] + a * x[i]) + b * y[i];
}

void lr_syr2(size_t n, double a, const double *x, const double *y, double *A,
             size_t ld)
{
  for (size_t j = 0; j < n; j++)
    add_two(n - j, a * y[j], x + j, a * x[j], y + j, A + j * ld + j);
}

void lr_copy_columns(size_t n, size_t k, const double *U, size_t ldu, double *W,
                     size_t ldw)
{
  for (size_t j = 0; j < k; j++)
    memcpy(W + j * ldw, U + j * ldu, n * sizeof *W);
}
