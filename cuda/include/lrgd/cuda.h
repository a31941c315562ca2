/* lrgd/cuda.h: vectors in the memory of an NVIDIA GPU.
 *
 * A small library on top of lrgd/space.h; the core knows nothing of CUDA.
 * The solver's vectors never leave the card: callbacks get vecs, and launch
 * kernels on the numbers behind them.
 *
 *   lrgd_space *space = lrgd_cuda_space(p, LRGD_SCALAR_FLOAT, &error);
 *   lrgd_space_problem problem = lrgd_space_problem_default(space);
 *   problem.slopes = slopes;
 *   lrgd_solver_create_in(&solver, &problem, &options, &error);
 *   lrgd_solver_solve_in(solver, x, &result, &error);
 *
 * All work is done on the default stream of the device that is current when the
 * space is made, so that kernels of callbacks on that stream need no
 * synchronisation; a callback that uses another stream waits for it before it
 * returns.  Sums are made of parts in one order: a run gives the same bits
 * again, on any card.  One thread at a time may use a space. */
#ifndef LRGD_CUDA_H
#define LRGD_CUDA_H

#include <lrgd/space.h>

#ifdef __cplusplus
extern "C" {
#endif

/* p numbers a vector on the current device.  NULL, and why in error (may be
 * NULL): no device, no memory, p = 0 or above 2^31 - 1. */
LRGD_API lrgd_space *lrgd_cuda_space(size_t dimension, lrgd_scalar scalar,
                                     lrgd_error *error);

/* The numbers of one column, on the device (double* or float*). */
LRGD_API void *lrgd_cuda_data(lrgd_vec y);

/* From a column of a block to the next, in numbers: at least p, a multiple of
 * 64, so that every column begins where wide loads and the card's copy engine
 * may begin. */
LRGD_API size_t lrgd_cuda_stride(const lrgd_space *space);

/* What went wrong on the card since the space was made, or NULL: after a
 * failure sums are NaN, and the run ends. */
LRGD_API const char *lrgd_cuda_failure(const lrgd_space *space);

/* The name of the current device, copied into text. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_cuda_device(char *text, size_t size,
                                                      lrgd_error *error);

/* ---- perceptrons on the card: slopes by the block, training ----
 *
 * Fully connected layers, softmax, cross-entropy.  The parameters are one
 * vector of floats, layer after layer: W (out x in, row after row), then b.
 * All pointers below are to the card's memory unless they are said to be the
 * host's. */

/* TF32: products of the matrix units, operands rounded to 11 bits; sums are
 * floats either way. */
typedef enum lrgd_cuda_precision {
  LRGD_CUDA_PRECISION_TF32,
  LRGD_CUDA_PRECISION_FP32
} lrgd_cuda_precision;
typedef enum lrgd_cuda_activation {
  LRGD_CUDA_ACTIVATION_RELU,
  LRGD_CUDA_ACTIVATION_TANH
} lrgd_cuda_activation;

typedef struct lrgd_cuda_mlp lrgd_cuda_mlp;

/* A network of `count` widths (the host's), with room for batches of up to
 * `images` images and blocks of up to `slopes` slopes. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_cuda_mlp_create(
    lrgd_cuda_mlp **mlp, size_t count, const size_t *widths,
    lrgd_cuda_activation activation, lrgd_cuda_precision precision,
    size_t images, size_t slopes, lrgd_error *error);
LRGD_API void lrgd_cuda_mlp_destroy(lrgd_cuda_mlp **mlp);
LRGD_API size_t lrgd_cuda_mlp_parameters(const lrgd_cuda_mlp *mlp);

/* n images, row after row, and their labels. */
typedef struct lrgd_cuda_batch {
  size_t n;
  const float *images;
  const uint8_t *labels;
} lrgd_cuda_batch;

/* answers = the mean loss at x, then its slopes along the k columns of U, which
 * are `stride` numbers apart; all in one pass.  tangents (may be NULL): how the
 * outputs before the softmax move, k x n x classes.  Queued on `stream` (a
 * cudaStream_t; NULL: the default one), not waited for; can be captured into a
 * graph. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_cuda_mlp_slopes(
    lrgd_cuda_mlp *mlp, const float *x, const lrgd_cuda_batch *batch, size_t k,
    const float *U, size_t stride, double *answers, float *tangents,
    void *stream, lrgd_error *error);

/* How many of these images the network gets right. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_cuda_mlp_right(
    lrgd_cuda_mlp *mlp, const float *x, const lrgd_cuda_batch *images,
    size_t *right, lrgd_error *error);

/* ---- descent by slopes: what an iteration needs, kept on the card ----
 *
 * Pictures, the batch, its tangents and the span of directions belong to mlp;
 * x and U are the caller's, on the card; all other pointers are the host's. */

/* Copies `count` images (a byte for each input, 0 to 255) with their labels. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_cuda_mlp_keep(lrgd_cuda_mlp *mlp,
                                                        size_t count,
                                                        const uint8_t *images,
                                                        const uint8_t *labels,
                                                        lrgd_error *error);

/* n of them are the batch from here on, as numbers in [0, 1]. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_cuda_mlp_pick(lrgd_cuda_mlp *mlp,
                                                        size_t n,
                                                        const uint32_t *which,
                                                        lrgd_error *error);

/* answers = the batch's mean loss at x, then k slopes; NULL: they stay on the
 * card, and are not waited for. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_cuda_mlp_ask(lrgd_cuda_mlp *mlp, const float *x, size_t k, const float *U,
                  size_t stride, double *answers, lrgd_error *error);

/* B = the Gauss-Newton matrix (k x k) of what was asked last, along its first k
 * directions. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_cuda_mlp_curvature(lrgd_cuda_mlp *mlp,
                                                             size_t k,
                                                             double *B,
                                                             lrgd_error *error);

/* x += share U z with (B + lift I) z = -d, for the first k slopes d of what was
 * asked last and their Gauss-Newton matrix B; lift: damping times the mean of
 * its diagonal.  Not waited for: where the matrix is not positive definite x
 * becomes NaN, and so does the next loss. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_cuda_mlp_step(
    lrgd_cuda_mlp *mlp, float *x, size_t k, const float *U, size_t stride,
    double damping, double share, lrgd_error *error);

/* The loss of the last ask (before = 0) or of the one before it (1): it is
 * waited for, but not what was queued since. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_cuda_mlp_loss(lrgd_cuda_mlp *mlp,
                                                        size_t before,
                                                        double *loss,
                                                        lrgd_error *error);

/* Directions of a layer's weights are drawn in the span of so many columns of V
 * (inputs x count, row after row; v: those of the bias's input).  V NULL: of
 * random ones, until they are refreshed.  count 0: in all directions. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_cuda_mlp_span(lrgd_cuda_mlp *mlp, size_t layer, size_t count,
                   const float *V, const float *v, lrgd_error *error);

/* The spans of hidden layers become the principal directions of their inputs
 * at x, over the first n images, by block power iteration. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_cuda_mlp_refresh(lrgd_cuda_mlp *mlp,
                                                           const float *x,
                                                           size_t n,
                                                           lrgd_error *error);

/* Columns 0 .. k - 1 of U = `scale` times Gaussian directions in the spans, by
 * random numbers of stream, stream + 1, .. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_cuda_mlp_draw(lrgd_cuda_mlp *mlp, uint64_t seed, uint64_t stream, size_t k,
                   double scale, float *U, size_t stride, lrgd_error *error);

/* ---- training by backward passes ---- */

/* Adam (0.9, 0.999, 1e-7) over shuffled mini-batches, by backward passes. */
typedef struct lrgd_cuda_training {
  size_t struct_size; /* lrgd_cuda_training_init sets it */
  double rate;
  size_t epochs, batch; /* what is left of an epoch is a smaller batch */
  /* order[0 .. count - 1] of an epoch, written to the host's memory */
  void (*shuffle)(size_t epoch, size_t count, uint32_t *order, void *user);
  /* after every epoch, with the mean loss of its batches; false ends the
   * training.  NULL: nobody asks. */
  int (*progress)(size_t epoch, double loss, void *user);
  void *user;
} lrgd_cuda_training;

/* The paper's: rate 1e-3, 20 epochs, batches of 200. */
LRGD_API void lrgd_cuda_training_init(lrgd_cuda_training *training,
                                      size_t size);

/* From x to a trained x. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_cuda_mlp_train(lrgd_cuda_mlp *mlp, const lrgd_cuda_training *training,
                    const lrgd_cuda_batch *images, float *x, lrgd_error *error);

#ifdef __cplusplus
}
#endif
#endif
