/* Bidiagonal reduction by Householder reflections, damped systems by Givens
 * rotations. */
#include "base/damped.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "base/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

void lr_damped_init(lr_damped *s, const lrgd_allocator *a)
{
  *s = (lr_damped){.allocator = *a};
}

void lr_damped_clear(lr_damped *s)
{
  if (!s->allocator.alloc) return;
  lr_free(&s->allocator, s->A);
  lr_free(&s->allocator, s->d);
  lr_free(&s->allocator, s->work);
  *s = (lr_damped){.allocator = s->allocator};
}

lrgd_status lr_damped_reserve(lr_damped *s, size_t rows, size_t k)
{
  if (rows <= s->rows && k <= s->room) return LRGD_OK;
  size_t n = rows > s->rows ? 2 * rows : s->rows;
  size_t room = k > s->room ? 2 * k : s->room;
  lrgd_allocator a = s->allocator;
  lr_damped_clear(s);
  s->A = lr_alloc_raw(&a, n * room, sizeof *s->A);
  s->d = lr_alloc(&a, 4 * room, sizeof *s->d);
  s->work = lr_alloc(&a, n + 4 * room, sizeof *s->work);
  if (!s->A || !s->d || !s->work) return LRGD_ERR_NOMEM;
  s->e = s->d + room, s->tau = s->e + room, s->g = s->tau + room;
  s->rows = n, s->room = room;
  return LRGD_OK;
}

/* A reflector I - tau v v', v[0] = 1, that maps x to beta e_1: v is left in
 * x[1..], and x[0] becomes beta.  Numbers whose inverse overflows count as
 * zero. */
static double reflector(size_t n, double *x)
{
  double rest = n > 1 ? lr_norm(n - 1, x + 1) : 0;
  if (!(rest >= DBL_MIN)) return 0;
  double beta = -copysign(lr_hypot(x[0], rest), x[0]);
  double tau = (beta - x[0]) / beta;
  lr_scale(n - 1, 1 / (x[0] - beta), x + 1);
  x[0] = beta;
  return tau;
}

/* Applies a reflection: y <- (I - tau v v') y; v[0] is taken as 1, whatever is
 * stored there. */
static void reflect(size_t n, const double *v, double tau, double *y)
{
  if (!(tau != 0)) return;
  double c = tau * (y[0] + lr_dot(n - 1, v + 1, y + 1));
  y[0] -= c;
  lr_axpy(n - 1, -c, v + 1, y + 1);
}

void lr_qr(size_t n, size_t k, double *A, size_t ld, double *b)
{
  for (size_t j = 0; j < k && j + 1 < n; j++) {
    double *v = A + j * ld + j, tau = reflector(n - j, v);
    for (size_t i = j + 1; i < k; i++) reflect(n - j, v, tau, A + i * ld + j);
    if (b) reflect(n - j, v, tau, b + j);
  }
}

/* Row j of A from column j + 1 on becomes (e_j, 0, ..., 0) by a reflection of
 * columns; its vector is kept in that row. */
static void reflect_row(lr_damped *s, size_t j)
{
  size_t k = s->k, n = k - j - 1, rows = k - j - 1;
  double *v = s->work, *w = s->work + k, *A = s->A;
  for (size_t i = 0; i < n; i++) v[i] = A[(j + 1 + i) * k + j];
  double tau = reflector(n, v);
  s->e[j] = v[0];
  s->tau[j] = tau;
  v[0] = 1;
  memset(w, 0, rows * sizeof *w); /* A v, below row j */
  lr_gemv(rows, n, A + (j + 1) * k + j + 1, k, v, w);
  for (size_t i = 0; i < n; i++)
    lr_axpy(rows, -tau * v[i], w, A + (j + 1 + i) * k + j + 1);
  for (size_t i = 0; i < n; i++) A[(j + 1 + i) * k + j] = v[i];
}

/* Removes the gap between columns: the n x k factor becomes k numbers a
 * column. */
static void pack(lr_damped *s, size_t n)
{
  size_t k = s->k;
  for (size_t j = 0; j < k; j++) {
    memmove(s->A + j * k, s->A + j * n, (j + 1) * sizeof *s->A);
    memset(s->A + j * k + j + 1, 0, (k - j - 1) * sizeof *s->A);
  }
}

void lr_damped_factor(lr_damped *s, size_t n, size_t k, double *b)
{
  double sum = 0;
  s->k = k;
  lr_qr(n, k, s->A, n, b);
  pack(s, n);
  memcpy(s->g, b, k * sizeof *b);
  for (size_t j = 0; j < k; j++) {
    double *v = s->A + j * k + j, tau = reflector(k - j, v);
    for (size_t i = j + 1; i < k; i++) reflect(k - j, v, tau, s->A + i * k + j);
    reflect(k - j, v, tau, s->g + j);
    s->d[j] = v[0];
    if (j + 1 < k) reflect_row(s, j);
    sum += s->d[j] * s->d[j] + (j + 1 < k ? s->e[j] * s->e[j] : 0);
  }
  s->largest = sqrt(sum);
}

/* y(mu) in the coordinates of B, stored in the first k numbers of work. */
static double *solve_bidiagonal(lr_damped *s, double mu)
{
  size_t k = s->k;
  double *y = s->work, *r = y + k, *c = r + k;
  /* the damping row: entry t in column i, right-hand side h */
  double t = sqrt(mu), h = 0;
  for (size_t i = 0; i < k; i++) {
    double e = i + 1 < k ? s->e[i] : 0, z = lr_hypot(s->d[i], t);
    double cosine = z > 0 ? s->d[i] / z : 1, sine = z > 0 ? t / z : 0;
    double fill = -sine * e, below = -sine * s->g[i] + cosine * h;
    r[i] = z;
    c[i] = cosine * e;
    y[i] = cosine * s->g[i] + sine * h;
    t = lr_hypot(sqrt(mu), fill);
    h = t > 0 ? fill * below / t : 0;
  }
  for (size_t i = k; i-- > 0;) {
    double above = i + 1 < k ? c[i] * y[i + 1] : 0;
    y[i] = r[i] > 0 ? (-y[i] - above) / r[i] : 0;
  }
  return y;
}

double lr_damped_norm2(lr_damped *s, double mu)
{
  const double *y = solve_bidiagonal(s, mu);
  return lr_dot(s->k, y, y);
}

void lr_damped_solve(lr_damped *s, double mu, double *z)
{
  size_t k = s->k;
  memcpy(z, solve_bidiagonal(s, mu), k * sizeof *z);
  for (size_t j = k; j-- > 0;) { /* z = W y */
    if (j + 1 >= k) continue;
    double *v = s->work;
    for (size_t i = 0; i < k - j - 1; i++) v[i] = s->A[(j + 1 + i) * k + j];
    reflect(k - j - 1, v, s->tau[j], z + j + 1);
  }
}
