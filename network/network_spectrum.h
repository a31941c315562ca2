/* The paper's appendix: gradients at points around theta*, side by side in G
 * (p x n), and the singular values of G.  Never a p x p matrix: the squares of
 * the singular values are the eigenvalues of G^T G, n x n. */
#ifndef LR_NETWORK_SPECTRUM_H
#define LR_NETWORK_SPECTRUM_H

#include "mlp.h"

#include <stdbool.h>

typedef struct lr_spectrum_request {
  size_t n;   /* points */
  double tau; /* theta* + tau Z, Z standard normal */
  uint64_t seed;
  /* After every gradient; false ends it.  NULL: nobody asks. */
  bool (*progress)(size_t done, size_t n, void *user);
  void *user;
} lr_spectrum_request;

/* energy[i] = sigma_i^2 / |G|_F^2, descending; n numbers, which add up to
 * one. */
LRGD_MUST_CHECK lrgd_status lr_gradient_spectrum(
    const lr_mlp *net, const float *x, const lr_batch *batch,
    const lr_spectrum_request *request, double *energy, lrgd_error *error);

/* The sum of the first r. */
double lr_energy_of(size_t n, const double *energy, size_t r);

#endif
