/* The kernels before and after the tiles of fused_slopes.cu: what TF32 leaves
 * out of the operands; sums over tiles, and what is made of them. */
#ifndef LR_FUSED_SUMS_H
#define LR_FUSED_SUMS_H

#include "fused_layout.h"

#include <math.h>

namespace
{

/* What TF32 leaves out of the images and of W1: 13 low bits each. */
__global__ void leave_kernel(const __grid_constant__ lr_fused q, rooms r)
{
  size_t images = q.n * q.in, all = images + q.out * q.in;
  cudaTriggerProgrammaticLaunchCompletion(); /* the next may begin beside it */
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < all;
       i += (size_t)gridDim.x * blockDim.x) {
    float x = i < images ? q.images[i] : q.x[i - images];
    float rest = x - __uint_as_float(__float_as_uint(x) & 0xffffe000u);
    *(i < images ? r.low_images + i : r.low_weights + (i - images)) = rest;
  }
}

/* ---- sums over tiles ---- */

/* Outputs 4 quarter .. of image i: their parts in their order. */
LR_ON_CARD float4 outputs_of(const float *parts, unsigned count, size_t rows,
                             size_t i, size_t quarter)
{
  const float4 *at = (const float4 *)(parts + i * CLASSES) + quarter;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 14
  for (unsigned part = 0; part < count; part++) {
    float4 one = __ldcg(at + part * rows * (CLASSES / 4));
    sum =
        make_float4(sum.x + one.x, sum.y + one.y, sum.z + one.z, sum.w + one.w);
  }
  return sum;
}

enum { SUM_THREADS = 512, SUM_IMAGES = 256, QUARTERS = CLASSES / 4 };

/* Scores to errors, in place: probabilities less the right answer, over n.  The
 * image's loss. */
LR_ON_CARD double errors_of(float *z, size_t right, size_t classes, float part)
{
  float most = z[0], sum = 0;
  for (size_t c = 1; c < classes; c++) most = fmaxf(most, z[c]);
  float off = z[right] - most;
  for (size_t c = 0; c < classes; c++) sum += z[c] = expf(z[c] - most);
  for (size_t c = 0; c < classes; c++)
    z[c] = part * (z[c] / sum - (c == right ? 1 : 0));
  for (size_t c = classes; c < CLASSES; c++) z[c] = 0;
  return log((double)sum) - (double)off;
}

/* The sum over the block, for its first thread; always in one tree. */
LR_ON_CARD double sum_over_block(double x)
{
  __shared__ double sums[SUM_THREADS / 32];
  for (int lanes = 16; lanes > 0; lanes /= 2)
    x += __shfl_down_sync(0xffffffffu, x, (unsigned)lanes);
  __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = x;
  __syncthreads();
  double all = 0;
  for (int i = 0; i < SUM_THREADS / 32; i++) all += sums[i];
  return all;
}

/* A block for each direction; the first makes f too.  All make the errors. */
__global__ void __launch_bounds__(SUM_THREADS)
    sum_kernel(const __grid_constant__ lr_fused q, rooms r, tiling t)
{
  __shared__ float4 scores[SUM_IMAGES][QUARTERS];
  unsigned j = blockIdx.x;
  const float *b2 = q.x + q.in * q.out + q.out + q.out * q.classes;
  const float *db2 = q.U + j * q.stride + (b2 - q.x);
  double loss = 0, slope = 0;
  float part = 1 / (float)q.n;
  cudaGridDependencySynchronize(); /* all tiles are there */
  for (size_t first = 0; first < q.n; first += SUM_IMAGES) {
    size_t i = threadIdx.x / QUARTERS, quarter = threadIdx.x % QUARTERS;
    float4 moved[2] = {};
#pragma unroll
    for (size_t half = 0; half < 2; half++) {
      size_t image = i + half * (SUM_IMAGES / 2);
      if (first + image >= q.n) continue;
      scores[image][quarter] =
          outputs_of(r.net_parts, t.net_across, t.rows, first + image, quarter);
      if (q.k > 0)
        moved[half] = outputs_of(parts_of(r, t, j), t.across, t.rows,
                                 first + image, quarter);
    }
    __syncthreads();
    if (threadIdx.x < SUM_IMAGES && first + threadIdx.x < q.n) {
      float *z = &scores[threadIdx.x][0].x;
      for (size_t c = 0; c < q.classes; c++) z[c] += b2[c];
      loss += errors_of(z, q.labels[first + threadIdx.x], q.classes, part);
    }
    __syncthreads();
    for (size_t half = 0; half < 2 && q.k > 0; half++) {
      size_t image = i + half * (SUM_IMAGES / 2);
      const float v[4] = {moved[half].x, moved[half].y, moved[half].z,
                          moved[half].w};
      for (size_t l = 0; l < 4 && first + image < q.n; l++) {
        size_t c = 4 * quarter + l;
        if (c >= q.classes) break;
        float all = v[l] + db2[c];
        if (q.tangents)
          q.tangents[(j * q.n + first + image) * q.classes + c] = all;
        slope += (double)(&scores[image][quarter].x)[l] * (double)all;
      }
    }
    __syncthreads();
  }
  loss = sum_over_block(loss);
  slope = sum_over_block(slope);
  if (threadIdx.x > 0) return;
  if (q.k > 0) q.answers[1 + j] = slope;
  if (j > 0) return;
  q.answers[0] = loss / (double)q.n;
  *q.counter = 0; /* for the next launch */
}

} // namespace

#endif
