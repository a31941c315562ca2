/* The Hessian of the loss times a vector: Pearlmutter's R operator (Neural
 * Computation 6, 1994).  Every step of the backward pass is differentiated
 * along v; R{.} of a quantity is its tangent. */
#include "blas.h"
#include "mlp_private.h"

/* R{E} = (diag(q) - q q^T) T / n for the probabilities q of each image. */
static void tangent_errors(const lr_mlp *net, const lr_mlp_work *work, size_t n,
                           const float *T, float *RE)
{
  size_t classes = net->widths[net->layers];
  const float *P = lr_mlp_probabilities(work);
  for (size_t i = 0; i < n; i++, P += classes, T += classes, RE += classes) {
    double mean = 0;
    for (size_t c = 0; c < classes; c++) mean += (double)P[c] * (double)T[c];
    for (size_t c = 0; c < classes; c++)
      RE[c] = P[c] * (T[c] - (float)mean) / (float)n;
  }
}

/* E and R{E} on their way through an activation with output A, tangent T. */
static void back_through(lr_activation activation, size_t count, const float *A,
                         const float *T, float *E, float *RE)
{
  lr_mlp_back(activation, count, A, RE);
  if (activation == LR_TANH)
    for (size_t i = 0; i < count; i++) RE[i] -= 2 * A[i] * T[i] * E[i];
  lr_mlp_back(activation, count, A, E);
}

/* C = beta C + E W, for E n x out and W out x in. */
static void times_weights(const lr_mlp *net, size_t l, size_t n, const float *E,
                          const float *W, float beta, float *C)
{
  int in = (int)net->widths[l], out = (int)net->widths[l + 1];
  lr_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, in, out, 1,
                E, out, W, in, beta, C, in);
}

void lr_mlp_hessian(const lr_mlp *net, lr_mlp_work *work, const float *x,
                    const lr_batch *batch, const float *v, float *Hv)
{
  size_t n = batch->n, last = net->layers;
  float *E = work->E[0], *E2 = work->E[1], *R = work->D[0], *R2 = work->D[1];
  (void)lr_mlp_value(net, work, x, batch);
  for (size_t l = 0; l < last; l++)
    lr_mlp_advance(net, work, x, l, n, 1, v, l > 0 ? work->T[l] : NULL,
                   work->T[l + 1]);
  lr_mlp_errors(net, work, batch, E);
  tangent_errors(net, work, n, work->T[last], R);
  for (size_t l = last; l-- > 0;) {
    int in = (int)net->widths[l], out = (int)net->widths[l + 1];
    lr_mlp_layer_gradient(net, work, l, n, R, lr_mlp_inputs(work, l), Hv);
    if (l == 0) break;
    lr_blas.sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, out, in, (int)n, 1,
                  E, out, work->T[l], in, 1, Hv + net->at[l], in);
    times_weights(net, l, n, R, x + net->at[l], 0, R2);
    times_weights(net, l, n, E, v + net->at[l], 1, R2);
    times_weights(net, l, n, E, x + net->at[l], 0, E2);
    back_through(net->activation, n * (size_t)in, work->A[l], work->T[l], E2,
                 R2);
    float *done = E, *gone = R;
    E = E2, E2 = done;
    R = R2, R2 = gone;
  }
}
