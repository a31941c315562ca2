/* Tangents through the network: k slopes in one forward pass.
 *
 * With D_l the tangents of layer l and V_j = (dW_j, db_j) the directions,
 *   D_{l+1} = s'(Z) (A_l dW_j^T + D_l W^T + db_j):
 * the first product is as large as k layers of the forward pass, the second
 * has n k rows; the primal A_l is computed once.
 *
 * Of a narrow layer the weights' tangents are gathered, as many directions at
 * a time as make a product wide enough to be fast; D is then n x k x width, and
 * the gathered weights stay in the cache and small beside D.  Of a wide
 * layer each direction's product is large enough by itself, gathering would
 * cost a third of it, and D is k x n x width: each direction is finished while
 * it is in the cache. */
#include "blas.h"
#include "mlp_private.h"

#include <string.h>

/* Tangents of a layer: image i along direction j is D + i image + j way. */
typedef struct layer_tangents {
  float *D;
  size_t image, way;
} layer_tangents;

static layer_tangents place(const lr_mlp *net, size_t layer, size_t n, size_t k,
                            float *D)
{
  size_t width = net->widths[layer];
  if (lr_mlp_gathers(net, layer - 1))
    return (layer_tangents){D, k * width, width};
  return (layer_tangents){D, width, n * width};
}

/* C = beta C + A W^T, n x out, rows of A and C so far apart. */
static void product(size_t n, size_t out, size_t in, const float *A,
                    size_t a_row, const float *W, float beta, float *C,
                    size_t c_row)
{
  lr_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)out,
                (int)in, 1, A, (int)a_row, W, (int)in, beta, C, (int)c_row);
}

/* D += db, then times the activation's slope, told from its value. */
LR_WIDE static void finish(size_t width, const float *restrict db,
                           const float *restrict A, bool relu,
                           float *restrict D)
{
  if (relu)
    for (size_t u = 0; u < width; u++) {
      float moved = D[u] + db[u];
      D[u] = A[u] > 0 ? moved : 0;
    }
  else
    for (size_t u = 0; u < width; u++)
      D[u] = (D[u] + db[u]) * (1 - A[u] * A[u]);
}

/* Direction j of layer l + 1, once its products are there. */
static void finish_direction(const lr_mlp *net, const lr_mlp_work *work,
                             size_t l, size_t n, const float *v,
                             layer_tangents to, size_t j)
{
  size_t in = net->widths[l], out = net->widths[l + 1];
  const float *db = v + net->at[l] + in * out, *A = work->A[l + 1];
  float *D = to.D + j * to.way;
  bool relu = net->activation == LR_RELU, last = l + 1 == net->layers;
  for (size_t i = 0; i < n; i++, A += out, D += to.image)
    if (last)
      for (size_t u = 0; u < out; u++) D[u] += db[u];
    else
      finish(out, db, A, relu, D);
}

/* Wide products of n x in with (count out) x in. */
static void gathered_part(const lr_mlp *net, lr_mlp_work *work, size_t l,
                          size_t n, size_t k, const float *U, float *D)
{
  size_t in = net->widths[l], out = net->widths[l + 1], size = in * out;
  size_t most = lr_mlp_gather_count(net, l, k);
  for (size_t first = 0; first < k; first += most) {
    size_t count = k - first < most ? k - first : most;
    const float *V = U + first * net->p + net->at[l];
    for (size_t j = 0; j < count; j++)
      memcpy(work->wide + j * size, V + j * net->p, size * sizeof *V);
    product(n, count * out, in, lr_mlp_inputs(work, l), in, work->wide, 0,
            D + first * out, k * out);
  }
}

void lr_mlp_advance(const lr_mlp *net, lr_mlp_work *work, const float *x,
                    size_t l, size_t n, size_t k, const float *U,
                    const float *before, float *D)
{
  size_t in = net->widths[l], out = net->widths[l + 1];
  const float *W = x + net->at[l], *A = lr_mlp_inputs(work, l);
  layer_tangents to = place(net, l + 1, n, k, D), from = {NULL, 0, 0};
  if (before != NULL) from = place(net, l, n, k, NULL);
  bool wide = lr_mlp_gathers(net, l);
  if (wide) gathered_part(net, work, l, n, k, U, D);
  for (size_t j = 0; j < k; j++) {
    const float *v = U + j * net->p;
    if (!wide)
      product(n, out, in, A, in, v + net->at[l], 0, D + j * to.way, to.image);
    if (before != NULL)
      product(n, out, in, before + j * from.way, from.image, W, 1,
              D + j * to.way, to.image);
    finish_direction(net, work, l, n, v, to, j);
  }
}

double lr_mlp_slopes(const lr_mlp *net, lr_mlp_work *work, const float *x,
                     const lr_batch *batch, size_t k, const float *U, double *d)
{
  double f = lr_mlp_value(net, work, x, batch);
  size_t n = batch->n, classes = net->widths[net->layers];
  const float *before = NULL;
  for (size_t l = 0; l < net->layers; l++) {
    float *D = work->D[l % 2];
    lr_mlp_advance(net, work, x, l, n, k, U, before, D);
    before = D;
  }
  layer_tangents last = place(net, net->layers, n, k, work->D[0]);
  work->tangents = before;
  work->image = last.image;
  work->way = last.way;
  float *E = work->E[0];
  lr_mlp_errors(net, work, batch, E);
  for (size_t j = 0; j < k; j++) {
    const float *T = before + j * last.way;
    d[j] = 0;
    for (size_t i = 0; i < n; i++, T += last.image)
      for (size_t c = 0; c < classes; c++)
        d[j] += (double)E[i * classes + c] * (double)T[c];
  }
  return f;
}

const float *lr_mlp_output_tangent(const lr_mlp_work *work, size_t i, size_t j)
{
  return work->tangents + i * work->image + j * work->way;
}
