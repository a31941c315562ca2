/* Detects which method made the known evaluations, by their points: whole
 * gradients and steps in their span are made by quasi-Newton, differences along
 * dense directions by an embedding. */
#include "learn/fit_builder.h"

#include "base/memory.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

/* The norm of the gradient at the first evaluation: sqrt(p) times the root mean
 * square of the derivatives there. */
static double steepness(const lr_fit_builder *b)
{
  double sum = 0;
  size_t n = 0;
  for (size_t i = 0; i < b->count; i++) {
    const lr_datum *x = &b->data[i];
    if (x->a != 0 && x->b != 0) continue;
    if (lr_datum_is_gradient(x)) return lr_norm(b->p, lr_datum_gradient(b, x));
    sum += x->d * x->d;
    n++;
  }
  return n > 0 ? sqrt((double)b->p * sum / (double)n) : 0;
}

/* b->newton = whether the lowest point has a gradient, or is a step in the span
 * of gradients away from the nearest point that has one.  Data are sorted by
 * distance. */
static lrgd_status find_newton(lr_fit_builder *b)
{
  const lr_policy *P = b->known->policy;
  size_t near = 0, most = lr_fit_dimensions(P, b->p);
  while (near < b->count && !lr_datum_is_gradient(&b->data[near])) near++;
  if (near == b->count) return LRGD_OK;
  b->newton = b->data[near].far == 0;
  if (b->newton) return LRGD_OK;
  b->W = lr_alloc_raw(&b->known->allocator, most * b->p, sizeof *b->W);
  double *z = lr_alloc(&b->known->allocator, most, sizeof *z);
  for (size_t i = near; b->W && z && i < b->count; i++) {
    if (!lr_datum_is_gradient(&b->data[i])) continue;
    memcpy(b->u, lr_datum_gradient(b, &b->data[i]), b->p * sizeof *b->u);
    lr_fit_widen(b, b->u);
  }
  bool short_of = !b->W || !z;
  lr_fit_place_point(b, b->data[near].a);
  if (!short_of) b->newton = lr_fit_is_newton(P, lr_fit_project(b, b->mid, z));
  lr_free(&b->known->allocator, b->W);
  lr_free(&b->known->allocator, z);
  b->W = NULL;
  b->q = 0;
  return short_of ? LRGD_ERR_NOMEM : LRGD_OK;
}

/* The evaluation after number `last` at which the next whole gradient is known;
 * if there is none, the number of evaluations. */
static size_t next_gradient(const lr_fit_builder *b, size_t last, bool any)
{
  size_t next = b->known->n;
  for (size_t i = 0; i < b->count; i++) {
    const lr_datum *x = &b->data[i];
    if (lr_datum_is_gradient(x) && (any || x->a > last) && x->a < next)
      next = x->a;
  }
  return next;
}

/* Whether f decreases from each known gradient to the next: then they are the
 * gradients of a descent, not of sample points. */
static bool descends(const lr_fit_builder *b)
{
  const double *f = b->known->f;
  size_t at = next_gradient(b, 0, true), next;
  for (; at < b->known->n; at = next) {
    next = next_gradient(b, at, false);
    if (next < b->known->n && f[next] > f[at]) return false;
  }
  return true;
}

/* The evaluation that made the edge to node i of the tree a difference: the
 * later one of its two ends, as either may be nearer to the root. */
static size_t later_end(const lr_fit_builder *b, size_t i)
{
  size_t child = b->tree.point[i], parent = b->tree.point[b->tree.parent[i]];
  return child > parent ? child : parent;
}

/* Whether the edge to node i of the tree is a finite difference along a dense
 * direction. */
static bool is_dense(lr_fit_builder *b, size_t i)
{
  if (lr_known_on_line(b->known, later_end(b, i))) return false;
  size_t only = lr_fit_place_node(b, i);
  return only == b->p &&
         lr_fit_is_dense_difference(b->known->policy, lr_norm(b->p, b->u),
                                    lr_norm(b->p, b->origin));
}

/* Whether an embedding was running at the end: some of the last evaluations
 * were differences along dense directions. */
static bool find_embedding(lr_fit_builder *b)
{
  const lr_policy *P = b->known->policy;
  size_t dense = 0, all = 0, last = lr_fit_window(P, b->p);
  for (size_t i = 1; i < b->tree.n; i++) {
    if (later_end(b, i) + last < b->known->n) continue;
    all++;
    dense += is_dense(b, i);
  }
  return b->known->n < last || lr_fit_is_embedding(P, dense, all);
}

/* Whether an embedding was tried: it comes first in a run, so that a difference
 * along a dense direction precedes any along an input. */
static bool find_attempt(lr_fit_builder *b)
{
  size_t dense = b->known->n, inputs = b->known->n;
  for (size_t i = 1; i < b->tree.n; i++) {
    size_t at = later_end(b, i), only = lr_fit_place_node(b, i);
    if (only < b->p && at < inputs)
      inputs = at;
    else if (at < dense && is_dense(b, i))
      dense = at;
  }
  return dense < inputs;
}

/* The first evaluation that is a finite difference along an input. */
static size_t first_input(lr_fit_builder *b)
{
  size_t first = b->known->n;
  for (size_t i = 1; i < b->tree.n; i++) {
    size_t at = later_end(b, i);
    if (at < first && lr_fit_place_node(b, i) < b->p) first = at;
  }
  return first;
}

/* Whether an embedding that was tried worked in coordinates that were mapped
 * into a box: evaluations before the first difference along an input then leave
 * the few directions that it has.  Without a map each direction serves several
 * evaluations. */
static lrgd_status find_fold(lr_fit_builder *b, bool *folded)
{
  const lr_known *k = b->known;
  size_t n = 1, end = first_input(b), most = lr_fit_dimensions(k->policy, b->p);
  b->W = lr_alloc_raw(&k->allocator, most * b->p, sizeof *b->W);
  if (!b->W) return LRGD_ERR_NOMEM;
  for (; n < end && b->q < most; n++) {
    for (size_t j = 0; j < b->p; j++) b->u[j] = k->x[n * b->p + j] - k->x[j];
    lr_fit_widen(b, b->u);
  }
  *folded = lr_fit_is_folded(k->policy, b->q, n - 1);
  lr_free(&k->allocator, b->W);
  b->W = NULL;
  b->q = 0;
  return LRGD_OK;
}

lrgd_status lr_fit_describe(lr_fit_builder *b, lr_fit *fit)
{
  size_t most = lr_fit_most_data(b->known->policy);
  fit->steepness = steepness(b);
  lrgd_status status = find_newton(b);
  fit->sampled = !descends(b);
  b->newton = b->newton && !fit->sampled;
  fit->newton = b->newton;
  for (size_t i = 0; i < b->count; i++)
    fit->gradient_first |=
        lr_datum_is_gradient(&b->data[i]) && b->data[i].a == 0;
  fit->embedding = !find_attempt(b) || (!b->newton && find_embedding(b));
  if (status == LRGD_OK && !fit->embedding) status = find_fold(b, &fit->folded);
  for (size_t i = 0; i < b->count && i < most; i++)
    fit->reach = fmax(fit->reach, b->data[i].t);
  return status;
}
