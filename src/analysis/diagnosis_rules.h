/* Decisions of a diagnosis: functions of numbers and of the policy, and of
 * nothing else. */
#ifndef LR_DIAGNOSIS_RULES_H
#define LR_DIAGNOSIS_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How often gradients had a component along a direction, of so many. */
typedef struct lr_sightings {
  size_t looks, faint, plain, clear;
} lr_sightings;

/* Gradients to sample. */
size_t lr_diagnosis_gradients(const lr_policy *P, size_t p);

/* Points to hold out. */
size_t lr_diagnosis_held_out(const lr_policy *P);

/* Evaluations to announce for so many gradients of that price. */
uint64_t lr_diagnosis_sampling(const lr_policy *P, uint64_t gradients,
                               uint64_t price);

/* Derivatives to announce for curvatures. */
uint64_t lr_diagnosis_curvatures(const lr_policy *P);

/* Whether there are many inputs. */
bool lr_diagnosis_many_inputs(const lr_policy *P, size_t p);

/* How many times the sampling trial runs may cost. */
uint64_t lr_diagnosis_trials(const lr_policy *P, size_t p);

/* Gradients that trial runs may cost after so many samples. */
uint64_t lr_diagnosis_trials_after(const lr_policy *P, size_t p,
                                   uint64_t samples);

/* Gradients that trial runs may cost where f gives its gradient. */
uint64_t lr_diagnosis_trials_given(const lr_policy *P, uint64_t gradients);

/* Gradients that trial runs may cost where more were sampled than an exact rank
 * should cost. */
uint64_t lr_diagnosis_trials_late(const lr_policy *P, size_t samples);

/* Gradients for each direction of an exact rank; 0: no limit. */
uint64_t lr_diagnosis_exact(const lr_policy *P, size_t p);

/* The highest rank that counts as low. */
size_t lr_diagnosis_low(const lr_policy *P, size_t p);

/* Whether so many held-out points are many. */
bool lr_diagnosis_many_points(const lr_policy *P, size_t n);

/* Whether errors are so large a share of |g| that no rank is seen. */
bool lr_diagnosis_drowned(const lr_policy *P, double error);

/* Whether a rank is exact to such an error. */
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

/* The part of a gradient outside a subspace that is error; leak: what errors
 * of the subspace explain. */
bool lr_diagnosis_inside(const lr_policy *P, double outside, double error,
                         double leak);

/* The most that errors of directions may explain, relative to |g|. */
double lr_diagnosis_leak(const lr_policy *P, double error);

/* The error allowed along a direction, relative to |g|.  The truncation error
 * of forward differences is much the same vector everywhere (half a step times
 * the second derivatives), so that where |g| is small it can exceed the
 * expected error and show a direction that f does not have. */
double lr_diagnosis_allowed(const lr_policy *P, double error);

/* Counts a component of size d; `error` is likely, more than `allowed` is
 * impossible. */
void lr_diagnosis_sight(const lr_policy *P, lr_sightings *seen, double d,
                        double error, double allowed);

/* Whether the components show a direction.  One that is clearly larger than
 * its error is enough.  Those that merely exceed the expected error count where
 * they are too many for chance, since errors are known by their order of
 * magnitude only. */
bool lr_diagnosis_shows(const lr_policy *P, const lr_sightings *seen);

/* The share of |g| below which a component of a sample shows nothing. */
double lr_diagnosis_faint(const lr_policy *P);

/* The relative error of a gradient at least; differences: it is made of these.
 */
double lr_diagnosis_least_error(const lr_policy *P, bool differences);

/* The error to expect of a component, from that of a derivative. */
double lr_diagnosis_expected(const lr_policy *P, double error);

/* The part of a gradient outside, relative to it, that the error `tilt` of the
 * directions explains. */
double lr_diagnosis_explained(const lr_policy *P, double tilt);

/* Whether an approximate rank may be looked for after n samples of p inputs,
 * and which. */
bool lr_diagnosis_may_settle(const lr_policy *P, size_t n, size_t p);
size_t lr_diagnosis_settled_rank(const lr_policy *P, size_t n);

/* Samples inside the directions of the others that show these to be all. */
size_t lr_diagnosis_clean(const lr_policy *P);

/* Whether one more known gradient replaces a planned one. */
bool lr_diagnosis_takes_known(const lr_policy *P, size_t taken, size_t planned);

/* Whether the directions of half the samples contain the others. */
bool lr_diagnosis_settles(const lr_policy *P, double worst);

/* Whether truncation asks for central differences, of a plan of so many. */
bool lr_diagnosis_goes_central(const lr_policy *P, double truncation,
                               size_t gradients);

/* Whether nearly all evaluations fail. */
bool lr_diagnosis_hopeless(const lr_policy *P, uint64_t failed, size_t samples);

/* Whether f has stopped falling: iterations, those since the last decrease, and
 * the longest pause before that. */
bool lr_diagnosis_stands(const lr_policy *P, size_t n, size_t still,
                         size_t longest);

/* Whether an estimate of all iterations of gradient descent tells its cost. */
bool lr_diagnosis_tells_cost(const lr_policy *P, double iterations);

/* The share of its slope to which the tilted function of the lemma is
 * minimised.
 */
double lr_diagnosis_lemma_accuracy(const lr_policy *P, bool low_rank);

/* Whether two trial runs cost as much. */
bool lr_diagnosis_alike(const lr_policy *P, uint64_t a, uint64_t b);

/* Whether rounding hides gradients; share: of the tolerance. */
bool lr_diagnosis_hides(const lr_policy *P, double share);

/* Whether the truncation error of one-sided differences along all inputs keeps
 * a run on f from its end; share: of the tolerance. */
bool lr_diagnosis_differences_hide(const lr_policy *P, double share);

/* Whether one line search decides the cost of a trial run of so many
 * evaluations. */
bool lr_diagnosis_is_short(const lr_policy *P, double evaluations);

/* The share of the cost of a trial run that a run on f has at least. */
double lr_diagnosis_floor(const lr_policy *P, bool reduced);

/* Whether a quadratic tells what was seen. */
bool lr_diagnosis_tells(const lr_policy *P, double told, double seen);

/* Whether the smallest curvature is resolved beside the largest, and beside the
 * error of all. */
bool lr_diagnosis_resolves(const lr_policy *P, double least, double most,
                           double error);

/* Whether a gradient outside the subspace does not matter to a run. */
bool lr_diagnosis_negligible(const lr_policy *P, double outside,
                             double tolerance);

/* Whether a known difference step is as long as those of the diagnosis. */
bool lr_diagnosis_same_step(const lr_policy *P, double step, double own);

/* ---- measurements ---- */

/* The margin for an error: what is smaller is explained by it. */
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

/* Whether the study of a local rank may cost so much. */
bool lr_diagnosis_affords_local(const lr_policy *P, uint64_t cost,
                                uint64_t left);

/* Steps of Lanczos for r eigenvalues. */
size_t lr_diagnosis_lanczos_steps(const lr_policy *P, size_t r);

/* Directions outside the subspace that are looked at for mu. */
uint64_t lr_diagnosis_mu_directions(const lr_policy *P);

/* Whether descent on a quadratic in k variables is estimated. */
bool lr_diagnosis_estimates(const lr_policy *P, size_t k);

/* Whether that descent takes finite differences. */
bool lr_diagnosis_estimates_by_values(const lr_policy *P, size_t k);

/* Iterations of that descent at most. */
int64_t lr_diagnosis_estimate_longest(const lr_policy *P);

/* The step of differences outside the subspace. */
double lr_diagnosis_outside_step(const lr_policy *P, double size);

/* Whether bounds leave room for such a difference. */
bool lr_diagnosis_has_room(const lr_policy *P, double step, double size);

/* The error of the difference of its values. */
double lr_diagnosis_outside_error(const lr_policy *P, double rounding,
                                  double noise);

/* Probes of the gradient outside the subspace. */
uint64_t lr_diagnosis_outside_probes(const lr_policy *P);

/* Samples that must bring no direction, where held-out points were outside. */
size_t lr_diagnosis_patience(const lr_policy *P, size_t directions);

/* The step of the second difference for truncation errors. */
double lr_diagnosis_bend_step(const lr_policy *P, double step);

/* Whether another point is tried for a sample. */
bool lr_diagnosis_tries(const lr_policy *P, int tried);

/* Samples of the bootstrap. */
size_t lr_diagnosis_bootstrap(const lr_policy *P);

/* The probability with which the bound by probes fails at a point. */
double lr_diagnosis_probe_error(const lr_policy *P);

/* Whether another point is tried as a held-out point. */
bool lr_diagnosis_holds_out(const lr_policy *P, uint64_t tried, size_t wanted);

/* Points at which invariance is looked at. */
uint64_t lr_diagnosis_invariance_points(const lr_policy *P);

/* Whether trial runs are made on f itself. */
bool lr_diagnosis_runs_whole(const lr_policy *P, size_t p);

/* The share of |g| that a closer approximation leaves out. */
double lr_diagnosis_fine(const lr_policy *P);

/* The accuracy of the minimum of a tilted f. */
double lr_proposition_accuracy(const lr_policy *P, double size);

/* Whether the search for a tilt goes on. */
bool lr_proposition_goes_on(const lr_policy *P, int steps);

/* The first tilt of a gradient, or one reduced. */
double lr_proposition_less(const lr_policy *P, double tilt);

/* A larger tilt. */
double lr_proposition_more(const lr_policy *P, double tilt);

/* The level above the minimum at which the lemma is tried. */
double lr_proposition_level(const lr_policy *P, double decrease, double f);

/* Whether a gradient is parallel to a direction. */
bool lr_proposition_is_aligned(const lr_policy *P, double cosine);

/* A tilt that leads to a point near the minimum. */
double lr_proposition_near(const lr_policy *P, double gradient);

/* Whether the gradient near the minimum lies outside. */
bool lr_proposition_is_outside(const lr_policy *P, double share);

/* Points held out for the rank of a composed function. */
size_t lr_proposition_held_out(const lr_policy *P);

/* The accuracy that the theorems are held to, of a descent or a norm that is to
 * be made. */
double lr_diagnosis_accuracy(const lr_policy *P, double whole);

/* Along how many directions a gradient is compared with f. */
size_t lr_diagnosis_check_directions(const lr_policy *P);

/* Whether a slope that is told differs from the one measured. */
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

/* Iterations of a trial run at most, and its share of the evaluations that are
 * left; and the evaluations of its twin at most. */
int64_t lr_diagnosis_trial_longest(const lr_policy *P);
uint64_t lr_diagnosis_trial_share(const lr_policy *P, uint64_t left);
uint64_t lr_diagnosis_twin_longest(const lr_policy *P, uint64_t paid);

#endif
