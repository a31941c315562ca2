/* Correlated random numbers: their covariance, and what they are functions of.
 */
#include "base/random_field.h"

#include "base/memory.h"
#include "check.h"

enum { POINTS = 5, DRAWS = 4000 };

/* Points of a plane, the last two in one place. */
static const double points[2 * POINTS] = {0, 0, 3, 0, 0, 4, 30, 40, 30, 40};

static lr_random_field make(double length)
{
  lr_random_field field;
  check(lr_random_field_init(&field, POINTS, 2, points, length, &lr_malloc) ==
            LRGD_OK,
        "memory");
  return field;
}

TEST("the covariance of two points is exponential in their distance")
{
  lr_random_field field = make(5);
  static double sum[POINTS][POINTS];
  for (uint64_t draw = 0; draw < DRAWS; draw++) {
    double z[POINTS];
    lr_random_field_draw(&field, 128, 7, draw, z);
    for (size_t i = 0; i < POINTS; i++)
      for (size_t j = 0; j < POINTS; j++) sum[i][j] += z[i] * z[j] / DRAWS;
  }
  for (size_t i = 0; i < POINTS; i++)
    for (size_t j = 0; j < POINTS; j++) {
      double distance = hypot(points[2 * i] - points[2 * j],
                              points[2 * i + 1] - points[2 * j + 1]);
      check_within(sum[i][j], exp(-distance / 5), 5 / sqrt(DRAWS),
                   "points %zu and %zu", i, j);
    }
  lr_random_field_clear(&field);
}

TEST("a draw is a function of seed and stream, and of the unit of nothing")
{
  lr_random_field field = make(5), twin = make(5);
  double z[POINTS], again[POINTS], other[POINTS];
  lr_random_field_draw(&field, 16, 3, 4, z);
  lr_random_field_draw(&field, 16, 3, 5, other);
  lr_random_field_draw(&twin, 16, 3, 4, again);
  for (size_t i = 0; i < POINTS; i++) {
    check(z[i] == again[i], "number %zu", i);
    check(z[i] != other[i], "number %zu of another stream", i);
  }
  check(z[3] == z[4], "one place has one number");
  lr_random_field_clear(&field);
  lr_random_field_clear(&twin);
}

TEST("coordinates that are missing or not finite are refused")
{
  lrgd_error error;
  double bad[4] = {0, NAN, 1, 2};
  check(lr_random_field_check(POINTS, 2, points, 1, &error) == LRGD_OK, "good");
  check(lr_random_field_check(2, 2, bad, 1, &error) == LRGD_ERR_INVALID, "NaN");
  check(lr_random_field_check(2, 2, points, 0, &error) == LRGD_ERR_INVALID,
        "length");
  check(lr_random_field_check(2, 9, points, 1, &error) == LRGD_ERR_INVALID,
        "dimensions");
}
