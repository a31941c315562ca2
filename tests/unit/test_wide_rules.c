/* Decisions of the phases that evaluate a round at a time: cases on both sides
 * of each number of the policy. */
#include "check.h"
#include "wide/wide_rules.h"

#define P lr_policy_current()

TEST("rounds of 3 and problems of 16 inputs are wide enough")
{
  check(!lr_wide_suits(P, 2, 100), "rounds of 2");
  check(lr_wide_suits(P, 3, 100), "rounds of 3");
  check(!lr_wide_suits(P, 64, 15), "15 inputs");
  check(lr_wide_suits(P, 64, 16), "16 inputs");
  check(lr_survey_suits(P, 64, 200), "a box of 200");
  check(!lr_survey_suits(P, 64, 201), "a box of 201");
  check(!lr_survey_suits(P, 2, 100), "a box and rounds of 2");
}

TEST("lengths of one round double and halve the radius by turns")
{
  static const double lengths[] = {1, 0.5, 2, 0.25, 4};
  for (size_t i = 0; i < 5; i++)
    check_near(lr_wide_length(i), lengths[i], 0, "length %d", (int)i);
  check_int(lr_wide_lengths(P, 0), 1, "one at least");
  check_int(lr_wide_lengths(P, 4), 4, "as many as places are free");
  check_int(lr_wide_lengths(P, 8), 8, "eight");
  check_int(lr_wide_lengths(P, 64), 8, "no more");
}

TEST("the last of the rounds of some values has places left")
{
  check_int(lr_wide_left(8, 5), 3, "5 values in one round of 8");
  check_int(lr_wide_left(8, 13), 3, "13 in two");
  check_int(lr_wide_left(8, 8), 8, "8 leave a whole round");
}

TEST("the predicted landing is kept unless another length is far better")
{
  check(!lr_wide_accepts(P->wide_inside_accept, 0.45, 1), "inside, 0.45");
  check(lr_wide_accepts(P->wide_inside_accept, 0.55, 1), "inside, 0.55");
  check(!lr_wide_accepts(P->wide_accept, 0.28, 1), "0.28 of the best");
  check(lr_wide_accepts(P->wide_accept, 0.32, 1), "0.32 of the best");
  check(!lr_wide_accepts(0.3, 0, 0), "no decrease");
  check(!lr_wide_accepts(0.3, NAN, 1), "no value");
  check_near(lr_wide_shrunk(P, 0.5, 2, 1), 0.125, 1e-15,
             "a quarter of the shortest of all");
}

TEST("steps of two lengths are tried where they differ by 0.02")
{
  check(!lr_wide_differs(P, 0.018, 1), "0.018");
  check(lr_wide_differs(P, 0.022, 1), "0.022");
}

TEST("six rounds in a row without a decrease are the end")
{
  check(!lr_wide_fails(P, 5), "five");
  check(lr_wide_fails(P, 6), "six");
}

TEST("a step in a box may miss its length by 0.08")
{
  check(lr_wide_matches(P, 1.07, 1), "longer by 0.07");
  check(lr_wide_matches(P, 0.93, 1), "shorter by 0.07");
  check(!lr_wide_matches(P, 0.91, 1), "shorter by 0.09");
  check(!lr_wide_exceeds(P, 1.07, 1), "not too long");
  check(lr_wide_exceeds(P, 1.09, 1), "too long by 0.09");
}

TEST("two columns in a row that bring no curvature complete the model")
{
  check(lr_stream_complete(P, 0.9e-3, 0.9e-3), "both below 1e-3");
  check(!lr_stream_complete(P, 0.9e-3, 1.2e-3), "the last alone");
  check(!lr_stream_complete(P, 1.2e-3, 0.9e-3), "the one before alone");
}

TEST("the shares that columns leave foretell the rank and its price")
{
  /* k / (1 - share) = 12: 90 values */
  check(!lr_stream_is_high(P, 8, 1.0 / 3, 46), "90 values for p = 46");
  check(lr_stream_is_high(P, 8, 1.0 / 3, 44), "90 values for p = 44");
  check(!lr_stream_is_high(P, 5, 0.99, 100), "five columns tell nothing");
  check(lr_stream_is_high(P, 6, 0.99, 100), "six do");
  check_int(lr_stream_most(P, 1000), 80, "columns at most");
  check_int(lr_stream_most(P, 79), 79, "or as many as are allowed");
}

TEST("a high rank ends the stream once it has cost a fifth of a gradient")
{
  /* 8 columns: 44 values */
  check(lr_stream_too_dear(P, 8, 0.99, 215), "more than 43");
  check(!lr_stream_too_dear(P, 8, 0.99, 225), "less than 45");
  check(lr_stream_too_dear(P, 9, 0.99, 225), "54 for 9 columns");
  check(!lr_stream_too_dear(P, 9, 0, 225), "the rank is low");
}

TEST("noise hides the rank from a thousandth of a second difference on")
{
  /* four values with noise, over 1e-3 x 0.1^2 x 2 */
  check(!lr_stream_is_noise(P, 4.8e-6, 0.1, 2), "less");
  check(lr_stream_is_noise(P, 5.2e-6, 0.1, 2), "more");
  check(!lr_stream_is_noise(P, 0, 0.1, 2), "none");
}

TEST("a landing is evaluated where it predicts 0.05 of the decrease so far")
{
  check(!lr_stream_lands(P, 0.045, 1), "0.045");
  check(lr_stream_lands(P, 0.055, 1), "0.055");
  check(lr_stream_lands(P, 1e-9, 0), "the first");
  check_int(lr_stream_landings(P, 4), 1, "of 4 places");
  check_int(lr_stream_landings(P, 16), 2, "of 16");
  check_int(lr_stream_landings(P, 64), 3, "of 64");
}

TEST("differences are short beside x")
{
  check_near(lr_stream_step(P, 2), 6e-4, 1e-15, "of the stream");
  check_near(lr_inside_step(P, 2, true), 6e-4, 1e-15, "of a Hessian inside");
  check_near(lr_inside_step(P, 2, false), 2e-5, 1e-15, "of slopes inside");
  check_near(lr_stream_far(P, 2, 25), 1, 1e-15, "without a minimum");
  check_near(lr_wide_first_radius(P, 2), 0.6, 1e-15, "the first trust region");
}

TEST("slopes come with the landing where it was right or places are free")
{
  check(lr_inside_speculates(8, 5, false), "5 slopes and three lengths");
  check(!lr_inside_speculates(8, 6, false), "6 and two");
  check(lr_inside_speculates(8, 7, true), "7 and the landing, which was right");
  check(!lr_inside_speculates(8, 8, true), "8 leave it no place");
  check(lr_inside_speculates(8, 13, true), "two rounds of 13 and 3 lengths");
  check(!lr_inside_speculates(8, 14, true), "of 14 and 2");
  check(!lr_inside_speculates(8, 13, false), "the last one was wrong");
}

TEST("a Hessian is measured where two rounds hold it")
{
  /* 3 lengths, 5 slopes and 15 second differences: 23 values */
  check(lr_inside_measures(P, 12, 3, 5), "rounds of 12");
  check(!lr_inside_measures(P, 11, 3, 5), "rounds of 11");
}

TEST("an update of rank one needs a hundredth of |u| |s|")
{
  check(!lr_inside_suits_sr1(P, -0.09, 3, 4), "0.0075");
  check(lr_inside_suits_sr1(P, -0.14, 3, 4), "0.0117");
}

TEST("a longer step than predicted doubles the radius, a shorter one is kept")
{
  check_near(lr_wide_grown(P, 1, 1, 0.8), 1.6, 1e-15, "as predicted");
  check_near(lr_wide_grown(P, 1, 2, 0.3), 1, 1e-15, "no shorter than before");
  check_near(lr_wide_grown(P, 1, 0.5, 0.5), 0.6, 1e-15, "half of it");
  check_near(lr_wide_least_curvature(P, 2), 2e-6, 1e-18, "least curvature");
  check(!lr_wide_changes(P, 0.09, 1), "nearly one Hessian");
  check(lr_wide_changes(P, 0.11, 1), "it changes");
  check_near(P->wide_independent, 1e-4, 0, "a step in the span of others");
}

TEST(
    "a predicted decrease of 1e-12 of that so far, or of noise, is not worth "
    "a round")
{
  check(!lr_inside_ends(P, 1.2e-12, 1, 1e-16), "more");
  check(lr_inside_ends(P, 0.8e-12, 1, 1e-16), "less");
  check(lr_inside_ends(P, 1e-3, 1, 1e-2), "within the noise");
  check(lr_inside_ends(P, NAN, 1, 0), "not known");
}

TEST("a gradient is measured ahead where it takes six rounds at most")
{
  check(lr_wide_is_ahead(P, 16, 96), "96 inputs, rounds of 16");
  check(!lr_wide_is_ahead(P, 16, 97), "97 inputs");
}

TEST("quasi-Newton hands over where 8 rounds bring less than 1e-6 of it all")
{
  check(!lr_wide_creeps(P, 7, 0, 1), "seven rounds tell nothing");
  check(lr_wide_creeps(P, 8, 0.9e-6, 1), "eight do");
  check(!lr_wide_creeps(P, 8, 1.2e-6, 1), "more than that");
  check_int((int)P->wide_memory, 12, "steps that are remembered");
}

TEST(
    "far values count less in the survey, by the sixth power of their "
    "distance")
{
  check_near(lr_survey_ridge(P, 1), 1e-6 + 0.01, 1e-15, "one radius");
  check_near(lr_survey_ridge(P, 2), 1e-6 + 0.64, 1e-15, "two radii");
  check_near(P->survey_linear, 10, 0, "weight of linear terms");
  check_near(P->survey_spread, 0.8, 0, "spread of the other points");
}

TEST("the radius of the survey follows the best landing")
{
  static const struct {
    const char *what;
    double gain, promised;
    bool landing;
    double step, width, next;
  } cases[] = {
      {"a landing as long as the radius", 1,    1, true,  1,   64, 1         },
      {"a longer one doubles it at most", 1,    1, true,  3,   64, 2         },
      {"a shorter one halves it at most", 1,    1, true,  0.1, 64, 0.5       },
      {"another point leaves it",         1,    1, false, 0,   64, 1         },
      {"just enough",                     0.12, 1, true,  1,   64, 1         },
      {"too little, wide rounds",         0.08, 1, true,  1,   64, 0.5       },
      {"too little, narrow rounds",       0.08, 1, true,  1,   16, 0.70710678},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_near(lr_survey_radius(P, 1, cases[i].gain, cases[i].promised,
                                cases[i].landing, cases[i].step, cases[i].width,
                                64),
               cases[i].next, 1e-8, "%s", cases[i].what);
}

TEST("the survey ends where 2 p values bring less than 0.002 of it all")
{
  check(lr_survey_ends(P, 0.0018, 1), "0.0018");
  check(!lr_survey_ends(P, 0.0022, 1), "0.0022");
  check_int(lr_survey_landings(P, 4), 1, "landings of 4");
  check_int(lr_survey_landings(P, 16), 4, "landings of 16");
  check_int(lr_survey_landings(P, 64), 4, "landings of 64");
  check(!lr_survey_is_fine(P, 1.2e-6), "a radius of 1.2e-6");
  check(lr_survey_is_fine(P, 0.8e-6), "a radius of 0.8e-6");
}

TEST("where evaluations end in any order the last ones are not waited for")
{
  check_int(lr_wide_late(P, 64, 90, false), 9, "a tenth of a gradient");
  check_int(lr_wide_late(P, 4, 90, false), 4, "no more than are under way");
  check_int(lr_wide_late(P, 64, 9, false), 0, "none of nine");
  check_int(lr_wide_late(P, 64, 8, true), 4, "half of the steps");
  check_int(lr_wide_late(P, 64, 1, true), 0, "not the only one");
  check_int(lr_inside_places(P, 8), 24, "three times the width in a round");
}

TEST("a landing before the others keeps the radius, or doubles its step")
{
  check_near(lr_survey_early_step(P, 0.6, 1, 0.5, 1), 1, 0, "shorter");
  check_near(lr_survey_early_step(P, 0.8, 1, 1, 1), 2, 0, "as predicted");
  check_near(lr_survey_early_step(P, 0.6, 1, 1, 1), 1, 0, "less than that");
  check_int(lr_survey_window(P, 8, 5), 42, "values judge a survey");
  check_int(lr_survey_extra_room(P, 8), 1600, "values at most");
}
