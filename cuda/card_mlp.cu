/* Perceptrons on the card: value and slopes in one pass, training.
 *
 * A network of one hidden layer goes through the fused kernel where TF32 is
 * good enough (fused_slopes.cu); any other, and FP32, layer by layer. */
#include "card_mlp.h"
#include "fused_slopes.h"

#include <new>
#include <stdlib.h>
#include <string.h>

using namespace lr_card;

lrgd_status lr_cuda_fail(lrgd_error *error, lrgd_status status,
                         const char *text)
{
  if (error) {
    error->status = status;
    snprintf(error->text, sizeof error->text, "%s", text);
  }
  return status;
}

lrgd_status lr_cuda_checked(cudaError_t code, lrgd_error *error)
{
  if (code == cudaSuccess) return LRGD_OK;
  char text[300];
  snprintf(text, sizeof text, "CUDA: %s", cudaGetErrorString(code));
  bool memory = code == cudaErrorMemoryAllocation;
  return lr_cuda_fail(error, memory ? LRGD_ERR_NOMEM : LRGD_ERR_NUMERIC, text);
}

bool lr_mlp_own(lrgd_cuda_mlp *mlp, void **to, size_t bytes)
{
  if (cudaMalloc(to, bytes > 0 ? bytes : 1) != cudaSuccess) return false;
  mlp->owned.push_back(*to);
  return cudaMemset(*to, 0, bytes) == cudaSuccess;
}

namespace
{

enum { LAYERS = LR_CUDA_LAYERS, PIXELS_MOST = 100000, CLASSES_MOST = 256 };

bool own_floats(lrgd_cuda_mlp *mlp, float **to, size_t count)
{
  return lr_mlp_own(mlp, (void **)to, count * sizeof(float));
}

bool has_one_hidden_layer(const lrgd_cuda_mlp *mlp)
{
  return mlp->layers == 2;
}

lrgd_status check_widths(size_t count, const size_t *widths, lrgd_error *error)
{
  char text[200];
  if (count < 2 || count > LAYERS + 1) {
    snprintf(text, sizeof text, "a network has 2 to %d widths, not %zu",
             LAYERS + 1, count);
    return lr_cuda_fail(error, LRGD_ERR_INVALID, text);
  }
  for (size_t l = 0; l < count; l++) {
    size_t most = l + 1 == count ? CLASSES_MOST : PIXELS_MOST;
    if (widths[l] >= 1 && widths[l] <= most) continue;
    snprintf(text, sizeof text, "width %zu is %zu; it must be from 1 to %zu", l,
             widths[l], most);
    return lr_cuda_fail(error, LRGD_ERR_INVALID, text);
  }
  return LRGD_OK;
}

bool make_room(lrgd_cuda_mlp *mlp)
{
  size_t n = mlp->images, k = mlp->slopes, widest = 0;
  bool whole = true;
  for (size_t l = 1; l <= mlp->layers; l++) {
    whole = whole && own_floats(mlp, &mlp->A[l], n * mlp->widths[l]);
    if (mlp->widths[l] > widest) widest = mlp->widths[l];
  }
  for (int i = 0; i < 2; i++) {
    whole = whole && own_floats(mlp, &mlp->E[i], n * widest);
    if (!(mlp->tf32 && has_one_hidden_layer(mlp)))
      whole = whole && own_floats(mlp, &mlp->D[i], k * n * widest);
  }
  if (mlp->tf32 && has_one_hidden_layer(mlp)) {
    size_t room = lr_fused_room(n, mlp->widths[1], k);
    whole = whole && own_floats(mlp, &mlp->fused_room, room) &&
            lr_mlp_own(mlp, (void **)&mlp->counters,
                       lr_fused_counters(n) * sizeof *mlp->counters);
  }
  return whole;
}

} // namespace

extern "C" lrgd_status lrgd_cuda_mlp_create(lrgd_cuda_mlp **mlp, size_t count,
                                            const size_t *widths,
                                            lrgd_cuda_activation activation,
                                            lrgd_cuda_precision precision,
                                            size_t images, size_t slopes,
                                            lrgd_error *error)
{
  char name[256];
  *mlp = NULL;
  lrgd_status status = lrgd_cuda_device(name, sizeof name, error);
  if (status == LRGD_OK) status = check_widths(count, widths, error);
  if (status == LRGD_OK && images == 0)
    status =
        lr_cuda_fail(error, LRGD_ERR_INVALID, "room for batches of 0 images");
  if (status != LRGD_OK) return status;
  lrgd_cuda_mlp *made = new (std::nothrow) lrgd_cuda_mlp();
  if (!made) return lr_cuda_fail(error, LRGD_ERR_NOMEM, "out of memory");
  made->layers = count - 1;
  made->relu = activation == LRGD_CUDA_ACTIVATION_RELU;
  made->tf32 = precision == LRGD_CUDA_PRECISION_TF32;
  made->images = images;
  made->slopes = slopes;
  memcpy(made->widths, widths, count * sizeof *widths);
  for (size_t l = 0; l < made->layers; l++) {
    made->at[l] = made->p;
    made->p += widths[l + 1] * (widths[l] + 1);
  }
  *mlp = made;
  if (make_room(made)) return LRGD_OK;
  (void)cudaGetLastError();
  lrgd_cuda_mlp_destroy(mlp);
  char text[300];
  snprintf(text, sizeof text,
           "out of memory for %zu images and %zu slopes on %s", images, slopes,
           name);
  return lr_cuda_fail(error, LRGD_ERR_NOMEM, text);
}

extern "C" void lrgd_cuda_mlp_destroy(lrgd_cuda_mlp **mlp)
{
  if (!mlp || !*mlp) return;
  lr_card_end_losses(&(*mlp)->descent);
  for (void *block : (*mlp)->owned) (void)cudaFree(block);
  delete *mlp;
  *mlp = NULL;
}

extern "C" size_t lrgd_cuda_mlp_parameters(const lrgd_cuda_mlp *mlp)
{
  return mlp->p;
}

namespace
{

lrgd_status check_batch(const lrgd_cuda_mlp *mlp, const lrgd_cuda_batch *batch,
                        size_t k, lrgd_error *error)
{
  if (batch->n >= 1 && batch->n <= mlp->images && k <= mlp->slopes)
    return LRGD_OK;
  char text[200];
  snprintf(text, sizeof text,
           "%zu images and %zu slopes; there is room for 1 to %zu, and %zu",
           batch->n, k, mlp->images, mlp->slopes);
  return lr_cuda_fail(error, LRGD_ERR_INVALID, text);
}

const float *inputs(const lrgd_cuda_mlp *mlp, const float *images, size_t l)
{
  return l == 0 ? images : mlp->A[l];
}

} // namespace

void lr_mlp_forward(lrgd_cuda_mlp *mlp, const float *x, const float *images,
                    size_t n, cudaStream_t stream)
{
  for (size_t l = 0; l < mlp->layers; l++) {
    size_t in = mlp->widths[l], out = mlp->widths[l + 1];
    const float *W = x + mlp->at[l];
    product q = {.m = n, .n = out, .depth = in};
    q.A = inputs(mlp, images, l);
    q.B = W;
    q.C = mlp->A[l + 1];
    q.a_row = q.b_row = in;
    q.c_row = out;
    multiply<false, true>(q, 1, stream);
    activate_kernel<<<blocks_of(n * out), THREADS, 0, stream>>>(
        n * out, out, W + in * out, mlp->relu, l + 1 == mlp->layers,
        mlp->A[l + 1]);
  }
}

namespace
{

/* D_{l+1} = s'(Z) (A_l dW_j' + D_l W' + db_j), for all k directions. */
const float *tangents_of(lrgd_cuda_mlp *mlp, const float *x,
                         const lrgd_cuda_batch *batch, size_t k, const float *U,
                         size_t stride, cudaStream_t stream)
{
  size_t n = batch->n;
  for (size_t l = 0; l < mlp->layers; l++) {
    size_t in = mlp->widths[l], out = mlp->widths[l + 1];
    const float *V = U + mlp->at[l];
    float *D = mlp->D[(l + 1) % 2];
    product q = {.m = n, .n = out, .depth = in};
    q.A = inputs(mlp, batch->images, l);
    q.B = V;
    q.C = D;
    q.a_row = q.b_row = in;
    q.c_row = out;
    q.b_next = stride;
    q.c_next = n * out;
    multiply<false, true>(q, k, stream);
    if (l > 0) {
      q.A = mlp->D[l % 2];
      q.a_next = n * in;
      q.B = x + mlp->at[l];
      q.b_next = 0;
      q.beta = 1;
      multiply<false, true>(q, k, stream);
    }
    dim3 grid(blocks_of(n * out), (unsigned)k);
    tangent_kernel<<<grid, THREADS, 0, stream>>>(
        n * out, out, V + in * out, stride, mlp->A[l + 1], mlp->relu,
        l + 1 == mlp->layers, D);
  }
  return mlp->D[mlp->layers % 2];
}

bool fused(const lrgd_cuda_mlp *mlp, const float *x,
           const lrgd_cuda_batch *batch, size_t k, const float *U,
           size_t stride, double *answers, float *tangents, lr_fused *q)
{
  if (!mlp->fused_room) return false;
  *q = (lr_fused){.n = batch->n,
                  .in = mlp->widths[0],
                  .out = mlp->widths[1],
                  .classes = mlp->widths[2],
                  .k = k,
                  .stride = stride,
                  .relu = mlp->relu,
                  .x = x,
                  .U = U,
                  .images = batch->images,
                  .labels = batch->labels,
                  .room = mlp->fused_room,
                  .counters = mlp->counters,
                  .tangents = tangents,
                  .answers = answers};
  return lr_fused_fits(q);
}

} // namespace

const float *lr_mlp_errors_of(const lrgd_cuda_mlp *mlp, size_t n, size_t k,
                              size_t *row)
{
  if (mlp->last_fused) {
    *row = LR_FUSED_CLASSES;
    return lr_fused_errors(mlp->fused_room, n, mlp->widths[1], k);
  }
  *row = mlp->widths[mlp->layers];
  return mlp->E[0];
}

extern "C" lrgd_status lrgd_cuda_mlp_slopes(lrgd_cuda_mlp *mlp, const float *x,
                                            const lrgd_cuda_batch *batch,
                                            size_t k, const float *U,
                                            size_t stride, double *answers,
                                            float *tangents, void *stream_,
                                            lrgd_error *error)
{
  cudaStream_t stream = (cudaStream_t)stream_;
  lr_fused q;
  lrgd_status status = check_batch(mlp, batch, k, error);
  if (status != LRGD_OK) return status;
  mlp->last_fused = fused(mlp, x, batch, k, U, stride, answers, tangents, &q);
  if (mlp->last_fused)
    return lr_cuda_checked(lr_fused_launch(&q, stream), error);
  size_t n = batch->n, classes = mlp->widths[mlp->layers];
  if (k > 0 && !mlp->D[0]) /* the fused kernel was expected to serve */
    for (int i = 0; i < 2; i++)
      if (!own_floats(
              mlp, &mlp->D[i],
              mlp->slopes * mlp->images *
                  (mlp->widths[1] > classes ? mlp->widths[1] : classes)))
        return lr_cuda_checked(cudaErrorMemoryAllocation, error);
  lr_mlp_forward(mlp, x, batch->images, n, stream);
  loss_kernel<<<1, THREADS, 0, stream>>>(
      n, classes, mlp->A[mlp->layers], batch->labels, answers, NULL, mlp->E[0]);
  if (k > 0) {
    const float *D = tangents_of(mlp, x, batch, k, U, stride, stream);
    slope_kernel<<<(unsigned)k, THREADS, 0, stream>>>(n * classes, mlp->E[0], D,
                                                      answers + 1);
    if (tangents)
      (void)cudaMemcpyAsync(tangents, D, k * n * classes * sizeof *D,
                            cudaMemcpyDeviceToDevice, stream);
  }
  return lr_cuda_checked(cudaGetLastError(), error);
}

extern "C" lrgd_status lrgd_cuda_mlp_right(lrgd_cuda_mlp *mlp, const float *x,
                                           const lrgd_cuda_batch *images,
                                           size_t *right, lrgd_error *error)
{
  unsigned long long *count, found = 0;
  size_t pixels = mlp->widths[0], classes = mlp->widths[mlp->layers];
  lrgd_status status =
      lr_cuda_checked(cudaMalloc(&count, sizeof *count), error);
  if (status != LRGD_OK) return status;
  (void)cudaMemset(count, 0, sizeof *count);
  for (size_t first = 0; first < images->n; first += mlp->images) {
    size_t left = images->n - first,
           n = left < mlp->images ? left : mlp->images;
    lr_mlp_forward(mlp, x, images->images + first * pixels, n, NULL);
    right_kernel<<<blocks_of(n), THREADS>>>(n, classes, mlp->A[mlp->layers],
                                            images->labels + first, count);
  }
  status = lr_cuda_checked(
      cudaMemcpy(&found, count, sizeof found, cudaMemcpyDeviceToHost), error);
  (void)cudaFree(count);
  *right = (size_t)found;
  return status;
}
