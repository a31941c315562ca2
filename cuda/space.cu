/* Vectors in a GPU's memory: the operations of lrgd/space.h, for double and
 * float.  Compiled by nvcc for the card, and as C against the stand-in of
 * device.h for tests: it keeps to what both languages share.
 *
 * The k x k world stays on the host: coefficients go down with the launch, sums
 * come back in one copy. */
#include "device.h"

/* the card's sines: accurate to an ulp or two, the same on every card */
#define LR_MAP_SIN sin
#define LR_MAP_ASIN asin

#include "base/normal.h"
#include "base/policy.h"
#include "space/box_map.h"
#include "space/vec.h"

#include <float.h>
#include <limits.h>
#include <lrgd/cuda.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __CUDACC__
#define LR_UNROLL _Pragma("unroll")
#define LR_FROM_KERNEL static __device__ inline
#else
#define LR_UNROLL
#define LR_FROM_KERNEL static inline
#endif

/* Columns that one pass reads at the most: there is a kernel for each number of
 * them, and more columns are read in passes of equal size. */
enum { LR_CHUNK = 12 };
#define LR_FOR_CHUNKS(X)                                                       \
  X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)

/* Columns are padded to a multiple of so many numbers. */
enum { LR_PAD = 64 };

/* Numbers that put and get convert at a time. */
enum { LR_STAGED = 1 << 20 };

typedef struct lr_coefficients {
  double c[LR_CHUNK];
} lr_coefficients;

typedef struct cuda_space {
  lrgd_space base;
  lrgd_scalar scalar;
  size_t stride;
  double *part;   /* device: parts of LR_CHUNK sums */
  double *folded; /* host memory that kernels write to: LR_CHUNK sums */
  double *staged; /* device: LR_STAGED doubles, made when first needed */
  double *table;  /* device: the coefficients of combine */
  size_t table_size;
  char failure[256];
} cuda_space;

struct lrgd_block {
  void *data;
  const cuda_space *space;
};

static cuda_space *self(lrgd_space *space)
{
  return (cuda_space *)space;
}

static size_t scalar_size(lrgd_scalar scalar)
{
  return scalar == LRGD_SCALAR_DOUBLE ? sizeof(double) : sizeof(float);
}

/* Notes the first failure; whether all is well so far. */
static bool well(cuda_space *s, cudaError_t error)
{
  if (error != cudaSuccess && s->failure[0] == '\0')
    snprintf(s->failure, sizeof s->failure, "CUDA: %s",
             cudaGetErrorString(error));
  return s->failure[0] == '\0';
}

static bool launched(cuda_space *s)
{
  return well(s, cudaGetLastError());
}

/* Blocks for work on n numbers that adds nothing up. */
static size_t blocks_for(size_t n)
{
  size_t blocks = (n + LR_THREADS - 1) / LR_THREADS;
  return blocks < 65536 ? blocks : 65536;
}

/* ---- life ---- */

void *lrgd_cuda_data(lrgd_vec y)
{
  if (!y.block) return NULL;
  const cuda_space *s = y.block->space;
  return (char *)y.block->data + y.col * s->stride * scalar_size(s->scalar);
}

size_t lrgd_cuda_stride(const lrgd_space *space)
{
  return ((const cuda_space *)space)->stride;
}

const char *lrgd_cuda_failure(const lrgd_space *space)
{
  const cuda_space *s = (const cuda_space *)space;
  return s->failure[0] ? s->failure : NULL;
}

static void cuda_free(lrgd_space *space, lrgd_block *block)
{
  (void)space;
  if (!block) return;
  (void)cudaFree(block->data);
  free(block);
}

static lrgd_block *cuda_make(lrgd_space *space, size_t columns)
{
  cuda_space *s = self(space);
  size_t size = scalar_size(s->scalar);
  if (columns > SIZE_MAX / size / s->stride) return NULL;
  lrgd_block *block = (lrgd_block *)malloc(sizeof *block);
  if (!block) return NULL;
  block->space = s;
  /* a card that is full is no failure of the card: the caller is told */
  if (cudaMalloc(&block->data, columns * s->stride * size) == cudaSuccess)
    return block;
  (void)cudaGetLastError();
  free(block);
  return NULL;
}

static void cuda_destroy(lrgd_space *space)
{
  cuda_space *s = self(space);
  (void)cudaFree(s->part);
  (void)cudaFreeHost(s->folded);
  (void)cudaFree(s->staged);
  (void)cudaFree(s->table);
  free(s);
}

/* ---- sums ---- */

/* folded[j] = the sum, or the largest, of the blocks' parts of number j. */
LR_KERNEL fold_kernel(const double *part, bool largest, double *folded)
{
  const double *mine = part + (size_t)LR_BLOCK * LR_SUM_BLOCKS;
  double all = largest ? -INFINITY : 0;
  for (size_t i = LR_THREAD; i < LR_SUM_BLOCKS; i += LR_THREADS)
    all = largest ? fmax(all, mine[i]) : all + mine[i];
  all = lr_block_fold(all, largest);
  if (LR_THREAD == 0) folded[LR_BLOCK] = all;
}

/* n numbers from the parts of the kernel before; NaN after a failure. */
static void fold(cuda_space *s, size_t n, bool largest, double *to)
{
  if (launched(s)) LR_LAUNCH(fold_kernel, n, s->part, largest, s->folded);
  bool good = launched(s) && well(s, cudaStreamSynchronize(NULL));
  for (size_t i = 0; i < n; i++) to[i] = good ? s->folded[i] : NAN;
}

static double fold_one(cuda_space *s, bool largest)
{
  double x;
  fold(s, 1, largest, &x);
  return x;
}

/* A number of coordinates, of which there is none after a failure. */
static size_t count_of(double sum)
{
  return sum > 0 ? (size_t)sum : 0;
}

/* How many columns of those left to read in the next pass. */
static size_t next_chunk(size_t left)
{
  size_t passes = (left + LR_CHUNK - 1) / LR_CHUNK;
  return (left + passes - 1) / passes;
}

/* A table on the device with these numbers; NULL after a failure. */
static const double *table_of(cuda_space *s, const double *from, size_t n)
{
  if (n > s->table_size) {
    (void)cudaFree(s->table);
    s->table = NULL;
    s->table_size = 0;
    if (!well(s, cudaMalloc(&s->table, n * sizeof *from))) return NULL;
    s->table_size = n;
  }
  bool good = well(
      s, cudaMemcpy(s->table, from, n * sizeof *from, cudaMemcpyHostToDevice));
  return good ? s->table : NULL;
}

/* Room for conversions; NULL after a failure. */
static double *staging(cuda_space *s)
{
  if (!s->staged)
    (void)well(s, cudaMalloc(&s->staged, LR_STAGED * sizeof *s->staged));
  return s->staged;
}

/* The exponent by which the largest number is scaled before squaring. */
static int exponent_of(double largest)
{
  return largest > 0 && largest <= DBL_MAX ? ilogb(largest) : 0;
}

static double unscaled_norm(double squares, int e)
{
  double norm = scalbn(sqrt(squares), e);
  return norm <= DBL_MAX ? norm : DBL_MAX;
}

/* The policy's default, as a hidden symbol of the core cannot be linked. */
static double map_margin(void)
{
#define LR_POLICY_DEFAULT(name, value, unit, reason, test) .name = (value),
  static const lr_policy policy = {LR_POLICY(LR_POLICY_DEFAULT)};
#undef LR_POLICY_DEFAULT
  return policy.map_margin;
}

/* ---- the operations, once for each element type ---- */

#define REAL double
#define NAME(verb) verb##_double
#define EPSILON DBL_EPSILON
#include "space_kernels.h"
#include "space_verbs.h"
#undef REAL
#undef NAME
#undef EPSILON

#define REAL float
#define NAME(verb) verb##_float
#define EPSILON FLT_EPSILON
#include "space_kernels.h"
#include "space_verbs.h"

static void say(lrgd_error *error, lrgd_status status, const char *text)
{
  if (!error) return;
  error->status = status;
  snprintf(error->text, sizeof error->text, "%s", text);
}

lrgd_status lrgd_cuda_device(char *text, size_t size, lrgd_error *error)
{
  int device;
  cudaDeviceProp of;
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) code = cudaGetDeviceProperties(&of, device);
  if (code != cudaSuccess) {
    char why[300];
    snprintf(why, sizeof why, "no CUDA device can be used: %s",
             cudaGetErrorString(code));
    say(error, LRGD_ERR_INVALID, why);
    return LRGD_ERR_INVALID;
  }
  snprintf(text, size, "%s", of.name);
  return LRGD_OK;
}

lrgd_space *lrgd_cuda_space(size_t dimension, lrgd_scalar scalar,
                            lrgd_error *error)
{
  char name[256];
  if (dimension == 0 || dimension > INT_MAX) {
    char why[100];
    snprintf(why, sizeof why, "a space of dimension %zu; it must be 1 to %d",
             dimension, INT_MAX);
    say(error, LRGD_ERR_INVALID, why);
    return NULL;
  }
  if (lrgd_cuda_device(name, sizeof name, error) != LRGD_OK) return NULL;
  cuda_space *s = (cuda_space *)calloc(1, sizeof *s);
  if (s) {
    s->base.ops = scalar == LRGD_SCALAR_DOUBLE ? &ops_double : &ops_float;
    s->base.dimension = dimension;
    s->scalar = scalar;
    s->stride = (dimension + LR_PAD - 1) / LR_PAD * LR_PAD;
    size_t parts = (size_t)LR_CHUNK * LR_SUM_BLOCKS;
    if (cudaMalloc(&s->part, parts * sizeof *s->part) == cudaSuccess &&
        cudaHostAlloc(&s->folded, LR_CHUNK * sizeof *s->folded,
                      cudaHostAllocMapped) == cudaSuccess)
      return &s->base;
    (void)cudaGetLastError();
    cuda_destroy(&s->base);
  }
  char why[300];
  snprintf(why, sizeof why, "out of memory for a space on %s", name);
  say(error, LRGD_ERR_NOMEM, why);
  return NULL;
}
