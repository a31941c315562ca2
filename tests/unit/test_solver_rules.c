/* Decisions about moves that all methods share: cases on both sides of each
 * number of the policy. */
#include "check.h"
#include "solver/solver_rules.h"

#define P lr_policy_current()

TEST("a move without a gradient at its end is halved thirty times")
{
  check(lr_solver_halves(P, 29), "once more after 29");
  check(!lr_solver_halves(P, 30), "not after 30");
}

TEST("thirty equal gradients make a path linear")
{
  check(!lr_solver_is_linear(P, 29), "29");
  check(lr_solver_is_linear(P, 30), "30");
}

TEST("points along a linear path are sixteen times as far each")
{
  check(lr_solver_farther(P) == 16, "%g", lr_solver_farther(P));
}

TEST("a sample point without a gradient is drawn nearer eight times")
{
  check(lr_solver_resamples(P, 7), "once more after 7");
  check(!lr_solver_resamples(P, 8), "not after 8");
}

TEST("a direction is missing where the gradient is three errors and more")
{
  check(!lr_solver_misses(P, 2.9, 1), "2.9");
  check(lr_solver_misses(P, 3.1, 1), "3.1");
  check(!lr_solver_misses(P, NAN, 1), "no number");
}
