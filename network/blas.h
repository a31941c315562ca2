/* The one door to BLAS: a table of the CBLAS routines that networks use.
 *
 * The library is loaded when the first network is made, by name: nothing links
 * it, and whoever makes no network needs none.  Known here: how OpenBLAS
 * chooses its kernels.  Not known: what is computed with them. */
#ifndef LR_BLAS_H
#define LR_BLAS_H

#include <lrgd/lrgd.h>

/* As the CBLAS interface numbers them (BLAS Technical Forum, 2001, B.2). */
enum { CblasRowMajor = 101, CblasColMajor = 102 };
enum { CblasNoTrans = 111, CblasTrans = 112 };
enum { CblasUpper = 121, CblasLower = 122 };

typedef struct lr_blas_table {
  void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k,
                float alpha, const float *A, int lda, const float *B, int ldb,
                float beta, float *C, int ldc);
  void (*sgemv)(int order, int trans, int m, int n, float alpha, const float *A,
                int lda, const float *x, int incx, float beta, float *y,
                int incy);
  void (*saxpy)(int n, float alpha, const float *x, int incx, float *y,
                int incy);
  void (*sscal)(int n, float alpha, float *x, int incx);
  double (*dsdot)(int n, const float *x, int incx, const float *y, int incy);
  void (*dsyr)(int order, int uplo, int n, double alpha, const double *x,
               int incx, double *A, int lda);
  void (*dsyrk)(int order, int uplo, int trans, int n, int k, double alpha,
                const double *A, int lda, double beta, double *C, int ldc);
  void *library;    /* of dlopen, for the benchmarks' other routines */
  char kernels[32]; /* of OpenBLAS; "unknown" where a BLAS does not tell */
} lr_blas_table;

/* The table in use: of the process, as the library behind it is.  lr_mlp_make
 * fills it; before that only kernels may be read. */
extern lr_blas_table lr_blas;

/* Fills lr_blas, the first time.  OPENBLAS_CORETYPE may be in the environment
 * for the milliseconds of loading: call it before there are threads that read
 * the environment.  LRGD_ERR_INVALID where there is no BLAS. */
LRGD_MUST_CHECK lrgd_status lr_blas_need(lrgd_error *error);

/* The same for another table, from the first of these libraries that has the
 * routines; kept until the process ends. */
LRGD_MUST_CHECK lrgd_status lr_blas_open(lr_blas_table *table, size_t count,
                                         const char *const *names,
                                         lrgd_error *error);

/* What to set OPENBLAS_CORETYPE to where OpenBLAS runs these kernels; NULL:
 * they are fine, or the user has set it. */
const char *lr_blas_better(const char *kernels);

#endif
