/* Decisions about hidden constraints: cases on both sides of each number of the
 * policy. */
#include "check.h"
#include "hidden/hidden_rules.h"

#define P lr_policy_current()

TEST("a hidden bound is looked for after every third failure in a row")
{
  check(!lr_hidden_is_due(P, 1) && !lr_hidden_is_due(P, 2), "one or two");
  check(lr_hidden_is_due(P, 3), "three");
  check(!lr_hidden_is_due(P, 4), "four");
  check(lr_hidden_is_due(P, 9), "nine");
}

TEST("the search for hidden bounds ends after twelve that found none")
{
  check(lr_hidden_goes_on(P, 11), "eleven");
  check(!lr_hidden_goes_on(P, 12), "twelve");
}

TEST("three bounds that prove false suggest a surface across inputs")
{
  check(!lr_hidden_suggests_surface(P, 2), "two");
  check(lr_hidden_suggests_surface(P, 3), "three");
}

TEST("a bound must fail at three points, each 4 times as far as the last")
{
  check(lr_hidden_fails_again(P, 2), "a third point");
  check(!lr_hidden_fails_again(P, 3), "no fourth");
  check(lr_hidden_farther(P, 2) == 8, "4 times as far");
}

TEST("a quarter of the inputs may have bounds on a step, from 1 to 8 of them")
{
  static const size_t cases[][2] = {
      {1,    1},
      {7,    1},
      {8,    2},
      {15,   3},
      {31,   7},
      {32,   8},
      {1000, 8}
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_hidden_most_inputs(P, cases[i][0]), cases[i][1],
              "of %zu inputs", cases[i][0]);
}

TEST("a bound is located to 1e-4 of its distance")
{
  check(!lr_hidden_is_located(P, -2.2e-4, -2), "1.1e-4");
  check(lr_hidden_is_located(P, -1.8e-4, -2), "0.9e-4");
}

TEST("a run ends at a surface after three fruitless steps")
{
  check(!lr_surface_ends(P, 2), "two");
  check(lr_surface_ends(P, 3), "three");
}

TEST("six steps in a row may lead beyond the surface")
{
  check(lr_surface_tries(P, 5), "a sixth");
  check(!lr_surface_tries(P, 6), "no seventh");
}

TEST("the surface is located along a step, from a fifth of it, to a twentieth")
{
  check_near(lr_surface_first(P, 2), 0.4, 1e-15, "the first trial");
  check(!lr_surface_is_located(P, 0.94, 1), "0.06 apart");
  check(lr_surface_is_located(P, 0.96, 1), "0.04 apart");
}

TEST("a point with room around it is looked for six times")
{
  check(lr_surface_looks_inside(P, 5), "a sixth time");
  check(!lr_surface_looks_inside(P, 6), "not a seventh");
}

TEST("a step stays a tenth of its length away from the surface")
{
  check_near(lr_surface_excess(P, 1, 2, 0.5), 0.7, 1e-15, "too near by");
  check_near(lr_surface_room(P, 2), 0.2, 1e-15, "room for the normal");
}

TEST("the normal is measured by points beside each other")
{
  check_near(lr_normal_step(P, 2), 0.6, 1e-15, "0.3 of the distance apart");
  check_near(lr_normal_reach(P, 2), 0.5, 1e-15, "first a quarter of that");
  check_near(lr_normal_farther(P, 2), 6, 1e-15, "then 3 times as far");
  check(lr_normal_tries(P, 3), "a fourth time");
  check(!lr_normal_tries(P, 4), "not a fifth");
  check(!lr_normal_is_located(P, 0.032, 2), "0.016 of the step");
  check(lr_normal_is_located(P, 0.028, 2), "0.014 of the step");
  check(!lr_normal_has_middle(P, 0.0042, 2), "the middle: 0.0021");
  check(lr_normal_has_middle(P, 0.0038, 2), "the middle: 0.0019");
}

TEST("a surface is believed where its normal agrees with the step")
{
  check(!lr_normal_agrees(P, 0.7), "0.7");
  check(lr_normal_agrees(P, 0.8), "0.8");
  check(lr_normal_agrees(P, 1.3), "1.3");
  check(!lr_normal_agrees(P, 1.4), "1.4");
}

TEST("a normal is measured again where f decreased by a thousandth")
{
  check(!lr_normal_gained(P, 0.9e-3, 1), "0.9e-3 of all");
  check(lr_normal_gained(P, 1.1e-3, 1), "1.1e-3 of all");
}

TEST("a point two errors off the plane corrects its normal")
{
  check(!lr_normal_is_off(P, -1.9, 1), "1.9 errors");
  check(lr_normal_is_off(P, -2.1, 1), "2.1 errors");
}

TEST("the multiplier of the plane triples, and is then halved ten times")
{
  check(lr_multiplier_next(P, 2) == 6, "three times as large");
  check(lr_multiplier_tries(P, 29), "a thirtieth time");
  check(!lr_multiplier_tries(P, 30), "not a thirty-first");
  check(lr_multiplier_halves(P, 9), "a tenth halving");
  check(!lr_multiplier_halves(P, 10), "not an eleventh");
}

TEST("a step along the surface is a new one, and decreases f")
{
  check(!lr_surface_differs(P, 0.9e-3, 1), "0.9e-3 of the step");
  check(lr_surface_differs(P, 1.1e-3, 1), "1.1e-3 of the step");
  check(!lr_surface_falls(P, 0.9e-12, 1, 0), "0.9e-12 of all");
  check(lr_surface_falls(P, 1.1e-12, 1, 0), "1.1e-12 of all");
  check(!lr_surface_falls(P, 0.9, 1, 1), "less than the error of f");
}
