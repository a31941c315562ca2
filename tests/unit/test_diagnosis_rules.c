/* Decisions of a diagnosis: cases on both sides of each number of the policy.
 */
#include "analysis/diagnosis_rules.h"
#include "check.h"

#define P lr_policy_current()

TEST("many gradients are sampled in few dimensions, 64 in many")
{
  check_int(lr_diagnosis_gradients(P, 2), 200, "of 2 inputs");
  check_int(lr_diagnosis_gradients(P, 16), 100, "of 16 inputs");
  check_int(lr_diagnosis_gradients(P, 40), 40, "of 40 inputs");
  check_int(lr_diagnosis_gradients(P, 45), 35, "of 45 inputs");
  check_int(lr_diagnosis_gradients(P, 100), 50, "of 100 inputs");
  check_int(lr_diagnosis_gradients(P, 1000), 64, "of 1000 inputs");
}

TEST("a plan announces samples, held-out points, curvatures and trial runs")
{
  check_int(lr_diagnosis_held_out(P), 100, "held out");
  check_int(lr_diagnosis_sampling(P, 10, 5), 10 * 7 + 32, "sampling");
  check_int(lr_diagnosis_curvatures(P), 450, "curvatures");
  check(!lr_diagnosis_many_inputs(P, 100), "100 inputs are few");
  check(lr_diagnosis_many_inputs(P, 101), "101 inputs are many");
  check_int(lr_diagnosis_trials(P, 100), 6, "times the sampling");
  check_int(lr_diagnosis_trials(P, 101), 4, "times, with many inputs");
  check_int(lr_diagnosis_trials_after(P, 100, 5), 60, "after five samples");
  check_int(lr_diagnosis_trials_after(P, 100, 11), 66, "after eleven");
  check_int(lr_diagnosis_trials_after(P, 200, 5), 20, "with many inputs");
  check_int(lr_diagnosis_trials_given(P, 7), 350, "with gradients");
  check_int(lr_diagnosis_trials_late(P, 9), 3, "after nine samples");
  check_int(lr_diagnosis_exact(P, 101), 5, "gradients a direction");
  check_int(lr_diagnosis_exact(P, 100), 0, "no limit with few inputs");
}

TEST("a rank is low up to half of the inputs")
{
  check_int(lr_diagnosis_low(P, 11), 5, "of eleven");
}

TEST("59 held-out points are many")
{
  check(!lr_diagnosis_many_points(P, 58), "58");
  check(lr_diagnosis_many_points(P, 59), "59");
}

TEST("errors of 0.6 of a gradient hide its rank, and of 0.01 its exactness")
{
  check(!lr_diagnosis_drowned(P, 0.59) && lr_diagnosis_drowned(P, 0.61),
        "0.59 and 0.61");
  check(lr_diagnosis_is_sharp(P, 0.009) && !lr_diagnosis_is_sharp(P, 0.011),
        "0.009 and 0.011");
}

TEST("an approximate rank holds 99 % of the energy, up to a gap of 100")
{
  check_near(lr_diagnosis_energy(P), 0.99, 1e-15, "energy");
  check_near(lr_diagnosis_gap(P), 100, 1e-12, "gap");
}

TEST("values that differ by less than 1e-8 are rounded")
{
  check(lr_diagnosis_rounded(P, 1, 1 + 0.9e-8), "0.9e-8");
  check(!lr_diagnosis_rounded(P, 1, 1 + 1.1e-8), "1.1e-8");
  check(!lr_diagnosis_rounded(P, 1, 1), "equal ones are constant");
}

TEST("noise matters from thirty rounding errors on")
{
  check(!lr_diagnosis_noise_matters(P, 29, 1), "29");
  check(lr_diagnosis_noise_matters(P, 31, 1), "31");
}

TEST(
    "a gradient lies in the subspace within three errors, and those of the "
    "basis")
{
  check(lr_diagnosis_inside(P, 2.9, 1, 0), "2.9 errors");
  check(!lr_diagnosis_inside(P, 3.1, 1, 0), "3.1 errors");
  check(lr_diagnosis_inside(P, 3.1, 1, 0.2), "3.1, of which 0.2 are lost");
  check_near(lr_diagnosis_leak(P, 0), 1e-3, 1e-16, "lost at most");
  check_near(lr_diagnosis_leak(P, 0.1), 0.2, 1e-15, "of worse gradients");
}

TEST("truncation may be five errors, and a thousandth at most")
{
  check_near(lr_diagnosis_allowed(P, 1e-5), 5e-5, 1e-18, "of 1e-5");
  check_near(lr_diagnosis_allowed(P, 5e-4), 1e-3, 1e-16, "of 5e-4");
  check_near(lr_diagnosis_allowed(P, 0.1), 0.1, 1e-15, "of 0.1");
}

static bool shown(size_t looks, size_t faint, size_t plain)
{
  return lr_diagnosis_shows(
      P, &(lr_sightings){.looks = looks, .faint = faint, .plain = plain});
}

TEST("a direction is shown by one component of five errors, or by many")
{
  lr_sightings seen = {0};
  lr_diagnosis_sight(P, &seen, 4.9, 0.5, 1);
  check_int(seen.clear, 0, "4.9 errors");
  check(seen.plain == 1 && seen.faint == 1 && seen.looks == 1, "one of one");
  lr_diagnosis_sight(P, &seen, 5.1, 0.5, 1);
  check_int(seen.clear, 1, "5.1 errors");
  check(lr_diagnosis_shows(P, &seen), "one is enough");
  check(!shown(100, 3, 3) && shown(100, 4, 4), "three and four of a hundred");
  check(!shown(100, 20, 0) && shown(100, 21, 0), "20 and 21 weak ones");
  check_near(lr_diagnosis_faint(P), 1e-3, 1e-16, "of a sample");
}

TEST("gradients are off by 3e-6 by differences, by 1e-9 where they are given")
{
  check_near(lr_diagnosis_least_error(P, true), 3e-6, 1e-18, "differences");
  check_near(lr_diagnosis_least_error(P, false), 1e-9, 1e-21, "given");
  check_near(lr_diagnosis_expected(P, 2), 5, 1e-15, "of a derivative");
}

TEST("errors of directions explain three times their size, 0.01 at most")
{
  check_near(lr_diagnosis_explained(P, 1e-3), 3e-3, 1e-16, "of 1e-3");
  check_near(lr_diagnosis_explained(P, 1), 1e-2, 1e-15, "of 1");
}

TEST(
    "an approximate rank is looked for after 8 samples, of four times as many "
    "inputs")
{
  check(!lr_diagnosis_may_settle(P, 4, 100), "four samples");
  check(lr_diagnosis_may_settle(P, 8, 100), "eight samples");
  check(!lr_diagnosis_may_settle(P, 9, 100), "nine samples");
  check_int(lr_diagnosis_settled_rank(P, 12), 3, "of twelve samples");
  check(lr_diagnosis_may_settle(P, 12, 48), "12 samples of 48 inputs");
  check(!lr_diagnosis_may_settle(P, 12, 47), "12 samples of 47 inputs");
  check(lr_diagnosis_settles(P, 0.019) && !lr_diagnosis_settles(P, 0.021),
        "0.019 and 0.021 outside");
}

TEST("differences become central where truncation is 3e-3 of the gradient")
{
  check(!lr_diagnosis_goes_central(P, 2.9e-3, 9), "2.9e-3");
  check(lr_diagnosis_goes_central(P, 3.1e-3, 9), "3.1e-3");
  check(!lr_diagnosis_goes_central(P, 1, 4), "four gradients");
  check(lr_diagnosis_goes_central(P, 1, 5), "five gradients");
  check(!lr_diagnosis_goes_central(P, NAN, 9), "no number");
}

TEST("sampling is given up after 60 failures, and six more for each sample")
{
  check(!lr_diagnosis_hopeless(P, 60, 0), "60");
  check(lr_diagnosis_hopeless(P, 61, 0), "61");
  check(!lr_diagnosis_hopeless(P, 120, 10), "120 of ten samples");
  check(lr_diagnosis_hopeless(P, 121, 10), "121 of ten samples");
}

TEST("a run stands still after ten iterations, of twelve and more")
{
  check(!lr_diagnosis_stands(P, 11, 10, 0), "of eleven");
  check(lr_diagnosis_stands(P, 12, 10, 0), "of twelve");
  check(!lr_diagnosis_stands(P, 99, 9, 0), "nine");
  check(!lr_diagnosis_stands(P, 99, 20, 10), "twice the longest pause");
  check(lr_diagnosis_stands(P, 99, 21, 10), "more than twice");
}

TEST("gradient descent is estimated from eight iterations on")
{
  check(lr_diagnosis_tells_cost(P, 8), "eight");
  check(!lr_diagnosis_tells_cost(P, 7.9) && !lr_diagnosis_tells_cost(P, NAN),
        "fewer, or none known");
}

TEST("the tilted function of the lemma is minimised to 1e-5 of its slope")
{
  check_near(lr_diagnosis_lemma_accuracy(P, false), 1e-5, 0, "full rank");
  check_near(lr_diagnosis_lemma_accuracy(P, true), 1e-3, 0, "low rank");
}

TEST("trial runs cost alike within a factor of 1.5")
{
  check(lr_diagnosis_alike(P, 100, 149) && lr_diagnosis_alike(P, 149, 100),
        "149 for 100");
  check(!lr_diagnosis_alike(P, 100, 151) && !lr_diagnosis_alike(P, 151, 100),
        "151 for 100");
}

TEST("rounding hides gradients of 1.5 times the tolerance")
{
  check(!lr_diagnosis_hides(P, 1.4) && lr_diagnosis_hides(P, 1.6),
        "1.4 and 1.6");
}

TEST("differences that err by half the tolerance keep a run from its end")
{
  check(!lr_diagnosis_differences_hide(P, 0.45), "0.45");
  check(lr_diagnosis_differences_hide(P, 0.55), "0.55");
}

TEST("a trial run of 20 evaluations is long enough to tell a cost")
{
  check(lr_diagnosis_is_short(P, 19), "19");
  check(!lr_diagnosis_is_short(P, 20), "20");
}

TEST("a run on f costs at least half of a trial run on r variables")
{
  check(lr_diagnosis_floor(P, true) == 0.5, "reduced");
  check(lr_diagnosis_floor(P, false) == 1, "on f itself");
}

TEST("a quadratic tells values and gradients of f within a factor of 1.5")
{
  check(lr_diagnosis_tells(P, 1.4, 1) && lr_diagnosis_tells(P, 1, 1.4), "1.4");
  check(!lr_diagnosis_tells(P, 1.6, 1) && !lr_diagnosis_tells(P, 1, 1.6),
        "1.6");
  check(!lr_diagnosis_resolves(P, 0.9e-6, 1, 0), "a curvature of 0.9e-6");
  check(lr_diagnosis_resolves(P, 1.1e-6, 1, 0), "a curvature of 1.1e-6");
  check(!lr_diagnosis_resolves(P, 1.9, 10, 1), "1.9 errors");
  check(lr_diagnosis_resolves(P, 2.1, 10, 1), "2.1 errors");
}

TEST("half of the tolerance outside the subspace does not matter")
{
  check(lr_diagnosis_negligible(P, 0.49, 1), "0.49");
  check(!lr_diagnosis_negligible(P, 0.51, 1), "0.51");
}

TEST("known difference steps are as long as ours within a factor of two")
{
  check(lr_diagnosis_same_step(P, 1.9, 1), "1.9");
  check(!lr_diagnosis_same_step(P, -2.1, 1), "2.1");
  check(lr_diagnosis_same_step(P, -0.51, 1), "0.51");
  check(!lr_diagnosis_same_step(P, 0.49, 1), "0.49");
}

/* ---- measurements ---- */

TEST("curvatures are differenced over a thousandth of the size of x")
{
  check_near(lr_diagnosis_curvature_step(P, 2), 2e-3, 1e-12, "step");
  check_near(lr_diagnosis_curvature_seen(P, 1e-6, 1, 1e-3), 4e-3, 1e-12,
             "by the error of a derivative");
  check_near(lr_diagnosis_curvature_seen(P, 0, 1, 1e-3), 4e-7, 1e-12,
             "by the least error");
  check_int(lr_diagnosis_curvature_rank(P), 20, "directions");
  check_int(lr_diagnosis_mu_directions(P), 4, "directions outside, for mu");
}

TEST("a local rank is studied where it costs a quarter of what is left")
{
  check(lr_diagnosis_affords_local(P, 25, 100), "25 of 100");
  check(!lr_diagnosis_affords_local(P, 26, 100), "26 of 100");
  check_int(lr_diagnosis_lanczos_steps(P, 3), 16, "steps of Lanczos");
}

TEST("descent is estimated on quadratics in up to 40 variables")
{
  check(lr_diagnosis_estimates(P, 40) && !lr_diagnosis_estimates(P, 41),
        "40 and 41");
  check(lr_diagnosis_estimates_by_values(P, 12) &&
            !lr_diagnosis_estimates_by_values(P, 13),
        "12 and 13 by finite differences");
  check_int(lr_diagnosis_estimate_longest(P), 400000, "iterations");
}

TEST("outside the subspace f is differenced over a hundredth of the size of x")
{
  check_near(lr_diagnosis_outside_step(P, 3), 0.03, 1e-12, "step");
  check(!lr_diagnosis_has_room(P, 0.9e-6, 1), "no room");
  check(lr_diagnosis_has_room(P, 1.1e-6, 1), "room");
  check_near(lr_diagnosis_outside_error(P, 2, 1), 3, 1e-12, "noise");
  check_near(lr_diagnosis_outside_error(P, 4, 1), 4, 1e-12, "rounding");
  check_int(lr_diagnosis_outside_probes(P), 8, "probes");
}

TEST(
    "a sample is tried at six points, and twelve samples in a row without a "
    "new direction are enough")
{
  check(lr_diagnosis_tries(P, 5) && !lr_diagnosis_tries(P, 6), "six points");
  check_int(lr_diagnosis_patience(P, 3), 18, "samples, with three directions");
  check_near(lr_diagnosis_bend_step(P, 0.5), 5, 1e-12, "ten steps");
  check_int(lr_diagnosis_bootstrap(P), 200, "samples of the bootstrap");
}

TEST("where f has no value, three points are tried for each held-out point")
{
  check(lr_diagnosis_holds_out(P, 29, 10), "29 for ten");
  check(!lr_diagnosis_holds_out(P, 30, 10), "30 for ten");
  check_near(lr_diagnosis_probe_error(P), 1e-3, 1e-12, "of a probe");
  check_int(lr_diagnosis_invariance_points(P), 8, "points for invariance");
  const double sorted[] = {1, 2, 3, 4};
  check(lr_diagnosis_p95(sorted, 4) == 4, "the last of four");
}

TEST("trial runs are made on f itself with up to 40 inputs")
{
  check(lr_diagnosis_runs_whole(P, 40) && !lr_diagnosis_runs_whole(P, 41),
        "40 and 41");
  check_near(lr_diagnosis_fine(P), 0.01, 1e-12, "of a closer approximation");
}

TEST("the minimum of a tilted f is found to a thousandth, in 40 steps")
{
  check_near(lr_proposition_accuracy(P, 2), 2e-3, 1e-12, "accuracy");
  check(lr_proposition_goes_on(P, 39) && !lr_proposition_goes_on(P, 40),
        "39 and 40 steps");
  check_near(lr_proposition_less(P, 3), 0.3, 1e-12, "a tenth of a tilt");
  check_near(lr_proposition_more(P, 3), 12, 1e-12, "four times a tilt");
  check_near(lr_proposition_near(P, 2), 0.1, 1e-12, "near the minimum");
}

TEST("the lemma is tried at a tenth of the decrease, and by the cosine 0.999")
{
  check_near(lr_proposition_level(P, 5, 9), 0.5, 1e-12, "of a decrease");
  check_near(lr_proposition_level(P, 0, -9), 0.09, 1e-12, "from a minimum");
  check(!lr_proposition_is_aligned(P, 0.9989), "0.9989");
  check(lr_proposition_is_aligned(P, 0.9991), "0.9991");
  check(!lr_proposition_is_outside(P, 0.89), "a share of 0.89");
  check(lr_proposition_is_outside(P, 0.91), "a share of 0.91");
  check_int(lr_proposition_held_out(P), 20, "points held out");
}

TEST("theorems are held to a thousandth of what is ahead")
{
  check_near(lr_diagnosis_accuracy(P, 5), 5e-3, 1e-12, "of 5");
}

TEST("a gradient is compared along four directions, to a thousandth")
{
  check_int(lr_diagnosis_check_directions(P), 4, "directions");
  check(!lr_diagnosis_differs(P, 1, 1 - 0.9e-3, 0), "0.9e-3");
  check(lr_diagnosis_differs(P, 1, 1 - 1.1e-3, 0), "1.1e-3");
  check(!lr_diagnosis_differs(P, 1, 1 - 1.1e-3, 1e-4), "within the error");
}

TEST("a slope may be off by three errors of a difference besides")
{
  check(!lr_diagnosis_differs(P, 1, 1 - 1e-3 - 2.9e-4, 1e-4), "2.9 errors");
  check(lr_diagnosis_differs(P, 1, 1 - 1e-3 - 3.1e-4, 1e-4), "3.1 errors");
  check_near(lr_diagnosis_check_shorter(P, 2), 0.5, 1e-15, "a shorter step");
}

TEST("two more samples than directions end the sampling")
{
  check_int(lr_diagnosis_clean(P), 2, "samples");
  check(lr_diagnosis_takes_known(P, 3, 8) && !lr_diagnosis_takes_known(P, 4, 8),
        "half of the gradients may be known ones");
}

TEST("Taylor's remainder is measured at four points along four directions")
{
  check_int(lr_diagnosis_local_rays(P), 4, "directions");
  check_int(lr_diagnosis_local_points(P), 4, "points");
  check_near(lr_diagnosis_local_distance(P, 3, 1), 0.3, 1e-15,
             "a tenth as far");
  check_near(lr_diagnosis_local_step(P, true, 2), 6e-3, 1e-15, "differences");
  check_near(lr_diagnosis_local_step(P, false, 2), 2e-5, 1e-15, "gradients");
}

TEST("a trial run takes half of what is left, and its twin twice its cost")
{
  check_int(lr_diagnosis_trial_longest(P), 4096, "iterations");
  check_int((int64_t)lr_diagnosis_trial_share(P, 7), 3, "of seven");
  check_int((int64_t)lr_diagnosis_twin_longest(P, 7), 14, "after seven");
}
