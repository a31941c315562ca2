/* Lengths of finite differences, and which values they use: cases on both sides
 * of each number of the policy. */
#include "asked.h"
#include "base/rounding.h"
#include "oracle/difference_rules.h"

#define P lr_policy_current()

TEST("the longest difference depends on noise and on how far it is stretched")
{
  check_near(lr_difference_longest(P, false, 1), 1e-4, 1e-15, "no noise");
  check_near(lr_difference_longest(P, false, 4), 1e-4, 1e-15, "stretched");
  check_near(lr_difference_longest(P, true, 1), 0.1, 1e-15, "noise");
  check_near(lr_difference_longest(P, true, 4), 0.4, 1e-15, "and stretched");
  check_near(lr_difference_longest(P, true, 16), 0.5, 1e-15, "stretched more");
}

TEST("a one-sided step minimises the error by noise and curvature, in limits")
{
  check_near(lr_difference_one_sided(P, 1e-12, 1, 1, 1e-4), 2e-6, 1e-15,
             "2 sqrt(error / curvature)");
  check_near(lr_difference_one_sided(P, 1e-16, 1e9, 10, 1e-4), 1e-7, 1e-15,
             "no shorter than 1e-8 of x");
  check_near(lr_difference_one_sided(P, 1, 1, 10, 1e-4), 1e-3, 1e-15,
             "no longer than told");
}

TEST("a two-sided step minimises the error by noise and third derivative")
{
  check_near(lr_difference_two_sided(P, 9e-15, 1, 1, 1e-4), 3e-5, 1e-14,
             "the cube root of 3 error / derivative");
  check_near(lr_difference_two_sided(P, 1e-30, 1, 10, 1e-4), 1e-5, 1e-15,
             "no shorter than 1e-6 of x");
  check_near(lr_difference_two_sided(P, 1, 1, 10, 1e-4), 1e-2, 1e-15,
             "no longer than 1e-3 of x");
  check_near(lr_difference_two_sided(P, 1, 1, 1, 0.1), 0.1, 1e-15,
             "longer under noise");
}

TEST("a step resolves the tolerance where errors are a sixteenth of it")
{
  check_near(lr_difference_resolving(P, 1e-10, 8, 1e-3, false), 3.2e-6, 1e-14,
             "8 inputs");
  check_near(lr_difference_resolving(P, 1e-10, 8, 1e-3, true), 1.92e-5, 1e-14,
             "both steps on one side: six times as long");
}

/* The length of a difference where |x| is 1, |f| is 1 and f is off by 1e-12. */
static double step(bool two_sided, double tol, double c)
{
  asked a = prepared(2);
  double x[2] = {1, 1};
  a.options.differences =
      two_sided ? LRGD_DIFFERENCES_CENTRAL : LRGD_DIFFERENCES_FORWARD;
  ask(&a, x);
  lr_oracle_resolve(&a.oracle, &tol);
  lr_oracle_set_scale(&a.oracle, 1);
  lr_oracle_set_noise(&a.oracle, 1e-12);
  double h = lr_oracle_step(&a.oracle, 1, 1, c);
  dismiss(&a);
  return h;
}

TEST("steps are longer with a known curvature, and on both sides")
{
  check_near(step(false, 0, 0), 2e-6, 1e-14, "curvature guessed as one");
  check_near(step(false, 0, -4), 1e-6, 1e-14, "as four");
  check_near(step(false, 0, 4), 3e-6, 1e-14, "known: three times as long");
  check_near(step(true, 0, 4), 6e-6, 1e-14, "two-sided: six times as long");
  check_near(step(true, 1e-5, 4), 1.6e-6, 1e-14, "the tolerance needs less");
  check_near(step(true, 1, 4), 1e-8, 1e-14, "but no less than 1e-8 of x");
}

TEST("a box that leaves an eighth of a step cuts the direction")
{
  check(lr_difference_is_cut(P, -0.12, 1), "0.12 of it");
  check(!lr_difference_is_cut(P, 0.13, -1), "0.13 of it");
  check(!lr_difference_is_cut(P, 0.4, 1), "0.4 of it");
}

TEST("f jumps where it rises by its size and a thousand times its error")
{
  check_near(lr_difference_jump(P, 5, 1e-3), 5, 0, "its size at the start");
  check_near(lr_difference_jump(P, 5, 1e-2), 10, 1e-15, "its error");
}

TEST("a side of a difference jumps beside the other, or both do")
{
  static const struct {
    double ahead, back;
    bool ahead_jumps, back_jumps;
  } cases[] = {
      {0.9,  0.9,    false, false},
      {1100, 1,      true,  false},
      {900,  1,      false, false},
      {-1,   1100,   false, true },
      {-1,   900,    false, false},
      {1100, 1101.2, false, false},
      {1100, 1100.9, true,  true },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool ahead, back;
    lr_difference_jumps(P, cases[i].ahead, cases[i].back, 1, &ahead, &back);
    check(ahead == cases[i].ahead_jumps && back == cases[i].back_jumps,
          "%g ahead and %g back", cases[i].ahead, cases[i].back);
  }
}

TEST("a bound is active where its multiplier is over three errors")
{
  check(!lr_difference_is_active(P, 2.9, 1, 0), "2.9 errors by noise");
  check(lr_difference_is_active(P, -3.1, 1, 0), "3.1 errors by noise");
  check(!lr_difference_is_active(P, 2, 0, 5), "within the truncation error");
  check(lr_difference_is_active(P, 2, 0, 3), "beyond the truncation error");
  check(lr_difference_is_active(P, 2, 0, -3), "no truncation error");
}

/* Zero on the whole line up to 1e-3, as values of few digits are. */
static double rounded(size_t p, const double *x, void *user)
{
  (void)p;
  (void)user;
  return round(1e3 * (x[0] - 1)) + 5;
}

TEST("zero differences under noise are repeated four times as long, up to 64")
{
  check(lr_difference_stretches(P, 63), "not yet 64 times as long");
  check(!lr_difference_stretches(P, 64), "64 times as long");
  asked a = prepared(1);
  double x = 1, d[2];
  a.problem.value = rounded;
  ask(&a, &x);
  lr_oracle_set_noise(&a.oracle, 2e-9);
  column(a.U, 0)[0] = 1;
  check(slopes_into(&a, 1, d) == LR_GO, "a derivative");
  check_near(a.oracle.differences.stretch, 16, 0, "stretched twice");
  dismiss(&a);
}

TEST("a value is off by four roundings")
{
  check_near(lr_value_rounding(P, -2), 8 * DBL_EPSILON, 1e-12, "of -2");
}
