/* A direction's tile of fused_slopes.cu: its operands, its product, what
 * follows while that is in registers. */
#ifndef LR_FUSED_TILE_H
#define LR_FUSED_TILE_H

#include "fused_sums.h"

#include <string.h>

namespace
{

/* ---- operands ---- */

LR_ON_CARD unsigned char *stage_of(const work &w, unsigned i)
{
  return w.operands + (size_t)i * STAGE_BYTES;
}

/* What lies outside the matrices arrives as zeros.  Of the images of a
 * direction's tile, and of the weights of one of the network, each block of a
 * cluster fetches its share, for all: otherwise the way from the second-level
 * cache would be the narrowest. */
LR_ON_CARD void fetch_chunk(const maps &m, const tile &at, int depth,
                            unsigned char *to, uint64_t *full)
{
  const unsigned all = (1u << CLUSTER) - 1, rank = lr_cluster_rank();
  lr_barrier_expect(full, at.net ? NET_BYTES : TILE_BYTES);
  if (at.net) {
    unsigned first = rank * NET_SHARE;
    lr_copy_tile_2d(to, &m.net_images, full, depth, (int)at.image);
    lr_copy_tile_to_all(to + (NET_IMAGES + first) * ROW_BYTES, &m.net_weights,
                        full, depth, (int)(at.unit + first), all);
    return;
  }
  unsigned first = rank * SHARE;
  lr_copy_tile_to_all(to + first * ROW_BYTES, &m.images, full, depth,
                      (int)(at.image + first), all);
  lr_copy_tile_3d(to + IMAGES * ROW_BYTES, &m.directions, full, depth,
                  (int)at.unit, (int)at.direction);
}

/* One thread: operands of all tiles of this block, as room becomes free in all
 * blocks of the cluster. */
LR_ON_CARD void fetch(const maps &m, const work &w, unsigned chunks)
{
  unsigned used = 0;
  for (unsigned i = blockIdx.x; i < w.t.all; i += gridDim.x) {
    tile at = tile_at(w.t, w.q.k, i);
    for (unsigned c = 0; c < chunks; c++, used++) {
      unsigned slot = used % STAGES, turn = used / STAGES;
      if (turn > 0) lr_barrier_wait(&w.empty[slot], (turn - 1) % 2);
      fetch_chunk(m, at, (int)(c * DEPTH), stage_of(w, slot), &w.full[slot]);
    }
  }
}

/* One thread of a block that has tiles of directions watches for what these
 * need of the network, while others fetch and multiply.  (Of other blocks none
 * may: the counters are zero again when the last part is done.) */
LR_ON_CARD void watch(const work &w)
{
  counters c = counters_of(w.q);
  for (unsigned i = blockIdx.x; i < w.t.all; i += gridDim.x) {
    tile at = tile_at(w.t, w.q.k, i);
    if (at.net || !at.there) continue;
    watch_one(c.activations, w.t.net, w.activations);
    watch_one(c.errors, w.t.net_down, w.errors);
    return;
  }
}

/* This group has read a stage: all fetchers are told. */
LR_ON_CARD void release(uint64_t *empty)
{
  if (threadIdx.x % 128 > 0) return;
#pragma unroll
  for (unsigned rank = 0; rank < CLUSTER; rank++)
    lr_barrier_arrive_at(empty, rank);
}

/* ---- products ---- */

LR_ON_CARD void multiply_chunk(float (&sum)[UNITS / 2], const unsigned char *at,
                               unsigned group, bool add)
{
  uint64_t A = lr_tile_descriptor(at + group * 64 * ROW_BYTES);
  uint64_t B = lr_tile_descriptor(at + IMAGES * ROW_BYTES);
#pragma unroll
  for (unsigned step = 0; step < STEPS; step++) /* 32 bytes further */
    lr_product(sum, A + 2 * step, B + 2 * step, add || step > 0);
}

/* A warpgroup's part of a direction's tile. */
LR_ON_CARD void multiply(float (&sum)[UNITS / 2], const work &w,
                         unsigned chunks, unsigned &used)
{
  unsigned slot = 0, group = threadIdx.x / 128;
  for (unsigned c = 0; c < chunks; c++, used++) {
    unsigned before = slot;
    slot = used % STAGES;
    lr_barrier_wait(&w.full[slot], used / STAGES % 2);
    lr_products_begin();
    multiply_chunk(sum, stage_of(w, slot), group, c > 0);
    lr_products_commit();
    if (c == 0) continue;
    lr_products_wait(1); /* the stage before has been read */
    release(&w.empty[before]);
  }
  lr_products_wait(0);
  release(&w.empty[slot]);
}

/* ---- what follows a tile's product ---- */

/* W2, and dW2 and db1 of a direction (or b1), for the units of a tile: asked
 * for when the tile begins, there when it ends. */
LR_ON_CARD void ask_for_head(const work &w, const tile &at, float *head)
{
  const lr_fused &q = w.q;
  const float *b1 = q.x + q.in * q.out, *W2 = b1 + q.out;
  const float *db = q.U + at.direction * q.stride + q.in * q.out;
  const float *dW2 = db + q.out;
  size_t width = at.net ? NET_UNITS : UNITS, row = at.net ? NET_ROW : HEAD_ROW;
  for (size_t e = threadIdx.x; e < CLASSES * width; e += WORKERS) {
    size_t c = e / width, u = e % width, unit = at.unit + u;
    bool there = c < q.classes && unit < q.out;
    size_t from = there ? c * q.out + unit : 0;
    lr_copy_word(head + c * row + u, W2 + from, there);
    if (!at.net)
      lr_copy_word(head + (CLASSES + c) * row + u, dW2 + from, there);
  }
  if (threadIdx.x >= width) return;
  bool there = at.unit + threadIdx.x < q.out;
  size_t from = there ? at.unit + threadIdx.x : 0;
  if (at.net)
    lr_copy_word(head + CLASSES * NET_ROW + threadIdx.x, b1 + from, there);
  else
    lr_copy_word(head + 2 * CLASSES * HEAD_ROW + threadIdx.x, db + from, there);
}

/* c += (16 images x 8 units) times the same units of a classes x units matrix
 * in shared memory, whose rows and columns begin at W; units 2 q and 2 q + 1
 * take the places q and q + 4 of the inner index. */
LR_ON_CARD void apply(float (&c)[2][4], const float (&v)[4], const float *W,
                      size_t row, size_t classes)
{
  unsigned lane = threadIdx.x % 32;
  uint32_t a[4] = {lr_tf32(v[0]), lr_tf32(v[2]), lr_tf32(v[1]), lr_tf32(v[3])};
  const float *at = W + lane / 4 * row + 2 * (lane % 4);
  float2 b = *(const float2 *)at;
  lr_warp_product(c[0], a, lr_tf32(b.x), lr_tf32(b.y));
  if (classes <= 8) return;
  b = *(const float2 *)(at + 8 * row);
  lr_warp_product(c[1], a, lr_tf32(b.x), lr_tf32(b.y));
}

/* A thread's first row of images in a tile, its first unit. */
LR_ON_CARD size_t my_row(const tile &at)
{
  unsigned warp = threadIdx.x / 32 % (at.net ? 4 : 4 * GROUPS);
  return at.image + warp * 16 + threadIdx.x % 32 / 4;
}

/* Activations as a warp has them in registers, and wants them back: of 16
 * images and 8 units each thread four numbers, of units 2 q and 2 q + 1 of a
 * row and of row + 8.  Here: this thread's of `unit` .. unit + 7 and of the
 * images of its rows; those of the next 8 units are 32 further. */
LR_ON_CARD float4 *unit_block(const work &w, const tile &at, unsigned unit)
{
  size_t block = my_row(at) / 16 * (w.t.units / 8) + unit / 8;
  return w.r.activations + block * 32 + threadIdx.x % 32;
}

LR_ON_CARD void finish_direction(const float (&sum)[UNITS / 2], const work &w,
                                 const tile &at, const float *head,
                                 float (&c)[2][4])
{
  const float *dW2 = head + CLASSES * HEAD_ROW;
  const float *db = head + 2 * CLASSES * HEAD_ROW + 2 * (threadIdx.x % 4);
  const float4 *from = unit_block(w, at, at.unit);
  float4 ahead[AHEAD];
#pragma unroll
  for (size_t g = 0; g < AHEAD; g++) ahead[g] = __ldcg(from + 32 * g);
#pragma unroll
  for (size_t g = 0; g < UNITS / 8; g++) {
    float4 &now = ahead[g % AHEAD];
    float a[4] = {now.x, now.y, now.z, now.w}, v[4];
    if (g + AHEAD < UNITS / 8) now = __ldcg(from + 32 * (g + AHEAD));
#pragma unroll
    for (size_t j = 0; j < 4; j++) {
      float moved = sum[4 * g + j] + db[8 * g + j % 2];
      v[j] = w.q.relu ? (a[j] > 0 ? moved : 0) : moved * (1 - a[j] * a[j]);
    }
    apply(c, v, head + 8 * g, HEAD_ROW, w.q.classes);
    apply(c, a, dW2 + 8 * g, HEAD_ROW, w.q.classes);
  }
}

/* 16 numbers for each image of the tile. */
LR_ON_CARD void store_part(const float (&c)[2][4], const tile &at, float *part)
{
  float *to = part + my_row(at) * CLASSES + 2 * (threadIdx.x % 4);
#pragma unroll
  for (size_t half = 0; half < 2; half++) {
    *(float2 *)(to + 8 * half) = make_float2(c[half][0], c[half][1]);
    *(float2 *)(to + 8 * CLASSES + 8 * half) =
        make_float2(c[half][2], c[half][3]);
  }
}

/* The biases' tangents, in one of the tiles of a row. */
LR_ON_CARD void add_bias(float (&c)[2][4], const lr_fused &q, const tile &at)
{
  const float *db2 =
      q.U + at.direction * q.stride + q.in * q.out + q.out + q.out * q.classes;
#pragma unroll
  for (size_t i = 0; i < 8; i++) {
    size_t j = 8 * (i / 4) + 2 * (threadIdx.x % 4) + i % 2;
    if (j < q.classes) c[i / 4][i % 4] += db2[j];
  }
}

/* The sum of errors times tangents over this thread's outputs. */
LR_ON_CARD double slope_of(const float (&c)[2][4], const work &w,
                           const tile &at)
{
  size_t row = my_row(at);
  const float *E = w.r.errors + row * CLASSES + 2 * (threadIdx.x % 4);
  double sum = 0;
#pragma unroll
  for (size_t i = 0; i < 4; i++) { /* halves of two rows */
    if (row + 8 * (i % 2) >= w.q.n) continue;
    float2 e = __ldcg((const float2 *)(E + 8 * (i % 2) * CLASSES + i / 2 * 8));
    sum += (double)e.x * (double)c[i / 2][i % 2 * 2] +
           (double)e.y * (double)c[i / 2][i % 2 * 2 + 1];
  }
  return sum;
}

/* Whether this was the last part of all. */
LR_ON_CARD bool take_direction_tile(const work &w, const tile &at,
                                    const float *head, unsigned chunks,
                                    unsigned &used)
{
  float sum[UNITS / 2], c[2][4] = {{0}};
  multiply(sum, w, chunks, used);
  lr_words_wait();
  if (!at.there) return false;
  lr_threads_meet(WORKERS); /* all words of the head are there */
  lr_barrier_wait(w.activations, 0);
  finish_direction(sum, w, at, head, c);
  if (at.column == 0) add_bias(c, w.q, at);
  if (w.q.tangents) store_part(c, at, tangents_of(w.r, w.t, at));
  lr_barrier_wait(w.errors, 0);
  double slope = sum_over_workers(w, slope_of(c, w, at));
  size_t part =
      ((size_t)at.image / IMAGES * w.q.k + at.direction) * w.t.across +
      at.column;
  if (threadIdx.x == 0) w.r.slopes[part] = slope;
  return finish_part(w);
}

} // namespace

#endif
