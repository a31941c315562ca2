/* Rows of the policy (base/policy.h): the diagnosis. */
#ifndef LR_POLICY_DIAGNOSIS_H
#define LR_POLICY_DIAGNOSIS_H

/* clang-format off */

#define LR_POLICY_DIAGNOSIS(X) \
  X(plan_work, 1600, "gradients x inputs", \
    "that a diagnosis samples in few dimensions, where they are cheap", \
    "unit/diagnosis-rules") \
  X(plan_most, 200, "gradients", \
    "that are sampled at most for this reason", \
    "unit/diagnosis-rules") \
  X(plan_rank_most, 64, "gradients", \
    "that are sampled at most in many dimensions: a diagnosis pays only for " \
    "ranks well below p", \
    "unit/diagnosis-rules") \
  X(plan_held_out, 100, "points", \
    "that are held out: none of them outside the subspace certifies 97 % of " \
    "the region", \
    "unit/diagnosis-rules") \
  X(plan_spare, 32, "evaluations", \
    "announced beside the samples, for the measurement of noise", \
    "unit/diagnosis-rules") \
  X(plan_curvatures, 450, "derivatives", \
    "announced beside the held-out points: curvatures along 20 directions, " \
    "and checks", \
    "unit/diagnosis-rules") \
  X(plan_many_inputs, 100, "inputs", \
    "above which sampling is dear, so that trial runs have less beside it", \
    "unit/diagnosis-rules") \
  X(plan_trials_many, 4, "x samples", \
    "that trial runs may cost with many inputs", \
    "unit/diagnosis-rules") \
  X(plan_trials_few, 6, "x samples", \
    "that trial runs may cost with few inputs", \
    "unit/diagnosis-rules") \
  X(plan_trials_least, 10, "samples", \
    "count for trial runs at least", \
    "unit/diagnosis-rules") \
  X(plan_trials_gradients, 50, "x planned gradients", \
    "that trial runs may cost where f tells its gradient", \
    "unit/diagnosis-rules") \
  X(plan_exact, 5, "x r gradients", \
    "that a diagnosis may cost where f has exact rank r and many inputs", \
    "unit/diagnosis-rules") \
  X(plan_late_trials, 0.25, "x samples", \
    "that trial runs may cost where sampling took more than that: else the " \
    "rank would be known and its use would not", \
    "unit/diagnosis-rules") \
  X(low_rank, 0.5, "share", \
    "of the inputs, above which a rank is not low", \
    "unit/diagnosis-rules") \
  X(verdict_many, 59, "points", \
    "held out are many: none of them outside leaves less than 5 % of the " \
    "region, with confidence 0.95", \
    "unit/diagnosis-rules") \
  X(verdict_drowned, 0.6, "share", \
    "of |g| that is error, above which no rank is seen", \
    "unit/diagnosis-rules") \
  X(verdict_energy, 0.99, "share", \
    "of the energy that the directions of an approximate rank hold", \
    "unit/diagnosis-rules") \
  X(verdict_gap, 100, "times", \
    "smaller is a singular value after a gap in the spectrum", \
    "unit/diagnosis-rules") \
  X(verdict_rounded, 1e-8, "x |f|", \
    "differences of values that are smaller hide derivatives by rounding", \
    "unit/diagnosis-rules") \
  X(verdict_exact, 1e-2, "share", \
    "of |g| that is error, below which a rank is called exact and not 'as far " \
    "as noise shows'", \
    "unit/diagnosis-rules") \
  X(diagnosis_noise, 30, "x rounding error of f", \
    "noise that is larger matters: every function has rounding errors", \
    "unit/diagnosis-rules") \
  X(inside_errors, 3, "x expected error", \
    "a part of a gradient outside the subspace that is smaller is error", \
    "unit/diagnosis-rules") \
  X(leak_share, 1e-3, "share", \
    "of |g| that errors of the directions themselves may explain", \
    "unit/diagnosis-rules") \
  X(leak_errors, 2, "x expected error", \
    "the same where gradients are less accurate", \
    "unit/diagnosis-rules") \
  X(truncation_errors, 5, "x expected error", \
    "a component of a gradient may be by truncation, which is much the same " \
    "vector everywhere", \
    "unit/diagnosis-rules") \
  X(truncation_share, 1e-3, "share", \
    "of |g| that this is at most", \
    "unit/diagnosis-rules") \
  X(seen_errors, 5, "x allowed error", \
    "one component along a direction that is larger shows it", \
    "unit/diagnosis-rules") \
  X(seen_percent, 3, "components of 100", \
    "above their allowed error show a direction: too many for chance", \
    "unit/diagnosis-rules") \
  X(seen_faint, 5, "components", \
    "of which one above its expected error shows a direction", \
    "unit/diagnosis-rules") \
  X(faint_sample, 1e-3, "share", \
    "of |g| below which a component of a sample shows nothing where many " \
    "held-out points show none", \
    "unit/diagnosis-rules") \
  X(sample_difference_error, 3e-6, "share", \
    "of |g| by which a gradient by differences is off at least: truncation " \
    "with a curvature not known yet", \
    "unit/diagnosis-rules") \
  X(sample_given_error, 1e-9, "share", \
    "of |g| by which a user's gradient is off: rounding", \
    "unit/diagnosis-rules") \
  X(sample_error_margin, 2.5, "x error of a derivative", \
    "that are expected of each component", \
    "unit/diagnosis-rules") \
  X(tilt_errors, 3, "x error of the directions", \
    "that explain a part of a gradient outside them", \
    "unit/diagnosis-rules") \
  X(tilt_share, 1e-2, "share", \
    "of |g| that these explain at most: else a relevant direction is missed", \
    "unit/diagnosis-rules") \
  X(settled_samples, 8, "samples", \
    "before an approximate rank can be seen", \
    "unit/diagnosis-rules") \
  X(settled_inputs, 4, "x samples", \
    "inputs, below which samples are cheap and taken", \
    "unit/diagnosis-rules") \
  X(settled_error, 0.02, "share", \
    "of |g| of the second half of the samples outside the directions of the " \
    "first", \
    "unit/diagnosis-rules") \
  X(central_error, 3e-3, "share", \
    "of |g| that truncation makes, above which differences are central", \
    "unit/diagnosis-rules") \
  X(central_samples, 5, "planned gradients", \
    "below which half as many would be too few", \
    "unit/diagnosis-rules") \
  X(failed_first, 60, "failures", \
    "of evaluations before sampling is given up", \
    "unit/diagnosis-rules") \
  X(failed_each, 6, "failures", \
    "more for each sample", \
    "unit/diagnosis-rules") \
  X(stall_still, 10, "iterations", \
    "without a decrease; then a run that was cut off would stall", \
    "unit/diagnosis-rules") \
  X(stall_least, 12, "iterations", \
    "before that can be said", \
    "unit/diagnosis-rules") \
  X(stall_longer, 2, "x longest pause", \
    "before f fell again, that this one must exceed", \
    "unit/diagnosis-rules") \
  X(twin_ratio, 1.5, "times", \
    "the cost of a trial run that its twin in rotated coordinates may have", \
    "unit/diagnosis-rules") \
  X(rounding_hides, 1.5, "x tolerance", \
    "gradients that rounding hides make a prediction uncertain", \
    "unit/diagnosis-rules") \
  X(truncation_hides, 0.5, "x tolerance", \
    "in the error of one-sided differences keep a run from its end until it " \
    "takes two-sided ones: its cost is that of its patience", \
    "unit/diagnosis-rules") \
  X(trial_least, 20, "evaluations", \
    "of a trial run on r variables that gives a number where gradients are " \
    "given: one line search decides the cost of a shorter one", \
    "unit/diagnosis-rules") \
  X(trial_floor, 0.5, "x cost of a trial run", \
    "on r variables, that a run on f costs at least", \
    "unit/diagnosis-rules") \
  X(estimate_alike, 1.5, "times", \
    "by which the quadratic at the minimum may differ from f where descent " \
    "was cut off", \
    "unit/diagnosis-rules") \
  X(estimate_flat, 1e-6, "x largest curvature", \
    "a smaller one is not resolved by second differences of values", \
    "unit/diagnosis-rules") \
  X(estimate_errors, 2, "x error of the Hessian", \
    "must its least curvature be, to tell the end of a descent", \
    "unit/diagnosis-rules") \
  X(estimate_least, 8, "iterations", \
    "of gradient descent that are estimated from the Hessian; with fewer the " \
    "two or three that end a run decide its cost", \
    "unit/diagnosis-rules") \
  X(outside_negligible, 0.5, "x tolerance", \
    "a gradient outside the subspace that is smaller does not matter to a run", \
    "unit/diagnosis-rules") \
  X(lemma_accuracy, 1e-5, "x slope", \
    "the gradient at which the minimum of f - s u'x is found well enough; less " \
    "moves its level along weak directions by more than a thousandth", \
    "unit/diagnosis-rules") \
  X(lemma_accuracy_inside, 1e-3, "x slope", \
    "likewise where f is low-rank: u lies in its subspace up to errors of " \
    "differences, and f - s u'x has no minimum along these", \
    "unit/diagnosis-rules") \
  X(known_step, 2, "times", \
    "by which a known difference step may differ from that of the diagnosis", \
    "unit/diagnosis-rules") \
  X(curvature_step, 1e-3, "x size of x", \
    "over which gradients and values are differenced for curvatures: these " \
    "need not be known to many digits, and noise must not decide them", \
    "unit/diagnosis-rules") \
  X(curvature_errors, 4, "x error of a derivative", \
    "over that step, below which a curvature is not resolved", \
    "unit/diagnosis-rules") \
  X(curvature_error, 1e-10, "x |g|", \
    "by which a derivative is off at least", \
    "unit/diagnosis-rules") \
  X(curvature_directions, 20, "directions", \
    "whose Hessian is measured at most: it takes their square in " \
    "derivatives", \
    "unit/diagnosis-rules") \
  X(local_share, 0.25, "share", \
    "of what trial runs have left that the study of a local rank may cost", \
    "unit/diagnosis-rules") \
  X(local_steps, 10, "steps", \
    "of Lanczos beside two for each direction, until the largest " \
    "eigenvalues have converged", \
    "unit/diagnosis-rules") \
  X(mu_directions, 4, "directions", \
    "outside the subspace along which curvatures are looked at for mu", \
    "unit/diagnosis-rules") \
  X(estimate_variables, 40, "variables", \
    "of a quadratic whose descent is estimated, at most: its Hessian takes " \
    "1721 values", \
    "unit/diagnosis-rules") \
  X(estimate_by_values, 12, "variables", \
    "up to which that descent takes finite differences, as it does on f: " \
    "their truncation error decides how it ends", \
    "unit/diagnosis-rules") \
  X(estimate_longest, 400000, "iterations", \
    "of that descent at most", \
    "unit/diagnosis-rules") \
  X(outside_step, 0.01, "x size of x", \
    "of central differences outside the subspace, where f has hardly any " \
    "curvature", \
    "unit/diagnosis-rules") \
  X(outside_room, 1e-6, "x size of x", \
    "that bounds must leave for such a difference", \
    "unit/diagnosis-rules") \
  X(outside_noise, 3, "x noise", \
    "that its two values may be off", \
    "unit/diagnosis-rules") \
  X(outside_probes, 8, "probes", \
    "of the gradient outside the subspace at the start", \
    "unit/diagnosis-rules") \
  X(sample_patience, 12, "samples", \
    "more inside the directions seen, before sampling ends where held-out " \
    "points were outside", \
    "unit/diagnosis-rules") \
  X(sample_bend, 10, "x step", \
    "of the second difference that shows the truncation error of a " \
    "gradient by differences", \
    "unit/diagnosis-rules") \
  X(sample_tries, 6, "points", \
    "that are tried for a sample, each half as far away, where f has no " \
    "value", \
    "unit/diagnosis-rules") \
  X(bootstrap_samples, 200, "samples", \
    "with replacement of the gradients, for the confidence intervals of " \
    "the spectrum", \
    "unit/diagnosis-rules") \
  X(held_out_error, 1e-3, "share", \
    "of held-out points at which the bound by probes may fail; it adds to " \
    "the share that a certificate allows", \
    "unit/diagnosis-rules") \
  X(held_out_tries, 3, "x points", \
    "that are tried for held-out points, where f has no value", \
    "unit/diagnosis-rules") \
  X(invariance_points, 8, "points", \
    "from which f is evaluated at a distance orthogonal to the subspace", \
    "unit/diagnosis-rules") \
  X(trial_inputs, 40, "inputs", \
    "up to which trial runs are made on f itself", \
    "unit/diagnosis-rules") \
  X(verdict_fine, 0.01, "share", \
    "of |g| that the directions named for a closer approximation leave out", \
    "unit/diagnosis-rules") \
  X(proposition_accuracy, 1e-3, "share", \
    "of a level or a gradient to which the minimum of a tilted f is found", \
    "unit/diagnosis-rules") \
  X(proposition_steps, 40, "steps", \
    "of the search for a tilt at most", \
    "unit/diagnosis-rules") \
  X(proposition_tilt, 0.1, "x |g|", \
    "the first tilt, and the factor by which one is reduced", \
    "unit/diagnosis-rules") \
  X(proposition_more, 4, "times", \
    "by which a tilt grows that is too small", \
    "unit/diagnosis-rules") \
  X(proposition_level, 0.1, "x decrease", \
    "from the start to the minimum: the level at which Lemma 2.1 is tried", \
    "unit/diagnosis-rules") \
  X(proposition_flat, 0.01, "x |f|", \
    "the level where the start is the minimum", \
    "unit/diagnosis-rules") \
  X(proposition_aligned, 0.999, "share", \
    "of the gradient along a direction, its cosine, above which it is " \
    "parallel to it", \
    "unit/diagnosis-rules") \
  X(proposition_near, 0.05, "x |g|", \
    "a tilt so small leads to a point near the minimum", \
    "unit/diagnosis-rules") \
  X(proposition_outside, 0.9, "share", \
    "of the gradient outside, above which Proposition 2.2 is seen to hold", \
    "unit/diagnosis-rules") \
  X(proposition_points, 20, "points", \
    "held out for the rank of a sum, a product, ... of functions", \
    "unit/diagnosis-rules") \
  X(check_directions, 4, "directions", \
    "at random, along which a gradient is compared with f: one wrong input of " \
    "many shows along each", \
    "unit/diagnosis-rules") \
  X(check_share, 1e-3, "share", \
    "of a slope, by which it may differ from that of f besides the error of " \
    "differences: adjoints of solvers are that accurate", \
    "unit/diagnosis-rules") \
  X(check_errors, 3, "x error of a difference", \
    "by which a slope may differ from that of f besides", \
    "unit/diagnosis-rules") \
  X(check_shorter, 4, "times", \
    "shorter is the second difference along a direction: it is more accurate, " \
    "and the change from the first tells the truncation error", \
    "unit/diagnosis-rules") \
  X(settled_share, 0.25, "share", \
    "of the samples, which is the approximate rank that is looked for: half of " \
    "them show twice as many directions", \
    "unit/diagnosis-rules") \
  X(sample_clean, 2, "samples", \
    "more than directions, all inside these, end the sampling: two at random " \
    "in a subspace of all directions are no chance", \
    "unit/diagnosis-rules") \
  X(known_share, 0.5, "share", \
    "of the planned gradients that known ones replace at most: the others are " \
    "at random points, which alone show that the span is complete", \
    "unit/diagnosis-rules") \
  X(local_rays, 4, "directions", \
    "at random along which Taylor's remainder of the gradient is measured", \
    "unit/diagnosis-rules") \
  X(local_points, 4, "points", \
    "along each of them; the two farthest decide on M, as the others may be " \
    "rounding", \
    "unit/diagnosis-rules") \
  X(local_nearer, 0.1, "share", \
    "of the distance of one such point, for the next", \
    "unit/diagnosis-rules") \
  X(local_step_values, 3e-3, "x size of x", \
    "between gradients by differences, for products with the Hessian: the cube " \
    "root of their relative error of 3e-8", \
    "unit/diagnosis-rules") \
  X(local_step_gradients, 1e-5, "x size of x", \
    "likewise where gradients are given, to rounding", \
    "unit/diagnosis-rules") \
  X(trial_iterations, 4096, "iterations", \
    "of a trial run at most: room for what it shows", \
    "unit/diagnosis-rules") \
  X(trial_share, 0.5, "share", \
    "of the evaluations that are left which one trial run may take", \
    "unit/diagnosis-rules") \
  X(twin_longest, 2, "x cost of a trial run", \
    "that its twin in rotated coordinates may take before it is stopped", \
    "unit/diagnosis-rules") \
  X(theorem_accuracy, 1e-3, "share", \
    "of the descent ahead, or of |g| at the start, to which the theorems are " \
    "held where no accuracy is given", \
    "unit/diagnosis-rules")

/* clang-format on */

#endif
