/* Calls LAPACK through its Fortran interface, with workspace of our own. */
#include "base/lapack.h"

#include "base/finite.h"
#include "base/memory.h"

#include <float.h>
#include <limits.h>
#include <math.h>

void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n,
             double *a, const int *lda, double *s, double *u, const int *ldu,
             double *vt, const int *ldvt, double *work, const int *lwork,
             int *info);
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a,
            const int *lda, double *w, double *work, const int *lwork,
            int *info);

void dsytrf_(const char *uplo, const int *n, double *a, const int *lda,
             int *pivots, double *work, const int *lwork, int *info);
void dsytri_(const char *uplo, const int *n, double *a, const int *lda,
             const int *pivots, double *work, int *info);

struct lr_lapack {
  lrgd_allocator allocator;
  size_t n;
  int lwork;
  double *work;
  int *pivots;
};

lr_lapack *lr_lapack_create(const lrgd_allocator *a, size_t n)
{
  /* all of them are content with 5 n + 64 * n (blocks of up to 64) */
  size_t lwork;
  if (!lr_product(n, 72, 1, &lwork) || lwork + 64 > INT_MAX) return NULL;
  lr_lapack *w = lr_alloc(a, 1, sizeof *w);
  if (!w) return NULL;
  w->allocator = *a;
  w->n = n;
  w->lwork = (int)lwork + 64;
  w->work = lr_alloc(a, lwork + 64, sizeof *w->work);
  w->pivots = lr_alloc(a, n, sizeof *w->pivots);
  if (!w->work || !w->pivots) lr_lapack_destroy(&w);
  return w;
}

void lr_lapack_destroy(lr_lapack **w)
{
  if (!*w) return;
  lrgd_allocator a = (*w)->allocator;
  lr_free(&a, (*w)->work);
  lr_free(&a, (*w)->pivots);
  lr_free(&a, *w);
  *w = NULL;
}

/* Divides A by a power of two that brings its largest entry to [1, 2) and
 * returns that power; 0 for a zero matrix; -1 where A is not finite. */
static double scale_down(double *A, size_t count)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    if (!lr_finite(A[i])) return -1;
    if (fabs(A[i]) > largest) largest = fabs(A[i]);
  }
  if (!(largest > 0)) return 0;
  int e = ilogb(largest);
  for (size_t i = 0; i < count; i++) A[i] = scalbn(A[i], -e);
  return scalbn(1.0, e);
}

/* What overflows on the way back becomes the largest number. */
static void scale_up(double *s, size_t m, double scale)
{
  for (size_t i = 0; i < m; i++)
    s[i] = fmax(fmin(s[i] * scale, DBL_MAX), -DBL_MAX);
}

static void set_identity(double *A, size_t m)
{
  for (size_t i = 0; i < m * m; i++) A[i] = 0;
  for (size_t i = 0; i < m; i++) A[i * (m + 1)] = 1;
}

lrgd_status lr_svd(lr_lapack *w, size_t m, double *R, double *s)
{
  if (m > w->n) return LRGD_ERR_INVALID;
  double scale = scale_down(R, m * m);
  if (scale < 0) return LRGD_ERR_NUMERIC;
  if (!(scale > 0)) {
    for (size_t i = 0; i < m; i++) s[i] = 0;
    set_identity(R, m);
    return LRGD_OK;
  }
  int n = (int)m, one = 1, info = 0;
  double none;
  dgesvd_("O", "N", &n, &n, R, &n, s, &none, &one, &none, &one, w->work,
          &w->lwork, &info);
  scale_up(s, m, scale);
  return info == 0 ? LRGD_OK : LRGD_ERR_NUMERIC;
}

lrgd_status lr_eigen(lr_lapack *w, size_t m, double *B, double *lambda)
{
  if (m > w->n) return LRGD_ERR_INVALID;
  double scale = scale_down(B, m * m);
  if (scale < 0) return LRGD_ERR_NUMERIC;
  if (!(scale > 0)) {
    for (size_t i = 0; i < m; i++) lambda[i] = 0;
    set_identity(B, m);
    return LRGD_OK;
  }
  int n = (int)m, info = 0;
  dsyev_("V", "L", &n, B, &n, lambda, w->work, &w->lwork, &info);
  scale_up(lambda, m, scale);
  return info == 0 ? LRGD_OK : LRGD_ERR_NUMERIC;
}

lrgd_status lr_invert(lr_lapack *w, size_t m, double *A, size_t ld)
{
  if (m > w->n) return LRGD_ERR_INVALID;
  for (size_t j = 0; j < m; j++)
    if (!lr_all_finite(A + j * ld + j, m - j)) return LRGD_ERR_NUMERIC;
  int n = (int)m, lda = (int)ld, info = 0;
  dsytrf_("L", &n, A, &lda, w->pivots, w->work, &w->lwork, &info);
  if (info == 0) dsytri_("L", &n, A, &lda, w->pivots, w->work, &info);
  return info == 0 ? LRGD_OK : LRGD_ERR_NUMERIC;
}
