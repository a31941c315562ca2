/* Decisions of a diagnosis: pure functions of numbers and of the policy. */
#ifndef LR_DIAGNOSIS_RULES_H
#define LR_DIAGNOSIS_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In how many gradients a component along a direction was seen. */
typedef struct lr_sightings {
  size_t looks, faint, plain, clear;
} lr_sightings;

/* The number of gradients to sample. */
size_t lr_diagnosis_gradients(const lr_policy *P, size_t p);

/* The number of held-out points. */
size_t lr_diagnosis_held_out(const lr_policy *P);

/* The evaluations that a plan states for so many gradients, each at that
 * price. */
uint64_t lr_diagnosis_sampling(const lr_policy *P, uint64_t gradients,
                               uint64_t price);

/* The derivatives that a plan states for curvatures. */
uint64_t lr_diagnosis_curvatures(const lr_policy *P);

/* Whether there are many inputs. */
bool lr_diagnosis_many_inputs(const lr_policy *P, size_t p);

/* The cost that trial runs may have, as a multiple of that of the samples. */
uint64_t lr_diagnosis_trials(const lr_policy *P, size_t p);

/* The cost that trial runs may have after so many samples, in gradients. */
uint64_t lr_diagnosis_trials_after(const lr_policy *P, size_t p,
                                   uint64_t samples);

/* The cost that trial runs may have where the user gives gradients. */
uint64_t lr_diagnosis_trials_given(const lr_policy *P, uint64_t gradients);

/* The cost that trial runs may have where more gradients were sampled than an
 * exact rank should cost. */
uint64_t lr_diagnosis_trials_late(const lr_policy *P, size_t samples);

/* The most gradients that a diagnosis costs for each direction of an exact
 * rank; 0: no limit. */
uint64_t lr_diagnosis_exact(const lr_policy *P, size_t p);

/* The highest rank that counts as low. */
size_t lr_diagnosis_low(const lr_policy *P, size_t p);

/* Whether so many held-out points are enough for a held-out 95 % quantile. */
bool lr_diagnosis_many_points(const lr_policy *P, size_t n);

/* Whether the errors of gradients are so large, relative to |g|, that no rank
 * can be determined. */
bool lr_diagnosis_drowned(const lr_policy *P, double error);

/* Whether a gradient with that error is accurate enough to determine an exact
 * rank. */
bool lr_diagnosis_is_sharp(const lr_policy *P, double error);

/* The energy that the directions of an approximate rank must hold. */
double lr_diagnosis_energy(const lr_policy *P);

/* The factor between neighbours in the spectrum that counts as a gap. */
double lr_diagnosis_gap(const lr_policy *P);

/* Whether rounding hides derivatives of values in that range. */
bool lr_diagnosis_rounded(const lr_policy *P, double low, double high);

/* Whether noise is more than the rounding errors of f. */
bool lr_diagnosis_noise_matters(const lr_policy *P, double noise,
                                double rounding);

/* Whether the part of a gradient outside a subspace is no more than its error;
 * leak: the part that errors of the subspace explain. */
bool lr_diagnosis_inside(const lr_policy *P, double outside, double error,
                         double leak);

/* The most that errors of directions may explain, relative to |g|. */
double lr_diagnosis_leak(const lr_policy *P, double error);

/* The error allowed along a direction, relative to |g|.  The truncation error
 * of forward differences is much the same vector everywhere (half a step times
 * the second derivatives), so that where |g| is small it can exceed the
 * expected error and show a direction that f does not have. */
double lr_diagnosis_allowed(const lr_policy *P, double error);

/* Records a component of size d; larger than `error` is unlikely by error
 * alone, larger than `allowed` is impossible. */
void lr_diagnosis_sight(const lr_policy *P, lr_sightings *seen, double d,
                        double error, double allowed);

/* Whether the components show a direction.  One that is clearly larger than
 * its error is enough.  Those that merely exceed the expected error count where
 * they are too many for chance, since errors are known by their order of
 * magnitude only. */
bool lr_diagnosis_shows(const lr_policy *P, const lr_sightings *seen);

/* The share of |g| below which a component of a sample shows nothing. */
double lr_diagnosis_faint(const lr_policy *P);

/* A lower bound of the relative error of a gradient; differences: it consists
 * of finite differences. */
double lr_diagnosis_least_error(const lr_policy *P, bool differences);

/* The expected error of a component, from that of a derivative. */
double lr_diagnosis_expected(const lr_policy *P, double error);

/* The part of a gradient outside, relative to |g|, that an error of the
 * directions by the angle `tilt` explains. */
double lr_diagnosis_explained(const lr_policy *P, double tilt);

/* Whether n samples of p inputs are enough to look for an approximate rank; and
 * the largest rank that is accepted. */
bool lr_diagnosis_may_settle(const lr_policy *P, size_t n, size_t p);
size_t lr_diagnosis_settled_rank(const lr_policy *P, size_t n);

/* How many consecutive samples without a new direction show that all directions
 * are found. */
size_t lr_diagnosis_clean(const lr_policy *P);

/* Whether one more known gradient replaces a planned one. */
bool lr_diagnosis_takes_known(const lr_policy *P, size_t taken, size_t planned);

/* Whether the directions of half of the samples contain the others, the largest
 * part outside being `worst`. */
bool lr_diagnosis_settles(const lr_policy *P, double worst);

/* Whether the truncation error calls for central differences. */
bool lr_diagnosis_goes_central(const lr_policy *P, double truncation,
                               size_t gradients);

/* Whether nearly all evaluations fail. */
bool lr_diagnosis_hopeless(const lr_policy *P, uint64_t failed, size_t samples);

/* Whether f has stopped decreasing: by the number of iterations, of those since
 * the last decrease, and of the longest pause before it. */
bool lr_diagnosis_stands(const lr_policy *P, size_t n, size_t still,
                         size_t longest);

/* Whether an estimated number of iterations of gradient descent is small enough
 * to be reported as its cost. */
bool lr_diagnosis_tells_cost(const lr_policy *P, double iterations);

/* The share of its slope to which the tilted function of the lemma is
 * minimised.
 */
double lr_diagnosis_lemma_accuracy(const lr_policy *P, bool low_rank);

/* Whether the costs of two trial runs agree. */
bool lr_diagnosis_alike(const lr_policy *P, uint64_t a, uint64_t b);

/* Whether rounding hides gradients; share: the rounding error relative to the
 * tolerance. */
bool lr_diagnosis_hides(const lr_policy *P, double share);

/* Whether the truncation error of one-sided differences along all inputs keeps
 * a run on f from ending; share: relative to the tolerance. */
bool lr_diagnosis_differences_hide(const lr_policy *P, double share);

/* Whether a trial run is so short that one line search decides its cost. */
bool lr_diagnosis_is_short(const lr_policy *P, double evaluations);

/* The lower bound of the cost of a run on f, as a share of that of the trial
 * run. */
double lr_diagnosis_floor(const lr_policy *P, bool reduced);

/* Whether a quadratic predicts a value well enough. */
bool lr_diagnosis_tells(const lr_policy *P, double told, double seen);

/* Whether the smallest curvature is resolved relative to the largest, and to
 * the error of all. */
bool lr_diagnosis_resolves(const lr_policy *P, double least, double most,
                           double error);

/* Whether a gradient outside the subspace is too small to affect a run. */
bool lr_diagnosis_negligible(const lr_policy *P, double outside,
                             double tolerance);

/* Whether a known difference has about the step that the diagnosis would
 * use. */
bool lr_diagnosis_same_step(const lr_policy *P, double step, double own);

/* ---- measurements ---- */

/* The margin for an error: a smaller quantity is explained by it. */
double lr_diagnosis_margin(const lr_policy *P, double error);

/* The 95 % quantile of n > 0 sorted numbers. */
double lr_diagnosis_p95(const double *sorted, size_t n);

/* The step of differences for curvatures. */
double lr_diagnosis_curvature_step(const lr_policy *P, double size);

/* The smallest curvature that derivatives with such an error resolve over a
 * step. */
double lr_diagnosis_curvature_seen(const lr_policy *P, double error,
                                   double gradient, double step);

/* The most directions whose Hessian is measured. */
size_t lr_diagnosis_curvature_rank(const lr_policy *P);

/* Whether a local rank may be determined at that cost. */
bool lr_diagnosis_affords_local(const lr_policy *P, uint64_t cost,
                                uint64_t left);

/* The number of Lanczos steps for r eigenvalues. */
size_t lr_diagnosis_lanczos_steps(const lr_policy *P, size_t r);

/* The number of directions outside the subspace along which curvature is
 * measured for mu. */
uint64_t lr_diagnosis_mu_directions(const lr_policy *P);

/* Whether gradient descent is estimated on a quadratic in k variables. */
bool lr_diagnosis_estimates(const lr_policy *P, size_t k);

/* Whether that descent is assumed to use finite differences. */
bool lr_diagnosis_estimates_by_values(const lr_policy *P, size_t k);

/* The most iterations of that descent. */
int64_t lr_diagnosis_estimate_longest(const lr_policy *P);

/* The step of differences outside the subspace. */
double lr_diagnosis_outside_step(const lr_policy *P, double size);

/* Whether bounds leave room for such a difference. */
bool lr_diagnosis_has_room(const lr_policy *P, double step, double size);

/* The error of the difference of its values. */
double lr_diagnosis_outside_error(const lr_policy *P, double rounding,
                                  double noise);

/* The number of probes of the gradient outside the subspace. */
uint64_t lr_diagnosis_outside_probes(const lr_policy *P);

/* How many consecutive samples must bring no direction, after held-out
 * gradients were outside the subspace. */
size_t lr_diagnosis_patience(const lr_policy *P, size_t directions);

/* The step of the second difference for truncation errors. */
double lr_diagnosis_bend_step(const lr_policy *P, double step);

/* Whether another point is tried for a sample, after so many without a
 * value. */
bool lr_diagnosis_tries(const lr_policy *P, int tried);

/* The number of bootstrap resamples. */
size_t lr_diagnosis_bootstrap(const lr_policy *P);

/* The error probability of the bound by probes at a held-out point. */
double lr_diagnosis_probe_error(const lr_policy *P);

/* Whether another point is tried as a held-out point. */
bool lr_diagnosis_holds_out(const lr_policy *P, uint64_t tried, size_t wanted);

/* The number of points at which invariance off H is measured. */
uint64_t lr_diagnosis_invariance_points(const lr_policy *P);

/* Whether trial runs are made on f itself. */
bool lr_diagnosis_runs_whole(const lr_policy *P, size_t p);

/* The share of |g| that a more accurate approximation leaves out. */
double lr_diagnosis_fine(const lr_policy *P);

/* The accuracy of the minimum of a tilted f. */
double lr_proposition_accuracy(const lr_policy *P, double size);

/* Whether the search for the tilt s of f(x) - s u'x continues. */
bool lr_proposition_goes_on(const lr_policy *P, int steps);

/* The next smaller tilt. */
double lr_proposition_less(const lr_policy *P, double tilt);

/* The next larger tilt. */
double lr_proposition_more(const lr_policy *P, double tilt);

/* The level above the minimum at which the lemma on level sets is tested. */
double lr_proposition_level(const lr_policy *P, double decrease, double f);

/* Whether a gradient is parallel to a direction. */
bool lr_proposition_is_aligned(const lr_policy *P, double cosine);

/* A tilt whose minimum is near that of f. */
double lr_proposition_near(const lr_policy *P, double gradient);

/* Whether the gradient near the minimum lies outside. */
bool lr_proposition_is_outside(const lr_policy *P, double share);

/* The number of points held out for the rank of a composed function. */
size_t lr_proposition_held_out(const lr_policy *P);

/* The default accuracy for the theorems, `whole` being the descent, or the
 * gradient norm, at the start. */
double lr_diagnosis_accuracy(const lr_policy *P, double whole);

/* The number of directions along which a gradient is compared with values of
 * f. */
size_t lr_diagnosis_check_directions(const lr_policy *P);

/* Whether the slope that the user's gradient gives differs from the measured
 * one. */
bool lr_diagnosis_differs(const lr_policy *P, double told, double measured,
                          double error);

/* The second step of the differences along such a direction. */
double lr_diagnosis_check_shorter(const lr_policy *P, double h);

/* The directions along which Taylor's remainder of the gradient is measured,
 * the points along each, and the distance of point j from x. */
size_t lr_diagnosis_local_rays(const lr_policy *P);
size_t lr_diagnosis_local_points(const lr_policy *P);
double lr_diagnosis_local_distance(const lr_policy *P, double size, size_t j);

/* The step between gradients, for products with the Hessian. */
double lr_diagnosis_local_step(const lr_policy *P, bool differences,
                               double size);

/* The most iterations of a trial run, and its share of the remaining
 * evaluations; and the most evaluations of its twin in rotated coordinates. */
int64_t lr_diagnosis_trial_longest(const lr_policy *P);
uint64_t lr_diagnosis_trial_share(const lr_policy *P, uint64_t left);
uint64_t lr_diagnosis_twin_longest(const lr_policy *P, uint64_t paid);

#endif
