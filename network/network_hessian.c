/* Lanczos on products with the Hessian, each exact to rounding: a tangent
 * through the backward pass, no differences of gradients. */
#include "network_hessian.h"

#include "analysis/lanczos.h"
#include "base/dense.h"
#include "base/memory.h"
#include "blas.h"

#include <stdlib.h>

typedef struct curved {
  const lr_mlp *net;
  lr_mlp_work *work;
  const float *x;
  const lr_batch *batch;
} curved;

static lr_code multiply(void *self, lrgd_vec v, lrgd_vec Hv)
{
  const curved *c = self;
  lr_mlp_hessian(c->net, c->work, c->x, c->batch, lrgd_host_data(v),
                 lrgd_host_data(Hv));
  return LR_GO;
}

/* Ritz pairs from T (k x k) and the Krylov basis. */
static lrgd_status ritz(const lr_basis *K, size_t r, double *T,
                        double *eigenvalues, float *vectors)
{
  size_t k = K->k, p = K->space->dimension;
  lr_dense *dense = lr_dense_create(&lr_malloc, k);
  double *lambda = malloc(k * sizeof *lambda);
  size_t *order = malloc(k * sizeof *order);
  lrgd_status status =
      dense && lambda && order ? lr_eigen(dense, k, T, lambda) : LRGD_ERR_NOMEM;
  if (status == LRGD_OK) lr_sort_by_size(k, lambda, order);
  for (size_t i = 0; status == LRGD_OK && i < r; i++) {
    eigenvalues[i] = i < k ? lambda[order[i]] : 0;
    for (size_t j = 0; vectors != NULL && j < p; j++) vectors[i * p + j] = 0;
    for (size_t q = 0; vectors != NULL && i < k && q < k; q++)
      lr_blas.saxpy((int)p, (float)T[order[i] * k + q],
                    lrgd_host_data(lr_basis_column(K, q)), 1, vectors + i * p,
                    1);
  }
  free(order);
  free(lambda);
  lr_dense_destroy(&dense);
  return status;
}

lrgd_status lr_network_eigen(const lr_mlp *net, const float *x,
                             const lr_batch *batch, size_t m, size_t r,
                             uint64_t seed, double *eigenvalues, float *vectors,
                             lrgd_error *error)
{
  curved c = {net, NULL, x, batch};
  lr_basis K = {0};
  lrgd_space *space = lrgd_host_space(net->p, LRGD_SCALAR_FLOAT, NULL);
  lrgd_block *work = space != NULL ? space->ops->make(space, 1) : NULL;
  if (m > net->p) m = net->p;
  double *T = calloc(m * m, sizeof *T);
  lrgd_status status = work != NULL && T != NULL ? LRGD_OK : LRGD_ERR_NOMEM;
  if (status == LRGD_OK)
    status = lr_mlp_work_create(&c.work, net, batch->n, 1, NULL);
  if (status == LRGD_OK) status = lr_basis_init(&K, space, &lr_malloc, m);
  if (status == LRGD_OK &&
      lr_lanczos(&K, m, (lrgd_vec){work, 0}, seed, multiply, &c, T) != LR_GO)
    status = LRGD_ERR_NUMERIC;
  if (status == LRGD_OK) status = ritz(&K, r, T, eigenvalues, vectors);
  lr_basis_clear(&K);
  lr_mlp_work_destroy(&c.work);
  if (space != NULL) space->ops->free(space, work);
  lrgd_space_destroy(&space);
  free(T);
  if (status == LRGD_OK) return LRGD_OK;
  return lr_fail(error, status, "%zu eigenvalues of the Hessian, p = %zu: %s",
                 r, net->p, lrgd_status_text(status));
}

double lr_share_in(size_t p, size_t k, const float *V, const float *g)
{
  double inside = 0, all = lr_blas.dsdot((int)p, g, 1, g, 1);
  for (size_t j = 0; j < k; j++) {
    double c = lr_blas.dsdot((int)p, V + j * p, 1, g, 1);
    inside += c * c;
  }
  return all > 0 ? inside / all : 0;
}
