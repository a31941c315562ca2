/* sigma_r and epsilon' of Theorems 3.2 and 3.4.  The paper samples r gradients,
 * a diagnosis more: the r most independent ones are selected by pivoted
 * Gram-Schmidt, each with the largest part outside those before it. */
#include "analysis/diagnosis_state.h"
#include "base/dense.h"
#include "base/memory.h"
#include "base/vector.h"

#include <math.h>

typedef struct pick {
  size_t q, n, r;
  double *left; /* the normalised samples, q x n, without their parts along
                   those selected */
  /* r x n: the components of the samples along the directions selected */
  double *along;
  double *T; /* r x r: the components of the selected samples */
  double *sigma;
} pick;

static size_t longest(const pick *k)
{
  size_t best = 0;
  double most = -1;
  for (size_t j = 0; j < k->n; j++) {
    double norm = lr_norm(k->q, k->left + j * k->q);
    if (norm > most) {
      most = norm;
      best = j;
    }
  }
  return best;
}

/* Removes the direction of column `at`, the i-th selected, from all columns. */
static void take_out(pick *k, size_t i, size_t at)
{
  size_t q = k->q;
  double *e = k->left + at * q, norm = lr_norm(q, e);
  if (!(norm > 0)) return;
  for (size_t j = 0; j < k->n; j++) {
    double *v = k->left + j * q;
    if (j == at) continue;
    double c = lr_dot(q, v, e) / norm;
    k->along[j * k->r + i] = c;
    lr_axpy(q, -c / norm, e, v);
  }
  k->along[at * k->r + i] = norm;
  lr_scale(q, 0, e);
}

static void normalise(const lrgd_diagnosis *s, pick *k)
{
  for (size_t j = 0; j < k->n; j++) {
    double norm = lr_norm(k->q, s->spectrum.R + j * k->q);
    for (size_t i = 0; i < k->q; i++)
      k->left[j * k->q + i] = norm > 0 ? s->spectrum.R[j * k->q + i] / norm : 0;
  }
}

static lrgd_status pick_all(lrgd_diagnosis *s, pick *k, lr_dense *dense)
{
  size_t r = k->r;
  double least = INFINITY;
  normalise(s, k);
  for (size_t i = 0; i < r; i++) {
    size_t at = longest(k);
    take_out(k, i, at);
    for (size_t l = 0; l < r; l++)
      k->T[i * r + l] = l <= i ? k->along[at * r + l] : 0;
    least = fmin(least, s->samples.length[at]);
  }
  lrgd_status status = lr_svd(dense, r, k->T, k->sigma);
  s->result.sigma_r = fmin(k->sigma[r - 1], 1); /* the columns have norm one */
  s->result.least_sample = least;
  return status;
}

lrgd_status lr_diagnosis_pick(lrgd_diagnosis *s)
{
  const lrgd_allocator *a = &s->standalone.allocator;
  pick k = {
      .q = s->samples.Q.k, .n = s->samples.n, .r = s->result.recommended_rank};
  if (!s->result.low_rank || k.r == 0 || k.r > k.q || k.r > k.n) return LRGD_OK;
  size_t room = (k.q + k.r) * k.n + k.r * k.r + k.r;
  k.left = lr_alloc(a, room, sizeof *k.left);
  lr_dense *dense = lr_dense_create(a, k.r);
  lrgd_status status = LRGD_ERR_NOMEM;
  if (k.left && dense) {
    k.along = k.left + k.q * k.n;
    k.T = k.along + k.r * k.n;
    k.sigma = k.T + k.r * k.r;
    for (size_t i = 0; i < k.r * k.n; i++) k.along[i] = 0;
    status = pick_all(s, &k, dense);
  }
  lr_dense_destroy(&dense);
  lr_free(a, k.left);
  return status;
}
