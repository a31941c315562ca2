/* A quadratic model fitted to known evaluations around the lowest of them,
 * along the few directions whose curvature they determine. */
#ifndef LR_FIT_H
#define LR_FIT_H

#include "learn/known.h"

typedef struct lr_fit {
  lrgd_allocator allocator;
  size_t p, q; /* inputs, directions */
  double *V;   /* p x q, orthonormal */
  double *g;   /* q: derivatives along them at the lowest point */
  double *B;   /* q x q: second derivatives, with `room` as leading dimension */
  size_t room;
  /* p: known derivatives along the inputs at the lowest point, NaN where
   * unknown; NULL: none is known */
  double *partial;
  double reach; /* the longest edge between two of the points */
  double
      steepness;  /* |grad f| at the first evaluation, estimated; 0: unknown */
  bool newton;    /* the last step there was a quasi-Newton step */
  bool quadratic; /* an exact quadratic is the most likely explanation */
  /* known gradients are at sample points, not at iterates of a descent */
  bool sampled;
  bool gradient_first; /* a whole gradient is known at the first evaluation */
  bool embedding;      /* an embedding was running, or none was tried */
  bool folded;         /* one was tried, in coordinates mapped into a box */
  /* of lr_fit_samples(): */
  bool spans;     /* the model is made of gradients at sample points */
  size_t at;      /* number of the evaluation where a run continues */
  size_t open;    /* B between the last `open` directions is unknown: 0 */
  bool descended; /* much of the decrease was made after the samples */
} lr_fit;

/* Fits the model at evaluation `lowest`, with at most `most` directions; noise
 * is the standard deviation of values.  q is 0 where too little is known. */
LRGD_MUST_CHECK lrgd_status lr_fit_init(lr_fit *fit, const lr_known *known,
                                        size_t lowest, size_t most,
                                        double noise);

/* Where the known gradients are those of sample points, as at the beginning of
 * Algorithm 1: finds out whether a descent followed them and, for `model`,
 * makes a model at the first of these points, whose second derivatives are
 * known but for those that `open` tells.  q is 0 where fewer than two gradients
 * are known in whole, all by differences. */
LRGD_MUST_CHECK lrgd_status lr_fit_samples(lr_fit *fit, const lr_known *known,
                                           size_t lowest, bool model);
void lr_fit_clear(lr_fit *fit); /* frees; safe on a zeroed struct */

#endif
