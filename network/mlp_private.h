/* What the files of the network's mathematics share. */
#ifndef LR_MLP_PRIVATE_H
#define LR_MLP_PRIVATE_H

#include "base/wide.h"
#include "mlp.h"

#include <stdbool.h>

/* Streams of random numbers, one for each thing that is drawn. */
enum {
  LR_NETWORK_START = 101,
  LR_NETWORK_SHUFFLE,
  LR_NETWORK_BATCH,
  LR_NETWORK_IMAGES,
  LR_NETWORK_LABELS
};
#define LR_NETWORK_DIRECTIONS (UINT64_C(1) << 40)
#define LR_NETWORK_POINTS (UINT64_C(1) << 41)

/* Normal numbers first, first + 1, ... of a stream, as floats. */
void lr_network_normals(uint64_t seed, uint64_t stream, uint64_t first,
                        size_t n, float *z);

struct lr_mlp_work {
  size_t n, k;
  const float *images;         /* of the batch last seen */
  float *A[LR_MLP_LAYERS + 1]; /* outputs of each layer, 1 .. layers */
  float *E[2];                 /* errors, propagated back, n x width */
  float *D[2];                 /* tangents of a layer and the next */
  float *T[LR_MLP_LAYERS + 1]; /* tangents of each layer, for the Hessian */
  const float *tangents;       /* of the outputs, one of D */
  size_t image, way;           /* how far apart they are */
  float *wide;                 /* gathered tangents of the weights */
  float *ones;
  float *blocks[2 * LR_MLP_LAYERS + 8];
  size_t block_count, bytes;
};

/* Whether a layer's tangents are gathered into one wide product. */
bool lr_mlp_gathers(const lr_mlp *net, size_t layer);
/* For how many of k directions their tangents are gathered at once. */
size_t lr_mlp_gather_count(const lr_mlp *net, size_t layer, size_t k);

void lr_mlp_errors(const lr_mlp *net, const lr_mlp_work *work,
                   const lr_batch *batch, float *E);
void lr_mlp_back(lr_activation activation, size_t count, const float *A,
                 float *E);
void lr_mlp_layer_gradient(const lr_mlp *net, const lr_mlp_work *work, size_t l,
                           size_t n, const float *E, const float *A, float *g);
/* The tangents of layer l + 1 along the k columns of U, from those of layer l
 * (NULL: the images, which do not move). */
void lr_mlp_advance(const lr_mlp *net, lr_mlp_work *work, const float *x,
                    size_t l, size_t n, size_t k, const float *U,
                    const float *before, float *D);

#endif
