/* Sums of fused_slopes.cu: over the threads of a block, over tiles, and what is
 * made of them.  Whoever comes last adds up, always in one order. */
#ifndef LR_FUSED_SUMS_H
#define LR_FUSED_SUMS_H

#include "fused_layout.h"

#include <math.h>

namespace
{

/* The sum over the workers, for the first of them; always in one tree. */
LR_ON_CARD double sum_over_workers(const work &w, double x)
{
  for (int lanes = 16; lanes > 0; lanes /= 2)
    x += __shfl_down_sync(0xffffffffu, x, (unsigned)lanes);
  if (threadIdx.x % 32 == 0) w.sums[threadIdx.x / 32] = x;
  lr_threads_meet(WORKERS);
  double all = 0;
  for (int i = 0; threadIdx.x == 0 && i < WORKERS / 32; i++) all += w.sums[i];
  return all;
}

/* What the first worker wrote, and all others before they met, is in memory and
 * counted.  Whether all is there now: then the other blocks' part can be read,
 * past the first-level cache. */
LR_ON_CARD bool count_last(const work &w, unsigned *counter, unsigned all)
{
  if (threadIdx.x == 0) *w.last = lr_count_both(counter) + 1 == all;
  lr_threads_meet(WORKERS);
  return *w.last != 0;
}

/* One thread, until so many have counted: then the workers are told, who can
 * read what was written. */
LR_ON_CARD void watch_one(const unsigned *counter, unsigned all,
                          uint64_t *barrier)
{
  while (lr_read_acquire(counter) < all) __nanosleep(64);
  lr_barrier_arrive(barrier);
}

/* The sum of `count` numbers, in their order; eight are on their way at a time.
 */
LR_ON_CARD double sum_of(const double *x, size_t count)
{
  double sum = 0;
  for (size_t first = 0; first < count; first += 8) {
    double some[8];
#pragma unroll
    for (size_t i = 0; i < 8; i++)
      some[i] = first + i < count ? __ldcg(x + first + i) : 0;
#pragma unroll
    for (size_t i = 0; i < 8; i++) sum += some[i];
  }
  return sum;
}

/* Of the last block of all: f, the slopes, and counters for the next launch. */
LR_ON_CARD void finish_all(const work &w)
{
  size_t k = w.q.k, across = w.t.across;
  for (size_t j = threadIdx.x; j <= k; j += WORKERS) {
    double all = 0;
    for (size_t down = 0; j < k && down < w.t.down; down++)
      all += sum_of(w.r.slopes + (down * k + j) * across, across);
    if (j == k) all = sum_of(w.r.losses, w.t.net_down) / (double)w.q.n;
    w.q.answers[j < k ? 1 + j : 0] = all;
  }
  counters to = counters_of(w.q);
  for (size_t i = threadIdx.x; i < w.t.net_down; i += WORKERS) to.row[i] = 0;
  if (threadIdx.x == 0) *to.done = *to.activations = *to.errors = 0;
}

/* One part of the work is done; whether it was the last of all. */
LR_ON_CARD bool finish_part(const work &w)
{
  return count_last(w, counters_of(w.q).done, w.t.parts);
}

/* ---- errors of the network's outputs ---- */

/* Scores 4 quarter .. of image i: their parts in their order. */
LR_ON_CARD float4 scores_of(const work &w, size_t i, size_t quarter)
{
  const float4 *at = (const float4 *)(w.r.scores + i * CLASSES) + quarter;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 13
  for (unsigned part = 0; part < w.t.net_across; part++) {
    float4 one = __ldcg(at + part * w.t.rows * QUARTERS);
    sum =
        make_float4(sum.x + one.x, sum.y + one.y, sum.z + one.z, sum.w + one.w);
  }
  return sum;
}

/* Over the four threads that have an image's classes. */
LR_ON_CARD float most_of_four(float x)
{
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

LR_ON_CARD float sum_of_four(float x)
{
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

/* Scores of four classes from `first` on to their errors: probabilities less
 * the right answer, over n.  The image's loss, where its right answer is one of
 * the four; else 0. */
LR_ON_CARD double errors_of(float (&z)[4], size_t first, size_t right,
                            const lr_fused &q)
{
  float most = -INFINITY, sum = 0, off = 0, part = 1 / (float)q.n;
#pragma unroll
  for (size_t l = 0; l < 4; l++)
    if (first + l < q.classes) most = fmaxf(most, z[l]);
  most = most_of_four(most);
#pragma unroll
  for (size_t l = 0; l < 4; l++) {
    if (first + l == right) off = z[l] - most;
    z[l] = first + l < q.classes ? expf(z[l] - most) : 0;
    sum += z[l];
  }
  sum = sum_of_four(sum);
#pragma unroll
  for (size_t l = 0; l < 4; l++)
    z[l] = part * (z[l] / sum - (first + l == right ? 1 : 0));
  bool mine = right >= first && right < first + 4;
  return mine ? (double)logf(sum) - (double)off : 0;
}

/* Of the last block of a row of the network's tiles: errors of its images. */
LR_ON_CARD void make_errors(const work &w, const tile &at)
{
  const lr_fused &q = w.q;
  size_t image = at.image + threadIdx.x / QUARTERS;
  size_t quarter = threadIdx.x % QUARTERS;
  double loss = 0;
  if (threadIdx.x < NET_IMAGES * QUARTERS) { /* whole warps */
    bool there = image < q.n;
    const float *b2 = q.x + q.in * q.out + q.out + q.out * q.classes;
    float4 score = scores_of(w, there ? image : at.image, quarter);
    float z[4] = {score.x, score.y, score.z, score.w};
#pragma unroll
    for (size_t l = 0; l < 4; l++)
      if (4 * quarter + l < q.classes) z[l] += b2[4 * quarter + l];
    loss = errors_of(z, 4 * quarter, q.labels[there ? image : at.image], q);
    if (there)
      ((float4 *)(w.r.errors + image * CLASSES))[quarter] =
          make_float4(z[0], z[1], z[2], z[3]);
    else
      loss = 0;
  }
  lr_threads_meet(WORKERS);
  if (threadIdx.x == 0) lr_count_release(counters_of(q).errors);
  loss = sum_over_workers(w, loss);
  if (threadIdx.x == 0) w.r.losses[at.image / NET_IMAGES] = loss;
}

/* ---- tangents of the outputs, where they are wanted ---- */

__global__ void tangents_kernel(const __grid_constant__ lr_fused q, rooms r,
                                tiling t)
{
  size_t outputs = q.n * q.classes, j = blockIdx.y;
  const float *from = r.tangents + j * t.across * t.rows * CLASSES;
  for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < outputs;
       e += (size_t)gridDim.x * blockDim.x) {
    const float *at = from + e / q.classes * CLASSES + e % q.classes;
    float sum = 0;
    for (size_t part = 0; part < t.across; part++)
      sum += at[part * t.rows * CLASSES];
    q.tangents[j * outputs + e] = sum;
  }
}

} // namespace

#endif
