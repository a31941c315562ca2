/* A tile of the network itself, of fused_slopes.cu: activations, and the part
 * of the scores that they make.
 *
 * Rounding to TF32 would be seen here: it switches units on and off, and the
 * errors that it makes are not averaged over random directions.  So each
 * operand is the sum of what TF32 keeps and of the rest, and three products
 * give Z to single precision.  Each of the four warpgroups takes every fourth
 * stage of the inner index for all 64 images and 64 units, so that one splits
 * while others multiply, and finishes a quarter of the units. */
#ifndef LR_FUSED_NET_H
#define LR_FUSED_NET_H

#include "fused_tile.h"

namespace
{

/* What TF32 leaves out of x. */
LR_ON_CARD float rest_of(float x)
{
  return x - __uint_as_float(__float_as_uint(x) & 0xffffe000u);
}

/* Where 16 bytes of a row lie in a tile, as the copy engine swizzles them. */
LR_ON_CARD unsigned swizzled(unsigned row, unsigned sixteen)
{
  return row * ROW_BYTES + (sixteen ^ row % 8) * 16;
}

/* The rest of a stage's weights, behind them. */
LR_ON_CARD void split_weights(unsigned char *weights)
{
  unsigned mine = threadIdx.x % 128, half = mine % 2 * 4;
#pragma unroll
  for (unsigned i = 0; i < 4; i++) {
    unsigned char *at = weights + swizzled(mine / 2, half + i);
    float4 x = *(const float4 *)at;
    *(float4 *)(at + NET_UNITS * ROW_BYTES) =
        make_float4(rest_of(x.x), rest_of(x.y), rest_of(x.z), rest_of(x.w));
  }
}

/* Images of one product, as lr_product wants its left operand: what TF32 keeps,
 * and the rest. */
struct operand {
  uint32_t high[4], low[4];
};

LR_ON_CARD void split_images(const unsigned char *images, unsigned step,
                             operand &a)
{
  unsigned lane = threadIdx.x % 32;
  unsigned row = threadIdx.x % 128 / 32 * 16 + lane / 4;
#pragma unroll
  for (unsigned i = 0; i < 4; i++) {
    const unsigned char *at =
        images + swizzled(row + 8 * (i % 2), 2 * step + i / 2);
    float x = *(const float *)(at + 4 * (lane % 4));
    a.high[i] = __float_as_uint(x) & 0xffffe000u;
    a.low[i] = __float_as_uint(rest_of(x));
  }
}

/* A stage that this group alone reads: its four warps tell the fetchers. */
LR_ON_CARD void release_alone(uint64_t *empty)
{
  if (threadIdx.x % 32 > 0) return;
#pragma unroll
  for (unsigned rank = 0; rank < CLUSTER; rank++)
    lr_barrier_arrive_at(empty, rank);
}

LR_ON_CARD void multiply_stage(float (&sum)[NET_UNITS / 2], const work &w,
                               unsigned used)
{
  unsigned slot = used % STAGES;
  unsigned char *images = stage_of(w, slot);
  unsigned char *weights = images + NET_IMAGES * ROW_BYTES;
  uint64_t B = lr_tile_descriptor(weights);
  uint64_t B_low = lr_tile_descriptor(weights + NET_UNITS * ROW_BYTES);
  operand a[STEPS];
  lr_barrier_wait(&w.full[slot], used / STAGES % 2);
  split_weights(weights);
#pragma unroll
  for (unsigned step = 0; step < STEPS; step++)
    split_images(images, step, a[step]);
  lr_shared_written();
  lr_group_meet(); /* all of the group have split */
  lr_products_begin();
#pragma unroll
  for (unsigned step = 0; step < STEPS; step++) {
    lr_product(sum, a[step].high, B + 2 * step, true);
    lr_product(sum, a[step].high, B_low + 2 * step, true);
    lr_product(sum, a[step].low, B + 2 * step, true);
  }
  lr_products_commit();
  lr_products_wait(0);
  lr_group_meet(); /* all of the group have multiplied */
  release_alone(&w.empty[slot]);
}

/* Every fourth stage is this group's.  A group that has one stage fewer meets
 * as often as the others: compute-sanitizer, which counts, reports races where
 * the groups' counts differ. */
LR_ON_CARD void multiply_net(float (&sum)[NET_UNITS / 2], const work &w,
                             unsigned chunks, unsigned &used)
{
  unsigned c = threadIdx.x / 128;
  for (; c < chunks; c += GROUPS) multiply_stage(sum, w, used + c);
  if (c < upwards(chunks, GROUPS)) {
    lr_group_meet();
    lr_group_meet();
  }
  used += chunks;
  lr_threads_meet(WORKERS); /* no group waits for what another still reads */
}

/* Each group gets the others' sums for its quarter of the units. */
LR_ON_CARD void exchange(float (&mine)[GROUP_UNITS / 2],
                         const float (&sum)[NET_UNITS / 2], float *between)
{
  enum { SIZE = GROUP_UNITS / 2 };
  unsigned group = threadIdx.x / 128, thread = threadIdx.x % 128;
  float *room = between + thread;
#pragma unroll
  for (unsigned quarter = 0; quarter < GROUPS; quarter++)
    if (quarter == group)
#pragma unroll
      for (unsigned i = 0; i < SIZE; i++) mine[i] = sum[quarter * SIZE + i];
  for (unsigned turn = 1; turn < GROUPS; turn++) {
    unsigned to = (group + turn) % GROUPS;
#pragma unroll
    for (unsigned quarter = 0; quarter < GROUPS; quarter++)
      if (quarter == to)
#pragma unroll
        for (unsigned i = 0; i < SIZE; i++)
          room[(quarter * SIZE + i) * 128] = sum[quarter * SIZE + i];
    lr_threads_meet(WORKERS);
#pragma unroll
    for (unsigned i = 0; i < SIZE; i++)
      mine[i] += room[(group * SIZE + i) * 128];
    lr_threads_meet(WORKERS);
  }
}

LR_ON_CARD void finish_net(const float (&sum)[GROUP_UNITS / 2], const work &w,
                           const tile &at, const float *head, float (&c)[2][4])
{
  unsigned first = threadIdx.x / 128 * GROUP_UNITS; /* of the group's units */
  const float *b1 = head + CLASSES * NET_ROW + first + 2 * (threadIdx.x % 4);
  float4 *to = unit_block(w, at, at.unit + first);
#pragma unroll
  for (size_t g = 0; g < GROUP_UNITS / 8; g++) {
    float v[4];
#pragma unroll
    for (size_t j = 0; j < 4; j++) {
      float z = sum[4 * g + j] + b1[8 * g + j % 2];
      v[j] = w.q.relu ? fmaxf(z, 0) : tanhf(z);
    }
    to[32 * g] = make_float4(v[0], v[1], v[2], v[3]);
    apply(c, v, head + first + 8 * g, NET_ROW, w.q.classes);
  }
}

/* The other groups' parts of the scores are added to the first's.  All groups
 * have written their activations: that is counted. */
LR_ON_CARD void add_groups(float (&c)[2][4], float *between,
                           unsigned *activations)
{
  unsigned group = threadIdx.x / 128;
  float *room = between + threadIdx.x % 128;
  if (group > 0)
    for (unsigned i = 0; i < 8; i++)
      room[((group - 1) * 8 + i) * 128] = c[i / 4][i % 4];
  lr_threads_meet(WORKERS);
  if (threadIdx.x == 128) lr_count_release(activations);
  if (group > 0) return;
  for (unsigned other = 0; other + 1 < GROUPS; other++)
    for (unsigned i = 0; i < 8; i++)
      c[i / 4][i % 4] += room[(other * 8 + i) * 128];
}

/* Whether this was the last part of all.  head: of this tile; other: free until
 * the next. */
LR_ON_CARD bool take_net_tile(const work &w, const tile &at, const float *head,
                              float *other, unsigned chunks, unsigned &used)
{
  float sum[NET_UNITS / 2] = {0}, mine[GROUP_UNITS / 2], c[2][4] = {{0}};
  multiply_net(sum, w, chunks, used);
  lr_words_wait();
  if (!at.there) return false;
  exchange(mine, sum, other); /* its threads have met: the head is there */
  finish_net(mine, w, at, head, c);
  add_groups(c, other, counters_of(w.q).activations);
  if (threadIdx.x / 128 == 0)
    store_part(c, at, w.r.scores + (size_t)at.column * w.t.rows * CLASSES);
  unsigned *row = counters_of(w.q).row + at.image / NET_IMAGES;
  lr_threads_meet(WORKERS);
  if (!count_last(w, row, w.t.net_across)) return false;
  make_errors(w, at);
  return finish_part(w);
}

} // namespace

#endif
