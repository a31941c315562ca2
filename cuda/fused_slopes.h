/* k slopes of a network with one hidden layer in one pass, TF32: what the
 * kernel needs to know, and how it is launched. */
#ifndef LR_FUSED_SLOPES_H
#define LR_FUSED_SLOPES_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

/* Classes that a warp's product has room for. */
enum { LR_FUSED_CLASSES = 16 };

typedef struct lr_fused {
  size_t n, in, out, classes; /* images, and the widths of the network */
  size_t k, stride;           /* directions, and from one to the next */
  bool relu;                  /* else tanh */
  const float *x, *U, *images;
  const uint8_t *labels;
  float *room;        /* lr_fused_room floats */
  unsigned *counters; /* zero before the first launch, and after each */
  float *tangents;    /* k x n x classes, of the outputs; NULL: not wanted */
  double *answers;    /* f, then k slopes */
} lr_fused;

/* Whether this shape and this card are such that the kernel can be used. */
bool lr_fused_fits(const lr_fused *q);

/* For up to n images and k directions. */
size_t lr_fused_room(size_t n, size_t out, size_t k);
size_t lr_fused_counters(size_t n);

/* Where in the room the errors of the last launch are: LR_FUSED_CLASSES for
 * each image. */
const float *lr_fused_errors(float *room, size_t n, size_t out, size_t k);

cudaError_t lr_fused_launch(const lr_fused *q, cudaStream_t stream);

#endif
