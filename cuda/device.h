/* The one door to CUDA for vectors: how a kernel is written and launched, how
 * threads of a block add up, and the few calls of the runtime.
 *
 * Compiled by nvcc, that is CUDA.  Compiled as C, it is a stand-in: a kernel
 * runs block after block on the host, each of one thread.  The stand-in serves
 * the tests of machines without a GPU; it computes the same sums, cut into the
 * same blocks. */
#ifndef LR_DEVICE_H
#define LR_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/* Blocks of a launch that adds up: a constant, so that sums are cut in the same
 * places on every card.  8 for each of the 132 multiprocessors of an H200. */
enum { LR_SUM_BLOCKS = 1056 };

#ifdef __CUDACC__

#include <cuda_runtime.h>

enum { LR_THREADS = 256 };

#define LR_KERNEL static __global__ void
#define LR_BLOCK blockIdx.x
#define LR_BLOCKS gridDim.x
#define LR_THREAD threadIdx.x
#define LR_LAUNCH(kernel, blocks, ...)                                         \
  kernel<<<(unsigned)(blocks), LR_THREADS>>>(__VA_ARGS__)

/* The sum, or the largest, of the numbers of a block's threads: in a tree, the
 * same one always; thread 0 gets it. */
static __device__ inline double lr_block_fold(double x, bool largest)
{
  __shared__ double warps[LR_THREADS / 32];
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    double other = __shfl_down_sync(0xffffffffu, x, (unsigned)lanes);
    x = largest ? fmax(x, other) : x + other;
  }
  __syncthreads(); /* the numbers of the call before have been read */
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x > 0) return 0;
  for (int i = 1; i < LR_THREADS / 32; i++)
    x = largest ? fmax(x, warps[i]) : x + warps[i];
  return x;
}

#else

#include <stdlib.h>
#include <string.h>

enum { LR_THREADS = 1 };

#define LR_KERNEL static void
#define LR_BLOCK lr_block
#define LR_BLOCKS lr_blocks
#define LR_THREAD 0u
#define LR_LAUNCH(kernel, blocks, ...)                                         \
  for (lr_blocks = (unsigned)(blocks), lr_block = 0; lr_block < lr_blocks;     \
       lr_block++)                                                             \
  kernel(__VA_ARGS__)

static _Thread_local unsigned lr_block, lr_blocks;

static inline double lr_block_fold(double x, bool largest)
{
  (void)largest;
  return x;
}

#include "cuda_standin.h"

#endif

/* The numbers i < n of this thread, of all in the launch. */
#define LR_EACH(i, n)                                                          \
  for (size_t i = (size_t)LR_BLOCK * LR_THREADS + LR_THREAD; i < (n);          \
       i += (size_t)LR_BLOCKS * LR_THREADS)

#endif
