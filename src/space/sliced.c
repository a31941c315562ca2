/* Vectors in slices over many processes: each holds some coordinates in host
 * memory, and what is a sum over all of them goes through one callback.
 * Known here: which coordinates are ours, and how sums come out the same on
 * any number of processes.  Not known: MPI, solvers.
 *
 * A block is a block of a host space of our own coordinates, so that
 * lrgd_host_data gives the slice.  Where we have none that space has one
 * coordinate, which nobody reads.
 *
 * Reproducible sums: coordinates are cut into `blocks` blocks by their global
 * index alone, a slice is some blocks whole, and a block is summed where it
 * lies, in one order.  The reduction then only brings the sums of the blocks
 * together, as every other process adds exact zeros to them, and all add them
 * up in the order of the blocks. */
#include "base/finite.h"
#include "base/memory.h"
#include "base/random.h"

#include <float.h>
#include <limits.h>
#include <lrgd/space.h>

enum { BATCH = 64 }; /* sums of blocks that are reduced at once */

typedef struct sliced_space {
  lrgd_space base;
  lrgd_allocator allocator;
  lrgd_slices slices;
  lrgd_space *inner; /* our coordinates */
  lrgd_block *spare; /* a column of them */
  double *sums;      /* blocks x BATCH, reproducible only */
} sliced_space;

static sliced_space *self(lrgd_space *space)
{
  return (sliced_space *)space;
}

static const lrgd_space_ops *inner_ops(lrgd_space *space)
{
  return self(space)->inner->ops;
}

static bool empty(lrgd_space *space)
{
  return self(space)->slices.count == 0;
}

static void reduce(lrgd_space *space, lrgd_reduction how, double *x, size_t n)
{
  const lrgd_slices *s = &self(space)->slices;
  if (s->reduce && n > 0) s->reduce(how, x, n, s->user);
}

/* ---- blocks of coordinates ---- */

size_t lrgd_slice_first(size_t dimension, size_t blocks, size_t parts,
                        size_t part)
{
  /* block b begins at floor(b p / blocks), part i at block floor(i B / n);
   * written so that neither product overflows */
  size_t share = blocks / parts, rest = blocks % parts;
  size_t b = part * share + part * rest / parts;
  return dimension / blocks * b + dimension % blocks * b / blocks;
}

static size_t block_first(const sliced_space *s, size_t b)
{
  return lrgd_slice_first(s->base.dimension, s->slices.blocks, s->slices.blocks,
                          b);
}

/* Four sums side by side: what a compiler turns into vector code is the same
 * whatever the address of the numbers, which a BLAS does not promise. */
static double dot_block(const double *x, const double *y, size_t n)
{
  double sum[4] = {0};
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t j = 0; j < 4; j++) sum[j] += x[i + j] * y[i + j];
  for (; i < n; i++) sum[0] += x[i] * y[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The sums of our blocks of x'y into the column of s->sums numbered `at`; all
 * else there is zero. */
static void sum_blocks(sliced_space *s, size_t at, lrgd_vec x, lrgd_vec y)
{
  const double *a = lrgd_host_data(x), *b = lrgd_host_data(y);
  size_t first = s->slices.first, end = first + s->slices.count;
  double *out = s->sums + at * s->slices.blocks;
  for (size_t i = 0; i < s->slices.blocks; i++) {
    size_t from = block_first(s, i), to = block_first(s, i + 1);
    bool ours = from >= first && to <= end && to > from;
    out[i] =
        ours ? dot_block(a + from - first, b + from - first, to - from) : 0;
  }
}

/* c[j] = the sum of column j of s->sums, over all processes. */
static void gather_sums(sliced_space *s, size_t n, double *c)
{
  size_t blocks = s->slices.blocks;
  reduce(&s->base, LRGD_REDUCE_SUM, s->sums, n * blocks);
  for (size_t j = 0; j < n; j++) {
    c[j] = 0;
    for (size_t i = 0; i < blocks; i++) c[j] += s->sums[j * blocks + i];
  }
}

/* ---- life ---- */

static double agreed(lrgd_space *space, double x)
{
  reduce(space, LRGD_REDUCE_MAX, &x, 1);
  return x;
}

static int sliced_agree(lrgd_space *space, int mine)
{
  return agreed(space, mine ? 1 : 0) > 0;
}

/* All have a block or none has. */
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
  sliced_space *s = self(space);
  lrgd_allocator a = s->allocator;
  if (s->slices.release) s->slices.release(s->slices.user);
  if (s->inner) s->inner->ops->free(s->inner, s->spare);
  lrgd_space_destroy(&s->inner);
  lr_free(&a, s->sums);
  lr_free(&a, s);
}

/* ---- each process for itself ---- */

static void sliced_copy(lrgd_space *space, lrgd_vec y, lrgd_vec x, size_t k)
{
  inner_ops(space)->copy(self(space)->inner, y, x, k);
}

static void sliced_scale(lrgd_space *space, lrgd_vec y, double a)
{
  inner_ops(space)->scale(self(space)->inner, y, a);
}

/* Column after column: a BLAS may round the ends of a slice otherwise. */
static void add_in_order(size_t n, lrgd_vec y, lrgd_vec U, size_t k,
                         const double *c)
{
  double *restrict to = lrgd_host_data(y);
  for (size_t j = 0; j < k; j++) {
    const double *restrict u = lrgd_host_data((lrgd_vec){U.block, U.col + j});
    for (size_t i = 0; i < n; i++) to[i] += c[j] * u[i];
  }
}

static void sliced_add(lrgd_space *space, lrgd_vec y, lrgd_vec U, size_t k,
                       const double *c)
{
  if (self(space)->sums)
    add_in_order(self(space)->slices.count, y, U, k, c);
  else
    inner_ops(space)->add(self(space)->inner, y, U, k, c);
}

static void sliced_place(lrgd_space *space, lrgd_vec y, lrgd_vec x, lrgd_vec u,
                         double t)
{
  inner_ops(space)->place(self(space)->inner, y, x, u, t);
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

static void dot_in_order(sliced_space *s, lrgd_vec U, size_t k, lrgd_vec g,
                         double *c)
{
  for (size_t j = 0; j < k; j += BATCH) {
    size_t n = k - j < BATCH ? k - j : BATCH;
    for (size_t i = 0; i < n; i++)
      sum_blocks(s, i, (lrgd_vec){U.block, U.col + j + i}, g);
    gather_sums(s, n, c + j);
  }
}

static void sliced_dot(lrgd_space *space, lrgd_vec U, size_t k, lrgd_vec g,
                       double *c)
{
  if (self(space)->sums) {
    dot_in_order(self(space), U, k, g, c);
    return;
  }
  if (empty(space))
    for (size_t j = 0; j < k; j++) c[j] = 0;
  else
    inner_ops(space)->dot(self(space)->inner, U, k, g, c);
  reduce(space, LRGD_REDUCE_SUM, c, k);
}

/* The k (k + 1) / 2 entries of the upper triangle, column after column, into
 * the head of G. */
static void gram_in_order(sliced_space *s, lrgd_vec U, size_t k, double *G)
{
  size_t done = 0, n = 0;
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i <= j; i++) {
      sum_blocks(s, n++, (lrgd_vec){U.block, U.col + i},
                 (lrgd_vec){U.block, U.col + j});
      if (n < BATCH && !(i == j && j + 1 == k)) continue;
      gather_sums(s, n, G + done);
      done += n;
      n = 0;
    }
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
  reduce(space, LRGD_REDUCE_SUM, G, at);
}

/* Half of it is reduced, and the other half is the same: sums of two processes
 * need not be. */
static void sliced_gram(lrgd_space *space, lrgd_vec U, size_t k, double *G)
{
  if (self(space)->sums)
    gram_in_order(self(space), U, k, G);
  else
    gram_here(space, U, k, G);
  for (size_t j = k; j-- > 0;) /* spread from the end: nothing is run over */
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

/* The 2-norm of a column whose largest number is known: that of a copy scaled
 * by a power of two, which is exact but for what is too small to count. */
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
  if (lr_finite(squares) && squares > 1e-280) { /* as the host space's */
    *norm = sqrt(squares);
    return 1;
  }
  double largest = largest_of(space, lrgd_host_data(y));
  if (!lr_finite(largest)) return 0;
  *norm = largest > 0 ? scaled_norm(space, y, largest) : 0;
  return 1;
}

/* ---- single coordinates ---- */

/* The part of first .. first + n - 1 that is ours: *from .. *to - 1. */
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

/* Everybody gets all of them: bits of a number that others have are zero. */
static void sliced_get(lrgd_space *space, lrgd_vec y, size_t first, size_t n,
                       double *numbers)
{
  const double *data = lrgd_host_data(y);
  size_t ours = self(space)->slices.first, from, to;
  part(space, first, n, &from, &to);
  for (size_t i = 0; i < n; i++) numbers[i] = 0;
  for (size_t i = from; i < to; i++) numbers[i - first] = data[i - ours];
  reduce(space, LRGD_REDUCE_BITS, numbers, n);
}

static double sliced_bump(lrgd_space *space, lrgd_vec y, size_t i, double h)
{
  size_t first = self(space)->slices.first, from, to;
  double change = 0;
  part(space, i, 1, &from, &to);
  if (to > from)
    change = inner_ops(space)->bump(self(space)->inner, y, i - first, h);
  reduce(space, LRGD_REDUCE_SUM, &change, 1);
  return change;
}

/* ---- boxes ---- */

static size_t total(lrgd_space *space, size_t ours)
{
  double n = empty(space) ? 0 : (double)ours;
  reduce(space, LRGD_REDUCE_SUM, &n, 1);
  return (size_t)n;
}

static size_t sliced_clip(lrgd_space *space, lrgd_vec y, lrgd_box box)
{
  size_t moved = 0;
  if (!empty(space)) moved = inner_ops(space)->clip(self(space)->inner, y, box);
  return total(space, moved);
}

static void sliced_reach(lrgd_space *space, lrgd_vec x, lrgd_vec u,
                         lrgd_box box, double *back, double *ahead)
{
  *back = *ahead = INFINITY;
  if (!empty(space))
    inner_ops(space)->reach(self(space)->inner, x, u, box, back, ahead);
  double least[2] = {-*back, -*ahead};
  reduce(space, LRGD_REDUCE_MAX, least, 2);
  *back = -least[0];
  *ahead = -least[1];
}

static void sliced_hold(lrgd_space *space, lrgd_vec u, lrgd_vec x, lrgd_box box,
                        double margin)
{
  inner_ops(space)->hold(self(space)->inner, u, x, box, margin);
}

static size_t sliced_strike(lrgd_space *space, lrgd_vec u, lrgd_vec x,
                            lrgd_vec g, lrgd_box box)
{
  size_t struck = 0;
  if (!empty(space))
    struck = inner_ops(space)->strike(self(space)->inner, u, x, g, box);
  return total(space, struck);
}

static void sliced_fold(lrgd_space *space, lrgd_vec x, lrgd_vec y, lrgd_box box)
{
  inner_ops(space)->fold(self(space)->inner, x, y, box);
}

static void sliced_unfold(lrgd_space *space, lrgd_vec y, lrgd_vec x,
                          lrgd_box box)
{
  inner_ops(space)->unfold(self(space)->inner, y, x, box);
}

/* Of a copy of g without what the bounds hold. */
static double sliced_free_norm(lrgd_space *space, lrgd_vec g, lrgd_vec x,
                               lrgd_box box)
{
  lrgd_vec rest = {self(space)->spare, 0};
  double norm = 0;
  sliced_copy(space, rest, g, 1);
  if (!empty(space))
    (void)inner_ops(space)->strike(self(space)->inner, rest, x, g, box);
  return sliced_measure(space, rest, &norm) ? norm : DBL_MAX;
}

static const lrgd_space_ops sliced_ops = {
    .name = "sliced",
    .make = sliced_make,
    .free = sliced_free,
    .destroy = sliced_destroy,
    .copy = sliced_copy,
    .scale = sliced_scale,
    .add = sliced_add,
    .place = sliced_place,
    .dot = sliced_dot,
    .gram = sliced_gram,
    .combine = sliced_combine,
    .measure = sliced_measure,
    .gaussian = sliced_gaussian,
    .put = sliced_put,
    .get = sliced_get,
    .bump = sliced_bump,
    .clip = sliced_clip,
    .reach = sliced_reach,
    .hold = sliced_hold,
    .free_norm = sliced_free_norm,
    .strike = sliced_strike,
    .fold = sliced_fold,
    .unfold = sliced_unfold,
    .agree = sliced_agree,
};

const lrgd_slices *lrgd_space_slices(const lrgd_space *space)
{
  const sliced_space *s = (const sliced_space *)space;
  return space->ops == &sliced_ops ? &s->slices : NULL;
}

static bool at_block(const sliced_space *s, size_t i)
{
  for (size_t b = 0; b <= s->slices.blocks; b++)
    if (block_first(s, b) == i) return true;
  return false;
}

static bool sound(const sliced_space *s)
{
  const lrgd_slices *l = &s->slices;
  if (l->dimension == 0 || l->count > INT_MAX || l->first > l->dimension ||
      l->count > l->dimension - l->first)
    return false;
  if (l->blocks == 0) return true;
  return at_block(s, l->first) && at_block(s, l->first + l->count);
}

static bool furnish(sliced_space *s)
{
  const lrgd_slices *l = &s->slices;
  const lrgd_allocator *a = &s->allocator;
  s->inner = lrgd_host_space(l->count ? l->count : 1, LRGD_DOUBLE, a);
  if (s->inner) s->spare = s->inner->ops->make(s->inner, 1);
  if (l->blocks > 0) s->sums = lr_alloc(a, l->blocks, BATCH * sizeof *s->sums);
  return s->spare && (s->sums || l->blocks == 0);
}

lrgd_space *lrgd_sliced_space(const lrgd_slices *slices,
                              const lrgd_allocator *allocator)
{
  const lrgd_allocator *a = allocator ? allocator : &lr_malloc;
  sliced_space *s = lr_alloc(a, 1, sizeof *s);
  double failed = 1;
  if (s) {
    *s = (sliced_space){
        .base = {&sliced_ops, slices->dimension},
        .allocator = *a,
        .slices = *slices
    };
    failed = !sound(s) || !furnish(s);
  }
  /* asked even where we failed: the others wait for it */
  if (slices->reduce) slices->reduce(LRGD_REDUCE_MAX, &failed, 1, slices->user);
  if (!(failed > 0)) return &s->base;
  if (!s) return NULL;
  s->slices.release = NULL; /* still the caller's */
  sliced_destroy(&s->base);
  return NULL;
}
