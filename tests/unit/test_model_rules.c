/* Decisions of the quadratic model in a subspace: cases on both sides of each
 * number of the policy. */
#include "check.h"
#include "model/model_rules.h"

#define P lr_policy_current()

TEST("small curvatures count as a share of the largest")
{
  check_near(lr_model_least_curvature(P, 2), 2e-9, 1e-14, "for Newton's step");
  check_near(lr_model_known_curvature(P, 2), 2e-3, 1e-14, "as measured");
  check_near(lr_model_outside_curvature(P, 0, 2), 2e-6, 1e-14, "outside V");
  check(lr_model_outside_curvature(P, 1, 2) == 1, "unless more is known");
  check(lr_model_least_curvature(P, 0) > 0, "none is zero");
}

TEST("a change of slopes within twice its error teaches nothing")
{
  check(lr_model_change_is_noise(P, 7.5, 8, 1), "1.9 errors in 8 directions");
  check(!lr_model_change_is_noise(P, 8.5, 8, 1), "2.1 errors");
}

TEST("BFGS updates need positive curvature that f can have")
{
  static const struct {
    const char *what;
    lr_secant_view pair;
    bool suits;
  } cases[] = {
      {"a convex pair",                    {1, 1, 1, 1, 1},      true },
      {"negative curvature",               {1, -1, 1, 1, 1},     false},
      {"the model has negative curvature", {1, 1, 1, -1, 1},     false},
      {"9 times the curvature so far",     {1, 1, 9, 1, 1},      true },
      {"31 times it, and y as large",      {1, 0.9, 900, 1, 30}, false},
      {"9 times the largest",              {1, 0.1, 0.9, 1, 1},  true },
      {"11 times the largest",             {1, 0.1, 1.1, 1, 1},  false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_model_suits_bfgs(P, &cases[i].pair), cases[i].suits, "%s",
              cases[i].what);
}

TEST("SR1 updates change the Hessian by at most twice its largest curvature")
{
  check(lr_model_suits_sr1(P, -1, 1.9, 1), "1.9 times");
  check(!lr_model_suits_sr1(P, -1, 2.1, 1), "2.1 times");
}

TEST("a full V forgets half of its directions")
{
  check_int(lr_model_forgotten(P, 150), 75, "of 150");
  check_int(lr_model_forgotten(P, 5), 3, "of 5");
}

TEST("noise below 1e-10 of the decrease does not matter")
{
  check(!lr_model_noise_matters(P, 0.9e-10, 1), "0.9e-10");
  check(lr_model_noise_matters(P, 1.1e-10, 1), "1.1e-10");
}

TEST("a line search makes twelve trials at most")
{
  check(lr_model_tries(P, 11), "a twelfth");
  check(!lr_model_tries(P, 12), "not a thirteenth");
}

TEST("a line search tries eight lengths in a round of three or more")
{
  check(lr_model_lengths(P, 1) == 1, "one at a time");
  check(lr_model_lengths(P, 2) == 1, "two at a time");
  check(lr_model_lengths(P, 3) == 3, "rounds of 3");
  check(lr_model_lengths(P, 8) == 8, "rounds of 8");
  check(lr_model_lengths(P, 64) == 8, "rounds of 64");
}

TEST("a parabola without a minimum makes the next trial 2.5 times as long")
{
  double bend;
  check(lr_model_parabola(P, -3, 2, -1, &bend) == 5 && bend < 0,
        "it opens down");
  check_near(lr_model_parabola(P, 0, 2, -1, &bend), 1, 1e-15, "it opens up");
  check(lr_model_parabola(P, INFINITY, 2, -1, &bend) == 0, "no value");
}

TEST("a search ends near the minimum, or where more costs more than it brings")
{
  static const struct {
    const char *what;
    double least, bend;
    int trials;
    bool by_gradient, ends;
  } cases[] = {
      {"near the minimum",                 1.2, 1,  1, false, true },
      {"too short",                        1.8, 1,  1, false, false},
      {"too short, second trial",          1.8, 1,  2, false, false},
      {"too short, third trial",           1.8, 1,  3, false, true },
      {"too short, fifth trial",           1.8, 1,  5, false, true },
      {"far too short, third trial",       2.2, 1,  3, false, false},
      {"too long, third trial",            0.5, 1,  3, false, true },
      {"no minimum, third trial",          1.8, -1, 3, false, false},
      {"a trial costs a gradient",         9,   1,  1, true,  true },
      {"it does, and is far too short",    11,  1,  1, true,  false},
      {"it does, and there is no minimum", 2.5, -1, 1, true,  false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_model_search_ends(P, 1, cases[i].least, cases[i].bend,
                                   cases[i].trials, cases[i].by_gradient),
              cases[i].ends, "%s", cases[i].what);
}

TEST("a rise of a thousand times the linear change is a cliff")
{
  check(!lr_model_is_cliff(P, 900, -1, 0), "900 times");
  check(lr_model_is_cliff(P, 1100, -1, 0), "1100 times");
  check(!lr_model_is_cliff(P, 1100, -1, 2000), "less than was gained");
  check(lr_model_is_cliff(P, INFINITY, -1, 2000), "no value");
}

TEST("steps without a trusted model are at most 4 times the longest so far")
{
  check(lr_model_longest(P, 2, false) == 8, "without bounds");
  check(lr_model_longest(P, 2, true) == 20, "10 times in a box");
}

TEST("a decrease within a hundredth of the predicted one confirms the model")
{
  check(lr_model_predicts(P, 1.009, 1, 0), "0.9 %% more");
  check(!lr_model_predicts(P, 0.989, 1, 0), "1.1 %% less");
  check(lr_model_predicts(P, 1.19, 1, 0.1), "with twice the noise added");
  check(!lr_model_predicts(P, 1.22, 1, 0.1), "and no more");
}

TEST("a second difference of 20 errors of f measures a curvature")
{
  check(!lr_model_sees_curvature(P, -19, 1), "19");
  check(lr_model_sees_curvature(P, -21, 1), "21");
  check(lr_model_curvature_step(P, 2, false) == 8, "else a longer step");
  check(lr_model_curvature_step(P, 2, true) == 0.125, "a failure: shorter");
  check(!lr_model_leaves_enough(P, 0.28, 1), "bounds leave 0.28 of it");
  check(lr_model_leaves_enough(P, 0.32, 1), "they leave 0.32");
  check_near(lr_model_trace_step(P, 2, 4), 10, 1e-15, "for the trace");
}

TEST("a new direction is followed as far as differences need")
{
  check_near(lr_model_shortest(P, 10, 4, 0, 1), 1.5e-3, 1e-14, "of the way");
  check_near(lr_model_shortest(P, 0, 0, 0.04, 4), 0.6, 1e-14, "under noise");
  check_near(lr_model_shortest(P, 0, 0, 0, 1), 1e-12, 1e-12, "never zero");
}

TEST("the first step for a curvature takes values for accurate to 1e-15")
{
  check_near(lr_model_value_error(P, 0, -2), 2e-15, 1e-12, "of |f|");
  check_near(lr_model_value_error(P, 0, 0), 1e-23, 1e-12, "where f is 0");
  check_near(lr_model_value_error(P, 1e-3, 2), 1e-3, 1e-12, "under noise");
}

TEST("a step along a new direction that leads too high is cut")
{
  check_near(lr_model_column_ceiling(P, 1, 0.02), 3, 1e-15, "100 x noise");
  check_near(lr_model_column_retreat(P, 2, 0.1), 0.1, 1e-15, "to the minimum");
  check_near(lr_model_column_retreat(P, 2, 1e-9), 2e-3, 1e-15, "a thousandth");
  check_near(lr_model_column_retreat(P, 2, 1), 0.5, 1e-15, "a quarter");
}

TEST("a new direction with 0.05 of the expected curvature needs no search")
{
  check(!lr_model_bends(P, 0.36, 2, 2), "0.045");
  check(lr_model_bends(P, 0.44, 2, 2), "0.055");
}

TEST("a step that bounds change by 1e-7 of it was cut")
{
  check(!lr_model_is_cut(P, 2 - 1.8e-7, 2), "0.9e-7");
  check(lr_model_is_cut(P, 2 - 2.2e-7, 2), "1.1e-7");
  check(!lr_model_is_outside(P, 1.8e-7, 2), "0.9e-7 of it outside V");
  check(lr_model_is_outside(P, 2.2e-7, 2), "1.1e-7 of it outside V");
}

TEST("the model is minimised on at most 30 faces, to 1e-6 of its gradient")
{
  check(lr_model_visits(P, 29, 1, 1), "a thirtieth face");
  check(!lr_model_visits(P, 30, 1, 1), "not a thirty-first");
  check(lr_model_visits(P, 1, 1.1e-6, 1), "1.1e-6 is left");
  check(!lr_model_visits(P, 1, 0.9e-6, 1), "0.9e-6 is left");
}

TEST("a direction counts on a face by what bounds leave of it")
{
  check(!lr_model_in_face(P, 0.9e-8), "0.9e-8 of its square: not in the face");
  check(lr_model_in_face(P, 1.1e-8), "1.1e-8");
  check(!lr_model_measures(P, 0.9e-3), "0.9e-3 of it: not measured");
  check(lr_model_measures(P, 1.1e-3), "1.1e-3");
  check(!lr_model_corrects(P, 0.9e-2), "0.9e-2 of its square: no correction");
  check(lr_model_corrects(P, 1.1e-2), "1.1e-2");
}

TEST("a predicted change is scaled by the measured one, at most tenfold")
{
  check_near(lr_model_strength(P, 1, 3), 2, 1e-15, "four times: its root");
  check_near(lr_model_strength(P, 1, 399), 10, 1e-15, "ten at most");
  check_near(lr_model_strength(P, 1, 1 / 400.0 - 1), 0.1, 1e-15, "at least");
  check(lr_model_strength(P, -1, 3) == 1, "no sign of convexity");
}
