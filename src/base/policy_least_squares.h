/* Rows of the policy for src/least_squares: residuals in a growing subspace. */
#ifndef LR_POLICY_LEAST_SQUARES_H
#define LR_POLICY_LEAST_SQUARES_H

/* clang-format off */

#define LR_POLICY_LEAST_SQUARES(X) \
  X(ls_waves, 128, "waves", \
    "of which a correlated direction is the sum: its covariance is off by one " \
    "part in the root of them", \
    "unit/least-squares-rules") \
  X(ls_kind_again, 8, "columns", \
    "along random directions of one kind, independent or smooth, after which " \
    "one along the other kind shows whether that is better now", \
    "unit/least-squares-rules") \
  X(ls_kind_columns, 3, "columns", \
    "the last ones of a kind of random direction, whose mean square tells how " \
    "much residuals change along it", \
    "unit/least-squares-rules") \
  X(ls_smooth_length, 0.125, "x inputs", \
    "over which the correlation of a smooth direction falls to 1/e", \
    "unit/least-squares-rules") \
  X(ls_reach, 0.5, "x size of x per input", \
    "the distance over which the first guess of the curvature makes the error " \
    "of a linear model as large as the residuals", \
    "unit/least-squares-rules") \
  X(ls_axes_inputs, 24, "inputs", \
    "up to so many J is measured along the axes before the first step", \
    "unit/least-squares-rules") \
  X(ls_axes_bend, 0.01, "x first guess", \
    "of the curvature, where all of J is known along the axes before the first " \
    "step: a step that fails tells it", \
    "unit/least-squares-rules") \
  X(ls_axes_listen, 3, "steps", \
    "in a row that fail, before noise is looked for where inputs are few", \
    "unit/least-squares-rules") \
  X(ls_curved_directions, 24, "directions", \
    "up to which the curvature that steps have shown stays in the model: in more " \
    "one step tells too little of the next", \
    "unit/least-squares-rules") \
  X(ls_curved_steps, 8, "steps", \
    "of which it does, at most", \
    "unit/least-squares-rules") \
  X(ls_curved_least, 0.1, "x squared error", \
    "where that curvature changes less of what a linear model leaves, a step " \
    "does not tell whether it is right", \
    "unit/residual_bends") \
  X(ls_land_share, 0.5, "share", \
    "of f: a step that promises more is made at once", \
    "unit/least-squares-rules") \
  X(ls_land_columns, 100, "x gain of a new column", \
    "a step that promises more is made: new directions add too little", \
    "unit/least-squares-rules") \
  X(ls_land_saturated, 30, "x gain of a new column", \
    "the same, where the last columns are in the range of those before them", \
    "unit/least-squares-rules") \
  X(ls_land_curved, 10, "x gain of a new column", \
    "the same, where the model has the curvature of the last steps: more " \
    "directions make the next one shorter, but no better", \
    "unit/least-squares-rules") \
  X(ls_first_columns, 3, "columns", \
    "after these a first step is tried: it measures the curvature", \
    "unit/least-squares-rules") \
  X(ls_new_columns, 3, "columns", \
    "of the last ones one must be new, or J has all of its range", \
    "unit/least-squares-rules") \
  X(ls_new_variance, 9, "x expected square", \
    "of its distance from the range of the others, above which a column is new " \
    "(three standard deviations)", \
    "unit/least-squares-rules") \
  X(ls_significant, 100, "x variance", \
    "of a singular value of J above which it is significant (ten standard " \
    "deviations): the others, where they are below ls_sweep_least too, belong " \
    "to the null space of J", \
    "unit/least-squares-rules") \
  X(ls_confine_below, 1e-2, "share", \
    "of f: a step with a smaller predicted decrease, near a minimum with " \
    "residuals left, is restricted to outside the null space of J: along it a " \
    "step measures no curvature of F", \
    "unit/least-squares-rules") \
  X(ls_saturated_doubt, 1e-5, "x squared column", \
    "where the distance of a column from the range of the others is known that " \
    "well, one that is in it tells that J has all of its range", \
    "unit/least-squares-rules") \
  X(ls_grow_every, 8, "evaluations", \
    "after so many without a new direction one is taken in any case; after k, " \
    "where the last columns are in the range of those before them", \
    "unit/least-squares-rules") \
  X(ls_grow_failures, 3, "directions", \
    "in a row that cannot be measured, after which a renewal of J takes in no " \
    "others", \
    "unit/least-squares-rules") \
  X(ls_grow_below, 0.3, "share", \
    "of f that a step must promise for that to wait", \
    "unit/least-squares-rules") \
  X(ls_refresh, 2, "x cost of its uncertainty", \
    "a direction is measured again where a step promises less than this", \
    "unit/least-squares-rules") \
  X(ls_refresh_below, 0.9, "share", \
    "of f: a step that promises more needs no better J", \
    "unit/least-squares-rules") \
  X(ls_sweep_rate, 0.3, "share", \
    "of the rate at which measuring J anew makes f fall: it is measured anew " \
    "where f falls more slowly", \
    "unit/least-squares-rules") \
  X(ls_sweep_window, 0.5, "x price of J", \
    "evaluations over which the rate of the decrease is measured", \
    "unit/least-squares-rules") \
  X(ls_sweep_window_least, 6, "evaluations", \
    "that window at least", \
    "unit/least-squares-rules") \
  X(ls_sweep_first, 40, "evaluations", \
    "before which J is not measured anew", \
    "unit/least-squares-rules") \
  X(ls_sweep_home, 0.1, "share", \
    "of the first f: where f is above, J is first measured anew at the start, " \
    "as steps with a part of J may have led into a poor valley", \
    "unit/least-squares-rules") \
  X(ls_back_known, 1e-12, "x squared reach", \
    "variance, in units of squared curvature, of columns that were measured at " \
    "the start, once the run is back there", \
    "unit/least-squares-rules") \
  X(ls_back_unknown, 1e3, "x squared reach", \
    "the same of columns that were not", \
    "unit/least-squares-rules") \
  X(ls_sweep_least, 1e-6, "x largest singular value", \
    "a direction with a smaller one is not measured anew", \
    "unit/least-squares-rules") \
  X(ls_sweep_bend, 0.25, "x curvature", \
    "that is believed once J was measured anew", \
    "unit/least-squares-rules") \
  X(ls_joint_errors, 10, "x expected error", \
    "a step takes a new direction along where that changes the residuals by " \
    "more: its column then comes for nothing", \
    "unit/least-squares-rules") \
  X(ls_joint_residual, 0.3, "x residuals left", \
    "that change is no larger", \
    "unit/least-squares-rules") \
  X(ls_joint_promise, 0.2, "x promised decrease", \
    "nor is its square", \
    "unit/least-squares-rules") \
  X(ls_joint_ratio, 0.5, "reduction ratio", \
    "of the last step, above which the next may do so", \
    "unit/least-squares-rules") \
  X(ls_joint_shortest, 1e-9, "x reach", \
    "a shorter way along a new direction drowns in rounding", \
    "unit/least-squares-rules") \
  X(ls_size_columns, 5, "columns", \
    "the last ones, whose root mean square is the size of one that is unknown", \
    "unit/least-squares-rules") \
  X(ls_bend_margin, 2, "x measured curvature", \
    "that is believed after a step with a smaller error than expected", \
    "unit/least-squares-rules") \
  X(ls_bend_rise, 4, "times", \
    "by which the curvature rises at most after a step that was made", \
    "unit/least-squares-rules") \
  X(ls_bend_rise_failed, 16, "times", \
    "the same after one that was not", \
    "unit/least-squares-rules") \
  X(ls_bend_unevaluable, 4, "times", \
    "by which it rises where F cannot be evaluated: half the length", \
    "unit/least-squares-rules") \
  X(ls_bend_least, 1e-10, "x first curvature", \
    "no smaller one is believed, as noise is divided by it", \
    "unit/least-squares-rules") \
  X(ls_difference_shortest, 1e-8, "x reach", \
    "of a finite difference", \
    "unit/least-squares-rules") \
  X(ls_difference_longest, 0.1, "x reach", \
    "of a finite difference", \
    "unit/least-squares-rules") \
  X(ls_difference_rounding, 1024, "x rounding error of x", \
    "that a finite difference is at least", \
    "unit/least-squares-rules") \
  X(ls_difference_lengthen, 1000, "times", \
    "the length of a finite difference that did not change F at all", \
    "unit/least-squares-rules") \
  X(ls_marker, 1e50, "x largest residual at the start", \
    "a larger one is no residual: it marks a point that cannot be evaluated", \
    "unit/least-squares-rules") \
  X(ls_noise_ratio, 0.3, "reduction ratio", \
    "below which the noise of F is measured, by two values", \
    "unit/least-squares-rules") \
  X(ls_noise_factor, 10, "x noise", \
    "that was assumed: where more is measured, all is measured anew with " \
    "longer differences", \
    "unit/least-squares-rules") \
  X(ls_noise_share, 1e-3, "share", \
    "of a difference of residuals, above which noise is no curvature", \
    "unit/least-squares-rules") \
  X(ls_noise_again, 4, "times", \
    "as many steps as when noise was last looked for, before it is again", \
    "unit/least-squares-rules") \
  X(ls_noise_failures, 2, "steps", \
    "without a decrease, after which a run whose residuals have noise has " \
    "stalled: errors of J make longer trials useless", \
    "unit/least-squares-rules") \
  X(ls_noise_decrease, 1, "standard deviations", \
    "of f by noise, above which a step counts as a decrease", \
    "unit/least-squares-rules") \
  X(ls_printed_digits, 10, "digits", \
    "of a residual, above which it is no number that a program has printed", \
    "unit/least-squares-rules") \
  X(ls_printed_whole, 1e-3, "units", \
    "by which a printed number less an observation may miss a multiple of the " \
    "unit: rounding errors of both", \
    "unit/least-squares-rules") \
  X(ls_noise_assumed, 1e-15, "x largest residual", \
    "noise that is assumed as long as none was measured", \
    "unit/least-squares-rules") \
  X(ls_noise_rounding, 1e-14, "x largest residual", \
    "noise that rounding may make, which is not taken for noise", \
    "unit/least-squares-rules") \
  X(ls_box_widest, 1e6, "x size of x", \
    "half the width of a box that is wider says nothing of the scale of an input", \
    "unit/least-squares-rules") \
  X(ls_box_wide, 0.1, "share", \
    "of a difference that bounds must leave outside the subspace", \
    "unit/least-squares-rules") \
  X(ls_box_straight, 0.3, "share", \
    "of a difference in the subspace by which bounds may bend it", \
    "unit/least-squares-rules") \
  X(ls_box_many, 0.05, "share", \
    "of the inputs that bounds hold, above which a random direction leads out " \
    "of them: J is measured along all axes then", \
    "unit/least-squares-rules") \
  X(ls_box_axes, 250, "inputs", \
    "for more that would take too many evaluations: with 300 inputs and rank 8 " \
    "a tenth of f is left after 156 evaluations with axes, after 11 without", \
    "unit/least-squares-rules") \
  X(ls_box_pushes, 3, "standard deviations", \
    "of the slope at a bound above which the bound holds the input and its " \
    "column need not be measured anew", \
    "unit/least-squares-rules") \
  X(ls_box_bent, 0.03, "share", \
    "of a step that bounds bend out of the subspace, above which that part " \
    "becomes a direction", \
    "unit/least-squares-rules") \
  X(ls_certify_share, 0.5, "share", \
    "of the tolerance below which the estimated gradient must be for a " \
    "certificate to be asked for", \
    "unit/least-squares-rules") \
  X(ls_certify_deviations, 3, "standard deviations", \
    "of the gradient inside the subspace that a certificate adds to it, at least", \
    "unit/least-squares-rules") \
  X(ls_probe_deviations, 2, "standard deviations", \
    "of a derivative along a new direction that a certificate adds to it", \
    "unit/least-squares-rules") \
  X(ls_rough, 0.25, "x squared deviation", \
    "of a line's middle from its ends that is left on half of the line, above " \
    "which it is noise: curvature leaves a sixteenth, noise all", \
    "unit/least-squares-rules") \
  X(ls_outside, 0.1, "share", \
    "of the mean square of the derivatives along probes over all of space: where " \
    "that of one outside the subspace is larger, J is not measured anew for a " \
    "certificate, but along new directions", \
    "unit/least-squares-rules") \
  X(ls_idle_share, 1e-10, "share", \
    "of f: a smaller decrease is none", \
    "unit/least-squares-rules") \
  X(ls_idle_noise, 4, "x squared noise per direction", \
    "a smaller decrease of f is none", \
    "unit/least-squares-rules") \
  X(ls_success, 1e-3, "reduction ratio", \
    "above which a step counts as a decrease of f: a smaller one may be " \
    "rounding or chance", \
    "unit/least-squares-rules") \
  X(ls_renew_failures, 4, "steps", \
    "without a decrease, after which J is measured anew", \
    "unit/least-squares-rules") \
  X(ls_failures, 40, "steps", \
    "without a decrease, after which the run has stalled", \
    "unit/least-squares-rules") \
  X(ls_idle, 8, "times", \
    "that nothing is promised inside or outside the subspace, likewise", \
    "unit/least-squares-rules") \
  X(ls_gains, 3, "columns", \
    "the last ones, whose mean gain is that to expect of the next", \
    "unit/least-squares-rules") \
  X(ls_active_sets, 40, "active sets", \
    "that are tried for a step in bounds: those that are not found by then " \
    "repeat themselves", \
    "unit/least-squares-rules") \
  X(ls_damping_box, 2, "times", \
    "within which the damping for curvature is known in bounds, where each " \
    "trial is a search for the active set", \
    "unit/least-squares-rules") \
  X(ls_damping, 0.01, "share", \
    "to which the damping for curvature is known without bounds", \
    "unit/least-squares-rules") \
  X(ls_reweighed, 50, "times", \
    "that the residuals of a robust loss are weighed for one step", \
    "unit/least-squares-rules") \
  X(ls_weights_gain, 1e-6, "share", \
    "of the decrease that is promised, by which new weights must raise it to be " \
    "computed again", \
    "unit/least-squares-rules") \
  X(ls_rank_cut, 1e-6, "share", \
    "of the largest singular value of J below which one is taken for zero: " \
    "differences and updates are wrong by 1e-7 or so of the largest derivative", \
    "unit/uncertainty") \
  X(ls_undetermined, 1e-6, "share", \
    "of the square of a prediction's slopes outside the determined " \
    "combinations, above which it is not determined", \
    "unit/uncertainty")

/* clang-format on */

#endif
