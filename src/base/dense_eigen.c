/* Eigenvalues and -vectors of a symmetric matrix: reflections to tridiagonal
 * form, then the implicit QL algorithm with Wilkinson's shift (Parlett, The
 * Symmetric Eigenvalue Problem, chapter 8), from the end of the smaller numbers
 * as LAPACK's dsteqr does.  Rotations are gathered and applied to the vectors
 * strip by strip, so that a strip stays in the cache. */
#include "base/dense_work.h"
#include "base/vector.h"
#include "base/wide.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 64 }; /* the most sweeps whose rotations are gathered */

/* The rotations of one sweep: of columns (i, i + 1), i = count - 1 ... 0,
 * counted from `first` in the direction of `step`. */
typedef struct sweep {
  size_t first, count, at; /* at: where its rotations begin in c and s */
  bool back;               /* columns are counted downwards */
} sweep;

typedef struct tridiagonal {
  lr_dense *w;
  size_t n;
  double *d, *e; /* diagonal and off-diagonal entries */
  double *c, *s; /* the rotations gathered so far, and the capacity */
  size_t room, gathered, sweeps;
  sweep list[SWEEPS];
} tridiagonal;

/* ---- reduction ---- */

/* Reduces column k of the remaining matrix to (d, e, 0 ...); stores the
 * reflection's v in its place. */
static void reduce_column(size_t m, double *B, size_t ld, double *tau,
                          double *e, double *p)
{
  double *v = B + 1, *rest = B + ld + 1;
  *tau = lr_reflection(m - 1, v, e);
  if (*tau == 0) return;
  lr_symv(m - 1, rest, ld, v, p);
  lr_scale(m - 1, *tau, p);
  lr_axpy(m - 1, -0.5 * *tau * lr_dot(m - 1, p, v), v, p);
  lr_syr2(m - 1, -1, v, p, rest, ld);
}

/* B = Q T Q': the diagonals of T, and Q in S. */
static void reduce(tridiagonal *t, double *B)
{
  lr_dense *w = t->w;
  size_t n = t->n;
  double *tau = w->vector + 2 * n, *p = tau + n;
  for (size_t k = 0; k + 1 < n; k++) {
    double *at = B + k * n + k;
    t->d[k] = at[0];
    reduce_column(n - k, at, n, tau + k, t->e + k, p);
  }
  t->d[n - 1] = B[n * n - 1];
  for (size_t j = 0; j < n; j++) memset(w->S + j * w->ld, 0, w->ld * sizeof *p);
  lr_set_identity(w->S, n, w->ld);
  if (n < 2) return;
  lr_reflect(n - 1, n - 1, B + 1, n, tau, n - 1, w->S + w->ld + 1, w->ld, true);
}

/* ---- rotations ---- */

/* Applies one sweep to LR_STRIP rows of the vectors; z is the column rotated
 * next. */
LR_WIDE static void turn_strip(size_t count, double *last, ptrdiff_t step,
                               const double *c, const double *s)
{
  double z[LR_STRIP], a[LR_STRIP], b[LR_STRIP];
  for (size_t l = 0; l < LR_STRIP; l++) z[l] = last[l];
  for (size_t i = 0; i < count; i++, last -= step) {
    double ci = c[i], si = s[i];
    for (size_t l = 0; l < LR_STRIP; l++) a[l] = (last - step)[l];
    for (size_t l = 0; l < LR_STRIP; l++) b[l] = si * a[l] + ci * z[l];
    for (size_t l = 0; l < LR_STRIP; l++) z[l] = ci * a[l] - si * z[l];
    for (size_t l = 0; l < LR_STRIP; l++) last[l] = b[l];
  }
  for (size_t l = 0; l < LR_STRIP; l++) last[l] = z[l];
}

static void apply_sweeps(tridiagonal *t)
{
  lr_dense *w = t->w;
  for (size_t row = 0; row < t->n; row += LR_STRIP)
    for (size_t i = 0; i < t->sweeps; i++) {
      const sweep *s = t->list + i;
      ptrdiff_t step = s->back ? -(ptrdiff_t)w->ld : (ptrdiff_t)w->ld;
      double *first = w->S + s->first * w->ld + row;
      turn_strip(s->count, first + (ptrdiff_t)s->count * step, step,
                 t->c + s->at, t->s + s->at);
    }
  t->sweeps = t->gathered = 0;
}

/* ---- QL ---- */

/* (c, s) with c g + s f = r and c f - s g = 0. */
static double make_rotation(double g, double f, double *c, double *s)
{
  double r = lr_length(g, f);
  *c = r > 0 ? g / r : 1;
  *s = r > 0 ? f / r : 0;
  return r;
}

/* One implicit QL sweep on the unreduced block of count + 1 numbers that begins
 * with `first`; `back`: on the block read from its end, which is QR. */
static void sweep_block(tridiagonal *t, size_t first, size_t count, bool back)
{
  if (t->sweeps == SWEEPS || t->gathered + count > t->room) apply_sweeps(t);
  t->list[t->sweeps++] = (sweep){first, count, t->gathered, back};
  ptrdiff_t step = back ? -1 : 1, m = (ptrdiff_t)count;
  double *d = t->d + first, *e = back ? t->e + first - 1 : t->e + first;
  double *out_c = t->c + t->gathered, *out_s = t->s + t->gathered;
  double g = (d[step] - d[0]) / (2 * e[0]), r = lr_length(g, 1);
  double c = 1, s = 1, p = 0;
  g = d[m * step] - d[0] + e[0] / (g + copysign(r, g));
  for (ptrdiff_t i = m - 1; i >= 0; i--) {
    double f = s * e[i * step], b = c * e[i * step];
    r = make_rotation(g, f, &c, &s);
    if (i + 1 < m) e[(i + 1) * step] = r;
    g = d[(i + 1) * step] - p;
    r = (d[i * step] - g) * s + 2 * c * b;
    p = s * r;
    d[(i + 1) * step] = g + p;
    g = c * r - b;
    *out_c++ = c;
    *out_s++ = s;
  }
  d[0] -= p;
  e[0] = g;
  t->gathered += count;
}

/* Whether e[i] is negligible relative to its neighbours; the matrix is scaled
 * to a norm of about one. */
static bool negligible(const tridiagonal *t, size_t i)
{
  double e = fabs(t->e[i]), a = sqrt(fabs(t->d[i]));
  double b = sqrt(fabs(t->d[i + 1]));
  return e <= DBL_EPSILON * a * b || e < DBL_MIN;
}

/* Iterates until the matrix is diagonal.  Wilkinson's shift needs two or three
 * sweeps an eigenvalue; returns false after 30. */
static bool diagonalise(tridiagonal *t)
{
  size_t end = t->n - 1, first_before = t->n, end_before = t->n;
  bool back = false;
  for (size_t left = 30 * t->n; end > 0;) {
    size_t first = end;
    while (first > 0 && !negligible(t, first - 1)) first--;
    if (first > 0) t->e[first - 1] = 0;
    if (first == end) {
      end--;
      continue;
    }
    if (left-- == 0) return false;
    if (first != first_before || end != end_before)
      back = fabs(t->d[end]) < fabs(t->d[first]);
    first_before = first;
    end_before = end;
    sweep_block(t, back ? end : first, end - first, back);
  }
  apply_sweeps(t);
  return true;
}

/* ---- the decomposition ---- */

/* Sorts by insertion: equal values keep their order. */
static void sort_values(size_t n, const double *d, size_t *order)
{
  for (size_t i = 0; i < n; i++) {
    size_t at = i;
    for (; at > 0 && d[order[at - 1]] > d[i]; at--) order[at] = order[at - 1];
    order[at] = i;
  }
}

lrgd_status lr_eigen(lr_dense *w, size_t m, double *B, double *lambda)
{
  if (m > w->n) return LRGD_ERR_INVALID;
  double scale = lr_scale_down(B, m * m);
  if (scale < 0) return LRGD_ERR_NUMERIC;
  if (!(scale > 0)) {
    for (size_t i = 0; i < m; i++) lambda[i] = 0;
    lr_set_identity(B, m, m);
    return LRGD_OK;
  }
  tridiagonal t = {.w = w, .n = m, .room = 16 * w->n};
  t.d = w->vector;
  t.e = t.d + m;
  t.c = w->turns;
  t.s = t.c + t.room;
  reduce(&t, B);
  if (!diagonalise(&t)) return LRGD_ERR_NUMERIC;
  sort_values(m, t.d, w->order);
  for (size_t j = 0; j < m; j++) {
    lambda[j] = t.d[w->order[j]];
    memcpy(B + j * m, w->S + w->order[j] * w->ld, m * sizeof *B);
    lr_turn_positive(m, B + j * m);
  }
  lr_scale_up(lambda, m, scale);
  return LRGD_OK;
}
