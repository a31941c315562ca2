/* Lanczos with full orthogonalisation; the operator is given by its products.
 */
#include "analysis/lanczos.h"

#include <math.h>
#include <string.h>

lr_code lr_lanczos(lr_basis *K, size_t m, lrgd_vec work, uint64_t seed,
                   lr_operator apply, void *self, double *T)
{
  lrgd_space *space = K->space;
  bool kept;
  space->ops->gaussian(space, work, seed, UINT64_C(9) << 44);
  for (size_t j = 0; j < m; j++) {
    /* cannot fail: the basis has room for m columns.  A residual of less than
     * 1e-8, the root of epsilon, has lost half of its digits */
    if (lr_basis_append(K, work, 1e-8, &kept) != LRGD_OK) return LR_FAULT;
    if (!kept) break; /* an invariant subspace: further products stay in it */
    LR_TRY(apply(self, lr_basis_column(K, j), work));
    for (size_t i = 0; i <= j; i++)
      space->ops->dot(space, lr_basis_column(K, i), 1, work, &T[j * m + i]);
  }
  size_t k = K->k;
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < j; i++) T[i * m + j] = T[j * m + i];
  for (size_t j = 1; k < m && j < k; j++)
    memmove(T + j * k, T + j * m, k * sizeof *T);
  return LR_GO;
}

void lr_sort_by_size(size_t k, const double *ritz, size_t *order)
{
  for (size_t i = 0; i < k; i++) {
    size_t j = i;
    for (; j > 0 && fabs(ritz[order[j - 1]]) < fabs(ritz[i]); j--)
      order[j] = order[j - 1];
    order[j] = i;
  }
}
