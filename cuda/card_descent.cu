/* Descent by slopes on the card: batches, and directions in the span of the
 * layers' inputs (network/network_directions.h has the idea); card_step.cu has
 * the step.  All is queued on the default stream. */
#include "card_mlp.h"

#include <math.h>
#include <string.h>

using namespace lr_card;

namespace
{

enum { FIRST_SWEEPS = 8, SWEEPS = 2 };

/* Numbers of images that go down with a launch: what its 4,096 bytes of
 * parameters have room for.  A copy would wait for all that was queued. */
enum { PICKED = 960 };
struct picked {
  uint32_t which[PICKED];
};

/* ---- kernels ---- */

/* Number i of n images, the one of these in the place i / width. */
__device__ void unpack_one(size_t i, size_t from, size_t width,
                           const uint8_t *pixels, const uint8_t *from_labels,
                           float *images, uint8_t *labels)
{
  images[i] = (float)pixels[from * width + i % width] * (1.0F / 255);
  if (i % width == 0) labels[i / width] = from_labels[from];
}

__global__ void pick_kernel(size_t n, size_t width, const uint8_t *pixels,
                            const uint8_t *from_labels,
                            const __grid_constant__ picked p, float *images,
                            uint8_t *labels)
{
  LR_OVER(i, n * width)
  {
    unpack_one(i, p.which[i / width], width, pixels, from_labels, images,
               labels);
  }
}

/* Images first, first + 1, .. */
__global__ void unpack_kernel(size_t n, size_t width, const uint8_t *pixels,
                              const uint8_t *from_labels, size_t first,
                              float *images, uint8_t *labels)
{
  LR_OVER(i, n * width)
  {
    unpack_one(i, first + i / width, width, pixels, from_labels, images,
               labels);
  }
}

/* ---- memory ---- */

lrgd_status no_memory(lrgd_error *error, const char *what)
{
  (void)cudaGetLastError();
  char text[200];
  snprintf(text, sizeof text, "out of memory on the card for %s", what);
  return lr_cuda_fail(error, LRGD_ERR_NOMEM, text);
}

template <class T> bool own(lrgd_cuda_mlp *mlp, T **to, size_t count)
{
  return lr_mlp_own(mlp, (void **)to, count * sizeof **to);
}

/* Allocates the memory of a descent when it is first needed. */
bool make_room(lrgd_cuda_mlp *mlp)
{
  lr_descent_room *d = &mlp->descent;
  size_t n = mlp->images, k = mlp->slopes > 0 ? mlp->slopes : 1;
  size_t outputs = k * n * mlp->widths[mlp->layers];
  return d->images ||
         (lr_card_begin_losses(d) && own(mlp, &d->labels, n) &&
          own(mlp, &d->answers, k + 1) && own(mlp, &d->tangents, outputs) &&
          own(mlp, &d->C, outputs) && own(mlp, &d->B, k * k) &&
          own(mlp, &d->system, lr_card_system(k)) && own(mlp, &d->z, k) &&
          own(mlp, &d->images, n * mlp->widths[0]));
}

lrgd_status queued(lrgd_error *error)
{
  return lr_cuda_checked(cudaGetLastError(), error);
}

} // namespace

extern "C" lrgd_status lrgd_cuda_mlp_keep(lrgd_cuda_mlp *mlp, size_t count,
                                          const uint8_t *images,
                                          const uint8_t *labels,
                                          lrgd_error *error)
{
  lr_descent_room *d = &mlp->descent;
  size_t bytes = count * mlp->widths[0];
  if (d->known > 0)
    return lr_cuda_fail(error, LRGD_ERR_INVALID, "images are kept once");
  if (!make_room(mlp) || !own(mlp, &d->pixels, bytes) ||
      !own(mlp, &d->known_labels, count))
    return no_memory(error, "the images");
  d->known = count;
  cudaError_t code =
      cudaMemcpy(d->pixels, images, bytes, cudaMemcpyHostToDevice);
  if (code == cudaSuccess)
    code = cudaMemcpy(d->known_labels, labels, count, cudaMemcpyHostToDevice);
  return lr_cuda_checked(code, error);
}

extern "C" lrgd_status lrgd_cuda_mlp_pick(lrgd_cuda_mlp *mlp, size_t n,
                                          const uint32_t *which,
                                          lrgd_error *error)
{
  lr_descent_room *d = &mlp->descent;
  bool known = n >= 1 && n <= mlp->images;
  for (size_t i = 0; known && i < n; i++) known = which[i] < d->known;
  if (!known)
    return lr_cuda_fail(error, LRGD_ERR_INVALID,
                        "a batch of images that are not kept");
  size_t width = mlp->widths[0];
  d->n = n;
  for (size_t first = 0; first < n; first += PICKED) {
    size_t some = n - first < PICKED ? n - first : PICKED;
    picked p;
    memcpy(p.which, which + first, some * sizeof *which);
    pick_kernel<<<blocks_of(some * width), THREADS>>>(
        some, width, d->pixels, d->known_labels, p, d->images + first * width,
        d->labels + first);
  }
  return queued(error);
}

extern "C" lrgd_status lrgd_cuda_mlp_ask(lrgd_cuda_mlp *mlp, const float *x,
                                         size_t k, const float *U,
                                         size_t stride, double *answers,
                                         lrgd_error *error)
{
  lr_descent_room *d = &mlp->descent;
  lrgd_cuda_batch batch = {d->n, d->images, d->labels};
  lrgd_status status = lrgd_cuda_mlp_slopes(
      mlp, x, &batch, k, U, stride, d->answers, d->tangents, NULL, error);
  if (status != LRGD_OK) return status;
  d->asked = k;
  cudaError_t code = lr_card_send_loss(d);
  if (code != cudaSuccess || !answers) return lr_cuda_checked(code, error);
  return lr_cuda_checked(cudaMemcpy(answers, d->answers,
                                    (k + 1) * sizeof *answers,
                                    cudaMemcpyDeviceToHost),
                         error);
}

/* ---- directions ---- */

extern "C" lrgd_status lrgd_cuda_mlp_span(lrgd_cuda_mlp *mlp, size_t layer,
                                          size_t count, const float *V,
                                          const float *v, lrgd_error *error)
{
  if (layer >= mlp->layers)
    return lr_cuda_fail(error, LRGD_ERR_INVALID, "a span of no layer");
  lr_span *span = &mlp->descent.spans[layer];
  size_t in = mlp->widths[layer];
  *span = {};
  if (count == 0) return LRGD_OK;
  if (!own(mlp, &span->V, in * count) || !own(mlp, &span->v, count))
    return no_memory(error, "directions");
  span->count = count;
  if (!V) {
    lr_card_normals(1, layer, 0, in * count, 1, 1, span->V, 0);
    return queued(error);
  }
  cudaError_t code =
      cudaMemcpy(span->V, V, in * count * sizeof *V, cudaMemcpyHostToDevice);
  if (code == cudaSuccess)
    code = cudaMemcpy(span->v, v, count * sizeof *v, cudaMemcpyHostToDevice);
  return lr_cuda_checked(code, error);
}

namespace
{

/* C = A B, A m x depth, B depth x n, by rows without gaps. */
product plain(size_t m, size_t n, size_t depth, const float *A, const float *B,
              float *C)
{
  product q = {.m = m, .n = n, .depth = depth, .A = A, .B = B, .C = C};
  q.a_row = depth;
  q.b_row = q.c_row = n;
  return q;
}

/* dW = Z V' and db = Z v, Z Gaussian, out x count. */
void draw_layer(lrgd_cuda_mlp *mlp, size_t l, size_t k, const float *Z,
                size_t z, float *U, size_t stride)
{
  const lr_span *span = &mlp->descent.spans[l];
  size_t in = mlp->widths[l], out = mlp->widths[l + 1];
  product q = plain(out, in, span->count, Z, span->V, U);
  q.b_row = span->count;
  q.a_next = z;
  q.c_next = stride;
  multiply<false, true>(q, k, NULL);
  product bias = plain(out, 1, span->count, Z, span->v, U + in * out);
  bias.a_next = z;
  bias.c_next = stride;
  multiply<false, false>(bias, k, NULL);
}

bool room_for_numbers(lrgd_cuda_mlp *mlp, size_t count)
{
  lr_descent_room *d = &mlp->descent;
  if (count <= d->z_size) return true;
  d->z_size = own(mlp, &d->Z, count) ? count : 0;
  return d->z_size > 0;
}

} // namespace

extern "C" lrgd_status lrgd_cuda_mlp_draw(lrgd_cuda_mlp *mlp, uint64_t seed,
                                          uint64_t stream, size_t k,
                                          double scale, float *U, size_t stride,
                                          lrgd_error *error)
{
  lr_descent_room *d = &mlp->descent;
  uint64_t first = 0; /* of the numbers of a stream */
  size_t most = 0;
  for (size_t l = 0; l < mlp->layers; l++) {
    size_t z = mlp->widths[l + 1] * d->spans[l].count;
    if (z > most) most = z;
  }
  if (!room_for_numbers(mlp, most * k)) return no_memory(error, "directions");
  for (size_t l = 0; l < mlp->layers; l++) {
    size_t in = mlp->widths[l], out = mlp->widths[l + 1];
    size_t count = d->spans[l].count;
    float *to = U + mlp->at[l];
    size_t numbers = out * (count > 0 ? count : in + 1);
    lr_card_normals(seed, stream, first, numbers, k, scale,
                    count > 0 ? d->Z : to, count > 0 ? numbers : stride);
    first += numbers;
    if (count > 0) draw_layer(mlp, l, k, d->Z, numbers, to, stride);
  }
  return queued(error);
}

/* ---- principal directions of hidden inputs ---- */

namespace
{

/* Memory that a refresh from n images needs, freed at its end. */
struct refresher {
  lrgd_cuda_mlp *mlp;
  size_t n;
  float *A[LR_CUDA_LAYERS]; /* inputs of hidden layers */
  float *Y, *V, *v, *R;
  double *G;
  std::vector<void *> owned;
};

template <class T> bool take(refresher *r, T **to, size_t count)
{
  if (cudaMalloc((void **)to, count * sizeof **to) != cudaSuccess) return false;
  r->owned.push_back(*to);
  return true;
}

/* R = L^-T with G = L L', k x k, row after row.  G is singular where a unit
 * never fires: a small multiple of the identity makes it positive definite. */
void invert_root(size_t k, std::vector<double> &G, std::vector<float> &R)
{
  double trace = 0;
  for (size_t j = 0; j < k; j++) trace += G[j * k + j];
  for (size_t j = 0; j < k; j++) G[j * k + j] += 1e-10 * trace + 1e-300;
  for (size_t j = 0; j < k; j++)
    for (size_t i = j; i < k; i++) {
      double sum = G[i * k + j];
      for (size_t q = 0; q < j; q++) sum -= G[i * k + q] * G[j * k + q];
      G[i * k + j] =
          i == j ? sqrt(fmax(sum, 1e-14 * trace + 1e-300)) : sum / G[j * k + j];
    }
  for (size_t c = 0; c < k; c++) { /* column c of L^-1 is row c of R */
    std::vector<double> y(k, 0.0);
    for (size_t i = c; i < k; i++) {
      double sum = i == c ? 1 : 0;
      for (size_t q = c; q < i; q++) sum -= G[i * k + q] * y[q];
      y[i] = sum / G[i * k + i];
    }
    for (size_t i = 0; i < k; i++) R[c * k + i] = (float)y[i];
  }
}

/* The span becomes an orthonormal basis of its image under A'A, the constant
 * input 1 of the bias among A's columns. */
cudaError_t sweep(refresher *r, size_t l)
{
  lr_span *span = &r->mlp->descent.spans[l];
  size_t in = r->mlp->widths[l], k = span->count;
  multiply<false, false>(plain(r->n, k, in, r->A[l], span->V, r->Y), 1, NULL);
  activate_kernel<<<blocks_of(r->n * k), THREADS>>>(r->n * k, k, span->v, false,
                                                    true, r->Y);
  product back = plain(in, k, r->n, r->A[l], r->Y, r->V);
  back.a_row = in;
  multiply<true, false>(back, 1, NULL);
  column_kernel<<<(unsigned)((k + THREADS - 1) / THREADS), THREADS>>>(
      r->n, k, r->Y, r->v);
  lr_card_gram(k, in, r->V, 1, k, r->v, r->G);
  std::vector<double> G(k * k);
  std::vector<float> R(k * k);
  cudaError_t code = cudaMemcpy(G.data(), r->G, k * k * sizeof(double),
                                cudaMemcpyDeviceToHost);
  if (code != cudaSuccess) return code;
  invert_root(k, G, R);
  code =
      cudaMemcpy(r->R, R.data(), k * k * sizeof(float), cudaMemcpyHostToDevice);
  if (code != cudaSuccess) return code;
  multiply<false, false>(plain(in, k, k, r->V, r->R, span->V), 1, NULL);
  multiply<false, false>(plain(1, k, k, r->v, r->R, span->v), 1, NULL);
  return cudaGetLastError();
}

bool is_refreshed(const lrgd_cuda_mlp *mlp, size_t l)
{
  return mlp->descent.spans[l].count > 0;
}

bool prepare(refresher *r)
{
  size_t width = 0, k = 0;
  bool whole = true;
  for (size_t l = 1; l < r->mlp->layers; l++) {
    if (!is_refreshed(r->mlp, l)) continue;
    size_t in = r->mlp->widths[l], count = r->mlp->descent.spans[l].count;
    whole = whole && take(r, &r->A[l], r->n * in);
    width = in > width ? in : width;
    k = count > k ? count : k;
  }
  return whole && (k == 0 || (take(r, &r->Y, r->n * k) &&
                              take(r, &r->V, width * k) && take(r, &r->v, k) &&
                              take(r, &r->R, k * k) && take(r, &r->G, k * k)));
}

/* Inputs of hidden layers at x, as many images at a time as there is room for.
 */
cudaError_t look(refresher *r, const float *x)
{
  lrgd_cuda_mlp *mlp = r->mlp;
  for (size_t first = 0; first < r->n; first += mlp->images) {
    size_t left = r->n - first, n = left < mlp->images ? left : mlp->images;
    unpack_kernel<<<blocks_of(n * mlp->widths[0]), THREADS>>>(
        n, mlp->widths[0], mlp->descent.pixels, mlp->descent.known_labels,
        first, mlp->descent.images, mlp->descent.labels);
    lr_mlp_forward(mlp, x, mlp->descent.images, n, NULL);
    for (size_t l = 1; l < mlp->layers; l++) {
      if (!is_refreshed(mlp, l)) continue;
      size_t width = mlp->widths[l];
      cudaError_t code = cudaMemcpyAsync(r->A[l] + first * width, mlp->A[l],
                                         n * width * sizeof(float),
                                         cudaMemcpyDeviceToDevice, NULL);
      if (code != cudaSuccess) return code;
    }
  }
  return cudaGetLastError();
}

} // namespace

extern "C" lrgd_status lrgd_cuda_mlp_refresh(lrgd_cuda_mlp *mlp, const float *x,
                                             size_t n, lrgd_error *error)
{
  if (n == 0 || n > mlp->descent.known)
    return lr_cuda_fail(error, LRGD_ERR_INVALID,
                        "more images to look at than are kept");
  refresher r = {.mlp = mlp, .n = n};
  cudaError_t code = prepare(&r) ? look(&r, x) : cudaErrorMemoryAllocation;
  for (size_t l = 1; l < mlp->layers; l++) {
    lr_span *span = &mlp->descent.spans[l];
    unsigned sweeps = span->sweeps == 0 ? FIRST_SWEEPS : SWEEPS;
    if (!is_refreshed(mlp, l)) continue;
    for (unsigned i = 0; code == cudaSuccess && i < sweeps; i++)
      code = sweep(&r, l);
    span->sweeps += sweeps;
  }
  if (code == cudaErrorMemoryAllocation) (void)cudaGetLastError();
  for (void *block : r.owned) (void)cudaFree(block);
  return lr_cuda_checked(code, error);
}
