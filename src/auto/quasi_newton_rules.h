/* When quasi-Newton takes which gradient, steps inside V, and stops: decisions
 * that are functions of what was seen and of the policy, and of nothing else.
 */
#ifndef LR_QUASI_NEWTON_RULES_H
#define LR_QUASI_NEWTON_RULES_H

#include "auto/quasi_newton_state.h"
#include "base/policy.h"

/* Whether the active set is large enough for a gradient without it.  Whole
 * gradients are taken every so often, and where a round has failed.  A V that
 * is most of the space needs whole gradients: its model of the coordinates that
 * are left out would become outdated. */
bool lr_qn_active_gradient_pays(const lr_policy *P, const lr_qn_active *a,
                                double k, double p);

/* Whether probes cost less than the derivatives at active bounds that they
 * stand for. */
bool lr_qn_probes_pay(const lr_policy *P, double active, double probes);

/* Whether a derivative or a gradient is no more than its error. */
bool lr_qn_within_error(const lr_policy *P, double norm, double error);

/* Whether the error of a gradient is too large for the tolerance, so that a
 * smaller gradient cannot be distinguished from it. */
bool lr_qn_error_hides(const lr_policy *P, double error, double tol);

/* Whether the first gradient is less than the error that curvature gives
 * one-sided differences. */
bool lr_qn_blurred(const lr_policy *P, double norm, double error);

/* The trace of the Hessian bounds the error of one-sided differences: the
 * random directions that measure it; whether the bound to expect leaves room
 * below the tolerance; and whether that is cheaper than two-sided differences.
 */
size_t lr_qn_trace_probes(const lr_policy *P);
bool lr_qn_trace_promises(const lr_policy *P, double expected, double tol);
bool lr_qn_trace_pays(const lr_policy *P, double p);

/* Whether noise is larger than all that a step could gain. */
bool lr_qn_gain_is_noise(const lr_policy *P, double gain, double noise);

/* Whether a gradient has a part outside V, and more than rounding made it. */
bool lr_qn_is_new(const lr_policy *P, double outside, double gradient);

/* The curvature along a derivative, where f has negative curvature and nothing
 * else is known: one, unless the step were too long beside x. */
double lr_qn_guessed_curvature(const lr_policy *P, double slope, double scale);

/* Whether the model is too large a part of the space for measured columns. */
bool lr_qn_columns_too_dear(const lr_policy *P, double k, double p);

/* Whether steps inside V are tried, the last round having decreased f at that
 * rate per evaluation. */
bool lr_qn_steps_inside(const lr_policy *P, const lr_qn_inside *s,
                        bool interior, double k, double p, double rate);

/* Whether they go on, after so many jumps of f. */
bool lr_qn_goes_on_inside(const lr_policy *P, double rate_inside, double rate,
                          double cliffs);

/* Rounds without a decrease after which the phase is stuck. */
double lr_qn_failed_rounds(const lr_policy *P, bool noise_two_sided);

/* Whether so many rounds under noise without a decrease beyond it are the end.
 */
bool lr_qn_idles(const lr_policy *P, unsigned idle);

/* Whether a window of rounds ends with this one. */
bool lr_qn_window_ends(const lr_policy *P, uint64_t rounds);

/* Whether the last rounds brought too little of the whole decrease: f is not
 * smooth here.  cliffs: jumps in the window.  active: gradients without the
 * active coordinates may be the cause. */
bool lr_qn_creeps(const lr_policy *P, double lately, double gained,
                  double cliffs, bool active);

/* Whether it is time to measure the noise, so many evaluations after the last
 * time. */
bool lr_qn_noise_due(const lr_policy *P, double since, double p, bool noisy);

/* Whether the model was built from differences that assumed far less noise than
 * there is. */
bool lr_qn_misled(const lr_policy *P, const lr_model *m);

/* The pretest: whether the last decrease was so small that the gradient may be
 * small, `before` being its bound there; whether one derivative along a random
 * direction in n dimensions allows it; whether the derivatives inside V do; and
 * whether probes are cheap enough beside a gradient. */
bool lr_pretest_near(const lr_policy *P, double before, double tol);
bool lr_pretest_one_probe(const lr_policy *P, double n, double d, double tol);
bool lr_pretest_inside(const lr_policy *P, double inside, double tol);
bool lr_pretest_cheap(const lr_policy *P, double k, double probes, double p);
bool lr_pretest_cheap_bounded(const lr_policy *P, double probes, double p);

/* Separable functions: whether f may be one after so many times that it was
 * not; what change of a derivative with that error is none; whether the signs
 * of the changes of the gradient agree with a diagonal Hessian, and whether a
 * curvature does. */
bool lr_separable_tries(const lr_policy *P, unsigned rejected);
double lr_separable_least_change(const lr_policy *P, double error);
bool lr_separable_signs(const lr_policy *P, double changed, double agree);
bool lr_separable_curvature(const lr_policy *P, double measured,
                            double predicted);

#endif
