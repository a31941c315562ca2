/* The algorithms of the paper, and the functions they share. */
#ifndef LR_PAPER_H
#define LR_PAPER_H

#include "certificate/certificate.h"
#include "solver/methods.h"

/* Where an inner descent ends once its slopes are small. */
typedef enum lr_leave {
  LR_BEFORE_UPDATE, /* before the update that they would give */
  LR_AFTER_UPDATE   /* after that update: do ... while */
} lr_leave;

/* theta <- theta - alpha sum d_j u_j until |d| <= tol: the inner loop of all
 * three algorithms, with any step rule.  LR_GO: the slopes are small, or the
 * last decrease was below stop_decrease (lr_run_slow).  LR_NOVALUE: no step
 * decreases f although they are not small. */
lr_code lr_descend(lr_run *run, const lr_basis *U, lr_leave leave);

/* U = the r dominant directions of gradients at the user's sample points, or at
 * points around the iterate, itself the first: lines 1-4 of Algorithm 1.  Ends
 * the run where the gradient at the iterate is small. */
lr_code lr_sample_subspace(lr_run *run, size_t r);

/* The step rule forgets its history (new subspace) or extends it (U grew). */
lr_code lr_new_subspace(lr_run *run, size_t k);
lr_code lr_grown_subspace(lr_run *run);

/* theta <- theta - alpha g, a step along the gradient; the step rule forgets
 * its history. */
lr_code lr_step_along(lr_run *run, lrgd_vec g);

/* Appends to U the part of g outside it; *kept: there was one. */
lr_code lr_append(lr_run *run, lrgd_vec g, bool *kept);

/* The gradient at a random point around the iterate, nearer and nearer where it
 * cannot be evaluated; LR_NOVALUE where it never can. */
lr_code lr_sample_gradient(lr_run *run, uint64_t stream, lrgd_vec g);

/* Ends the run where no step decreases f, with what is known of the gradient.
 */
lr_code lr_no_step(lr_run *run);

#endif
