/* Functions f(x) = h(A^T x - s) + tail |x - c|^2 with A of p x q, q << p: what
 * most of the built-in problems are.  A kind writes h; everything of size p is
 * done here, in a fixed order and without p numbers of scratch. */
#ifndef LR_COMPOSITE_H
#define LR_COMPOSITE_H

#include <complex.h>

#include "kind.h"

/* h at z (q numbers).  Writes the gradient to dz where that is not NULL. */
typedef double (*lr_core_fn)(const void *data, const double *z, double *dz);
typedef double complex (*lr_core_complex_fn)(const void *data,
                                             const double complex *z);

typedef struct lr_composite {
  size_t q;
  const double *A;      /* p x q by columns; NULL: z = the first q of x */
  const double *shift;  /* s, q numbers; NULL: 0 */
  double tail;          /* 0: no such term, and centre is not read */
  const double *centre; /* c, p numbers; NULL: 0 */
  lr_core_fn h;
  lr_core_complex_fn h_complex;
  const void *data; /* handed to h */
} lr_composite;

/* Makes f the problem's function; copies f, borrows what it points to until
 * the problem is destroyed (so let the problem own it). */
lrgd_status lr_composite_install(lr_problem *problem, lr_reader *reader,
                                 const lr_composite *f);

/* z = A^T x - s. */
void lr_composite_project(const lr_composite *f, size_t p, const double *x,
                          double *z);
/* s = A^T c, so that the core's z = 0 lies at x = c. */
double *lr_composite_shift(lr_problem *problem, lr_reader *reader,
                           const lr_composite *f, const double *c);

/* h(z) = 1/n sum_i phi(c_i . z, y_i) over the rows c_i of C: a mean. */
typedef struct lr_samples {
  size_t n, q;
  const double *C; /* n x q by columns */
  const double *y; /* n numbers */
  /* phi and, where slope is not NULL, its derivative in t */
  double (*phi)(double t, double y, double *slope);
  double complex (*phi_complex)(double complex t, double y);
} lr_samples;

/* The core h of an lr_samples (as data). */
double lr_samples_h(const void *data, const double *z, double *dz);
double complex lr_samples_h_complex(const void *data, const double complex *z);
/* t = c_i . z for one row at a complex z. */
double complex lr_samples_row(size_t n, size_t q, const double *C, size_t i,
                              const double complex *z);

/* A classic test function of a few variables: a sum over groups of `width`
 * variables, put into R^p by z = A^T x with random orthonormal A. */
typedef struct lr_classic {
  size_t width;
  const double *start, *minimiser; /* of one group */
  double (*group)(const double *z, double *dz);
  double complex (*group_complex)(const double complex *z);
} lr_classic;

/* Builds it with n variables; minimum 0. */
lrgd_status lr_classic_build(lr_problem *problem, lr_reader *reader, size_t p,
                             size_t n, const lr_classic *classic);
/* Reads n: a multiple of classic->width, at most p. */
size_t lr_classic_size(lr_reader *reader, const lr_classic *classic, size_t p);

#endif
