/* The kernels of a perceptron of any depth, in single precision: products of
 * matrices, row after row, and what is done to each number between them. */
#ifndef LR_CARD_KERNELS_H
#define LR_CARD_KERNELS_H

#include <cuda_runtime.h>
#include <stdint.h>

namespace lr_card
{

enum { THREADS = 256 };

/* One product, or `batch` of them so far apart: C = beta C + op(A) op(B), C
 * m x n, the inner index of length `depth`. */
struct product {
  size_t m, n, depth;
  const float *A, *B;
  float *C;
  size_t a_row, b_row, c_row;    /* from a row to the next */
  size_t a_next, b_next, c_next; /* from a product to the next; 0: the same */
  float beta;
  size_t fold; /* rows of one product, where its rows follow each other and all
                  are one; 0: they are not */
};

/* Where a row of C begins. */
static __device__ inline size_t row_start(const product &q, size_t row)
{
  unsigned fold = (unsigned)q.fold, one = fold ? (unsigned)row / fold : 0;
  return one * q.c_next + (row - (size_t)one * fold) * q.c_row;
}

/* A tile of TILE x TILE numbers for each block, SIDE x SIDE for each thread;
 * operands go through shared memory, DEPTH of the inner index at a time. */
template <bool TA, bool TB, int TILE, int SIDE>
__global__ void __launch_bounds__(THREADS) product_kernel(product q)
{
  constexpr int DEPTH = 16, LANES = TILE / SIDE;
  static_assert(LANES * LANES == THREADS, "a thread for each square");
  __shared__ float a[DEPTH][TILE + 4], b[DEPTH][TILE + 4];
  const float *A = q.A + blockIdx.z * q.a_next;
  const float *B = q.B + blockIdx.z * q.b_next;
  float *C = q.C + blockIdx.z * q.c_next;
  size_t row0 = (size_t)blockIdx.y * TILE, col0 = (size_t)blockIdx.x * TILE;
  int ty = threadIdx.x / LANES, tx = threadIdx.x % LANES;
  float sum[SIDE][SIDE] = {{0}};
  for (size_t d0 = 0; d0 < q.depth; d0 += DEPTH) {
#pragma unroll
    for (int e = threadIdx.x; e < TILE * DEPTH; e += THREADS) {
      /* neighbours read what lies side by side */
      int i = TA ? e % TILE : e / DEPTH, d = TA ? e / TILE : e % DEPTH;
      size_t row = row0 + i, depth = d0 + d;
      bool inside = row < q.m && depth < q.depth;
      a[d][i] = !inside ? 0
                : TA    ? A[depth * q.a_row + row]
                        : A[row * q.a_row + depth];
      int j = TB ? e / DEPTH : e % TILE, t = TB ? e % DEPTH : e / TILE;
      size_t col = col0 + j;
      depth = d0 + t;
      inside = col < q.n && depth < q.depth;
      b[t][j] = !inside ? 0
                : TB    ? B[col * q.b_row + depth]
                        : B[depth * q.b_row + col];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
      float u[SIDE], v[SIDE];
#pragma unroll
      for (int i = 0; i < SIDE; i++) {
        u[i] = a[d][ty + i * LANES];
        v[i] = b[d][tx + i * LANES];
      }
#pragma unroll
      for (int i = 0; i < SIDE; i++)
#pragma unroll
        for (int j = 0; j < SIDE; j++) sum[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < SIDE; i++) {
    size_t row = row0 + ty + i * LANES;
    float *to = C + row_start(q, row);
#pragma unroll
    for (int j = 0; j < SIDE; j++) {
      size_t col = col0 + tx + j * LANES;
      if (row >= q.m || col >= q.n) continue;
      to[col] = q.beta == 0 ? sum[i][j] : q.beta * to[col] + sum[i][j];
    }
  }
}

/* Products with one right operand whose left operands follow each other: their
 * rows are those of one. */
template <bool TA> bool folds(const product &q, size_t batch)
{
  return !TA && batch > 1 && q.b_next == 0 && q.a_next == q.m * q.a_row &&
         q.m * batch <= (size_t)32 * 65535; /* rows of blocks */
}

/* Small products are cut finer, so that every multiprocessor has some. */
template <bool TA, bool TB>
void multiply(product q, size_t batch, cudaStream_t stream)
{
  if (folds<TA>(q, batch)) {
    q.fold = q.m;
    q.m *= batch;
    batch = 1;
  }
  size_t tiles = ((q.m + 127) / 128) * ((q.n + 127) / 128) * batch;
  size_t tile = tiles >= 264 ? 128 : tiles >= 40 ? 64 : 32;
  dim3 grid((unsigned)((q.n + tile - 1) / tile),
            (unsigned)((q.m + tile - 1) / tile), (unsigned)batch);
  if (tile == 128)
    product_kernel<TA, TB, 128, 8><<<grid, THREADS, 0, stream>>>(q);
  else if (tile == 64)
    product_kernel<TA, TB, 64, 4><<<grid, THREADS, 0, stream>>>(q);
  else
    product_kernel<TA, TB, 32, 2><<<grid, THREADS, 0, stream>>>(q);
}

#define LR_OVER(i, n)                                                          \
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n);      \
       i += (size_t)gridDim.x * blockDim.x)

/* Z = s(Z + b), row after row. */
static __global__ void activate_kernel(size_t count, size_t width,
                                       const float *b, bool relu, bool last,
                                       float *Z)
{
  LR_OVER(i, count)
  {
    float z = Z[i] + b[i % width];
    Z[i] = last ? z : relu ? fmaxf(z, 0) : tanhf(z);
  }
}

/* D_j = (D_j + db_j) times the activation's slope, told from its value; j is
 * blockIdx.y. */
static __global__ void tangent_kernel(size_t count, size_t width,
                                      const float *db, size_t stride,
                                      const float *A, bool relu, bool last,
                                      float *D)
{
  const float *shift = db + blockIdx.y * stride;
  float *mine = D + blockIdx.y * count;
  LR_OVER(i, count)
  {
    float moved = mine[i] + shift[i % width];
    float a = last ? 0 : A[i];
    mine[i] = last ? moved : relu ? (a > 0 ? moved : 0) : moved * (1 - a * a);
  }
}

/* E *= the activation's slope. */
static __global__ void back_kernel(size_t count, const float *A, bool relu,
                                   float *E)
{
  LR_OVER(i, count)
  {
    float a = A[i];
    E[i] = relu ? (a > 0 ? E[i] : 0) : E[i] * (1 - a * a);
  }
}

static __device__ double block_sum(double x)
{
  __shared__ double warps[THREADS / 32];
  for (int lanes = 16; lanes > 0; lanes /= 2)
    x += __shfl_down_sync(0xffffffffu, x, (unsigned)lanes);
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  double all = 0;
  for (int i = 0; i < THREADS / 32; i++) all += warps[i];
  return all;
}

/* The mean loss into *loss, added to *sum if there is one, and the errors: one
 * block.  Labels are those of the rows order[0 ..], if there is an order. */
static __global__ void loss_kernel(size_t n, size_t classes, const float *Z,
                                   const uint8_t *labels, double *loss,
                                   double *sum, float *E)
{
  double mine = 0, part = 1 / (double)n;
  for (size_t i = threadIdx.x; i < n; i += THREADS) {
    const float *z = Z + i * classes;
    double most = -INFINITY, all = 0;
    for (size_t c = 0; c < classes; c++) most = fmax(most, (double)z[c]);
    for (size_t c = 0; c < classes; c++) all += exp((double)z[c] - most);
    mine += log(all) + most - (double)z[labels[i]];
    for (size_t c = 0; c < classes; c++) {
      double p = exp((double)z[c] - most) / all - (labels[i] == c ? 1 : 0);
      E[i * classes + c] = (float)(part * p);
    }
  }
  mine = block_sum(mine) * part;
  if (threadIdx.x > 0) return;
  *loss = mine;
  if (sum) *sum += mine;
}

/* d_j = the sum of E * D_j: a block for each j. */
static __global__ void slope_kernel(size_t count, const float *E,
                                    const float *D, double *d)
{
  double mine = 0;
  const float *moved = D + blockIdx.x * count;
  for (size_t i = threadIdx.x; i < count; i += THREADS)
    mine += (double)E[i] * (double)moved[i];
  mine = block_sum(mine);
  if (threadIdx.x == 0) d[blockIdx.x] = mine;
}

/* b_c = the sum of column c of E: a warp's worth of columns for each block. */
static __global__ void column_kernel(size_t n, size_t width, const float *E,
                                     float *b)
{
  size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= width) return;
  float sum = 0;
  for (size_t i = 0; i < n; i++) sum += E[i * width + c];
  b[c] = sum;
}

/* Which of an epoch's batches is next, and Adam's powers, on the card, so that
 * one graph serves every step. */
struct clock {
  size_t first;          /* of the batch in the order */
  double power1, power2; /* beta_1^t, beta_2^t */
  float rate, epsilon;   /* of this step, the biases' factors in them */
  double rate0;
};

static const double beta1 = 0.9, beta2 = 0.999, adam_epsilon = 1e-7;

/* Images and labels of the batch that begins at clock->first. */
static __global__ void gather_kernel(const clock *at, size_t n, size_t pixels,
                                     const uint32_t *order, const float *images,
                                     const uint8_t *labels, float *to,
                                     uint8_t *to_labels)
{
  LR_OVER(i, n * pixels)
  {
    size_t from = order[at->first + i / pixels];
    to[i] = images[from * pixels + i % pixels];
    if (i % pixels == 0) to_labels[i / pixels] = labels[from];
  }
}

/* Kingma and Ba (2015), the factors 1 - beta^t moved into rate and epsilon. */
static __global__ void tick_kernel(clock *at, size_t n)
{
  at->first += n;
  at->power1 *= beta1;
  at->power2 *= beta2;
  double free1 = 1 - at->power1, free2 = sqrt(1 - at->power2);
  at->rate = (float)(at->rate0 * free2 / free1);
  at->epsilon = (float)(adam_epsilon * free2);
}

static __global__ void adam_kernel(size_t p, const clock *at, const float *g,
                                   float *m, float *v, float *x)
{
  const float a = (float)beta1, b = (float)beta2;
  float rate = at->rate, epsilon = at->epsilon;
  LR_OVER(i, p)
  {
    float mi = a * m[i] + (1 - a) * g[i];
    float vi = b * v[i] + (1 - b) * g[i] * g[i];
    m[i] = mi;
    v[i] = vi;
    x[i] -= rate * mi / (sqrtf(vi) + epsilon);
  }
}

/* How many rows have their largest score in the right place. */
static __global__ void right_kernel(size_t n, size_t classes, const float *Z,
                                    const uint8_t *labels,
                                    unsigned long long *right)
{
  LR_OVER(i, n)
  {
    const float *z = Z + i * classes;
    size_t best = 0;
    for (size_t c = 1; c < classes; c++)
      if (z[c] > z[best]) best = c;
    if (best == labels[i]) atomicAdd(right, 1ull);
  }
}

static inline unsigned blocks_of(size_t n)
{
  size_t blocks = (n + THREADS - 1) / THREADS;
  return (unsigned)(blocks < 8192 ? blocks : 8192);
}

} // namespace lr_card

#endif
