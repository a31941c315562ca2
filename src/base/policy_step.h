/* Rows of the policy for src/step: line searches and step rules.  Models in a
 * subspace search by the same rows. */
#ifndef LR_POLICY_STEP_H
#define LR_POLICY_STEP_H

/* clang-format off */

#define LR_POLICY_STEP(X) \
  X(lowest_rounding, 16, "x machine epsilon", \
    "of f and of the descent: a value that is lower than a certified point by " \
    "less is not lower", \
    "unit/solver-rules") \
  X(lowest_noise, 6, "x noise", \
    "the same under noise: the lowest of many values is some four standard " \
    "deviations low, the point's own two high", \
    "unit/solver-rules") \
  X(lowest_descent, 0.5, "share", \
    "of the descent, that this is at most: noise as large as the whole descent " \
    "is not believed", \
    "unit/solver-rules") \
  X(lowest_negligible, 1e-9, "share", \
    "of the descent, by which a value may be lower far from the certified point", \
    "unit/solver-rules") \
  X(lowest_steps, 2, "x difference step", \
    "around a certified point are the differences that certified it: steps are " \
    "doubled once", \
    "unit/solver-rules") \
  X(beside, 1e-3, "x size of x", \
    "a point as near is beside the best one, and compared by the gradient", \
    "unit/solver-rules") \
  X(armijo, 1e-4, "x slope", \
    "the mean slope of a step must be at least this (Armijo's condition; the " \
    "value is Nocedal and Wright's)", \
    "unit/step-rules") \
  X(wolfe, 0.4, "x slope", \
    "the slope after a step is at most this (the strong Wolfe condition)", \
    "unit/step-rules") \
  X(search_near_least, 0.7, "x length", \
    "where the parabola's minimum is no nearer, a search is content with the " \
    "length", \
    "unit/step-rules") \
  X(search_near_most, 1.4, "x length", \
    "the same, no farther", \
    "unit/step-rules") \
  X(search_shortest, 0.1, "x length", \
    "the next length of a search is no shorter: parabolas through cliffs are", \
    "unit/step-rules") \
  X(search_backtrack, 0.5, "x length", \
    "after a trial that fails Armijo's condition it is no longer", \
    "unit/step-rules") \
  X(search_longest, 4, "x length", \
    "after one that meets it, no longer either: this is extrapolation", \
    "unit/step-rules") \
  X(zoom_margin, 0.1, "share", \
    "of a bracket, that a trial stays away from its ends", \
    "unit/step-rules") \
  X(retreat, 0.25, "x step", \
    "the next step where f cannot be evaluated at the end of one", \
    "unit/step-rules") \
  X(backtracking_grow, 2, "x last length", \
    "the first trial of the step rule `backtracking`: the length can grow again", \
    "unit/step-rules") \
  X(secant_convex, 1e-10, "x |s| |y|", \
    "s'y must be larger for a BFGS update: else rounding may have made it " \
    "positive", \
    "unit/step-rules") \
  X(adam_beta1, 0.9, "share", \
    "of the mean of gradients that each step keeps, by default (Kingma and Ba)", \
    "unit/step-rules") \
  X(adam_beta2, 0.999, "share", \
    "of the mean of their squares that each step keeps (Kingma and Ba)", \
    "unit/step-rules") \
  X(adam_epsilon, 1e-8, "x |g|", \
    "that is added to the root of that mean (Kingma and Ba)", \
    "unit/step-rules") \
  X(adam_patience, 20, "steps", \
    "without a decrease, after which a length that was not given shrinks", \
    "unit/step-rules") \
  X(adam_shrink, 0.5, "x length", \
    "that length then", \
    "unit/step-rules")

/* clang-format on */

#endif
