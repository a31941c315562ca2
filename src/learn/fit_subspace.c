/* The subspace of a fit: all of space where that is small and whole gradients
 * are known, else the span of gradients and of the directions along which f was
 * differenced. */
#include "learn/fit_builder.h"

#include "base/memory.h"
#include "base/vector.h"

#include <string.h>

void lr_fit_widen(lr_fit_builder *b, double *v)
{
  const lr_policy *P = b->known->policy;
  double before = lr_norm(b->p, v);
  if (b->q >= lr_fit_dimensions(P, b->p) || !(before > 0)) return;
  for (int twice = 0; twice < 2; twice++) /* Gram-Schmidt */
    for (size_t j = 0; j < b->q; j++) {
      const double *w = b->W + j * b->p;
      double c = lr_dot(b->p, w, v);
      for (size_t i = 0; i < b->p; i++) v[i] -= c * w[i];
    }
  double left = lr_norm(b->p, v);
  if (!lr_fit_is_new(P, left, before)) return;
  double *w = b->W + b->q++ * b->p;
  for (size_t i = 0; i < b->p; i++) w[i] = v[i] / left;
}

/* Adds gradients, and the steps from the origin to their points. */
static void span_gradients(lr_fit_builder *b)
{
  for (size_t i = 0; i < b->count; i++) {
    if (!lr_datum_is_gradient(&b->data[i])) continue;
    memcpy(b->u, lr_datum_gradient(b, &b->data[i]), b->p * sizeof *b->u);
    lr_fit_widen(b, b->u);
    lr_fit_place_point(b, b->data[i].a);
    lr_fit_widen(b, b->mid);
  }
}

/* Adds directions in the order in which f was evaluated along them. */
static void span_directions(lr_fit_builder *b)
{
  lr_fit_sort_by_time(b);
  for (size_t i = 0; i < b->count; i++) {
    if (lr_datum_is_gradient(&b->data[i])) continue;
    lr_fit_place(b, &b->data[i]);
    lr_fit_widen(b, b->u);
  }
  lr_fit_sort(b);
}

lrgd_status lr_fit_span(lr_fit_builder *b)
{
  size_t most = lr_fit_dimensions(b->known->policy, b->p);
  if (b->newton && most == b->p) {
    b->q = b->p; /* all of space */
    return LRGD_OK;
  }
  b->W = lr_alloc_raw(&b->known->allocator, most * b->p, sizeof *b->W);
  if (!b->W) return LRGD_ERR_NOMEM;
  if (b->newton) span_gradients(b);
  span_directions(b);
  return LRGD_OK;
}

double lr_fit_project(const lr_fit_builder *b, const double *v, double *z)
{
  if (!b->W) {
    memcpy(z, v, b->p * sizeof *z);
    return 1;
  }
  for (size_t j = 0; j < b->q; j++) z[j] = lr_dot(b->p, b->W + j * b->p, v);
  double all = lr_norm(b->p, v);
  return all > 0 ? lr_norm(b->q, z) / all : 1;
}
