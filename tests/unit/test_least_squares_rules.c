/* Decisions of least squares: cases on both sides of each number of the
 * policy. */
#include "check.h"
#include "least_squares/least_squares_rules.h"

#define P lr_policy_current()

TEST("the reach is half the size of x, and the curvature follows from it")
{
  check_near(lr_ls_reach(P, 100, 3), 15, 1e-15, "100 inputs of size 3");
  check_near(lr_ls_reach(P, 100, 0), 5, 1e-15, "100 inputs of size 0");
  check_near(lr_ls_first_curvature(10, 3), 0.06, 1e-15, "c reach^2 / 2 = 3");
}

TEST("a difference balances noise and curvature within 1e-8 and 0.1 reaches")
{
  check_near(lr_ls_difference(P, 1e-4, 2, 10), 0.01, 1e-15, "between");
  check_near(lr_ls_difference(P, 1e-30, 1, 10), 1e-7, 1e-15, "shortest");
  check_near(lr_ls_difference(P, 1e9, 1, 10), 1, 1e-15, "longest");
  check_near(lr_ls_above_rounding(P, 1e-16), 1.024e-13, 1e-12, "of inputs");
}

TEST("a difference that F does not show becomes longer")
{
  check(lr_ls_may_lengthen(P, 0.9, 10) && !lr_ls_may_lengthen(P, 1, 10),
        "a tenth of the reach at most");
  check_near(lr_ls_lengthen(P, 1e-7, 10), 1e-4, 1e-15, "a thousand times");
  check_near(lr_ls_lengthen(P, 0.1, 10), 1, 1e-15, "longest");
  check(lr_ls_is_marker(P, 1.1e50) && !lr_ls_is_marker(P, 0.9e50), "1e50");
}

TEST("a column is new beyond three standard deviations, of the last three")
{
  check(!lr_ls_is_new(P, 8.9) && lr_ls_is_new(P, 9.1), "nine variances");
  check_int(lr_ls_new_columns(P), 3, "columns");
}

TEST("a correlated direction is a sum of 128 waves")
{
  check_int(lr_ls_waves(P), 128, "waves");
}

TEST("directions are of the kind whose last three columns are larger")
{
  lr_ls_kinds K = {.row = 0};
  check_int(lr_ls_choose_kind(P, &K), LR_LS_INDEPENDENT, "the first");
  K.columns[LR_LS_INDEPENDENT] = 1, K.size2[LR_LS_INDEPENDENT] = 1;
  check_int(lr_ls_choose_kind(P, &K), LR_LS_SMOOTH, "the second");
  K.columns[LR_LS_SMOOTH] = 1, K.size2[LR_LS_SMOOTH] = 1.1;
  K.last = LR_LS_SMOOTH, K.row = 7;
  check_int(lr_ls_choose_kind(P, &K), LR_LS_SMOOTH, "larger columns");
  K.row = 8;
  check_int(lr_ls_choose_kind(P, &K), LR_LS_INDEPENDENT, "after eight");
  K.size2[LR_LS_SMOOTH] = 0.9, K.row = 1;
  check_int(lr_ls_choose_kind(P, &K), LR_LS_INDEPENDENT, "smaller columns");
  check_near(lr_ls_kind_share(P, 1), 1, 0, "the only column");
  check_near(lr_ls_kind_share(P, 2), 1 / 2., 1e-15, "one of two");
  check_near(lr_ls_kind_share(P, 9), 1 / 3., 1e-15, "of the last three");
  check_near(lr_ls_smooth_length(P, 64), 8, 1e-15, "an eighth of the inputs");
}

TEST("one column that is in the range of the others for sure is enough")
{
  check(lr_ls_is_saturated(P, 8.9, 0.9e-5), "in it, and known to be");
  check(!lr_ls_is_saturated(P, 9.1, 0.9e-5), "not in it");
  check(!lr_ls_is_saturated(P, 8.9, 1.1e-5), "in it as far as is known");
}

/* In 100 of 1,000 inputs, f = 1, a step that promises `promised`. */
static lr_ls_view at(double promised, double gain)
{
  return (lr_ls_view){.p = 1000,
                      .k = 100,
                      .f = 1,
                      .promised = promised,
                      .gain = gain,
                      .since = 1,
                      .is_new = true,
                      .landed = true};
}

TEST("a step is made for half of f, or for many times what a column adds")
{
  lr_ls_view v = at(0.49, 1);
  check(!lr_ls_lands(P, &v), "0.49 of f");
  v.promised = 0.51;
  check(lr_ls_lands(P, &v), "0.51 of f");
  v = at(0.35, 0.35 / 90);
  check(!lr_ls_lands(P, &v), "90 columns");
  v.gain = 0.35 / 110;
  check(lr_ls_lands(P, &v), "110 columns");
  v = at(0.35, 0.35 / 27), v.is_new = false;
  check(!lr_ls_lands(P, &v), "27, where they are no longer new");
  v.gain = 0.35 / 33;
  check(lr_ls_lands(P, &v), "33, where they are no longer new");
  v.curved = true, v.gain = 0.35 / 9;
  check(!lr_ls_lands(P, &v), "9, where the model has curvature");
  v.gain = 0.35 / 11;
  check(lr_ls_lands(P, &v), "11, where the model has curvature");
  v = at(0.35, 0.35), v.saturated = true;
  check(lr_ls_lands(P, &v), "one, where J has all of its range");
  v = at(0.35, 0.35 / 12), v.k = 990;
  check(lr_ls_lands(P, &v), "12, where 10 are left");
  v = at(0, 1), v.k = 1000;
  check(lr_ls_lands(P, &v), "where none is left");
}

TEST("the first step comes after three columns, and measures the curvature")
{
  lr_ls_view v = at(0.1, 1);
  v.landed = false;
  v.k = 2;
  check(!lr_ls_lands(P, &v), "two columns");
  v.k = 3;
  check(lr_ls_lands(P, &v), "three columns");
}

TEST("every eighth evaluation is a column, unless a step promises 0.3 of f")
{
  lr_ls_view v = at(0.29, 1e-9);
  v.since = 8;
  check(lr_ls_lands(P, &v), "eight");
  v.since = 8.5;
  check(!lr_ls_lands(P, &v), "more than eight");
  v.promised = 0.31;
  check(lr_ls_lands(P, &v), "0.31 of f");
  v = at(0.29, 1e-9), v.is_new = false, v.since = 99;
  check(lr_ls_lands(P, &v), "every k-th where columns are not new");
  v.since = 101;
  check(!lr_ls_lands(P, &v), "more than k");
}

TEST("a direction is measured again where its uncertainty costs half a step")
{
  lr_ls_view v = at(0.19, 1);
  check(lr_ls_refreshes(P, &v, 0.1), "more than half");
  v.promised = 0.21;
  check(!lr_ls_refreshes(P, &v, 0.1), "less than half");
  v.promised = 0.89;
  check(lr_ls_refreshes(P, &v, 1), "0.89 of f");
  v.promised = 0.91;
  check(!lr_ls_refreshes(P, &v, 1), "0.91 of f is good enough");
  v.promised = -1;
  check(!lr_ls_refreshes(P, &v, 0), "not where it costs nothing");
}

TEST("a step includes a new direction where its effect exceeds the error")
{
  check_near(lr_ls_joint(P, 1, 100, 0.029, 2), 0.15, 1e-15,
             "0.3 of what is "
             "left");
  check_near(lr_ls_joint(P, 100, 0.2, 0.01, 1), 0.2, 1e-15,
             "0.2 of the "
             "promise");
  check(lr_ls_joint(P, 1, 100, 0.031, 2) == 0, "error above a tenth");
  check(lr_ls_joins(P, 0.51) && !lr_ls_joins(P, 0.49), "after a good step");
}

static double after(double before, double seen, bool fell, bool moved)
{
  return lr_ls_curvature(P, &(lr_ls_landing){.before = before,
                                             .seen = seen,
                                             .least = 1e-9,
                                             .fell = fell,
                                             .moved = moved});
}

TEST("the curvature follows the error of a step")
{
  check_near(after(1, 0.1, true, true), 0.2, 1e-15, "twice what was seen");
  check_near(after(1, 0.9, true, true), 1, 1e-15, "no more than before");
  check_near(after(1, 0, true, true), 1e-9, 1e-24, "at least");
  check_near(after(1, 3.9, true, true), 3.9, 1e-15, "rises at once");
  check_near(after(1, 9, true, true), 4, 1e-15, "at most fourfold");
  check_near(after(1, 15.5, true, false), 15.5, 1e-15, "did not move");
  check_near(after(1, 40, true, false), 16, 1e-15, "at most sixteenfold");
  check_near(after(1, 0.1, false, false), 2, 1e-15, "doubles where f rose");
  check_near(after(1, 40, false, false), 16, 1e-15, "or rises to that");
  lr_ls_landing guess = {.before = 1, .seen = 1e4, .least = 1e-9};
  guess.first = true;
  check_near(lr_ls_curvature(P, &guess), 1e4, 1e-15, "the first is believed");
  guess.seen = 0, guess.fell = true;
  check_near(lr_ls_curvature(P, &guess), 1e-9, 1e-15, "but for a least one");
  check_near(lr_ls_shorten(P, 1), 4, 1e-15, "where F has no value");
  check_near(lr_ls_trust_again(P, 1), 0.25, 1e-15, "with a new J");
}

TEST("J is measured anew where f falls too slowly for its price")
{
  double tenth = log(10) / 100;
  lr_ls_decrease d = {.price = 100, .since = 101, .grown = INFINITY};
  d.rate = 0.29 * tenth;
  check(lr_ls_sweeps(P, &d), "0.29 of what it would bring");
  d.rate = 0.31 * tenth;
  check(!lr_ls_sweeps(P, &d), "0.31");
  d.rate = 0, d.since = 99;
  check(!lr_ls_sweeps(P, &d), "not before its price was spent");
  d.price = 10, d.since = 39;
  check(!lr_ls_sweeps(P, &d), "nor before 40 evaluations");
  d.since = 41;
  check(lr_ls_sweeps(P, &d), "after 40");
  d = (lr_ls_decrease){
      .price = 100, .since = 51, .grown = INFINITY, .last_rate = 0.1};
  d.rate = 0.029;
  check(lr_ls_sweeps(P, &d), "slower than after the last time");
  d.rate = 0.031;
  check(!lr_ls_sweeps(P, &d), "not slower");
  d.rate = 0, d.since = 49;
  check(!lr_ls_sweeps(P, &d), "again after half its price");
  d.since = 51, d.grown = 49;
  check(!lr_ls_sweeps(P, &d), "or half its price after V has grown");
  check_near(lr_ls_window(P, 100), 50, 1e-15, "half the price");
  check_near(lr_ls_window(P, 4), 6, 1e-15, "six at least");
}

TEST("singular directions above a millionth are measured, after 4 failures too")
{
  check(lr_ls_matters(P, 1.1e-6, 1) && !lr_ls_matters(P, 0.9e-6, 1), "1e-6");
  check(lr_ls_distrusts(P, 5) && !lr_ls_distrusts(P, 4), "four");
}

TEST(
    "the first renewal is made at the start, if f is above a tenth of its "
    "first value")
{
  check(lr_ls_returns(P, 0.11, 1) && !lr_ls_returns(P, 0.09, 1), "a tenth");
}

TEST("noise is measured after a poor step, and distinguished from curvature")
{
  check(lr_ls_doubts(P, 0.29) && !lr_ls_doubts(P, 0.31), "ratio of 0.3");
  check(lr_ls_is_noise(P, 1.1e-3, 1e-4, 1), "eleven times, 1.1e-3 of it");
  check(!lr_ls_is_noise(P, 1.1e-3, 1.2e-4, 1), "nine times");
  check(!lr_ls_is_noise(P, 0.9e-3, 1e-5, 1), "0.9e-3 of a difference");
}

TEST("bounds may shorten a difference, and bend a step")
{
  check(lr_ls_wide(P, 0.11, -1) && !lr_ls_wide(P, 0.09, 1), "a tenth");
  check(lr_ls_straight(P, 0.29, -1) && !lr_ls_straight(P, 0.31, 1), "0.3");
  check(lr_ls_is_scale(P, 0.9e6, 1) && !lr_ls_is_scale(P, 1.1e6, 1), "wide");
  check(lr_ls_bent(P, 0.031, 1) && !lr_ls_bent(P, 0.029, 1), "0.03");
}

TEST("where many inputs are at bounds, J is measured along the axes")
{
  check(lr_ls_holds_many(P, 6, 100) && !lr_ls_holds_many(P, 4, 100), "a 20th");
  check(lr_ls_holds_many(P, 200, 249), "of 249 inputs");
  check(!lr_ls_holds_many(P, 200, 251), "of 251 inputs");
  lr_ls_view v = at(0.9, 0);
  v.by_axes = true;
  check(!lr_ls_lands(P, &v), "before any step");
  v.k = v.p;
  check(lr_ls_lands(P, &v), "all of it");
  check(lr_ls_pushes(P, 3.1, 1) && !lr_ls_pushes(P, 2.9, 1), "a bound holds");
}

TEST("up to 24 inputs J is measured along the axes, and curvature stays")
{
  check(lr_ls_few(P, 24) && !lr_ls_few(P, 25), "inputs");
  check_near(lr_ls_first_guess(P, 3), 0.03, 1e-12, "the first curvature");
  check(lr_ls_may_listen(P, false, 0), "many inputs");
  check(lr_ls_may_listen(P, true, 3), "three steps have failed");
  check(!lr_ls_may_listen(P, true, 2), "two");
  check(lr_ls_curved_directions(P) == 24, "directions");
  check(lr_ls_curved_steps(P) == 8, "steps");
}

TEST("a certificate is asked for at half the tolerance")
{
  check(lr_ls_certifies(P, 0.49, 1) && !lr_ls_certifies(P, 0.51, 1), "half");
}

TEST("40 steps without a decrease, or 8 without a promise, are a stall")
{
  check(!lr_ls_stalls(P, 40, 8, false), "not yet");
  check(lr_ls_stalls(P, 41, 0, false), "41 steps");
  check(lr_ls_stalls(P, 0, 9, false), "nine times");
}

TEST(
    "under noise three failed steps, or one predicted decrease of zero, "
    "are a stall")
{
  check(!lr_ls_stalls(P, 2, 0, true), "two steps");
  check(lr_ls_stalls(P, 3, 0, true), "three steps");
  check(lr_ls_stalls(P, 0, 1, true), "once");
}

TEST("a number of few digits has been printed")
{
  check(lr_ls_prints_few(P, 0.9e10) && !lr_ls_prints_few(P, 1.1e10), "ten");
  check(lr_ls_is_whole(P, 7.0009) && lr_ls_is_whole(P, 6.9991), "rounding");
  check(!lr_ls_is_whole(P, 7.0011) && !lr_ls_is_whole(P, 7.5), "a fraction");
  check(!lr_ls_is_whole(P, NAN), "NaN");
}

TEST(
    "rounding is the first estimate of the noise, which is measured again "
    "later")
{
  check_near(lr_ls_rounding_noise(P, 2), 2e-15, 1e-12, "assumed");
  check_near(lr_ls_rounding_most(P, 2), 2e-14, 1e-12, "at most");
  check_near(lr_ls_least_curvature(P, 3), 3e-10, 1e-12, "curvature");
  check(lr_ls_listens_again(P, 1, 0, 1), "never yet");
  check(lr_ls_listens_again(P, 9, 2, -1), "nine steps, last after two");
  check(!lr_ls_listens_again(P, 7, 2, -1), "seven steps");
  check(!lr_ls_listens_again(P, 9, 2, 0.1), "f fell");
}

TEST("a decrease of rounding or of noise is none")
{
  check_near(lr_ls_little(P, 1, 3, 0), 1e-10, 1e-12, "rounding");
  check_near(lr_ls_little(P, 1, 3, 1e-3), 1.2e-5, 1e-12, "noise");
}

TEST("columns tell the size of others, and what is known at the start")
{
  check_int(lr_ls_size_columns(P), 5, "the last five");
  check_int(lr_ls_gains_kept(P), 3, "gains of the last three");
  lr_policy odd = *P;
  odd.ls_gains = 1e9;
  check_int(lr_ls_gains_kept(&odd), LR_LS_GAINS_ROOM,
            "as many as there is room");
  odd.ls_gains = 0;
  check_int(lr_ls_gains_kept(&odd), 1, "one at least");
  check(lr_ls_gives_up_growing(P, 3) && !lr_ls_gives_up_growing(P, 2), "three");
  check(lr_ls_joint_far(P, 1.1e-9, 1) && !lr_ls_joint_far(P, 0.9e-9, 1),
        "1e-9 of the reach");
  check_near(lr_ls_back(P, true), 1e-12, 1e-12, "measured at the start");
  check_near(lr_ls_back(P, false), 1e3, 1e-12, "measured elsewhere");
}

TEST("a certificate adds three deviations inside, two along a new direction")
{
  check_near(lr_ls_certify_margin(P, 0.5, 0.05, INFINITY), 1.5, 1e-15,
             "inside");
  check_near(lr_ls_certify_margin(P, 1, 1e-4, INFINITY), 3.8906, 1e-4,
             "more of them where fewer errors are allowed");
  check_near(lr_ls_probe_margin(P, 0.5), 1, 1e-15, "along a direction");
}

TEST(
    "where noise is estimated a certificate's margin is by Student's "
    "distribution")
{
  check_near(lr_ls_certify_margin(P, 1, 0.001, 4), 8.61, 0.05, "of 4 numbers");
  check_near(lr_ls_certify_margin(P, 1, 0.001, 20), 3.85, 0.002, "of 20");
}

TEST("differences are too long where F bends twice as much as believed")
{
  check(lr_ls_bends_more(P, 2.1, 1) && !lr_ls_bends_more(P, 1.9, 1), "twice");
}

TEST("a tenth of what probes show is enough to look outside the subspace")
{
  check(lr_ls_blames_outside(P, 0.11, 1) && !lr_ls_blames_outside(P, 0.09, 1),
        "a tenth");
}

TEST("a deviation of which a quarter is left on half of a line is noise")
{
  check(lr_ls_is_rough(P, 1, 0.26) && !lr_ls_is_rough(P, 1, 0.24), "a quarter");
}

TEST("a step tries forty active sets, and fifty weights that promise more")
{
  check(lr_ls_tries_active_set(P, 39) && !lr_ls_tries_active_set(P, 40),
        "active sets");
  check(lr_ls_reweighs(P, 49) && !lr_ls_reweighs(P, 50), "weights");
  check(lr_ls_weights_help(P, 1 + 1.1e-6, 1), "more by 1.1e-6");
  check(!lr_ls_weights_help(P, 1 + 0.9e-6, 1), "more by 0.9e-6");
}

TEST("the damping is known to a hundredth, and in bounds to a factor of two")
{
  check(lr_ls_damping_found(P, 1, 1.009) && !lr_ls_damping_found(P, 1, 1.011),
        "without bounds");
  check(lr_ls_box_damping_found(P, 1, 1.9), "in bounds, 1.9 times");
  check(!lr_ls_box_damping_found(P, 1, 2.1), "in bounds, 2.1 times");
}

TEST("a singular value is significant by its size or by its certainty")
{
  check(lr_ls_is_significant(P, 1.1e-6, 1, 1), "large, whatever is known");
  check(!lr_ls_is_significant(P, 0.9e-6, 1, 1), "small and uncertain");
  check(lr_ls_is_significant(P, 1.01e-7, 1, 1e-16),
        "small, and known to be so");
  check(!lr_ls_is_significant(P, 0.99e-7, 1, 1e-16), "below ten deviations");
}

TEST("steps with a small predicted decrease leave the null space alone")
{
  check(lr_ls_confines(P, 0.9e-2, 1), "less than a hundredth of f");
  check(!lr_ls_confines(P, 1.1e-2, 1), "more");
}

TEST("a step counts as a decrease where f falls by more than rounding")
{
  check(lr_ls_succeeds(P, 1.1e-3, 1, 0) && !lr_ls_succeeds(P, 0.9e-3, 1, 0),
        "a thousandth");
  check(!lr_ls_succeeds(P, -1, -1, 0) && !lr_ls_succeeds(P, NAN, NAN, 0),
        "none");
  check(lr_ls_fell(P, 1, 1 - 1.1e-10, 0) && !lr_ls_fell(P, 1, 1 - 0.9e-10, 0),
        "by more than a decrease that is none");
}

TEST("under noise f must decrease by more than its standard deviation")
{
  check(lr_ls_succeeds(P, 1, 1.1e-3, 1e-3), "more");
  check(!lr_ls_succeeds(P, 1, 0.9e-3, 1e-3), "less");
  check(lr_ls_fell(P, 1, 1 - 1.1e-3, 1e-3), "f too");
  check(!lr_ls_fell(P, 1, 1 - 0.9e-3, 1e-3), "f too");
}
