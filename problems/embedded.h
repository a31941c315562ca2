/* Functions of a few variables written once, as a formula of complex numbers,
 * and put into R^p by z = A^T x with random orthonormal A.  The gradient is
 * the imaginary part of the same formula at z + i t e_j (the complex step:
 * exact to rounding for any small t). */
#ifndef LR_EMBEDDED_H
#define LR_EMBEDDED_H

#include "composite.h"

typedef struct lr_core_formula {
  /* the start and the minimiser: `width` numbers, repeated to n */
  size_t n, width;
  const double *start, *minimiser;
  double minimum; /* of all n variables, prior apart */
  double complex (*value)(size_t n, const double complex *z, const void *data);
  const void *data; /* borrowed until the problem is destroyed */
  double prior;     /* prior |x|^2 is added: the rank is p then */
} lr_core_formula;

/* Builds it in p dimensions; copies formula. */
lrgd_status lr_embedded_build(lr_problem *problem, lr_reader *reader, size_t p,
                              const lr_core_formula *formula);
/* Says so where n exceeds p. */
void lr_embedded_check(lr_reader *reader, size_t n, size_t p);

#endif
