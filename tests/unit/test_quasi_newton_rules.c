/* When quasi-Newton takes which gradient, steps inside V, and stops: cases on
 * both sides of each number of the policy. */
#include "auto/quasi_newton_rules.h"
#include "check.h"

#define P lr_policy_current()

TEST("gradients leave active coordinates out where these are a tenth")
{
  static const struct {
    const char *what;
    lr_qn_active a;
    double k;
    bool pays;
  } cases[] = {
      {"9 of 100 active",            {.whole = true, .count = 9},                 10, false},
      {"10 of 100 active",           {.whole = true, .count = 10},                10, true },
      {"11 of 100 active",           {.whole = true, .count = 11},                10, true },
      {"no whole gradient is known", {.count = 50},                               10, false},
      {"such gradients did harm",
       {.whole = true, .count = 50, .never_again = true},
       10,                                                                            false},
      {"seven in a row",             {.whole = true, .count = 50, .in_a_row = 7}, 10, true },
      {"eight in a row",
       {.whole = true, .count = 50, .in_a_row = 8},
       10,                                                                            false},
      {"V is 45 of 100",             {.whole = true, .count = 50},                45, true },
      {"V is 55 of 100",             {.whole = true, .count = 50},                55, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_qn_active_gradient_pays(P, &cases[i].a, cases[i].k, 100),
              cases[i].pays, "%s", cases[i].what);
}

TEST("probes pay where they stand for more than two coordinates each")
{
  check(!lr_qn_probes_pay(P, 15, 8), "8 probes for 15");
  check(lr_qn_probes_pay(P, 17, 8), "8 probes for 17");
}

TEST("a gradient within twice its error is noise")
{
  check(lr_qn_within_error(P, 1.8, 1), "1.8 errors");
  check(!lr_qn_within_error(P, 2.2, 1), "2.2 errors");
}

TEST("a first gradient below twice the error of its differences is blurred")
{
  check(lr_qn_blurred(P, 1.8, 1), "1.8 errors");
  check(!lr_qn_blurred(P, 2.2, 1), "2.2 errors");
  check(!lr_qn_blurred(P, 0, 0), "nothing, and no error");
}

TEST("a gradient within ten times its truncation error is measured again")
{
  check(lr_qn_doubts(P, 9, 1), "nine times");
  check(!lr_qn_doubts(P, 11, 1), "eleven times");
  check(lr_qn_is_truncation(P, 1, 0.4), "0.4 of it is left");
  check(!lr_qn_is_truncation(P, 1, 0.6), "0.6 of it is left");
  check(lr_qn_is_truncation(P, 1, -1), "f falls along it");
}

TEST(
    "close to a minimum the tolerance is a hundred errors of two-sided "
    "differences")
{
  check_near(lr_qn_least_tolerance(P, 99, 1, 1e-3), 0.1, 1e-12, "close");
  check(lr_qn_least_tolerance(P, 101, 1, 1e-3) == 0, "not close");
  check_near(lr_qn_third_order(1e-2, 3, 2), 2.5e-5, 1e-15, "c h^2 / 6 scale");
}

TEST("the trace is measured by four directions where there are over eight")
{
  check_int(lr_qn_trace_probes(P), 4, "directions");
  check(!lr_qn_trace_pays(P, 8), "8 inputs");
  check(lr_qn_trace_pays(P, 9), "9 inputs");
}

TEST("the trace is measured where a bound of 0.7 of the tolerance is expected")
{
  check(lr_qn_trace_promises(P, 0.65, 1), "0.65 of the tolerance");
  check(!lr_qn_trace_promises(P, 0.75, 1), "0.75 of the tolerance");
}

TEST("a guessed curvature makes no step over a thousand times the size of x")
{
  check(lr_qn_guessed_curvature(P, 500, 1) == 1, "a short step");
  check(lr_qn_guessed_curvature(P, 4000, 1) == 4, "a long step");
  check(lr_qn_guessed_curvature(P, 4000, 10) == 1, "the same, and a larger x");
}

TEST("an error of half the tolerance hides smaller gradients")
{
  check(!lr_qn_error_hides(P, 0.45, 1), "0.45 of the tolerance");
  check(lr_qn_error_hides(P, 0.55, 1), "0.55 of the tolerance");
}

TEST("a predicted decrease within half the noise cannot be seen")
{
  check(lr_qn_gain_is_noise(P, 0.45, 1), "0.45 of the noise");
  check(!lr_qn_gain_is_noise(P, 0.55, 1), "0.55 of the noise");
}

TEST("a direction is new if it is more than rounding")
{
  check(!lr_qn_is_new(P, 0.8e-10, 1), "0.8e-10 of the gradient");
  check(lr_qn_is_new(P, 1.2e-10, 1), "1.2e-10 of the gradient");
}

TEST("columns are measured while V is a third of the space")
{
  check(!lr_qn_columns_too_dear(P, 30, 90), "30 of 90");
  check(lr_qn_columns_too_dear(P, 31, 90), "31 of 90");
  check(!lr_qn_columns_too_dear(P, 16, 90), "16 of 90");
}

TEST("steps inside V are taken while they pay")
{
  static const struct {
    const char *what;
    lr_qn_inside s;
    bool interior;
    double k;
    bool taken;
  } cases[] = {
      {"none was tried",                                   {.tried = false}, true,  10, true },
      {"V is empty",                                       {.tried = false}, true,  0,  false},
      {"they bring more than a gradient",
       {.tried = true, .rate = 2, .inside = 500, .outside = 500},
       true,                                                                        10,
       true                                                                                  },
      {"they bring less",
       {.tried = true, .rate = 0.5, .inside = 500, .outside = 500},
       true,                                                                        10,
       false                                                                                 },
      {"they bring less, but had 0.09 of the evaluations",
       {.tried = true, .rate = 0.5, .inside = 80, .outside = 920},
       true,                                                                        10,
       true                                                                                  },
      {"they bring less, and had 0.11 of the evaluations",
       {.tried = true, .rate = 0.5, .inside = 100, .outside = 900},
       true,                                                                        10,
       false                                                                                 },
      {"at bounds V is 18 of 100",                         {.tried = false}, false, 18, true },
      {"at bounds V is 22 of 100",                         {.tried = false}, false, 22, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_qn_steps_inside(P, &cases[i].s, cases[i].interior, cases[i].k,
                                 100, 1),
              cases[i].taken, "%s", cases[i].what);
}

TEST("steps inside V end where they bring less, or meet three cliffs")
{
  check(lr_qn_goes_on_inside(P, 1, 1, 2), "two cliffs");
  check(!lr_qn_goes_on_inside(P, 1, 1, 3), "three cliffs");
  check(!lr_qn_goes_on_inside(P, 0.9, 1, 0), "a lower rate");
  check(!lr_qn_goes_on_inside(P, 0, 0, 0), "no decrease");
}

TEST("five failed rounds are the end, three under noise")
{
  check_near(lr_qn_failed_rounds(P, false), 4, 0, "allowed without noise");
  check_near(lr_qn_failed_rounds(P, true), 2, 0, "allowed under noise");
}

TEST("thirteen rounds without a decrease beyond the noise are the end")
{
  check(!lr_qn_idles(P, 12), "twelve rounds");
  check(lr_qn_idles(P, 13), "thirteen rounds");
}

TEST("every thirty rounds have to bring something")
{
  for (uint64_t i = 1; i <= 60; i++)
    check_int(lr_qn_window_ends(P, i), i == 30 || i == 60, "round %d", (int)i);
}

TEST("a window that brings too little of all that was gained ends the phase")
{
  static const struct {
    double lately, cliffs;
    bool active, creeps;
  } cases[] = {
      {0.8e-9, 0,  false, true },
      {1.2e-9, 0,  false, false},
      {0.8e-4, 0,  true,  true },
      {1.2e-4, 0,  true,  false},
      {0.8e-5, 9,  false, false},
      {0.8e-5, 11, false, true },
      {1.2e-5, 11, false, false},
      {0.028,  23, false, false},
      {0.028,  25, false, true },
      {0.032,  25, false, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(
        lr_qn_creeps(P, cases[i].lately, 1, cases[i].cliffs, cases[i].active),
        cases[i].creeps, "%g of all, %g cliffs", cases[i].lately,
        cases[i].cliffs);
}

TEST("noise is measured every 4 p evaluations, seldom where there was none")
{
  static const struct {
    double since, p;
    bool noisy, due;
  } cases[] = {
      {390, 100, true,  false},
      {410, 100, true,  true },
      {50,  10,  true,  true },
      {110, 10,  false, false},
      {130, 10,  false, true },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_qn_noise_due(P, cases[i].since, cases[i].p, cases[i].noisy),
              cases[i].due, "%g evaluations, %g inputs", cases[i].since,
              cases[i].p);
}

TEST("noise a thousand times what was assumed makes it forget the model")
{
  lr_oracle o = {.differences.noise = 900};
  lr_model m = {.oracle = &o, .believed = 1};
  check(!lr_qn_misled(P, &m), "900 times");
  o.differences.noise = 1100;
  check(lr_qn_misled(P, &m), "1100 times");
}

TEST("the pretest is for gradients that may be small")
{
  check(lr_pretest_near(P, 900, 1), "900 times the tolerance");
  check(!lr_pretest_near(P, 1100, 1), "1100 times the tolerance");
  check(lr_pretest_one_probe(P, 100, 0.14, 1), "1.4 by one probe");
  check(!lr_pretest_one_probe(P, 100, 0.16, 1), "1.6 by one probe");
  check(lr_pretest_inside(P, 0.65, 1), "0.65 of the tolerance inside V");
  check(!lr_pretest_inside(P, 0.75, 1), "0.75 of the tolerance inside V");
}

TEST("the pretest is cheaper than a gradient")
{
  check(lr_pretest_cheap(P, 70, 8, 100), "78 of 100 evaluations");
  check(!lr_pretest_cheap(P, 74, 8, 100), "82 of 100 evaluations");
  check(lr_pretest_cheap_bounded(P, 8, 85), "24 of 85 with bounds");
  check(!lr_pretest_cheap_bounded(P, 8, 75), "24 of 75 with bounds");
}

TEST("separable functions: signs and curvatures agree with a diagonal Hessian")
{
  check(!lr_separable_signs(P, 3, 3), "three inputs are too few");
  check(lr_separable_signs(P, 4, 4), "four inputs are enough");
  check(!lr_separable_signs(P, 100, 89), "89 of 100 signs");
  check(lr_separable_signs(P, 100, 90), "90 of 100 signs");
  check(lr_separable_signs(P, 100, 94), "94 of 100 signs");
  check(!lr_separable_curvature(P, 0.65, 1), "0.65 of the curvature");
  check(lr_separable_curvature(P, 0.75, 1), "0.75 of the curvature");
  check(lr_separable_curvature(P, 1.3, 1), "1.3 of the curvature");
  check(!lr_separable_curvature(P, 1.5, 1), "1.5 of the curvature");
}

TEST("f may seem to be separable three times and not be")
{
  check(lr_separable_tries(P, 2), "after two times");
  check(!lr_separable_tries(P, 3), "after three times");
}

TEST("a change of a derivative within four errors tells nothing")
{
  check_near(lr_separable_least_change(P, 1), 4, 1e-12, "the least change");
}
