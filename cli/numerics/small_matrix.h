/* Small dense symmetric matrices, row after row: what a report needs and no
 * more.  Large ones belong to the library. */
#ifndef CLI_SMALL_H
#define CLI_SMALL_H

#include <stdbool.h>
#include <stddef.h>

double small_dot(size_t n, const double *a, const double *b);

/* A (n x n, destroyed) = E diag(values) E', values descending, eigenvector j
 * in column j of E. */
void small_eigen(size_t n, double *A, double *values, double *E);

/* x = A^{-1} x for positive definite A (destroyed); false where it is not. */
bool small_solve(size_t n, double *A, double *x);

#endif
