/* What the files of the card's perceptrons share. */
#ifndef LR_CARD_MLP_H
#define LR_CARD_MLP_H

#include "card_kernels.h"

#include <lrgd/cuda.h>
#include <stdio.h>
#include <vector>

enum { LR_CUDA_LAYERS = 8, LR_LOSSES = 2 };

/* The columns that a layer's directions are drawn in; count 0: all. */
struct lr_span {
  size_t count;
  float *V, *v;
  unsigned sweeps; /* of power iteration so far */
};

/* What descent by slopes keeps on the card (card_descent.cu). */
struct lr_descent_room {
  size_t known; /* images */
  uint8_t *pixels, *known_labels;
  size_t n; /* of the batch */
  float *images;
  uint8_t *labels;
  size_t asks;  /* so far */
  size_t asked; /* slopes of the last */
  double *answers;
  double *losses; /* of the last asks, in the host's memory */
  cudaEvent_t arrived[LR_LOSSES];
  float *tangents, *C;    /* k x n x classes: of the outputs, and curvature */
  double *B, *system, *z; /* Gauss-Newton's matrix, its factor, the step */
  lr_span spans[LR_CUDA_LAYERS];
  float *Z; /* random numbers of one layer, and how many there is room for */
  size_t z_size;
};

struct lrgd_cuda_mlp {
  size_t layers, widths[LR_CUDA_LAYERS + 1], at[LR_CUDA_LAYERS], p;
  bool relu, tf32;
  bool last_fused;              /* the last slopes came from the fused kernel */
  size_t images, slopes;        /* room for so many */
  float *A[LR_CUDA_LAYERS + 1]; /* outputs of each layer, 1 .. layers */
  float *D[2];                  /* tangents of a layer and the next */
  float *E[2];                  /* errors on their way back */
  float *fused_room;            /* of the fused kernel; NULL: it is not used */
  unsigned *counters;           /* of the fused kernel */
  lr_descent_room descent;
  std::vector<void *> owned;
};

/* Memory on the card that goes with the network, zero; false: there is none. */
bool lr_mlp_own(lrgd_cuda_mlp *mlp, void **to, size_t bytes);

/* Writes the message (error may be NULL) and returns status. */
lrgd_status lr_cuda_fail(lrgd_error *error, lrgd_status status,
                         const char *text);
lrgd_status lr_cuda_checked(cudaError_t code, lrgd_error *error);

/* The errors of the last slopes' outputs: those of an image are *row numbers
 * after those of the image before. */
const float *lr_mlp_errors_of(const lrgd_cuda_mlp *mlp, size_t n, size_t k,
                              size_t *row);

/* Z[j z + i] = scale times number first + i of stream + j, i < count. */
void lr_card_normals(uint64_t seed, uint64_t stream, uint64_t first,
                     size_t count, size_t k, double scale, float *Z, size_t z);

/* G[a k + b] = the sum of A_a A_b over `count` numbers `step` apart, those of
 * A_a from A + a column on, and of one pair more (NULL: none). */
void lr_card_gram(size_t k, size_t count, const float *A, size_t column,
                  size_t step, const float *last, double *G);

/* Numbers of lr_descent_room's system for up to k directions. */
size_t lr_card_system(size_t k);

/* Where losses arrive on the host; false: there is no memory. */
bool lr_card_begin_losses(lr_descent_room *d);
void lr_card_end_losses(lr_descent_room *d);
/* That of the last ask is sent. */
cudaError_t lr_card_send_loss(lr_descent_room *d);

/* Outputs of every layer into A; the last holds scores, not probabilities. */
void lr_mlp_forward(lrgd_cuda_mlp *mlp, const float *x, const float *images,
                    size_t n, cudaStream_t stream);

#endif
