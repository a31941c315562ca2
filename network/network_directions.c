/* Gaussian directions in the span of the layers' inputs. */
#include "network_directions.h"

#include "base/dense.h"
#include "base/memory.h"
#include "base/status.h"
#include "blas.h"
#include "mlp_private.h"

#include <stdlib.h>

/* Images the principal directions are taken from. */
enum { SAMPLE = 2000 };

/* Of one layer: its inputs' first `count` principal directions, the constant
 * input 1 of the bias among them.  V is in x count, row after row; v is the
 * bias's row.  count 0: the whole layer. */
typedef struct layer_span {
  size_t count;
  float *V, *v;
} layer_span;

struct lr_directions {
  const lr_mlp *net;
  const lr_images *images;
  size_t sample; /* images looked at */
  layer_span spans[LR_MLP_LAYERS];
  float *coefficients;
  lr_mlp_work *work;
  lr_gather place;
};

/* ---- principal directions ---- */

/* C = A^T A of the inputs with a 1 appended, (in + 1) x (in + 1). */
static void covariance(size_t n, size_t in, const float *inputs, double *row,
                       double *C)
{
  size_t m = in + 1;
  for (size_t i = 0; i < m * m; i++) C[i] = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < in; j++) row[j] = (double)inputs[i * in + j];
    row[in] = 1;
    lr_blas.dsyr(CblasColMajor, CblasUpper, (int)m, 1, row, 1, C, (int)m);
  }
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < j; i++) C[i * m + j] = C[j * m + i];
}

static lrgd_status find_span(layer_span *span, size_t n, size_t in,
                             const float *inputs, lrgd_error *error)
{
  size_t m = in + 1;
  double *C = malloc(m * m * sizeof *C), *lambda = malloc(m * sizeof *lambda);
  lr_dense *dense = lr_dense_create(&lr_malloc, m);
  lrgd_status status = LRGD_ERR_NOMEM;
  if (C != NULL && lambda != NULL && dense != NULL) {
    covariance(n, in, inputs, lambda, C);
    status = lr_eigen(dense, m, C, lambda);
  }
  for (size_t k = 0; status == LRGD_OK && k < span->count; k++) {
    const double *vector = C + (m - 1 - k) * m; /* the largest are last */
    for (size_t j = 0; j < in; j++)
      span->V[j * span->count + k] = (float)vector[j];
    span->v[k] = (float)vector[in];
  }
  lr_dense_destroy(&dense);
  free(lambda);
  free(C);
  if (status == LRGD_OK) return LRGD_OK;
  return lr_fail(error, status, "principal directions of %zu inputs: %s", in,
                 lrgd_status_text(status));
}

/* Layers above the first, whose inputs change as the network learns. */
static bool has_hidden(const lr_directions *directions)
{
  for (size_t l = 1; l < directions->net->layers; l++)
    if (directions->spans[l].count > 0) return true;
  return false;
}

lrgd_status lr_directions_refresh(lr_directions *directions, const float *x,
                                  size_t *images, lrgd_error *error)
{
  const lr_mlp *net = directions->net;
  size_t n = directions->sample;
  lrgd_status status = LRGD_OK;
  *images = 0;
  if (!has_hidden(directions)) return LRGD_OK;
  *images = n;
  lr_batch batch = {n, directions->place.images, directions->place.labels};
  (void)lr_mlp_value(net, directions->work, x, &batch);
  for (size_t l = 1; l < net->layers && status == LRGD_OK; l++)
    if (directions->spans[l].count > 0)
      status = find_span(&directions->spans[l], n, net->widths[l],
                         lr_mlp_inputs(directions->work, l), error);
  return status;
}

/* ---- life ---- */

static lrgd_status make_span(layer_span *span, size_t in, size_t d,
                             lrgd_error *error)
{
  if (d == 0 || d >= in + 1) return LRGD_OK;
  span->count = d;
  span->V = malloc(in * d * sizeof *span->V);
  span->v = malloc(d * sizeof *span->v);
  if (span->V != NULL && span->v != NULL) return LRGD_OK;
  return lr_fail(error, LRGD_ERR_NOMEM, "out of memory for %zu directions", d);
}

static lrgd_status look_at_images(lr_directions *directions, lrgd_error *error)
{
  const lr_mlp *net = directions->net;
  size_t n = directions->sample, pixels = net->widths[0];
  lrgd_status status = lr_gather_create(&directions->place, n, pixels, error);
  if (status == LRGD_OK && has_hidden(directions))
    status = lr_mlp_work_create(&directions->work, net, n, 0, error);
  if (status != LRGD_OK) return status;
  (void)lr_gather_slice(&directions->place, directions->images, 0, n);
  if (directions->spans[0].count == 0) return LRGD_OK;
  return find_span(&directions->spans[0], n, pixels, directions->place.images,
                   error);
}

lrgd_status lr_directions_create(lr_directions **directions, const lr_mlp *net,
                                 const lr_images *images, size_t d,
                                 lrgd_error *error)
{
  lr_directions *made = *directions = calloc(1, sizeof *made);
  if (made == NULL) return lr_fail(error, LRGD_ERR_NOMEM, "out of memory");
  made->net = net;
  made->images = images;
  made->sample = images->count < SAMPLE ? images->count : SAMPLE;
  made->coefficients = malloc(net->p * sizeof *made->coefficients);
  lrgd_status status = made->coefficients != NULL
                           ? LRGD_OK
                           : lr_fail(error, LRGD_ERR_NOMEM,
                                     "out of memory for %zu numbers", net->p);
  for (size_t l = 0; l < net->layers && status == LRGD_OK; l++)
    status = make_span(&made->spans[l], net->widths[l], d, error);
  if (status == LRGD_OK) status = look_at_images(made, error);
  if (status != LRGD_OK) lr_directions_destroy(directions);
  return status;
}

void lr_directions_destroy(lr_directions **directions)
{
  lr_directions *gone = *directions;
  if (gone == NULL) return;
  for (size_t l = 0; l < LR_MLP_LAYERS; l++) {
    free(gone->spans[l].V);
    free(gone->spans[l].v);
  }
  free(gone->coefficients);
  lr_mlp_work_destroy(&gone->work);
  lr_gather_destroy(&gone->place);
  free(gone);
  *directions = NULL;
}

size_t lr_directions_dimension(const lr_directions *directions)
{
  const lr_mlp *net = directions->net;
  size_t dimension = 0;
  for (size_t l = 0; l < net->layers; l++) {
    size_t count = directions->spans[l].count;
    dimension += net->widths[l + 1] * (count > 0 ? count : net->widths[l] + 1);
  }
  return dimension;
}

size_t lr_directions_span(const lr_directions *directions, size_t layer,
                          const float **V, const float **v)
{
  const layer_span *span = &directions->spans[layer];
  *V = span->V;
  *v = span->v;
  return span->count;
}

size_t lr_directions_sample(const lr_directions *directions)
{
  return has_hidden(directions) ? directions->sample : 0;
}

/* ---- drawing ---- */

/* dW = Z V^T and db = Z v, Z Gaussian, out x count. */
void lr_directions_draw(lr_directions *directions, uint64_t seed,
                        uint64_t stream, float *u)
{
  const lr_mlp *net = directions->net;
  float *Z = directions->coefficients;
  uint64_t first = 0; /* of the numbers of the stream */
  for (size_t l = 0; l < net->layers; l++) {
    size_t in = net->widths[l], out = net->widths[l + 1];
    const layer_span *span = &directions->spans[l];
    int count = (int)span->count;
    float *W = u + net->at[l];
    if (count == 0) {
      lr_network_normals(seed, stream, first, out * (in + 1), W);
      first += out * (in + 1);
      continue;
    }
    lr_network_normals(seed, stream, first, out * span->count, Z);
    first += out * span->count;
    lr_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)out, (int)in,
                  count, 1, Z, count, span->V, count, 0, W, (int)in);
    lr_blas.sgemv(CblasRowMajor, CblasNoTrans, (int)out, count, 1, Z, count,
                  span->v, 1, 0, W + in * out, 1);
  }
}
