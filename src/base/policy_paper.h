/* Rows of the policy for the paper's algorithms (src/paper) and the moves that
 * all methods share (src/solver). */
#ifndef LR_POLICY_PAPER_H
#define LR_POLICY_PAPER_H

/* clang-format off */

#define LR_POLICY_PAPER(X) \
  X(check_step, 1e-4, "x size of x", \
    "between the values that are compared with a gradient: f is smooth over " \
    "it, and values with eight digits tell it", \
    "unit/solver-rules") \
  X(check_roundings, 64, "x epsilon |f|", \
    "the error of two values that are compared with a gradient: functions lose " \
    "digits, and a user must not be blamed for that", \
    "unit/solver-rules") \
  X(check_noise, 3, "x noise", \
    "the same, of the difference of two values", \
    "unit/solver-rules") \
  X(contradiction, 0.1, "share", \
    "of the larger slope, by which a gradient and values of f may differ, and " \
    "the slopes ahead and behind: more of the first is an error of the user's, " \
    "more of the second a kink", \
    "unit/solver-rules") \
  X(move_halvings, 30, "times", \
    "that a move is halved where no gradient can be had at its end, before the " \
    "run fails: 1e-9 of it is left", \
    "unit/solver-rules") \
  X(linear_moves, 30, "moves", \
    "in a row over which the gradient does not change at all, before f counts " \
    "as linear along them and points far ahead are tried", \
    "unit/solver-rules") \
  X(linear_factor, 16, "x distance", \
    "of the next such point", \
    "unit/solver-rules") \
  X(sample_halvings, 8, "times", \
    "that the distance of a sample point is halved where it has no gradient", \
    "unit/solver-rules") \
  X(linear_rounding, 1e-12, "x |g|", \
    "by which two gradients of a linear f differ", \
    "unit/solver-rules") \
  X(missing_errors, 3, "x error of |g|", \
    "a larger gradient, where that in the subspace is small, shows a direction " \
    "that Algorithm 1 misses", \
    "unit/solver-rules")

/* clang-format on */

#endif
