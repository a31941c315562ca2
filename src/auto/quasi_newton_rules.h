/* When quasi-Newton measures which gradient, takes steps inside V, and stops:
 * pure functions of observations and of the policy. */
#ifndef LR_QUASI_NEWTON_RULES_H
#define LR_QUASI_NEWTON_RULES_H

#include "auto/quasi_newton_state.h"
#include "base/policy.h"

/* Whether the active set is large enough for gradients without the active
 * coordinates to pay.  Full gradients are measured at intervals, after a failed
 * round, and where V is most of the space (there the model's predictions for
 * the coordinates left out would become outdated). */
bool lr_qn_active_gradient_pays(const lr_policy *P, const lr_qn_active *a,
                                double k, double p);

/* Whether probes cost less than the derivatives at active bounds that they
 * replace. */
bool lr_qn_probes_pay(const lr_policy *P, double active, double probes);

/* Whether a derivative or the norm of a gradient is within its error. */
bool lr_qn_within_error(const lr_policy *P, double norm, double error);

/* Whether the error of a gradient is too large for the tolerance, so that a
 * smaller gradient cannot be distinguished from it. */
bool lr_qn_error_hides(const lr_policy *P, double error, double tol);

/* Whether the first gradient is within the truncation error of one-sided
 * differences. */
bool lr_qn_blurred(const lr_policy *P, double norm, double error);

/* Whether a one-sided gradient is so small that its truncation error, which is
 * known roughly, may be most of it. */
bool lr_qn_doubts(const lr_policy *P, double norm, double truncation);

/* Whether it is, `along` being the derivative along that gradient by a
 * two-sided difference. */
bool lr_qn_is_truncation(const lr_policy *P, double norm, double along);

/* The truncation error of a two-sided difference of half length h, where the
 * curvature c changes by itself over the size of x. */
double lr_qn_third_order(double h, double c, double scale);

/* The least tolerance that nobody gave, for a first gradient and the errors of
 * its one-sided and of two-sided differences: 0 unless the start is close to a
 * minimum. */
double lr_qn_least_tolerance(const lr_policy *P, double first, double one_sided,
                             double two_sided);

/* The trace of the Hessian bounds the error of one-sided differences.  These
 * three: how many random directions measure it; whether the expected bound
 * leaves room below the tolerance; and whether this costs less than two-sided
 * differences. */
size_t lr_qn_trace_probes(const lr_policy *P);
bool lr_qn_trace_promises(const lr_policy *P, double expected, double tol);
bool lr_qn_trace_pays(const lr_policy *P, double p);

/* Whether noise is larger than any decrease a step could bring. */
bool lr_qn_gain_is_noise(const lr_policy *P, double gain, double noise);

/* Whether a gradient has a part outside V that is larger than rounding. */
bool lr_qn_is_new(const lr_policy *P, double outside, double gradient);

/* The curvature assumed along a direction of negative curvature, where no other
 * is known: 1, or more where the step would be too long relative to x. */
double lr_qn_guessed_curvature(const lr_policy *P, double slope, double scale);

/* Whether V is so large a part of the space that measured Hessian columns cost
 * too much. */
bool lr_qn_columns_too_dear(const lr_policy *P, double k, double p);

/* Whether to take steps inside V, after a round that decreased f at that rate
 * per evaluation. */
bool lr_qn_steps_inside(const lr_policy *P, const lr_qn_inside *s,
                        bool interior, double k, double p, double rate);

/* Whether to take another step inside V, after so many jumps of f. */
bool lr_qn_goes_on_inside(const lr_policy *P, double rate_inside, double rate,
                          double cliffs);

/* Consecutive rounds without a decrease after which the phase is stuck. */
double lr_qn_failed_rounds(const lr_policy *P, bool noise_two_sided);

/* Under noise: whether so many rounds without a decrease beyond the noise end
 * the phase. */
bool lr_qn_idles(const lr_policy *P, unsigned idle);

/* Whether a window of rounds ends with this one. */
bool lr_qn_window_ends(const lr_policy *P, uint64_t rounds);

/* Whether the last window of rounds brought a negligible part of the whole
 * decrease: f is not smooth here.  cliffs: jumps in the window.  active: the
 * cause may be gradients without the active coordinates. */
bool lr_qn_creeps(const lr_policy *P, double lately, double gained,
                  double cliffs, bool active);

/* Whether it is time to measure the noise, so many evaluations after the last
 * time. */
bool lr_qn_noise_due(const lr_policy *P, double since, double p, bool noisy);

/* Whether the model was built with difference steps that are much too short for
 * the noise. */
bool lr_qn_misled(const lr_policy *P, const lr_model *m);

/* The pretest's four conditions: the last decrease was so small that the
 * gradient may be within the tolerance (`before`: an earlier bound on its
 * norm); one derivative along a random direction in n dimensions allows it; the
 * derivatives inside V allow it; and probes are cheap enough compared with a
 * gradient. */
bool lr_pretest_near(const lr_policy *P, double before, double tol);
bool lr_pretest_one_probe(const lr_policy *P, double n, double d, double tol);
bool lr_pretest_inside(const lr_policy *P, double inside, double tol);
bool lr_pretest_cheap(const lr_policy *P, double k, double probes, double p);
bool lr_pretest_cheap_bounded(const lr_policy *P, double probes, double p);

/* Separable functions: whether to test for separability again after it was
 * rejected so many times; the least change of a derivative that is larger than
 * that error; whether the signs of the gradient's changes agree with a diagonal
 * Hessian; and whether a measured curvature does. */
bool lr_separable_tries(const lr_policy *P, unsigned rejected);
double lr_separable_least_change(const lr_policy *P, double error);
bool lr_separable_signs(const lr_policy *P, double changed, double agree);
bool lr_separable_curvature(const lr_policy *P, double measured,
                            double predicted);

#endif
