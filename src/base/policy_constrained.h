/* Rows of the policy for src/constrained: limits on outputs. */
#ifndef LR_POLICY_CONSTRAINED_H
#define LR_POLICY_CONSTRAINED_H

/* clang-format off */

#define LR_POLICY_CONSTRAINED(X) \
  X(con_axes, 30, "inputs", \
    "up to which the models are in all of them; with more, in a growing random " \
    "subspace", \
    "unit/constrained-rules") \
  X(con_axes_bounded, 250, "inputs", \
    "the same with bounds on inputs, which cut a random subspace off", \
    "unit/constrained-rules") \
  X(con_floor, 25, "directions", \
    "above which the trust region does not shrink below a floor while the " \
    "models can be improved: so many directions are not known anew each time", \
    "unit/constrained-rules") \
  X(con_floor_falls, 0.25, "share", \
    "to which that floor falls where the models cannot be improved", \
    "unit/constrained-rules") \
  X(con_radius, 0.2, "x size of an input", \
    "the first trust region, and the first differences", \
    "unit/constrained-rules") \
  X(con_difference, 0.3, "x radius", \
    "the length of a difference along a new direction of the subspace", \
    "unit/constrained-rules") \
  X(con_box_wide, 1, "x size of an input", \
    "half the width of a box that is wider is no scale: the geometric mean of " \
    "both is", \
    "unit/constrained-rules") \
  X(con_box_widest, 2, "x size of an input", \
    "the most that this mean may be: bounds such as 0.001 and 1e6 only keep " \
    "an input positive", \
    "unit/constrained-rules") \
  X(con_no_size, 1e-6, "size of an input", \
    "a start that is smaller tells no size: 1 is taken", \
    "unit/constrained-rules") \
  X(con_scale_negligible, 1e-6, "x largest size", \
    "in the first differences, below which the size of an output at the start " \
    "is no scale of its violations", \
    "unit/constrained-rules") \
  X(con_weight_floor, 1, "x scale", \
    "of an output: the least slope by which it is weighed, as outputs that do " \
    "not vary at the start may do so later", \
    "unit/constrained-rules") \
  X(con_penalty, 10, "x weight", \
    "of violations in the merit at first: slopes of all outputs have weight 1 " \
    "there, and multipliers are some units", \
    "unit/constrained-rules") \
  X(con_penalty_rise, 10, "times", \
    "by which the penalty rises where a step leaves violations that it could " \
    "remove", \
    "unit/constrained-rules") \
  X(con_penalty_leaves, 0.5, "share", \
    "of the violation that can be removed, which a step may leave", \
    "unit/constrained-rules") \
  X(con_infeasible_slope, 1e-3, "share of the violation / size of an input", \
    "by which the models must lower violations that pay the whole penalty: " \
    "below, the point is a stationary one of the violation", \
    "unit/constrained-rules") \
  X(con_infeasible_steps, 10, "steps", \
    "in a row from such points, after which the limits are told to be " \
    "infeasible: else an unbounded objective leads away for ever", \
    "unit/constrained-rules") \
  X(con_reject, 0.1, "reduction ratio", \
    "below which the trust region shrinks, or the models are improved", \
    "unit/constrained-rules") \
  X(con_accept, 0.7, "reduction ratio", \
    "above which the trust region grows", \
    "unit/constrained-rules") \
  X(con_boundary, 0.8, "x radius", \
    "the length of a step above which the trust region stopped it", \
    "unit/constrained-rules") \
  X(con_grow, 2, "times", \
    "by which the trust region grows", \
    "unit/constrained-rules") \
  X(con_shrink, 0.5, "share", \
    "to which it shrinks after a poor step", \
    "unit/constrained-rules") \
  X(con_shrink_short, 0.1, "share", \
    "to which it shrinks where no step is left in it", \
    "unit/constrained-rules") \
  X(con_short, 0.01, "x radius", \
    "a shorter step says little: the models are improved first", \
    "unit/constrained-rules") \
  X(con_smallest, 1e-9, "x size of an input", \
    "the trust region below which the run ends: differences drown in rounding", \
    "unit/constrained-rules") \
  X(con_reached, 0.01, "x scale", \
    "to which the limit of an output is reached at the point returned, so that " \
    "its multiplier, which is that of the last models, is told", \
    "unit/constrained-rules") \
  X(con_near, 2, "x radius", \
    "points within it make the models good", \
    "unit/constrained-rules") \
  X(con_angle, 0.1, "sine", \
    "of the angle at which a displacement must leave the span of nearer ones " \
    "to give slopes", \
    "unit/constrained-rules") \
  X(con_far, 30, "x radius", \
    "a point that is farther changes no curvature", \
    "unit/constrained-rules") \
  X(con_far_subspace, 1000, "x radius", \
    "the same in a subspace, where points are few", \
    "unit/constrained-rules") \
  X(con_new_direction, 20, "x slope inside", \
    "the slope along a new direction above which one is taken", \
    "unit/constrained-rules") \
  X(con_probe, 3e-5, "x size of an input", \
    "half the length of the differences of a certificate: their errors are " \
    "some 1e-9 of a third derivative and 4e-12 of the values", \
    "unit/constrained-rules") \
  X(con_certify, 0.5, "x tolerance", \
    "the slope of the models below which a certificate is asked for", \
    "unit/constrained-rules") \
  X(con_looks, 6, "certificates", \
    "that are asked for at most", \
    "unit/constrained-rules")

/* clang-format on */

#endif
