/* What the files of training with slopes share. */
#ifndef LR_DESCENT_PRIVATE_H
#define LR_DESCENT_PRIVATE_H

#include "descent.h"
#include "descent_card.h"
#include "network_directions.h"
#include "step/step.h"

/* The state of a descent.  Over 20 members: inputs, iterate, subspace, step and
 * counts of one loop, of which every function of descent*.c uses most. */
typedef struct lr_walk {
  const lr_mlp *net;
  const lr_images *images;
  const lr_descent *how;
  lr_descent_news news;
  lrgd_error *error;
  lr_mlp_work *work;
  lr_gather place;
  lr_batch batch; /* the present one */
  uint32_t *order;
  size_t at; /* images of this round already used */
  uint64_t round, stream;
  lr_directions *directions;
  lr_card *card; /* where x, U and batches are; NULL: here */
  size_t k;      /* directions of the present subspace */
  double held; /* share of the gradient inside the subspace when that was new */
  float *x, *trial, *anchor;
  float *U;              /* p x (rank + probes) */
  double *d, *z, *other; /* k slopes, the step, and slopes at another point */
  double *mean;          /* the anchor's slopes */
  lr_step step;          /* where a rule of the library moves */
  float *C;              /* curvature: k x (n classes) */
  double *B;             /* k x k: C C', the Gauss-Newton matrix */
  float *small;          /* k x k: B in single precision */
} lr_walk;

/* Whether so many more passes fit in the budget; if so they are counted. */
bool lr_walk_pay(lr_walk *walk, uint64_t passes);

/* x += share U z with z = -(B + damping mean(diag B) I)^-1 d, B the
 * Gauss-Newton matrix in the subspace, of the batch last asked; false where it
 * cannot be solved. */
bool lr_gauss_newton(lr_walk *walk, size_t k, double share);

/* x += scale U z */
void lr_walk_move(lr_walk *walk, size_t k, double scale);

/* A step of one of the library's rules; LR_NOVALUE: none was found. */
lr_code lr_walk_rule(lr_walk *walk, size_t k, double f);

#endif
