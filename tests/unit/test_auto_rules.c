/* Which phase of `auto` runs where: cases on both sides of each number of the
 * policy. */
#include "auto/auto_rules.h"
#include "auto/phase.h"
#include "auto/schedule.h"
#include "check.h"

#define P lr_policy_current()

TEST("a model has at most 150 directions, or what the user allows")
{
  check_int(lr_auto_directions(P, 40), 40, "the user allows 40");
  check_int(lr_auto_directions(P, 149), 149, "the user allows 149");
  check_int(lr_auto_directions(P, 1000), 150, "the user allows 1000");
}

TEST("an embedding is tried from 30 dimensions on")
{
  check(!lr_auto_embeds(P, 29), "29 dimensions");
  check(lr_auto_embeds(P, 30), "30 dimensions");
}

TEST(
    "the embedding pauses every 1.2 p evaluations, 150 at least without bounds")
{
  static const struct {
    double p;
    bool bounded;
    unsigned turn;
    double budget;
  } cases[] = {
      {1000, false, 1, 1200},
      {1000, false, 3, 3600},
      {1000, true,  1, 1200},
      {100,  false, 1, 150 },
      {100,  false, 2, 300 },
      {100,  true,  1, 120 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_near(lr_auto_turn(P, cases[i].p, cases[i].bounded, cases[i].turn),
               cases[i].budget, 1e-12, "%g dimensions, turn %u", cases[i].p,
               cases[i].turn);
}

TEST("the phase after the embedding depends on why that ended")
{
  static const struct {
    const char *what;
    lr_embedding_end_view v;
    lr_event event;
  } cases[] = {
      {"f has no value at the start",
       {.why = LR_WHY_CONVERGED, .refused = true},
       LR_EVENT_REFUSED                                                                                                },
      {"converged with bounds",
       {.why = LR_WHY_CONVERGED, .bounded = true},
       LR_EVENT_CONVERGED                                                                                              },
      {"stuck",                                               {.why = LR_WHY_STUCK, .noisy = true}, LR_EVENT_STUCK     },
      {"stuck with bounds",
       {.why = LR_WHY_STUCK, .bounded = true},
       LR_EVENT_OTHERWISE                                                                                              },
      {"a tail",                                              {.why = LR_WHY_TAIL},                 LR_EVENT_MODEL_KEPT},
      {"a tail under noise",
       {.why = LR_WHY_TAIL, .noisy = true},
       LR_EVENT_OTHERWISE                                                                                              },
      {"no sign of low rank, in the span of known gradients",
       {.why = LR_WHY_NO_SIGN, .spans = true},
       LR_EVENT_MODEL_KEPT                                                                                             },
      {"no sign of low rank",                                 {.why = LR_WHY_NO_SIGN},              LR_EVENT_OTHERWISE },
      {"the same under noise",
       {.why = LR_WHY_NO_SIGN, .spans = true, .noisy = true},
       LR_EVENT_OTHERWISE                                                                                              },
      {"a tail with bounds",
       {.why = LR_WHY_TAIL, .bounded = true},
       LR_EVENT_OTHERWISE                                                                                              },
      {"no fall, 0.7 of the predictions right",
       {.why = LR_WHY_NO_FALL, .predicted = 0.7},
       LR_EVENT_OTHERWISE                                                                                              },
      {"no fall, 0.8 of the predictions right",
       {.why = LR_WHY_NO_FALL, .predicted = 0.8},
       LR_EVENT_MODEL_KEPT                                                                                             },
      {"high rank, 0.85 of the predictions right",
       {.why = LR_WHY_HIGH_RANK, .predicted = 0.85},
       LR_EVENT_OTHERWISE                                                                                              },
      {"high rank, 0.92 of the predictions right",
       {.why = LR_WHY_HIGH_RANK, .predicted = 0.92},
       LR_EVENT_MODEL_KEPT                                                                                             },
      {"no sign of low rank",
       {.why = LR_WHY_NO_SIGN, .predicted = 1},
       LR_EVENT_OTHERWISE                                                                                              },
      {"quasi-Newton leads at a pause",
       {.why = LR_WHY_BUDGET, .predicted = 1},
       LR_EVENT_OTHERWISE                                                                                              },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_auto_after_embedding(P, &cases[i].v), cases[i].event, "%s",
              cases[i].what);
}

TEST("the clock of a phase stands still while another phase runs")
{
  static lr_run run;
  static lr_phase one, other;
  run.oracle.seen.unit = 1;
  lr_phase_init(&one, &run, NULL, NULL);
  lr_phase_init(&other, &run, NULL, NULL);
  lr_phase_switch(NULL, &one);
  run.oracle.recalled += 10;
  run.oracle.differences.noise = 0.5;
  run.oracle.differences.two_sided = true;
  lr_phase_switch(&one, &other);
  check(run.oracle.differences.noise == 0 && !run.oracle.differences.two_sided,
        "the other phase has difference settings of its own");
  run.oracle.recalled += 100;
  run.oracle.counts.failures += 7;
  lr_phase_switch(&other, &one);
  run.oracle.recalled += 1;
  check_int(lr_phase_clock(&one), 11, "evaluations of the first");
  check_int(lr_phase_failures(&one), 0, "failures of the first");
  check(run.oracle.differences.noise == 0.5 && run.oracle.differences.two_sided,
        "the first phase has its settings again");
  lr_phase_switch(&one, &other);
  check_int(lr_phase_clock(&other), 100, "evaluations of the other");
  check_int(lr_phase_failures(&other), 7, "failures of the other");
}

TEST("a run may end above the lowest value by noise and a share of the descent")
{
  check_near(lr_auto_highest_end(P, 100, 0, 0), 0.1, 1e-12, "without noise");
  check_near(lr_auto_highest_end(P, 1, 1, 0.5), 3, 1e-12, "with noise alone");
}

TEST("a point is above the lowest one by more than three times the noise")
{
  check(!lr_auto_is_above(P, 1.25, 1, 0.1), "2.5 times");
  check(lr_auto_is_above(P, 1.35, 1, 0.1), "3.5 times");
  check(!lr_auto_is_above(P, 2, 1, 0), "without noise there is no question");
}

TEST("where the embedding is stuck the gradient must be more than its error")
{
  static const struct {
    const char *what;
    lr_stuck_view v;
    lr_stuck verdict;
  } cases[] = {
      {"within the error",               {.bound = 4, .error = 1},        LR_STUCK_FOR_GOOD},
      {"more than the error",            {.bound = 6, .error = 1},        LR_STUCK_GOES_ON },
      {"under noise that is not enough",
       {.bound = 9, .error = 1, .gain = 99, .curvature = 1, .noise = 1},
       LR_STUCK_FOR_GOOD                                                                   },
      {"under noise this is",
       {.bound = 11, .error = 1, .gain = 99, .curvature = 1, .noise = 1},
       LR_STUCK_GOES_ON                                                                    },
      {"a gain within the noise",
       {.bound = 99, .error = 1, .gain = 14, .curvature = 1, .noise = 1},
       LR_STUCK_FOR_GOOD                                                                   },
      {"a gain beyond the noise",
       {.bound = 99, .error = 1, .gain = 16, .curvature = 1, .noise = 1},
       LR_STUCK_GOES_ON                                                                    },
      {"as steep as the start",
       {.bound = 90, .error = 1, .first = 1},
       LR_STUCK_GOES_ON                                                                    },
      {"far steeper than the start",
       {.bound = 110, .error = 1, .first = 1},
       LR_STUCK_MEANINGLESS                                                                },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_auto_stuck(P, &cases[i].v), cases[i].verdict, "%s",
              cases[i].what);
}

TEST("the default tolerance is a millionth of the first gradient")
{
  check_near(lr_auto_tolerance(P, 3), 3e-6, 1e-12, "the tolerance");
}

TEST("a quarter of a rounding error is no decrease")
{
  check_near(lr_auto_rounding(P, 8), 2, 1e-12, "the least decrease");
}

TEST("a point is the same if it moved by a rounding error of its size")
{
  check(lr_auto_same_point(P, 0.8e-12, 1), "it moved by 0.8e-12");
  check(!lr_auto_same_point(P, 1.2e-12, 1), "it moved by 1.2e-12");
}

TEST("a minimum under bounds is checked three times")
{
  check(lr_auto_checks_again(P, 2), "after two checks");
  check(!lr_auto_checks_again(P, 3), "after three checks");
}

TEST(
    "a replay must find half a gradient known, and make half of the known "
    "decrease")
{
  static const struct {
    const char *what;
    lr_replay_view v;
    bool replays;
  } cases[] = {
      {"all of it",               {60, 100, 9, 1, 1},   true },
      {"51 values of 100",        {51, 100, 9, 1, 1},   true },
      {"49 values of 100",        {49, 100, 9, 1, 1},   false},
      {"a little more than half", {60, 100, 9, 1, 4.9}, true },
      {"a little less than half", {60, 100, 9, 1, 5.1}, false},
      {"nothing was lower",       {60, 100, 9, 9, 9},   true },
      {"the first has no value",  {60, 100, 9, 1, NAN}, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_auto_replays(P, &cases[i].v), cases[i].replays, "%s",
              cases[i].what);
}

TEST(
    "a second descent from the start has as many evaluations as were made "
    "before")
{
  check_near(lr_auto_second_start(P, 700), 700, 1e-12, "the budget");
}

/* The distance from the lower bound, in [0, 2], at which a start at it begins
 * in mapped coordinates. */
static double moved_from_bound(void)
{
  lrgd_space *space = lrgd_host_space(1, LRGD_SCALAR_DOUBLE, NULL);
  lrgd_block *v = space->ops->make(space, 4);
  for (size_t i = 0; i < 4; i++)
    *(double *)lrgd_host_data((lrgd_vec){v, i}) = i == 2 ? 2 : 0;
  lrgd_box box = {
      {v, 1},
      {v, 2}
  };
  space->ops->map_from_box(space, (lrgd_vec){v, 3}, (lrgd_vec){v, 0}, box);
  space->ops->map_to_box(space, (lrgd_vec){v, 0}, (lrgd_vec){v, 3}, box);
  double x = *(double *)lrgd_host_data((lrgd_vec){v, 0});
  space->ops->free(space, v);
  lrgd_space_destroy(&space);
  return x;
}

TEST("a start at a bound is moved off by a fiftieth in mapped coordinates")
{
  check_near(moved_from_bound(), 0.02, 1e-12, "away");
}
