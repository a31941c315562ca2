/* The QR factorisation A = Q R of a matrix to which columns are appended and
 * matrices of rank one are added.
 *
 * Either takes a multiple of n k operations, where a new factorisation takes n
 * k^2 (Daniel, Gragg, Kaufman and Stewart).  Q is kept, n x min(n, k), with
 * orthonormal columns.  Known here: small dense matrices. */
#ifndef LR_UPDATED_QR_H
#define LR_UPDATED_QR_H

#include <lrgd/lrgd.h>

typedef struct lr_updated_qr {
  lrgd_allocator allocator;
  size_t n;         /* rows of A */
  size_t k, room;   /* columns of A, and the capacity */
  size_t ld;        /* leading dimension of R */
  double *Q, *R;    /* Q has one column more, as scratch */
  double *w;        /* scratch */
  uint64_t updates; /* since the columns were appended to an empty matrix */
} lr_updated_qr;

void lr_updated_qr_init(lr_updated_qr *U, size_t n, const lrgd_allocator *a);
void lr_updated_qr_clear(lr_updated_qr *U);
/* Removes all columns. */
void lr_updated_qr_forget(lr_updated_qr *U);

/* The rows of R: min(n, k). */
size_t lr_updated_qr_rows(const lr_updated_qr *U);

/* Appends the column a, n numbers. */
LRGD_MUST_CHECK lrgd_status lr_updated_qr_append(lr_updated_qr *U,
                                                 const double *a);
/* A += e K', n and k numbers. */
void lr_updated_qr_update(lr_updated_qr *U, const double *e, const double *K);

/* y = Q'b: n numbers become min(n, k). */
void lr_updated_qr_turn(const lr_updated_qr *U, const double *b, double *y);

#endif
