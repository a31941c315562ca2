/* A Gauss-Newton step on the card: the matrix, its factor, the step and the
 * move are queued after the slopes, and the host waits for none of them.  What
 * comes to the host of an iteration is a loss, while the next one runs. */
#include "card_mlp.h"

#include <math.h>

using namespace lr_card;

namespace
{

enum {
  GRAM_THREADS = 128,
  MOVE_STEP = 16, /* columns on their way at a time */
  ACROSS = 64,    /* of the system, for each thread of a block one column and */
  DOWN = 8,       /* every eighth row, */
  ROWS = 4,       /* four of them at a time */
  NEWTON_THREADS = ACROSS * DOWN
};

/* Row j of C is S t / sqrt(n) over all images, t the outputs' tangent along
 * direction j, S = diag(sqrt q) (I - 1 q'), q the probabilities: C C' is the
 * Gauss-Newton matrix.  E: the errors, (q - right answer) / n. */
__global__ void curvature_kernel(size_t n, size_t classes, const float *E,
                                 size_t row, const uint8_t *labels,
                                 const float *tangents, float *C)
{
  size_t j = blockIdx.y;
  LR_OVER(i, n)
  {
    const float *t = tangents + (j * n + i) * classes, *e = E + i * row;
    float *to = C + (j * n + i) * classes, mean = 0;
    for (size_t c = 0; c < classes; c++) {
      float q = (float)n * e[c] + (c == labels[i] ? 1.0F : 0.0F);
      mean += q * t[c];
    }
    for (size_t c = 0; c < classes; c++) {
      float q = (float)n * e[c] + (c == labels[i] ? 1.0F : 0.0F);
      to[c] = sqrtf(fmaxf(q, 0) / (float)n) * (t[c] - mean);
    }
  }
}

/* G[a k + b] = the sum of A_a B_b over `count` numbers `step` apart, and of one
 * pair more (NULL: none); a block for each b <= a. */
__global__ void gram_kernel(size_t k, size_t count, const float *A,
                            size_t column, size_t step, const float *last,
                            double *G)
{
  size_t a = blockIdx.x, b = blockIdx.y;
  if (b > a) return;
  __shared__ double warps[GRAM_THREADS / 32];
  double sum = 0;
  for (size_t i = threadIdx.x; i < count; i += GRAM_THREADS)
    sum += (double)A[a * column + i * step] * (double)A[b * column + i * step];
  for (int lanes = 16; lanes > 0; lanes /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, (unsigned)lanes);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  sum = last ? (double)last[a] * (double)last[b] : 0;
  for (int i = 0; i < GRAM_THREADS / 32; i++) sum += warps[i];
  G[a * k + b] = G[b * k + a] = sum;
}

/* ---- (B + lift I) z = -share d ---- */

/* k + 1 rows of an odd number of doubles, so that a warp reads a column from
 * different banks: B + lift I, then -share d; then the pivots' inverses. */
struct lr_system {
  size_t k, row;
  double *A, *inverse;
};

__host__ __device__ size_t row_of(size_t k)
{
  return k | 1;
}

size_t numbers_of(size_t k)
{
  return (k + 1) * row_of(k) + k;
}

/* lift: the damping in units of the mean curvature, and what keeps rounding
 * from making the matrix singular. */
__device__ void load_system(const lr_system &s, const double *B,
                            const double *d, double damping, double share)
{
  size_t k = s.k;
  double trace = 0;
  for (size_t j = threadIdx.x % 32; j < k; j += 32) trace += B[j * k + j];
  for (int lanes = 16; lanes > 0; lanes /= 2)
    trace += __shfl_xor_sync(0xffffffffu, trace, lanes);
  double lift = damping * trace / (double)k + 1e-7 * trace;
  for (size_t i = threadIdx.x / 32; i < k; i += NEWTON_THREADS / 32)
    for (size_t q = threadIdx.x % 32; q <= i; q += 32)
      s.A[i * s.row + q] = B[i * k + q] + (i == q ? lift : 0);
  for (size_t j = threadIdx.x; j < k; j += NEWTON_THREADS)
    s.A[k * s.row + j] = -share * d[j];
  if (threadIdx.x == 0) s.inverse[0] = 1 / (B[0] + lift);
  __syncthreads();
}

/* Of row i's column q, i = first + r DOWN, what column j leaves of it; factor:
 * row q of that column over its pivot.  All are read before one is written. */
__device__ void update(const lr_system &s, unsigned j, unsigned q,
                       unsigned first, double factor)
{
  unsigned k = (unsigned)s.k, row = (unsigned)s.row;
  double mine[ROWS];
#pragma unroll
  for (unsigned r = 0; r < ROWS; r++) {
    unsigned i = first + r * DOWN;
    bool there = i <= k && i >= q;
    mine[r] = there ? s.A[i * row + q] - s.A[i * row + j] * factor : 0;
  }
#pragma unroll
  for (unsigned r = 0; r < ROWS; r++) {
    unsigned i = first + r * DOWN;
    if (i <= k && i >= q) s.A[i * row + q] = mine[r];
  }
  if (first == q && q == j + 1) s.inverse[q] = __drcp_rn(mine[0]);
}

/* A = L D L': what stays below the diagonal are the columns of L D.  Row k
 * becomes L^-1 times what it was, as it is eliminated with the others.  Who
 * finishes the next pivot inverts it at once, while the others go on. */
__device__ void eliminate(const lr_system &s)
{
  unsigned across = threadIdx.x % ACROSS, down = threadIdx.x / ACROSS;
  unsigned k = (unsigned)s.k, row = (unsigned)s.row;
  for (unsigned j = 0; j < k; j++) {
    double inverse = s.inverse[j];
    for (unsigned q = j + 1 + across; q < k; q += ACROSS) {
      double factor = s.A[q * row + j] * inverse;
      for (unsigned i = j + 1 + down; i <= k; i += ROWS * DOWN)
        update(s, j, q, i, factor);
    }
    __syncthreads();
  }
}

/* z = L^-T D^-1 times row k: one warp.  A pivot that is not positive makes z
 * NaN, which the next loss shows. */
__device__ void substitute_back(const lr_system &s, double *z)
{
  unsigned lane = threadIdx.x % 32, k = (unsigned)s.k, row = (unsigned)s.row;
  double *y = s.A + k * row;
  if (threadIdx.x >= 32) return;
  for (unsigned i = lane; i < k; i += 32)
    y[i] = s.inverse[i] > 0 ? y[i] * s.inverse[i] : NAN;
  __syncwarp();
  for (unsigned j = k; j-- > 0;) {
    for (unsigned i = lane; i < j; i += 32)
      y[i] -= s.A[j * row + i] * s.inverse[i] * y[j];
    __syncwarp();
  }
  for (unsigned i = lane; i < k; i += 32) z[i] = y[i];
}

/* room: numbers_of(k) where shared memory does not hold them; else NULL. */
__global__ void __launch_bounds__(NEWTON_THREADS)
    newton_kernel(size_t k, const double *B, const double *d, double damping,
                  double share, double *room, double *z)
{
  extern __shared__ double shared[];
  double *A = room ? room : shared;
  lr_system s = {k, row_of(k), A, A + (k + 1) * row_of(k)};
  load_system(s, B, d, damping, share);
  eliminate(s);
  substitute_back(s, z);
}

/* x += U z; several columns are on their way at a time. */
__global__ void move_kernel(size_t p, size_t k, const float *U, size_t stride,
                            const double *z, float *x)
{
  LR_OVER(i, p)
  {
    const float *at = U + i;
    double sum = 0;
    size_t j = 0;
    for (; j + MOVE_STEP <= k; j += MOVE_STEP) {
      float u[MOVE_STEP];
#pragma unroll
      for (size_t l = 0; l < MOVE_STEP; l++) u[l] = at[(j + l) * stride];
#pragma unroll
      for (size_t l = 0; l < MOVE_STEP; l++) sum += z[j + l] * (double)u[l];
    }
    for (; j < k; j++) sum += z[j] * (double)at[j * stride];
    x[i] += (float)sum;
  }
}

} // namespace

void lr_card_gram(size_t k, size_t count, const float *A, size_t column,
                  size_t step, const float *last, double *G)
{
  gram_kernel<<<dim3((unsigned)k, (unsigned)k), GRAM_THREADS>>>(
      k, count, A, column, step, last, G);
}

namespace
{

/* The Gauss-Newton matrix along k of the directions asked last into d->B. */
lrgd_status queue_curvature(lrgd_cuda_mlp *mlp, size_t k, lrgd_error *error)
{
  lr_descent_room *d = &mlp->descent;
  size_t classes = mlp->widths[mlp->layers], row;
  if (k == 0 || k > d->asked)
    return lr_cuda_fail(error, LRGD_ERR_INVALID,
                        "curvature along directions that were not asked for");
  const float *E = lr_mlp_errors_of(mlp, d->n, d->asked, &row);
  curvature_kernel<<<dim3(blocks_of(d->n), (unsigned)k), THREADS>>>(
      d->n, classes, E, row, d->labels, d->tangents, d->C);
  lr_card_gram(k, d->n * classes, d->C, d->n * classes, 1, NULL, d->B);
  return LRGD_OK;
}

/* What a block may have of shared memory, once it was asked for. */
size_t shared_most()
{
  int device = 0, most = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                             device) != cudaSuccess ||
      cudaFuncSetAttribute(newton_kernel,
                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                           most) != cudaSuccess)
    return 0;
  return (size_t)most;
}

} // namespace

extern "C" lrgd_status lrgd_cuda_mlp_curvature(lrgd_cuda_mlp *mlp, size_t k,
                                               double *B, lrgd_error *error)
{
  lrgd_status status = queue_curvature(mlp, k, error);
  if (status != LRGD_OK) return status;
  return lr_cuda_checked(
      cudaMemcpy(B, mlp->descent.B, k * k * sizeof *B, cudaMemcpyDeviceToHost),
      error);
}

extern "C" lrgd_status lrgd_cuda_mlp_step(lrgd_cuda_mlp *mlp, float *x,
                                          size_t k, const float *U,
                                          size_t stride, double damping,
                                          double share, lrgd_error *error)
{
  static const size_t most = shared_most();
  lr_descent_room *d = &mlp->descent;
  size_t bytes = numbers_of(k) * sizeof(double);
  lrgd_status status = queue_curvature(mlp, k, error);
  if (status != LRGD_OK) return status;
  bool fits = bytes <= most;
  newton_kernel<<<1, NEWTON_THREADS, fits ? bytes : 0>>>(
      k, d->B, d->answers + 1, damping, share, fits ? NULL : d->system, d->z);
  move_kernel<<<blocks_of(mlp->p), THREADS>>>(mlp->p, k, U, stride, d->z, x);
  return lr_cuda_checked(cudaGetLastError(), error);
}

/* ---- losses on their way to the host ---- */

size_t lr_card_system(size_t k)
{
  return numbers_of(k);
}

bool lr_card_begin_losses(lr_descent_room *d)
{
  return cudaMallocHost((void **)&d->losses, LR_LOSSES * sizeof *d->losses) ==
             cudaSuccess &&
         cudaEventCreateWithFlags(&d->arrived[0], cudaEventDisableTiming) ==
             cudaSuccess &&
         cudaEventCreateWithFlags(&d->arrived[1], cudaEventDisableTiming) ==
             cudaSuccess;
}

void lr_card_end_losses(lr_descent_room *d)
{
  for (size_t i = 0; i < LR_LOSSES; i++)
    if (d->arrived[i]) (void)cudaEventDestroy(d->arrived[i]);
  if (d->losses) (void)cudaFreeHost(d->losses);
}

namespace
{

/* Written by a kernel: a copy would have the card change from one engine to
 * another and back. */
__global__ void send_kernel(const double *loss, double *to)
{
  *to = *loss;
}

} // namespace

cudaError_t lr_card_send_loss(lr_descent_room *d)
{
  size_t place = d->asks++ % LR_LOSSES;
  send_kernel<<<1, 1>>>(d->answers, d->losses + place);
  return cudaEventRecord(d->arrived[place], NULL);
}

extern "C" lrgd_status lrgd_cuda_mlp_loss(lrgd_cuda_mlp *mlp, size_t before,
                                          double *loss, lrgd_error *error)
{
  lr_descent_room *d = &mlp->descent;
  if (before >= LR_LOSSES || before >= d->asks)
    return lr_cuda_fail(error, LRGD_ERR_INVALID,
                        "the loss of a batch that was not asked for, or that "
                        "is not kept any more");
  size_t place = (d->asks - 1 - before) % LR_LOSSES;
  cudaError_t code = cudaEventSynchronize(d->arrived[place]);
  *loss = code == cudaSuccess ? d->losses[place] : NAN;
  return lr_cuda_checked(code, error);
}
