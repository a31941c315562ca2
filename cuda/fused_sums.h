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

/* What the workers wrote is in memory, and counted.  Whether all is there now:
 * then the others' part can be read, past the first-level cache. */
LR_ON_CARD bool count_last(const work &w, unsigned *counter, unsigned all)
{
  __threadfence();
  lr_threads_meet(WORKERS);
  if (threadIdx.x == 0) {
    *w.last = atomicAdd(counter, 1) + 1 == all;
    __threadfence();
  }
  lr_threads_meet(WORKERS);
  return *w.last != 0;
}

/* Of the last block of all: f, the slopes, and counters for the next launch. */
LR_ON_CARD void finish_all(const work &w)
{
  size_t k = w.q.k, across = w.t.across;
  for (size_t j = threadIdx.x; j < k; j += WORKERS) {
    double slope = 0;
    for (size_t down = 0; down < w.t.down; down++)
#pragma unroll 8
      for (size_t c = 0; c < across; c++)
        slope += __ldcg(w.r.slopes + (down * k + j) * across + c);
    w.q.answers[1 + j] = slope;
  }
  counters to = counters_of(w.q);
  for (size_t i = threadIdx.x; i < w.t.net_down; i += WORKERS) to.row[i] = 0;
  if (threadIdx.x > 0) return;
  double loss = 0;
  for (size_t i = 0; i < w.t.net_down; i++) loss += __ldcg(w.r.losses + i);
  w.q.answers[0] = loss / (double)w.q.n;
  *to.done = *to.errors = 0;
}

/* One part of the work is done. */
LR_ON_CARD void finish_part(const work &w)
{
  if (count_last(w, counters_of(w.q).done, w.t.parts)) finish_all(w);
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

/* Of the last block of a row of the network's tiles: errors of its images.
 * between: NET_IMAGES x CLASSES floats of shared memory. */
LR_ON_CARD void make_errors(const work &w, const tile &at, float *between)
{
  const lr_fused &q = w.q;
  size_t i = threadIdx.x / QUARTERS, image = at.image + i;
  float4 *score = (float4 *)between + threadIdx.x;
  bool there = threadIdx.x < NET_IMAGES * QUARTERS && image < q.n;
  if (there) {
    float4 z = scores_of(w, image, threadIdx.x % QUARTERS);
    const float *b2 = q.x + q.in * q.out + q.out + q.out * q.classes;
    float *add[4] = {&z.x, &z.y, &z.z, &z.w};
#pragma unroll
    for (size_t l = 0; l < 4; l++) {
      size_t c = 4 * (threadIdx.x % QUARTERS) + l;
      if (c < q.classes) *add[l] += b2[c];
    }
    *score = z;
  }
  lr_threads_meet(WORKERS);
  double loss = 0;
  size_t mine = at.image + threadIdx.x;
  if (threadIdx.x < NET_IMAGES && mine < q.n)
    loss = errors_of(between + threadIdx.x * CLASSES, q.labels[mine], q.classes,
                     1 / (float)q.n);
  loss = sum_over_workers(w, loss); /* all have written theirs */
  if (there)
    ((float4 *)(w.r.errors + image * CLASSES))[threadIdx.x % QUARTERS] = *score;
  if (threadIdx.x == 0) w.r.losses[at.image / NET_IMAGES] = loss;
  (void)count_last(w, counters_of(q).errors, w.t.net_down);
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
