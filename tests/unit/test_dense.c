/* Decompositions: what must not pass the door, scaling, residuals, bits. */
#include "base/dense.h"

#include "base/finite.h"
#include "base/memory.h"
#include "check.h"
#include "golden.h"

#include <float.h>
#include <stdlib.h>

enum { N = 4 };

/* A 4 x 4 matrix with singular values 8, 4, 2, 1 times scale: rotations of
 * the first and the last two coordinates on both sides. */
static void planted(double *A, double scale)
{
  double c = 0.6, s = 0.8;
  double Q[N][N] = {
      {c, -s, 0, 0 },
      {s, c,  0, 0 },
      {0, 0,  s, -c},
      {0, 0,  c, s }
  };
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += Q[i][k] * (8 >> k) * Q[3 - j][k];
      A[j * N + i] = scale * sum;
    }
}

static double orthonormality(const double *U, int n)
{
  double worst = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = i == j ? -1 : 0;
      for (int k = 0; k < n; k++) sum += U[i * n + k] * U[j * n + k];
      worst = fmax(worst, fabs(sum));
    }
  return worst;
}

TEST("planted singular values are found, largest first")
{
  double A[N * N], s[N];
  lr_dense *w = lr_dense_create(&lr_malloc, N);
  planted(A, 1);
  check(lr_svd(w, N, A, s) == LRGD_OK, "it works");
  for (int k = 0; k < N; k++)
    check_near(s[k], 8 >> k, 1e-14, "singular value %d", k);
  check(orthonormality(A, N) < 1e-14, "the vectors are orthonormal");
  lr_dense_destroy(&w);
}

static void scaled(double scale)
{
  double A[N * N], s[N];
  lr_dense *w = lr_dense_create(&lr_malloc, N);
  planted(A, scale);
  check(lr_svd(w, N, A, s) == LRGD_OK, "scale %g", scale);
  for (int k = 0; k < N; k++)
    check_near(s[k], (8 >> k) * scale, scale < 1e-300 ? 0.5 : 1e-13,
               "singular value %d at scale %g", k, scale);
  check(lr_all_finite(A, N * N) && orthonormality(A, N) < 1e-13,
        "finite orthonormal vectors at scale %g", scale);
  lr_dense_destroy(&w);
}

TEST("row 37: entries from 1e-320 to 1e307 are scaled on the way in and out")
{
  static const double scales[] = {1e-320, 1e-300, 1e-200, 1e-100,
                                  1e100,  1e200,  1e300,  2e307};
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) scaled(scales[i]);
}

TEST("singular values beyond the largest number are that number")
{
  double A[4] = {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX}, s[2];
  lr_dense *w = lr_dense_create(&lr_malloc, 2);
  check(lr_svd(w, 2, A, s) == LRGD_OK, "it works");
  check(s[0] == DBL_MAX, "the first is %g", s[0]);
  check(lr_all_finite(s, 2) && lr_all_finite(A, 4), "all is finite");
  lr_dense_destroy(&w);
}

TEST("one Inf or NaN anywhere is refused at once")
{
  static const double wrong[] = {INFINITY, -INFINITY, NAN};
  lr_dense *w = lr_dense_create(&lr_malloc, N);
  for (int at = 0; at < N * N; at++)
    for (int i = 0; i < 3; i++) {
      double A[N * N], s[N];
      planted(A, 1);
      A[at] = wrong[i];
      check(lr_svd(w, N, A, s) == LRGD_ERR_NUMERIC, "svd, entry %d", at);
      planted(A, 1);
      A[at] = wrong[i];
      check(lr_eigen(w, N, A, s) == LRGD_ERR_NUMERIC, "eigen, entry %d", at);
    }
  lr_dense_destroy(&w);
}

TEST("a zero matrix has zero singular values and the identity for vectors")
{
  double A[N * N] = {0}, s[N];
  lr_dense *w = lr_dense_create(&lr_malloc, N);
  check(lr_svd(w, N, A, s) == LRGD_OK, "it works");
  for (int k = 0; k < N; k++) check(s[k] == 0, "value %d", k);
  check(orthonormality(A, N) == 0, "the vectors are orthonormal");
  lr_dense_destroy(&w);
}

TEST("eigenvalues of a symmetric matrix come in ascending order")
{
  double B[4] = {2, 1, 1, 2}, lambda[2];
  lr_dense *w = lr_dense_create(&lr_malloc, 2);
  check(lr_eigen(w, 2, B, lambda) == LRGD_OK, "it works");
  check_near(lambda[0], 1, 1e-14, "the smaller");
  check_near(lambda[1], 3, 1e-14, "the larger");
  check_within(B[0] + B[1], 0, 1e-14, "the vector of the smaller is (1, -1)");
  lr_dense_destroy(&w);
}

TEST("a symmetric matrix is inverted in its lower half, be it indefinite")
{
  /* columns of four numbers, of which three are the matrix's */
  double A[12] = {0, 1, 2, -1, 7, 3, 4, -1, 7, 7, 5, -1};
  const double known[6] = {1, -3, 2, 4, -2, 1};
  lr_dense *w = lr_dense_create(&lr_malloc, 4);
  check(lr_invert(w, 3, A, 4) == LRGD_OK, "it works");
  for (int j = 0, n = 0; j < 3; j++) {
    for (int i = j; i < 3; i++, n++)
      check_near(A[4 * j + i], known[n], 1e-13, "entry %d, %d", i, j);
    check(A[4 * j + 3] == -1, "what is below column %d is not its own", j);
  }
  check(A[4] == 7 && A[8] == 7 && A[9] == 7, "nor is the upper half");
  lr_dense_destroy(&w);
}

TEST("a singular matrix is distinguished from an invertible one")
{
  double A[4] = {1, 1, 0, 1}, B[4] = {1, NAN, 0, 1};
  lr_dense *w = lr_dense_create(&lr_malloc, 2);
  check(lr_invert(w, 2, A, 2) == LRGD_ERR_NUMERIC, "singular");
  check(lr_invert(w, 2, B, 2) == LRGD_ERR_NUMERIC, "not finite");
  lr_dense_destroy(&w);
}

TEST("a matrix of one number is its own singular value")
{
  double A[1] = {-3}, s[1];
  lr_dense *w = lr_dense_create(&lr_malloc, 1);
  check(lr_svd(w, 1, A, s) == LRGD_OK && s[0] == 3, "s is %g", s[0]);
  lr_dense_destroy(&w);
}

TEST("a matrix larger than the scratch was made for is refused")
{
  double A[4] = {1, 0, 0, 1}, s[2];
  lr_dense *w = lr_dense_create(&lr_malloc, 1);
  check(lr_svd(w, 2, A, s) == LRGD_ERR_INVALID, "svd");
  check(lr_eigen(w, 2, A, s) == LRGD_ERR_INVALID, "eigen");
  check(lr_invert(w, 2, A, 2) == LRGD_ERR_INVALID, "invert");
  lr_dense_destroy(&w);
}

TEST("sizes beyond all memory are refused before allocation")
{
  check(!lr_dense_create(&lr_malloc, SIZE_MAX / 64), "numbers that overflow");
  check(!lr_dense_create(&lr_malloc, SIZE_MAX), "the largest size");
}

/* ---- residuals over kinds of matrices ---- */

enum { MOST = 70, KINDS = 8 };

static const char *const kinds[KINDS] = {
    "random",    "graded rows",    "graded columns",  "graded to 1e-300",
    "clustered", "rank deficient", "two zero blocks", "nearly diagonal"};

/* Entry (i, j) of an n x n matrix of some kind. */
static double entry(int kind, size_t n, size_t i, size_t j)
{
  double x = golden_number(17 * (uint64_t)kind + n, i * n + j);
  double small = i > j ? (double)i : (double)j;
  switch (kind) {
  case 1: return x * pow(10, -15.0 * (double)i / (double)n);
  case 2: return x * pow(10, -15.0 * (double)j / (double)n);
  case 3: return x * pow(10, -300.0 * small / (double)n);
  case 4: return (i == j ? 1 + (double)(i % 3) : 0) + 1e-14 * x;
  case 5: return golden_number(5, i % 3) * golden_number(6, j % 3);
  case 6: return (i < n / 2) == (j < n / 2) ? 0 : x;
  case 7: return i == j ? 1 + (double)i : 1e-9 * x;
  default: return x;
  }
}

static void make(int kind, size_t n, bool symmetric, double *A)
{
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++)
      A[j * n + i] =
          symmetric && i < j ? entry(kind, n, j, i) : entry(kind, n, i, j);
}

static double largest_of(size_t n, const double *x)
{
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

static void check_signs(size_t n, const double *U)
{
  for (size_t j = 0; j < n; j++) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
      if (fabs(U[j * n + i]) > fabs(U[j * n + best])) best = i;
    check(U[j * n + best] > 0, "the largest component of vector %zu", j);
  }
}

static void try_eigen(int kind, size_t n, lr_dense *w)
{
  static double A[MOST * MOST], V[MOST * MOST];
  double lambda[MOST], unit = 8 * (double)n * DBL_EPSILON, worst = 0;
  make(kind, n, true, A);
  memcpy(V, A, sizeof V);
  double size = (double)n * largest_of(n * n, A);
  require(lr_eigen(w, n, V, lambda) == LRGD_OK, "%s, %zu", kinds[kind], n);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      double r = -lambda[j] * V[j * n + i];
      for (size_t k = 0; k < n; k++) r += A[k * n + i] * V[j * n + k];
      worst = fmax(worst, fabs(r));
    }
  check(worst <= unit * size, "%s, %zu: A V - V L is %g", kinds[kind], n,
        worst);
  worst = orthonormality(V, (int)n);
  check(worst <= unit, "%s, %zu: V'V - I is %g", kinds[kind], n, worst);
  for (size_t j = 1; j < n; j++) check(lambda[j - 1] <= lambda[j], "ascending");
  check_signs(n, V);
}

TEST("eigenvectors are orthonormal and belong to their values")
{
  lr_dense *w = lr_dense_create(&lr_malloc, MOST);
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t n = 1; n <= MOST; n = n < 12 ? n + 1 : n + 29)
      try_eigen(kind, n, w);
  lr_dense_destroy(&w);
}

/* |U' A| has rows of length s: what is left of them is V'. */
static void try_svd(int kind, size_t n, lr_dense *w)
{
  static double A[MOST * MOST], U[MOST * MOST], B[MOST * MOST];
  double s[MOST], unit = 8 * (double)n * DBL_EPSILON, worst = 0;
  make(kind, n, false, A);
  memcpy(U, A, sizeof U);
  double size = (double)n * largest_of(n * n, A);
  require(lr_svd(w, n, U, s) == LRGD_OK, "%s, %zu", kinds[kind], n);
  worst = orthonormality(U, (int)n);
  check(worst <= unit, "%s, %zu: U'U - I is %g", kinds[kind], n, worst);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      B[i * n + j] = 0; /* row i of U'A */
      for (size_t k = 0; k < n; k++)
        B[i * n + j] += U[i * n + k] * A[j * n + k];
    }
  worst = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) { /* they are orthogonal, of length s */
      double sum = i == j ? -s[i] * s[i] : 0;
      for (size_t k = 0; k < n; k++) sum += B[i * n + k] * B[j * n + k];
      worst = fmax(worst, fabs(sum));
    }
  check(worst <= unit * size * size, "%s, %zu: U'A A'U - S S is %g",
        kinds[kind], n, worst);
  for (size_t j = 1; j < n; j++) check(s[j - 1] >= s[j], "descending");
  check(s[n - 1] >= 0, "not negative");
  check_signs(n, U);
}

TEST("left singular vectors are orthonormal whatever the rank")
{
  lr_dense *w = lr_dense_create(&lr_malloc, MOST);
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t n = 1; n <= MOST; n = n < 12 ? n + 1 : n + 29)
      try_svd(kind, n, w);
  lr_dense_destroy(&w);
}

/* ---- graded triangles: every value to its own size ---- */

/* Singular values by one-sided Jacobi in long double, whose range holds the
 * squares of 1e-300. */
static void long_values(size_t n, const double *A, double *s)
{
  static long double X[30][30];
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) X[j][i] = (long double)A[j * n + i];
  for (int sweep = 0; sweep < 40; sweep++)
    for (size_t p = 0; p < n; p++)
      for (size_t q = p + 1; q < n; q++) {
        long double a = 0, b = 0, g = 0;
        for (size_t i = 0; i < n; i++) {
          a += X[p][i] * X[p][i];
          b += X[q][i] * X[q][i];
          g += X[p][i] * X[q][i];
        }
        if (g == 0) continue;
        long double z = (b - a) / (2 * g), t = 1 / (fabsl(z) + hypotl(1, z));
        if (z < 0) t = -t;
        long double c = 1 / hypotl(1, t);
        for (size_t i = 0; i < n; i++) {
          long double x = X[p][i], y = X[q][i];
          X[p][i] = c * (x - t * y);
          X[q][i] = c * (t * x + y);
        }
      }
  for (size_t j = 0; j < n; j++) {
    long double a = 0;
    for (size_t i = 0; i < n; i++) a += X[j][i] * X[j][i];
    s[j] = (double)sqrtl(a);
  }
  for (size_t j = 1; j < n; j++)
    for (size_t i = j; i > 0 && s[i] > s[i - 1]; i--) {
      double t = s[i];
      s[i] = s[i - 1];
      s[i - 1] = t;
    }
}

/* R = D1 (I + strict upper / 4) D2, graded over `decades`: by rows (0), by
 * columns (1), or by columns in another order (2). */
static void graded(size_t n, double decades, int how, double *R)
{
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      size_t at = how == 0 ? i : how == 1 ? j : (7 * j) % n;
      double x = i == j ? 1 : 0.25 * golden_number(9, i * n + j);
      R[j * n + i] = i > j ? 0 : x * pow(10, -decades * (double)at / (double)n);
    }
}

TEST("singular values of a graded triangle are right to their own size")
{
  enum { M = 29 };
  static const double decades[] = {0, 12, 60, 150, 290};
  static double R[M * M];
  double s[M], known[M];
  lr_dense *w = lr_dense_create(&lr_malloc, M);
  for (int how = 0; how < 3; how++)
    for (size_t d = 0; d < 5; d++) {
      if (LDBL_MAX_EXP < 16384 && decades[d] > 100) continue; /* no range */
      graded(M, decades[d], how, R);
      long_values(M, R, known);
      require(lr_svd(w, M, R, s) == LRGD_OK, "it works");
      for (size_t i = 0; i < M; i++)
        check_near(s[i], known[i], 16 * M * DBL_EPSILON,
                   "%g decades, way %d: value %zu", decades[d], how, i);
      check(orthonormality(R, M) < 8 * M * DBL_EPSILON, "vectors");
    }
  lr_dense_destroy(&w);
}

/* ---- inverses ---- */

/* |A X - I| over |A| |X|, X being the lower half of the inverse. */
static double inverse_residual(size_t n, const double *A, const double *X)
{
  double worst = 0, sizes = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = i == j ? -1 : 0, size = 0;
      for (size_t k = 0; k < n; k++) {
        double a = i >= k ? A[k * n + i] : A[i * n + k];
        double x = k >= j ? X[j * n + k] : X[k * n + j];
        sum += a * x;
        size += fabs(a * x);
      }
      worst = fmax(worst, fabs(sum));
      sizes = fmax(sizes, size);
    }
  return worst / sizes;
}

/* A saddle point's matrix: H, constraints, and nothing. */
static void saddle(size_t n, double *A)
{
  size_t free = n - n / 3;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      double x = golden_number(30 + n, (i > j ? i : j) * n + (i > j ? j : i));
      A[j * n + i] = i >= free && j >= free ? 0 : x;
    }
}

TEST(
    "indefinite matrices are inverted: random ones, and those of saddle points")
{
  static double A[MOST * MOST], X[MOST * MOST];
  lr_dense *w = lr_dense_create(&lr_malloc, MOST);
  for (size_t n = 1; n <= MOST; n++)
    for (int kind = 0; kind < 2; kind++) {
      if (kind == 0)
        make(0, n, true, A);
      else
        saddle(n, A);
      memcpy(X, A, sizeof X);
      require(lr_invert(w, n, X, n) == LRGD_OK, "kind %d, n = %zu", kind, n);
      double off = inverse_residual(n, A, X);
      check(off <= 32 * (double)n * DBL_EPSILON, "kind %d, n = %zu: %g", kind,
            n, off);
    }
  lr_dense_destroy(&w);
}

TEST("an inverse needs pivots of two rows, and of rows far below")
{
  /* zeros on the diagonal: no pivot of one row at first */
  double A[36] = {0}, X[36];
  const size_t n = 6;
  lr_dense *w = lr_dense_create(&lr_malloc, n);
  for (size_t i = 0; i < n; i++) A[(n - 1 - i) * n + i] = 1 + (double)(i % 3);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) A[i * n + j] = A[j * n + i];
  memcpy(X, A, sizeof X);
  require(lr_invert(w, n, X, n) == LRGD_OK, "it works");
  check(inverse_residual(n, A, X) < 1e-15, "A X = I");
  lr_dense_destroy(&w);
}

/* ---- the same bits everywhere ---- */

TEST("golden bits: every decomposition, whatever compiler and processor")
{
  static double A[MOST * MOST], s[MOST];
  uint64_t hash[3] = {GOLDEN_START, GOLDEN_START, GOLDEN_START};
  lr_dense *w = lr_dense_create(&lr_malloc, MOST);
  for (size_t n = 1; n <= MOST; n = n < 12 ? n + 1 : n + 29)
    for (uint64_t kind = 0; kind < 3; kind++) {
      for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
          A[j * n + i] = golden_number(
              40 + n, (kind != 1 && i < j) ? i * n + j : j * n + i);
      lrgd_status status = kind == 0   ? lr_eigen(w, n, A, s)
                           : kind == 1 ? lr_svd(w, n, A, s)
                                       : lr_invert(w, n, A, n);
      require(status == LRGD_OK, "it works");
      hash[kind] = golden_hash(hash[kind], n * n, A);
      if (kind < 2) hash[kind] = golden_hash(hash[kind], n, s);
    }
  static const uint64_t golden[3] = {UINT64_C(0xe35c7a99e0c5d74a),
                                     UINT64_C(0x413c81732875fb3f),
                                     UINT64_C(0x862d65ebdc8737fe)};
  for (int kind = 0; kind < 3; kind++)
    check(hash[kind] == golden[kind], "%d: the hash is 0x%016llx", kind,
          (unsigned long long)hash[kind]);
  lr_dense_destroy(&w);
}
