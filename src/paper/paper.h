/* The algorithms of the paper, and the pieces they share. */
#ifndef LR_PAPER_H
#define LR_PAPER_H

#include "certificate/certificate.h"
#include "solver/methods.h"

/* When to leave a descent whose slopes have become small. */
typedef enum lr_leave {
  LR_BEFORE_UPDATE, /* stop where they were seen */
  LR_AFTER_UPDATE   /* keep the update made with them: do ... while */
} lr_leave;

/* theta <- theta - alpha sum d_j u_j until |d| <= tol: the inner loop of all
 * three algorithms, with any step rule.  LR_GO: the slopes are small, or the
 * last step was slow (lr_run_slow).
 * LR_NOVALUE: no step makes f smaller although they are not. */
lr_code lr_descend(lr_run *run, const lr_basis *U, lr_leave leave);

/* U = the r dominant directions of gradients at the user's sample points, or
 * at points around the present one, itself the first of them: lines 1-4 of
 * Algorithm 1.  Ends the run where the present gradient is taken and small. */
lr_code lr_sample_subspace(lr_run *run, size_t r);

/* The step forgets (new subspace) or keeps (U grew) what it learned. */
lr_code lr_new_subspace(lr_run *run, size_t k);
lr_code lr_grown_subspace(lr_run *run);

/* theta <- theta - alpha g, as a step along the line of g, the gradient: the
 * step forgets what it learned elsewhere. */
lr_code lr_step_along(lr_run *run, lrgd_vec g);

/* Appends to U the part of g outside it; *kept tells whether there was any. */
lr_code lr_append(lr_run *run, lrgd_vec g, bool *kept);

/* The gradient at a random point around the present one, nearer and nearer
 * where it cannot be evaluated; LR_NOVALUE where it never can. */
lr_code lr_sample_gradient(lr_run *run, uint64_t stream, lrgd_vec g);

/* Where no step helps: ends the run, saying what is known. */
lr_code lr_no_step(lr_run *run);

#endif
