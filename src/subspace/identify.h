/* From sampled gradients to directions: lines 2-4 of Algorithm 1. */
#ifndef LR_IDENTIFY_H
#define LR_IDENTIFY_H

#include "subspace/basis.h"

typedef struct lr_identified {
  size_t samples; /* gradients that were neither zero nor failed */
  double sigma_r; /* smallest singular value kept */
} lr_identified;

/* Replaces U by at most r orthonormal directions that span the first n columns
 * of G best, which are overwritten.  Columns are normalised first, as in the
 * paper; zero ones are left out; directions below cut times the largest
 * singular value are dropped, so U may end with fewer than r.
 *   svd            the r dominant left singular vectors of the n samples
 *   qr             with column pivoting: the r samples most independent
 *   gram-schmidt   the first r independent samples, in order */
LRGD_MUST_CHECK lrgd_status lr_identify(lr_basis *U, lrgd_vec G, size_t n,
                                        size_t r, lrgd_identify how, double cut,
                                        lr_identified *found);

#endif
