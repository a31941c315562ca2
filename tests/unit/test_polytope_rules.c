/* Decisions where A x = b holds within bounds: cases on both sides of each
 * number of the policy, and the BFGS model that they serve. */
#include "base/memory.h"
#include "base/vector.h"
#include "check.h"
#include "polytope/polytope_rules.h"
#include "polytope/secant.h"

#define P lr_policy_current()

TEST("the model keeps forty pairs, or as many as there are dimensions")
{
  check_int((long)lr_polytope_pairs(P, 7), 7, "7 dimensions");
  check_int((long)lr_polytope_pairs(P, 1000), 40, "1,000 dimensions");
}

TEST("a gradient change below four times its error is no curvature")
{
  check(!lr_polytope_learns(P, 3.9, 1), "3.9");
  check(lr_polytope_learns(P, 4.1, 1), "4.1");
}

TEST("damping raises s'y to a fifth of s'Bs")
{
  static const double seen[] = {-3, 0, 0.19, 0.21, 5};
  for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
    double keep = lr_polytope_damping(P, 1, seen[i]);
    double damped = keep * seen[i] + (1 - keep);
    check_near(damped, seen[i] < 0.2 ? 0.2 : seen[i], 1e-15, "s'y = %g",
               seen[i]);
  }
}

TEST("the first pair changes the scale a thousandfold at most")
{
  check_near(lr_polytope_scale(P, 2, 6, 2), 3, 1e-15, "to 3");
  check_near(lr_polytope_scale(P, 2, 1e4, 1), 2000, 1e-12, "up");
  check_near(lr_polytope_scale(P, 2, 1e-4, 1), 0.002, 1e-18, "down");
}

TEST("conjugate gradients on a face end by their residual or their number")
{
  check_int((long)lr_polytope_cg_steps(P, 1000), 60, "1,000 dimensions");
  check_int((long)lr_polytope_cg_steps(P, 7), 7, "7 dimensions");
  check(lr_polytope_cg_goes_on(P, 1.1e-10, 1), "above 1e-5");
  check(!lr_polytope_cg_goes_on(P, 0.9e-10, 1), "below 1e-5");
}

TEST("the model is minimised on thirty faces, to 1e-4 of its first gradient")
{
  check(lr_polytope_visits(P, 29, 1, 1), "29 faces");
  check(!lr_polytope_visits(P, 30, 1, 1), "30 faces");
  check(lr_polytope_visits(P, 1, 1.1e-4, 1), "1.1e-4");
  check(!lr_polytope_visits(P, 1, 0.9e-4, 1), "0.9e-4");
}

TEST(
    "a step with a visible predicted decrease must decrease f, others must "
    "not increase it")
{
  check(lr_polytope_accepts(P, 1, 1, -7.9, 1, 1.9), "invisible, no higher");
  check(!lr_polytope_accepts(P, 1, 1, -7.9, 1, 2.1), "invisible, and higher");
  check(!lr_polytope_accepts(P, 1, 1, -8.1, 1, 1.9), "visible, and higher");
  check(lr_polytope_accepts(P, 1, 2, -5, 0, 1 - 1.1e-3), "1.1e-4 of the slope");
  check(!lr_polytope_accepts(P, 1, 2, -5, 0, 1 - 0.9e-3),
        "0.9e-4 of the slope");
  check(!lr_polytope_accepts(P, 1, 2, -5, 1, NAN), "no value");
}

TEST("the gradient of a degenerate point is measured farther and farther away")
{
  static const double shares[] = {1e-6,    8e-6,     6.4e-5,
                                  5.12e-4, 4.096e-3, 3.2768e-2};
  double share = 0;
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
    check(lr_polytope_next_share(P, &share), "a distance %zu", i);
    check_near(share, shares[i], 1e-15, "distance %zu", i);
  }
  check(!lr_polytope_next_share(P, &share), "0.26 is beyond an eighth");
  share = 0.12 / 8;
  check(lr_polytope_next_share(P, &share), "0.12 is not");
  check_int((long)lr_polytope_interior(P), 8, "points for the interior one");
}

TEST("coordinates with entries above 1e-6 can be solved for")
{
  check(!lr_polytope_pivots(P, 0.9e-6), "0.9e-6");
  check(lr_polytope_pivots(P, 1.1e-6), "1.1e-6");
}

TEST("a random direction leads to a tenth of the size of x")
{
  check_near(lr_polytope_far(P, 2), 0.2, 1e-15, "size 2");
}

TEST("the search on the dual ends at a tenth of its first slope")
{
  check_int(lr_polytope_dual(P, 0.11, 1), 1, "rises");
  check_int(lr_polytope_dual(P, 0.09, 1), 0, "flat");
  check_int(lr_polytope_dual(P, -0.09, 1), 0, "flat, beyond");
  check_int(lr_polytope_dual(P, -0.11, 1), -1, "falls");
}

/* B s for the last pair. */
static double secant_gap(lr_secant *B, const double *s, const double *y)
{
  double out[3], gap = 0;
  lr_secant_times(B, s, out);
  for (int i = 0; i < 3; i++) gap = fmax(gap, fabs(out[i] - y[i]));
  return gap;
}

TEST("the model meets the secant equation of its last pair")
{
  static const double pairs[][2][3] = {
      {{1, 0, 0}, {3, 1, 0}  },
      {{0, 1, 1}, {1, 2, 1}  },
      {{1, 1, 0}, {4, 3, 0.5}},
      {{0, 0, 2}, {0, 1, 5}  },
  };
  lr_secant B;
  check(lr_secant_init(&B, 3, 2, P, &lr_malloc) == LRGD_OK, "memory");
  lr_secant_forget(&B, 1);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    double y[3];
    memcpy(y, pairs[i][1], sizeof y);
    lr_secant_learn(&B, pairs[i][0], y);
    check(secant_gap(&B, pairs[i][0], y) < 1e-14, "pair %zu", i);
  }
  lr_secant_clear(&B);
}

TEST("the model stays convex where f is not")
{
  double s[3] = {1, 2, 0}, y[3] = {-4, -1, 0}, out[3];
  lr_secant B;
  check(lr_secant_init(&B, 3, 2, P, &lr_malloc) == LRGD_OK, "memory");
  lr_secant_forget(&B, 2);
  lr_secant_learn(&B, s, y);
  lr_secant_times(&B, s, out);
  check_near(lr_dot(3, s, out), 2, 1e-14, "a fifth of s'Bs = 10");
  lr_secant_clear(&B);
}

TEST("a row depends on others to 1e-10, and contradicts them beyond 1e-8")
{
  check(lr_polytope_depends(P, 0.9e-10, 1), "0.9e-10");
  check(!lr_polytope_depends(P, -1.1e-10, 1), "1.1e-10");
  check(!lr_polytope_contradicts(P, -0.9e-8, 1), "0.9e-8");
  check(lr_polytope_contradicts(P, -1.1e-8, 1), "1.1e-8");
  check(!lr_polytope_infeasible(P, 0.9e-9, 1), "0.9e-9");
  check(lr_polytope_infeasible(P, 1.1e-9, 1), "1.1e-9");
}
