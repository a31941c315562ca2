/* Damped linear least squares, min |A z + b|^2 + mu |z|^2, for many mu.
 *
 * A is reduced once to an upper bidiagonal B = Q'A W (Householder), after which
 * every mu costs a multiple of k operations (Elden).  A'A is never formed: it
 * would square the condition number.  Known here: small dense matrices. */
#ifndef LR_DAMPED_H
#define LR_DAMPED_H

#include <lrgd/lrgd.h>

typedef struct lr_damped {
  lrgd_allocator allocator;
  size_t k, room; /* unknowns, and those there is room for */
  double *A;      /* scratch: rows x k, of which k x k hold W afterwards */
  size_t rows;    /* rows there is room for */
  double *d, *e;  /* diagonal and superdiagonal of B */
  double *tau;    /* factors of the Householder reflectors of W */
  double *g;      /* Q'b, its first k numbers */
  double *work;   /* rows + 4 k numbers */
  double largest; /* |B|, Frobenius */
} lr_damped;

void lr_damped_init(lr_damped *s, const lrgd_allocator *a);
void lr_damped_clear(lr_damped *s);

/* Room for `rows` equations in k unknowns; then s->A is rows x k, column after
 * column, to be filled by the caller. */
LRGD_MUST_CHECK lrgd_status lr_damped_reserve(lr_damped *s, size_t rows,
                                              size_t k);

/* Reduces the first n x k numbers of s->A, n >= k, n numbers a column, with the
 * right-hand side b, n numbers, which are overwritten. */
void lr_damped_factor(lr_damped *s, size_t n, size_t k, double *b);

/* |z(mu)|^2, and z(mu) itself. */
double lr_damped_norm2(lr_damped *s, double mu);
void lr_damped_solve(lr_damped *s, double mu, double *z);

/* Householder's QR factorisation in place: R above and on the diagonal of the
 * n x k matrix A; b, n numbers, becomes Q'b (NULL: none).  Where n < k only the
 * first n rows become a trapezoid. */
void lr_qr(size_t n, size_t k, double *A, size_t ld, double *b);

#endif
