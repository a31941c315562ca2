/* Dense verbs against sums in more digits, and bit for bit. */
#include "base/vector.h"

#include "check.h"
#include "golden.h"

#include <float.h>
#include <stdlib.h>

enum { N = 3000, K = 9, LD = N + 5 };

static double U[LD * K], G[LD], Y[LD], C[K];
static float Uf[LD * K], Gf[LD], Yf[LD];

static void fill_all(void)
{
  golden_fill(1, LD * K, U);
  golden_fill(2, LD, G);
  golden_fill(3, LD, Y);
  golden_fill(4, K, C);
  for (size_t i = 0; i < LD * K; i++) Uf[i] = (float)U[i];
  for (size_t i = 0; i < LD; i++) Gf[i] = (float)G[i];
  for (size_t i = 0; i < LD; i++) Yf[i] = (float)Y[i];
}

/* x'y, and in *size the sum of what was added, by size. */
static long double long_dot(size_t n, const double *x, const double *y,
                            double *size)
{
  long double sum = 0;
  *size = 0;
  for (size_t i = 0; i < n; i++) {
    sum += (long double)x[i] * (long double)y[i];
    *size += fabs(x[i] * y[i]);
  }
  return sum;
}

/* n products rounded and added in eight lanes: each is rounded n / 8 + 4
 * times. */
static double dot_error(size_t n, double size)
{
  return ((double)n / 8 + 5) * DBL_EPSILON * size;
}

TEST("an inner product is right to the rounding of its lanes")
{
  fill_all();
  for (size_t n = 0; n <= N; n = n < 40 ? n + 1 : n + 493) {
    double size, known = (double)long_dot(n, U, G, &size);
    check_within(lr_dot(n, U, G), known, dot_error(n, size), "n = %zu", n);
  }
}

TEST("products with many columns are those with each, bit for bit")
{
  static const size_t rows[] = {1, 7, 8, 9, 64, 511, 512, 513, 1024, N};
  fill_all();
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    for (size_t k = 0; k <= K; k++) {
      double c[K];
      size_t n = rows[r];
      lr_gemv_t(n, k, U, LD, G, c);
      for (size_t j = 0; j < k; j++)
        check(c[j] == lr_dot(n, U + j * LD, G), "%zu x %zu, %zu", n, k, j);
      lr_gemv_t_float(n, k, Uf, LD, Gf, c);
      for (size_t j = 0; j < k; j++)
        check(c[j] == lr_dot_float(n, Uf + j * LD, Gf), "float, %zu", j);
    }
}

TEST("a sum of columns is one column added after the other, bit for bit")
{
  static double one[LD], all[LD];
  fill_all();
  for (size_t n = 1; n <= N; n = 3 * n + 1)
    for (size_t k = 0; k <= K; k++) {
      memcpy(one, Y, sizeof one);
      memcpy(all, Y, sizeof all);
      for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < n; i++) one[i] += C[j] * U[j * LD + i];
      lr_gemv(n, k, U, LD, C, all);
      check(memcmp(one, all, sizeof one) == 0, "%zu x %zu", n, k);
    }
}

/* Rows beyond the first block, 8,192 of them, and beyond the second. */
TEST("a sum of columns on top of another vector is that in one pass")
{
  static const size_t rows[] = {1, 7, 8, 9, 1023, 1024, 1025, 2048, N};
  static double apart[LD], once[LD];
  fill_all();
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    for (size_t k = 0; k <= K; k++) {
      size_t n = rows[r];
      memcpy(apart, Y, sizeof apart);
      lr_gemv(n, k, U, LD, C, apart);
      memcpy(once, G, sizeof once);
      check(lr_gemv_from(n, k, Y, U, LD, C, once), "finite");
      check(memcmp(once, apart, n * sizeof *once) == 0, "%zu x %zu", n, k);
      check(memcmp(once + n, G + n, (LD - n) * sizeof *once) == 0,
            "nothing behind the end");
    }
}

TEST("one number that is not finite is found, wherever it is")
{
  static double once[LD];
  const double odd[] = {INFINITY, -INFINITY, NAN};
  fill_all();
  for (size_t k = 0; k <= K; k += k < 2 ? 1 : K - 2)
    for (size_t i = 0; i < N; i += i < 20 ? 1 : 271) {
      double x = Y[i];
      Y[i] = odd[i % 3];
      check(!lr_gemv_from(N, k, Y, U, LD, C, once), "%zu columns, %zu", k, i);
      check(k == 0 || i == 0 || lr_gemv_from(i, k, Y, U, LD, C, once),
            "those before it are finite");
      Y[i] = -DBL_MAX;
      check(lr_gemv_from(N, k, Y, U, LD, C, once), "the largest number is");
      Y[i] = x;
    }
  double most = DBL_MAX, sum;
  check(!lr_gemv_from(1, 1, &most, &most, 1, &most, &sum), "an overflow");
}

TEST("blocks of rows do not show in the results")
{
  enum { MOST = 16400 };
  static const size_t rows[] = {8191, 8192, 8193, 16384, 16391, MOST};
  static double A[MOST * K], g[MOST], one[MOST], all[MOST];
  golden_fill(7, MOST * K, A);
  golden_fill(8, MOST, g);
  fill_all();
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    for (size_t k = 4; k <= K; k++) {
      double c[K];
      size_t n = rows[r];
      lr_gemv_t(n, k, A, MOST, g, c);
      for (size_t j = 0; j < k; j++)
        check(c[j] == lr_dot(n, A + j * MOST, g), "%zu x %zu, %zu", n, k, j);
      memcpy(one, g, sizeof one);
      memcpy(all, g, sizeof all);
      for (size_t j = 0; j < k; j++) lr_axpy(n, C[j], A + j * MOST, one);
      lr_gemv(n, k, A, MOST, C, all);
      check(memcmp(one, all, sizeof one) == 0, "%zu x %zu", n, k);
    }
}

TEST("a sum of float columns is rounded once")
{
  static float all[LD];
  fill_all();
  memcpy(all, Yf, sizeof all);
  lr_gemv_float(N, K, Uf, LD, C, all);
  for (size_t i = 0; i < LD; i++) {
    double sum = (double)Yf[i];
    for (size_t j = 0; j < K && i < N; j++)
      sum += C[j] * (double)Uf[j * LD + i];
    check(all[i] == (float)sum, "row %zu", i);
  }
}

TEST("a product of matrices is that with each column, bit for bit")
{
  static double W[LD * 3], w[LD], Z[K * 3];
  static float Wf[LD * 3], wf[LD];
  fill_all();
  golden_fill(5, K * 3, Z);
  lr_gemm(N, 3, K, U, LD, Z, W, LD);
  lr_gemm_float(N, 3, K, Uf, LD, Z, Wf, LD);
  for (size_t j = 0; j < 3; j++) {
    memset(w, 0, sizeof w);
    memset(wf, 0, sizeof wf);
    lr_gemv(N, K, U, LD, Z + j * K, w);
    lr_gemv_float(N, K, Uf, LD, Z + j * K, wf);
    check(memcmp(w, W + j * LD, N * sizeof *w) == 0, "column %zu", j);
    check(memcmp(wf, Wf + j * LD, N * sizeof *wf) == 0, "float, %zu", j);
  }
}

TEST("where numbers lie in memory does not matter")
{
  static double x[N + 8], y[N + 8];
  fill_all();
  double known = lr_dot(N, U, G);
  for (size_t off = 0; off < 8; off++) {
    memcpy(x + off, U, N * sizeof *x);
    memcpy(y + (7 - off), G, N * sizeof *y);
    check(lr_dot(N, x + off, y + (7 - off)) == known, "offset %zu", off);
  }
}

/* y = A x by both halves, and the sum of sizes. */
static double long_symv(size_t n, const double *A, const double *x, size_t i,
                        double *size)
{
  long double sum = 0;
  *size = 0;
  for (size_t j = 0; j < n; j++) {
    double a = i >= j ? A[j * LD + i] : A[i * LD + j];
    sum += (long double)a * (long double)x[j];
    *size += fabs(a * x[j]);
  }
  return (double)sum;
}

TEST("symmetric matrices: a product reads the lower half, an update writes it")
{
  enum { M = 41 };
  static double A[LD * M], B[LD * M];
  double y[M];
  golden_fill(6, LD * M, A);
  fill_all();
  for (size_t n = 0; n <= M; n++) {
    memcpy(B, A, sizeof B);
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < j; i++) B[j * LD + i] = NAN;
    lr_symv(n, B, LD, G, y);
    for (size_t i = 0; i < n; i++) {
      double size, known = long_symv(n, A, G, i, &size);
      check_within(y[i], known, 2 * ((double)n + 5) * DBL_EPSILON * size,
                   "n = %zu, row %zu", n, i);
    }
    lr_syr(n, 0.5, G, B, LD);
    lr_syr2(n, -0.25, G, Y, B, LD);
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < n; i++) {
        double known = A[j * LD + i] + 0.5 * G[j] * G[i];
        known = (known - 0.25 * Y[j] * G[i]) - 0.25 * G[j] * Y[i];
        if (i < j)
          check(B[j * LD + i] != B[j * LD + i], "upper %zu, %zu", i, j);
        else
          check_within(B[j * LD + i], known, 16 * DBL_EPSILON, "%zu, %zu", i,
                       j);
      }
  }
}

TEST("a norm neither over- nor underflows")
{
  double x[20];
  for (int e = -1070; e <= 1020; e += 5) {
    for (int i = 0; i < 20; i++) x[i] = ldexp(1, e);
    double known = e > 1021 ? DBL_MAX : sqrt(20) * ldexp(1, e);
    check_within(lr_norm(20, x), known, 1e-15 * known + 5e-324, "2^%d", e);
  }
  for (int i = 0; i < 20; i++) x[i] = DBL_MAX;
  check(lr_norm(20, x) == DBL_MAX, "beyond the largest number: that");
  x[3] = INFINITY;
  check(!(lr_norm(20, x) <= DBL_MAX), "not finite");
  x[3] = NAN;
  check(!(lr_norm(20, x) <= DBL_MAX), "no number");
  check(lr_norm(0, x) == 0, "of nothing");
}

TEST("golden bits: every verb, whatever the compiler and the processor")
{
  static double y[LD], A[64 * 64];
  static float yf[LD];
  double c[K], sums[3];
  uint64_t hash = GOLDEN_START;
  fill_all();
  for (size_t n = 1; n <= N; n += 37) {
    sums[0] = lr_dot(n, U, G);
    sums[1] = lr_dot_float(n, Uf, Gf);
    sums[2] = lr_norm(n, Y);
    hash = golden_hash(hash, 3, sums);
    lr_gemv_t(n, K, U, LD, G, c);
    hash = golden_hash(hash, K, c);
    memcpy(y, Y, sizeof y);
    memcpy(yf, Yf, sizeof yf);
    lr_gemv(n, K, U, LD, C, y);
    lr_gemv_float(n, K, Uf, LD, C, yf);
    lr_rotate(n, y, y + 1500, 0.6, 0.8);
    hash = golden_hash(hash, n, y);
    hash = golden_hash_float(hash, n, yf);
    if (n > 1400) break;
  }
  for (size_t n = 1; n <= 64; n += 9) {
    golden_fill(n, sizeof A / sizeof *A, A);
    lr_symv(n, A, 64, G, y);
    lr_syr(n, 0.3, y, A, 64);
    lr_syr2(n, 0.7, y, G, A, 64);
    hash = golden_hash(hash, 64 * 64, A);
  }
  check(hash == UINT64_C(0x7703fb99ac706d1f), "the hash is 0x%016llx",
        (unsigned long long)hash);
}
