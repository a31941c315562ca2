/* The first interpolation model of points that another opening evaluated. */
#include "base/memory.h"
#include "base/vector.h"
#include "dfo/box_scaling.h"
#include "dfo/dfo_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A point, and how far it is from the lowest. */
typedef struct neighbour {
  double distance;
  size_t at;
} neighbour;

static int by_distance(const void *a, const void *b)
{
  const neighbour *x = a, *y = b;
  if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

/* Writes the points to `near`, sorted by their distance from the lowest one,
 * which comes first. */
static void sort_by_distance(const lr_box_points *known, double *d,
                             neighbour *near)
{
  size_t p = known->p;
  for (size_t i = 0; i < known->n; i++) {
    memcpy(d, known->x + i * p, p * sizeof *d);
    lr_axpy(p, -1, known->x + known->best * p, d);
    near[i] = (neighbour){lr_norm(p, d), i};
  }
  qsort(near, known->n, sizeof *near, by_distance);
}

lr_code lr_box_scaling_begin_at(lr_box_scaling *c, const lr_box_points *known,
                                bool *good)
{
  lr_interpolation *q = &c->q;
  size_t p = q->p, n = known->n < q->most ? known->n : q->most;
  const lrgd_allocator *a = &c->run->allocator;
  neighbour *near = lr_alloc(a, known->n, sizeof *near);
  double high = c->first;
  if (!near)
    return lr_oracle_fault(&c->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu points", known->n);
  sort_by_distance(known, c->d, near);
  for (size_t i = 0; i < p; i++) lr_box_scaling_set_scale(c, i, 1);
  for (size_t j = 0; j < n; j++) {
    memcpy(q->x + j * p, known->x + near[j].at * p, p * sizeof *q->x);
    q->f[j] = known->f[near[j].at];
    high = fmax(high, q->f[j]);
  }
  lr_free(a, near);
  memcpy(c->from, q->x, p * sizeof *c->from);
  c->highest = lr_dfo_ceiling(c->run->policy, c->first, high);
  *good = n > p && lr_interpolation_begin_at(q, n, known->radius);
  return LR_GO;
}
