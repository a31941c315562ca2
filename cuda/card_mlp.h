/* What the files of the card's perceptrons share. */
#ifndef LR_CARD_MLP_H
#define LR_CARD_MLP_H

#include "card_kernels.h"

#include <lrgd/cuda.h>
#include <stdio.h>
#include <vector>

enum { LR_CUDA_LAYERS = 8 };

struct lrgd_cuda_mlp {
  size_t layers, widths[LR_CUDA_LAYERS + 1], at[LR_CUDA_LAYERS], p;
  bool relu, tf32;
  size_t images, slopes;        /* room for so many */
  float *A[LR_CUDA_LAYERS + 1]; /* outputs of each layer, 1 .. layers */
  float *D[2];                  /* tangents of a layer and the next */
  float *E[2];                  /* errors on their way back */
  float *fused_room;            /* of the fused kernel; NULL: it is not used */
  unsigned *counters;           /* of the fused kernel */
  std::vector<void *> owned;
};

/* Writes the message (error may be NULL) and returns status. */
lrgd_status lr_cuda_fail(lrgd_error *error, lrgd_status status,
                         const char *text);
lrgd_status lr_cuda_checked(cudaError_t code, lrgd_error *error);

/* Outputs of every layer into A; the last holds scores, not probabilities. */
void lr_mlp_forward(lrgd_cuda_mlp *mlp, const float *x, const float *images,
                    size_t n, cudaStream_t stream);

#endif
