/* Is the gradient small?  What a run may claim of it, and how it is found out:
 * where it was measured, outside a subspace, and at bounds. */
#ifndef LR_CERTIFICATE_H
#define LR_CERTIFICATE_H

#include "model/model.h"

/* How far the norm of g, the gradient measured at the present point with the
 * hint c, may be off, with the confidence of the options; and that, or 1 where
 * slopes are given and no noise is seen in them.  Measures g again with longer
 * steps, into spare, where truncation decides; g.block NULL: g is not at hand.
 * These six: measured_gradient.c */
lr_code lr_run_gradient_error(lr_run *run, lrgd_vec g, double c, lrgd_vec spare,
                              double norm, double *error);
double lr_run_confidence(const lr_run *run);

/* Whether a gradient of that size changes f over a difference by no more than a
 * tenth of what the run has gained: where it does, f may swing many times
 * within one, and a bound that was measured so says nothing. */
bool lr_run_smooth(lr_run *run, double bound);

/* The gradient where the run stands is g, of this norm, at most lr_run_aim.
 * Ends the run, or LR_GO: it is to be measured again, as differences are
 * two-sided from now on, or the aim has become smaller. */
lr_code lr_run_small(lr_run *run, lrgd_vec g, double norm);

/* lr_run_gradient, and the end of the run where that is small. */
lr_code lr_run_gradient_or_end(lr_run *run, lrgd_vec g, lrgd_purpose why,
                               double *norm);

/* A run that has stalled tells what the gradient is where it ends, unless that
 * is known or costs more than half of what was spent. */
lr_code lr_run_close(lr_run *run);

/* Is grad f small outside U too, where the run stands?  Fresh probes along
 * which the curvature is some c (0: unknown): |grad f| <= *bound with the
 * confidence of the options, run->progress.grad_norm being its norm inside U.
 * closely: where a few leave that open, more of them are cheaper than what else
 * there is to do. */
lr_code lr_check_outside(lr_run *run, lr_basis *U, double c, bool closely,
                         double *bound);

/* Another look at a certificate, of as many probes as the options say: the
 * first of their streams, and the *share of the error that it may use. */
uint64_t lr_next_look(lr_run *run, double *share);

/* m fresh probes outside V where the model stands, g there being measured:
 * |grad f| <= *bound with the confidence of the options.  closely: see
 * lr_check_outside. */
lr_code lr_model_certify(lr_model *m, bool closely, double *bound);

/* The same at bounds: what they held when g was the gradient, they must hold
 * still.  Of no use (*bound infinite) where the free gradient is larger than
 * the tolerance or many coordinates are very near a bound.  This and
 * the next two: certificate_bounds.c */
lr_code lr_model_certify_held(lr_model *m, lrgd_vec g, double *bound);

/* The same where no gradient is known, the mean curvature along a coordinate
 * being c: at few bounds slopes are measured.  *large: the gradient is, where
 * nothing is near a bound. */
lr_code lr_model_certify_unheld(lr_model *m, double c, bool *large,
                                double *bound);

/* The same after lr_model_face_gradient, g, *bound being what is known of the
 * free part of it: slopes by which bounds hold may be foreseen only. */
lr_code lr_model_certify_face(lr_model *m, lrgd_vec g, double *bound);

#endif
