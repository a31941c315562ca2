/* The QR factorisation that is updated, against the matrix it stands for. */
#include "chance.h"
#include "check.h"

#include "base/memory.h"
#include "base/updated_qr.h"

#include <math.h>

enum { ROWS = 24, COLUMNS = 40 };

static lr_updated_qr made(size_t n)
{
  lr_updated_qr U;
  lr_updated_qr_init(&U, n, &lr_malloc);
  return U;
}

/* The larger of two errors; infinity where one is not a number. */
static double worse(double most, double error)
{
  return isnan(error) ? INFINITY : fmax(most, error);
}

/* The largest error of Q R against A, n x k, of Q'Q against the identity, and
 * the largest number below the diagonal of R. */
static double error_of(const lr_updated_qr *U, const double *A)
{
  size_t n = U->n, rows = lr_updated_qr_rows(U);
  double most = 0;
  for (size_t j = 0; j < U->k; j++)
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t l = 0; l < rows; l++)
        sum += U->Q[l * n + i] * U->R[j * U->ld + l];
      most = worse(most, fabs(sum - A[j * n + i]));
    }
  for (size_t j = 0; j < rows; j++)
    for (size_t l = 0; l < rows; l++) {
      double sum = 0;
      for (size_t i = 0; i < n; i++) sum += U->Q[j * n + i] * U->Q[l * n + i];
      most = worse(most, fabs(sum - (j == l ? 1 : 0)));
    }
  for (size_t j = 0; j < U->k; j++)
    for (size_t i = j + 1; i < rows; i++)
      most = worse(most, fabs(U->R[j * U->ld + i]));
  return most;
}

TEST("columns are appended, tall and wide")
{
  static double A[ROWS * COLUMNS];
  unsigned state = 3;
  lr_updated_qr U = made(ROWS);
  for (size_t k = 0; k < COLUMNS; k++) {
    for (size_t i = 0; i < ROWS; i++) A[k * ROWS + i] = chance(&state);
    require(lr_updated_qr_append(&U, A + k * ROWS) == LRGD_OK, "memory");
    require(error_of(&U, A) < 1e-13, "%zu columns: %g", k, error_of(&U, A));
  }
  check_int(lr_updated_qr_rows(&U), ROWS, "rows of R");
  lr_updated_qr_clear(&U);
}

TEST("columns that depend on others, and columns of zeros, are appended")
{
  static double A[ROWS * COLUMNS];
  unsigned state = 5;
  lr_updated_qr U = made(ROWS);
  for (size_t k = 0; k < 12; k++) {
    for (size_t i = 0; i < ROWS; i++)
      A[k * ROWS + i] = k % 3 == 0   ? chance(&state)
                        : k % 3 == 1 ? 2 * A[(k - 1) * ROWS + i]
                                     : 0;
    require(lr_updated_qr_append(&U, A + k * ROWS) == LRGD_OK, "memory");
    require(error_of(&U, A) < 1e-13, "%zu columns: %g", k, error_of(&U, A));
  }
  lr_updated_qr_clear(&U);
}

TEST("columns whose length has no finite inverse are appended")
{
  static double A[ROWS * COLUMNS];
  unsigned state = 11;
  lr_updated_qr U = made(ROWS);
  for (size_t k = 0; k < COLUMNS; k++) {
    for (size_t i = 0; i < ROWS; i++)
      A[k * ROWS + i] = (k % 3 == 1 ? 1e-312 : 1) * chance(&state);
    require(lr_updated_qr_append(&U, A + k * ROWS) == LRGD_OK, "memory");
    require(error_of(&U, A) < 1e-13, "%zu columns: %g", k, error_of(&U, A));
  }
  lr_updated_qr_clear(&U);
}

/* 400 matrices of rank one are added to an n x k one. */
static void update_often(size_t n, size_t k)
{
  static double A[ROWS * COLUMNS];
  double e[ROWS], K[COLUMNS];
  unsigned state = 7;
  lr_updated_qr U = made(n);
  for (size_t j = 0; j < k; j++) {
    for (size_t i = 0; i < n; i++) A[j * n + i] = chance(&state);
    require(lr_updated_qr_append(&U, A + j * n) == LRGD_OK, "memory");
  }
  for (int times = 0; times < 400; times++) {
    for (size_t i = 0; i < n; i++) e[i] = chance(&state);
    for (size_t j = 0; j < k; j++) K[j] = 0.1 * chance(&state);
    if (times % 5 == 0) memcpy(e, A, n * sizeof *e); /* in the range */
    for (size_t j = 0; j < k; j++)
      for (size_t i = 0; i < n; i++) A[j * n + i] += e[i] * K[j];
    lr_updated_qr_update(&U, e, K);
  }
  check(error_of(&U, A) < 1e-11, "%zu x %zu: %g", n, k, error_of(&U, A));
  lr_updated_qr_clear(&U);
}

TEST("matrices of rank one are added, to tall, square and wide ones")
{
  update_often(ROWS, 1);
  update_often(ROWS, 10);
  update_often(ROWS, ROWS - 1);
  update_often(ROWS, ROWS);
  update_often(ROWS, COLUMNS);
  update_often(1, 5);
}

TEST("Q turns a right-hand side")
{
  double a[3] = {3, 0, 4}, b[3] = {1, 2, 3}, y[3];
  lr_updated_qr U = made(3);
  require(lr_updated_qr_append(&U, a) == LRGD_OK, "memory");
  lr_updated_qr_turn(&U, b, y);
  check_near(y[0], 3, 1e-15, "(3 + 12) / 5");
  lr_updated_qr_forget(&U);
  check_int(lr_updated_qr_rows(&U), 0, "rows");
  lr_updated_qr_clear(&U);
}
