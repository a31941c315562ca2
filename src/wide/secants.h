/* The quasi-Newton model from the last steps and the changes of the gradient
 * over them, S and Y: H = Y S^-1 on the span of S, its coupling to the rest of
 * the space, and the curvature sigma elsewhere.
 *
 * The gradient and all that H couples lie in a space of 2 m + 1 dimensions, Z,
 * so that p may be large.  This file knows vectors, not f. */
#ifndef LR_SECANTS_H
#define LR_SECANTS_H

#include "base/dense.h"
#include "base/policy.h"
#include "base/status.h"
#include "subspace/basis.h"

typedef struct lr_secants {
  const lr_policy *policy;
  lrgd_space *space;
  lrgd_allocator allocator;
  /* capacity, and pairs stored; `newest` is the index of the last one */
  size_t most, count;
  size_t newest;
  lrgd_block *pairs; /* steps, then changes of the gradient */
  lrgd_block *work;  /* columns of H Q, and one more */
  double sigma;      /* the curvature outside the span; 0: not known yet */
  /* an orthonormal basis: span of S, what H couples it to, gradient */
  lr_basis Z;
  size_t k;      /* the first k columns of Z are the span of S */
  double *H, *g; /* the model in Z; leading dimension `room` */
  size_t room;
  double *C, *r, *scratch;
  lr_dense *dense;
} lr_secants;

LRGD_MUST_CHECK lrgd_status lr_secants_init(lr_secants *s, const lr_policy *P,
                                            lrgd_space *space,
                                            const lrgd_allocator *a);
void lr_secants_clear(lr_secants *s); /* safe on a zeroed struct */

/* Vectors into which the caller writes the next pair, a step and the change of
 * the gradient; lr_secants_add makes it part of the model. */
lrgd_vec lr_secants_step(const lr_secants *s);
lrgd_vec lr_secants_change(const lr_secants *s);
void lr_secants_add(lr_secants *s);

/* Corrects input j of the change of the gradient over a step, the last one
 * having age 0. */
void lr_secants_amend(lr_secants *s, size_t age, size_t j, double by);

/* sigma from a step and the change of the gradient over it. */
void lr_secants_set_outside(lr_secants *s, lrgd_vec step, lrgd_vec change);

/* Makes the model where the gradient is `gradient`: Z, g and H. False: the
 * eigendecomposition failed, or the gradient is zero. */
bool lr_secants_model(lr_secants *s, lrgd_vec gradient);

/* H = Z (H_Z - sigma I) Z' + sigma I as a dense p x p matrix; w, y and z:
 * scratch of p numbers each. */
void lr_secants_expand(const lr_secants *s, lrgd_vec w, double *H, double *y,
                       double *z);

/* predicted = the gradient that this model has after a step. */
void lr_secants_predict(const lr_secants *s, lrgd_vec gradient, lrgd_vec step,
                        lrgd_vec predicted);

#endif
