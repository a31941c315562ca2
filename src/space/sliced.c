/* Vectors distributed over processes: each holds some coordinates in host
 * memory, and sums over all of them go through one callback.  MPI is not known
 * here; sums that do not depend on the number of processes are in
 * reproducible_sum.c.
 *
 * A block is a block of a host space of the local coordinates, so that
 * lrgd_host_data gives the slice.  A process without coordinates has one that
 * is never read. */
#include "space/slices.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sized.h"

#include <float.h>
#include <limits.h>
#include <lrgd/space.h>

static lr_sliced *self(lrgd_space *space)
{
  return (lr_sliced *)space;
}

static const lrgd_space_ops *inner_ops(lrgd_space *space)
{
  return self(space)->inner->ops;
}

static bool empty(lrgd_space *space)
{
  return self(space)->slices.count == 0;
}

/* ---- creation and destruction ---- */

static double agreed(lrgd_space *space, double x)
{
  lr_sliced_reduce(self(space), LRGD_REDUCTION_MAX, &x, 1);
  return x;
}

static int sliced_agree(lrgd_space *space, int mine)
{
  return agreed(space, mine ? 1 : 0) > 0;
}

/* Makes a block on all processes, or on none. */
static lrgd_block *sliced_make(lrgd_space *space, size_t columns)
{
  lrgd_block *block = inner_ops(space)->make(self(space)->inner, columns);
  if (!sliced_agree(space, block == NULL)) return block;
  inner_ops(space)->free(self(space)->inner, block);
  return NULL;
}

static void sliced_free(lrgd_space *space, lrgd_block *block)
{
  inner_ops(space)->free(self(space)->inner, block);
}

static void sliced_destroy(lrgd_space *space)
{
  lr_sliced *s = self(space);
  lrgd_allocator a = s->allocator;
  if (s->slices.release) s->slices.release(s->slices.user);
  if (s->inner) s->inner->ops->free(s->inner, s->spare);
  lrgd_space_destroy(&s->inner);
  lr_free(&a, s->sums);
  lr_free(&a, s);
}

/* ---- operations without communication ---- */

static void sliced_copy(lrgd_space *space, lrgd_vec y, lrgd_vec x, size_t k)
{
  inner_ops(space)->copy(self(space)->inner, y, x, k);
}

static void sliced_scale(lrgd_space *space, lrgd_vec y, double a)
{
  inner_ops(space)->scale(self(space)->inner, y, a);
}

static void sliced_add(lrgd_space *space, lrgd_vec y, lrgd_vec U, size_t k,
                       const double *c)
{
  inner_ops(space)->add(self(space)->inner, y, U, k, c);
}

static void sliced_axpy_into(lrgd_space *space, lrgd_vec y, lrgd_vec x,
                             lrgd_vec u, double t)
{
  inner_ops(space)->axpy_into(self(space)->inner, y, x, u, t);
}

static void sliced_combine(lrgd_space *space, lrgd_vec W, size_t m, lrgd_vec U,
                           size_t k, const double *C)
{
  for (size_t j = 0; j < m; j++) {
    lrgd_vec Wj = {W.block, W.col + j};
    sliced_scale(space, Wj, 0);
    sliced_add(space, Wj, U, k, C + j * k);
  }
}

static void sliced_gaussian(lrgd_space *space, lrgd_vec y, uint64_t seed,
                            uint64_t stream)
{
  const lrgd_slices *s = &self(space)->slices;
  lr_gaussian(seed, stream, s->first, s->count, lrgd_host_data(y));
}

/* ---- sums over all ---- */

static void sliced_dot(lrgd_space *space, lrgd_vec U, size_t k, lrgd_vec g,
                       double *c)
{
  if (self(space)->sums) {
    lr_sliced_dot_in_order(self(space), U, k, g, c);
    return;
  }
  if (empty(space))
    for (size_t j = 0; j < k; j++) c[j] = 0;
  else
    inner_ops(space)->dot(self(space)->inner, U, k, g, c);
  lr_sliced_reduce(self(space), LRGD_REDUCTION_SUM, c, k);
}

static void gram_here(lrgd_space *space, lrgd_vec U, size_t k, double *G)
{
  size_t at = 0;
  for (size_t j = 0; j < k; at += ++j) {
    lrgd_vec Uj = {U.block, U.col + j};
    if (empty(space))
      for (size_t i = 0; i <= j; i++) G[at + i] = 0;
    else
      inner_ops(space)->dot(self(space)->inner, U, j + 1, Uj, G + at);
  }
  lr_sliced_reduce(self(space), LRGD_REDUCTION_SUM, G, at);
}

/* One half is reduced and copied to the other: two reductions need not give the
 * same bits. */
static void sliced_gram(lrgd_space *space, lrgd_vec U, size_t k, double *G)
{
  if (self(space)->sums)
    lr_sliced_gram_in_order(self(space), U, k, G);
  else
    gram_here(space, U, k, G);
  for (size_t j = k;
       j-- > 0;) /* from the end, so that nothing is overwritten */
    for (size_t i = j + 1; i-- > 0;) G[j * k + i] = G[j * (j + 1) / 2 + i];
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < j; i++) G[i * k + j] = G[j * k + i];
}

/* The largest |y_i|, INFINITY where one is not finite. */
static double largest_of(lrgd_space *space, const double *y)
{
  double largest = 0;
  for (size_t i = 0; i < self(space)->slices.count; i++) {
    double t = lr_finite(y[i]) ? fabs(y[i]) : INFINITY;
    if (t > largest) largest = t;
  }
  return agreed(space, largest);
}

/* The 2-norm of a column whose largest entry is known: that of a copy scaled by
 * a power of two, which is exact but for negligible entries. */
static double scaled_norm(lrgd_space *space, lrgd_vec y, double largest)
{
  lrgd_vec copy = {self(space)->spare, 0};
  const double *from = lrgd_host_data(y);
  double *to = lrgd_host_data(copy), sum = 0;
  int e = ilogb(largest);
  for (size_t i = 0; i < self(space)->slices.count; i++)
    to[i] = scalbn(from[i], -e);
  sliced_dot(space, copy, 1, copy, &sum);
  double norm = scalbn(sqrt(sum), e);
  return lr_finite(norm) ? norm : DBL_MAX;
}

static int sliced_measure(lrgd_space *space, lrgd_vec y, double *norm)
{
  double squares;
  sliced_dot(space, y, 1, y, &squares);
  if (lr_finite(squares) &&
      squares > 1e-280) { /* the limit is that of the host space */
    *norm = sqrt(squares);
    return 1;
  }
  double largest = largest_of(space, lrgd_host_data(y));
  if (!lr_finite(largest)) return 0;
  *norm = largest > 0 ? scaled_norm(space, y, largest) : 0;
  return 1;
}

/* ---- single coordinates ---- */

/* The part of first .. first + n - 1 that is local: *from .. *to - 1. */
static void part(lrgd_space *space, size_t first, size_t n, size_t *from,
                 size_t *to)
{
  const lrgd_slices *s = &self(space)->slices;
  size_t end = s->first + s->count;
  *from = first > s->first ? first : s->first;
  *to = first + n < end ? first + n : end;
  if (*to < *from) *to = *from;
}

static void sliced_put(lrgd_space *space, lrgd_vec y, size_t first, size_t n,
                       const double *numbers)
{
  double *data = lrgd_host_data(y);
  size_t ours = self(space)->slices.first, from, to;
  part(space, first, n, &from, &to);
  for (size_t i = from; i < to; i++) data[i - ours] = numbers[i - first];
}

/* Every process gets all entries: to a number, the others contribute zero bits.
 */
static void sliced_get(lrgd_space *space, lrgd_vec y, size_t first, size_t n,
                       double *numbers)
{
  const double *data = lrgd_host_data(y);
  size_t ours = self(space)->slices.first, from, to;
  part(space, first, n, &from, &to);
  for (size_t i = 0; i < n; i++) numbers[i] = 0;
  for (size_t i = from; i < to; i++) numbers[i - first] = data[i - ours];
  lr_sliced_reduce(self(space), LRGD_REDUCTION_BITS, numbers, n);
}

static double sliced_add_at(lrgd_space *space, lrgd_vec y, size_t i, double h)
{
  size_t first = self(space)->slices.first, from, to;
  double change = 0;
  part(space, i, 1, &from, &to);
  if (to > from)
    change = inner_ops(space)->add_at(self(space)->inner, y, i - first, h);
  lr_sliced_reduce(self(space), LRGD_REDUCTION_SUM, &change, 1);
  return change;
}

/* ---- boxes ---- */

static size_t total(lrgd_space *space, size_t ours)
{
  double n = empty(space) ? 0 : (double)ours;
  lr_sliced_reduce(self(space), LRGD_REDUCTION_SUM, &n, 1);
  return (size_t)n;
}

static size_t sliced_clip(lrgd_space *space, lrgd_vec y, lrgd_box box)
{
  size_t moved = 0;
  if (!empty(space)) moved = inner_ops(space)->clip(self(space)->inner, y, box);
  return total(space, moved);
}

static void sliced_max_step(lrgd_space *space, lrgd_vec x, lrgd_vec u,
                            lrgd_box box, double *back, double *ahead)
{
  *back = *ahead = INFINITY;
  if (!empty(space))
    inner_ops(space)->max_step(self(space)->inner, x, u, box, back, ahead);
  double least[2] = {-*back, -*ahead};
  lr_sliced_reduce(self(space), LRGD_REDUCTION_MAX, least, 2);
  *back = -least[0];
  *ahead = -least[1];
}

static void sliced_zero_near_bounds(lrgd_space *space, lrgd_vec u, lrgd_vec x,
                                    lrgd_box box, double margin)
{
  inner_ops(space)->zero_near_bounds(self(space)->inner, u, x, box, margin);
}

static size_t sliced_zero_active(lrgd_space *space, lrgd_vec u, lrgd_vec x,
                                 lrgd_vec g, lrgd_box box)
{
  size_t struck = 0;
  if (!empty(space))
    struck = inner_ops(space)->zero_active(self(space)->inner, u, x, g, box);
  return total(space, struck);
}

static void sliced_map_to_box(lrgd_space *space, lrgd_vec x, lrgd_vec y,
                              lrgd_box box)
{
  inner_ops(space)->map_to_box(self(space)->inner, x, y, box);
}

static void sliced_map_from_box(lrgd_space *space, lrgd_vec y, lrgd_vec x,
                                lrgd_box box)
{
  inner_ops(space)->map_from_box(self(space)->inner, y, x, box);
}

/* The norm of a copy of g without the active coordinates. */
static double sliced_free_norm(lrgd_space *space, lrgd_vec g, lrgd_vec x,
                               lrgd_box box)
{
  lrgd_vec rest = {self(space)->spare, 0};
  double norm = 0;
  sliced_copy(space, rest, g, 1);
  if (!empty(space))
    (void)inner_ops(space)->zero_active(self(space)->inner, rest, x, g, box);
  return sliced_measure(space, rest, &norm) ? norm : DBL_MAX;
}

static const lrgd_space_ops sliced_ops = {
    .struct_size = sizeof(lrgd_space_ops),
    .name = "sliced",
    .make = sliced_make,
    .free = sliced_free,
    .destroy = sliced_destroy,
    .copy = sliced_copy,
    .scale = sliced_scale,
    .add = sliced_add,
    .axpy_into = sliced_axpy_into,
    .dot = sliced_dot,
    .gram = sliced_gram,
    .combine = sliced_combine,
    .measure = sliced_measure,
    .gaussian = sliced_gaussian,
    .put = sliced_put,
    .get = sliced_get,
    .add_at = sliced_add_at,
    .clip = sliced_clip,
    .max_step = sliced_max_step,
    .zero_near_bounds = sliced_zero_near_bounds,
    .free_norm = sliced_free_norm,
    .zero_active = sliced_zero_active,
    .map_to_box = sliced_map_to_box,
    .map_from_box = sliced_map_from_box,
    .agree = sliced_agree,
};

const lrgd_slices *lrgd_space_slices(const lrgd_space *space)
{
  const lr_sliced *s = (const lr_sliced *)space;
  return space && space->ops == &sliced_ops ? &s->slices : NULL;
}

static bool sound(const lr_sliced *s)
{
  const lrgd_slices *l = &s->slices;
  if (l->dimension == 0 || l->count > INT_MAX || l->first > l->dimension ||
      l->count > l->dimension - l->first)
    return false;
  if (l->blocks == 0) return true;
  return lr_sliced_at_block(s, l->first) &&
         lr_sliced_at_block(s, l->first + l->count);
}

static bool furnish(lr_sliced *s)
{
  const lrgd_slices *l = &s->slices;
  const lrgd_allocator *a = &s->allocator;
  s->inner = lrgd_host_space(l->count ? l->count : 1, LRGD_SCALAR_DOUBLE, a);
  if (s->inner) s->spare = s->inner->ops->make(s->inner, 1);
  if (l->blocks > 0)
    s->sums = lr_alloc(a, l->blocks, LR_SLICED_BATCH * sizeof *s->sums);
  return s->spare && (s->sums || l->blocks == 0);
}

void lrgd_slices_init(lrgd_slices *slices, size_t size, size_t dimension)
{
  lrgd_slices one = {
      .struct_size = sizeof one, .dimension = dimension, .count = dimension};
  lr_sized_give(slices, size, &one, sizeof one);
}

lrgd_space *lrgd_sliced_space(const lrgd_slices *slices,
                              const lrgd_allocator *allocator)
{
  const lrgd_allocator *a = allocator ? allocator : &lr_malloc;
  lrgd_slices own = lrgd_slices_default(0);
  /* the struct size is the same on all processes, so that all refuse alike */
  if (!slices || !lr_sized_take(&own, sizeof own, slices, "slices", NULL))
    return NULL;
  lr_sliced *s = lr_alloc(a, 1, sizeof *s);
  double failed = 1;
  if (s) {
    *s = (lr_sliced){
        .base = {&sliced_ops, own.dimension},
          .allocator = *a, .slices = own
    };
    failed = !sound(s) || !furnish(s);
  }
  /* called even after a failure: the others wait in it */
  if (own.reduce) own.reduce(LRGD_REDUCTION_MAX, &failed, 1, own.user);
  if (!(failed > 0)) return &s->base;
  if (!s) return NULL;
  s->slices.release = NULL; /* still the caller's */
  sliced_destroy(&s->base);
  return NULL;
}
