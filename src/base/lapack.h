/* The one door to LAPACK: small dense matrices, column-major, checked to be
 * finite and scaled before every call.  (dgesdd never returns on an Inf, and
 * entries near 1e308 give infinite singular values.) */
#ifndef LR_LAPACK_H
#define LR_LAPACK_H

#include <lrgd/lrgd.h>

/* Scratch for n x n calls; owned. */
typedef struct lr_lapack lr_lapack;
lr_lapack *lr_lapack_create(const lrgd_allocator *a, size_t n);
void lr_lapack_destroy(lr_lapack **w);

/* Singular values (descending) and left singular vectors of the m x m matrix
 * R, m <= n: R = U diag(s) V'.  R is overwritten by U. */
LRGD_MUST_CHECK lrgd_status lr_svd(lr_lapack *w, size_t m, double *R,
                                   double *s);

/* Eigenvalues (ascending) and eigenvectors of the symmetric m x m matrix B,
 * which is overwritten by the eigenvectors. */
LRGD_MUST_CHECK lrgd_status lr_eigen(lr_lapack *w, size_t m, double *B,
                                     double *lambda);

/* The inverse of the symmetric m x m matrix A, of which the lower half is given
 * and overwritten; ld numbers a column.  LRGD_ERR_NUMERIC: there is none. */
LRGD_MUST_CHECK lrgd_status lr_invert(lr_lapack *w, size_t m, double *A,
                                      size_t ld);

#endif
