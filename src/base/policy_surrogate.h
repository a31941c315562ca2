/* Rows of the policy for src/surrogate: the first evaluations in a box by a
 * Gaussian process. */
#ifndef LR_POLICY_SURROGATE_H
#define LR_POLICY_SURROGATE_H

/* clang-format off */

#define LR_POLICY_SURROGATE(X) \
  X(surrogate_least_dimension, 24, "dimensions", \
    "below, the p values of a first model cost little", \
    "unit/surrogate-rules") \
  X(surrogate_most_dimension, 200, "dimensions", \
    "above, a step costs more arithmetic than evaluations do", \
    "unit/surrogate-rules") \
  X(surrogate_scatter, 0.7, "x deviation", \
    "standard, of uniform numbers between the bounds: a start whose inputs are " \
    "scattered less was chosen, not drawn, and is left to the other openings", \
    "unit/surrogate-rules") \
  X(surrogate_doubts, 3, "values", \
    "at the middle of the box and at uniform points, one of which is lower than " \
    "a poor start", \
    "unit/surrogate-rules") \
  X(surrogate_probes, 10, "values", \
    "before the first step: fewer give the process no length, and directions " \
    "are found on the way down", \
    "unit/surrogate-rules") \
  X(surrogate_longest, 3, "x p evaluations", \
    "after which interpolation takes over", \
    "unit/surrogate-rules") \
  X(surrogate_points, 400, "points", \
    "most that a process has: a step costs some hundred times their square", \
    "unit/surrogate-rules") \
  X(surrogate_first_length, 0.6, "x diagonal of the box", \
    "the first length of the kernel", \
    "unit/surrogate-rules") \
  X(surrogate_typical_length, 1, "x diagonal of the box", \
    "the median of the prior of the length", \
    "unit/surrogate-rules") \
  X(surrogate_length_spread, 1.5, "log of the length", \
    "the standard deviation of that prior", \
    "unit/surrogate-rules") \
  X(surrogate_least_length, 0.1, "half widths", \
    "of the box: the shortest length", \
    "unit/surrogate-rules") \
  X(surrogate_longest_length, 6, "x diagonal of the box", \
    "the longest length: beyond, the kernel is the same within the nugget", \
    "unit/surrogate-rules") \
  X(surrogate_refit, 1.08, "x points", \
    "after which the length is chosen anew", \
    "unit/surrogate-rules") \
  X(surrogate_nugget, 1e-7, "x variance", \
    "on the kernel's diagonal: rounding mostly leaves it definite then", \
    "unit/gaussian-process") \
  X(surrogate_quantile, 0.2, "share", \
    "of the values above which they are compressed logarithmically", \
    "unit/surrogate-rules") \
  X(surrogate_first_radius, 0.5, "x distance", \
    "root mean square, of a uniform point from the middle: the first radius of " \
    "the trust ball", \
    "unit/surrogate-rules") \
  X(surrogate_last_radius, 1e-3, "x distance", \
    "the same: a finer ball is left to interpolation", \
    "unit/surrogate-rules") \
  X(surrogate_grow, 1.6, "x radius", \
    "after a long step that brought a good part of what was promised", \
    "unit/surrogate-rules") \
  X(surrogate_shrink, 0.6, "x radius", \
    "after several failures", \
    "unit/surrogate-rules") \
  X(surrogate_failures, 4, "steps", \
    "in a row that fail before the ball shrinks: a third of them explore", \
    "unit/surrogate-rules") \
  X(surrogate_success, 0.05, "x promised decrease", \
    "a step that brings less is a failure", \
    "unit/surrogate-rules") \
  X(surrogate_good, 0.3, "x promised decrease", \
    "a long step that brings more lets the ball grow", \
    "unit/surrogate-rules") \
  X(surrogate_long_step, 0.7, "x radius", \
    "from which a step is long", \
    "unit/surrogate-rules") \
  X(surrogate_exploit, 0.01, "standard deviations", \
    "below the mean: what every third step minimises", \
    "unit/surrogate-rules") \
  X(surrogate_balance, 0.3, "standard deviations", \
    "the same in the step after that", \
    "unit/surrogate-rules") \
  X(surrogate_explore, 1, "standard deviations", \
    "the same in the next one", \
    "unit/surrogate-rules") \
  X(surrogate_wander, 0.2, "x radius", \
    "the random move with which the search for a step begins: it brings " \
    "directions outside the span of the points", \
    "unit/surrogate-rules") \
  X(surrogate_turns, 40, "iterations", \
    "of spectral projected gradients for a step", \
    "unit/surrogate-rules") \
  X(surrogate_first_move, 0.4, "half widths", \
    "of the box: the first of these along the steepest input", \
    "unit/surrogate-rules") \
  X(surrogate_trials, 12, "trials", \
    "of one line search", \
    "unit/surrogate-rules") \
  X(surrogate_backtrack, 0.4, "x step", \
    "the next trial", \
    "unit/surrogate-rules")

/* clang-format on */

#endif
