/* Decisions of line searches and step rules: cases on both sides of each number
 * of the policy. */
#include "base/memory.h"
#include "check.h"
#include "step/step.h"
#include "step/step_rules.h"

#define P lr_policy_current()

TEST("Armijo's condition asks for 1e-4 of the slope")
{
  check(lr_search_falls(P, 1, 2, -1, 0, 1 - 2.2e-4), "1.1e-4 of the slope");
  check(!lr_search_falls(P, 1, 2, -1, 0, 1 - 1.8e-4), "0.9e-4 of the slope");
  check(lr_search_falls(P, 1, 2, -1, 1e-4, 1 - 1.8e-4), "the same in noise");
  check(!lr_search_falls(P, 1, 2, -1, 0, NAN), "no value");
}

TEST("the strong Wolfe condition asks for a slope below 0.4 of the first")
{
  check(lr_search_is_flat(P, 0.38, -1), "0.38");
  check(lr_search_is_flat(P, -0.38, -1), "-0.38");
  check(!lr_search_is_flat(P, 0.42, -1), "0.42");
}

TEST("a length is near the minimum from 0.7 to 1.4 of it")
{
  check(!lr_search_is_near(P, 1, 0.65), "the minimum at 0.65");
  check(lr_search_is_near(P, 1, 0.75), "at 0.75");
  check(lr_search_is_near(P, 1, 1.35), "at 1.35");
  check(!lr_search_is_near(P, 1, 1.45), "at 1.45");
}

TEST("the next length is near the last one")
{
  static const struct {
    double least;
    bool falls;
    double next;
  } cases[] = {
      {0.3,  false, 0.3},
      {0.05, false, 0.1},
      {0.8,  false, 0.5},
      {0.8,  true,  0.8},
      {9,    true,  4  },
      {0.05, true,  0.1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_near(2 * cases[i].next,
               lr_search_next(P, 2, 2 * cases[i].least, cases[i].falls), 1e-15,
               "least at %g", cases[i].least);
  check(lr_search_beyond(P, 2) == 8, "four times as long where it must be");
}

TEST("a trial in a bracket keeps a tenth away from its ends")
{
  check_near(lr_search_within(P, 1, 2, 1.1), 1.2, 1e-15, "at the lower end");
  check_near(lr_search_within(P, 1, 2, 2.9), 2.8, 1e-15, "at the upper end");
  check_near(lr_search_within(P, 3, -2, 2.9), 2.8, 1e-15, "the other way");
  check(lr_search_within(P, 1, 2, 2) == 2, "in the middle");
}

TEST("a step to a point without a value is cut to a quarter")
{
  check(lr_step_retreat(P, 2) == 0.5, "2 becomes %g", lr_step_retreat(P, 2));
}

TEST("backtracking tries twice the last length first")
{
  check(lr_step_grown(P, 3) == 6, "3 becomes %g", lr_step_grown(P, 3));
}

TEST("a BFGS update needs a curvature beyond rounding")
{
  check(lr_secant_is_convex(P, 6.6e-10, 2, 3), "1.1e-10 of |s| |y|");
  check(!lr_secant_is_convex(P, 5.4e-10, 2, 3), "0.9e-10 of |s| |y|");
}

TEST("Adam halves its length after twenty steps without a decrease")
{
  int waited = 19;
  check(lr_adam_length(P, 1, &waited) == 1 && waited == 19, "after 19");
  waited = 20;
  check(lr_adam_length(P, 1, &waited) == 0.5 && waited == 0, "after 20");
}

/* Recomputed from the paper's formulas, with epsilon in units of |d|. */
TEST("Adam's moments have the memories 0.9 and 0.999 and an epsilon of 1e-8")
{
  static const double first[2] = {1, 1e-8}, second[2] = {0.5, 3e-8};
  lr_step_given given = {.alpha = 1};
  lr_restricted nothing = {0};
  lr_step s;
  double z[2], fz;
  lr_step_init(&s, &lr_step_adam, &given, &lr_malloc);
  require(lr_step_reset(&s, 2) == LRGD_OK, "there is memory");
  check(lr_step_take(&s, &nothing, 0, first, z, &fz) == LR_GO, "a first step");
  check_near(z[0], -1, 1e-7, "along a large slope");
  check_near(z[1], -0.5, 1e-12, "along one that is as small as epsilon");
  check(lr_step_take(&s, &nothing, 0, second, z, &fz) == LR_GO, "a second one");
  for (int i = 0; i < 2; i++) {
    double a = first[i], b = second[i];
    double m = (0.9 * 0.1 * a + 0.1 * b) / (1 - 0.81);
    double v = (0.999 * 0.001 * a * a + 0.001 * b * b) / (1 - 0.998001);
    check_near(z[i], -m / (sqrt(v) + 1e-8 * 0.5), 1e-9, "coordinate %d", i);
  }
  lr_step_clear(&s);
}
