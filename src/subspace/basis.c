/* Orthonormal bases by classical Gram-Schmidt, twice. */
#include "subspace/basis.h"

#include "base/memory.h"
#include "space/vec.h"

lrgd_status lr_basis_init(lr_basis *U, lrgd_space *space,
                          const lrgd_allocator *a, size_t capacity)
{
  *U = (lr_basis){.space = space, .allocator = *a};
  return lr_basis_reserve(U, capacity);
}

void lr_basis_clear(lr_basis *U)
{
  if (!U->space) return;
  U->space->ops->free(U->space, U->block);
  lr_free(&U->allocator, U->c);
  *U = (lr_basis){0};
}

lrgd_status lr_basis_reserve(lr_basis *U, size_t capacity)
{
  if (capacity <= U->capacity) return LRGD_OK;
  lrgd_block *block = U->space->ops->make(U->space, capacity);
  double *c = lr_alloc(&U->allocator, capacity, sizeof *c);
  if (!block || !c) {
    U->space->ops->free(U->space, block);
    lr_free(&U->allocator, c);
    return LRGD_ERR_NOMEM;
  }
  if (U->k > 0)
    U->space->ops->copy(U->space, (lrgd_vec){block, 0}, lr_basis_column(U, 0),
                        U->k);
  U->space->ops->free(U->space, U->block);
  lr_free(&U->allocator, U->c);
  U->block = block;
  U->c = c;
  U->capacity = capacity;
  return LRGD_OK;
}

lrgd_vec lr_basis_column(const lr_basis *U, size_t j)
{
  return (lrgd_vec){U->block, j};
}

void lr_basis_expand(const lr_basis *U, lrgd_vec y, const double *z)
{
  U->space->ops->add(U->space, y, lr_basis_column(U, 0), U->k, z);
}

void lr_basis_project(const lr_basis *U, lrgd_vec g, double *c)
{
  U->space->ops->dot(U->space, lr_basis_column(U, 0), U->k, g, c);
}

double lr_basis_reject(lr_basis *U, lrgd_vec w)
{
  double first;
  return lr_basis_reject_from(U, w, &first);
}

double lr_basis_reject_from(lr_basis *U, lrgd_vec w, double *first)
{
  double before = 0, norm = 0;
  *first = 0;
  if (!U->space->ops->measure(U->space, w, &norm)) return 0;
  *first = norm;
  /* twice is enough (Kahan, Parlett); again only where more than a factor of
   * about sqrt(1/2) was taken off */
  for (int pass = 0; pass < 3 && U->k > 0; pass++) {
    if (pass > 0 && norm > 0.7 * before) break;
    before = norm;
    lr_basis_project(U, w, U->c);
    for (size_t j = 0; j < U->k; j++) U->c[j] = -U->c[j];
    lr_basis_expand(U, w, U->c);
    (void)U->space->ops->measure(U->space, w, &norm);
  }
  return norm;
}

lrgd_status lr_basis_append(lr_basis *U, lrgd_vec w, double cut, bool *kept)
{
  *kept = false;
  if (U->k >= U->space->dimension || !lr_normalise(U->space, w, NULL))
    return LRGD_OK;
  double left = lr_basis_reject(U, w);
  if (!(left > cut) || !(left > 0)) return LRGD_OK;
  if (!lr_normalise_known(U->space, w, left)) return LRGD_OK;
  if (U->k == U->capacity) {
    size_t p = U->space->dimension;
    size_t more = U->capacity < p - U->capacity ? U->capacity : p - U->capacity;
    lrgd_status status = lr_basis_reserve(U, U->capacity + (more ? more : 1));
    if (status != LRGD_OK) return status;
  }
  U->space->ops->copy(U->space, lr_basis_column(U, U->k), w, 1);
  U->k++;
  *kept = true;
  return LRGD_OK;
}

void lr_basis_drop(lr_basis *U, size_t j)
{
  for (size_t i = j + 1; i < U->k; i++)
    U->space->ops->copy(U->space, lr_basis_column(U, i - 1),
                        lr_basis_column(U, i), 1);
  U->k--;
}
