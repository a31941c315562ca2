/* Reproducible sums of the sliced space.
 *
 * Coordinates are divided into `blocks` blocks by their global index alone; a
 * slice consists of whole blocks, and each block is summed by its owner in a
 * fixed order.  The reduction only collects the sums of the blocks, to which
 * every other process adds exact zeros, and all processes add them up in the
 * order of the blocks. */
#include "base/vector.h"
#include "space/slices.h"

size_t lrgd_slice_first(size_t dimension, size_t blocks, size_t parts,
                        size_t part)
{
  /* block b begins at floor(b p / blocks), part i at block floor(i B / n);
   * computed without overflow */
  if (blocks == 0 || parts == 0) return 0; /* there are no slices */
  size_t share = blocks / parts, rest = blocks % parts;
  size_t b = part * share + part * rest / parts;
  return dimension / blocks * b + dimension % blocks * b / blocks;
}

static size_t block_first(const lr_sliced *s, size_t b)
{
  return lrgd_slice_first(s->base.dimension, s->slices.blocks, s->slices.blocks,
                          b);
}

/* Puts the sums of this process's blocks of x'y into column `at` of s->sums;
 * the rest of it is zero. */
static void sum_blocks(lr_sliced *s, size_t at, lrgd_vec x, lrgd_vec y)
{
  const double *a = lrgd_host_data(x), *b = lrgd_host_data(y);
  size_t first = s->slices.first, end = first + s->slices.count;
  double *out = s->sums + at * s->slices.blocks;
  for (size_t i = 0; i < s->slices.blocks; i++) {
    size_t from = block_first(s, i), to = block_first(s, i + 1);
    bool ours = from >= first && to <= end && to > from;
    out[i] = ours ? lr_dot(to - from, a + from - first, b + from - first) : 0;
  }
}

/* c[j] = the sum of column j of s->sums, over all processes. */
static void gather_sums(lr_sliced *s, size_t n, double *c)
{
  size_t blocks = s->slices.blocks;
  lr_sliced_reduce(s, LRGD_REDUCTION_SUM, s->sums, n * blocks);
  for (size_t j = 0; j < n; j++) {
    c[j] = 0;
    for (size_t i = 0; i < blocks; i++) c[j] += s->sums[j * blocks + i];
  }
}

bool lr_sliced_at_block(const lr_sliced *s, size_t i)
{
  for (size_t b = 0; b <= s->slices.blocks; b++)
    if (block_first(s, b) == i) return true;
  return false;
}

void lr_sliced_dot_in_order(lr_sliced *s, lrgd_vec U, size_t k, lrgd_vec g,
                            double *c)
{
  for (size_t j = 0; j < k; j += LR_SLICED_BATCH) {
    size_t n = k - j < LR_SLICED_BATCH ? k - j : LR_SLICED_BATCH;
    for (size_t i = 0; i < n; i++)
      sum_blocks(s, i, (lrgd_vec){U.block, U.col + j + i}, g);
    gather_sums(s, n, c + j);
  }
}

/* k (k + 1) / 2 entries. */
void lr_sliced_gram_in_order(lr_sliced *s, lrgd_vec U, size_t k, double *G)
{
  size_t done = 0, n = 0;
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i <= j; i++) {
      sum_blocks(s, n++, (lrgd_vec){U.block, U.col + i},
                 (lrgd_vec){U.block, U.col + j});
      if (n < LR_SLICED_BATCH && !(i == j && j + 1 == k)) continue;
      gather_sums(s, n, G + done);
      done += n;
      n = 0;
    }
}
