/* Derivatives for a fit, taken from known evaluations: those that the user
 * gave, and difference quotients along the edges of the minimum spanning tree.
 * Where differences along many inputs share a point, they are gathered to a
 * gradient there. */
#include "learn/fit_builder.h"

#include "base/memory.h"
#include "base/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double *point(const lr_fit_builder *b, size_t i)
{
  return b->known->x + i * b->p;
}

/* b->u = child - parent, b->mid = the midpoint relative to the origin. Returns
 * the number of coordinates that differ, the last of which is *only. */
static size_t place_edge(lr_fit_builder *b, size_t parent, size_t child,
                         size_t *only)
{
  const double *x = point(b, parent), *y = point(b, child);
  size_t differ = 0;
  for (size_t i = 0; i < b->p; i++) {
    b->u[i] = y[i] - x[i];
    b->mid[i] = 0.5 * (x[i] - b->origin[i]) + 0.5 * (y[i] - b->origin[i]);
    if (b->u[i] == 0) continue;
    differ++;
    *only = i;
  }
  return differ;
}

void lr_fit_place_point(lr_fit_builder *b, size_t i)
{
  const double *x = point(b, i);
  for (size_t j = 0; j < b->p; j++) b->mid[j] = x[j] - b->origin[j];
}

void lr_fit_place(lr_fit_builder *b, const lr_datum *x)
{
  size_t only = 0;
  if (x->from == LR_DATUM_EDGE) {
    (void)place_edge(b, x->a, x->b, &only);
    for (size_t i = 0; i < b->p; i++) b->u[i] /= x->t;
    return;
  }
  lr_fit_place_point(b, x->a);
  if (x->from == LR_DATUM_SLOPE)
    memcpy(b->u, b->known->v + x->a * b->p, b->p * sizeof *b->u);
}

size_t lr_fit_place_node(lr_fit_builder *b, size_t i)
{
  const lr_tree *t = &b->tree;
  size_t only = 0;
  size_t differ = place_edge(b, t->point[t->parent[i]], t->point[i], &only);
  if (differ != 1) return b->p;
  double x = b->origin[only] + b->mid[only];
  bool difference = lr_fit_is_difference(b->known->policy, fabs(b->u[only]), x);
  return difference ? only : b->p;
}

bool lr_datum_is_gradient(const lr_datum *x)
{
  return x->from == LR_DATUM_GRADIENT || x->from == LR_DATUM_GATHERED;
}

const double *lr_datum_gradient(const lr_fit_builder *b, const lr_datum *x)
{
  return x->from == LR_DATUM_GATHERED ? b->hubs + x->hub * b->p
                                      : b->known->v + x->a * b->p;
}

/* ---- collecting derivatives ---- */

/* Adds the derivative that evaluation i returned, if any. */
static void add_answered(lr_fit_builder *b, size_t i)
{
  const lr_known *k = b->known;
  if (k->kind[i] == LR_KNOWN_VALUE) return;
  lr_fit_place_point(b, i);
  b->data[b->count++] = (lr_datum){
      .from = k->kind[i] == LR_KNOWN_SLOPE ? LR_DATUM_SLOPE : LR_DATUM_GRADIENT,
      .a = i,
      .b = i,
      .far = lr_norm(b->p, b->mid),
      .d = k->d[i]};
}

/* Sets an entry of a gathered gradient to the quotient of the edge just placed.
 */
static void fill_hub(lr_fit_builder *b, size_t hub, size_t input, double rise)
{
  b->hubs[hub * b->p + input] = rise / b->u[input];
  b->filled[hub * b->p + input] = true;
}

/* Adds the difference quotient of node i of the tree and its parent.  A
 * quotient along one input is stored in the gradient gathered at the parent
 * (hub_of[parent] > 0) or at the node itself: where the tree reaches a star of
 * differences through one of its points, the centre of the star is that point's
 * child. */
static void add_edge(lr_fit_builder *b, size_t i, const size_t *hub_of)
{
  size_t up = b->tree.parent[i];
  size_t parent = b->tree.point[up], child = b->tree.point[i];
  size_t only = lr_fit_place_node(b, i);
  double t = lr_norm(b->p, b->u);
  double rise = b->known->f[child] - b->known->f[parent];
  if (!(t > 0)) return;
  if (only < b->p && (hub_of[up] > 0 || hub_of[i] > 0)) {
    if (hub_of[up] > 0) fill_hub(b, hub_of[up] - 1, only, rise);
    if (hub_of[i] > 0) fill_hub(b, hub_of[i] - 1, only, rise);
    return;
  }
  b->data[b->count++] = (lr_datum){.from = LR_DATUM_EDGE,
                                   .a = parent,
                                   .b = child,
                                   .far = lr_norm(b->p, b->mid),
                                   .d = rise / t,
                                   .t = t};
}

/* hub_of[i] = the number, counted from 1, of the gradient gathered at node i of
 * the tree, if node i is the base of differences along enough inputs; else
 * 0. */
static lrgd_status gather(lr_fit_builder *b, size_t *hub_of)
{
  const lr_policy *P = b->known->policy;
  size_t n = b->tree.n;
  for (size_t i = 1; i < n; i++)
    if (lr_fit_place_node(b, i) < b->p) hub_of[b->tree.parent[i]]++;
  for (size_t i = 0; i < n; i++)
    hub_of[i] = lr_fit_is_gradient(P, hub_of[i], b->p) ? ++b->hub_count : 0;
  if (b->hub_count == 0) return LRGD_OK;
  size_t entries = b->hub_count * b->p;
  b->hubs = lr_alloc(&b->known->allocator, entries, sizeof *b->hubs);
  b->filled = lr_alloc(&b->known->allocator, entries, sizeof *b->filled);
  if (!b->hubs || !b->filled) return LRGD_ERR_NOMEM;
  for (size_t i = 0; i < n; i++) {
    if (hub_of[i] == 0) continue;
    lr_fit_place_point(b, b->tree.point[i]);
    b->data[b->count++] = (lr_datum){.from = LR_DATUM_GATHERED,
                                     .a = b->tree.point[i],
                                     .b = b->tree.point[i],
                                     .hub = hub_of[i] - 1,
                                     .far = lr_norm(b->p, b->mid)};
  }
  return LRGD_OK;
}

lrgd_status lr_fit_collect(lr_fit_builder *b)
{
  const lr_known *k = b->known;
  const lrgd_allocator *a = &k->allocator;
  size_t *hub_of = lr_alloc(a, b->tree.n, sizeof *hub_of);
  b->data = lr_alloc(a, 2 * b->tree.n + k->n, sizeof *b->data);
  lrgd_status status = hub_of && b->data ? LRGD_OK : LRGD_ERR_NOMEM;
  if (status == LRGD_OK) status = gather(b, hub_of);
  for (size_t i = 1; status == LRGD_OK && i < b->tree.n; i++) {
    /* skip lines of points that measured noise: their differences are along one
     * direction and too short */
    size_t child = b->tree.point[i], up = b->tree.point[b->tree.parent[i]];
    bool line = lr_known_on_line(k, child) && lr_known_on_line(k, up);
    if (!line) add_edge(b, i, hub_of);
  }
  for (size_t i = 0; status == LRGD_OK && i < k->n; i++) add_answered(b, i);
  lr_free(a, hub_of);
  return status;
}

/* ---- order and selection ---- */

static int by_distance(const void *left, const void *right)
{
  const lr_datum *a = left, *b = right;
  if (a->far != b->far) return a->far < b->far ? -1 : 1;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return (a->b > b->b) - (a->b < b->b);
}

static int by_time(const void *left, const void *right)
{
  const lr_datum *a = left, *b = right;
  size_t first = a->a > a->b ? a->a : a->b, second = b->a > b->b ? b->a : b->b;
  return (first > second) - (first < second);
}

void lr_fit_sort(lr_fit_builder *b)
{
  qsort(b->data, b->count, sizeof *b->data, by_distance);
}

void lr_fit_sort_by_time(lr_fit_builder *b)
{
  qsort(b->data, b->count, sizeof *b->data, by_time);
}

/* Differences along single inputs were made for gradients, and contain little
 * about the directions of an embedding. */
void lr_fit_drop_inputs(lr_fit_builder *b)
{
  size_t left = 0, only;
  for (size_t i = 0; i < b->count; i++) {
    const lr_datum *x = &b->data[i];
    bool input =
        lr_datum_is_gradient(x) || (x->from == LR_DATUM_EDGE && b->p > 1 &&
                                    place_edge(b, x->a, x->b, &only) == 1);
    if (!input) b->data[left++] = *x;
  }
  b->count = left;
}

void lr_fit_drop_outliers(lr_fit_builder *b)
{
  const lr_policy *P = b->known->policy;
  double steepest = 0, far = 0;
  size_t left = 0;
  for (size_t i = 0; i < b->count; i++) {
    const lr_datum *x = &b->data[i];
    double d = lr_datum_is_gradient(x) ? lr_norm(b->p, lr_datum_gradient(b, x))
                                       : fabs(x->d);
    double predicted = far > 0 ? steepest * fmax(x->far / far, 1) : INFINITY;
    if (lr_fit_has_data(P, left) && steepest > 0 &&
        lr_fit_is_outlier(P, d, predicted))
      continue;
    steepest = fmax(steepest, d);
    far = fmax(far, x->far);
    b->data[left++] = *x;
  }
  b->count = left;
}
