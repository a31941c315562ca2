/* Decisions of derivative-free optimisation: cases on both sides of each number
 * of the policy. */
#include "check.h"
#include "dfo/dfo_rules.h"

#define P lr_policy_current()

TEST("interpolation suits 24 to 200 dimensions")
{
  check(!lr_dfo_suits(P, 23), "23");
  check(lr_dfo_suits(P, 24), "24");
  check(lr_dfo_suits(P, 200), "200");
  check(!lr_dfo_suits(P, 201), "201");
}

TEST("up to 9 dimensions are few: a model has the points of a quadratic")
{
  check(lr_dfo_is_small(P, 9), "9");
  check(!lr_dfo_is_small(P, 10), "10");
  check_int((int)lr_dfo_points(P, 2), 6, "points in 2 dimensions");
  check_int((int)lr_dfo_points(P, 9), 55, "points in 9 dimensions");
  check_int((int)lr_dfo_points(P, 30), 61, "points in 30 dimensions");
}

TEST("in few dimensions interpolation has its own budget and resolution")
{
  check(lr_dfo_first_radius(P, true) == 0.25, "a quarter of the box");
  check(lr_dfo_first_radius(P, false) == 0.5, "half the size of x");
  check(!lr_dfo_is_far(P, true, 4.5, 1, 1), "4.5 resolutions");
  check(lr_dfo_is_far(P, true, 5.5, 1, 1), "5.5 resolutions");
  check(!lr_dfo_is_far(P, false, 5.5, 1, 1), "in more dimensions");
  check_near(lr_dfo_finer(P, true, 0.5), 0.15, 1e-15, "the next resolution");
  check(!lr_dfo_ends(P, true, 0, 1.1e-4), "a resolution above 1e-4");
  check(lr_dfo_ends(P, true, 0, 0.9e-4), "below");
  check_near(lr_dfo_small_budget(P, 4), 150, 1e-12, "30 (p + 1) evaluations");
}

TEST(
    "after another opening interpolation has 3 p values, beginning with "
    "that opening's radius")
{
  check_int((int)lr_dfo_further_budget(P, 40), 120, "evaluations, 40 inputs");
  check_near(lr_dfo_further_resolution(P, 0.5), 0.15, 1e-15, "the resolution");
}

TEST("a model that promises 1e-10 of the decrease so far is at its minimum")
{
  check(lr_dfo_is_at_minimum(P, 0.9e-10, 1, 0), "0.9e-10");
  check(!lr_dfo_is_at_minimum(P, 1.1e-10, 1, 0), "1.1e-10");
  check(lr_dfo_is_at_minimum(P, 1e-3, 1, 2e-3), "less than rounding");
  check(!lr_dfo_is_at_minimum(P, 3e-3, 1, 2e-3), "more than rounding");
}

TEST("a model is accurate whose last errors are a quarter of a change of f")
{
  const double good[] = {0.1, 0.24, 0}, bad[] = {0.26, 0.1, 0.1};
  check(lr_dfo_is_accurate(P, good, 1, 1), "errors of 0.24");
  check(!lr_dfo_is_accurate(P, bad, 1, 1), "an error of 0.26");
  check(lr_dfo_is_accurate(P, bad, 1, 0.5), "a step of half a resolution");
  const double none[] = {0.1, 0.1, INFINITY};
  check(!lr_dfo_is_accurate(P, none, 1, 0.1), "an error that is not known");
}

TEST("the trust-region radius follows the reduction ratio")
{
  static const struct {
    const char *what;
    double radius, resolution, step, ratio, next;
  } cases[] = {
      {"a failure halves the radius",            1, 0.01, 1,   0.05, 0.5 },
      {"a failure of a shorter step, half that", 1, 0.01, 0.5, 0.05, 0.25},
      {"a step that rises",                      1, 0.01, 1,   -3,   0.5 },
      {"a moderate success keeps the step",      1, 0.01, 0.8, 0.15, 0.8 },
      {"the same below the upper ratio",         1, 0.01, 0.8, 0.6,  0.8 },
      {"a good prediction doubles the step",     1, 0.01, 0.8, 0.8,  1.6 },
      {"a success of a short step shrinks less", 1, 0.01, 0.1, 0.8,  0.5 },
      {"hardly above the resolution: that",      1, 0.35, 1,   0.05, 0.35},
      {"above it",                               1, 0.32, 1,   0.05, 0.5 },
      {"far above it",                           1, 0.2,  1,   0.05, 0.5 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_near(lr_dfo_next_radius(P, cases[i].radius, cases[i].resolution,
                                  cases[i].step, cases[i].ratio),
               cases[i].next, 1e-15, "%s", cases[i].what);
}

TEST("a step succeeds from a reduction ratio of 0.1 on")
{
  check(!lr_dfo_accepts(P, 0.09), "0.09");
  check(lr_dfo_accepts(P, 0.1), "0.1");
  check(lr_dfo_accepts(P, 0.11), "0.11");
  check(!lr_dfo_accepts(P, NAN), "not known");
}

TEST("a step below half the resolution is not evaluated and cuts the radius")
{
  check(lr_dfo_too_short(P, 0.45, 1), "0.45 of the resolution");
  check(!lr_dfo_too_short(P, 0.55, 1), "0.55 of the resolution");
  check_near(lr_dfo_short_radius(P, 1, 0.01), 0.1, 1e-15, "to a tenth");
  check(lr_dfo_short_radius(P, 1, 0.09) == 0.09, "or to the resolution");
}

TEST("points beyond 2 radii and 10 resolutions get a geometry step")
{
  static const struct {
    double distance, radius, resolution;
    bool far;
    double step;
  } cases[] = {
      {1.9, 1,    0.1,  false, 0.19},
      {2.1, 1,    0.1,  true,  0.21},
      {0.9, 0.1,  0.1,  false, 0.1 },
      {1.1, 0.1,  0.1,  true,  0.1 },
      {5,   0.2,  0.01, true,  0.2 },
      {1.5, 0.05, 0.01, true,  0.05},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check_int(lr_dfo_is_far(P, false, cases[i].distance, cases[i].radius,
                            cases[i].resolution),
              cases[i].far, "%g from the best", cases[i].distance);
    check_near(lr_dfo_geometry_radius(P, cases[i].distance, cases[i].radius,
                                      cases[i].resolution),
               cases[i].step, 1e-14, "its step, %g away", cases[i].distance);
  }
}

TEST("three failures at the resolution make it ten times finer")
{
  check(!lr_dfo_refines(P, 2), "two failures");
  check(lr_dfo_refines(P, 3), "three");
  check_near(lr_dfo_finer(P, false, 0.25), 0.025, 1e-15, "the next resolution");
  check_near(lr_dfo_finer_radius(P, 0.25), 0.125, 1e-15, "half the last one");
}

TEST("the phase ends at a thousandth of the box, or where no model can be made")
{
  check(!lr_dfo_ends(P, false, 0, 1.1e-3), "above a thousandth");
  check(lr_dfo_ends(P, false, 0, 0.9e-3), "below");
  check(!lr_dfo_ends(P, false, 2, 0.1), "two singular systems");
  check(lr_dfo_ends(P, false, 3, 0.1), "three");
  check(lr_dfo_may_go_on(P, 29), "29 p evaluations");
  check(!lr_dfo_may_go_on(P, 30), "30 p evaluations");
}

/* f[] after 0, p/2, p, 2 p and 3 p evaluations. */
TEST("interpolation goes on while its evaluations pay")
{
  static const struct {
    const char *what;
    double f[5];
    int reached;
    double resolution;
    bool pays;
  } cases[] = {
      {"nothing is known after p/2",                {100, 99},                1, 0.01, true },
      {"the second half brings 0.02 of the first",
       {200, 100, 98},
       2,                                                                        0.01,
       true                                                                                 },
      {"it brings 0.012",                           {200, 100, 98.8},         2, 0.01, false},
      {"it brings 0.012, at the first resolution",
       {200, 100, 98.8},
       2,                                                                        0.25,
       true                                                                                 },
      {"the same at half of that",                  {200, 100, 98.8},         2, 0.13, false},
      {"f falls to 0.45",                           {1000, 1, 0.45},          2, 0.01, true },
      {"f falls to 0.55",                           {1000, 1, 0.55},          2, 0.01, false},
      {"little and no less: a valley",              {1100, 100, 90, 84.5},    3, 0.01, false},
      {"little and less each time",                 {1100, 100, 90, 85.5},    3, 0.01, true },
      {"steady and little: a valley",               {1100, 200, 100, 75, 55}, 4, 0.01, true },
      {"2 p bring 0.045 of the first",
       {1100, 130, 100, 78, 55},
       4,                                                                        0.01,
       false                                                                                },
      {"2 p bring 0.055",                           {1100, 130, 100, 71, 45}, 4, 0.01, true },
      {"the last p bring 0.75 of those before",
       {1100, 130, 100, 78, 61.5},
       4,                                                                        0.01,
       false                                                                                },
      {"the last p bring 0.65 of those before",
       {1100, 130, 100, 78, 63.7},
       4,                                                                        0.01,
       true                                                                                 },
      {"those before bring 0.45 of the p/2 before",
       {1100, 130, 100, 86.5, 72},
       4,                                                                        0.01,
       true                                                                                 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_dfo_pays(P, cases[i].f, cases[i].reached, cases[i].resolution),
              cases[i].pays, "%s", cases[i].what);
}

TEST("conjugate gradients end at 1e-6 of the first residual")
{
  check(lr_dfo_cg_goes_on(P, 1.2e-12, 1), "its square is 1.2e-12 of the first");
  check(!lr_dfo_cg_goes_on(P, 0.8e-12, 1), "0.8e-12");
  check(!lr_dfo_cg_goes_on(P, 0, 0), "no gradient");
}

TEST("arcs along the boundary go on while each adds a hundredth")
{
  check(lr_dfo_turns_again(P, 0.011, 1), "0.011 of all");
  check(!lr_dfo_turns_again(P, 0.009, 1), "0.009 of all");
  check_near(lr_dfo_arc_unit(P, 1.6), 0.05, 1e-15, "32 angles on an arc");
}

TEST("the inverse of the interpolation matrix is kept while it is accurate")
{
  static const struct {
    const char *what;
    size_t updates;
    double distance, radius;
    bool holds;
  } cases[] = {
      {"few updates, near, as large as its unit", 1,  0,  1,    true },
      {"2 p - 1 updates",                         59, 0,  1,    true },
      {"2 p updates",                             60, 0,  1,    false},
      {"the best point is 9 units away",          1,  9,  1,    true },
      {"it is 11 units away",                     1,  11, 1,    false},
      {"a radius of 9 units",                     1,  0,  9,    true },
      {"a radius of 11 units",                    1,  0,  11,   false},
      {"a radius of 0.11 units",                  1,  0,  0.11, true },
      {"a radius of 0.09 units",                  1,  0,  0.09, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_dfo_system_holds(P, cases[i].updates, 30, cases[i].distance,
                                  cases[i].radius, 1),
              cases[i].holds, "%s", cases[i].what);
}

TEST("scales are powers of slopes and curvatures, at most 5 times their mean")
{
  double w[] = {1, 1e3, 1e3, 1e3}, v[] = {1, 4, 9, 16};
  check(lr_dfo_scales(P, 4, P->slope_power, w), "slopes have scales");
  check_near(w[1] / w[0], 2.8183829312644537, 1e-12, "1e3^0.15");
  check(lr_dfo_scales(P, 4, P->curvature_power, v), "curvatures have scales");
  for (int i = 0; i < 4; i++)
    check_near(v[i], (i + 1) / 2.5, 1e-14, "the root of %d squared", i + 1);
  double u[] = {1, 1, 1, 1, 1, 1, 1, 1e8}, zero[] = {0, 0};
  check(lr_dfo_scales(P, 8, P->curvature_power, u), "one large curvature");
  check(u[7] == 5 && u[0] == 0.2, "scales of %g and %g", u[7], u[0]);
  check(!lr_dfo_scales(P, 2, P->slope_power, zero), "no slopes, no scales");
}

TEST("a first point that fails is tried four times")
{
  check(lr_dfo_retry(P, true, 0.25, 0) == -0.25, "first on the other side");
  check(lr_dfo_retry(P, false, 0.25, 0) == 0.0625, "if there is room");
  check(lr_dfo_retry(P, true, -0.25, 1) == -0.0625, "then nearer");
  check(lr_dfo_tries_again(P, 3), "a fourth time");
  check(!lr_dfo_tries_again(P, 4), "not a fifth");
}

TEST("values far above the others count as failures")
{
  const double changes[] = {1, 2, 3};
  check_near(lr_dfo_first_ceiling(P, 7, changes, 3), 2007, 1e-15,
             "a thousand times the median change above the start");
  check(lr_dfo_first_ceiling(P, 7, changes, 0) == INFINITY, "no changes");
  check(lr_dfo_ceiling(P, 2, 5) == 8, "later, as much again as the range");
}

TEST("a start whose value most others share, far above the rest, is a penalty")
{
  static const struct {
    const char *what;
    double values[10], f;
    bool is;
  } cases[] = {
      {"5 of 10 equal it, 1e4 above 1.8 times",
       {1, 1, 1, 1, 1.8, 2e4, 2e4, 2e4, 2e4, 2e4},
       2e4,   true },
      {"4 of 10 equal it",
       {1, 1, 1, 1, 1, 1.8, 2e4, 2e4, 2e4, 2e4},
       2e4,   false},
      {"6 of 10 equal it",
       {1, 1, 1, 1.8, 2e4, 2e4, 2e4, 2e4, 2e4, 2e4},
       2e4,   true },
      {"a gap of 0.9e4 times the rest",
       {1, 1, 1, 1, 1, 9e3, 9e3, 9e3, 9e3, 9e3},
       9e3,   false},
      {"a gap of 1.1e4 times the rest",
       {1, 1, 1, 1, 1, 1.1e4, 1.1e4, 1.1e4, 1.1e4, 1.1e4},
       1.1e4, true },
      {"the start is one of the lower ones",
       {1, 1, 1, 1, 1, 2e4, 2e4, 2e4, 2e4, 2e4},
       1,     false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_dfo_is_penalty(P, cases[i].values, 10, cases[i].f),
              cases[i].is, "%s", cases[i].what);
}

TEST("decreases add up to within a hundredth where f is separable")
{
  check(lr_dfo_adds_up(P, 1.009, 1, 1), "1.009 of the sum");
  check(!lr_dfo_adds_up(P, 0.989, 1, 1), "0.989 of the sum");
}

TEST("first values show curvature where four in five of them rise")
{
  check(!lr_dfo_rises(P, 79, 100), "79 of 100");
  check(lr_dfo_rises(P, 80, 100), "80 of 100");
  check(!lr_dfo_rises(P, 85, 110), "85 of 110");
}
