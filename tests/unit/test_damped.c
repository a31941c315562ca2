/* Damped least squares against what defines it: the gradient of |A z + b|^2 +
 * mu |z|^2 is zero at z. */
#include "base/damped.h"

#include "base/memory.h"
#include "chance.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>

enum { N = 20, K = 7 };

/* The largest entry of A'(A z + b) + mu z. */
static double gradient(size_t n, size_t k, const double *A, const double *b,
                       double mu, const double *z)
{
  double most = 0;
  for (size_t j = 0; j < k; j++) {
    double sum = mu * z[j];
    for (size_t i = 0; i < n; i++) {
      double r = b[i];
      for (size_t l = 0; l < k; l++) r += A[l * n + i] * z[l];
      sum += A[j * n + i] * r;
    }
    most = isnan(sum) ? INFINITY : fmax(most, fabs(sum));
  }
  return most;
}

/* Random equations; the last column is `dependent` on the others. */
static void try_system(size_t n, size_t k, bool dependent)
{
  double A[N * K], b[N], c[N], z[K];
  unsigned state = 3;
  lr_damped s;
  lr_damped_init(&s, &lr_malloc);
  require(lr_damped_reserve(&s, n, k) == LRGD_OK, "room");
  for (size_t i = 0; i < n * k; i++) A[i] = chance(&state);
  for (size_t i = 0; i < n; i++) b[i] = chance(&state);
  if (dependent)
    for (size_t i = 0; i < n; i++) A[(k - 1) * n + i] = 3 * A[i];
  memcpy(s.A, A, n * k * sizeof *A);
  memcpy(c, b, sizeof b);
  lr_damped_factor(&s, n, k, c);
  for (double mu = 1e-9; mu < 1e9; mu *= 1e3) {
    double sum = 0;
    lr_damped_solve(&s, mu, z);
    for (size_t j = 0; j < k; j++) sum += z[j] * z[j];
    check(gradient(n, k, A, b, mu, z) < 1e-11 * (1 + mu * sqrt(sum)),
          "%zu x %zu, mu %g: gradient %g", n, k, mu,
          gradient(n, k, A, b, mu, z));
    check_near(lr_damped_norm2(&s, mu), sum, 1e-12, "its norm, mu %g", mu);
  }
  lr_damped_clear(&s);
}

TEST("the gradient is zero at the solution, for every damping")
{
  for (size_t k = 1; k <= K; k++) try_system(N, k, false);
  try_system(K, K, false);
}

TEST("a damped step is finite where columns are dependent")
{
  try_system(N, K, true);
}

TEST("a damped step is one where lengths of columns have no finite inverse")
{
  double A[N * K], b[N], c[N], z[K];
  unsigned state = 9;
  lr_damped s;
  lr_damped_init(&s, &lr_malloc);
  require(lr_damped_reserve(&s, N, K) == LRGD_OK, "room");
  for (size_t i = 0; i < N * K; i++)
    s.A[i] = A[i] = (i / N % 2 ? 1e-312 : 1) * chance(&state);
  for (size_t i = 0; i < N; i++) c[i] = b[i] = chance(&state);
  lr_damped_factor(&s, N, K, c);
  lr_damped_solve(&s, 1e-6, z);
  check(gradient(N, K, A, b, 1e-6, z) < 1e-11, "gradient %g",
        gradient(N, K, A, b, 1e-6, z));
  lr_damped_clear(&s);
}

TEST("a QR factorisation keeps lengths and inner products")
{
  double A[N * K], R[N * K], b[N], c[N];
  unsigned state = 5;
  for (size_t i = 0; i < N * K; i++) R[i] = A[i] = chance(&state);
  for (size_t i = 0; i < N; i++) c[i] = b[i] = chance(&state);
  lr_qr(N, K, R, N, c);
  for (size_t j = 0; j < K; j++) {
    double with = 0, after = 0;
    for (size_t i = 0; i < N; i++) with += A[j * N + i] * b[i];
    for (size_t i = 0; i <= j; i++) after += R[j * N + i] * c[i];
    check_near(after, with, 1e-12, "column %zu and b", j);
  }
}

TEST("where there are fewer rows than columns it is a trapezoid")
{
  enum { ROWS = 3 };
  double A[ROWS * K], R[ROWS * K];
  unsigned state = 7;
  for (size_t i = 0; i < ROWS * K; i++) R[i] = A[i] = chance(&state);
  lr_qr(ROWS, K, R, ROWS, NULL);
  for (size_t j = 0; j < K; j++)
    for (size_t l = 0; l <= j; l++) {
      double with = 0, after = 0;
      for (size_t i = 0; i < ROWS; i++)
        with += A[j * ROWS + i] * A[l * ROWS + i];
      for (size_t i = 0; i < ROWS && i <= l; i++)
        after += R[j * ROWS + i] * R[l * ROWS + i];
      check_near(after, with, 1e-12, "columns %zu and %zu", j, l);
    }
}
