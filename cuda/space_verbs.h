/* The operations of the space for one element type; included once for each by
 * space.cu, after the kernels that they launch. */

static REAL *NAME(data)(lrgd_vec y)
{
  return (REAL *)lrgd_cuda_data(y);
}

static void NAME(copy)(lrgd_space *space, lrgd_vec y, lrgd_vec x, size_t k)
{
  cuda_space *s = self(space);
  (void)well(s, cudaMemcpy(NAME(data)(y), NAME(data)(x),
                           k * s->stride * sizeof(REAL),
                           cudaMemcpyDeviceToDevice));
}

static void NAME(scale)(lrgd_space *space, lrgd_vec y, double a)
{
  size_t p = space->dimension;
  if (a == 0) /* of anything, NaN included */
    (void)well(self(space), cudaMemset(NAME(data)(y), 0, p * sizeof(REAL)));
  else
    LR_LAUNCH(NAME(scale_kernel), blocks_for(p), p, a, NAME(data)(y));
  (void)launched(self(space));
}

/* The kernel for so many columns. */
#define ADD_CASE(K)                                                            \
  case K:                                                                      \
    LR_LAUNCH(NAME(add_##K), blocks_for(p), p, U, stride, c, y);               \
    break;
#define DOT_CASE(K)                                                            \
  case K:                                                                      \
    LR_LAUNCH(NAME(dot_##K), LR_SUM_BLOCKS, p, U, stride, g, part);            \
    break;
#define COMBINE_CASE(K)                                                        \
  case K:                                                                      \
    LR_LAUNCH(NAME(combine_##K), blocks_for(p), p, U, stride, C, k, m, first,  \
              W);                                                              \
    break;

static void NAME(launch_add)(size_t p, size_t columns, const REAL *U,
                             size_t stride, lr_coefficients c, REAL *y)
{
  switch (columns) {
    LR_FOR_CHUNKS(ADD_CASE)
  }
}

static void NAME(launch_dot)(size_t p, size_t columns, const REAL *U,
                             size_t stride, const REAL *g, double *part)
{
  switch (columns) {
    LR_FOR_CHUNKS(DOT_CASE)
  }
}

static void NAME(launch_combine)(size_t p, size_t columns, const REAL *U,
                                 size_t stride, const double *C, size_t k,
                                 size_t m, bool first, REAL *W)
{
  switch (columns) {
    LR_FOR_CHUNKS(COMBINE_CASE)
  }
}

#undef ADD_CASE
#undef DOT_CASE
#undef COMBINE_CASE

static void NAME(add)(lrgd_space *space, lrgd_vec y, lrgd_vec U, size_t k,
                      const double *c)
{
  cuda_space *s = self(space);
  for (size_t j = 0, n; j < k; j += n) {
    lr_coefficients few = {{0}};
    n = next_chunk(k - j);
    memcpy(few.c, c + j, n * sizeof *c);
    NAME(launch_add)
    (space->dimension, n, NAME(data)(U) + j * s->stride, s->stride, few,
     NAME(data)(y));
  }
  (void)launched(s);
}

static void NAME(axpy_into)(lrgd_space *space, lrgd_vec y, lrgd_vec x,
                            lrgd_vec u, double t)
{
  size_t p = space->dimension;
  LR_LAUNCH(NAME(axpy_into_kernel), blocks_for(p), p, NAME(data)(x),
            NAME(data)(u), t, NAME(data)(y));
  (void)launched(self(space));
}

static void NAME(dot)(lrgd_space *space, lrgd_vec U, size_t k, lrgd_vec g,
                      double *c)
{
  cuda_space *s = self(space);
  for (size_t j = 0, n; j < k; j += n) {
    n = next_chunk(k - j);
    NAME(launch_dot)
    (space->dimension, n, NAME(data)(U) + j * s->stride, s->stride,
     NAME(data)(g), s->part);
    fold(s, n, false, c + j);
  }
}

static void NAME(gram)(lrgd_space *space, lrgd_vec U, size_t k, double *G)
{
  for (size_t j = 0; j < k; j++) {
    lrgd_vec Uj = {U.block, U.col + j};
    NAME(dot)(space, U, j + 1, Uj, G + j * k);
    for (size_t i = 0; i < j; i++) G[i * k + j] = G[j * k + i];
  }
}

static void NAME(combine)(lrgd_space *space, lrgd_vec W, size_t m, lrgd_vec U,
                          size_t k, const double *C)
{
  cuda_space *s = self(space);
  for (size_t j = 0; k == 0 && j < m; j++)
    NAME(scale)(space, (lrgd_vec){W.block, W.col + j}, 0);
  const double *table = m > 0 && k > 0 ? table_of(s, C, k * m) : NULL;
  for (size_t j = 0, n; table && j < k; j += n) {
    n = next_chunk(k - j);
    NAME(launch_combine)
    (space->dimension, n, NAME(data)(U) + j * s->stride, s->stride, table + j,
     k, m, j == 0, NAME(data)(W));
  }
  (void)launched(s);
}

static int NAME(measure)(lrgd_space *space, lrgd_vec y, double *norm)
{
  cuda_space *s = self(space);
  size_t p = space->dimension;
  double squares, found[2];
  LR_LAUNCH(NAME(squares_kernel), LR_SUM_BLOCKS, p, NAME(data)(y), s->part);
  squares = fold_one(s, false);
  if (squares <= DBL_MAX && squares > 1e-280) { /* no digits underflowed */
    *norm = sqrt(squares);
    return 1;
  }
  LR_LAUNCH(NAME(largest_kernel), LR_SUM_BLOCKS, p, NAME(data)(y), s->part);
  fold(s, 2, true, found); /* the second: the most in a block that are not */
  if (!(found[1] <= 0)) return 0;
  int e = exponent_of(found[0]);
  LR_LAUNCH(NAME(scaled_squares_kernel), LR_SUM_BLOCKS, p, NAME(data)(y), e,
            s->part);
  *norm = unscaled_norm(fold_one(s, false), e);
  return 1;
}

static void NAME(gaussian)(lrgd_space *space, lrgd_vec y, uint64_t seed,
                           uint64_t stream)
{
  size_t p = space->dimension;
  LR_LAUNCH(NAME(gaussian_kernel), blocks_for((p + 3) / 4), p, seed, stream,
            NAME(data)(y));
  (void)launched(self(space));
}

static void NAME(put)(lrgd_space *space, lrgd_vec y, size_t first, size_t n,
                      const double *from)
{
  cuda_space *s = self(space);
  double *room = staging(s);
  for (size_t done = 0, some; room && done < n; done += some) {
    some = n - done < LR_STAGED ? n - done : LR_STAGED;
    (void)well(s, cudaMemcpy(room, from + done, some * sizeof *from,
                             cudaMemcpyHostToDevice));
    LR_LAUNCH(NAME(put_kernel), blocks_for(some), some, room,
              NAME(data)(y) + first + done);
  }
  (void)launched(s);
}

static void NAME(get)(lrgd_space *space, lrgd_vec y, size_t first, size_t n,
                      double *to)
{
  cuda_space *s = self(space);
  double *room = staging(s);
  for (size_t done = 0, some; done < n; done += some) {
    some = n - done < LR_STAGED ? n - done : LR_STAGED;
    if (room)
      LR_LAUNCH(NAME(get_kernel), blocks_for(some), some,
                NAME(data)(y) + first + done, room);
    if (!room || !launched(s) ||
        !well(s, cudaMemcpy(to + done, room, some * sizeof *to,
                            cudaMemcpyDeviceToHost)))
      for (size_t i = 0; i < some; i++) to[done + i] = NAN;
  }
}

static double NAME(add_at)(lrgd_space *space, lrgd_vec y, size_t i, double h)
{
  cuda_space *s = self(space);
  LR_LAUNCH(NAME(add_at_kernel), 1, NAME(data)(y), i, h, s->folded);
  bool good = launched(s) && well(s, cudaStreamSynchronize(NULL));
  return good ? s->folded[0] : NAN;
}

static size_t NAME(clip)(lrgd_space *space, lrgd_vec y, lrgd_box box)
{
  cuda_space *s = self(space);
  LR_LAUNCH(NAME(clip_kernel), LR_SUM_BLOCKS, space->dimension, NAME(data)(y),
            NAME(data)(box.lower), NAME(data)(box.upper), s->part);
  return count_of(fold_one(s, false));
}

static void NAME(max_step)(lrgd_space *space, lrgd_vec x, lrgd_vec u,
                           lrgd_box box, double *back, double *ahead)
{
  cuda_space *s = self(space);
  double found[2];
  LR_LAUNCH(NAME(max_step_kernel), LR_SUM_BLOCKS, space->dimension,
            NAME(data)(x), NAME(data)(u), NAME(data)(box.lower),
            NAME(data)(box.upper), s->part);
  fold(s, 2, true, found);
  *ahead = -found[0];
  *back = -found[1];
}

static void NAME(zero_near_bounds)(lrgd_space *space, lrgd_vec u, lrgd_vec x,
                                   lrgd_box box, double margin)
{
  size_t p = space->dimension;
  LR_LAUNCH(NAME(zero_near_bounds_kernel), blocks_for(p), p, NAME(data)(u),
            NAME(data)(x), NAME(data)(box.lower), NAME(data)(box.upper),
            margin);
  (void)launched(self(space));
}

static double NAME(free_norm)(lrgd_space *space, lrgd_vec g, lrgd_vec x,
                              lrgd_box box)
{
  cuda_space *s = self(space);
  size_t p = space->dimension;
  const REAL *lower = NAME(data)(box.lower), *upper = NAME(data)(box.upper);
  LR_LAUNCH(NAME(free_largest_kernel), LR_SUM_BLOCKS, p, NAME(data)(g),
            NAME(data)(x), lower, upper, s->part);
  int e = exponent_of(fold_one(s, true));
  LR_LAUNCH(NAME(free_squares_kernel), LR_SUM_BLOCKS, p, NAME(data)(g),
            NAME(data)(x), lower, upper, e, s->part);
  return unscaled_norm(fold_one(s, false), e);
}

static size_t NAME(zero_active)(lrgd_space *space, lrgd_vec u, lrgd_vec x,
                                lrgd_vec g, lrgd_box box)
{
  cuda_space *s = self(space);
  LR_LAUNCH(NAME(zero_active_kernel), LR_SUM_BLOCKS, space->dimension,
            NAME(data)(u), NAME(data)(x), NAME(data)(g), NAME(data)(box.lower),
            NAME(data)(box.upper), s->part);
  return count_of(fold_one(s, false));
}

static void NAME(map_to_box)(lrgd_space *space, lrgd_vec x, lrgd_vec y,
                             lrgd_box box)
{
  size_t p = space->dimension;
  LR_LAUNCH(NAME(map_to_box_kernel), blocks_for(p), p, NAME(data)(x),
            NAME(data)(y), NAME(data)(box.lower), NAME(data)(box.upper));
  (void)launched(self(space));
}

static void NAME(map_from_box)(lrgd_space *space, lrgd_vec y, lrgd_vec x,
                               lrgd_box box)
{
  size_t p = space->dimension;
  LR_LAUNCH(NAME(map_from_box_kernel), blocks_for(p), p, NAME(data)(y),
            NAME(data)(x), NAME(data)(box.lower), NAME(data)(box.upper),
            map_margin());
  (void)launched(self(space));
}

/* in the order of the struct's members, as C++ wants it */
static const lrgd_space_ops NAME(ops) = {
    .struct_size = sizeof(lrgd_space_ops),
    .name = "cuda",
    .make = cuda_make,
    .free = cuda_free,
    .destroy = cuda_destroy,
    .copy = NAME(copy),
    .scale = NAME(scale),
    .add = NAME(add),
    .axpy_into = NAME(axpy_into),
    .dot = NAME(dot),
    .gram = NAME(gram),
    .combine = NAME(combine),
    .measure = NAME(measure),
    .gaussian = NAME(gaussian),
    .put = NAME(put),
    .get = NAME(get),
    .add_at = NAME(add_at),
    .clip = NAME(clip),
    .max_step = NAME(max_step),
    .zero_near_bounds = NAME(zero_near_bounds),
    .free_norm = NAME(free_norm),
    .zero_active = NAME(zero_active),
    .map_to_box = NAME(map_to_box),
    .map_from_box = NAME(map_from_box),
    .agree = NULL,
};
