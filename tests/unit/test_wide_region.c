/* The trust region of a small dense model: what errors of its numbers hide. */
#include "base/memory.h"
#include "check.h"
#include "wide/region.h"

#include <lrgd/lrgd.h>

#include <math.h>

/* g'z + z'B z / 2 with curvatures 2 and c; the step within radius 10. */
static void step(double slope, double c, lr_region_errors errors, double *z)
{
  const double g[] = {1, slope}, B[] = {2, 0, 0, c};
  lr_region region;
  check(lr_region_init(&region, &lr_malloc, 2) == LRGD_OK, "memory");
  check(lr_region_set(&region, 2, g, B, 2, errors), "eigenvalues");
  (void)lr_region_step(&region, 10, z);
  lr_region_clear(&region);
}

TEST(
    "a curvature within its error is none, and a slope along it within its own")
{
  const lr_region_errors errors = {.curvature = 1e-3, .slope = 1e-2};
  double z[2];
  step(5e-3, 1e-4, errors, z);
  check_near(z[0], -0.5, 1e-12, "the Newton step");
  check_near(z[1], 0, 0, "no step along the other");
}

TEST(
    "a slope beyond its error is followed, though the curvature along it "
    "is not known")
{
  const lr_region_errors errors = {.curvature = 1e-3, .slope = 1e-2};
  double z[2];
  step(0.1, 1e-4, errors, z);
  check(z[1] < -1, "the step along it is %g", z[1]);
  check(hypot(z[0], z[1]) <= 10 * (1 + 1e-9), "within the radius");
}

TEST("the error of a slope grows with the largest curvature")
{
  const lr_region_errors errors = {.curvature = 1e-3, .slope_share = 0.1};
  double z[2];
  step(0.19, 1e-4, errors, z);
  check_near(z[1], 0, 0, "below a tenth of 2");
  step(0.21, 1e-4, errors, z);
  check(z[1] < -1, "above: %g", z[1]);
}
