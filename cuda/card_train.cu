/* Training on the card: Adam over shuffled mini-batches.
 *
 * A step is some dozen small kernels.  They are captured into a graph once, and
 * replayed: which images are next, and Adam's powers, are numbers on the card.
 * An epoch's order goes up while nothing waits; its mean loss comes back once
 * an epoch. */
#include "card_mlp.h"

#include <stdlib.h>
#include <string.h>

using namespace lr_card;

extern "C" void lrgd_cuda_training_init(lrgd_cuda_training *training,
                                        size_t size)
{
  lrgd_cuda_training t = {};
  t.struct_size = size;
  t.rate = 1e-3;
  t.epochs = 20;
  t.batch = 200;
  memset(training, 0, size);
  memcpy(training, &t, size < sizeof t ? size : sizeof t);
}

namespace
{

struct trainer {
  lrgd_cuda_mlp *mlp;
  const lrgd_cuda_training *how;
  const lrgd_cuda_batch *images;
  float *x;
  std::vector<void *> owned;
  float *batch, *g, *m, *v; /* the batch's images; gradient and its means */
  uint8_t *labels;
  uint32_t *order;
  lr_card::clock *at;
  double *loss; /* of the last batch, and the sum over the epoch */
  cudaStream_t stream;
  cudaGraphExec_t whole, rest; /* a step of `batch` images, of what is left */
};

bool take(trainer *t, void **to, size_t bytes)
{
  if (cudaMalloc(to, bytes) != cudaSuccess) return false;
  t->owned.push_back(*to);
  return cudaMemset(*to, 0, bytes) == cudaSuccess;
}

/* g_W = E' A, g_b = E' 1, and the errors of the layer below. */
void queue_backward(trainer *t, size_t n)
{
  lrgd_cuda_mlp *mlp = t->mlp;
  float *E = mlp->E[0], *next = mlp->E[1];
  for (size_t l = mlp->layers; l-- > 0;) {
    size_t in = mlp->widths[l], out = mlp->widths[l + 1];
    float *gW = t->g + mlp->at[l];
    const float *A = l == 0 ? t->batch : mlp->A[l];
    product q = {.m = out, .n = in, .depth = n};
    q.A = E;
    q.a_row = out;
    q.B = A;
    q.b_row = in;
    q.C = gW;
    q.c_row = in;
    multiply<true, false>(q, 1, t->stream);
    column_kernel<<<(unsigned)((out + THREADS - 1) / THREADS), THREADS, 0,
                    t->stream>>>(n, out, E, gW + in * out);
    if (l == 0) break;
    product down = {.m = n, .n = in, .depth = out};
    down.A = E;
    down.a_row = out;
    down.B = t->x + mlp->at[l];
    down.b_row = in;
    down.C = next;
    down.c_row = in;
    multiply<false, false>(down, 1, t->stream);
    back_kernel<<<blocks_of(n * in), THREADS, 0, t->stream>>>(n * in, mlp->A[l],
                                                              mlp->relu, next);
    float *done = E;
    E = next;
    next = done;
  }
}

void queue_step(trainer *t, size_t n)
{
  lrgd_cuda_mlp *mlp = t->mlp;
  size_t pixels = mlp->widths[0], classes = mlp->widths[mlp->layers];
  gather_kernel<<<blocks_of(n * pixels), THREADS, 0, t->stream>>>(
      t->at, n, pixels, t->order, t->images->images, t->images->labels,
      t->batch, t->labels);
  tick_kernel<<<1, 1, 0, t->stream>>>(t->at, n);
  lr_mlp_forward(mlp, t->x, t->batch, n, t->stream);
  loss_kernel<<<1, THREADS, 0, t->stream>>>(n, classes, mlp->A[mlp->layers],
                                            t->labels, t->loss, t->loss + 1,
                                            mlp->E[0]);
  queue_backward(t, n);
  adam_kernel<<<blocks_of(mlp->p), THREADS, 0, t->stream>>>(mlp->p, t->at, t->g,
                                                            t->m, t->v, t->x);
}

cudaError_t capture_step(trainer *t, size_t n, cudaGraphExec_t *step)
{
  cudaGraph_t graph;
  if (n == 0) return cudaSuccess;
  cudaError_t code =
      cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeThreadLocal);
  if (code != cudaSuccess) return code;
  queue_step(t, n);
  code = cudaStreamEndCapture(t->stream, &graph);
  if (code != cudaSuccess) return code;
  code = cudaGraphInstantiate(step, graph, 0);
  (void)cudaGraphDestroy(graph);
  return code;
}

cudaError_t prepare(trainer *t)
{
  size_t p = t->mlp->p, n = t->how->batch, count = t->images->n;
  cudaError_t code = cudaStreamCreate(&t->stream);
  if (code != cudaSuccess) return code;
  bool whole =
      take(t, (void **)&t->batch, n * t->mlp->widths[0] * sizeof *t->batch) &&
      take(t, (void **)&t->labels, n) &&
      take(t, (void **)&t->order, count * sizeof *t->order) &&
      take(t, (void **)&t->g, p * sizeof *t->g) &&
      take(t, (void **)&t->m, p * sizeof *t->m) &&
      take(t, (void **)&t->v, p * sizeof *t->v) &&
      take(t, (void **)&t->at, sizeof *t->at) &&
      take(t, (void **)&t->loss, 2 * sizeof *t->loss);
  if (!whole) return cudaErrorMemoryAllocation;
  lr_card::clock start = {.power1 = 1, .power2 = 1, .rate0 = t->how->rate};
  code = cudaMemcpy(t->at, &start, sizeof start, cudaMemcpyHostToDevice);
  if (code == cudaSuccess) code = capture_step(t, n, &t->whole);
  if (code == cudaSuccess) code = capture_step(t, count % n, &t->rest);
  return code;
}

void release(trainer *t)
{
  (void)cudaGetLastError(); /* of an allocation that did not fit */
  if (t->whole) (void)cudaGraphExecDestroy(t->whole);
  if (t->rest) (void)cudaGraphExecDestroy(t->rest);
  if (t->stream) (void)cudaStreamDestroy(t->stream);
  for (void *block : t->owned) (void)cudaFree(block);
}

/* Batch after batch of this order; *loss is their mean. */
cudaError_t run_epoch(trainer *t, const uint32_t *order, double *loss)
{
  size_t count = t->images->n, batch = t->how->batch;
  size_t steps = (count + batch - 1) / batch;
  cudaError_t code = cudaMemcpyAsync(t->order, order, count * sizeof *order,
                                     cudaMemcpyHostToDevice, t->stream);
  if (code == cudaSuccess)
    code = cudaMemsetAsync(&t->at->first, 0, sizeof t->at->first, t->stream);
  if (code == cudaSuccess)
    code = cudaMemsetAsync(t->loss, 0, 2 * sizeof *t->loss, t->stream);
  for (size_t i = 0; code == cudaSuccess && i < count / batch; i++)
    code = cudaGraphLaunch(t->whole, t->stream);
  if (code == cudaSuccess && t->rest)
    code = cudaGraphLaunch(t->rest, t->stream);
  double sums[2] = {0, 0};
  if (code == cudaSuccess)
    code = cudaMemcpyAsync(sums, t->loss, sizeof sums, cudaMemcpyDeviceToHost,
                           t->stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(t->stream);
  *loss = sums[1] / (double)steps;
  return code;
}

lrgd_status check_training(const lrgd_cuda_mlp *mlp,
                           const lrgd_cuda_training *how,
                           const lrgd_cuda_batch *images, lrgd_error *error)
{
  if (how->batch >= 1 && how->batch <= images->n && how->batch <= mlp->images &&
      how->rate > 0 && how->shuffle)
    return LRGD_OK;
  char text[300];
  snprintf(text, sizeof text,
           "batch %zu of %zu images, rate %g%s; the batch must be from 1 to "
           "%zu, the rate > 0",
           how->batch, images->n, how->rate, how->shuffle ? "" : ", no shuffle",
           mlp->images);
  return lr_cuda_fail(error, LRGD_ERR_INVALID, text);
}

} // namespace

extern "C" lrgd_status lrgd_cuda_mlp_train(lrgd_cuda_mlp *mlp,
                                           const lrgd_cuda_training *training,
                                           const lrgd_cuda_batch *images,
                                           float *x, lrgd_error *error)
{
  trainer t = {.mlp = mlp, .how = training, .images = images, .x = x};
  lrgd_status status = check_training(mlp, training, images, error);
  if (status != LRGD_OK) return status;
  /* the images may still be on their way on another stream */
  cudaError_t code = cudaDeviceSynchronize();
  if (code == cudaSuccess) code = prepare(&t);
  std::vector<uint32_t> order(images->n);
  bool on = true;
  for (size_t e = 0; code == cudaSuccess && on && e < training->epochs; e++) {
    double loss = 0;
    training->shuffle(e, images->n, order.data(), training->user);
    code = run_epoch(&t, order.data(), &loss);
    if (code == cudaSuccess && !(loss <= 1e300)) {
      char text[200];
      snprintf(
          text, sizeof text,
          "the loss of epoch %zu is no finite number: rate %g is too large",
          e + 1, training->rate);
      release(&t);
      return lr_cuda_fail(error, LRGD_ERR_NUMERIC, text);
    }
    if (code == cudaSuccess && training->progress)
      on = training->progress(e, loss, training->user) != 0;
  }
  release(&t);
  return lr_cuda_checked(code, error);
}
