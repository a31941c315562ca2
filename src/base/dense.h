/* Decompositions of small dense matrices, column-major: checked to be finite
 * and scaled by a power of two first, and computed in one order, so that every
 * machine gets the same bits (base/vector.h).
 *
 * Of every vector the largest component is positive, the first of equals. */
#ifndef LR_DENSE_H
#define LR_DENSE_H

#include <lrgd/lrgd.h>

/* Scratch for n x n calls; owned.  NULL: no memory, or n is beyond it. */
typedef struct lr_dense lr_dense;
lr_dense *lr_dense_create(const lrgd_allocator *a, size_t n);
void lr_dense_destroy(lr_dense **w);

/* Singular values (descending) and left singular vectors of the m x m matrix
 * R, m <= n: R = U diag(s) V'.  R is overwritten by U, orthonormal whatever
 * the rank.  Values are right to a small multiple of m epsilon each, be it
 * 1e-300 of the largest, where R is well-conditioned but for the lengths of its
 * rows or columns. */
LRGD_MUST_CHECK lrgd_status lr_svd(lr_dense *w, size_t m, double *R, double *s);

/* Eigenvalues (ascending) and eigenvectors of the symmetric m x m matrix B, of
 * which the lower half is read; it is overwritten by the eigenvectors. */
LRGD_MUST_CHECK lrgd_status lr_eigen(lr_dense *w, size_t m, double *B,
                                     double *lambda);

/* The inverse of the symmetric m x m matrix A, of which the lower half is given
 * and overwritten; ld numbers a column.  LRGD_ERR_NUMERIC: there is none. */
LRGD_MUST_CHECK lrgd_status lr_invert(lr_dense *w, size_t m, double *A,
                                      size_t ld);

#endif
