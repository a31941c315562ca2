/* The model of quasi-Newton from the last steps and the changes of the gradient
 * over them, S and Y: H = Y S^-1 on the span of S, its coupling to the rest of
 * the space, and the curvature sigma outside.
 *
 * The gradient and all that H couples lie in a space of 2 m + 1 dimensions, Z,
 * so that p may be large.  Known here: vectors.  Not known: f. */
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
  size_t most, count; /* pairs: `newest` is the last of `count` */
  size_t newest;
  lrgd_block *pairs; /* steps, then changes of the gradient */
  lrgd_block *work;  /* columns of H Q, and one more */
  double sigma;      /* the curvature outside the span; 0: not known yet */
  lr_basis Z;        /* the span, what it couples to, and the gradient */
  size_t k;          /* the first k columns of Z are the span of S */
  double *H, *g;     /* the model in Z: `room` numbers a column */
  size_t room;
  double *C, *r, *scratch;
  lr_dense *dense;
} lr_secants;

LRGD_MUST_CHECK lrgd_status lr_secants_init(lr_secants *s, const lr_policy *P,
                                            lrgd_space *space,
                                            const lrgd_allocator *a);
void lr_secants_clear(lr_secants *s); /* safe on a zeroed struct */

/* Vectors for the next pair, a step and a change of the gradient, which the
 * caller writes; it counts when it is added. */
lrgd_vec lr_secants_step(const lr_secants *s);
lrgd_vec lr_secants_change(const lr_secants *s);
void lr_secants_add(lr_secants *s);

/* sigma from a step and the change of the gradient over it. */
void lr_secants_set_outside(lr_secants *s, lrgd_vec step, lrgd_vec change);

/* The model where the gradient is `gradient`: Z, g and H. False: it has no
 * eigenvalues, or the gradient is zero. */
bool lr_secants_model(lr_secants *s, lrgd_vec gradient);

#endif
