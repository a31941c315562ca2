/* The subspace on which linear constraints A theta = b hold. */
#ifndef LR_NULLSPACE_H
#define LR_NULLSPACE_H

#include "subspace/basis.h"

/* R becomes an orthonormal basis of the rows of A, N one of what is orthogonal
 * to them.  A: m rows of p host doubles.  spare: a vec to use. */
LRGD_MUST_CHECK lrgd_status lr_nullspace(lr_basis *N, lr_basis *R, size_t m,
                                         const double *A, uint64_t seed,
                                         uint64_t stream, lrgd_vec spare);

#endif
