/* The one door to LAPACK: what must not pass it, and scaling. */
#include "base/lapack.h"

#include "base/finite.h"
#include "base/memory.h"
#include "check.h"

#include <float.h>

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
  lr_lapack *w = lr_lapack_create(&lr_malloc, N);
  planted(A, 1);
  check(lr_svd(w, N, A, s) == LRGD_OK, "it works");
  for (int k = 0; k < N; k++)
    check_near(s[k], 8 >> k, 1e-14, "singular value %d", k);
  check(orthonormality(A, N) < 1e-14, "the vectors are orthonormal");
  lr_lapack_destroy(&w);
}

static void scaled(double scale)
{
  double A[N * N], s[N];
  lr_lapack *w = lr_lapack_create(&lr_malloc, N);
  planted(A, scale);
  check(lr_svd(w, N, A, s) == LRGD_OK, "scale %g", scale);
  for (int k = 0; k < N; k++)
    check_near(s[k], (8 >> k) * scale, scale < 1e-300 ? 0.5 : 1e-13,
               "singular value %d at scale %g", k, scale);
  check(lr_all_finite(A, N * N) && orthonormality(A, N) < 1e-13,
        "finite orthonormal vectors at scale %g", scale);
  lr_lapack_destroy(&w);
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
  lr_lapack *w = lr_lapack_create(&lr_malloc, 2);
  check(lr_svd(w, 2, A, s) == LRGD_OK, "it works");
  check(s[0] == DBL_MAX, "the first is %g", s[0]);
  check(lr_all_finite(s, 2) && lr_all_finite(A, 4), "all is finite");
  lr_lapack_destroy(&w);
}

TEST("one Inf or NaN anywhere is refused at once")
{
  static const double wrong[] = {INFINITY, -INFINITY, NAN};
  lr_lapack *w = lr_lapack_create(&lr_malloc, N);
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
  lr_lapack_destroy(&w);
}

TEST("a zero matrix has zero singular values and the identity for vectors")
{
  double A[N * N] = {0}, s[N];
  lr_lapack *w = lr_lapack_create(&lr_malloc, N);
  check(lr_svd(w, N, A, s) == LRGD_OK, "it works");
  for (int k = 0; k < N; k++) check(s[k] == 0, "value %d", k);
  check(orthonormality(A, N) == 0, "the vectors are orthonormal");
  lr_lapack_destroy(&w);
}

TEST("eigenvalues of a symmetric matrix come in ascending order")
{
  double B[4] = {2, 1, 1, 2}, lambda[2];
  lr_lapack *w = lr_lapack_create(&lr_malloc, 2);
  check(lr_eigen(w, 2, B, lambda) == LRGD_OK, "it works");
  check_near(lambda[0], 1, 1e-14, "the smaller");
  check_near(lambda[1], 3, 1e-14, "the larger");
  check_within(B[0] + B[1], 0, 1e-14, "the vector of the smaller is (1, -1)");
  lr_lapack_destroy(&w);
}

TEST("a symmetric matrix is inverted in its lower half, be it indefinite")
{
  /* columns of four numbers, of which three are the matrix's */
  double A[12] = {0, 1, 2, -1, 7, 3, 4, -1, 7, 7, 5, -1};
  const double known[6] = {1, -3, 2, 4, -2, 1};
  lr_lapack *w = lr_lapack_create(&lr_malloc, 4);
  check(lr_invert(w, 3, A, 4) == LRGD_OK, "it works");
  for (int j = 0, n = 0; j < 3; j++) {
    for (int i = j; i < 3; i++, n++)
      check_near(A[4 * j + i], known[n], 1e-13, "entry %d, %d", i, j);
    check(A[4 * j + 3] == -1, "what is below column %d is not its own", j);
  }
  check(A[4] == 7 && A[8] == 7 && A[9] == 7, "nor is the upper half");
  lr_lapack_destroy(&w);
}

TEST("a matrix that has no inverse is told from one that has")
{
  double A[4] = {1, 1, 0, 1}, B[4] = {1, NAN, 0, 1};
  lr_lapack *w = lr_lapack_create(&lr_malloc, 2);
  check(lr_invert(w, 2, A, 2) == LRGD_ERR_NUMERIC, "singular");
  check(lr_invert(w, 2, B, 2) == LRGD_ERR_NUMERIC, "not finite");
  lr_lapack_destroy(&w);
}

TEST("a matrix of one number is its own singular value")
{
  double A[1] = {-3}, s[1];
  lr_lapack *w = lr_lapack_create(&lr_malloc, 1);
  check(lr_svd(w, 1, A, s) == LRGD_OK && s[0] == 3, "s is %g", s[0]);
  lr_lapack_destroy(&w);
}

TEST("a matrix larger than the scratch was made for is refused")
{
  double A[4] = {1, 0, 0, 1}, s[2];
  lr_lapack *w = lr_lapack_create(&lr_malloc, 1);
  check(lr_svd(w, 2, A, s) == LRGD_ERR_INVALID, "svd");
  check(lr_eigen(w, 2, A, s) == LRGD_ERR_INVALID, "eigen");
  check(lr_invert(w, 2, A, 2) == LRGD_ERR_INVALID, "invert");
  lr_lapack_destroy(&w);
}

TEST("sizes that LAPACK's integers cannot hold are refused before allocation")
{
  check(!lr_lapack_create(&lr_malloc, (size_t)1 << 31), "2^31");
  check(!lr_lapack_create(&lr_malloc, SIZE_MAX), "the largest size");
}
