/* The kernels of the space's operations for one element type; included once for
 * each by space.cu, which sets REAL, NAME and EPSILON.  Coefficients and sums
 * are doubles.
 *
 * Up to LR_CHUNK columns are read in one pass; all work is bounded by the
 * memory's bandwidth, so what counts is that nothing is read twice. */

/* y += U c for K columns. */
#define ADD_KERNEL(K)                                                          \
  LR_KERNEL NAME(add_##K)(size_t p, const REAL *U, size_t stride,              \
                          lr_coefficients c, REAL *y)                          \
  {                                                                            \
    LR_EACH(i, p)                                                              \
    {                                                                          \
      double sum = (double)y[i];                                               \
      LR_UNROLL                                                                \
      for (int j = 0; j < K; j++)                                              \
        sum += c.c[j] * (double)U[(size_t)j * stride + i];                     \
      y[i] = (REAL)sum;                                                        \
    }                                                                          \
  }

/* Numbers that one load brings: 16 bytes, where columns begin. */
enum { NAME(WIDE) = 16 / sizeof(REAL) };
typedef struct NAME(wide) {
  REAL v[NAME(WIDE)];
} __attribute__((aligned(16))) NAME(wide);

/* part[j blocks + block] = this block's part of column j times g. */
#define DOT_KERNEL(K)                                                          \
  LR_KERNEL NAME(dot_##K)(size_t p, const REAL *U, size_t stride,              \
                          const REAL *g, double *part)                         \
  {                                                                            \
    enum { WIDE = NAME(WIDE) };                                                \
    double sum[K];                                                             \
    for (int j = 0; j < K; j++) sum[j] = 0;                                    \
    LR_EACH(i, p / WIDE)                                                       \
    {                                                                          \
      NAME(wide) u[K], at = ((const NAME(wide) *)g)[i];                        \
      LR_UNROLL                                                                \
      for (int j = 0; j < K; j++)                                              \
        u[j] = ((const NAME(wide) *)(U + (size_t)j * stride))[i];              \
      LR_UNROLL                                                                \
      for (int j = 0; j < K; j++) LR_UNROLL                                    \
      for (int l = 0; l < WIDE; l++)                                           \
        sum[j] += (double)u[j].v[l] * (double)at.v[l];                         \
    }                                                                          \
    LR_EACH(i, p % WIDE)                                                       \
    {                                                                          \
      size_t last = p / WIDE * WIDE + i;                                       \
      for (int j = 0; j < K; j++)                                              \
        sum[j] += (double)U[(size_t)j * stride + last] * (double)g[last];      \
    }                                                                          \
    for (int j = 0; j < K; j++) {                                              \
      double all = lr_block_fold(sum[j], false);                               \
      if (LR_THREAD == 0) part[(size_t)j * LR_BLOCKS + LR_BLOCK] = all;        \
    }                                                                          \
  }

/* W = U C for K columns of U and m of W; `first`: nothing is there yet. */
#define COMBINE_KERNEL(K)                                                      \
  LR_KERNEL NAME(combine_##K)(size_t p, const REAL *U, size_t stride,          \
                              const double *C, size_t k, size_t m, bool first, \
                              REAL *W)                                         \
  {                                                                            \
    LR_EACH(i, p)                                                              \
    {                                                                          \
      double u[K];                                                             \
      LR_UNROLL                                                                \
      for (int j = 0; j < K; j++) u[j] = (double)U[(size_t)j * stride + i];    \
      for (size_t col = 0; col < m; col++) {                                   \
        REAL *w = W + col * stride + i;                                        \
        double sum = first ? 0 : (double)*w;                                   \
        LR_UNROLL                                                              \
        for (int j = 0; j < K; j++) sum += C[col * k + (size_t)j] * u[j];      \
        *w = (REAL)sum;                                                        \
      }                                                                        \
    }                                                                          \
  }

LR_FOR_CHUNKS(ADD_KERNEL)
LR_FOR_CHUNKS(DOT_KERNEL)
LR_FOR_CHUNKS(COMBINE_KERNEL)

LR_KERNEL NAME(scale_kernel)(size_t p, double a, REAL *y)
{
  LR_EACH(i, p) y[i] = (REAL)(a * (double)y[i]);
}

LR_KERNEL NAME(axpy_into_kernel)(size_t p, const REAL *x, const REAL *u,
                                 double t, REAL *y)
{
  LR_EACH(i, p) y[i] = (REAL)((double)x[i] + t * (double)u[i]);
}

/* The sum of squares: several loads are on their way at a time, as nothing else
 * keeps the memory busy. */
LR_KERNEL NAME(squares_kernel)(size_t p, const REAL *y, double *part)
{
  enum { WIDE = NAME(WIDE), AHEAD = 2 };
  const NAME(wide) *from = (const NAME(wide) *)y;
  size_t all = p / WIDE, step = (size_t)LR_BLOCKS * LR_THREADS;
  size_t i = (size_t)LR_BLOCK * LR_THREADS + LR_THREAD;
  double sum = 0;
  for (; i + (AHEAD - 1) * step < all; i += AHEAD * step) {
    NAME(wide) v[AHEAD];
    LR_UNROLL
    for (size_t j = 0; j < AHEAD; j++) v[j] = from[i + j * step];
    LR_UNROLL
    for (size_t j = 0; j < AHEAD; j++) LR_UNROLL
    for (size_t l = 0; l < WIDE; l++)
      sum += (double)v[j].v[l] * (double)v[j].v[l];
  }
  for (; i < all; i += step)
    for (size_t l = 0; l < WIDE; l++)
      sum += (double)from[i].v[l] * (double)from[i].v[l];
  LR_EACH(last, p % WIDE)
  {
    double t = (double)y[all * WIDE + last];
    sum += t * t;
  }
  sum = lr_block_fold(sum, false);
  if (LR_THREAD == 0) part[LR_BLOCK] = sum;
}

/* part[0 ..]: the largest |y_i|; part[blocks ..]: how many are not finite. */
LR_KERNEL NAME(largest_kernel)(size_t p, const REAL *y, double *part)
{
  double largest = 0, odd = 0;
  LR_EACH(i, p)
  {
    double size = fabs((double)y[i]);
    if (size <= DBL_MAX)
      largest = fmax(largest, size);
    else
      odd += 1;
  }
  largest = lr_block_fold(largest, true);
  odd = lr_block_fold(odd, false);
  if (LR_THREAD > 0) return;
  part[LR_BLOCK] = largest;
  part[LR_BLOCKS + LR_BLOCK] = odd;
}

/* The sum of squares of 2^-e y. */
LR_KERNEL NAME(scaled_squares_kernel)(size_t p, const REAL *y, int e,
                                      double *part)
{
  double sum = 0;
  LR_EACH(i, p)
  {
    double t = scalbn((double)y[i], -e);
    sum += t * t;
  }
  sum = lr_block_fold(sum, false);
  if (LR_THREAD == 0) part[LR_BLOCK] = sum;
}

LR_KERNEL NAME(gaussian_kernel)(size_t p, uint64_t seed, uint64_t stream,
                                REAL *y)
{
  LR_EACH(block, (p + 3) / 4)
  {
    uint32_t words[4];
    lr_philox_words(seed, stream, block, words);
    for (size_t j = 0; j < 4 && 4 * block + j < p; j++)
      y[4 * block + j] = (REAL)lr_quantile(lr_centred(words[j]));
  }
}

LR_KERNEL NAME(add_at_kernel)(REAL *y, size_t i, double h, double *change)
{
  if (LR_THREAD > 0 || LR_BLOCK > 0) return;
  REAL before = y[i];
  y[i] = (REAL)((double)before + h);
  *change = (double)y[i] - (double)before;
}

/* ---- boxes ---- */

LR_KERNEL NAME(clip_kernel)(size_t p, REAL *y, const REAL *lower,
                            const REAL *upper, double *part)
{
  double moved = 0;
  LR_EACH(i, p)
  {
    double x = (double)y[i], low = (double)lower[i], up = (double)upper[i];
    moved += x < low || x > up;
    if (x <= low + lr_rounding_at(low, EPSILON))
      y[i] = lower[i];
    else if (x >= up - lr_rounding_at(up, EPSILON))
      y[i] = upper[i];
  }
  moved = lr_block_fold(moved, false);
  if (LR_THREAD == 0) part[LR_BLOCK] = moved;
}

/* Negative, as the fold finds the largest: part[0 ..] ahead, then back. */
LR_KERNEL NAME(max_step_kernel)(size_t p, const REAL *x, const REAL *u,
                                const REAL *lower, const REAL *upper,
                                double *part)
{
  double ahead = -INFINITY, back = -INFINITY;
  LR_EACH(i, p)
  {
    if (u[i] == 0) continue;
    double size = fabs((double)u[i]);
    double down = ((double)x[i] - (double)lower[i]) / size;
    double up = ((double)upper[i] - (double)x[i]) / size;
    ahead = fmax(ahead, u[i] > 0 ? -up : -down);
    back = fmax(back, u[i] > 0 ? -down : -up);
  }
  ahead = lr_block_fold(ahead, true);
  back = lr_block_fold(back, true);
  if (LR_THREAD > 0) return;
  part[LR_BLOCK] = ahead;
  part[LR_BLOCKS + LR_BLOCK] = back;
}

LR_KERNEL NAME(zero_near_bounds_kernel)(size_t p, REAL *u, const REAL *x,
                                        const REAL *lower, const REAL *upper,
                                        double margin)
{
  LR_EACH(i, p)
  {
    double room =
        fmin((double)x[i] - (double)lower[i], (double)upper[i] - (double)x[i]);
    if (room <= margin) u[i] = 0;
  }
}

/* |g_i|, or 0 where a bound is active. */
LR_FROM_KERNEL double NAME(free_size)(const REAL *g, const REAL *x,
                                      const REAL *lower, const REAL *upper,
                                      size_t i)
{
  bool held = lr_bound_holds((double)x[i], (double)g[i], (double)lower[i],
                             (double)upper[i]);
  return held ? 0 : fabs((double)g[i]);
}

LR_KERNEL NAME(free_largest_kernel)(size_t p, const REAL *g, const REAL *x,
                                    const REAL *lower, const REAL *upper,
                                    double *part)
{
  double largest = 0;
  LR_EACH(i, p)
  largest = fmax(largest, NAME(free_size)(g, x, lower, upper, i));
  largest = lr_block_fold(largest, true);
  if (LR_THREAD == 0) part[LR_BLOCK] = largest;
}

LR_KERNEL NAME(free_squares_kernel)(size_t p, const REAL *g, const REAL *x,
                                    const REAL *lower, const REAL *upper, int e,
                                    double *part)
{
  double sum = 0;
  LR_EACH(i, p)
  {
    double t = scalbn(NAME(free_size)(g, x, lower, upper, i), -e);
    sum += t * t;
  }
  sum = lr_block_fold(sum, false);
  if (LR_THREAD == 0) part[LR_BLOCK] = sum;
}

LR_KERNEL NAME(zero_active_kernel)(size_t p, REAL *u, const REAL *x,
                                   const REAL *g, const REAL *lower,
                                   const REAL *upper, double *part)
{
  double zeroed = 0;
  LR_EACH(i, p)
  {
    if (!lr_bound_holds((double)x[i], (double)g[i], (double)lower[i],
                        (double)upper[i]))
      continue;
    zeroed += u[i] != 0;
    u[i] = 0;
  }
  zeroed = lr_block_fold(zeroed, false);
  if (LR_THREAD == 0) part[LR_BLOCK] = zeroed;
}

LR_KERNEL NAME(map_to_box_kernel)(size_t p, REAL *x, const REAL *y,
                                  const REAL *lower, const REAL *upper)
{
  LR_EACH(i, p)
  x[i] = (REAL)lr_map_to_box((double)y[i], (double)lower[i], (double)upper[i]);
}

LR_KERNEL NAME(map_from_box_kernel)(size_t p, REAL *y, const REAL *x,
                                    const REAL *lower, const REAL *upper,
                                    double margin)
{
  LR_EACH(i, p)
  y[i] = (REAL)lr_map_from_box((double)x[i], (double)lower[i], (double)upper[i],
                               margin);
}

/* From and to the doubles of a staging area on the device. */
LR_KERNEL NAME(put_kernel)(size_t n, const double *from, REAL *y)
{
  LR_EACH(i, n) y[i] = (REAL)from[i];
}

LR_KERNEL NAME(get_kernel)(size_t n, const REAL *y, double *to)
{
  LR_EACH(i, n) to[i] = (double)y[i];
}

#undef ADD_KERNEL
#undef DOT_KERNEL
#undef COMBINE_KERNEL
