/* k slopes of a network with one hidden layer in one pass, TF32.
 *
 * With A0 the images (n x in), Z = A0 W1' + b1 and A1 = s(Z), the tangents of
 * the outputs along (dW1, db1, dW2, db2) are
 *
 *   T = (s'(Z) * (A0 dW1' + db1)) W2' + A1 dW2' + db2
 *
 * and the slope is the sum of E * T, E the errors of the outputs.  The product
 * with dW1 is nearly all of the work: it reads every tangent of the weights
 * once, and must not wait for anything.  So one launch does all:
 *
 * - A tile of a direction is 256 images by 112 hidden units.  A block takes one
 *   tile after another: one thread fetches operands by the copy engine, four
 *   warpgroups multiply, 64 images each.
 * - When a tile's product is there, it is still in registers, in the layout
 * that the next product wants for its left operand: W2 and dW2 are applied at
 * once, and only 16 numbers an image leave the tile.
 * - That needs A1: the tiles of the network itself come first, and tiles of
 *   directions wait for them at their ends.  Rounding there would be seen: it
 *   flips units on and off, and the errors that it makes are not averaged over
 *   random directions.  So each operand is the sum of what TF32 keeps and of
 *   the rest, and three products give Z to single precision.  Such a tile is 64
 *   images by 128 units, 32 for each warpgroup.
 * - The block that finishes the last tile of a direction adds the direction's
 *   parts up, in their order; the one that finishes the network's last tile
 *   makes f and E.  So the bits do not depend on who comes first.
 *
 * Blocks wait for others: those that the others wait for have the lowest
 * numbers, are launched first, and wait for none. */
#include "fused_slopes.h"

#include "hopper.h"

#include <math.h>

namespace
{

enum {
  DEPTH = 32, /* inputs of a stage: rows of 128 bytes */
  GROUPS = 4, /* warpgroups that multiply */
  WORKERS = 128 * GROUPS,
  THREADS = WORKERS + 128, /* and the group of the one that fetches */
  STAGES = 4,              /* of operands in shared memory */
  IMAGES = 64 * GROUPS,    /* of a direction's tile */
  UNITS = 112,
  NET_IMAGES = 64, /* of a tile of the network */
  NET_UNITS = 128,
  GROUP_UNITS = NET_UNITS / GROUPS,
  ROW_BYTES = DEPTH * 4,
  TILE_BYTES = (IMAGES + UNITS) * ROW_BYTES,
  NET_BYTES = 2 * (NET_IMAGES + NET_UNITS) * ROW_BYTES,
  STAGE_BYTES = NET_BYTES > TILE_BYTES ? NET_BYTES : TILE_BYTES,
  STEPS = DEPTH / 8, /* products of a stage */
  CLASSES = LR_FUSED_CLASSES,
  /* rows of W2 and dW2 in shared memory, padded against bank conflicts */
  HEAD_ROW = UNITS + 4,
  NET_ROW = NET_UNITS + 4,
  HEAD = 2 * CLASSES * HEAD_ROW + UNITS, /* floats */
  SHARED_BYTES = STAGES * STAGE_BYTES + 2 * HEAD * 4 + 1024,
  /* of a thread: workers take what fetchers leave of the 96 each that a block
   * of 640 begins with, (640 96 - 128 24) / 512, rounded to eights; a register
   * more and they would wait for it for ever */
  FETCHER_REGISTERS = 24,
  WORKER_REGISTERS = 112
};
static_assert(NET_BYTES % 1024 == 0 && STAGE_BYTES % 1024 == 0, "swizzle");
static_assert(CLASSES * NET_ROW + NET_UNITS <= HEAD, "the head has room");

struct maps {
  CUtensorMap images, directions;      /* for tiles of directions */
  CUtensorMap high_images, low_images; /* for those of the network */
  CUtensorMap high_weights, low_weights;
};

__host__ __device__ inline size_t upwards(size_t n, size_t unit)
{
  return (n + unit - 1) / unit * unit;
}

/* The tiles in their order: those of the network, then direction after
 * direction; of each, rows of tiles from the first images on. */
struct tiling {
  unsigned across, net_across; /* tiles of a row */
  unsigned each, net;          /* tiles of a direction, of the network */
  unsigned all;
  size_t rows, units; /* of activations in memory */
};

__host__ __device__ inline tiling tiling_of(size_t n, size_t out, size_t k)
{
  tiling t;
  t.across = (unsigned)((out + UNITS - 1) / UNITS);
  /* activations of all units that a direction's tiles reach */
  t.units = upwards((size_t)t.across * UNITS, NET_UNITS);
  t.net_across = (unsigned)(t.units / NET_UNITS);
  t.each = t.across * (unsigned)((n + IMAGES - 1) / IMAGES);
  t.net = t.net_across * (unsigned)((n + NET_IMAGES - 1) / NET_IMAGES);
  t.all = t.net + t.each * (unsigned)k;
  t.rows = upwards(n, IMAGES);
  return t;
}

/* Where things are in the room. */
struct rooms {
  float *low_images, *low_weights; /* what TF32 leaves out of them */
  float *activations;              /* rows x units */
  float *scores, *errors;          /* rows x CLASSES */
  float *net_parts; /* GROUPS net_across x rows x CLASSES, of the scores */
  float *parts;     /* k across x rows x CLASSES, of the tangents */
};

/* How many floats, from `at` on. */
__host__ __device__ inline size_t lay_out(rooms *r, float *at, const tiling &t,
                                          size_t n, size_t in, size_t out,
                                          size_t k)
{
  size_t used = 0, outputs = t.rows * CLASSES;
  r->low_images = at + used;
  used += upwards(n * in, 64);
  r->low_weights = at + used;
  used += upwards(out * in, 64);
  r->activations = at + used;
  used += t.rows * t.units;
  r->scores = at + used;
  used += outputs;
  r->errors = at + used;
  used += outputs;
  r->net_parts = at + used;
  used += (size_t)GROUPS * t.net_across * outputs;
  r->parts = at + used;
  return used + k * t.across * outputs;
}

struct tile {
  bool net;
  unsigned direction, image, unit, column;
};

LR_ON_CARD tile tile_at(const tiling &t, unsigned index)
{
  tile at;
  at.net = index < t.net;
  unsigned of = at.net ? t.net : t.each;
  unsigned across = at.net ? t.net_across : t.across;
  unsigned rest = at.net ? index : (index - t.net) % of;
  at.direction = at.net ? 0 : (index - t.net) / of;
  at.column = rest % across;
  at.image = rest / across * (at.net ? NET_IMAGES : IMAGES);
  at.unit = at.column * (at.net ? NET_UNITS : UNITS);
  return at;
}

/* All that a block works with. */
struct work {
  lr_fused q;
  tiling t;
  rooms r;
  unsigned char *operands;
  float *head; /* two of them: of this tile and of the next */
  uint64_t *full, *empty;
  double *sums;
  unsigned *shared;
};

/* ---- operands ---- */

LR_ON_CARD unsigned char *stage_of(const work &w, unsigned i)
{
  return w.operands + (size_t)i * STAGE_BYTES;
}

LR_ON_CARD void fetch_chunk(const maps &m, const tile &at, int depth,
                            unsigned char *to, uint64_t *full)
{
  lr_barrier_expect(full, at.net ? NET_BYTES : TILE_BYTES);
  if (!at.net) {
    lr_copy_tile_2d(to, &m.images, full, depth, (int)at.image);
    lr_copy_tile_3d(to + IMAGES * ROW_BYTES, &m.directions, full, depth,
                    (int)at.unit, (int)at.direction);
    return;
  }
  unsigned char *weights = to + 2 * NET_IMAGES * ROW_BYTES;
  lr_copy_tile_2d(to, &m.high_images, full, depth, (int)at.image);
  lr_copy_tile_2d(to + NET_IMAGES * ROW_BYTES, &m.low_images, full, depth,
                  (int)at.image);
  lr_copy_tile_2d(weights, &m.high_weights, full, depth, (int)at.unit);
  lr_copy_tile_2d(weights + NET_UNITS * ROW_BYTES, &m.low_weights, full, depth,
                  (int)at.unit);
}

/* One thread: operands of all tiles of this block, as room becomes free. */
LR_ON_CARD void fetch(const maps &m, const work &w, unsigned chunks)
{
  unsigned used = 0;
  for (unsigned i = blockIdx.x; i < w.t.all; i += gridDim.x) {
    tile at = tile_at(w.t, i);
    for (unsigned c = 0; c < chunks; c++, used++) {
      unsigned slot = used % STAGES, turn = used / STAGES;
      if (turn > 0) lr_barrier_wait(&w.empty[slot], (turn - 1) % 2);
      fetch_chunk(m, at, (int)(c * DEPTH), stage_of(w, slot), &w.full[slot]);
    }
  }
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

LR_ON_CARD void multiply_chunk(float (&sum)[GROUP_UNITS / 2],
                               const unsigned char *at, unsigned group,
                               bool add)
{
  const unsigned char *weights =
      at + (2 * NET_IMAGES + group * GROUP_UNITS) * ROW_BYTES;
  uint64_t A = lr_tile_descriptor(at);
  uint64_t A_low = lr_tile_descriptor(at + NET_IMAGES * ROW_BYTES);
  uint64_t B = lr_tile_descriptor(weights);
  uint64_t B_low = lr_tile_descriptor(weights + NET_UNITS * ROW_BYTES);
#pragma unroll
  for (unsigned step = 0; step < STEPS; step++) {
    lr_product(sum, A_low + 2 * step, B + 2 * step, add || step > 0);
    lr_product(sum, A + 2 * step, B_low + 2 * step, true);
    lr_product(sum, A + 2 * step, B + 2 * step, true);
  }
}

/* A warpgroup's part of a tile's product; SIZE numbers a thread. */
template <int SIZE>
LR_ON_CARD void multiply(float (&sum)[SIZE], const work &w, unsigned chunks,
                         unsigned &used)
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
    if (threadIdx.x % 128 == 0) lr_barrier_arrive(&w.empty[before]);
  }
  lr_products_wait(0);
  if (threadIdx.x % 128 == 0) lr_barrier_arrive(&w.empty[slot]);
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
  lr_warp_product(c[0], a, lr_tf32(at[0]), lr_tf32(at[1]));
  if (classes <= 8) return;
  at += 8 * row;
  lr_warp_product(c[1], a, lr_tf32(at[0]), lr_tf32(at[1]));
}

/* A thread's first row of images in a tile, its first unit. */
LR_ON_CARD size_t my_row(const tile &at)
{
  unsigned warp = threadIdx.x / 32 % (at.net ? 4 : 4 * GROUPS);
  return at.image + warp * 16 + threadIdx.x % 32 / 4;
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

LR_ON_CARD void finish_direction(const float (&sum)[UNITS / 2], const work &w,
                                 const tile &at, const float *head,
                                 float (&c)[2][4])
{
  enum { BATCH = 7 }; /* of loads that are under way together */
  const float *dW2 = head + CLASSES * HEAD_ROW;
  const float *db = head + 2 * CLASSES * HEAD_ROW + 2 * (threadIdx.x % 4);
  const float *from = w.r.activations + my_row(at) * w.t.units + at.unit +
                      2 * (threadIdx.x % 4);
#pragma unroll
  for (size_t batch = 0; batch < UNITS / 8; batch += BATCH) {
    float2 above[BATCH], below[BATCH];
#pragma unroll
    for (size_t b = 0; b < BATCH; b++) {
      const float *here = from + 8 * (batch + b);
      above[b] = __ldcg((const float2 *)here);
      below[b] = __ldcg((const float2 *)(here + 8 * w.t.units));
    }
#pragma unroll
    for (size_t b = 0; b < BATCH; b++) {
      size_t g = batch + b;
      float a[4] = {above[b].x, above[b].y, below[b].x, below[b].y}, v[4];
#pragma unroll
      for (size_t j = 0; j < 4; j++) {
        float moved = sum[4 * g + j] + db[8 * g + j % 2];
        v[j] = w.q.relu ? (a[j] > 0 ? moved : 0) : moved * (1 - a[j] * a[j]);
      }
      apply(c, v, head + 8 * g, HEAD_ROW, w.q.classes);
      apply(c, a, dW2 + 8 * g, HEAD_ROW, w.q.classes);
    }
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

/* ---- sums over tiles ---- */

/* The sum over all workers, for the first of them; always in one tree. */
LR_ON_CARD double sum_over(double x, double *sums)
{
  for (int lanes = 16; lanes > 0; lanes /= 2)
    x += __shfl_down_sync(0xffffffffu, x, (unsigned)lanes);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = x;
  lr_threads_meet(WORKERS);
  double all = 0;
  if (threadIdx.x == 0)
    for (int i = 0; i < WORKERS / 32; i++) all += sums[i];
  lr_threads_meet(WORKERS);
  return all;
}

/* Output c of image i: its parts in their order. */
LR_ON_CARD float output_of(const float *parts, size_t count, size_t rows,
                           size_t i, size_t c)
{
  const float *at = parts + i * CLASSES + c;
  float sum = 0;
#pragma unroll 4
  for (size_t part = 0; part < count; part++)
    sum += __ldcg(at + part * rows * CLASSES);
  return sum;
}

/* f, and the errors: probabilities less the right answer, over n. */
LR_ON_CARD void close_net(const work &w)
{
  const lr_fused &q = w.q;
  const float *b2 = q.x + q.in * q.out + q.out + q.out * q.classes;
  for (size_t e = threadIdx.x; e < q.n * q.classes; e += WORKERS) {
    size_t i = e / q.classes, c = e % q.classes;
    w.r.scores[i * CLASSES + c] =
        b2[c] + output_of(w.r.net_parts, (size_t)GROUPS * w.t.net_across,
                          w.t.rows, i, c);
  }
  lr_threads_meet(WORKERS);
  double loss = 0, part = 1 / (double)q.n;
  for (size_t i = threadIdx.x; i < q.n; i += WORKERS) {
    const float *z = w.r.scores + i * CLASSES;
    double most = -INFINITY, sum = 0;
    for (size_t c = 0; c < q.classes; c++) most = fmax(most, (double)z[c]);
    for (size_t c = 0; c < q.classes; c++) sum += exp((double)z[c] - most);
    for (size_t c = 0; c < q.classes; c++) {
      bool right = q.labels[i] == c;
      if (right) loss += log(sum) + most - (double)z[c];
      double p = exp((double)z[c] - most) / sum - (right ? 1 : 0);
      w.r.errors[i * CLASSES + c] = (float)(part * p);
    }
  }
  loss = sum_over(loss, w.sums);
  if (threadIdx.x == 0) q.answers[0] = loss * part;
}

LR_ON_CARD float *parts_of(const work &w, unsigned direction)
{
  return w.r.parts + (size_t)direction * w.t.across * w.t.rows * CLASSES;
}

LR_ON_CARD void close_direction(const work &w, unsigned j)
{
  const lr_fused &q = w.q;
  const float *db2 =
      q.U + j * q.stride + q.in * q.out + q.out + q.out * q.classes;
  double slope = 0;
  for (size_t e = threadIdx.x; e < q.n * q.classes; e += WORKERS) {
    size_t i = e / q.classes, c = e % q.classes;
    float moved =
        db2[c] + output_of(parts_of(w, j), w.t.across, w.t.rows, i, c);
    if (q.tangents) q.tangents[j * q.n * q.classes + e] = moved;
    slope += (double)__ldcg(w.r.errors + i * CLASSES + c) * (double)moved;
  }
  slope = sum_over(slope, w.sums);
  if (threadIdx.x == 0) q.answers[1 + j] = slope;
}

/* Counters: tiles done of the network and of each direction; whether the errors
 * are there; how many of network and directions are done. */
LR_ON_CARD unsigned *errors_ready(const lr_fused &q)
{
  return q.counters + q.k + 1;
}

/* All workers, until a counter has got so far. */
LR_ON_CARD void wait_for(const unsigned *counter, unsigned value)
{
  if (threadIdx.x == 0)
    while (lr_read_acquire(counter) < value) __nanosleep(32);
  lr_threads_meet(WORKERS);
}

/* This block has finished a tile; the block that has finished the last one of
 * its kind adds up.  Who closes the very last clears the counters. */
LR_ON_CARD void close_tile(const work &w, const tile &at)
{
  const lr_fused &q = w.q;
  unsigned *done = q.counters + (at.net ? 0 : 1 + at.direction);
  __threadfence(); /* what this tile wrote is there before it is counted */
  lr_threads_meet(WORKERS);
  if (threadIdx.x == 0) *w.shared = atomicAdd(done, 1) + 1;
  lr_threads_meet(WORKERS);
  if (*w.shared < (at.net ? w.t.net : w.t.each)) return;
  __threadfence();
  if (at.net) {
    close_net(w);
    __threadfence();
    lr_threads_meet(WORKERS);
    if (threadIdx.x == 0) atomicExch(errors_ready(q), 1);
  } else {
    wait_for(errors_ready(q), 1);
    close_direction(w, at.direction);
  }
  if (threadIdx.x > 0) return;
  __threadfence();
  if (atomicAdd(errors_ready(q) + 1, 1) < q.k) return;
  for (size_t i = 0; i < q.k + 3; i++) q.counters[i] = 0;
}

LR_ON_CARD void take_tile(const work &w, const tile &at, float *head,
                          unsigned chunks, unsigned &used)
{
  float c[2][4] = {{0}};
  ask_for_head(w, at, head);
  if (at.net) {
    float sum[GROUP_UNITS / 2];
    multiply(sum, w, chunks, used);
    lr_words_wait();
    lr_threads_meet(WORKERS);
    finish_net(sum, w, at, head, c);
    size_t part = at.column * GROUPS + threadIdx.x / 128;
    store_part(c, at, w.r.net_parts + part * w.t.rows * CLASSES);
  } else {
    float sum[UNITS / 2];
    multiply(sum, w, chunks, used);
    lr_words_wait();
    wait_for(w.q.counters, w.t.net);
    finish_direction(sum, w, at, head, c);
    store_part(c, at,
               parts_of(w, at.direction) +
                   (size_t)at.column * w.t.rows * CLASSES);
  }
  close_tile(w, at);
}

__global__ void __launch_bounds__(THREADS, 1)
    fused_kernel(const __grid_constant__ maps m,
                 const __grid_constant__ lr_fused q)
{
  extern __shared__ unsigned char memory[];
  __shared__ uint64_t barriers[2 * STAGES];
  __shared__ double sums[WORKERS / 32];
  __shared__ unsigned shared;
  work w = {.q = q, .t = tiling_of(q.n, q.out, q.k)};
  (void)lay_out(&w.r, q.room, w.t, q.n, q.in, q.out, q.k);
  /* tiles begin at multiples of 1,024 bytes, as their swizzle does */
  w.operands = memory + (1024 - lr_shared_address(memory) % 1024) % 1024;
  w.head = (float *)(w.operands + STAGES * STAGE_BYTES);
  w.full = barriers;
  w.empty = barriers + STAGES;
  w.sums = sums;
  w.shared = &shared;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) {
      lr_barrier_init(&w.full[i], 1);
      lr_barrier_init(&w.empty[i], GROUPS);
    }
    lr_barriers_begun();
  }
  __syncthreads();
  unsigned chunks = (unsigned)((q.in + DEPTH - 1) / DEPTH);
  if (threadIdx.x >= WORKERS) { /* who fetches needs few registers */
    lr_registers_fewer(FETCHER_REGISTERS);
    if (threadIdx.x == WORKERS) fetch(m, w, chunks);
    return;
  }
  lr_registers_more(WORKER_REGISTERS);
  unsigned used = 0, turn = 0;
  for (unsigned i = blockIdx.x; i < w.t.all; i += gridDim.x, turn++)
    take_tile(w, tile_at(w.t, i), w.head + turn % 2 * HEAD, chunks, used);
}

/* What TF32 leaves out of the images and of W1: 13 low bits each. */
__global__ void leave_kernel(const __grid_constant__ lr_fused q, rooms r)
{
  size_t images = q.n * q.in, all = images + q.out * q.in;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < all;
       i += (size_t)gridDim.x * blockDim.x) {
    float x = i < images ? q.images[i] : q.x[i - images];
    float rest = x - __uint_as_float(__float_as_uint(x) & 0xffffe000u);
    *(i < images ? r.low_images + i : r.low_weights + (i - images)) = rest;
  }
}

/* ---- the host's side ---- */

typedef CUresult (*encoder)(CUtensorMap *, CUtensorMapDataType, cuuint32_t,
                            void *, const cuuint64_t *, const cuuint64_t *,
                            const cuuint32_t *, const cuuint32_t *,
                            CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/* The driver's function, found at run time: nothing links the driver. */
encoder find_encoder()
{
  void *found = nullptr;
  cudaDriverEntryPointQueryResult how;
  cudaError_t code = cudaGetDriverEntryPointByVersion(
      "cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &how);
  return code == cudaSuccess ? (encoder)found : nullptr;
}

/* A map of rows of `in` numbers; boxes of `box_rows` x DEPTH. */
bool map_rows(encoder encode, CUtensorMap *map, const float *at, size_t in,
              size_t count, size_t k, size_t stride, unsigned box_rows)
{
  cuuint64_t sizes[3] = {in, count, k};
  cuuint64_t steps[2] = {in * sizeof(float), stride * sizeof(float)};
  cuuint32_t box[3] = {DEPTH, box_rows, 1}, ones[3] = {1, 1, 1};
  return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, k > 0 ? 3 : 2, (void *)at,
                sizes, steps, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE,
                CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

bool map_all(encoder encode, maps *m, const lr_fused &q, const rooms &r)
{
  /* without directions their map is never read, but must be one */
  const float *U = q.k > 0 ? q.U : q.x;
  size_t k = q.k > 0 ? q.k : 1, stride = q.k > 0 ? q.stride : q.in * q.out;
  size_t in = q.in;
  return map_rows(encode, &m->images, q.images, in, q.n, 0, 0, IMAGES) &&
         map_rows(encode, &m->directions, U, in, q.out, k, stride, UNITS) &&
         map_rows(encode, &m->high_images, q.images, in, q.n, 0, 0,
                  NET_IMAGES) &&
         map_rows(encode, &m->low_images, r.low_images, in, q.n, 0, 0,
                  NET_IMAGES) &&
         map_rows(encode, &m->high_weights, q.x, in, q.out, 0, 0, NET_UNITS) &&
         map_rows(encode, &m->low_weights, r.low_weights, in, q.out, 0, 0,
                  NET_UNITS);
}

bool aligned(const void *at)
{
  return (uintptr_t)at % 16 == 0;
}

int attribute(cudaDeviceAttr which)
{
  int device = 0, value = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&value, which, device) != cudaSuccess)
    return 0;
  return value;
}

} // namespace

bool lr_fused_fits(const lr_fused *q)
{
  static const bool hopper =
      attribute(cudaDevAttrComputeCapabilityMajor) == 9 &&
      find_encoder() != nullptr;
  return hopper && q->in % 4 == 0 && q->stride % 4 == 0 &&
         q->classes <= LR_FUSED_CLASSES && aligned(q->x) && aligned(q->U) &&
         aligned(q->images);
}

size_t lr_fused_room(size_t n, size_t in, size_t out, size_t k)
{
  rooms r;
  return lay_out(&r, nullptr, tiling_of(n, out, k), n, in, out, k);
}

cudaError_t lr_fused_launch(const lr_fused *q, cudaStream_t stream)
{
  static const encoder encode = find_encoder();
  static const int processors = attribute(cudaDevAttrMultiProcessorCount);
  static const cudaError_t enough = cudaFuncSetAttribute(
      fused_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  if (enough != cudaSuccess) return enough;
  maps m;
  rooms r;
  tiling t = tiling_of(q->n, q->out, q->k);
  (void)lay_out(&r, q->room, t, q->n, q->in, q->out, q->k);
  if (!map_all(encode, &m, *q, r)) return cudaErrorInvalidValue;
  leave_kernel<<<2 * processors, 256, 0, stream>>>(*q, r);
  unsigned blocks = t.all < (unsigned)processors ? t.all : (unsigned)processors;
  fused_kernel<<<blocks, THREADS, SHARED_BYTES, stream>>>(m, *q);
  return cudaGetLastError();
}
