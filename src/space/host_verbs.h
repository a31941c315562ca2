/* The operations of the host space for one element type; included once for each
 * by host.c, which sets REAL, NAME, EPSILON, FINITE, and VERB for those of
 * base/vector.h.  Coefficients and sums are doubles. */

static REAL *NAME(data)(lrgd_vec y)
{
  return lrgd_host_data(y);
}

static void NAME(copy)(lrgd_space *space, lrgd_vec y, lrgd_vec x, size_t k)
{
  size_t n = k * space->dimension;
  memcpy(NAME(data)(y), NAME(data)(x), n * sizeof(REAL));
}

static void NAME(scale)(lrgd_space *space, lrgd_vec y, double a)
{
  if (a == 0)
    memset(NAME(data)(y), 0, space->dimension * sizeof(REAL));
  else
    VERB(lr_scale)(space->dimension, a, NAME(data)(y));
}

static void NAME(add)(lrgd_space *space, lrgd_vec y, lrgd_vec U, size_t k,
                      const double *c)
{
  size_t p = space->dimension;
  VERB(lr_gemv)(p, k, NAME(data)(U), p, c, NAME(data)(y));
}

/* Gives the same bits as a copy and add(). */
static void NAME(axpy_into)(lrgd_space *space, lrgd_vec y, lrgd_vec x,
                            lrgd_vec u, double t)
{
  REAL *restrict to = NAME(data)(y);
  const REAL *restrict at = NAME(data)(x), *restrict dir = NAME(data)(u);
  for (size_t i = 0; i < space->dimension; i++)
    to[i] = (REAL)((double)at[i] + t * (double)dir[i]);
}

static void NAME(dot)(lrgd_space *space, lrgd_vec U, size_t k, lrgd_vec g,
                      double *c)
{
  size_t p = space->dimension;
  VERB(lr_gemv_t)(p, k, NAME(data)(U), p, NAME(data)(g), c);
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
  size_t p = space->dimension;
  VERB(lr_gemm)(p, m, k, NAME(data)(U), p, C, NAME(data)(W), p);
}

/* Norm of a finite vector whose sum of squares over- or underflows. */
static double NAME(scaled_norm)(const REAL *y, size_t n)
{
  double largest = 0, sum = 0;
  for (size_t i = 0; i < n; i++)
    if (fabs((double)y[i]) > largest) largest = fabs((double)y[i]);
  if (!(largest > 0)) return 0;
  int e = ilogb(largest);
  for (size_t i = 0; i < n; i++) {
    double t = scalbn((double)y[i], -e);
    sum += t * t;
  }
  double norm = scalbn(sqrt(sum), e);
  return lr_finite(norm) ? norm : DBL_MAX;
}

static int NAME(measure)(lrgd_space *space, lrgd_vec y, double *norm)
{
  const REAL *data = NAME(data)(y);
  size_t n = space->dimension;
  double squares = VERB(lr_dot)(n, data, data);
  if (lr_finite(squares) &&
      squares >
          1e-280) { /* the sum of squares has not lost digits by underflow */
    *norm = sqrt(squares);
    return 1;
  }
  for (size_t i = 0; i < n; i++)
    if (!FINITE(data[i])) return 0;
  *norm = NAME(scaled_norm)(data, n);
  return 1;
}

static void NAME(gaussian)(lrgd_space *space, lrgd_vec y, uint64_t seed,
                           uint64_t stream)
{
  REAL *data = NAME(data)(y);
  double part[256];
  for (size_t i = 0; i < space->dimension; i += 256) {
    size_t left = space->dimension - i, n = left < 256 ? left : 256;
    lr_gaussian(seed, stream, i, n, part);
    for (size_t j = 0; j < n; j++) data[i + j] = (REAL)part[j];
  }
}

static void NAME(put)(lrgd_space *space, lrgd_vec y, size_t first, size_t n,
                      const double *from)
{
  (void)space;
  REAL *data = NAME(data)(y) + first;
  for (size_t i = 0; i < n; i++) data[i] = (REAL)from[i];
}

static void NAME(get)(lrgd_space *space, lrgd_vec y, size_t first, size_t n,
                      double *to)
{
  (void)space;
  const REAL *data = NAME(data)(y) + first;
  for (size_t i = 0; i < n; i++) to[i] = (double)data[i];
}

static double NAME(add_at)(lrgd_space *space, lrgd_vec y, size_t i, double h)
{
  (void)space;
  REAL *data = NAME(data)(y);
  REAL before = data[i];
  data[i] = (REAL)((double)before + h);
  return (double)data[i] - (double)before;
}

static size_t NAME(clip)(lrgd_space *space, lrgd_vec y, lrgd_box box)
{
  REAL *data = NAME(data)(y);
  const REAL *lower = NAME(data)(box.lower), *upper = NAME(data)(box.upper);
  size_t moved = 0;
  for (size_t i = 0; i < space->dimension; i++) {
    double x = (double)data[i], low = (double)lower[i], up = (double)upper[i];
    moved += x < low || x > up;
    if (x <= low + lr_rounding_at(low, EPSILON))
      data[i] = lower[i];
    else if (x >= up - lr_rounding_at(up, EPSILON))
      data[i] = upper[i];
  }
  return moved;
}

static void NAME(max_step)(lrgd_space *space, lrgd_vec x, lrgd_vec u,
                           lrgd_box box, double *back, double *ahead)
{
  const REAL *at = NAME(data)(x), *dir = NAME(data)(u);
  const REAL *lower = NAME(data)(box.lower), *upper = NAME(data)(box.upper);
  *back = *ahead = INFINITY;
  for (size_t i = 0; i < space->dimension; i++) {
    if (dir[i] == 0) continue;
    double down = ((double)at[i] - (double)lower[i]) / fabs((double)dir[i]);
    double up = ((double)upper[i] - (double)at[i]) / fabs((double)dir[i]);
    *ahead = fmin(*ahead, dir[i] > 0 ? up : down);
    *back = fmin(*back, dir[i] > 0 ? down : up);
  }
}

static void NAME(zero_near_bounds)(lrgd_space *space, lrgd_vec u, lrgd_vec x,
                                   lrgd_box box, double margin)
{
  const REAL *at = NAME(data)(x);
  REAL *dir = NAME(data)(u);
  const REAL *lower = NAME(data)(box.lower), *upper = NAME(data)(box.upper);
  for (size_t i = 0; i < space->dimension; i++) {
    double room = fmin((double)at[i] - (double)lower[i],
                       (double)upper[i] - (double)at[i]);
    if (room <= margin) dir[i] = 0;
  }
}

static size_t NAME(zero_active)(lrgd_space *space, lrgd_vec u, lrgd_vec x,
                                lrgd_vec g, lrgd_box box)
{
  const REAL *at = NAME(data)(x), *slope = NAME(data)(g);
  const REAL *lower = NAME(data)(box.lower), *upper = NAME(data)(box.upper);
  REAL *dir = NAME(data)(u);
  size_t struck = 0;
  for (size_t i = 0; i < space->dimension; i++) {
    if (!lr_bound_holds(at[i], slope[i], lower[i], upper[i])) continue;
    struck += dir[i] != 0;
    dir[i] = 0;
  }
  return struck;
}

static void NAME(map_to_box)(lrgd_space *space, lrgd_vec x, lrgd_vec y,
                             lrgd_box box)
{
  const REAL *from = NAME(data)(y);
  const REAL *lower = NAME(data)(box.lower), *upper = NAME(data)(box.upper);
  REAL *to = NAME(data)(x);
  for (size_t i = 0; i < space->dimension; i++)
    to[i] = (REAL)lr_map_to_box((double)from[i], (double)lower[i],
                                (double)upper[i]);
}

static void NAME(map_from_box)(lrgd_space *space, lrgd_vec y, lrgd_vec x,
                               lrgd_box box)
{
  const REAL *from = NAME(data)(x);
  const REAL *lower = NAME(data)(box.lower), *upper = NAME(data)(box.upper);
  REAL *to = NAME(data)(y);
  double margin = lr_policy_current()->map_margin;
  for (size_t i = 0; i < space->dimension; i++)
    to[i] = (REAL)lr_map_from_box((double)from[i], (double)lower[i],
                                  (double)upper[i], margin);
}

static double NAME(free_norm)(lrgd_space *space, lrgd_vec g, lrgd_vec x,
                              lrgd_box box)
{
  const REAL *at = NAME(data)(x), *slope = NAME(data)(g);
  const REAL *lower = NAME(data)(box.lower), *upper = NAME(data)(box.upper);
  double largest = 0, sum = 0;
  for (size_t i = 0; i < space->dimension; i++) {
    bool held = lr_bound_holds(at[i], slope[i], lower[i], upper[i]);
    double t = held ? 0 : fabs((double)slope[i]);
    if (t > largest) { /* running scale, as in dnrm2 */
      sum = 1 + sum * (largest / t) * (largest / t);
      largest = t;
    } else if (t > 0) {
      sum += (t / largest) * (t / largest);
    }
  }
  return fmin(largest * sqrt(sum), DBL_MAX);
}

static const lrgd_space_ops NAME(ops) = {
    .struct_size = sizeof(lrgd_space_ops),
    .name = "host",
    .make = host_make,
    .free = host_free,
    .destroy = host_destroy,
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
};

#undef REAL
#undef NAME
#undef EPSILON
#undef VERB
#undef FINITE
