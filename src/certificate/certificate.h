/* Certificates: upper confidence bounds on the gradient where a run ends.  They
 * come from a gradient that was measured, from random probes outside a
 * subspace, or from both at bounds. */
#ifndef LR_CERTIFICATE_H
#define LR_CERTIFICATE_H

#include "model/model.h"

/* *error: a bound, with the confidence of the options, on the error of |g|, g
 * being the gradient measured at the present point by differences of curvature
 * hint c.  Where its truncation error decides, g is measured again with longer
 * steps, into spare; g.block NULL: g is not available for that.  This function
 * and the next six: measured_gradient.c */
lr_code lr_run_gradient_error(lr_run *run, lrgd_vec g, double c, lrgd_vec spare,
                              double norm, double *error);
/* Sets run->claim.bend, a bound on the truncation error of the derivatives
 * along U that run->moving.d has at the present point, of the given norm.
 * Differences of a noisy f have long steps: where their truncation error
 * decides whether the gradient is within the tolerance, they are measured again
 * with longer ones.  *finer: it does, and the next differences are shorter. */
lr_code lr_run_slopes_truncation(lr_run *run, const lr_basis *U, double norm,
                                 bool *finer);
/* The confidence of such a bound: that of the options, or 1 where the user
 * gives derivatives that show no noise. */
double lr_run_confidence(const lr_run *run);

/* Whether a gradient of size `bound` changes f along one finite difference by
 * little of the decrease so far.  If not, f may oscillate within a difference,
 * and a bound measured by differences means nothing. */
bool lr_run_smooth(lr_run *run, double bound);

/* Handles a gradient g at the present point whose norm is at most lr_run_aim.
 * Ends the run, or returns LR_GO: the gradient has to be measured again, since
 * differences are two-sided from now on or the aim has become smaller. */
lr_code lr_run_small(lr_run *run, lrgd_vec g, double norm);

/* Measures the gradient, and ends the run where it is small. */
lr_code lr_run_gradient_or_end(lr_run *run, lrgd_vec g, lrgd_purpose why,
                               double *norm);

/* At the end of a stalled run: measures the gradient at the point to be
 * returned, unless it is known or costs too much compared with what the run has
 * spent. */
lr_code lr_run_close(lr_run *run);

/* Whether no value was lower than the first, so that the tolerance, which
 * nobody gave, may have been taken from a first gradient that was error. */
bool lr_run_began_at_minimum(const lr_run *run);

/* Bounds |grad f| at the present point by fresh probes outside U, along which
 * the curvature is about c (0: unknown): |grad f| <= *bound with the confidence
 * of the options.  run->progress.grad_norm is the norm inside U.  closely: more
 * probes follow where the first leave the tolerance open and are cheap. */
lr_code lr_check_outside(lr_run *run, lr_basis *U, double c, bool closely,
                         double *bound);

/* Begins another certificate.  Returns the random stream of the first of its
 * probes, whose number is an option; *share: the error probability it may use,
 * so that all certificates of a run keep to the confidence together. */
uint64_t lr_next_look(lr_run *run, double *share);

/* Certifies |g| for a model whose derivatives g along V are measured.  Where
 * these are differences the probes go everywhere: they bound the errors of g
 * too. */
lr_code lr_model_certify(lr_model *m, bool closely, double *bound);

/* Certifies the projected gradient; g is an earlier gradient, and the signs
 * of its multipliers must be shown to hold still.  *bound is infinite where the
 * gradient along free coordinates exceeds the tolerance, or many coordinates
 * are too near a bound for differences.  This and the next two:
 * certificate_bounds.c */
lr_code lr_model_certify_held(lr_model *m, lrgd_vec g, double *bound);

/* Certifies the projected gradient without an earlier gradient; c is the mean
 * curvature along a coordinate.  Derivatives along coordinates near a bound are
 * measured. *large: the gradient along the other coordinates alone exceeds the
 * tolerance. */
lr_code lr_model_certify_unheld(lr_model *m, double c, bool *large,
                                double *bound);

/* Certifies the projected gradient after lr_model_face_gradient measured g
 * along the free coordinates, *bound being a bound on that part: the
 * multipliers in g are predictions of the model. */
lr_code lr_model_certify_face(lr_model *m, lrgd_vec g, double *bound);

#endif
