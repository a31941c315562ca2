/* Decisions of the opening by a Gaussian process: cases on both sides of each
 * number of the policy. */
#include "check.h"
#include "surrogate/surrogate_rules.h"

#define P lr_policy_current()

/* In a box of 48 inputs a uniform point is 4 half widths from the middle, in
 * the root mean square, and the diagonal is 8 sqrt(3) long. */
enum { INPUTS = 48 };
static const double diagonal = 13.856406460551018;

TEST("the opening suits 24 to 200 dimensions")
{
  check(!lr_surrogate_suits(P, 23), "23");
  check(lr_surrogate_suits(P, 24), "24");
  check(lr_surrogate_suits(P, 200), "200");
  check(!lr_surrogate_suits(P, 201), "201");
}

TEST(
    "the opening has 3 p evaluations, at most 400, ten of them before its "
    "steps")
{
  check_int((int)lr_surrogate_budget(P, 50), 150, "50 inputs");
  check_int((int)lr_surrogate_budget(P, 200), 400, "200 inputs");
  check_int((int)lr_surrogate_probes(P), 10, "points before the first step");
}

TEST("a start whose inputs are scattered as random ones may be a poor one")
{
  check(!lr_surrogate_doubts(P, 0.68 / sqrt(3)), "0.68 of their deviation");
  check(lr_surrogate_doubts(P, 0.72 / sqrt(3)), "0.72 of it");
}

TEST("three values may show that a start is poor")
{
  check(lr_surrogate_tries_again(P, 2), "a third one");
  check(!lr_surrogate_tries_again(P, 3), "a fourth one");
}

TEST("lengths are relative to the diagonal of the box")
{
  check_near(lr_surrogate_first_length(P, INPUTS), 0.6 * diagonal, 1e-12,
             "the first length");
  check_near(lr_surrogate_length(P, 2, 0, INPUTS), 0.8, 1e-12,
             "the first candidate");
  check_near(lr_surrogate_length(P, 2, 3, INPUTS), 2, 1e-12, "the same again");
  check_near(lr_surrogate_length(P, 2, 6, INPUTS), 5, 1e-12,
             "the last candidate");
  check_near(lr_surrogate_length(P, 0.15, 0, INPUTS), 0.1, 1e-12,
             "the shortest");
  check_near(lr_surrogate_length(P, 5 * diagonal, 6, INPUTS), 6 * diagonal,
             1e-10, "the longest");
}

TEST("the prior of the length is lognormal about the diagonal")
{
  check_near(lr_surrogate_length_prior(P, diagonal, INPUTS), 0, 1e-12,
             "at its median");
  check_near(lr_surrogate_length_prior(P, diagonal * exp(1.5), INPUTS), 0.5,
             1e-9, "one standard deviation above");
}

TEST("the length is chosen anew with 8 % more points")
{
  check(lr_surrogate_refits(P, 10, 0), "the first time");
  check(!lr_surrogate_refits(P, 107, 100), "7 in 100 more");
  check(lr_surrogate_refits(P, 109, 100), "9 in 100 more");
}

TEST("values are straight near the lowest and logarithmic far above")
{
  const double f[] = {2, 1, 5, 1e8, 3, 4, 1e10, 6, 7, 8, 9};
  double y[11], sorted[11], mean = 0, square = 0;
  double scale = lr_surrogate_compress(P, 11, f, y, sorted);
  for (int i = 0; i < 11; i++) {
    mean += y[i] / 11;
    square += y[i] * y[i] / 11;
  }
  check(fabs(mean) < 1e-12, "their mean is %g", mean);
  check_near(square, 1, 1e-12, "their variance");
  /* the quantile is 3, so s = 2: y is 2 asinh((f - 1) / 2) */
  check_near(scale * (y[0] - y[1]), 2 * asinh(0.5), 1e-9, "2 above 1");
  check_near(scale * (y[6] - y[3]), 2 * log(100), 1e-6, "1e10 above 1e8");
}

TEST("equal values stay finite when they are compressed")
{
  const double f[] = {7, 7, 7, 7};
  double y[4], sorted[4];
  lr_surrogate_compress(P, 4, f, y, sorted);
  for (int i = 0; i < 4; i++) check_near(y[i], 0, 1e-12, "value %d", i);
}

TEST("radii are relative to the distance of a random point")
{
  check_near(lr_surrogate_first_radius(P, INPUTS), 2, 1e-12, "the first");
  check(!lr_surrogate_is_fine(P, 4.2e-3, INPUTS), "above a thousandth");
  check(lr_surrogate_is_fine(P, 3.8e-3, INPUTS), "below it");
}

TEST("steps exploit, balance and explore in turn")
{
  check_near(lr_surrogate_kappa(P, 12), 0.01, 1e-15, "the mean");
  check_near(lr_surrogate_kappa(P, 13), 0.3, 1e-15, "between");
  check_near(lr_surrogate_kappa(P, 14), 1, 1e-15, "the deviation");
  check_near(lr_surrogate_move(P, 3), 0.6, 1e-12, "the random move");
}

TEST("the radius follows length and decrease of a step")
{
  static const struct {
    const char *what;
    lr_surrogate_step step;
    int failures;
    double next;
    int failed;
  } cases[] = {
      {"a long step as promised",           {0.9, 1, 1},     0, 1.6, 0},
      {"a step of 0.71 radii",              {0.71, 1, 1},    2, 1.6, 0},
      {"a step of 0.69 radii",              {0.69, 1, 1},    2, 1,   0},
      {"0.31 of what was promised",         {0.9, 1, 0.31},  0, 1.6, 0},
      {"0.29 of it",                        {0.9, 1, 0.29},  0, 1,   0},
      {"0.051 of it: no failure",           {0.9, 1, 0.051}, 3, 1,   0},
      {"0.049 of it: a failure",            {0.9, 1, 0.049}, 0, 1,   1},
      {"a third failure",                   {0.9, 1, -1},    2, 1,   3},
      {"a fourth failure",                  {0.9, 1, -1},    3, 0.6, 0},
      {"nothing was promised, but it fell", {0.9, -1, 0.1},  0, 1.6, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int failures = cases[i].failures;
    double next = lr_surrogate_radius(P, 1, &cases[i].step, &failures);
    check_near(next, cases[i].next, 1e-12, "%s", cases[i].what);
    check_int(failures, cases[i].failed, "failures after %s", cases[i].what);
  }
}

TEST("the search for a step has 40 iterations of 12 trials")
{
  check(lr_surrogate_searches_on(P, 40), "40");
  check(!lr_surrogate_searches_on(P, 41), "41");
  check(lr_surrogate_backtracks(P, 11), "a twelfth trial");
  check(!lr_surrogate_backtracks(P, 12), "a thirteenth");
  check_near(lr_surrogate_shorter(P, 1), 0.4, 1e-15, "the second trial");
  check_near(lr_surrogate_first_step(P, 8), 0.05, 1e-15, "0.4 along the input");
  check_near(lr_surrogate_first_step(P, 0), 1, 1e-15, "no slope at all");
}

TEST("a trial has to fall, a direction to promise more than rounding")
{
  check(lr_surrogate_falls(P, 1 - 1.1e-4, 1, -1), "1.1e-4 of the slope");
  check(!lr_surrogate_falls(P, 1 - 0.9e-4, 1, -1), "0.9e-4 of it");
  check(lr_surrogate_promises(-2e-12, 1), "2e-12");
  check(!lr_surrogate_promises(-5e-13, 1), "5e-13");
  check(!lr_surrogate_promises(0.1, 1), "upwards");
}

TEST("the spectral step is s's / s'y, and longer without curvature")
{
  check_near(lr_surrogate_spectral(1, 3, 2), 1.5, 1e-15, "curved");
  check_near(lr_surrogate_spectral(0.5, 3, -2), 2, 1e-15, "not curved");
}
