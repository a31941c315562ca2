/* Dense vectors and matrices in an order of summation that is fixed.
 *
 * Results are the same bits on every processor, at every width of vector
 * registers, from every compiler that keeps to IEEE arithmetic (no fused
 * operations, no -ffast-math), and wherever the numbers lie in memory:
 * - an inner product is summed in eight lanes, product i in lane i mod 8, and
 *   the lanes are added as ((0+4)+(2+6)) + ((1+5)+(3+7));
 * - what is added to a vector is added column after column, so one lr_gemv is
 *   as many lr_axpy, bit for bit, and one lr_gemv_t as many lr_dot.
 * Float columns are multiplied and summed in double and rounded at the end.
 *
 * Matrices are column-major, ld numbers from one column to the next; of a
 * symmetric one the lower half is read and written.  Arguments that are written
 * must not overlap the others.  Known here: memory.  Not known: who calls. */
#ifndef LR_VECTOR_H
#define LR_VECTOR_H

#include <stdbool.h>
#include <stddef.h>

/* x'y */
double lr_dot(size_t n, const double *x, const double *y);
double lr_dot_float(size_t n, const float *x, const float *y);

/* y += a x */
void lr_axpy(size_t n, double a, const double *x, double *y);

/* x *= a */
void lr_scale(size_t n, double a, double *x);
void lr_scale_float(size_t n, double a, float *x);

/* |x| for finite numbers, without overflow or underflow on the way, at most
 * DBL_MAX; Inf or NaN where an entry is. */
double lr_norm(size_t n, const double *x);

/* c = U'g, U being n x k */
void lr_gemv_t(size_t n, size_t k, const double *U, size_t ld, const double *g,
               double *c);
void lr_gemv_t_float(size_t n, size_t k, const float *U, size_t ld,
                     const float *g, double *c);

/* y += U c, U being n x k */
void lr_gemv(size_t n, size_t k, const double *U, size_t ld, const double *c,
             double *y);
/* y = x + U c, the same bits as a copy and lr_gemv, with fewer passes over
 * memory.  Returns whether all of y is finite. */
bool lr_gemv_from(size_t n, size_t k, const double *x, const double *U,
                  size_t ld, const double *c, double *y);

void lr_gemv_float(size_t n, size_t k, const float *U, size_t ld,
                   const double *c, float *y);

/* W = U C, W being n x m, U n x k and C k x m, k numbers a column of C. */
void lr_gemm(size_t n, size_t m, size_t k, const double *U, size_t ldu,
             const double *C, double *W, size_t ldw);
void lr_gemm_float(size_t n, size_t m, size_t k, const float *U, size_t ldu,
                   const double *C, float *W, size_t ldw);

/* y = A x, A symmetric.  (Products of the half above the diagonal are summed as
 * those of lr_dot, four columns of A at a time; see vector.c.) */
void lr_symv(size_t n, const double *A, size_t ld, const double *x, double *y);

/* A += a x x' and A += a (x y' + y x') */
void lr_syr(size_t n, double a, const double *x, double *A, size_t ld);
void lr_syr2(size_t n, double a, const double *x, const double *y, double *A,
             size_t ld);

/* (x, y) = (c x - s y, s x + c y) */
void lr_rotate(size_t n, double *x, double *y, double c, double s);

void lr_swap(size_t n, double *x, double *y);

/* W = U, n x k, with leading dimensions of their own. */
void lr_copy_columns(size_t n, size_t k, const double *U, size_t ldu, double *W,
                     size_t ldw);

#endif
