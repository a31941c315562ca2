/* Jacobi's eigenvalue method and Cholesky's factorisation, for matrices of some
 * hundred rows. */
#include "small_matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

double small_dot(size_t n, const double *a, const double *b)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Zeroes A[i][j] by a rotation in the plane of i and j (Golub and Van Loan,
 * Matrix Computations, 8.5). */
static void rotate(size_t n, double *A, double *E, size_t i, size_t j)
{
  double apart = A[j * n + j] - A[i * n + i], off = A[i * n + j];
  double tau = apart / (2 * off);
  double t = (tau < 0 ? -1 : 1) / (fabs(tau) + sqrt(1 + tau * tau));
  double c = 1 / sqrt(1 + t * t), s = t * c;
  for (size_t k = 0; k < n; k++) {
    double a = A[k * n + i], b = A[k * n + j];
    A[k * n + i] = c * a - s * b;
    A[k * n + j] = s * a + c * b;
  }
  for (size_t k = 0; k < n; k++) {
    double a = A[i * n + k], b = A[j * n + k];
    A[i * n + k] = c * a - s * b;
    A[j * n + k] = s * a + c * b;
    a = E[k * n + i], b = E[k * n + j];
    E[k * n + i] = c * a - s * b;
    E[k * n + j] = s * a + c * b;
  }
}

/* One rotation for every element that is not negligible; returns their number.
 */
static size_t sweep(size_t n, double *A, double *E, double negligible)
{
  size_t turned = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++) {
      if (!(fabs(A[i * n + j]) > negligible)) continue;
      rotate(n, A, E, i, j);
      turned++;
    }
  return turned;
}

static void exchange(double *a, double *b)
{
  double kept = *a;
  *a = *b;
  *b = kept;
}

static void sort(size_t n, double *values, double *E)
{
  for (size_t i = 0; i < n; i++) {
    size_t largest = i;
    for (size_t j = i + 1; j < n; j++)
      if (values[j] > values[largest]) largest = j;
    if (largest == i) continue;
    exchange(&values[i], &values[largest]);
    for (size_t k = 0; k < n; k++) exchange(&E[k * n + i], &E[k * n + largest]);
  }
}

void small_eigen(size_t n, double *A, double *values, double *E)
{
  enum { SWEEPS = 30 }; /* convergence is quadratic: some 8 are enough */
  double size = 0;
  for (size_t i = 0; i < n * n; i++) size = fmax(size, fabs(A[i]));
  memset(E, 0, n * n * sizeof *E);
  for (size_t i = 0; i < n; i++) E[i * n + i] = 1;
  for (int round = 0; round < SWEEPS; round++)
    if (sweep(n, A, E, DBL_EPSILON * size) == 0) break;
  for (size_t i = 0; i < n; i++) values[i] = A[i * n + i];
  sort(n, values, E);
}

static bool factor(size_t n, double *A)
{
  for (size_t j = 0; j < n; j++) {
    for (size_t i = j; i < n; i++) {
      double sum = A[i * n + j];
      for (size_t k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
      if (i == j && !(sum > 0)) return false;
      A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
    }
  }
  return true;
}

bool small_solve(size_t n, double *A, double *x)
{
  if (!factor(n, A)) return false;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
    x[i] /= A[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) x[i] -= A[k * n + i] * x[k];
    x[i] /= A[i * n + i];
  }
  return true;
}
