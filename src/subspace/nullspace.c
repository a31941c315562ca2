/* Null spaces by Gram-Schmidt: rows first, then random vectors made orthogonal
 * to the rows and to each other until the space is full. */
#include "subspace/nullspace.h"

#include "base/policy.h"

static lrgd_status take_rows(lr_basis *R, size_t m, const double *A,
                             lrgd_vec spare)
{
  size_t p = R->space->dimension;
  for (size_t i = 0; i < m; i++) {
    bool kept;
    R->space->ops->put(R->space, spare, 0, p, A + i * p);
    lrgd_status status =
        lr_basis_append(R, spare, lr_policy_current()->rows_dependent, &kept);
    if (status != LRGD_OK) return status;
  }
  return LRGD_OK;
}

lrgd_status lr_nullspace(lr_basis *N, lr_basis *R, size_t m, const double *A,
                         uint64_t seed, uint64_t stream, lrgd_vec spare)
{
  size_t p = R->space->dimension;
  lrgd_status status = take_rows(R, m, A, spare);
  if (status != LRGD_OK) return status;
  status = lr_basis_reserve(N, p - R->k);
  while (status == LRGD_OK && N->k < p - R->k) {
    bool kept;
    R->space->ops->gaussian(R->space, spare, seed, stream++);
    (void)lr_basis_reject(R, spare);
    status =
        lr_basis_append(N, spare, lr_policy_current()->rows_dependent, &kept);
    /* rounding against N may restore a small component along the rows */
    if (status != LRGD_OK || !kept) continue;
    lrgd_vec last = lr_basis_column(N, N->k - 1);
    (void)lr_basis_reject(R, last);
  }
  return status;
}
