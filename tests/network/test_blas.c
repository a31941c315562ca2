/* The door to BLAS.  OpenBLAS is held by no one else in this program, so that
 * it can be loaded, looked at and loaded again. */
#include "blas.h"
#include "check.h"

#include <dlfcn.h>
#include <stdlib.h>

#define CORETYPE "OPENBLAS_CORETYPE"

static const char *const openblas[] = {"libopenblas.so.0"};
static const char *const nowhere[] = {"libnoblas.so.0", "libnorblas.so.3"};

/* What the processor can run: AVX2 and FMA. */
static bool is_new(void)
{
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

/* Gives OpenBLAS back, for the next test to load. */
static void close_table(lr_blas_table *table)
{
  if (table->library != NULL) dlclose(table->library);
}

/* OpenBLAS, with what the user has in the environment (NULL: nothing). */
static lrgd_status open_with(lr_blas_table *table, const char *wish)
{
  lrgd_error error = {.text = ""};
  if (wish != NULL)
    setenv(CORETYPE, wish, 1);
  else
    unsetenv(CORETYPE);
  return lr_blas_open(table, 1, openblas, &error);
}

TEST("only network/blas has loaded OpenBLAS")
{
  check(dlopen(openblas[0], RTLD_NOLOAD | RTLD_NOW) == NULL, "it is held");
}

TEST("the kernels are not the oldest where the processor is new")
{
  lr_blas_table table;
  require(open_with(&table, NULL) == LRGD_OK, "loaded");
  check(!is_new() || strcmp(table.kernels, "Prescott") != 0, "they are %s",
        table.kernels);
  check(getenv(CORETYPE) == NULL, "%s is left behind", getenv(CORETYPE));
  close_table(&table);
}

TEST("kernels that the user chooses are used, even the oldest")
{
  lr_blas_table table;
  require(open_with(&table, "Prescott") == LRGD_OK, "loaded");
  const char *left = getenv(CORETYPE);
  if (is_new())
    check(strcmp(table.kernels, "Prescott") == 0, "they are %s", table.kernels);
  check(left != NULL && strcmp(left, "Prescott") == 0, "the user's variable");
  close_table(&table);
  unsetenv(CORETYPE);
}

TEST("an OpenBLAS that is there keeps its kernels, and is used")
{
  lr_blas_table first, second;
  require(open_with(&first, "Prescott") == LRGD_OK, "loaded");
  require(open_with(&second, NULL) == LRGD_OK, "loaded again");
  check(strcmp(first.kernels, second.kernels) == 0, "%s, then %s",
        first.kernels, second.kernels);
  check(first.sgemm == second.sgemm, "another library");
  check(getenv(CORETYPE) == NULL, "%s is left behind", getenv(CORETYPE));
  close_table(&second);
  close_table(&first);
}

TEST(
    "only the oldest BLAS kernels are replaced, unless the user has chosen "
    "some")
{
  unsetenv(CORETYPE);
  check((lr_blas_better("Prescott") != NULL) == is_new(), "the oldest");
  check(lr_blas_better("Haswell") == NULL, "others");
  check(lr_blas_better("unknown") == NULL, "no OpenBLAS");
  setenv(CORETYPE, "Haswell", 1);
  check(lr_blas_better("Prescott") == NULL, "the user's wish");
  unsetenv(CORETYPE);
}

TEST("without a BLAS one sentence says what to install")
{
  lr_blas_table table;
  lrgd_error error = {.text = ""};
  check(lr_blas_open(&table, 2, nowhere, &error) == LRGD_ERR_INVALID, "status");
  check(strcmp(error.text,
               "networks need a BLAS: install libopenblas0-pthread "
               "(libnoblas.so.0 was not found)") == 0,
        "it says: %s", error.text);
  check(table.library == NULL && table.sgemm == NULL, "nothing is kept");
  check(strcmp(table.kernels, "unknown") == 0, "kernels");
}

TEST("a library without the routines is passed over")
{
  static const char *const names[] = {"libc.so.6", "libopenblas.so.0"};
  lr_blas_table table;
  lrgd_error error = {.text = ""};
  require(lr_blas_open(&table, 2, names, &error) == LRGD_OK, "loaded");
  check(table.dsyrk != NULL, "the second was taken");
  close_table(&table);
  check(lr_blas_open(&table, 1, names, &error) == LRGD_ERR_INVALID, "neither");
}

/* Entries are small integers: sums are exact in any order. */
TEST("the routines compute what their names say")
{
  enum { M = 3, N = 2, K = 4 };
  float A[M * K], B[K * N], C[M * N], y[M], ones[K] = {1, 1, 1, 1};
  double S[9] = {0}, v[] = {1, 2, 3};
  lrgd_error error = {.text = ""};
  require(lr_blas_need(&error) == LRGD_OK, "%s", error.text);
  for (int i = 0; i < M * K; i++) A[i] = (float)(i % 5);
  for (int i = 0; i < K * N; i++) B[i] = (float)(i % 3);
  lr_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, N, K, 1, A, K, B,
                N, 0, C, N);
  lr_blas.sgemv(CblasRowMajor, CblasNoTrans, M, K, 1, A, K, ones, 1, 0, y, 1);
  for (int i = 0; i < M; i++) {
    float sums[N] = {0, 0}, row = 0;
    for (int k = 0; k < K; k++) {
      row += A[i * K + k];
      for (int j = 0; j < N; j++) sums[j] += A[i * K + k] * B[k * N + j];
    }
    check(C[i * N] == sums[0] && C[i * N + 1] == sums[1], "sgemm, row %d", i);
    check(y[i] == row, "sgemv, row %d", i);
  }
  lr_blas.saxpy(K, 2, ones, 1, A, 1); /* 0 1 2 3 */
  lr_blas.sscal(K, 3, A, 1);
  check(A[0] == 6 && A[3] == 15, "saxpy and sscal");
  check(lr_blas.dsdot(K, A, 1, ones, 1) == 42, "dsdot");
  lr_blas.dsyr(CblasColMajor, CblasUpper, 3, 2, v, 1, S, 3);
  check(S[0] == 2 && S[3] == 4 && S[7] == 12 && S[1] == 0, "dsyr");
  lr_blas.dsyrk(CblasColMajor, CblasUpper, CblasTrans, 1, 3, 1, v, 3, 0, S, 3);
  check(S[0] == 14, "dsyrk");
}
