/* The Hessian of a network's loss: its largest eigenvalues, and how much of a
 * gradient lies in the span of their eigenvectors. */
#ifndef LR_NETWORK_HESSIAN_H
#define LR_NETWORK_HESSIAN_H

#include "mlp.h"

/* The r eigenvalues of largest size at x, by m >= r steps of Lanczos; vectors
 * (p x r, orthonormal) may be NULL. */
LRGD_MUST_CHECK lrgd_status lr_network_eigen(const lr_mlp *net, const float *x,
                                             const lr_batch *batch, size_t m,
                                             size_t r, uint64_t seed,
                                             double *eigenvalues,
                                             float *vectors, lrgd_error *error);

/* |V'g|^2 / |g|^2 for the k columns of V (p x k, orthonormal). */
double lr_share_in(size_t p, size_t k, const float *V, const float *g);

#endif
