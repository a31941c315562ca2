/* Rows of the policy for the paper's algorithms (src/paper) and the moves that
 * all methods share (src/solver). */
#ifndef LR_POLICY_PAPER_H
#define LR_POLICY_PAPER_H

/* clang-format off */

#define LR_POLICY_PAPER(X) \
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
