/* f(x) = h(A^T x - s) + tail |x - c|^2: value, gradient, slopes, complex value.
 *
 * Rows are taken LR_BLOCK at a time: a block of A stays in cache for all
 * points of a batch, the gradient is needed only a block at a time for slopes
 * (d = U^T g costs p (q + k), less than the p q k of U^T A), and no callback
 * needs p numbers of scratch. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "composite.h"

static size_t block_rows(size_t p, size_t first)
{
  return p - first < LR_BLOCK ? p - first : LR_BLOCK;
}

/* c += U'g for the rows of one block. */
static void add_products(size_t rows, size_t k, const double *U, size_t p,
                         const double *g, double *c)
{
  double part[LR_SMALL];
  for (size_t j = 0; j < k; j += LR_SMALL) {
    size_t n = k - j < LR_SMALL ? k - j : LR_SMALL;
    lr_gemv_t(rows, n, U + j * p, p, g, part);
    for (size_t i = 0; i < n; i++) c[j + i] += part[i];
  }
}

/* z += A'x for the rows of one block: the real part in the order of real
 * points, so that slopes by complex steps are those of the same function. */
static void add_complex(size_t rows, size_t q, const double *A, size_t p,
                        const lrgd_complex *x, double complex *z)
{
  double re[LR_BLOCK], im[LR_BLOCK];
  for (size_t i = 0; i < rows; i++) {
    re[i] = x[i].re;
    im[i] = x[i].im;
  }
  for (size_t j = 0; j < q; j++)
    z[j] += lr_dot(rows, A + j * p, re) + lr_dot(rows, A + j * p, im) * I;
}

/* Z = A^T X - s for the m columns of X.  Each column is summed in the same
 * order whatever m is: a value is the same number alone and in a batch. */
static void project(const lr_composite *f, size_t p, size_t m, const double *X,
                    double *Z)
{
  size_t q = f->q;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < q; j++)
      Z[i * q + j] = (f->A ? 0 : X[i * p + j]) - (f->shift ? f->shift[j] : 0);
  for (size_t first = 0; f->A && first < p; first += LR_BLOCK)
    for (size_t i = 0; i < m; i++)
      add_products(block_rows(p, first), q, f->A + first, p, X + i * p + first,
                   Z + i * q);
}

static double tail_value(const lr_composite *f, size_t p, const double *x)
{
  double sum = 0;
  if (f->tail == 0) return 0;
  for (size_t i = 0; i < p; i++) {
    double far = x[i] - (f->centre ? f->centre[i] : 0);
    sum += far * far;
  }
  return f->tail * sum;
}

static void composite_values(size_t p, size_t m, const double *X, double *f,
                             void *user)
{
  const lr_composite *c = ((const lr_problem *)user)->data;
  double small[LR_SMALL];
  double *Z = lr_room(small, sizeof small, m * c->q * sizeof *Z);
  if (Z) project(c, p, m, X, Z);
  for (size_t i = 0; i < m; i++)
    f[i] = Z ? c->h(c->data, Z + i * c->q, NULL) + tail_value(c, p, X + i * p)
             : NAN;
  lr_room_free(Z, small);
}

static double composite_value(size_t p, const double *x, void *user)
{
  double f;
  composite_values(p, 1, x, &f, user);
  return f;
}

/* Rows first ... first + rows - 1 of grad f = A h'(z) + 2 tail (x - c). */
static void gradient_rows(const lr_composite *f, size_t p, const double *x,
                          const double *dz, size_t first, double *g)
{
  size_t rows = block_rows(p, first);
  if (f->A) {
    memset(g, 0, rows * sizeof *g);
    lr_gemv(rows, f->q, f->A + first, p, dz, g);
  } else {
    for (size_t i = 0; i < rows; i++)
      g[i] = first + i < f->q ? dz[first + i] : 0;
  }
  for (size_t i = 0; f->tail != 0 && i < rows; i++)
    g[i] +=
        2 * f->tail * (x[first + i] - (f->centre ? f->centre[first + i] : 0));
}

/* z and h'(z) go to zd (2 q numbers); returns f(x). */
static double core(const lr_composite *f, size_t p, const double *x, double *zd)
{
  project(f, p, 1, x, zd);
  return f->h(f->data, zd, zd + f->q) + tail_value(f, p, x);
}

static double composite_gradient(size_t p, const double *x, double *g,
                                 void *user)
{
  const lr_composite *c = ((const lr_problem *)user)->data;
  double small[2 * LR_SMALL], f = NAN;
  double *zd = lr_room(small, sizeof small, 2 * c->q * sizeof *zd);
  if (zd) f = core(c, p, x, zd);
  for (size_t first = 0; zd && first < p; first += LR_BLOCK)
    gradient_rows(c, p, x, zd + c->q, first, g + first);
  for (size_t i = 0; !zd && i < p; i++) g[i] = NAN;
  lr_room_free(zd, small);
  return f;
}

static double composite_slopes(size_t p, const double *x, size_t k,
                               const double *U, double *d, void *user)
{
  const lr_composite *c = ((const lr_problem *)user)->data;
  double small[2 * LR_SMALL], g[LR_BLOCK], f = NAN;
  double *zd = lr_room(small, sizeof small, 2 * c->q * sizeof *zd);
  if (zd) f = core(c, p, x, zd);
  for (size_t j = 0; j < k; j++) d[j] = zd ? 0 : NAN;
  for (size_t first = 0; zd && first < p; first += LR_BLOCK) {
    gradient_rows(c, p, x, zd + c->q, first, g);
    add_products(block_rows(p, first), k, U + first, p, g, d);
  }
  lr_room_free(zd, small);
  return f;
}

/* z = A^T x - s by two real products: A is real, and x has stride two. */
static void project_complex(const lr_composite *f, size_t p,
                            const lrgd_complex *x, double complex *z)
{
  for (size_t j = 0; j < f->q; j++) {
    z[j] = -(f->shift ? f->shift[j] : 0);
    if (!f->A) z[j] += x[j].re + x[j].im * I;
  }
  if (!f->A) return;
  for (size_t first = 0; first < p; first += LR_BLOCK)
    add_complex(block_rows(p, first), f->q, f->A + first, p, x + first, z);
}

static lrgd_complex composite_complex(size_t p, const lrgd_complex *x,
                                      void *user)
{
  const lr_composite *c = ((const lr_problem *)user)->data;
  double complex small[LR_SMALL], f = 0;
  double complex *z = lr_room(small, sizeof small, c->q * sizeof *z);
  if (!z) return (lrgd_complex){NAN, NAN};
  project_complex(c, p, x, z);
  for (size_t i = 0; c->tail != 0 && i < p; i++) {
    double complex far = x[i].re + x[i].im * I;
    if (c->centre) far -= c->centre[i];
    f += far * far;
  }
  f = c->h_complex(c->data, z) + c->tail * f;
  lr_room_free(z, small);
  return (lrgd_complex){creal(f), cimag(f)};
}

lrgd_status lr_composite_install(lr_problem *problem, lr_reader *reader,
                                 const lr_composite *f)
{
  lr_composite *copy = lr_problem_bytes(problem, reader, sizeof *copy);
  if (!copy) return reader->status;
  *copy = *f;
  problem->data = copy;
  problem->callbacks.value = composite_value;
  problem->callbacks.values = composite_values;
  problem->callbacks.gradient = composite_gradient;
  problem->callbacks.slopes = composite_slopes;
  problem->callbacks.complex_value = composite_complex;
  return reader->status;
}

void lr_composite_project(const lr_composite *f, size_t p, const double *x,
                          double *z)
{
  project(f, p, 1, x, z);
}

double *lr_composite_shift(lr_problem *problem, lr_reader *reader,
                           const lr_composite *f, const double *c)
{
  lr_composite plain = {.q = f->q, .A = f->A};
  double *shift = lr_problem_numbers(problem, reader, f->q, 1);
  if (shift) project(&plain, problem->callbacks.dimension, 1, c, shift);
  return shift;
}
