/* k slopes of a network with one hidden layer in one pass, TF32.
 *
 * With A0 the images (n x in), Z = A0 W1' + b1 and A1 = s(Z), the tangents of
 * the outputs along (dW1, db1, dW2, db2) are
 *
 *   T = (s'(Z) * (A0 dW1' + db1)) W2' + A1 dW2' + db2
 *
 * and the slope is the sum of E * T, E the errors of the outputs.  The product
 * with dW1 is nearly all of the work: it reads every tangent of the weights
 * once.  All is one launch:
 *
 * - A tile of a direction is 256 images by 112 hidden units.  A block takes one
 *   tile after another: one thread fetches operands by the copy engine, four
 *   warpgroups multiply, 64 images each.  The blocks of a cluster work side by
 *   side on the same images, and share what they fetch of them.
 * - When a tile's product is there, it is still in registers, in the layout
 *   that the next product wants for its left operand: W2 and dW2 are applied at
 *   once, the result is multiplied by E, and one number leaves the tile.
 * - That needs A1, and E last: tiles of the network itself (fused_net.h) come
 *   first, and tiles of directions wait at their ends for the one, then for the
 *   other; a thread of its own watches whether they are there.
 * - Who finishes last, of the tiles of some images or of all, adds up, in the
 *   tiles' order: the bits do not depend on who that is.
 *
 * Blocks wait for others: those that the others wait for have the lowest
 * numbers, are launched first, and wait for none. */
#include "fused_net.h"

namespace
{

__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 1)
    fused_kernel(const __grid_constant__ maps m,
                 const __grid_constant__ work w0)
{
  extern __shared__ unsigned char memory[];
  __shared__ uint64_t barriers[2 * STAGES + 2];
  __shared__ double sums[WORKERS / 32];
  __shared__ unsigned was_last;
  work w = w0;
  /* tiles begin at multiples of 1,024 bytes, as their swizzle does */
  w.operands = memory + (1024 - lr_shared_address(memory) % 1024) % 1024;
  w.head = (float *)(w.operands + STAGES * STAGE_BYTES);
  w.full = barriers;
  w.empty = barriers + STAGES;
  w.activations = barriers + 2 * STAGES;
  w.errors = w.activations + 1;
  w.sums = sums;
  w.last = &was_last;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) {
      lr_barrier_init(&w.full[i], 1);
      lr_barrier_init(&w.empty[i], CLUSTER * GROUPS);
    }
    lr_barrier_init(w.activations, 1);
    lr_barrier_init(w.errors, 1);
    lr_barriers_begun();
  }
  if (threadIdx.x == WORKERS) {
    lr_map_prefetch(&m.images);
    lr_map_prefetch(&m.directions);
    lr_map_prefetch(&m.net_images);
    lr_map_prefetch(&m.net_weights);
  }
  lr_cluster_meet(); /* all blocks' barriers are there */
  unsigned chunks = (unsigned)((w.q.in + DEPTH - 1) / DEPTH);
  if (threadIdx.x >= WORKERS) { /* who fetches needs few registers */
    lr_registers_fewer(FETCHER_REGISTERS);
    if (threadIdx.x == WORKERS) fetch(m, w, chunks);
    if (threadIdx.x == WORKERS + 32) watch(w);
  } else {
    lr_registers_more(WORKER_REGISTERS);
    unsigned used = 0, turn = 0, i = blockIdx.x;
    bool last = false;
    for (; i < w.t.net_all; i += gridDim.x, turn++) {
      tile at = tile_at(w.t, w.q.k, i);
      float *head = w.head + turn % 2 * HEAD;
      float *other = w.head + (turn + 1) % 2 * HEAD;
      if (at.there) ask_for_head(w, at, head);
      last |= take_net_tile(w, at, head, other, chunks, used);
    }
    for (; i < w.t.all; i += gridDim.x, turn++) {
      tile at = tile_at(w.t, w.q.k, i);
      float *head = w.head + turn % 2 * HEAD;
      if (at.there) ask_for_head(w, at, head);
      last |= take_direction_tile(w, at, head, chunks, used);
    }
    if (last) finish_all(w);
  }
  lr_cluster_meet(); /* none leaves while another may write to it */
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

bool map_all(encoder encode, maps *m, const lr_fused &q)
{
  /* without directions their map is never read, but must be one */
  const float *U = q.k > 0 ? q.U : q.x;
  size_t k = q.k > 0 ? q.k : 1, stride = q.k > 0 ? q.stride : q.in * q.out;
  size_t in = q.in;
  return map_rows(encode, &m->images, q.images, in, q.n, 0, 0, SHARE) &&
         map_rows(encode, &m->directions, U, in, q.out, k, stride, UNITS) &&
         map_rows(encode, &m->net_images, q.images, in, q.n, 0, 0,
                  NET_IMAGES) &&
         map_rows(encode, &m->net_weights, q.x, in, q.out, 0, 0, NET_SHARE);
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

size_t lr_fused_room(size_t n, size_t out, size_t k)
{
  rooms r;
  return lay_out(&r, nullptr, tiling_of(n, out, k), k);
}

const float *lr_fused_errors(float *room, size_t n, size_t out, size_t k)
{
  rooms r;
  (void)lay_out(&r, room, tiling_of(n, out, k), k);
  return r.errors;
}

size_t lr_fused_counters(size_t n)
{
  return COUNTERS + tiling_of(n, 1, 0).net_down;
}

namespace
{

/* Blocks that one launch has at the most: those of as many clusters as the card
 * runs at once.  (A cluster is of one group of multiprocessors, and a group may
 * have some that are left over.) */
unsigned most_blocks()
{
  cudaLaunchConfig_t how = {};
  cudaLaunchAttribute cluster = {};
  int clusters = 0;
  if (cudaFuncSetAttribute(fused_kernel,
                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                           SHARED_BYTES) != cudaSuccess)
    return 0;
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = CLUSTER;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  how.gridDim = dim3(CLUSTER);
  how.blockDim = dim3(THREADS);
  how.dynamicSmemBytes = SHARED_BYTES;
  how.attrs = &cluster;
  how.numAttrs = 1;
  if (cudaOccupancyMaxActiveClusters(&clusters, fused_kernel, &how) !=
      cudaSuccess)
    return 0;
  return (unsigned)clusters * CLUSTER;
}

} // namespace

cudaError_t lr_fused_launch(const lr_fused *q, cudaStream_t stream)
{
  static const encoder encode = find_encoder();
  static const unsigned most = most_blocks();
  if (most == 0) return cudaErrorInvalidConfiguration;
  maps m;
  work w = {.q = *q, .t = tiling_of(q->n, q->out, q->k)};
  (void)lay_out(&w.r, q->room, w.t, q->k);
  if (!map_all(encode, &m, *q)) return cudaErrorInvalidValue;
  unsigned blocks = w.t.all < most ? w.t.all : most;
  fused_kernel<<<blocks, THREADS, SHARED_BYTES, stream>>>(m, w);
  if (q->tangents && q->k > 0)
    tangents_kernel<<<dim3(8, (unsigned)q->k), 256, 0, stream>>>(*q, w.r, w.t);
  return cudaGetLastError();
}
