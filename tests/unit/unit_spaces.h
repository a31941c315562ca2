/* A host space and blocks of it, for tests of what is built on spaces. */
#ifndef SPACES_H
#define SPACES_H

#include "base/memory.h"
#include "subspace/basis.h"

#include <float.h>
#include <stdlib.h>

#include "check.h"

/* Column `col` of a block as host doubles. */
static inline double *column(lrgd_block *block, size_t col)
{
  return lrgd_host_data((lrgd_vec){block, col});
}

static inline lrgd_space *doubles(size_t p)
{
  lrgd_space *space = lrgd_host_space(p, LRGD_SCALAR_DOUBLE, NULL);
  if (!space) abort();
  return space;
}

static inline lrgd_block *block_of(lrgd_space *space, size_t n)
{
  lrgd_block *block = space->ops->make(space, n);
  if (!block) abort();
  return block;
}

/* The largest entry of U'U - I. */
static inline double defect(const lr_basis *U)
{
  size_t k = U->k;
  double worst = 0, *G = calloc(k * k + 1, sizeof *G);
  if (!G) abort();
  if (k > 0) U->space->ops->gram(U->space, lr_basis_column(U, 0), k, G);
  for (size_t i = 0; i < k * k; i++)
    worst = fmax(worst, fabs(G[i] - (i % (k + 1) == 0)));
  free(G);
  return worst;
}

/* |w - U U'w| for a host vector of p doubles. */
static inline double outside(const lr_basis *U, const double *w)
{
  size_t p = U->space->dimension;
  double sum = 0, *rest = malloc(p * sizeof *rest);
  if (!rest) abort();
  memcpy(rest, w, p * sizeof *rest);
  for (int pass = 0; pass < 2; pass++)
    for (size_t j = 0; j < U->k; j++) {
      const double *u = column(U->block, j);
      double c = 0;
      for (size_t i = 0; i < p; i++) c += u[i] * rest[i];
      for (size_t i = 0; i < p; i++) rest[i] -= c * u[i];
    }
  for (size_t i = 0; i < p; i++) sum += rest[i] * rest[i];
  free(rest);
  return sqrt(sum);
}

#endif
