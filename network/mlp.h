/* Multilayer perceptrons: fully connected layers, softmax, cross-entropy.
 *
 * The parameters are one vector of p floats, layer after layer: W (out x in,
 * row after row), then b.  Known here: the network's mathematics.  Not known:
 * where images come from, how a network is trained. */
#ifndef LR_MLP_H
#define LR_MLP_H

#include <lrgd/lrgd.h>

enum { LR_MLP_LAYERS = 8 };

typedef enum lr_activation { LR_RELU, LR_TANH } lr_activation;

typedef struct lr_mlp {
  size_t layers;                    /* of weights */
  size_t widths[LR_MLP_LAYERS + 1]; /* inputs, hidden ..., classes */
  lr_activation activation;         /* of the hidden layers */
  size_t p;
  size_t at[LR_MLP_LAYERS]; /* where W of each layer begins */
} lr_mlp;

/* A network of count widths; p must be below 2^31.  The first one loads a BLAS
 * (blas.h): make it before threads are started. */
LRGD_MUST_CHECK lrgd_status lr_mlp_make(lr_mlp *net, size_t count,
                                        const size_t *widths,
                                        lr_activation activation,
                                        lrgd_error *error);

/* Glorot's uniform weights, biases zero. */
void lr_mlp_start(const lr_mlp *net, uint64_t seed, float *x);

/* Some images with their labels, borrowed: n rows of widths[0] numbers. */
typedef struct lr_batch {
  size_t n;
  const float *images;
  const uint8_t *labels;
} lr_batch;

/* Scratch for batches of up to n images and blocks of up to k tangents; owned.
 * It holds the activations of one batch, and two layers of k tangents; of k
 * copies of the weights there is no trace. */
typedef struct lr_mlp_work lr_mlp_work;
LRGD_MUST_CHECK lrgd_status lr_mlp_work_create(lr_mlp_work **work,
                                               const lr_mlp *net, size_t n,
                                               size_t k, lrgd_error *error);
void lr_mlp_work_destroy(lr_mlp_work **work);
size_t lr_mlp_work_bytes(const lr_mlp_work *work);

/* The mean loss of the batch; sums are in double. */
double lr_mlp_value(const lr_mlp *net, lr_mlp_work *work, const float *x,
                    const lr_batch *batch);
/* The same, and its gradient by a backward pass. */
double lr_mlp_gradient(const lr_mlp *net, lr_mlp_work *work, const float *x,
                       const lr_batch *batch, float *g);
/* The same, and d_j = its slope along column j of U (p x k), all k in one
 * forward pass: vector forward mode. */
double lr_mlp_slopes(const lr_mlp *net, lr_mlp_work *work, const float *x,
                     const lr_batch *batch, size_t k, const float *U,
                     double *d);
/* Hv = the Hessian of the mean loss times v (Pearlmutter's R operator: a
 * tangent through the backward pass); needs work for k >= 1. */
void lr_mlp_hessian(const lr_mlp *net, lr_mlp_work *work, const float *x,
                    const lr_batch *batch, const float *v, float *Hv);

/* ---- results of the last call, borrowed until the next ---- */

/* How many of that batch the network got right. */
size_t lr_mlp_right(const lr_mlp *net, const lr_mlp_work *work,
                    const lr_batch *batch);

/* The inputs of a layer of weights (n x widths[layer]); 0 gives the images. */
const float *lr_mlp_inputs(const lr_mlp_work *work, size_t layer);
/* Probabilities of the classes (n x classes). */
const float *lr_mlp_probabilities(const lr_mlp_work *work);
/* After lr_mlp_slopes, how the outputs before the softmax of image i move along
 * column j of U: one number for each class. */
const float *lr_mlp_output_tangent(const lr_mlp_work *work, size_t i, size_t j);

#endif
