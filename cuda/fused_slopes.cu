/* k slopes of a network with one hidden layer in one launch, TF32.
 *
 * With A0 the images (n x in), Z = A0 W1' + b1 and A1 = s(Z), the tangents of
 * the outputs along (dW1, db1, dW2, db2) are
 *
 *   T = (s'(Z) * (A0 dW1' + db1)) W2' + A1 dW2' + db2
 *
 * and the slope is the sum of E * T, E the errors of the outputs.  The first
 * product is nearly all of the work: it reads every tangent of the weights
 * once, and must not wait for anything.  So one launch does all:
 *
 * - A tile is 256 images by 112 hidden units of one direction, or of the
 *   network itself (the "primal" tiles, which come first).  A block takes one
 *   tile after another: one warp fetches operands by the copy engine, four
 *   warpgroups multiply, 64 images each.
 * - When a tile's first product is there, it is still in registers, in the
 *   layout that the next product wants for its left operand: W2 and dW2 are
 *   applied at once, and only 16 numbers an image leave the tile.
 * - That needs A1 of the tile's units: tiles of directions wait, at their ends,
 *   for the primal tiles, which began with them.
 * - The block that finishes the last tile of a direction adds the direction's
 *   parts up, in their order; the one that finishes the last primal tile makes
 *   f and E.  So the bits do not depend on who comes first.
 *
 * All blocks run at the same time (a cooperative launch), so that one may wait
 * for another. */
#include "fused_slopes.h"

#include "hopper.h"

#include <math.h>

namespace
{

enum {
  IMAGES = 256,            /* of a tile */
  UNITS = LR_TILE_COLUMNS, /* of a tile */
  DEPTH = 32,              /* inputs of a stage: rows of 128 bytes */
  GROUPS = IMAGES / 64,    /* warpgroups that multiply */
  WORKERS = 128 * GROUPS,  /* their threads */
  THREADS = WORKERS + 128, /* and the group of the one that fetches */
  STAGES = 4,              /* of operands in shared memory */
  IMAGE_BYTES = IMAGES * DEPTH * 4,
  UNIT_BYTES = UNITS * DEPTH * 4,
  STAGE_BYTES = IMAGE_BYTES + UNIT_BYTES,
  SHARED_BYTES = STAGES * STAGE_BYTES + 1024, /* and to begin at a multiple */
  FETCHER_REGISTERS = 24, /* of a thread; what they leave, */
  WORKER_REGISTERS = 120, /* workers take: 64,512 of 65,536 in all */
  STEPS = DEPTH / 8,      /* products of a stage */
  CLASSES = LR_FUSED_CLASSES,
  GROUPS_OF_UNITS = UNITS / 8
};

struct maps {
  CUtensorMap images, weights, directions;
};

/* The tiles in their order: those of the network, then direction after
 * direction; of each, block of images after block of images. */
struct tiling {
  unsigned across, down, each, all; /* units, images, of a direction, in all */
};

__host__ __device__ inline tiling tiling_of(size_t n, size_t out, size_t k)
{
  tiling t;
  t.across = (unsigned)((out + UNITS - 1) / UNITS);
  t.down = (unsigned)((n + IMAGES - 1) / IMAGES);
  t.each = t.across * t.down;
  t.all = t.each * (unsigned)(k + 1);
  return t;
}

struct tile {
  unsigned owner;               /* 0: the network; j + 1: direction j */
  unsigned image, unit, column; /* where it begins; its place across */
};

LR_ON_CARD tile tile_at(const tiling &t, unsigned index)
{
  tile at;
  unsigned rest = index % t.each;
  at.owner = index / t.each;
  at.column = rest % t.across;
  at.image = rest / t.across * IMAGES;
  at.unit = at.column * UNITS;
  return at;
}

struct stages {
  unsigned char *operands;
  uint64_t *full, *empty;
};

LR_ON_CARD unsigned char *stage_of(const stages &s, unsigned i)
{
  return s.operands + (size_t)i * STAGE_BYTES;
}

/* One thread: operands of all tiles of this block, as room becomes free. */
LR_ON_CARD void fetch(const maps &m, const tiling &t, size_t in,
                      const stages &s)
{
  unsigned chunks = (unsigned)((in + DEPTH - 1) / DEPTH), used = 0;
  for (unsigned i = blockIdx.x; i < t.all; i += gridDim.x) {
    tile at = tile_at(t, i);
    for (unsigned c = 0; c < chunks; c++, used++) {
      unsigned slot = used % STAGES, turn = used / STAGES;
      if (turn > 0) lr_barrier_wait(&s.empty[slot], (turn - 1) % 2);
      unsigned char *to = stage_of(s, slot);
      lr_barrier_expect(&s.full[slot], STAGE_BYTES);
      lr_copy_tile_2d(to, &m.images, &s.full[slot], (int)(c * DEPTH),
                      (int)at.image);
      if (at.owner == 0)
        lr_copy_tile_2d(to + IMAGE_BYTES, &m.weights, &s.full[slot],
                        (int)(c * DEPTH), (int)at.unit);
      else
        lr_copy_tile_3d(to + IMAGE_BYTES, &m.directions, &s.full[slot],
                        (int)(c * DEPTH), (int)at.unit, (int)at.owner - 1);
    }
  }
}

/* A warpgroup's part of a tile's first product. */
LR_ON_CARD void multiply(float (&sum)[LR_TILE_NUMBERS], unsigned group,
                         unsigned chunks, unsigned &used, const stages &s)
{
  unsigned slot = 0;
  for (unsigned c = 0; c < chunks; c++, used++) {
    unsigned before = slot;
    slot = used % STAGES;
    lr_barrier_wait(&s.full[slot], used / STAGES % 2);
    const unsigned char *at = stage_of(s, slot);
    uint64_t A = lr_tile_descriptor(at + group * 64 * DEPTH * 4);
    uint64_t B = lr_tile_descriptor(at + IMAGE_BYTES);
    lr_products_begin();
#pragma unroll
    for (unsigned step = 0; step < STEPS; step++) /* 32 bytes further */
      lr_product(sum, A + 2 * step, B + 2 * step, c > 0 || step > 0);
    lr_products_commit();
    if (c == 0) continue;
    lr_products_wait(1); /* the stage before has been read */
    if (threadIdx.x % 128 == 0) lr_barrier_arrive(&s.empty[before]);
  }
  lr_products_wait(0);
  if (threadIdx.x % 128 == 0) lr_barrier_arrive(&s.empty[slot]);
}

/* Where a thread's numbers lie: rows and rows + 8 of images, units 8 g and
 * 8 g + 1 from `unit` on; as a product's right operand, class and class + 8. */
struct corner {
  size_t row, unit, shelf; /* shelf: the column of a right operand */
};

LR_ON_CARD corner corner_of(const tile &at)
{
  unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  corner c;
  c.row = at.image + warp * 16 + lane / 4;
  c.unit = at.unit + 2 * (lane % 4);
  c.shelf = lane / 4;
  return c;
}

LR_ON_CARD float2 two_of(const float *row, size_t i, size_t end)
{
  return make_float2(i < end ? row[i] : 0, i + 1 < end ? row[i + 1] : 0);
}

/* c += (16 images x 8 units) times the same units of a 10 or so x out matrix;
 * units 2 q and 2 q + 1 take the places q and q + 4 of the inner index. */
LR_ON_CARD void apply(float (&c)[2][4], const float (&v)[4], const float *W,
                      const corner &at, size_t unit, const lr_fused &q)
{
  uint32_t a[4] = {lr_tf32(v[0]), lr_tf32(v[2]), lr_tf32(v[1]), lr_tf32(v[3])};
#pragma unroll
  for (size_t half = 0; half < 2; half++) {
    size_t row = at.shelf + 8 * half;
    if (8 * half >= q.classes) break;
    float2 w = make_float2(0, 0);
    if (row < q.classes) w = two_of(W + row * q.out, unit, q.out);
    lr_warp_product(c[half], a, lr_tf32(w.x), lr_tf32(w.y));
  }
}

/* Two numbers of row and two of row + 8, zero beyond the images. */
LR_ON_CARD void load_four(float (&v)[4], const float *from, const corner &at,
                          size_t unit, const lr_fused &q)
{
  const float *high = from + at.row * q.out, *low = high + 8 * q.out;
#pragma unroll
  for (size_t j = 0; j < 2; j++) {
    bool inside = unit + j < q.out;
    v[j] = inside && at.row < q.n ? __ldcg(high + unit + j) : 0;
    v[2 + j] = inside && at.row + 8 < q.n ? __ldcg(low + unit + j) : 0;
  }
}

/* Activations of a primal tile into memory, and its part of the scores. */
LR_ON_CARD void finish_primal(float (&sum)[LR_TILE_NUMBERS], const tile &t,
                              const lr_fused &q, float (&c)[2][4])
{
  corner at = corner_of(t);
  const float *b = q.x + q.in * q.out, *W2 = b + q.out;
#pragma unroll
  for (size_t g = 0; g < GROUPS_OF_UNITS; g++) {
    size_t unit = at.unit + 8 * g;
    float2 shift = two_of(b, unit, q.out);
    float v[4];
#pragma unroll
    for (size_t j = 0; j < 4; j++) {
      float z = sum[4 * g + j] + (j % 2 ? shift.y : shift.x);
      v[j] = q.relu ? fmaxf(z, 0) : tanhf(z);
    }
#pragma unroll
    for (size_t j = 0; j < 4; j++) {
      size_t row = at.row + 8 * (j / 2), u = unit + j % 2;
      if (row < q.n && u < q.out) q.activations[row * q.out + u] = v[j];
    }
    apply(c, v, W2, at, unit, q);
  }
}

LR_ON_CARD void finish_direction(float (&sum)[LR_TILE_NUMBERS], const tile &t,
                                 const lr_fused &q, float (&c)[2][4])
{
  corner at = corner_of(t);
  const float *W2 = q.x + q.in * q.out + q.out;
  const float *db = q.U + (t.owner - 1) * q.stride + q.in * q.out;
  const float *dW2 = db + q.out;
#pragma unroll
  for (size_t g = 0; g < GROUPS_OF_UNITS; g++) {
    size_t unit = at.unit + 8 * g;
    float2 shift = two_of(db, unit, q.out);
    float a[4], v[4];
    load_four(a, q.activations, at, unit, q);
#pragma unroll
    for (size_t j = 0; j < 4; j++) {
      float moved = sum[4 * g + j] + (j % 2 ? shift.y : shift.x);
      v[j] = q.relu ? (a[j] > 0 ? moved : 0) : moved * (1 - a[j] * a[j]);
    }
    apply(c, v, W2, at, unit, q);
    apply(c, a, dW2, at, unit, q);
  }
}

LR_ON_CARD float *part_of(const lr_fused &q, const tiling &t, unsigned owner,
                          unsigned column)
{
  return q.parts + ((size_t)owner * t.across + column) * q.n * CLASSES;
}

LR_ON_CARD void store_part(const float (&c)[2][4], const tile &t,
                           const tiling &all, const lr_fused &q)
{
  corner at = corner_of(t);
  float *to = part_of(q, all, t.owner, t.column);
  size_t lane = threadIdx.x % 4;
#pragma unroll
  for (size_t half = 0; half < 2; half++)
#pragma unroll
    for (size_t low = 0; low < 2; low++) {
      size_t row = at.row + 8 * low;
      if (row >= q.n) continue;
      float2 two = make_float2(c[half][2 * low], c[half][2 * low + 1]);
      *(float2 *)(to + row * CLASSES + 8 * half + 2 * lane) = two;
    }
}

/* An output of image i: the parts in their order, and the shift. */
LR_ON_CARD float output_of(const lr_fused &q, const tiling &t, unsigned owner,
                           size_t i, size_t c, const float *shift)
{
  float sum = shift[c];
  for (unsigned column = 0; column < t.across; column++)
    sum += __ldcg(part_of(q, t, owner, column) + i * CLASSES + c);
  return sum;
}

/* The sum over all workers, for the first of them; always in one tree. */
LR_ON_CARD double sum_over(double x, double *room)
{
  for (int lanes = 16; lanes > 0; lanes /= 2)
    x += __shfl_down_sync(0xffffffffu, x, (unsigned)lanes);
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = x;
  lr_threads_meet(WORKERS);
  double all = 0;
  if (threadIdx.x == 0)
    for (int i = 0; i < WORKERS / 32; i++) all += room[i];
  lr_threads_meet(WORKERS);
  return all;
}

/* f, and the errors: probabilities less the right answer, over n. */
LR_ON_CARD void close_primal(const lr_fused &q, const tiling &t, double *room)
{
  const float *b2 = q.x + q.in * q.out + q.out + q.out * q.classes;
  double loss = 0, part = 1 / (double)q.n;
  for (size_t i = threadIdx.x; i < q.n; i += WORKERS) {
    float z[CLASSES];
    double most = -INFINITY, sum = 0;
#pragma unroll
    for (size_t c = 0; c < CLASSES; c++) {
      z[c] = c < q.classes ? output_of(q, t, 0, i, c, b2) : 0;
      if (c < q.classes) most = fmax(most, (double)z[c]);
    }
#pragma unroll
    for (size_t c = 0; c < CLASSES; c++)
      if (c < q.classes) sum += exp((double)z[c] - most);
#pragma unroll
    for (size_t c = 0; c < CLASSES; c++) {
      if (c >= q.classes) break;
      bool right = q.labels[i] == c;
      if (right) loss += log(sum) + most - (double)z[c];
      double p = exp((double)z[c] - most) / sum - (right ? 1 : 0);
      q.errors[i * q.classes + c] = (float)(part * p);
    }
  }
  loss = sum_over(loss, room);
  if (threadIdx.x == 0) q.answers[0] = loss * part;
}

LR_ON_CARD void close_direction(const lr_fused &q, const tiling &t,
                                unsigned owner, double *room)
{
  size_t j = owner - 1;
  const float *db2 =
      q.U + j * q.stride + q.in * q.out + q.out + q.out * q.classes;
  double slope = 0;
  for (size_t e = threadIdx.x; e < q.n * q.classes; e += WORKERS) {
    size_t i = e / q.classes, c = e % q.classes;
    float moved = output_of(q, t, owner, i, c, db2);
    if (q.tangents) q.tangents[j * q.n * q.classes + e] = moved;
    slope += (double)__ldcg(q.errors + e) * (double)moved;
  }
  slope = sum_over(slope, room);
  if (threadIdx.x == 0) q.answers[owner] = slope;
}

/* Counters: tiles done of each owner, whether the errors are there, owners
 * done. */
LR_ON_CARD unsigned *errors_ready(const lr_fused &q)
{
  return q.counters + q.k + 1;
}

LR_ON_CARD void wait_for(const unsigned *counter, unsigned value)
{
  if (threadIdx.x % 32 == 0)
    while (lr_read_acquire(counter) < value) __nanosleep(64);
  __syncwarp();
}

/* This block has finished a tile of `owner`; the block that has finished the
 * last one adds up.  Who closes the last owner clears the counters. */
LR_ON_CARD void close_tile(const lr_fused &q, const tiling &t, unsigned owner,
                           double *room, unsigned *shared)
{
  __threadfence(); /* what this tile wrote is there before it is counted */
  lr_threads_meet(WORKERS);
  if (threadIdx.x == 0) *shared = atomicAdd(&q.counters[owner], 1) + 1;
  lr_threads_meet(WORKERS);
  if (*shared < t.each) return;
  __threadfence();
  if (owner == 0) {
    close_primal(q, t, room);
    __threadfence();
    lr_threads_meet(WORKERS);
    if (threadIdx.x == 0) atomicExch(errors_ready(q), 1);
  } else {
    wait_for(errors_ready(q), 1);
    close_direction(q, t, owner, room);
  }
  if (threadIdx.x > 0) return;
  unsigned *closed = errors_ready(q) + 1;
  __threadfence();
  if (atomicAdd(closed, 1) < q.k) return;
  for (size_t i = 0; i < q.k + 3; i++) q.counters[i] = 0;
}

__global__ void __launch_bounds__(THREADS, 1)
    fused_kernel(const __grid_constant__ maps m,
                 const __grid_constant__ lr_fused q)
{
  extern __shared__ unsigned char memory[];
  __shared__ uint64_t barriers[2 * STAGES];
  __shared__ double room[WORKERS / 32];
  __shared__ unsigned finished;
  /* tiles begin at multiples of 1,024 bytes, as their swizzle does */
  unsigned char *start =
      memory + (1024 - lr_shared_address(memory) % 1024) % 1024;
  stages s = {start, barriers, barriers + STAGES};
  tiling t = tiling_of(q.n, q.out, q.k);
  if (threadIdx.x == 0)
    for (int i = 0; i < STAGES; i++) {
      lr_barrier_init(&s.full[i], 1);
      lr_barrier_init(&s.empty[i], GROUPS);
    }
  __syncthreads();
  if (threadIdx.x >= WORKERS) { /* who fetches needs few registers */
    lr_registers_fewer(FETCHER_REGISTERS);
    if (threadIdx.x == WORKERS) fetch(m, t, q.in, s);
    return;
  }
  lr_registers_more(WORKER_REGISTERS);
  unsigned used = 0, chunks = (unsigned)((q.in + DEPTH - 1) / DEPTH);
  for (unsigned i = blockIdx.x; i < t.all; i += gridDim.x) {
    tile at = tile_at(t, i);
    float sum[LR_TILE_NUMBERS], c[2][4] = {{0}};
    multiply(sum, threadIdx.x / 128, chunks, used, s);
    if (at.owner == 0) {
      finish_primal(sum, at, q, c);
    } else {
      wait_for(q.counters, t.each);
      finish_direction(sum, at, q, c);
    }
    store_part(c, at, t, q);
    close_tile(q, t, at.owner, room, &finished);
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

/* A map of rows of `in` numbers; boxes of `rows` x DEPTH. */
bool map_rows(encoder encode, CUtensorMap *map, const float *at, size_t in,
              size_t count, size_t k, size_t stride, unsigned rows)
{
  cuuint64_t sizes[3] = {in, count, k};
  cuuint64_t steps[2] = {in * sizeof(float), stride * sizeof(float)};
  cuuint32_t box[3] = {DEPTH, rows, 1}, ones[3] = {1, 1, 1};
  return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, k > 0 ? 3 : 2, (void *)at,
                sizes, steps, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE,
                CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
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

size_t lr_fused_parts(size_t n, size_t out, size_t k)
{
  return (k + 1) * tiling_of(n, out, k).across * n * CLASSES;
}

cudaError_t lr_fused_launch(const lr_fused *q, cudaStream_t stream)
{
  static const encoder encode = find_encoder();
  static const int processors = attribute(cudaDevAttrMultiProcessorCount);
  static const cudaError_t room = cudaFuncSetAttribute(
      fused_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  if (room != cudaSuccess) return room;
  maps m;
  /* without directions their map is never read, but must be one */
  const float *U = q->k > 0 ? q->U : q->x;
  if (!map_rows(encode, &m.images, q->images, q->in, q->n, 0, 0, IMAGES) ||
      !map_rows(encode, &m.weights, q->x, q->in, q->out, 0, 0, UNITS) ||
      !map_rows(encode, &m.directions, U, q->in, q->out, q->k > 0 ? q->k : 1,
                q->k > 0 ? q->stride : q->in * q->out, UNITS))
    return cudaErrorInvalidValue;
  tiling t = tiling_of(q->n, q->out, q->k);
  cudaLaunchAttribute together;
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t how = {};
  how.gridDim = t.all < (unsigned)processors ? t.all : (unsigned)processors;
  how.blockDim = THREADS;
  how.dynamicSmemBytes = SHARED_BYTES;
  how.stream = stream;
  how.attrs = &together;
  how.numAttrs = 1;
  return cudaLaunchKernelEx(&how, fused_kernel, m, *q);
}
