/* Functions of a few variables written once, as a formula of complex numbers,
 * and put into R^p by z = A^T x with random orthonormal A.  The gradient is
 * the imaginary part of the same formula at z + i t e_j (the complex step:
 * exact to rounding for any small t). */
#ifndef LR_EMBEDDED_H
#define LR_EMBEDDED_H

#include "composite.h"

typedef struct lr_core_formula {
  /* the start and the minimiser: `width` numbers, repeated to n */
  size_t width;
  const double *start, *minimiser;
  double minimum; /* of all n variables */
  double complex (*value)(size_t n, const double complex *z, const void *data);
} lr_core_formula;

/* Builds it with n <= p variables; prior |x|^2 is added.  Copies formula,
 * borrows data until the problem is destroyed. */
lrgd_status lr_embedded_build(lr_problem *problem, lr_reader *reader, size_t p,
                              size_t n, const lr_core_formula *formula,
                              double prior, const void *data);
/* Says so where n exceeds p. */
void lr_embedded_check(lr_reader *reader, size_t n, size_t p);

#endif
