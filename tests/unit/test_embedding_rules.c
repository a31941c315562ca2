/* When the embedding stops, pauses, doubts its values: cases on both sides of
 * each number of the policy. */
#include "auto/embedding_rules.h"
#include "check.h"

/* cases change some members of a view that is given first */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif

#define P lr_policy_current()

/* An embedding that nothing speaks against, with some numbers changed. */
#define VIEW(...)                                                              \
  (&(lr_embedding_view){.p = 1000,                                             \
                        .k = 5,                                                \
                        .evaluations = 100,                                    \
                        .first = 1,                                            \
                        .outside = 0.5,                                        \
                        .early_rank = 20,                                      \
                        .half_rank = 10,                                       \
                        .unexplained = 1,                                      \
                        __VA_ARGS__})

TEST("a rank estimate is waited for until V is half as large again")
{
  check(!lr_embedding_waits_for_rank(
            P, VIEW(.rank_supported = true, .k = 5, .half_rank = 9)),
        "with five directions it is too early");
  check(lr_embedding_waits_for_rank(
            P, VIEW(.rank_supported = true, .k = 7, .half_rank = 9)),
        "7 of 9");
  check(lr_embedding_waits_for_rank(
            P, VIEW(.rank_supported = true, .k = 15, .half_rank = 10)),
        "15 of 10");
  check(!lr_embedding_waits_for_rank(
            P, VIEW(.rank_supported = true, .k = 17, .half_rank = 10)),
        "17 of 10");
  check(!lr_embedding_waits_for_rank(P, VIEW(.k = 7, .half_rank = 9)),
        "an estimate that is not believed");
}

TEST("with few dimensions f has to look quadratic within 0.6 p evaluations")
{
  static const struct {
    double p;
    bool bounded;
    double allowed;
  } cases[] = {
      {79,  false, 47.4    },
      {81,  false, INFINITY},
      {99,  true,  59.4    },
      {101, true,  110     },
      {300, true,  180     },
      {100, true,  110     },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double allowed = lr_embedding_allowance(
        P, VIEW(.p = cases[i].p, .bounded = cases[i].bounded));
    check(
        allowed == cases[i].allowed || fabs(allowed - cases[i].allowed) < 1e-9,
        "%g, not %g, in %g dimensions", allowed, cases[i].allowed, cases[i].p);
  }
}

TEST("an embedding ahead of quasi-Newton after its trial has 1.8 p evaluations")
{
  check_near(lr_embedding_allowance(P, VIEW(.p = 50, .led = true)), 90, 1e-9,
             "50 dimensions");
  check(lr_embedding_compares(VIEW(.p = 50, .curved = true)),
        "it is compared first");
  check(!lr_embedding_compares(VIEW(.p = 50)), "not where f may be quadratic");
  check(!lr_embedding_compares(VIEW(.p = 50, .curved = true, .led = true)),
        "once");
  check(!lr_embedding_compares(VIEW(.p = 50, .curved = true, .warm = true)),
        "not after a fit of known evaluations");
  check(!lr_embedding_compares(VIEW(.p = 50, .curved = true, .bounded = true)),
        "not in mapped coordinates");
  check(!lr_embedding_compares(
            VIEW(.p = 50, .curved = true, .after_newton = true)),
        "not after known steps of quasi-Newton");
  check(!lr_embedding_compares(
            VIEW(.p = 50, .curved = true, .near_tolerance = true)),
        "not near its end");
  check(!lr_embedding_compares(VIEW(.p = 50, .curved = true, .first = 0)),
        "nor before a probe outside");
}

TEST("with bounds, signs of low rank extend the embedding")
{
  check(
      isinf(lr_embedding_allowance(P, VIEW(.bounded = true, .outside = 0.08))),
      "the gradient outside has fallen to 0.08");
  check(
      !isinf(lr_embedding_allowance(P, VIEW(.bounded = true, .outside = 0.12))),
      "the gradient outside has fallen to 0.12");
  check(isinf(lr_embedding_allowance(
            P, VIEW(.bounded = true, .columns = 3, .unexplained = 0.1))),
        "three columns explain nine tenths");
  check(!isinf(lr_embedding_allowance(
            P, VIEW(.bounded = true, .columns = 2, .unexplained = 0.1))),
        "two columns are too few");
  check(!isinf(lr_embedding_allowance(
            P, VIEW(.bounded = true, .columns = 9, .unexplained = 0.12))),
        "0.12 is unexplained");
}

TEST("probes can prolong an embedding that has earlier ones and a small box")
{
  static const struct {
    const char *what;
    double p, first;
    bool bounded, may;
  } cases[] = {
      {"no bounds",             1000, 1, false, true },
      {"no probes to compare",  1000, 0, false, false},
      {"99 inputs with bounds", 99,   1, true,  true },
      {"100 with bounds",       100,  1, true,  false},
      {"99, and no probes",     99,   0, true,  false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lr_embedding_view v = {
        .p = cases[i].p, .first = cases[i].first, .bounded = cases[i].bounded};
    check_int(lr_embedding_may_go_on(P, &v), cases[i].may, "%s", cases[i].what);
  }
}

TEST(
    "the embedding continues past its end after two probes that are 100 "
    "times smaller")
{
  check(lr_embedding_looks_again(P, 1) && !lr_embedding_looks_again(P, 2),
        "two probes");
  check(lr_embedding_fell(P, 0.8e-4, 1) && !lr_embedding_fell(P, 1.2e-4, 1),
        "a hundredth of the gradient, squared");
  check(!lr_embedding_fell(P, 0, 0), "the first gradient is not known");
  check(lr_embedding_straight(P, 0.08) && !lr_embedding_straight(P, 0.12),
        "a way bent by a tenth");
}

TEST("a fit holds where the map into the bounds bends its steps by a tenth")
{
  check(lr_embedding_holds_fit(P, 0.08) && !lr_embedding_holds_fit(P, 0.12),
        "a step bent by a tenth");
  check(!lr_embedding_holds_fit(P, NAN), "and nothing is known of another");
}

TEST("the gradient outside must fall within p evaluations, or 300")
{
  static const struct {
    double p;
    bool bounded;
    double patience;
  } cases[] = {
      {50,   false, 300 },
      {1000, false, 1000},
      {1000, true,  500 },
      {100,  true,  100 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_near(lr_embedding_patience(
                   P, VIEW(.p = cases[i].p, .bounded = cases[i].bounded)),
               cases[i].patience, 1e-12, "%g dimensions", cases[i].p);
}

/* An embedding that has cost something, with some numbers changed. */
#define COST(...)                                                              \
  {                                                                            \
    .p = 1000, .k = 5, .first = 1, .outside = 0.5, .early_rank = 20,           \
    .unexplained = 1, __VA_ARGS__                                              \
  }

TEST("the embedding ends where it costs too much")
{
  /* clang-format off */
  static const struct {
    const char *what;
    lr_embedding_view v;
    lr_why why;
  } cases[] = {
    {"nothing speaks against it",
     COST(.evaluations = 900), LR_WHY_NOTHING},
    {"34 of 100 fail",
     COST(.evaluations = 100, .failures = 34), LR_WHY_NOTHING},
    {"36 of 100 fail",
     COST(.evaluations = 100, .failures = 36), LR_WHY_UNEVALUABLE},
    {"12 fail before 10 answers",
     COST(.evaluations = 10, .failures = 12), LR_WHY_NOTHING},
    {"13 fail before 10 answers",
     COST(.evaluations = 10, .failures = 13), LR_WHY_UNEVALUABLE},
    {"no sign of low rank in 70 dimensions",
     COST(.p = 70, .evaluations = 43), LR_WHY_NO_SIGN},
    {"there is time yet",
     COST(.p = 70, .evaluations = 41), LR_WHY_NOTHING},
    {"it goes on from known evaluations, and there is time yet",
     COST(.p = 70, .evaluations = 83, .warm = true), LR_WHY_NOTHING},
    {"it goes on from known evaluations",
     COST(.p = 70, .evaluations = 86, .warm = true), LR_WHY_NO_SIGN},
    {"f looks quadratic",
     COST(.p = 70, .evaluations = 69, .quadratic = true), LR_WHY_NOTHING},
    {"f looks quadratic, and quasi-Newton has not spoken",
     COST(.p = 200, .evaluations = 210, .quadratic = true), LR_WHY_NOTHING},
    {"quasi-Newton is known to do, and there is time yet",
     COST(.p = 75, .evaluations = 42, .quadratic = true,
          .after_newton = true), LR_WHY_NOTHING},
    {"quasi-Newton is known to do",
     COST(.p = 75, .evaluations = 48, .quadratic = true,
          .after_newton = true), LR_WHY_NO_SIGN},
    {"quasi-Newton is known to do, but its gradients are dear",
     COST(.p = 85, .evaluations = 90, .quadratic = true,
          .after_newton = true), LR_WHY_NOTHING},
    {"V is past an early rank of 20",
     COST(.k = 22, .evaluations = 1100), LR_WHY_PAST_RANK},
    {"V is not yet past an early rank of 20",
     COST(.k = 20, .evaluations = 1100), LR_WHY_NOTHING},
    {"V is past an early rank of 9",
     COST(.k = 12, .early_rank = 9, .evaluations = 1100), LR_WHY_PAST_RANK},
    {"eleven directions are too few",
     COST(.k = 11, .early_rank = 1, .evaluations = 1100), LR_WHY_NOTHING},
    {"next to nothing is left outside",
     COST(.k = 22, .evaluations = 1100, .outside = 0.8e-5), LR_WHY_NOTHING},
    {"a little is left outside",
     COST(.k = 22, .evaluations = 1100, .outside = 1.2e-5), LR_WHY_PAST_RANK},
    {"its budget is spent",
     COST(.evaluations = 2001), LR_WHY_BUDGET},
    {"it is near the tolerance",
     COST(.evaluations = 2001, .near_tolerance = true), LR_WHY_NOTHING},
  };
  /* clang-format on */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_embedding_over_budget(P, &cases[i].v, 2000), cases[i].why,
              "%s", cases[i].what);
}

TEST("a gradient outside that does not fall ends the embedding")
{
  static const struct {
    const char *what;
    lr_embedding_view v;
    double since;
    lr_why why;
  } cases[] = {
      {"900 evaluations in 1000 dimensions",
       {.p = 1000, .k = 5, .first = 1, .outside = 0.5},
       900,  LR_WHY_NOTHING},
      {"1100 evaluations in 1000 dimensions",
       {.p = 1000, .k = 5, .first = 1, .outside = 0.5},
       1100, LR_WHY_NO_FALL},
      {"what is left is 1.2e-4",
       {.p = 1000, .k = 5, .first = 1, .outside = 1.2e-4},
       1100, LR_WHY_NO_FALL},
      {"what is left is 0.8e-4",
       {.p = 1000, .k = 5, .first = 1, .outside = 0.8e-4},
       1100, LR_WHY_TAIL   },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_embedding_no_fall(P, &cases[i].v, cases[i].since),
              cases[i].why, "%s", cases[i].what);
}

TEST("in mapped coordinates the gradient must be three times smaller each time")
{
  double once = lr_embedding_tightened(P, 1);
  check_near(once, 1.0 / 3, 1e-12, "at first");
  check_near(lr_embedding_tightened(P, once), 1.0 / 9, 1e-12, "then");
}

TEST("the curvature at the start is the mean, within ten times the first")
{
  check_near(lr_embedding_start_curvature(P, 5, 1), 5, 0, "the mean");
  check_near(lr_embedding_start_curvature(P, 0.5, 1), 1, 0, "the first");
  check_near(lr_embedding_start_curvature(P, 99, 1), 10, 1e-12, "no more");
}

TEST("a first gradient within 100 errors sets the least tolerance")
{
  check_near(lr_embedding_least_tolerance(P, 99, 1), 100, 1e-12, "near");
  check(lr_embedding_least_tolerance(P, 101, 1) == 0, "far");
  check(lr_embedding_least_tolerance(P, 1, 0) == 0, "no error");
  check(lr_embedding_least_tolerance(P, 0, 1) == 0, "no gradient");
}

TEST("the curvature outside V is that inside, or a thousandth of the first")
{
  check_near(lr_embedding_curvature(P, 2, 100), 2, 0, "that inside");
  check_near(lr_embedding_curvature(P, 0.01, 100), 0.1, 1e-12, "a thousandth");
}

TEST("a first derivative of four truncation errors is corrected by one")
{
  check(lr_embedding_is_truncation(P, -3.9, 1), "3.9 of them");
  check(lr_embedding_is_truncation(P, 3.9, -1), "of a negative curvature");
  check(!lr_embedding_is_truncation(P, 4.1, 1), "4.1 of them");
}

TEST("thresholds of the gradient inside V and of the gain outside")
{
  check(lr_embedding_negligible(P, 0.8e-3, 1), "a gain of 0.8e-3 outside");
  check(!lr_embedding_negligible(P, 1.2e-3, 1), "a gain of 1.2e-3 outside");
  check(lr_embedding_has_landed(P, 0.8e-3, 1), "a predicted 0.8e-3 inside");
  check(!lr_embedding_has_landed(P, 1.2e-3, 1), "a predicted 1.2e-3 inside");
  check(lr_embedding_small_inside(P, 0.45, 1), "0.45 of the tolerance inside");
  check(!lr_embedding_small_inside(P, 0.55, 1), "0.55 of the tolerance inside");
  check(lr_embedding_near(P, 90, 1), "90 times the tolerance is near");
  check(!lr_embedding_near(P, 110, 1), "110 times the tolerance is not");
}

TEST("the embedding is stuck after four steps without a decrease")
{
  check(!lr_embedding_is_stuck(P, 3), "three steps");
  check(lr_embedding_is_stuck(P, 4), "four steps");
}

TEST(
    "an embedding idles under noise after three steps, one along a new "
    "direction")
{
  check(!lr_embedding_idles(P, 2, 1), "two steps");
  check(lr_embedding_idles(P, 3, 1), "three steps");
  check(!lr_embedding_idles(P, 3, 0), "no new direction");
}

TEST("noise ten times what was assumed makes the embedding start over")
{
  lr_oracle o = {.differences.noise = 9};
  lr_model m = {.oracle = &o, .believed = 1};
  check(!lr_embedding_misled(P, &m), "nine times");
  o.differences.noise = 11;
  check(lr_embedding_misled(P, &m), "eleven times");
}

/* A step that is as good as predicted, with some numbers changed. */
#define STEP(...)                                                              \
  {                                                                            \
    .decrease = 1, .predicted = 1, .gained = 1, .f_start = 10,                 \
    .rounding = 1e-15, .steps = 5, .recent = 1, .evaluations = 50, __VA_ARGS__ \
  }

TEST("noise is suspected of steps that bring next to nothing")
{
  static const struct {
    const char *what;
    lr_step_view s;
    bool suspected;
  } cases[] = {
      {"as predicted",         STEP(.noise = 0),       false                 },
      {                       "0.12 of the prediction", STEP(.decrease = 0.12,          .gained = 99),                  false},
      {                       "0.08 of the prediction", STEP(.decrease = 0.08,          .gained = 99),                   true},
      {                       "0.08, and that is 0.012 of all",
       STEP(.decrease = 0.08, .gained = 0.08 / 0.012),                  false},
      {                       "0.08, and that is 0.008 of all",
       STEP(.decrease = 0.08, .gained = 0.08 / 0.008),                   true},
      {                       "all is 0.8e-3 of f",
       STEP(.decrease = 0.08,             .gained = 1, .f_start = 1 / 0.8e-3), true},
      {                   "all is 1.2e-3 of f",
       STEP(.decrease = 0.08,                          .gained = 1,            .f_start = 1 / 1.2e-3), false},
      { "90 rounding errors were predicted",
       STEP(.decrease = 0,          .rounding = 1.0 / 90),                                                     false},
      {                                             "110 rounding errors were predicted",
       STEP(.decrease = 0,         .rounding = 1.0 / 110),                                                     true},
      {                                             "within the noise",                      STEP(.noise = 2),                           true           },
      {"beyond the noise",     STEP(.noise = 0.5),     false                 },
      {                                                                "two wrong predictions, 110 evaluations",
       STEP(.recent = 0,          .evaluations = 110),                  false},
      {                       "two wrong predictions, 130 evaluations",
       STEP(.recent = 0,          .evaluations = 130),                   true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_embedding_suspects_noise(P, &cases[i].s), cases[i].suspected,
              "%s", cases[i].what);
}

TEST("an end in noise has neither a decrease nor a prediction beyond it")
{
  static const struct {
    double decrease, predicted;
    bool ends;
  } cases[] = {
      {9,  90,  true },
      {11, 90,  false},
      {9,  110, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lr_step_view s = STEP(.noise = 1, .decrease = cases[i].decrease,
                          .predicted = cases[i].predicted);
    check_int(lr_embedding_ends_in_noise(P, &s), cases[i].ends,
              "%g by a step, %g predicted", cases[i].decrease,
              cases[i].predicted);
  }
}

TEST("at a pause the embedding must lead, and have made something of it")
{
  static const struct {
    const char *what;
    lr_pause_view v;
    bool pays;
  } cases[] = {
      {"it is above",
       {.first = true, .f = 2, .other = 1, .other_fell = 1},
       false},
      {"it leads by 0.06 of a round",
       {.first = true, .f = 0, .other = 0.06, .other_fell = 1},
       false},
      {"it leads by 0.08 of a round",
       {.first = true, .f = 0, .other = 0.08, .other_fell = 1},
       true },
      {"an earlier run knows that it pays",
       {.first = true, .warm = true, .f = 0, .other = 1e-9, .other_fell = 1},
       true },
      {"it gained 0.04 of its lead",
       {.f = 0, .f_before = 0.04, .other = 1, .outside = 1},
       false},
      {"it gained 0.06 of its lead",
       {.f = 0, .f_before = 0.06, .other = 1, .outside = 1},
       true },
      {"the gradient outside fell to 0.12",
       {.f = 0, .other = 1, .outside = 0.12, .outside_before = 1},
       false},
      {"the gradient outside fell to 0.08",
       {.f = 0, .other = 1, .outside = 0.08, .outside_before = 1},
       true },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_embedding_pays(P, &cases[i].v), cases[i].pays, "%s",
              cases[i].what);
}
