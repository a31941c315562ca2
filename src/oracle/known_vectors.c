#include "oracle/known_vectors.h"

#include "base/finite.h"
#include "base/memory.h"

#include <string.h>

static bool has_some(size_t m, const double *r)
{
  for (size_t i = 0; i < m; i++)
    if (lr_finite(r[i])) return true;
  return false;
}

lrgd_status lr_known_vectors_init(lr_known_vectors *known,
                                  const lrgd_allocator *a, size_t p, size_t m,
                                  size_t n, const double *X, const double *R)
{
  size_t points, numbers;
  *known = (lr_known_vectors){.allocator = *a, .p = p, .m = m};
  if (n == 0) return LRGD_OK;
  if (!lr_product(p, n, 1, &points) || !lr_product(m, n, 1, &numbers))
    return LRGD_ERR_NOMEM;
  known->x = lr_alloc_raw(a, points, sizeof *known->x);
  known->r = lr_alloc_raw(a, numbers, sizeof *known->r);
  if (!known->x || !known->r) {
    lr_known_vectors_clear(known);
    return LRGD_ERR_NOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    if (!lr_all_finite(X + i * p, p) || !has_some(m, R + i * m)) continue;
    memcpy(known->x + known->n * p, X + i * p, p * sizeof *X);
    memcpy(known->r + known->n * m, R + i * m, m * sizeof *R);
    known->n++;
  }
  return LRGD_OK;
}

void lr_known_vectors_clear(lr_known_vectors *known)
{
  if (known->p == 0) return;
  lr_free(&known->allocator, known->x);
  lr_free(&known->allocator, known->r);
  *known = (lr_known_vectors){0};
}

const double *lr_known_vectors_at(const lr_known_vectors *known,
                                  const double *x)
{
  for (size_t i = known->n; i-- > 0;)
    if (memcmp(known->x + i * known->p, x, known->p * sizeof *x) == 0)
      return known->r + i * known->m;
  return NULL;
}
