/* Decisions of runs with limits on outputs: cases on both sides of each number
 * of the policy. */
#include "check.h"
#include "constrained/constrained_rules.h"

#define P lr_policy_current()

TEST("up to 30 inputs are modelled all, more in a subspace")
{
  check(lr_con_in_axes(P, 30, false) && !lr_con_in_axes(P, 31, false),
        "30 inputs");
  check(lr_con_in_axes(P, 250, true) && !lr_con_in_axes(P, 251, true),
        "250 with bounds");
}

TEST("in many directions the trust region has a floor, which falls by quarters")
{
  check(lr_con_has_floor(P, 26) && !lr_con_has_floor(P, 25), "25 directions");
  check_near(lr_con_lowered(P, 2), 0.5, 1e-15, "a quarter");
}

TEST("the first trust region is a fifth of an input, along many likewise")
{
  check_near(lr_con_first_radius(P, 1), 0.2, 1e-15, "one input");
  check_near(lr_con_first_radius(P, 100), 2, 1e-15, "a hundred");
  check_near(lr_con_difference(P, 2), 0.6, 1e-15, "a difference");
  check_near(lr_con_probe(P), 3e-5, 1e-15, "a probe");
  check_near(lr_con_reached(P), 0.01, 1e-15, "a limit that is reached");
}

TEST("the size of an input is that at the start, and 1 where it is next to 0")
{
  check_near(lr_con_size(P, 3e-6), 3e-6, 1e-20, "a small one");
  check_near(lr_con_size(P, 0.8e-6), 1, 1e-15, "next to 0");
  check_near(lr_con_size(P, 1.2e-6), 1.2e-6, 1e-20, "not yet");
}

TEST(
    "the scale of an input is that of its box, if not far wider than its value")
{
  check_near(lr_con_size_in_box(P, 20, 19), 19, 1e-15, "its half width");
  check_near(lr_con_size_in_box(P, 2, 3), sqrt(6), 1e-15, "the geometric mean");
  check_near(lr_con_size_in_box(P, 20, 12), 12, 1e-15, "half of it and more");
  check_near(lr_con_size_in_box(P, 2, INFINITY), 2, 1e-15, "no box");
  check_near(lr_con_size_in_box(P, 2, 7.9), sqrt(15.8), 1e-15,
             "twice the size");
  check_near(lr_con_size_in_box(P, 2, 1e6), 4, 1e-15, "no more than that");
  check_near(lr_con_size_in_box(P, 0, 900), 30, 1e-15, "from 0, the mean");
}

TEST("the start is no scale where an output is a millionth of its changes")
{
  check(lr_con_is_negligible(P, 0, 1) && lr_con_is_negligible(P, 0.9e-6, 1),
        "on the limit");
  check(!lr_con_is_negligible(P, 1.1e-6, 1), "off it");
}

TEST("the slope of a model is at most ten times the steepest difference seen")
{
  check_near(lr_con_supported_slope(P, 9.9, 1), 9.9, 1e-14, "the model's");
  check_near(lr_con_supported_slope(P, 11, 1), 10, 1e-14, "the difference's");
}

TEST("the weight of an output is of its slope, of at least its scale")
{
  check_near(lr_con_weight(P, 4, 2), 0.25, 1e-15, "of the slope");
  check_near(lr_con_weight(P, 1, 2), 0.5, 1e-15, "of the scale");
}

TEST("the penalty rises where half of what can be removed is left")
{
  check_near(lr_con_first_penalty(P), 10, 1e-15, "at first");
  check(!lr_con_leaves_too_much(P, 1.49, 1, 2, 0), "less than a half");
  check(lr_con_leaves_too_much(P, 1.51, 1, 2, 0), "more");
  check(!lr_con_leaves_too_much(P, 1.51, 1, 2, 0.02), "but for rounding");
  check_near(lr_con_raised(P, 10), 100, 1e-15, "ten times");
}

TEST(
    "after ten steps without a decrease of the violation limits count as "
    "infeasible")
{
  check(lr_con_violation_falls(P, 2.2e-3, 2, 1), "they fall");
  check(!lr_con_violation_falls(P, 1.8e-3, 2, 1), "stationary");
  check(!lr_con_violation_falls(P, 1.8e-3, 4, 0.5), "in units of the radius");
  check(lr_con_violation_falls(P, 2.2e-3, 2, 5), "and of an input at most");
  check(lr_con_is_infeasible(P, 10) && !lr_con_is_infeasible(P, 9), "ten");
}

TEST("the trust region shrinks after poor steps and grows after good ones")
{
  check(lr_con_is_poor(P, 0.09) && !lr_con_is_poor(P, 0.11), "poor");
  check(lr_con_is_poor(P, NAN), "NaN is poor");
  check_near(lr_con_next_radius(P, 1, 0.69, 1), 1, 1e-15, "not good");
  check_near(lr_con_next_radius(P, 1, 0.71, 0.79), 1, 1e-15, "inside");
  check_near(lr_con_next_radius(P, 1, 0.71, 0.81), 2, 1e-15, "good and long");
  check_near(lr_con_shrunk(P, 1), 0.5, 1e-15, "half");
}

TEST("where steps are short the trust region follows them, by a tenth")
{
  check(lr_con_is_short(P, 0.009) && !lr_con_is_short(P, 0.011), "short");
  check_near(lr_con_short_radius(P, 1, 0.001), 0.1, 1e-15, "a tenth at most");
  check_near(lr_con_short_radius(P, 1, 0.2), 0.4, 1e-15, "twice the step");
  check(lr_con_too_small(P, 0.9e-9, 0.2) && !lr_con_too_small(P, 1.1e-9, 0.2),
        "the end");
}

TEST(
    "a new direction is added where the expected slope is 20 times that "
    "inside")
{
  check(lr_con_takes_direction(P, 21, 1) && !lr_con_takes_direction(P, 19, 1),
        "20 times");
}

TEST("a certificate is tried below half the tolerance, six times")
{
  check(lr_con_may_certify(P, 0.49, 1, 0) && !lr_con_may_certify(P, 0.51, 1, 0),
        "half");
  check(lr_con_may_certify(P, 0, 1, 5) && !lr_con_may_certify(P, 0, 1, 6),
        "six");
}

TEST("points are chosen by distance and angle")
{
  check_near(lr_con_angle(P), 0.1, 1e-15, "sine");
  check_near(lr_con_near(P), 2, 1e-15, "near");
  check_near(lr_con_far(P, true), 30, 1e-15, "far, in all inputs");
  check_near(lr_con_far(P, false), 1000, 1e-15, "far, in a subspace");
}
