/* Scratch, scaling and reflections of the decompositions. */
#include "base/dense.h"

#include "base/dense_work.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- creation and destruction ---- */

lr_dense *lr_dense_create(const lrgd_allocator *a, size_t n)
{
  /* the leading dimension: n rounded up to whole strips, and 8 more, so that
   * columns are not a power of two apart, where they share lines of the cache
   */
  size_t ld = (n / LR_STRIP + 1) * LR_STRIP + 8, count;
  if (n > SIZE_MAX / 64 || !lr_product(ld, n, 1, &count)) return NULL;
  lr_dense *w = lr_alloc(a, 1, sizeof *w);
  if (!w) return NULL;
  w->allocator = *a;
  w->n = n;
  w->ld = ld;
  w->S = lr_alloc(a, count, sizeof *w->S);
  w->vector = lr_alloc(a, 6 * n, sizeof *w->vector);
  w->turns = lr_alloc(a, 32 * n, sizeof *w->turns);
  w->order = lr_alloc(a, 2 * n, sizeof *w->order);
  if (!w->S || !w->vector || !w->turns || !w->order) lr_dense_destroy(&w);
  return w;
}

void lr_dense_destroy(lr_dense **w)
{
  if (!*w) return;
  lrgd_allocator a = (*w)->allocator;
  lr_free(&a, (*w)->S);
  lr_free(&a, (*w)->vector);
  lr_free(&a, (*w)->turns);
  lr_free(&a, (*w)->order);
  lr_free(&a, *w);
  *w = NULL;
}

/* ---- numbers ---- */

double lr_scale_down(double *A, size_t count)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    if (!lr_finite(A[i])) return -1;
    if (fabs(A[i]) > largest) largest = fabs(A[i]);
  }
  if (!(largest > 0)) return 0;
  int e = ilogb(largest);
  double by = scalbn(1.0, -e); /* exact, unless it over- or underflows */
  if (e < -1000 || e > 1000)
    for (size_t i = 0; i < count; i++) A[i] = scalbn(A[i], -e);
  else if (e != 0)
    lr_scale(count, by, A);
  return scalbn(1.0, e);
}

void lr_scale_up(double *s, size_t m, double scale)
{
  for (size_t i = 0; i < m; i++)
    s[i] = fmax(fmin(s[i] * scale, DBL_MAX), -DBL_MAX);
}

void lr_set_identity(double *A, size_t m, size_t ld)
{
  for (size_t j = 0; j < m; j++) {
    memset(A + j * ld, 0, m * sizeof *A);
    A[j * ld + j] = 1;
  }
}

void lr_turn_positive(size_t n, double *x)
{
  double largest = 0;
  for (size_t i = 0; i < n; i++)
    if (fabs(x[i]) > fabs(largest)) largest = x[i];
  if (largest < 0)
    for (size_t i = 0; i < n; i++) x[i] = -x[i];
}

/* ---- reflections ---- */

double lr_reflection(size_t n, double *x, double *beta)
{
  double alpha = x[0], rest = n > 1 ? lr_norm(n - 1, x + 1) : 0;
  *beta = alpha;
  x[0] = 1;
  if (!(rest > 0)) return 0;
  *beta = -copysign(lr_length(alpha, rest), alpha);
  double by = alpha - *beta;
  for (size_t i = 1; i < n; i++) x[i] /= by;
  return (*beta - alpha) / *beta;
}

/* The triangle T of H_0 ... H_(k-1) = I - V T V' (Schreiber and Van Loan, SIAM
 * J. Sci. Stat. Comput. 10, 1989), upper half, LR_BLOCK numbers a column. */
static void find_triangle(size_t n, size_t k, const double *V, size_t ldv,
                          const double *tau, double *T)
{
  for (size_t j = 0; j < k; j++) {
    double c[LR_BLOCK], *t = T + j * LR_BLOCK;
    lr_gemv_t(n, j, V, ldv, V + j * ldv, c);
    for (size_t i = 0; i < j; i++) {
      double sum = 0;
      for (size_t l = i; l < j; l++) sum += T[l * LR_BLOCK + i] * c[l];
      t[i] = -tau[j] * sum;
    }
    t[j] = tau[j];
  }
}

/* q -= V T V'q */
static void reflect_column(size_t n, size_t k, const double *V, size_t ldv,
                           const double *T, double *q)
{
  double c[LR_BLOCK], d[LR_BLOCK];
  lr_gemv_t(n, k, V, ldv, q, c);
  for (size_t i = 0; i < k; i++) {
    d[i] = 0;
    for (size_t j = i; j < k; j++) d[i] -= T[j * LR_BLOCK + i] * c[j];
  }
  lr_gemv(n, k, V, ldv, d, q);
}

void lr_reflect(size_t n, size_t k, double *V, size_t ldv, const double *tau,
                size_t m, double *S, size_t lds, bool lower)
{
  double T[LR_BLOCK * LR_BLOCK];
  for (size_t end = k; end > 0;) {
    size_t first = (end - 1) / LR_BLOCK * LR_BLOCK, count = end - first;
    double *Vb = V + first * ldv + first;
    for (size_t j = 1; j < count; j++) memset(Vb + j * ldv, 0, j * sizeof *V);
    find_triangle(n - first, count, Vb, ldv, tau + first, T);
    for (size_t j = lower ? first : 0; j < m; j++)
      reflect_column(n - first, count, Vb, ldv, T, S + j * lds + first);
    end = first;
  }
}
