/* Rows of the policy for src/hidden: constraints that nobody told, beyond which
 * f cannot be evaluated or jumps up. */
#ifndef LR_POLICY_HIDDEN_H
#define LR_POLICY_HIDDEN_H

/* clang-format off */

#define LR_POLICY_HIDDEN(X) \
  X(hidden_refused, 3, "trials", \
    "in a row that fail; then a hidden bound is looked for", \
    "unit/hidden-rules") \
  X(hidden_in_vain, 12, "searches", \
    "for a hidden bound in vain, after which no more are made", \
    "unit/hidden-rules") \
  X(hidden_surface_signs, 3, "times", \
    "that none is found, or one turns out to be none, before a surface across " \
    "inputs is assumed", \
    "unit/hidden-rules") \
  X(hidden_farther, 4, "x distance", \
    "from the good point, at which a bound must fail again: points that fail " \
    "at random seldom do", \
    "unit/hidden-rules") \
  X(hidden_farther_trials, 3, "points", \
    "each farther than the last, that must fail", \
    "unit/hidden-rules") \
  X(hidden_inputs_share, 0.25, "share", \
    "of the inputs that may have bounds on one step; more would be a surface", \
    "unit/hidden-rules") \
  X(hidden_inputs_most, 8, "inputs", \
    "the same, at most", \
    "unit/hidden-rules") \
  X(hidden_accuracy, 1e-4, "x distance", \
    "from the good point, to which a bound is located", \
    "unit/hidden-rules") \
  X(surface_margin, 0.1, "x step", \
    "that a step stays away from the surface: so much may its normal be off, " \
    "or it be curved, and the next step has room", \
    "unit/hidden-rules") \
  X(surface_fruitless, 3, "times", \
    "in a row that steps along the surface, or normals measured again, bring " \
    "nothing; then the run ends", \
    "unit/hidden-rules") \
  X(surface_steps, 6, "steps", \
    "in a row that lead beyond the surface; the last measures its normal again", \
    "unit/hidden-rules") \
  X(surface_first_cut, 0.2, "x step", \
    "by which the search for the surface along a step begins: the base may be " \
    "next to it", \
    "unit/hidden-rules") \
  X(surface_accuracy, 0.05, "x distance", \
    "from the base, to which the surface is located along a step", \
    "unit/hidden-rules") \
  X(surface_inside_trials, 6, "trials", \
    "to find a point with room around it", \
    "unit/hidden-rules") \
  X(normal_step, 0.3, "x distance", \
    "of the surface: how far apart points beside each other are that measure " \
    "its normal", \
    "unit/hidden-rules") \
  X(normal_reach, 0.25, "x that step", \
    "by which the search for the surface beside begins", \
    "unit/hidden-rules") \
  X(normal_grow, 3, "times", \
    "as far it looks next", \
    "unit/hidden-rules") \
  X(normal_trials, 4, "trials", \
    "it makes: the surface may be steep", \
    "unit/hidden-rules") \
  X(normal_accuracy, 0.15, "x margin", \
    "to which the surface is located beside, in units of the step", \
    "unit/hidden-rules") \
  X(normal_accuracy_first, 0.02, "x margin", \
    "to which it is located at the middle, which all others are compared with", \
    "unit/hidden-rules") \
  X(normal_least, 0.75, "ratio", \
    "of what was measured along inputs to what was found along the step; below, " \
    "there is no surface", \
    "unit/hidden-rules") \
  X(normal_most, 1.33, "ratio", \
    "the same, above", \
    "unit/hidden-rules") \
  X(normal_gain, 1e-3, "x total decrease", \
    "that must come between two measurements of the normal", \
    "unit/hidden-rules") \
  X(normal_errors, 2, "x error", \
    "of a point of the surface; one that is farther from the plane corrects the " \
    "normal", \
    "unit/hidden-rules") \
  X(multiplier_grow, 3, "times", \
    "as large the Lagrange multiplier of the plane gets until the step keeps " \
    "the margin", \
    "unit/hidden-rules") \
  X(multiplier_trials, 30, "trials", \
    "of that", \
    "unit/hidden-rules") \
  X(multiplier_halvings, 10, "halvings", \
    "by which it is then found: to a thousandth", \
    "unit/hidden-rules") \
  X(surface_new_step, 1e-3, "x step", \
    "by which a step along the surface differs from the one that led beyond", \
    "unit/hidden-rules") \
  X(surface_gain, 1e-12, "x total decrease", \
    "that a step along the surface must predict", \
    "unit/hidden-rules")

/* clang-format on */

#endif
