/* Training with slopes: stochastic low-rank descent, and the methods that it is
 * compared with. The cost is counted in forward passes of one batch: k + 1 for
 * a block of k slopes, 1 for a value. There is no backward pass, unless the
 * subspace is to be made of gradients. */
#ifndef LR_DESCENT_H
#define LR_DESCENT_H

#include "images.h"

#include <stdbool.h>

typedef enum lr_way {
  LR_LOW_RANK,         /* slopes in a subspace, a step inside it */
  LR_FORWARD_GRADIENT, /* x -= rate (u . g) u: one tangent, 2 passes */
  LR_TWO_POINT         /* the same by a central difference: 2 passes */
} lr_way;

typedef enum lr_subspace_from {
  LR_FROM_INPUTS,   /* Gaussian in the span of the layers' inputs */
  LR_FROM_RANDOM,   /* Gaussian in all of R^p */
  LR_FROM_GRADIENTS /* of mini-batches: backward passes, 3 passes each */
} lr_subspace_from;

/* Gauss and Newton's step in the subspace, from the tangents of the outputs,
 * which the slopes have paid for; or one of the library's rules. */
enum { LR_STEP_GAUSS_NEWTON = LRGD_STEP_AUTO };

typedef struct lr_descent_news lr_descent_news;

typedef struct lr_descent {
  lr_way way;
  lr_subspace_from from;
  int64_t step;    /* LR_STEP_GAUSS_NEWTON or an lrgd_step */
  size_t rank;     /* k, directions at a time */
  size_t inputs;   /* principal directions of a layer's inputs */
  size_t probes;   /* slopes outside, asked with every block; 0: a subspace is
                      used once.  Otherwise it is stale where slopes inside,
                      squared and beside those outside, are half of what they
                      were at first */
  size_t batch;    /* images */
  double rate;     /* of Gauss-Newton: share of the first full step; else
                      alpha, 0: the rule finds its own */
  double damping;  /* of Gauss-Newton, in units of the mean curvature */
  double momentum; /* of the library's rules; 0: theirs */
  bool svrg;       /* slopes less those of the same batch at an anchor, plus
                      the anchor's over `anchors` batches: 2 (k + 1) passes */
  size_t anchors;
  uint64_t budget; /* passes; never exceeded */
  uint64_t done;   /* passes spent before on x: schedules and random numbers go
                      on from there */
  uint64_t seed;
  bool card; /* x, directions and batches stay on a GPU */
  /* After every iteration; false ends the run.  NULL: nobody asks. */
  bool (*progress)(const lr_descent_news *news, void *user);
  void *user;
} lr_descent;

struct lr_descent_news {
  uint64_t passes, iterations;
  uint64_t slopes, values, gradients; /* what was asked for */
  uint64_t subspaces;                 /* used so far */
  size_t dimension;                   /* of what directions are drawn from */
  double loss;                        /* of the last batch, before the step */
  const float *x;                     /* lr_descent_point */
  void *walk;
};

/* The present point, borrowed for the call. */
const float *lr_descent_point(const lr_descent_news *news);

lr_descent lr_descent_default(void);

/* From x to the last point; news (may be NULL) receives the sum. */
LRGD_MUST_CHECK lrgd_status lr_descend_network(const lr_mlp *net,
                                               const lr_images *images,
                                               const lr_descent *how, float *x,
                                               lr_descent_news *news,
                                               lrgd_error *error);

#endif
