/* Decisions about moves that all methods share: cases on both sides of each
 * number of the policy. */
#include "check.h"
#include "solver/solver_rules.h"

#include <float.h>

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
  check(lr_solver_same_gradient(P, 1, 1 + 0.9e-12), "0.9e-12 apart");
  check(!lr_solver_same_gradient(P, 1, 1 + 1.1e-12), "1.1e-12 apart");
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

TEST("a value is lower by chance within noise, rounding and half the descent")
{
  check_near(lr_solver_chance(P, 1, 100, 1), 6, 1e-12, "six times the noise");
  check_near(lr_solver_chance(P, 1, 2, 1), 1, 1e-12, "half the descent");
  check_near(lr_solver_chance(P, 3, 1, 0), 64 * DBL_EPSILON, 1e-28, "rounding");
}

TEST("the neighbours of a certified point are within two difference steps")
{
  check(lr_solver_is_neighbour(P, 1.9, 1, 1, 1), "1.9 steps away");
  check(!lr_solver_is_neighbour(P, 2.1, 1, 1, 1), "2.1 steps away");
  check(lr_solver_is_neighbour(P, 5, 1, 0.9e-9, 1), "far, and hardly lower");
  check(!lr_solver_is_neighbour(P, 5, 1, 1.1e-9, 1), "far and lower");
}

TEST("a point within a thousandth of the size of x is beside another")
{
  check(lr_solver_is_beside(P, 0.9e-3, 1), "0.9e-3");
  check(!lr_solver_is_beside(P, 1.1e-3, 1), "1.1e-3");
}

TEST("the default tolerance is a millionth of the first gradient")
{
  check_near(lr_solver_default_tolerance(P, 3), 3e-6, 1e-20, "of 3");
  check_near(lr_solver_first_gradient(P, 3e-6), 3, 1e-14, "and back");
}

TEST("a value is above another by three times the noise")
{
  check(!lr_solver_is_above(P, 2.9, 0, 1), "2.9");
  check(lr_solver_is_above(P, 3.1, 0, 1), "3.1");
}

TEST("values a ten-thousandth of the size of x apart are compared")
{
  check_near(lr_solver_check_step(P, 30), 3e-3, 1e-12, "of 30");
}

TEST("two values tell a slope to 64 roundings and three times the noise")
{
  check_near(lr_solver_check_error(P, 2, 0, 0.5), 256 * DBL_EPSILON, 1e-15,
             "roundings");
  check_near(lr_solver_check_error(P, 0, 2, 0.5), 12, 1e-15, "noise");
}

TEST("a slope contradicts another that differs by a tenth, where f is smooth")
{
  check(!lr_solver_contradicts(P, 1, 0.91, 0.91, 0), "0.91 and 1");
  check(lr_solver_contradicts(P, 1, 0.89, 0.89, 0), "0.89 and 1");
  check(!lr_solver_contradicts(P, 1, 0.89, 0.89, 0.02), "within the error");
  check(lr_solver_contradicts(P, 5, -5, -5, 0), "of the wrong sign");
  check(lr_solver_contradicts(P, 5, 0.01, -0.01, 0), "at a minimum of f");
  check(!lr_solver_contradicts(P, 5, 4, -4, 0), "at a kink");
  check(lr_solver_contradicts(P, 5, -5, -4.55, 0), "a little bent");
  check(!lr_solver_contradicts(P, 5, -5, -4.45, 0), "more bent");
  check(!lr_solver_contradicts(P, 1, 1, -1, 0), "at a kink");
  check(!lr_solver_contradicts(P, 1, NAN, 1, 0), "not known");
}
