/* Rows of the policy (base/policy.h): models from known evaluations. */
#ifndef LR_POLICY_LEARN_H
#define LR_POLICY_LEARN_H

/* clang-format off */

#define LR_POLICY_LEARN(X) \
  X(fit_dimensions, 200, "dimensions", \
    "of the subspace of a fit at most: eigenvectors take their cube in time", \
    "unit/fit-rules") \
  X(fit_data, 500, "derivatives", \
    "that are fitted, the nearest: the regression takes their cube in time", \
    "unit/fit-rules") \
  X(fit_least_data, 3, "derivatives", \
    "that make a fit, or tell what is out of proportion", \
    "unit/fit-rules") \
  X(fit_shortest_step, 1e-9, "x (1 + |x|)", \
    "a shorter step along an input is no finite difference", \
    "unit/fit-rules") \
  X(fit_longest_step, 1e-3, "x (1 + |x|)", \
    "a longer one is no finite difference", \
    "unit/fit-rules") \
  X(fit_gradient_inputs, 0.5, "share", \
    "of the inputs along which differences at a point make a gradient", \
    "unit/fit-rules") \
  X(fit_truncation, 1e-6, "share", \
    "of a derivative, by which a one-sided difference is off", \
    "unit/fit-rules") \
  X(fit_new_direction, 0.01, "share", \
    "of a direction outside the subspace, above which it enlarges that", \
    "unit/fit-rules") \
  X(fit_inside, 0.99, "share", \
    "of a direction inside the subspace, below which its derivative is not used", \
    "unit/fit-rules") \
  X(fit_newton, 0.9, "share", \
    "of a step in the span of gradients, above which it was one of quasi-Newton", \
    "unit/fit-rules") \
  X(fit_least_curvature, 1e-6, "x largest curvature", \
    "a smaller eigenvalue is rounding", \
    "unit/fit-rules") \
  X(fit_certain, 2, "posterior standard deviations", \
    "from zero must an eigenvalue be that a model begins with: one that takes " \
    "an unknown for a small one makes long steps", \
    "unit/fit-rules") \
  X(fit_certain_random, 5, "posterior standard deviations", \
    "the same along random directions, where all curvatures are of one size and " \
    "known well or not at all", \
    "unit/fit-rules") \
  X(fit_window, 1.5, "x p evaluations", \
    "the last ones, by which an embedding is told that was running: it may have " \
    "waited for one gradient", \
    "unit/fit-rules") \
  X(fit_window_least, 30, "evaluations", \
    "added to these", \
    "unit/fit-rules") \
  X(fit_embedding, 0.05, "share", \
    "of these along dense directions, above which an embedding was running", \
    "unit/fit-rules") \
  X(fit_folded, 0.3, "directions per evaluation", \
    "of an embedding that was tried, above which it was in coordinates mapped " \
    "into a box: a straight one differences and steps along each", \
    "unit/fit-rules") \
  X(fit_outlier, 1000, "x predicted derivative", \
    "a larger one is that of a penalty or a jump", \
    "unit/fit-rules") \
  X(sample_gradients, 20, "gradients", \
    "at sample points, the first, that a model is made of: its open second " \
    "derivatives take the square of their number in values", \
    "unit/fit-rules") \
  X(sample_misfit, 0.05, "x quadratic term", \
    "a quadratic may miss values at sample points by, for differences of " \
    "gradients to be columns of the Hessian", \
    "unit/fit-rules") \
  X(sample_descent, 0.1, "share", \
    "of the decrease made after the sample points, above which a run goes on " \
    "at the lowest point", \
    "unit/fit-rules") \
  X(sample_directions, 1, "x p", \
    "the square of a model's directions, above which gradients are cheaper than " \
    "an embedding", \
    "unit/fit-rules") \
  X(prior_slope, 1e-4, "x curvature", \
    "the smallest gradient of the prior, which is tried up to 1 in powers of ten", \
    "unit/fit-rules") \
  X(prior_bend, 1e-3, "x curvature", \
    "the smallest deviation from a quadratic of the prior, beside none", \
    "unit/fit-rules") \
  X(prior_bends, 5, "powers of ten", \
    "of deviations, from that one on", \
    "unit/fit-rules") \
  X(prior_accuracy, 1e-3, "share", \
    "of derivatives of a function that is no quadratic, by which they are off: " \
    "a fit through all of them would oscillate", \
    "unit/fit-rules") \
  X(prior_accuracy_quadratic, 1e-8, "share", \
    "of derivatives of a quadratic, by which they are off", \
    "unit/fit-rules") \
  X(tree_points, 3000, "points", \
    "of a spanning tree, the nearest: it takes their square in time", \
    "unit/tree:of very many points") \
  X(prior_factor, 10, "times", \
    "one prior of the grid is the next: sizes matter by their order", \
    "unit/fit-rules") \
  X(same_value, 1e-9, "x |f|", \
    "two answers of one function differ by less: points come back from a " \
    "journal to 1e-13", \
    "unit/fit-rules") \
  X(same_descent, 1e-12, "x descent", \
    "the same where f is near zero", \
    "unit/fit-rules") \
  X(same_noise, 10, "x noise", \
    "the same under noise: the lowest of many values is some four standard " \
    "deviations low", \
    "unit/fit-rules") \
  X(doubted_noise, 1e-2, "share", \
    "of what was gained: a larger difference between two answers is not taken " \
    "for noise", \
    "unit/fit-rules") \
  X(known_decrease, 1e-3, "share", \
    "of the decrease so far; a value that is lower by less is no lower", \
    "unit/known") \
  X(known_rounding, 1e-14, "x |x|", \
    "points on a line are off it by rounding", \
    "unit/known") \
  X(known_spacing, 1e-6, "x spacing", \
    "of points on a line may differ", \
    "unit/known")

/* clang-format on */

#endif
