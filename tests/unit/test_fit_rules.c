/* Which evaluations a fit uses, and what of it is certain: cases on both sides
 * of each number of the policy. */
#include "check.h"
#include "learn/fit_rules.h"
#include "learn/regression.h"

#define P lr_policy_current()

TEST("a fit has at most 200 dimensions and 500 derivatives, and three at least")
{
  check_int(lr_fit_dimensions(P, 199), 199, "of 199");
  check_int(lr_fit_dimensions(P, 1000), 200, "of 1000");
  check_int(lr_fit_most_data(P), 500, "derivatives");
  check(!lr_fit_has_data(P, 2) && lr_fit_has_data(P, 3), "two and three");
}

TEST("finite differences are steps between 1e-9 and 1e-3")
{
  check(!lr_fit_is_difference(P, 0.9e-9, 0), "0.9e-9");
  check(lr_fit_is_difference(P, 1.1e-9, 0), "1.1e-9");
  check(lr_fit_is_difference(P, 0.9e-3, 0), "0.9e-3");
  check(!lr_fit_is_difference(P, 1.1e-3, 0), "1.1e-3");
  check(lr_fit_is_difference(P, 1.1e-3, -1), "1.1e-3 where |x| is one");
  check(lr_fit_is_dense_difference(P, 0.9e-3, 0), "0.9e-3, dense");
  check(!lr_fit_is_dense_difference(P, 1.1e-3, 0), "1.1e-3, dense");
}

TEST("differences along half of the inputs are a gradient")
{
  check(!lr_fit_is_gradient(P, 49, 100) && lr_fit_is_gradient(P, 50, 100),
        "49 and 50 of 100");
  check(!lr_fit_is_gradient(P, 1, 3) && lr_fit_is_gradient(P, 2, 3),
        "one and two of three");
}

TEST("one-sided differences are off by a millionth")
{
  check_near(lr_fit_difference_error(P, -3), 3e-6, 1e-15, "of 3");
}

TEST("directions enlarge the subspace by a hundredth, and lie in it by 0.99")
{
  check(!lr_fit_is_new(P, 0.009, 1) && lr_fit_is_new(P, 0.011, 1),
        "0.009 and 0.011 outside");
  check(!lr_fit_lies_inside(P, 0.985) && lr_fit_lies_inside(P, 0.992),
        "0.985 and 0.992 inside");
}

TEST("a step that lies in the span of gradients by 0.9 was quasi-Newton's")
{
  check(!lr_fit_is_newton(P, 0.88) && lr_fit_is_newton(P, 0.92),
        "0.88 and 0.92 of it");
}

TEST("curvatures are kept above rounding, and where they are certain")
{
  check(!lr_fit_above_rounding(P, 0.9e-6, 1), "0.9e-6 of the largest");
  check(lr_fit_above_rounding(P, -1.1e-6, 1), "1.1e-6 of the largest");
  check(!lr_fit_is_certain(P, 1.9, 1), "1.9 standard deviations");
  check(lr_fit_is_certain(P, -2.1, 1), "2.1 standard deviations");
  check_near(lr_fit_most_deviation(P, -5), 1, 1e-15, "along random directions");
}

TEST("new directions at a twentieth of the last evaluations show an embedding")
{
  check_int(lr_fit_window(P, 101), 151 + 30, "of 101 inputs");
  check(!lr_fit_is_embedding(P, 5, 100), "five of a hundred");
  check(lr_fit_is_embedding(P, 6, 100), "six of a hundred");
}

TEST("new directions at every third evaluation show an embedding in a box")
{
  check(!lr_fit_is_folded(P, 29, 100), "29 of a hundred");
  check(lr_fit_is_folded(P, 31, 100), "31 of a hundred");
}

TEST("a derivative a thousand times what is predicted is an outlier")
{
  check(!lr_fit_is_outlier(P, 900, 1), "900 times");
  check(lr_fit_is_outlier(P, 1100, 1), "1100 times");
  check(!lr_fit_is_outlier(P, 1100, INFINITY), "nothing is predicted");
}

TEST("gradients at sample points make a model, up to 20 of them")
{
  check_int(lr_fit_most_samples(P, 12), 12, "of 12 inputs");
  check_int(lr_fit_most_samples(P, 100), 20, "of 100");
  check(lr_fit_pairs_agree(P, 0.04) && !lr_fit_pairs_agree(P, 0.06),
        "differences are columns of the Hessian up to an error of 0.05");
}

TEST("a descent after the samples is gone on with from a tenth of the decrease")
{
  check(!lr_fit_descended(P, 100, 8, 0), "8 of 100 after the samples");
  check(lr_fit_descended(P, 100, 12, 0), "12 of 100");
  check(!lr_fit_descended(P, 5, 5, 5), "none");
}

TEST("an embedding continues from samples while q squared is at most p")
{
  check(lr_fit_embeds(P, 9, 99) && !lr_fit_embeds(P, 11, 99), "9 and 11 of 99");
}

TEST("priors are tried on a grid of powers of ten")
{
  int n = 0;
  lr_prior at = {0}, first = {0}, second = {0}, last = {0};
  while (lr_prior_next(P, &at)) {
    if (n == 0) first = at;
    if (n == 1) second = at;
    last = at;
    n++;
  }
  check_int(n, 5 * 6, "priors");
  check_near(first.slope, 1e-4, 1e-15, "the smallest gradient");
  check(first.bend == 0, "a quadratic first");
  check_near(second.bend, 1e-3, 1e-15, "the smallest deviation");
  check(last.slope == 1 && last.bend == 10, "%g, %g", last.slope, last.bend);
}

TEST("data are accurate to a thousandth, and those of a quadratic to 1e-8")
{
  check_near(lr_regression_accuracy(P, 1e-3), 1e-3, 1e-15, "not a quadratic");
  check_near(lr_regression_accuracy(P, 0), 1e-8, 1e-15, "a quadratic");
}

TEST(
    "two answers of one function agree to 1e-9, 1e-12 of the descent, 10 noise")
{
  check_near(lr_fit_agreement(P, -2, 0, 0), 2e-9, 1e-22, "of f");
  check_near(lr_fit_agreement(P, 0, 3, 0), 3e-12, 1e-25, "of the descent");
  check_near(lr_fit_agreement(P, 1, 0, 0.5), 5, 1e-12, "of the noise");
}

TEST("a difference of a hundredth of what was gained may be noise")
{
  check(lr_fit_may_be_noise(P, -0.009, 1), "0.009");
  check(!lr_fit_may_be_noise(P, 0.011, 1), "0.011");
  check(!lr_fit_may_be_noise(P, NAN, 1), "no number");
}
