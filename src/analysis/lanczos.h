/* Lanczos with full orthogonalisation: the extreme eigenpairs of a symmetric
 * operator known by its products only. */
#ifndef LR_LANCZOS_H
#define LR_LANCZOS_H

#include "subspace/basis.h"

/* Av = A v, for a unit vector v. */
typedef lr_code (*lr_operator)(void *self, lrgd_vec v, lrgd_vec Av);

/* m steps from a random vector; work is scratch.  K, empty and with room for m,
 * becomes the Krylov basis; T = K'AK, k x k without gaps, k = K->k <= m.
 * Returns the code of the operator where that fails. */
lr_code lr_lanczos(lr_basis *K, size_t m, lrgd_vec work, uint64_t seed,
                   lr_operator apply, void *self, double *T);

/* The order of the eigenvalues by magnitude, largest first. */
void lr_sort_by_size(size_t k, const double *ritz, size_t *order);

#endif
