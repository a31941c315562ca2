/* Influence of every panel on every other, and the one linear system. */
#include "panels.h"

#include "analytic.h"

#include <math.h>

typedef double complex number;

/* One row for each panel, one for Kutta's condition, the right side last. */
typedef struct flow {
  size_t n;
  const number *x, *y;
  number *A;     /* (n + 1) x (n + 2), by rows */
  number *L, *B; /* n x n: log of distances, angles subtended */
  number *cosine, *sine;
} flow;

size_t lr_panels_room(size_t n)
{
  return (n + 1) * (n + 2) + 2 * n * n + 2 * n;
}

/* The angle of (x, y), first order in the imaginary parts. */
static number angle(number y, number x)
{
  double a = creal(x), b = creal(y);
  double imaginary = (a * cimag(y) - b * cimag(x)) / (a * a + b * b);
  return lr_atan2(b, a) + imaginary * I;
}

static number square(number x, number y)
{
  return x * x + y * y;
}

/* log(r_(j+1) / r_j) from the middle of panel i to the ends of panel j, and
 * the angle under which it sees them. */
static void look(const flow *f, size_t i, size_t j)
{
  const number *x = f->x, *y = f->y;
  number mx = 0.5 * (x[i] + x[i + 1]), my = 0.5 * (y[i] + y[i + 1]);
  number ax = mx - x[j], ay = my - y[j];
  number bx = mx - x[j + 1], by = my - y[j + 1];
  number *l = &f->L[i * f->n + j], *b = &f->B[i * f->n + j];
  if (i == j) {
    *l = 0;
    *b = LR_PI;
    return;
  }
  *l = 0.5 * lr_clog(lr_cdiv(square(bx, by), square(ax, ay)));
  *b = angle(by * ax - bx * ay, bx * ax + by * ay);
}

static void survey(const flow *f)
{
  for (size_t i = 0; i < f->n; i++) {
    number dx = f->x[i + 1] - f->x[i], dy = f->y[i + 1] - f->y[i];
    number length = lr_csqrt(square(dx, dy));
    f->cosine[i] = lr_cdiv(dx, length);
    f->sine[i] = lr_cdiv(dy, length);
    for (size_t j = 0; j < f->n; j++) look(f, i, j);
  }
}

/* What a source of strength 2 pi on panel j, and a vortex, do at panel i:
 * across it a = sin L + cos B (source), along it b = sin B - cos L (source);
 * a vortex does -b across and a along. */
typedef struct effect {
  number a, b;
} effect;

static effect effect_of(const flow *f, size_t i, size_t j)
{
  number l = f->L[i * f->n + j], b = f->B[i * f->n + j];
  number cosine = f->cosine[i] * f->cosine[j] + f->sine[i] * f->sine[j];
  number sine = f->sine[i] * f->cosine[j] - f->cosine[i] * f->sine[j];
  return (effect){sine * l + cosine * b, sine * b - cosine * l};
}

static void assemble(const flow *f, double alpha)
{
  size_t n = f->n, w = n + 2;
  number *kutta = f->A + n * w;
  for (size_t j = 0; j < w; j++) kutta[j] = 0;
  for (size_t i = 0; i < n; i++) {
    number *row = f->A + i * w;
    row[n] = 0;
    for (size_t j = 0; j < n; j++) {
      effect e = effect_of(f, i, j);
      row[j] = e.a;
      row[n] -= e.b;
      if (i > 0 && i + 1 < n) continue; /* the two at the trailing edge */
      kutta[j] += e.b;
      kutta[n] += e.a;
    }
    row[n + 1] = f->sine[i] * lr_cos(alpha) - f->cosine[i] * lr_sin(alpha);
    if (i == 0 || i + 1 == n)
      kutta[n + 1] -= f->cosine[i] * lr_cos(alpha) + f->sine[i] * lr_sin(alpha);
  }
}

/* a b by parts: the language's own product looks out for infinities, at several
 * times the price. */
static number product(number a, number b)
{
  double re = creal(a) * creal(b) - cimag(a) * cimag(b);
  double im = creal(a) * cimag(b) + cimag(a) * creal(b);
  return re + im * I;
}

/* Gauss's elimination with row exchanges; the answer is the last column. */
static int eliminate(size_t m, number *A)
{
  size_t w = m + 1;
  for (size_t k = 0; k < m; k++) {
    size_t best = k;
    for (size_t i = k; i < m; i++)
      if (fabs(creal(A[i * w + k])) > fabs(creal(A[best * w + k]))) best = i;
    if (!(fabs(creal(A[best * w + k])) > 0)) return 0;
    for (size_t j = k; j < w && best != k; j++) {
      number other = A[k * w + j];
      A[k * w + j] = A[best * w + j];
      A[best * w + j] = other;
    }
    for (size_t i = k + 1; i < m; i++) {
      number share = lr_cdiv(A[i * w + k], A[k * w + k]);
      for (size_t j = k + 1; j < w; j++)
        A[i * w + j] -= product(share, A[k * w + j]);
    }
  }
  for (size_t k = m; k-- > 0;) {
    for (size_t j = k + 1; j < m; j++)
      A[k * w + m] -= A[k * w + j] * A[j * w + m];
    A[k * w + m] = lr_cdiv(A[k * w + m], A[k * w + k]);
  }
  return 1;
}

int lr_panels_speed(size_t n, const double complex *x, const double complex *y,
                    double alpha, double complex *speed, double complex *room)
{
  flow f = {.n = n, .x = x, .y = y, .A = room};
  f.L = room + (n + 1) * (n + 2);
  f.B = f.L + n * n;
  f.cosine = f.B + n * n;
  f.sine = f.cosine + n;
  survey(&f);
  assemble(&f, alpha);
  if (!eliminate(n + 1, f.A)) return 0;
  for (size_t i = 0; i < n; i++) {
    number vortex = f.A[n * (n + 2) + n + 1];
    speed[i] = f.cosine[i] * lr_cos(alpha) + f.sine[i] * lr_sin(alpha);
    for (size_t j = 0; j < n; j++) {
      effect e = effect_of(&f, i, j);
      speed[i] += f.A[j * (n + 2) + n + 1] * e.b + vortex * e.a;
    }
  }
  return 1;
}
