/* A tile of the network itself, of fused_slopes.cu: activations, and the part
 * of the scores that they make.
 *
 * Rounding to TF32 would be seen here: it switches units on and off, and the
 * errors that it makes are not averaged over random directions.  So each
 * operand is the sum of what TF32 keeps and of the rest, and three products
 * give Z to single precision.  Each of the four warpgroups takes a quarter of
 * the inner index for all 64 images and 64 units, and finishes a quarter of the
 * units. */
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

/* The rest of the weights that this group multiplies, behind them. */
LR_ON_CARD void split_weights(unsigned char *weights, unsigned group)
{
  unsigned mine = threadIdx.x % 128;
  unsigned char *at = weights + swizzled(mine / 2, 2 * group + mine % 2);
  float4 x = *(const float4 *)at;
  *(float4 *)(at + NET_UNITS * ROW_BYTES) =
      make_float4(rest_of(x.x), rest_of(x.y), rest_of(x.z), rest_of(x.w));
}

/* The images that this group multiplies, and their rest: as lr_product wants
 * its left operand. */
LR_ON_CARD void split_images(const unsigned char *images, unsigned group,
                             uint32_t (&high)[4], uint32_t (&low)[4])
{
  unsigned lane = threadIdx.x % 32;
  unsigned row = threadIdx.x % 128 / 32 * 16 + lane / 4;
#pragma unroll
  for (unsigned i = 0; i < 4; i++) {
    const unsigned char *at =
        images + swizzled(row + 8 * (i % 2), 2 * group + i / 2);
    float x = *(const float *)(at + 4 * (lane % 4));
    high[i] = __float_as_uint(x) & 0xffffe000u;
    low[i] = __float_as_uint(rest_of(x));
  }
}

/* A group's images of a stage in registers: what TF32 keeps, and the rest. */
struct operand {
  uint32_t high[4], low[4];
};

/* Waits for a stage, and splits its operands into what TF32 keeps and the rest.
 */
LR_ON_CARD void split(const work &w, unsigned used, unsigned group, operand &a)
{
  unsigned slot = used % STAGES;
  unsigned char *images = stage_of(w, slot);
  lr_barrier_wait(&w.full[slot], used / STAGES % 2);
  split_weights(images + NET_IMAGES * ROW_BYTES, group);
  split_images(images, group, a.high, a.low);
  lr_shared_written();
}

/* Products of a stage that was split; the next is split meanwhile. */
LR_ON_CARD void multiply_stage(float (&sum)[NET_UNITS / 2], const work &w,
                               unsigned used, bool more, unsigned group,
                               const operand &now, operand &next)
{
  unsigned char *weights = stage_of(w, used % STAGES) + NET_IMAGES * ROW_BYTES;
  uint64_t B = lr_tile_descriptor(weights) + 2 * group;
  uint64_t B_low =
      lr_tile_descriptor(weights + NET_UNITS * ROW_BYTES) + 2 * group;
  lr_group_meet(); /* all of the group have split */
  lr_products_begin();
  lr_product(sum, now.high, B, true);
  lr_product(sum, now.high, B_low, true);
  lr_product(sum, now.low, B, true);
  lr_products_commit();
  if (more) split(w, used + 1, group, next);
  lr_products_wait(0);
  release(&w.empty[used % STAGES]);
}

LR_ON_CARD void multiply_net(float (&sum)[NET_UNITS / 2], const work &w,
                             unsigned chunks, unsigned &used)
{
  unsigned group = threadIdx.x / 128;
  operand even, odd;
  split(w, used, group, even);
  for (unsigned c = 0; c < chunks; c += 2) {
    multiply_stage(sum, w, used + c, c + 1 < chunks, group, even, odd);
    if (c + 1 < chunks)
      multiply_stage(sum, w, used + c + 1, c + 2 < chunks, group, odd, even);
  }
  used += chunks;
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
  size_t first = threadIdx.x / 128 * GROUP_UNITS; /* of the group's units */
  size_t mine = first + 2 * (threadIdx.x % 4);
  const float *b1 = head + CLASSES * NET_ROW + mine;
  float *to = w.r.activations + my_row(at) * w.t.units + at.unit + mine;
#pragma unroll
  for (size_t g = 0; g < GROUP_UNITS / 8; g++) {
    float v[4];
#pragma unroll
    for (size_t j = 0; j < 4; j++) {
      float z = sum[4 * g + j] + b1[8 * g + j % 2];
      v[j] = w.q.relu ? fmaxf(z, 0) : tanhf(z);
    }
    *(float2 *)(to + 8 * g) = make_float2(v[0], v[1]);
    *(float2 *)(to + 8 * w.t.units + 8 * g) = make_float2(v[2], v[3]);
    apply(c, v, head + first + 8 * g, NET_ROW, w.q.classes);
  }
}

/* The other groups' parts of the scores are added to the first's. */
LR_ON_CARD void add_groups(float (&c)[2][4], float *between)
{
  unsigned group = threadIdx.x / 128;
  float *room = between + threadIdx.x % 128;
  if (group > 0)
    for (unsigned i = 0; i < 8; i++)
      room[((group - 1) * 8 + i) * 128] = c[i / 4][i % 4];
  lr_threads_meet(WORKERS);
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
  add_groups(c, other);
  if (threadIdx.x / 128 == 0)
    store_part(c, at, w.r.scores + (size_t)at.column * w.t.rows * CLASSES);
  unsigned *row = counters_of(w.q).row + at.image / NET_IMAGES;
  publish();
  if (!count_last(w, row, w.t.net_across)) return false;
  make_errors(w, at);
  return finish_part(w);
}

} // namespace

#endif
