/* SVD, pivoted QR or Gram-Schmidt of sampled gradients.  All three build on
 * one orthonormalisation through the space's verbs, so LAPACK only ever sees
 * the small factor R: G = Q R, R = Ur S V', U = Q Ur. */
#include "subspace/identify.h"

#include "base/lapack.h"
#include "base/memory.h"
#include "space/vec.h"

#include <math.h>
#include <string.h>

typedef struct factor {
  lrgd_vec G; /* the n samples */
  size_t n;
  lr_basis Q; /* p x q */
  double *R;  /* n x n, of which q rows are used */
  double *s;  /* n singular values */
  double *C;  /* n x n, scratch */
  size_t q;   /* numerical rank */
  lr_lapack *lapack;
} factor;

static void factor_clear(factor *F)
{
  lrgd_allocator a = F->Q.allocator;
  if (a.free) {
    lr_free(&a, F->R);
    lr_free(&a, F->s);
    lr_free(&a, F->C);
  }
  lr_lapack_destroy(&F->lapack);
  lr_basis_clear(&F->Q);
}

static lrgd_status factor_init(factor *F, const lr_basis *U, size_t n)
{
  const lrgd_allocator *a = &U->allocator;
  *F = (factor){0};
  lrgd_status status = lr_basis_init(&F->Q, U->space, a, n);
  if (status != LRGD_OK) return status;
  F->R = lr_alloc(a, n * n, sizeof *F->R);
  F->C = lr_alloc(a, n * n, sizeof *F->C);
  F->s = lr_alloc(a, n, sizeof *F->s);
  F->lapack = lr_lapack_create(a, n);
  return F->R && F->C && F->s && F->lapack ? LRGD_OK : LRGD_ERR_NOMEM;
}

/* Normalises the columns of G and moves the zero ones out; returns how many
 * are left. */
static size_t normalise_samples(lrgd_space *space, lrgd_vec G, size_t n)
{
  size_t kept = 0;
  for (size_t j = 0; j < n; j++) {
    lrgd_vec g = {G.block, G.col + j};
    if (!lr_normalise(space, g, NULL)) continue;
    lrgd_vec to = {G.block, G.col + kept};
    if (kept != j) space->ops->copy(space, to, g, 1);
    kept++;
  }
  return kept;
}

/* Swaps into column j the one with the largest part outside Q.  (norms are
 * recomputed, not downdated: n is small and cancellation is not.) */
static void pivot(lr_basis *Q, lrgd_vec G, size_t n, size_t j, lrgd_vec spare)
{
  lrgd_space *space = Q->space;
  size_t best = j;
  double largest = -1;
  for (size_t i = j; i < n; i++) {
    lrgd_vec g = {G.block, G.col + i};
    space->ops->copy(space, spare, g, 1);
    double left = lr_basis_reject(Q, spare);
    if (left > largest) {
      largest = left;
      best = i;
    }
  }
  if (best == j) return;
  lrgd_vec a = {G.block, G.col + j}, b = {G.block, G.col + best};
  space->ops->copy(space, spare, a, 1);
  space->ops->copy(space, a, b, 1);
  space->ops->copy(space, b, spare, 1);
}

/* Q = an orthonormal basis of the first n columns of G, at most `most` of
 * them; G itself is kept (spare is used instead). */
static lrgd_status orthonormalise(lr_basis *Q, lrgd_vec G, size_t n,
                                  size_t most, bool pivoting, double cut,
                                  lrgd_vec spare)
{
  for (size_t j = 0; j < n && Q->k < most; j++) {
    if (pivoting) pivot(Q, G, n, j, spare);
    lrgd_vec g = {G.block, G.col + j};
    Q->space->ops->copy(Q->space, spare, g, 1);
    bool kept;
    lrgd_status status = lr_basis_append(Q, spare, cut, &kept);
    if (status != LRGD_OK) return status;
    if (pivoting && !kept) break; /* the rest is no better */
  }
  return LRGD_OK;
}

/* Singular values of G = Q R; F->R becomes the left singular vectors of R. */
static lrgd_status small_svd(factor *F, lrgd_vec G, size_t n)
{
  F->q = F->Q.k; /* R is q x n: padded to n x n with zero rows */
  memset(F->R, 0, n * n * sizeof *F->R);
  for (size_t j = 0; j < n; j++) {
    lrgd_vec g = {G.block, G.col + j};
    lr_basis_project(&F->Q, g, F->R + j * n);
  }
  return lr_svd(F->lapack, n, F->R, F->s);
}

/* U = Q times the first r left singular vectors of R. */
static void dominant(lr_basis *U, factor *F, size_t n, size_t r)
{
  size_t q = F->q;
  for (size_t j = 0; j < r; j++)
    memcpy(F->C + j * q, F->R + j * n, q * sizeof *F->C);
  U->space->ops->combine(U->space, lr_basis_column(U, 0), r,
                         lr_basis_column(&F->Q, 0), q, F->C);
  U->k = r;
}

static lrgd_status identify_with(lr_basis *U, factor *F, size_t r,
                                 lrgd_identify how, double cut,
                                 lr_identified *found)
{
  lrgd_vec G = F->G;
  size_t n = F->n;
  lrgd_block *spare = U->space->ops->make(U->space, 1);
  if (!spare) return LRGD_ERR_NOMEM;
  size_t most = how == LRGD_IDENTIFY_SVD || n < r ? n : r;
  lrgd_status status = orthonormalise(
      &F->Q, G, n, most, how == LRGD_IDENTIFY_QR, cut, (lrgd_vec){spare, 0});
  U->space->ops->free(U->space, spare);
  if (status == LRGD_OK) status = small_svd(F, G, n);
  if (status != LRGD_OK) return status;
  size_t kept = F->q < r ? F->q : r;
  while (kept > 0 && !(F->s[kept - 1] > cut * F->s[0])) kept--;
  status = lr_basis_reserve(U, kept);
  if (status != LRGD_OK) return status;
  if (how == LRGD_IDENTIFY_SVD) {
    dominant(U, F, n, kept);
  } else {
    U->space->ops->copy(U->space, lr_basis_column(U, 0),
                        lr_basis_column(&F->Q, 0), kept);
    U->k = kept;
  }
  found->sigma_r = kept > 0 ? F->s[kept - 1] : NAN;
  return LRGD_OK;
}

lrgd_status lr_identify(lr_basis *U, lrgd_vec G, size_t n, size_t r,
                        lrgd_identify how, double cut, lr_identified *found)
{
  *found = (lr_identified){.sigma_r = NAN};
  U->k = 0;
  n = found->samples = normalise_samples(U->space, G, n);
  if (n == 0) return LRGD_OK;
  factor F;
  lrgd_status status = factor_init(&F, U, n);
  F.G = G;
  F.n = n;
  if (status == LRGD_OK) status = identify_with(U, &F, r, how, cut, found);
  factor_clear(&F);
  return status;
}
