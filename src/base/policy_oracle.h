/* Rows of the policy (base/policy.h): finite differences, noise, and answers
 * that are no values of f. */
#ifndef LR_POLICY_ORACLE_H
#define LR_POLICY_ORACLE_H

/* clang-format off */

/* difference.c, error.c and their rules */
#define LR_POLICY_DIFFERENCE(X) \
  X(shortest_step, 1e-8, "x size of x", \
    "a one-sided difference is no shorter: x + h must differ from x in half of " \
    "its digits", \
    "unit/difference-rules") \
  X(shortest_step_two_sided, 1e-6, "x size of x", \
    "a two-sided difference is no shorter where nothing is known of f'''", \
    "unit/difference-rules") \
  X(longest_step, 1e-4, "x size of x", \
    "a one-sided difference without noise is no longer: f may be another " \
    "function there", \
    "unit/difference-rules") \
  X(longest_step_two_sided, 1e-3, "x size of x", \
    "a two-sided difference without noise is no longer", \
    "unit/difference-rules") \
  X(longest_step_noisy, 0.1, "x size of x", \
    "a difference under noise is no longer, times the stretch", \
    "unit/difference-rules") \
  X(longest_step_stretched, 0.5, "x size of x", \
    "a stretched difference is no longer", \
    "unit/difference-rules") \
  X(step_known_curvature, 3, "times", \
    "longer is a one-sided difference whose curvature is known and taken off: " \
    "it is known roughly", \
    "unit/difference-rules") \
  X(step_two_sided, 6, "times", \
    "longer is a two-sided difference, given the curvature: its error of order " \
    "h cancels", \
    "unit/difference-rules") \
  X(step_resolution, 16, "x error of |g|", \
    "is the tolerance over the longest useful two-sided step: a longer one has " \
    "more truncation error", \
    "unit/difference-rules") \
  X(step_on_plane, 6, "times", \
    "the error of a two-sided difference is that of two steps to one side, as " \
    "bounds on a plane force them", \
    "unit/difference-rules") \
  X(direction_room, 0.125, "share", \
    "of its step that the box must leave a direction; with less, the " \
    "coordinates at bounds are left out of it", \
    "unit/difference-rules") \
  X(jump_errors, 1000, "x error of f", \
    "and |f| at the start; no smooth f changes by more along a difference", \
    "unit/difference-rules") \
  X(jump_ratio, 1000, "times", \
    "the change of f on the other side, or along the rest of a line: a larger " \
    "one is a jump", \
    "unit/difference-rules") \
  X(active_errors, 3, "x error of a derivative", \
    "a multiplier must be larger, for its bound to be active beyond doubt", \
    "unit/difference-rules") \
  X(value_roundings, 4, "x epsilon |f|", \
    "the rounding error of a value: few functions lose less than two digits of " \
    "their last places", \
    "unit/difference-rules") \
  X(stretch, 4, "times", \
    "longer are the next differences where noise hid all of f's changes", \
    "unit/difference-rules") \
  X(stretch_most, 64, "times", \
    "longer than at first they become", \
    "unit/difference-rules")

/* ask.c, sentinel.c, limits.c, units.c, digits.c, slope_noise.c */
#define LR_POLICY_ANSWERS(X) \
  X(sentinel_twice, 1000, "x range of other values", \
    "above the first; a highest value that far away which comes twice is what " \
    "a program answers where it fails", \
    "unit/answers-rules") \
  X(sentinel_thrice, 10, "x range of other values", \
    "above the first; one that far away must come three times: losses saturate, " \
    "and symmetric functions repeat values", \
    "unit/answers-rules") \
  X(sentinel_start_same, 5, "answers", \
    "equal to the first, before the start can have failed itself", \
    "unit/answers-rules") \
  X(sentinel_start, 10, "x size of other values", \
    "above them all must the value at the start be, to be no value", \
    "unit/answers-rules") \
  X(many_digits, 10, "digits", \
    "of a value; fewer in every value are no accident: a program prints so " \
    "many", \
    "unit/answers-rules") \
  X(unbounded_depth, 1e30, "x first |f|", \
    "below zero, where f may have no lower bound", \
    "unit/answers-rules") \
  X(unbounded_distance, 1e8, "x size of the first x", \
    "away from zero must x be for that, with no bound ahead of it", \
    "unit/answers-rules") \
  X(unit_smallest, 200, "halvings of 1", \
    "the smallest first |f|, 1e-60, that is used as it is: the square of a " \
    "millionth of a derivative, times rounding, must not underflow", \
    "unit/answers-rules") \
  X(unit_largest, 33, "doublings of 1", \
    "the largest first |f|, 1e10, that is used as it is: first steps suit " \
    "values near one, and fourth powers must not overflow where f is 1e60 " \
    "times larger", \
    "unit/answers-rules") \
  X(slope_noise_looks, 8, "second differences", \
    "of derivatives that the user gives, which estimate their noise; one shows " \
    "that there is none", \
    "unit/answers-rules") \
  X(slope_noise_spacing, 1e-9, "x size of x", \
    "between their points: so near to each other derivatives differ by noise " \
    "alone", \
    "unit/answers-rules") \
  X(slope_noise_none, 1e-6, "x tolerance", \
    "in the norm of all p derivatives; smaller noise is none: noise of a " \
    "hundredth of the tolerance looks like that once in ten thousand times", \
    "unit/answers-rules") \
  X(slope_noise_smooth, 1e-3, "share", \
    "of the squares of second differences that is left over a far shorter " \
    "spacing, where f oscillates: noise has that little left by chance once in " \
    "forty looks, and in three hardly ever", \
    "unit/answers-rules") \
  X(slope_noise_confirm, 3, "second differences", \
    "over that shorter spacing must agree that f oscillates", \
    "unit/answers-rules") \
  X(slope_noise_of_f, 1000, "x rounding error of f", \
    "the values that come with such derivatives must differ by more, for f to " \
    "be noisy too", \
    "unit/answers-rules")

/* change_of_variables.c */
#define LR_POLICY_VARIABLES(X) \
  X(widths_alike, 100, "times", \
    "apart may the widths of a box be whose inputs are compared as they are: " \
    "beyond, a first step moves the narrow ones alone", \
    "unit/variables") \
  X(widths_near, 1e-3, "share", \
    "of its width, within which of a bound, and not at it, an input starts " \
    "whose box is too large to be a scale", \
    "unit/variables")

/* noise.c, noise_reading.c */
#define LR_POLICY_NOISE(X) \
  X(noise_first_spacing, 1e-4, "x size of x", \
    "between the values of the first line", \
    "unit/noise-rules") \
  X(noise_spacing_factor, 30, "times", \
    "longer or shorter is the next line's spacing, until one was too short and " \
    "one too long", \
    "unit/noise-rules") \
  X(noise_tries, 6, "lines", \
    "at most", \
    "unit/noise-rules") \
  X(noise_none, 0.5, "share", \
    "of these lines, after which there is no noise if none has shown it", \
    "unit/noise-rules") \
  X(noise_confirm_values, 4, "values", \
    "of a shorter line that confirm the noise of the line before", \
    "unit/noise-rules") \
  X(noise_small_input, 0.01, "x size of x", \
    "an input that is smaller moves less along a line: f may be curved in " \
    "steps of its size", \
    "unit/noise-rules") \
  X(noise_ties, 0.5, "share", \
    "of neighbours whose values are equal where the spacing is too short", \
    "unit/noise-rules") \
  X(noise_agreement, 3, "times", \
    "apart may three orders of differences be that agree on the noise", \
    "unit/noise-rules") \
  X(noise_polynomial, 1e-3, "share", \
    "of the differences of one order, below which all higher ones are those of " \
    "a polynomial", \
    "unit/noise-rules") \
  X(grid_misfit, 1e-3, "x grid", \
    "a value may be off its multiple, where f is rounded to a grid", \
    "unit/noise-rules") \
  X(grid_values, 4, "values", \
    "other than the first must be on a grid: so many are not by chance", \
    "unit/noise-rules") \
  X(grid_ties, 2, "neighbours", \
    "must be equal: those of a smooth function are not", \
    "unit/noise-rules") \
  X(noise_alike, 10, "times", \
    "apart may two levels be that are of the same noise", \
    "unit/noise-rules") \
  X(noise_lines, 2, "lines", \
    "must show noise that is new: oscillations look like noise on one", \
    "unit/noise-rules") \
  X(noise_large, 1e-3, "x f", \
    "above which noise is more often the shape of f", \
    "unit/noise-rules") \
  X(noise_lines_large, 3, "lines", \
    "must show such noise, as it ends a run", \
    "unit/noise-rules") \
  X(noise_last_spacing, 1e-12, "x size of x", \
    "of a last line for such noise: f may oscillate over all longer spacings, " \
    "and noise is the same over each", \
    "unit/answers-rules") \
  X(noise_reduction, 30, "times", \
    "one measurement reduces known noise at most: less may be chance, and " \
    "differences for too little noise spoil a model", \
    "unit/noise-rules") \
  X(noise_jump, 0.01, "x f", \
    "above which known noise may have been a jump, and is given up at once", \
    "unit/noise-rules") \
  X(noise_roundings, 50, "x rounding error of f", \
    "noise is larger: values are sums of many roundings", \
    "unit/noise-rules") \
  X(noise_input_roundings, 10, "x effect of rounding x", \
    "noise is larger: the inputs of a point are rounded too, of which values " \
    "show nothing else near a minimum with f = 0", \
    "unit/noise-rules")

/* clang-format on */

#endif
