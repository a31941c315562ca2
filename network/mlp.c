/* The network's shape, its start, and its forward and backward passes.
 * Tangents are in mlp_tangents.c. */
#include "mlp_private.h"

#include "base/random.h"
#include "base/status.h"
#include "blas.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

lrgd_status lr_mlp_make(lr_mlp *net, size_t count, const size_t *widths,
                        lr_activation activation, lrgd_error *error)
{
  if (count < 2 || count > LR_MLP_LAYERS + 1)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "a network has 2 to %d widths, not %zu", LR_MLP_LAYERS + 1,
                   count);
  *net = (lr_mlp){.layers = count - 1, .activation = activation};
  for (size_t l = 0; l < count; l++) {
    if (widths[l] < 1 || widths[l] > 100000)
      return lr_fail(error, LRGD_ERR_INVALID,
                     "width %zu is %zu; it must be from 1 to 100000", l,
                     widths[l]);
    net->widths[l] = widths[l];
  }
  for (size_t l = 0; l < net->layers; l++) {
    net->at[l] = net->p;
    net->p += widths[l + 1] * (widths[l] + 1);
  }
  if (net->p > INT_MAX || widths[net->layers] > 256)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "%zu parameters and %zu classes; at most %d and 256", net->p,
                   widths[net->layers], INT_MAX);
  return lr_blas_need(error);
}

/* Uniform in +-sqrt(6 / (in + out)) (Glorot and Bengio, 2010). */
void lr_mlp_start(const lr_mlp *net, uint64_t seed, float *x)
{
  memset(x, 0, net->p * sizeof *x);
  for (size_t l = 0; l < net->layers; l++) {
    size_t in = net->widths[l], out = net->widths[l + 1];
    double most = sqrt(6 / (double)(in + out));
    for (size_t i = 0; i < in * out; i++) {
      uint32_t bits[4];
      size_t at = net->at[l] + i;
      lr_philox(seed, LR_NETWORK_START, at / 4, bits);
      x[at] = (float)(most * (2 * ((double)bits[at % 4] + 0.5) * 0x1p-32 - 1));
    }
  }
}

void lr_network_normals(uint64_t seed, uint64_t stream, uint64_t first,
                        size_t n, float *z)
{
  enum { SLICE = 512 };
  double part[SLICE];
  for (size_t done = 0; done < n; done += SLICE) {
    size_t some = n - done < SLICE ? n - done : SLICE;
    lr_gaussian(seed, stream, first + done, some, part);
    for (size_t i = 0; i < some; i++) z[done + i] = (float)part[i];
  }
}

/* ---- scratch ---- */

static float *numbers(lr_mlp_work *work, size_t a, size_t b)
{
  size_t size = (a * b + 1) * sizeof(float);
  float *room = malloc(size);
  if (room == NULL) return NULL;
  work->blocks[work->block_count++] = room;
  work->bytes += size;
  return room;
}

static size_t widest(const lr_mlp *net)
{
  size_t most = 0;
  for (size_t l = 1; l <= net->layers; l++)
    if (net->widths[l] > most) most = net->widths[l];
  return most;
}

/* Outputs of a narrow layer, and of those gathered: see mlp_tangents.c. */
enum { GATHER_BELOW = 128, GATHER = 256 };

bool lr_mlp_gathers(const lr_mlp *net, size_t layer)
{
  return net->widths[layer + 1] < GATHER_BELOW;
}

size_t lr_mlp_gather_count(const lr_mlp *net, size_t layer, size_t k)
{
  size_t count = GATHER / net->widths[layer + 1];
  return count < k ? count : k;
}

/* The number of directions for which outputs of a layer are gathered at once,
 * of the layer that allows the most. */
static size_t gathered(const lr_mlp *net, size_t k)
{
  size_t most = 0;
  for (size_t l = 0; l < net->layers; l++) {
    if (!lr_mlp_gathers(net, l)) continue;
    size_t size =
        net->widths[l] * net->widths[l + 1] * lr_mlp_gather_count(net, l, k);
    if (size > most) most = size;
  }
  return most;
}

lrgd_status lr_mlp_work_create(lr_mlp_work **work, const lr_mlp *net, size_t n,
                               size_t k, lrgd_error *error)
{
  bool whole = true;
  size_t most = widest(net);
  lr_mlp_work *w = *work = calloc(1, sizeof *w);
  if (w == NULL) return lr_fail(error, LRGD_ERR_NOMEM, "out of memory");
  w->n = n;
  w->k = k;
  for (size_t l = 1; l <= net->layers; l++)
    whole = whole && (w->A[l] = numbers(w, n, net->widths[l])) != NULL;
  whole = whole && (w->E[0] = numbers(w, n, most)) != NULL;
  whole = whole && (w->E[1] = numbers(w, n, most)) != NULL;
  whole = whole && (w->ones = numbers(w, n, 1)) != NULL;
  for (size_t i = 0; i < 2 && k > 0; i++)
    whole = whole && (w->D[i] = numbers(w, n * k, most)) != NULL;
  if (k > 0) whole = whole && (w->wide = numbers(w, 1, gathered(net, k)));
  for (size_t l = 1; l <= net->layers && k > 0; l++)
    whole = whole && (w->T[l] = numbers(w, n, net->widths[l])) != NULL;
  if (!whole) {
    lr_mlp_work_destroy(work);
    return lr_fail(error, LRGD_ERR_NOMEM,
                   "out of memory for %zu images and %zu tangents", n, k);
  }
  for (size_t i = 0; i < n; i++) w->ones[i] = 1;
  return LRGD_OK;
}

void lr_mlp_work_destroy(lr_mlp_work **work)
{
  if (*work == NULL) return;
  for (size_t i = 0; i < (*work)->block_count; i++) free((*work)->blocks[i]);
  free(*work);
  *work = NULL;
}

size_t lr_mlp_work_bytes(const lr_mlp_work *work)
{
  return work->bytes;
}

/* ---- forward ---- */

LR_WIDE static void activate_relu(size_t width, const float *restrict b,
                                  float *restrict Z)
{
  for (size_t j = 0; j < width; j++) {
    float z = Z[j] + b[j];
    Z[j] = z > 0 ? z : 0;
  }
}

static void activate(lr_activation activation, size_t rows, size_t width,
                     const float *b, float *Z)
{
  for (size_t i = 0; i < rows; i++, Z += width)
    if (activation == LR_RELU)
      activate_relu(width, b, Z);
    else
      for (size_t j = 0; j < width; j++) Z[j] = tanhf(Z[j] + b[j]);
}

/* Scores to probabilities; the mean of -log of the right one. */
static double softmax(size_t n, size_t classes, const float *b,
                      const uint8_t *labels, float *Z)
{
  double loss = 0;
  for (size_t i = 0; i < n; i++, Z += classes) {
    double most = -INFINITY, sum = 0, right;
    for (size_t c = 0; c < classes; c++) {
      Z[c] += b[c];
      most = fmax(most, (double)Z[c]);
    }
    right = (double)Z[labels[i]];
    for (size_t c = 0; c < classes; c++) sum += exp((double)Z[c] - most);
    for (size_t c = 0; c < classes; c++)
      Z[c] = (float)(exp((double)Z[c] - most) / sum);
    loss += log(sum) + most - right;
  }
  return loss / (double)n;
}

/* Activations of every layer into work; the last holds probabilities. */
double lr_mlp_value(const lr_mlp *net, lr_mlp_work *work, const float *x,
                    const lr_batch *batch)
{
  size_t n = batch->n, last = net->layers;
  work->images = batch->images;
  for (size_t l = 0; l < last; l++) {
    size_t in = net->widths[l], out = net->widths[l + 1];
    const float *W = x + net->at[l], *b = W + in * out;
    float *Z = work->A[l + 1];
    lr_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)out,
                  (int)in, 1, lr_mlp_inputs(work, l), (int)in, W, (int)in, 0, Z,
                  (int)out);
    if (l + 1 < last) activate(net->activation, n, out, b, Z);
  }
  size_t classes = net->widths[last];
  const float *b = x + net->p - classes;
  return softmax(n, classes, b, batch->labels, work->A[last]);
}

size_t lr_mlp_right(const lr_mlp *net, const lr_mlp_work *work,
                    const lr_batch *batch)
{
  size_t classes = net->widths[net->layers], right = 0;
  const float *P = lr_mlp_probabilities(work);
  for (size_t i = 0; i < batch->n; i++, P += classes) {
    size_t best = 0;
    for (size_t c = 1; c < classes; c++)
      if (P[c] > P[best]) best = c;
    right += best == batch->labels[i];
  }
  return right;
}

/* ---- backward ---- */

/* E = (P - Y) / n: the slope of the mean loss in the scores. */
void lr_mlp_errors(const lr_mlp *net, const lr_mlp_work *work,
                   const lr_batch *batch, float *E)
{
  size_t classes = net->widths[net->layers];
  const float *P = lr_mlp_probabilities(work);
  float part = 1 / (float)batch->n;
  for (size_t i = 0; i < batch->n; i++) {
    for (size_t c = 0; c < classes; c++)
      E[i * classes + c] = part * P[i * classes + c];
    E[i * classes + batch->labels[i]] -= part;
  }
}

/* E *= the activation's slope, told from its value a: a > 0, or 1 - a^2. */
LR_WIDE static void back(lr_activation activation, size_t count,
                         const float *restrict A, float *restrict E)
{
  if (activation == LR_RELU)
    for (size_t i = 0; i < count; i++) E[i] = A[i] > 0 ? E[i] : 0;
  else
    for (size_t i = 0; i < count; i++) E[i] *= 1 - A[i] * A[i];
}

/* Clones of a function are its file's own: clang knows them nowhere else. */
void lr_mlp_back(lr_activation activation, size_t count, const float *A,
                 float *E)
{
  back(activation, count, A, E);
}

/* g_W = E^T A,  g_b = E^T 1 */
void lr_mlp_layer_gradient(const lr_mlp *net, const lr_mlp_work *work, size_t l,
                           size_t n, const float *E, const float *A, float *g)
{
  size_t in = net->widths[l], out = net->widths[l + 1];
  float *gW = g + net->at[l];
  lr_blas.sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)out, (int)in,
                (int)n, 1, E, (int)out, A, (int)in, 0, gW, (int)in);
  lr_blas.sgemv(CblasRowMajor, CblasTrans, (int)n, (int)out, 1, E, (int)out,
                work->ones, 1, 0, gW + in * out, 1);
}

double lr_mlp_gradient(const lr_mlp *net, lr_mlp_work *work, const float *x,
                       const lr_batch *batch, float *g)
{
  double f = lr_mlp_value(net, work, x, batch);
  float *E = work->E[0], *next = work->E[1];
  size_t n = batch->n;
  lr_mlp_errors(net, work, batch, E);
  for (size_t l = net->layers; l-- > 0;) {
    size_t in = net->widths[l], out = net->widths[l + 1];
    lr_mlp_layer_gradient(net, work, l, n, E, lr_mlp_inputs(work, l), g);
    if (l == 0) break;
    lr_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)in,
                  (int)out, 1, E, (int)out, x + net->at[l], (int)in, 0, next,
                  (int)in);
    lr_mlp_back(net->activation, n * in, lr_mlp_inputs(work, l), next);
    float *done = E;
    E = next;
    next = done;
  }
  return f;
}

/* ---- results that stay in the work space ---- */

const float *lr_mlp_inputs(const lr_mlp_work *work, size_t layer)
{
  return layer == 0 ? work->images : work->A[layer];
}

const float *lr_mlp_probabilities(const lr_mlp_work *work)
{
  size_t last = 1;
  while (last < LR_MLP_LAYERS && work->A[last + 1] != NULL) last++;
  return work->A[last];
}
