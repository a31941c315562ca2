/* The policy: every number by which the solver decides something.
 *
 * One row each: X(name, default, unit, reason, test).  The test notices if the
 * number is doubled or halved (a share p moved to p/2 or (1+p)/2, a switch
 * flipped): `make mutate` tries that.  docs/parameters.md is made from this
 * table.  Numbers that follow from a formula or from rounding errors, or
 * guard against a division by zero, are no policy: tools/literals finds any
 * other that is not a row.
 *
 * Units: "share" is between 0 and 1, "switch" is 0 or 1; all others are
 * positive, and "x ..." reads "times ...". */
#ifndef LR_POLICY_H
#define LR_POLICY_H

#include "base/policy_certificate.h"
#include "base/policy_constrained.h"
#include "base/policy_dfo.h"
#include "base/policy_diagnosis.h"
#include "base/policy_hidden.h"
#include "base/policy_learn.h"
#include "base/policy_least_squares.h"
#include "base/policy_model.h"
#include "base/policy_oracle.h"
#include "base/policy_paper.h"
#include "base/policy_polytope.h"
#include "base/policy_step.h"
#include "base/policy_surrogate.h"
#include "base/policy_wide.h"

#include <stddef.h>

/* clang-format off */

/* auto.c: which phase runs */
#define LR_POLICY_AUTO(X) \
  X(model_directions, 150, "directions", \
    "a model has no more: memory stays proportional to p", \
    "unit/auto-rules") \
  X(embedding_dimension, 30, "dimensions", \
    "from here on an embedding is tried: below, a full gradient is cheap", \
    "unit/auto-rules") \
  X(pause_evaluations, 1.2, "x p evaluations", \
    "the embedding pauses this often, for a round of quasi-Newton, which takes " \
    "some p", \
    "unit/auto-rules") \
  X(pause_least, 150, "evaluations", \
    "a turn of the embedding without bounds has as many: six directions of a " \
    "function that is no quadratic take these, and below 125 dimensions a " \
    "pause would come just before the end", \
    "unit/auto-rules") \
  X(map_margin, 0.02, "x size of x", \
    "a start at a bound is moved away from it in mapped coordinates: there the " \
    "map has slope zero", \
    "unit/auto-rules") \
  X(keep_model_no_fall, 0.75, "share", \
    "of right predictions above which the embedding's model is kept where the " \
    "gradient outside did not fall", \
    "unit/auto-rules") \
  X(keep_model_high_rank, 0.9, "share", \
    "of right predictions above which the embedding's model is kept where the " \
    "rank is high", \
    "unit/auto-rules") \
  X(end_noise, 4, "x noise", \
    "above the lowest value at which a run may still end", \
    "unit/auto-rules") \
  X(end_share, 1e-3, "share", \
    "of the way down from the start, above the lowest value at which a run may " \
    "still end", \
    "unit/auto-rules") \
  X(above_noise, 3, "x noise", \
    "by which a point must be above the lowest one for that to be no accident", \
    "unit/auto-rules") \
  X(replay_recalled, 0.5, "x p values", \
    "that are known must quasi-Newton from the first known point ask for, so " \
    "that it begins there: a gradient, or what opens an interpolation", \
    "unit/auto-rules") \
  X(replay_descent, 0.5, "share", \
    "of the descent to the lowest known point that it must make with these: " \
    "else they are another method's", \
    "unit/auto-rules") \
  X(second_start, 1, "x evaluations so far", \
    "quasi-Newton has as many for a second way from the start, under noise", \
    "unit/auto-rules") \
  X(stuck_steeper, 100, "x first |g|", \
    "a gradient where the embedding is stuck that is steeper is one that noise " \
    "made up", \
    "unit/auto-rules") \
  X(stuck_errors, 5, "x error of |g|", \
    "a gradient where the embedding is stuck must be larger for quasi-Newton to " \
    "go on", \
    "unit/auto-rules") \
  X(stuck_errors_noisy, 10, "x error of |g|", \
    "the same under noise, of which the estimate may be off by two", \
    "unit/auto-rules") \
  X(stuck_gain, 15, "x noise", \
    "a gradient where the embedding is stuck must promise a larger decrease", \
    "unit/auto-rules") \
  X(bound_checks, 3, "times", \
    "a minimum that the embedding found under bounds is checked in plain " \
    "coordinates; then quasi-Newton goes on from it", \
    "unit/auto-rules") \
  X(map_rounding, 1e-12, "x size of x", \
    "a start that the map into the box moves less is the same point", \
    "unit/auto-rules") \
  X(default_tolerance, 1e-6, "x first |g|", \
    "the tolerance where the user gives none", \
    "unit/auto-rules") \
  X(rounding_decrease, 0.25, "x rounding error of f", \
    "a smaller decrease of f is none", \
    "unit/auto-rules")

/* embedding.c and its rules */
#define LR_POLICY_EMBEDDING(X) \
  X(mapped_tolerance, 3, "times", \
    "smaller than the tolerance must |g| be in mapped coordinates, and smaller " \
    "again after each check that fails", \
    "unit/embedding-rules") \
  X(first_curvature, 1e-2, "f / x^2, as given", \
    "the curvature to expect along the first direction: it sets the first " \
    "difference step (with the oracle's guess, from the sizes of f and x, " \
    "embedded problems take 4 % more evaluations, approximate ones 9 % fewer)", \
    "conformance/auto:the first difference") \
  X(first_truncation, 4, "x truncation error", \
    "a smaller first derivative is corrected by that error, which the first " \
    "curvature shows", \
    "unit/embedding-rules") \
  X(start_curvature, 10, "x first curvature", \
    "the mean curvature in V is not taken to be larger where the error of the " \
    "first differences follows from it: near a minimum it may be rounding", \
    "unit/embedding-rules") \
  X(start_errors, 100, "x error of |g|", \
    "a smaller first gradient is that of a start close to a minimum: a " \
    "tolerance that nobody gave is no smaller either", \
    "unit/embedding-rules") \
  X(least_curvature, 1e-3, "share", \
    "of the first curvature, below which the mean curvature does not count for " \
    "less: it sets difference steps", \
    "unit/embedding-rules") \
  X(negligible_outside, 1e-3, "share", \
    "of the last decrease, below which what a probe promises outside V is " \
    "nothing", \
    "unit/embedding-rules") \
  X(negligible_step, 1e-3, "share", \
    "of the decrease that known evaluations have brought, below which the " \
    "first step of a warm embedding is not tried: their run had made it", \
    "unit/embedding-rules") \
  X(inside_tolerance, 0.5, "share", \
    "of the tolerance, below which the gradient inside V is small enough to " \
    "look outside", \
    "unit/embedding-rules") \
  X(near_tolerance, 100, "x tolerance", \
    "|g| inside V below which the embedding does not pause and asks for " \
    "two-sided differences", \
    "unit/embedding-rules") \
  X(failed_steps, 3, "steps", \
    "without a decrease; one more, and the embedding is stuck", \
    "unit/embedding-rules") \
  X(idle_steps, 3, "steps", \
    "under noise without a decrease beyond it, after which the embedding is " \
    "stuck", \
    "unit/embedding-rules") \
  X(misled_embedding, 10, "x noise assumed", \
    "the embedding starts over where noise is larger", \
    "unit/embedding-rules") \
  X(quadratic_least_steps, 6, "steps", \
    "before f can look quadratic", \
    "unit/embedding-history") \
  X(quadratic_overall, 0.6, "share", \
    "of all predictions that are right where f looks quadratic", \
    "unit/embedding-history") \
  X(column_window, 5, "columns", \
    "the rank is estimated from the last ones", \
    "unit/embedding-history") \
  X(rank_least_explained, 1e-2, "share", \
    "of the curvature of new directions that V explains: a smaller one counts " \
    "as this", \
    "unit/embedding-history") \
  X(rank_least_directions, 8, "directions", \
    "before a rank can be too high", \
    "unit/embedding-history") \
  X(rank_highest_price, 7, "x p evaluations", \
    "a rank that costs the embedding more is too high: quasi-Newton costs some " \
    "5 p and more", \
    "unit/embedding-history") \
  X(rank_estimates_in_a_row, 2, "estimates", \
    "must say that the rank is too high", \
    "unit/embedding-history") \
  X(embedding_price_per_rank, 4, "evaluations", \
    "that each direction costs beside the slopes of its column", \
    "unit/embedding-history") \
  X(probe_window, 5, "probes", \
    "the gradient outside V is estimated from the last ones", \
    "unit/embedding-history") \
  X(first_estimate_probes, 3, "probes", \
    "make the first estimate of the gradient outside V", \
    "unit/embedding-history") \
  X(outside_fall, 0.1, "share", \
    "to which |g outside V|^2 has to fall for the embedding to make progress", \
    "unit/embedding-rules") \
  X(span_unexplained, 0.1, "share", \
    "of the curvature of new directions; where less is unexplained, V spans " \
    "all that matters", \
    "unit/embedding-rules") \
  X(span_least_columns, 3, "columns", \
    "before V can span all that matters", \
    "unit/embedding-rules") \
  X(wait_window, 12, "steps", \
    "the last ones by which a rank estimate is believed", \
    "unit/embedding-history") \
  X(wait_least_directions, 6, "directions", \
    "before a rank estimate is waited for", \
    "unit/embedding-rules") \
  X(wait_predicted, 0.25, "share", \
    "of right predictions, above which a rank estimate is believed", \
    "unit/embedding-history") \
  X(wait_rank, 1.5, "x estimated rank", \
    "V may be so large before its gradient outside has to fall", \
    "unit/embedding-rules") \
  X(trial_evaluations, 0.6, "x p evaluations", \
    "in which f has to look quadratic where p is small or there are bounds", \
    "unit/embedding-rules") \
  X(trial_led, 1.8, "x p evaluations", \
    "instead, where it was ahead of a round of quasi-Newton after the trial", \
    "unit/embedding-rules") \
  X(trial_after_newton, 0.6, "x p evaluations", \
    "that the embedding has below trial_dimension where known evaluations are " \
    "those of quasi-Newton: that goes on with them, and f looks quadratic where " \
    "it has led", \
    "unit/embedding-rules") \
  X(trial_warm, 2, "times", \
    "these evaluations where an embedding goes on from known ones: what is left " \
    "to find is along the directions in which its fit errs", \
    "unit/embedding-rules") \
  X(trial_dimension, 80, "dimensions", \
    "below which that holds without bounds", \
    "unit/embedding-rules") \
  X(trial_dimension_bounded, 100, "dimensions", \
    "below which that holds with bounds, whatever else f shows (80 left " \
    "simulators 2 % higher)", \
    "unit/embedding-rules") \
  X(trial_least_bounded, 110, "evaluations", \
    "that the embedding has with bounds, up to a pause: four directions of a " \
    "function that is no quadratic; a longer attempt costs more than it saves", \
    "unit/embedding-rules") \
  X(trial_probes, 2, "probes", \
    "after the trial, all of which have to show that |g outside V| has gone; " \
    "one alone may be small by chance", \
    "unit/embedding-rules") \
  X(trial_bend, 0.1, "share of the way", \
    "that the map into the bounds may have bent it by, so that the gradient " \
    "outside V can be believed to have gone", \
    "unit/embedding-rules") \
  X(fit_bend, 0.1, "share of a step", \
    "as long as a fit's points are apart, by which the map into the bounds may " \
    "bend it for the fit to hold in mapped coordinates", \
    "unit/embedding-rules") \
  X(trial_fall, 1e-4, "share", \
    "to which |g outside V|^2 has to have fallen in each of them; tails of " \
    "the spectrum are above it (at 0.01 sums of exponentials took 6 times as " \
    "many evaluations)", \
    "unit/embedding-rules") \
  X(patience_least, 300, "evaluations", \
    "without a fall of the gradient outside, or p where that is more", \
    "unit/embedding-rules") \
  X(patience_bounded, 0.5, "x p evaluations", \
    "the same with bounds", \
    "unit/embedding-rules") \
  X(patience_least_bounded, 100, "evaluations", \
    "the same with bounds, at least", \
    "unit/embedding-rules") \
  X(early_rank_first, 4, "directions", \
    "the early rank estimate is a median of those from this V on: smaller ones " \
    "tell little", \
    "unit/embedding-history") \
  X(early_rank_estimates, 6, "estimates", \
    "of which it is the median", \
    "unit/embedding-history") \
  X(past_rank_outside, 1e-5, "share", \
    "of the first |g outside V|^2; above it a V past the early rank estimate " \
    "is given up", \
    "unit/embedding-rules") \
  X(past_rank_directions, 11, "directions", \
    "before V can be past the early rank estimate", \
    "unit/embedding-rules") \
  X(past_rank_offset, 3, "directions", \
    "more than a share of the early rank estimate are too many", \
    "unit/embedding-rules") \
  X(past_rank_share, 0.9, "x early rank", \
    "see past_rank_offset", \
    "unit/embedding-rules") \
  X(failures_allowed, 10, "evaluations", \
    "may fail, and a share of all", \
    "unit/embedding-rules") \
  X(failures_share, 0.25, "share", \
    "of evaluations that may fail", \
    "unit/embedding-rules") \
  X(stall_tail_outside, 1e-4, "share", \
    "of the first |g outside V|^2, below which a fall that ended is a tail", \
    "unit/embedding-rules") \
  X(suspect_share_of_gain, 0.01, "share", \
    "of all that was gained: a larger decrease is not noise", \
    "unit/embedding-rules") \
  X(suspect_share_of_f, 1e-3, "share", \
    "of |f| at the start, that must be gained for that to count", \
    "unit/embedding-rules") \
  X(suspect_share_of_prediction, 0.1, "share", \
    "of the predicted decrease: a step that brings less may be noise; smooth " \
    "functions keep a third", \
    "unit/embedding-rules") \
  X(suspect_roundings, 100, "x rounding error of f", \
    "that must be predicted for a broken prediction to mean anything", \
    "unit/embedding-rules") \
  X(suspect_evaluations, 120, "evaluations", \
    "after which two wrong predictions in a row are suspected noise", \
    "unit/embedding-rules") \
  X(noise_end_decrease, 10, "x noise", \
    "a larger decrease is no end in noise", \
    "unit/embedding-rules") \
  X(noise_end_predicted, 100, "x noise", \
    "a larger predicted decrease is no end in noise", \
    "unit/embedding-rules") \
  X(pays_lead, 0.07, "share", \
    "of quasi-Newton's last decrease, by which the embedding must be lower: on " \
    "low-rank functions it is a tenth and more, with a tail some hundredths", \
    "unit/embedding-rules") \
  X(pays_decrease, 0.05, "share", \
    "of its lead, that the embedding must have gained since the last pause", \
    "unit/embedding-rules")

/* quasi_newton.c and its rules */
#define LR_POLICY_QUASI_NEWTON(X) \
  X(active_gradients_in_a_row, 8, "gradients", \
    "without the active coordinates; then these are measured again", \
    "unit/quasi-newton-rules") \
  X(active_share, 0.1, "share", \
    "of the coordinates; where more are active, gradients leave them out", \
    "unit/quasi-newton-rules") \
  X(active_span, 0.5, "share", \
    "of p; a larger V is taught by whole gradients", \
    "unit/quasi-newton-rules") \
  X(active_per_probe, 2, "coordinates", \
    "more must be active for each probe, for probes to cost less", \
    "unit/quasi-newton-rules") \
  X(blurred_doubt, 10, "x truncation error of |g|", \
    "that error being a guess: the derivative along a smaller one-sided " \
    "gradient is measured again by a two-sided difference", \
    "unit/quasi-newton-rules") \
  X(blurred_share, 0.5, "share", \
    "of a one-sided gradient that must be left then, or all differences become " \
    "two-sided", \
    "unit/quasi-newton-rules") \
  X(gradient_errors, 2, "x error of |g|", \
    "a smaller gradient is noise", \
    "unit/quasi-newton-rules") \
  X(error_of_tolerance, 0.5, "share", \
    "of the tolerance; a larger error hides any smaller gradient", \
    "unit/quasi-newton-rules") \
  X(trace_probes, 4, "directions", \
    "that measure the trace of the Hessian, for the error of one-sided " \
    "differences", \
    "unit/quasi-newton-rules") \
  X(trace_tolerance, 0.7, "share", \
    "of the tolerance, that the bound to expect must be within before the " \
    "trace is measured: that may come out larger", \
    "unit/quasi-newton-rules") \
  X(trace_inputs, 2, "x trace_probes", \
    "inputs: with fewer, two-sided differences cost no more than the trace, " \
    "two values a direction", \
    "unit/quasi-newton-rules") \
  X(guessed_step, 1000, "x size of x", \
    "the longest step by a curvature that is guessed", \
    "unit/quasi-newton-rules") \
  X(gain_of_noise, 0.5, "x noise", \
    "a smaller predicted decrease cannot be seen", \
    "unit/quasi-newton-rules") \
  X(column_span, 1.0 / 3, "share", \
    "of p; a larger V gets no measured Hessian columns: k values for one are " \
    "too many beside a gradient", \
    "unit/quasi-newton-rules") \
  X(new_direction, 1e-10, "x |g|", \
    "a part of a gradient outside V that is smaller is rounding", \
    "unit/quasi-newton-rules") \
  X(forget_share, 0.5, "share", \
    "of the directions of a full V that are forgotten", \
    "unit/model-rules") \
  X(inside_share, 0.1, "share", \
    "of the evaluations that steps inside V have, whatever they bring", \
    "unit/quasi-newton-rules") \
  X(inside_span, 0.2, "share", \
    "of p; at bounds a larger V is no place for cheap steps", \
    "unit/quasi-newton-rules") \
  X(inside_cliffs, 3, "cliffs of f", \
    "met by steps inside V that end them: they creep along cliffs", \
    "unit/quasi-newton-rules") \
  X(failed_rounds, 4, "rounds", \
    "in a row without a decrease; one more, and the phase is stuck", \
    "unit/quasi-newton-rules") \
  X(failed_rounds_noisy, 2, "rounds", \
    "the same under noise with two-sided differences", \
    "unit/quasi-newton-rules") \
  X(creep_window, 30, "rounds", \
    "that have to bring something", \
    "unit/quasi-newton-rules") \
  X(creep, 1e-9, "share", \
    "of all that was gained, that a window of rounds must bring", \
    "unit/quasi-newton-rules") \
  X(creep_active, 1e-4, "share", \
    "the same with gradients without the active coordinates: among active sets " \
    "it may go to and fro for ever", \
    "unit/quasi-newton-rules") \
  X(creep_some_cliffs, 10, "cliffs of f", \
    "met in a window make a third of its rounds", \
    "unit/quasi-newton-rules") \
  X(creep_at_some_cliffs, 1e-5, "share", \
    "of all that was gained, that such a window must bring", \
    "unit/quasi-newton-rules") \
  X(creep_many_cliffs, 24, "cliffs of f", \
    "met in a window: nearly every round meets one", \
    "unit/quasi-newton-rules") \
  X(creep_at_many_cliffs, 0.03, "share", \
    "of all that was gained, that such a window must bring", \
    "unit/quasi-newton-rules") \
  X(idle_rounds, 12, "rounds", \
    "under noise without a decrease beyond it; one more, and the phase is stuck", \
    "unit/quasi-newton-rules") \
  X(noise_interval, 4, "x p evaluations", \
    "after which noise is measured again", \
    "unit/quasi-newton-rules") \
  X(noise_least_interval, 120, "evaluations", \
    "the same, at least, where there was none: with few inputs it costs more " \
    "than a round", \
    "unit/quasi-newton-rules") \
  X(misled_quasi_newton, 1000, "x noise assumed", \
    "the model is forgotten where noise is larger", \
    "unit/quasi-newton-rules") \
  X(pretest_near, 1000, "x tolerance", \
    "a step along a larger derivative does not end at a small gradient", \
    "unit/quasi-newton-rules") \
  X(pretest_probe, 1.5, "x tolerance", \
    "|g| estimated by one probe, above which the gradient is not small", \
    "unit/quasi-newton-rules") \
  X(pretest_inside, 0.7, "share", \
    "of the tolerance, that |g| inside V must be within for a certificate", \
    "unit/quasi-newton-rules") \
  X(pretest_price, 0.8, "x p evaluations", \
    "that derivatives in V and probes may cost, in place of a gradient", \
    "unit/quasi-newton-rules") \
  X(pretest_price_bounded, 0.3, "x p evaluations", \
    "the same with bounds, where a pretest tells less", \
    "unit/quasi-newton-rules") \
  X(separable_errors, 4, "x error of a derivative", \
    "a smaller change of a derivative tells nothing of the curvature", \
    "unit/quasi-newton-rules") \
  X(separable_inputs, 4, "inputs", \
    "whose derivatives have changed must agree that f is separable", \
    "unit/quasi-newton-rules") \
  X(separable_signs, 0.9, "share", \
    "of changes of derivatives that must have the sign of the input's", \
    "unit/quasi-newton-rules") \
  X(separable_least_curvature, 0.7, "x diagonal curvature", \
    "a smaller curvature along a random direction shows that f is not separable", \
    "unit/quasi-newton-rules") \
  X(separable_most_curvature, 1.4, "x diagonal curvature", \
    "a larger curvature along a random direction shows that f is not separable", \
    "unit/quasi-newton-rules") \
  X(separable_trials, 3, "times", \
    "that f may seem to be separable and not be", \
    "unit/quasi-newton-rules")

#define LR_POLICY(X) \
  LR_POLICY_STEP(X) \
  LR_POLICY_MODEL(X) \
  LR_POLICY_DFO(X) \
  LR_POLICY_SURROGATE(X) \
  LR_POLICY_HIDDEN(X) \
  LR_POLICY_AUTO(X) \
  LR_POLICY_EMBEDDING(X) \
  LR_POLICY_QUASI_NEWTON(X) \
  LR_POLICY_POLYTOPE(X) \
  LR_POLICY_PAPER(X) \
  LR_POLICY_CERTIFICATE(X) \
  LR_POLICY_DIFFERENCE(X) \
  LR_POLICY_ANSWERS(X) \
  LR_POLICY_VARIABLES(X) \
  LR_POLICY_NOISE(X) \
  LR_POLICY_LEARN(X) \
  LR_POLICY_DIAGNOSIS(X) \
  LR_POLICY_CONSTRAINED(X) \
  LR_POLICY_LEAST_SQUARES(X) \
  LR_POLICY_WIDE(X)

/* clang-format on */

typedef struct lr_policy {
#define LR_POLICY_MEMBER(name, value, unit, reason, test) double name;
  LR_POLICY(LR_POLICY_MEMBER)
#undef LR_POLICY_MEMBER
} lr_policy;

/* The policy of a run: the defaults, which are constants here.  Tests and
 * benchmarks link another definition, whose rows can be changed before a run
 * begins (base/policy_table.h). */
const lr_policy *lr_policy_current(void);

/* A row that counts entries of an array with room for `room`: a policy whose
 * rows were changed can use no more of them, nor fewer than one. */
static inline size_t lr_policy_entries(double row, size_t room)
{
  return !(row >= 1) ? 1 : row < (double)room ? (size_t)row : room;
}

#endif
