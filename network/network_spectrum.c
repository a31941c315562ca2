/* Singular values of the gradients around a point, by their Gram matrix. */
#include "network_spectrum.h"

#include "base/dense.h"
#include "base/memory.h"
#include "base/status.h"
#include "blas.h"
#include "mlp_private.h"

#include <stdlib.h>

/* The Gram matrix is summed over slices of so many coordinates. */
enum { SLICE = 4096 };

/* y = x + tau z */
static void perturb(size_t p, const float *x, double tau, uint64_t seed,
                    uint64_t stream, float *y)
{
  lr_network_normals(seed, stream, 0, p, y);
  for (size_t i = 0; i < p; i++) y[i] = x[i] + (float)tau * y[i];
}

/* B = G^T G, summed in double: the smallest sigma^2 is what is left when the
 * largest are taken off, and must not drown in the rounding of floats. */
static void gram(size_t p, size_t n, const float *G, double *slice, double *B)
{
  for (size_t first = 0; first < p; first += SLICE) {
    size_t rows = p - first < SLICE ? p - first : SLICE;
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < rows; i++)
        slice[j * rows + i] = (double)G[j * p + first + i];
    lr_blas.dsyrk(CblasColMajor, CblasUpper, CblasTrans, (int)n, (int)rows, 1,
                  slice, (int)rows, first > 0, B, (int)n);
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < j; i++) B[i * n + j] = B[j * n + i];
}

/* Eigenvalues of B, descending, over their sum. */
static lrgd_status energies(size_t n, double *B, double *energy,
                            lrgd_error *error)
{
  lr_dense *dense = lr_dense_create(&lr_malloc, n);
  double *ascending = malloc(n * sizeof *ascending), sum = 0;
  lrgd_status status = dense != NULL && ascending != NULL
                           ? lr_eigen(dense, n, B, ascending)
                           : LRGD_ERR_NOMEM;
  for (size_t i = 0; status == LRGD_OK && i < n; i++) {
    double squared = ascending[n - 1 - i];
    energy[i] = squared > 0 ? squared : 0; /* rounding may go below */
    sum += energy[i];
  }
  for (size_t i = 0; status == LRGD_OK && i < n; i++) energy[i] /= sum;
  free(ascending);
  lr_dense_destroy(&dense);
  if (status == LRGD_OK && sum > 0) return LRGD_OK;
  return lr_fail(error, status != LRGD_OK ? status : LRGD_ERR_NUMERIC,
                 "singular values of %zu gradients: %s", n,
                 status != LRGD_OK ? lrgd_status_text(status)
                                   : "they are all zero");
}

static lrgd_status fill(const lr_mlp *net, lr_mlp_work *work, const float *x,
                        const lr_batch *batch,
                        const lr_spectrum_request *request, float *y, float *G,
                        lrgd_error *error)
{
  for (size_t j = 0; j < request->n; j++) {
    perturb(net->p, x, request->tau, request->seed, LR_NETWORK_POINTS + j, y);
    (void)lr_mlp_gradient(net, work, y, batch, G + j * net->p);
    if (request->progress != NULL &&
        !request->progress(j + 1, request->n, request->user))
      return lr_fail(error, LRGD_ERR_ORACLE, "stopped after %zu gradients",
                     j + 1);
  }
  return LRGD_OK;
}

lrgd_status lr_gradient_spectrum(const lr_mlp *net, const float *x,
                                 const lr_batch *batch,
                                 const lr_spectrum_request *request,
                                 double *energy, lrgd_error *error)
{
  size_t p = net->p, n = request->n;
  float *G = malloc(p * n * sizeof *G), *y = malloc(p * sizeof *y);
  double *slice = malloc(SLICE * n * sizeof *slice);
  double *B = malloc(n * n * sizeof *B);
  lr_mlp_work *work = NULL;
  lrgd_status status = lr_mlp_work_create(&work, net, batch->n, 0, error);
  if (status == LRGD_OK && !(G && y && slice && B))
    status = lr_fail(error, LRGD_ERR_NOMEM,
                     "out of memory for %zu gradients of %zu numbers", n, p);
  if (status == LRGD_OK)
    status = fill(net, work, x, batch, request, y, G, error);
  if (status == LRGD_OK) {
    gram(p, n, G, slice, B);
    status = energies(n, B, energy, error);
  }
  lr_mlp_work_destroy(&work);
  free(B);
  free(slice);
  free(y);
  free(G);
  return status;
}

double lr_energy_of(size_t n, const double *energy, size_t r)
{
  double sum = 0;
  for (size_t i = 0; i < r && i < n; i++) sum += energy[i];
  return sum;
}
