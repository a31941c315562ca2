/* Losses of residuals: their values, and weights that are their derivatives. */
#include "base/loss.h"

#include "check.h"

static const lrgd_loss kinds[] = {LRGD_LOSS_LINEAR, LRGD_LOSS_HUBER,
                                  LRGD_LOSS_SOFT_L1, LRGD_LOSS_CAUCHY,
                                  LRGD_LOSS_ARCTAN};

static double cost(lrgd_loss kind, double scale, double r)
{
  lr_loss loss = {kind, scale};
  return lr_loss_cost(&loss, 1, &r);
}

TEST("costs are as SciPy defines them")
{
  double s = 9 / 0.25; /* (3 / 0.5)^2 */
  check_near(cost(LRGD_LOSS_LINEAR, 0.5, 3), 4.5, 1e-15, "linear");
  check_near(cost(LRGD_LOSS_HUBER, 0.5, 3), 0.125 * (2 * sqrt(s) - 1), 1e-15,
             "huber");
  check_near(cost(LRGD_LOSS_SOFT_L1, 0.5, 3), 0.25 * (sqrt(1 + s) - 1), 1e-14,
             "soft_l1");
  check_near(cost(LRGD_LOSS_CAUCHY, 0.5, 3), 0.125 * log1p(s), 1e-15, "cauchy");
  check_near(cost(LRGD_LOSS_ARCTAN, 0.5, 3), 0.125 * atan(s), 1e-15, "arctan");
}

TEST("small residuals count by their squares, whatever the loss")
{
  for (size_t i = 0; i < 5; i++)
    check_near(cost(kinds[i], 2, 1e-4), 0.5e-8, 1e-7, "loss %zu", i);
}

TEST("a weight times its residual is the derivative of the cost")
{
  static const double at[] = {-40, -2.5, -0.3, 0, 0.7, 1.9, 2.1, 1e3};
  for (size_t i = 0; i < 5; i++)
    for (size_t j = 0; j < 8; j++) {
      lr_loss loss = {kinds[i], 2};
      double r = at[j], h = 1e-5 * fmax(1, fabs(r));
      double slope =
          (cost(kinds[i], 2, r + h) - cost(kinds[i], 2, r - h)) / (2 * h);
      check_within(lr_loss_weight(&loss, r) * r, slope, 1e-6 + 1e-6 * fabs(r),
                   "loss %zu at %g", i, r);
    }
}

TEST("the weighted square is nowhere below the loss: steps cannot overshoot")
{
  for (size_t i = 0; i < 5; i++)
    for (double r = -5; r <= 5; r += 0.25)
      for (double y = -9; y <= 9; y += 0.25) {
        lr_loss loss = {kinds[i], 1.5};
        double bound = cost(kinds[i], 1.5, r) +
                       0.5 * lr_loss_weight(&loss, r) * (y * y - r * r);
        check(bound >= cost(kinds[i], 1.5, y) - 1e-12, "loss %zu, %g from %g",
              i, y, r);
      }
}
