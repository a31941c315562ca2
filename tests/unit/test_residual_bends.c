/* The curvature that steps have shown: F(z) = q (a'z)^2 is a parabola along one
 * direction, so that one step tells all of it. */
#include "least_squares/residual_bends.h"

#include "base/memory.h"
#include "base/policy.h"
#include "check.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 4, NUMBERS = 3 };

static const double q[NUMBERS] = {1, -2, 0.5};

static lr_bends bends(size_t steps)
{
  lr_bends B;
  lr_bends_init(&B, NUMBERS, &lr_malloc);
  B.most = DIRECTIONS, B.steps = steps;
  B.least = lr_policy_current()->ls_curved_least;
  return B;
}

static void take(lr_bends *B, const double *z, double share, const double *e)
{
  require(lr_bends_take(B, DIRECTIONS, NUMBERS, z, share, e) == LRGD_OK,
          "memory");
}

/* What the terms are at z, number 0. */
static double at(const lr_bends *B, const double *z)
{
  double r[NUMBERS] = {0};
  lr_bends_add(B, DIRECTIONS, NUMBERS, z, r);
  return r[0];
}

TEST("a parabola along a step is known from that step")
{
  lr_bends B = bends(2);
  double z[DIRECTIONS] = {2, 0, 0, 0}, e[NUMBERS], r[NUMBERS] = {0};
  for (size_t i = 0; i < NUMBERS; i++) e[i] = 4 * q[i];
  take(&B, z, 1, e);
  double y[DIRECTIONS] = {-3, 1, 0, 5};
  lr_bends_add(&B, DIRECTIONS, NUMBERS, y, r);
  for (size_t i = 0; i < NUMBERS; i++)
    check_near(r[i], 9 * q[i], 1e-14, "residual %zu", i);
  lr_bends_clear(&B);
}

TEST("linearised at a point, the terms and their derivatives are those there")
{
  lr_bends B = bends(2);
  double z[DIRECTIONS] = {1, 1, 0, 0}, y[DIRECTIONS] = {1, 2, 3, 0};
  double A[NUMBERS * DIRECTIONS] = {0}, b[NUMBERS] = {0}, h = 1e-6;
  take(&B, z, 1, q);
  lr_bends_linearise(&B, DIRECTIONS, y, A, b);
  double value = b[0];
  for (size_t j = 0; j < DIRECTIONS; j++) value += A[j * NUMBERS] * y[j];
  check_near(value, at(&B, y), 1e-13, "value");
  for (size_t j = 0; j < DIRECTIONS; j++) {
    double up[DIRECTIONS], down[DIRECTIONS];
    memcpy(up, y, sizeof y);
    memcpy(down, y, sizeof y);
    up[j] += h, down[j] -= h;
    check_near(A[j * NUMBERS], (at(&B, up) - at(&B, down)) / (2 * h), 1e-7,
               "derivative %zu", j);
  }
  lr_bends_clear(&B);
}

TEST("the oldest step is forgotten, and more directions are not looked at")
{
  lr_bends B = bends(2);
  for (size_t i = 0; i < 3; i++) {
    double z[DIRECTIONS] = {0};
    z[i] = 1;
    take(&B, z, 1, q);
  }
  double first[DIRECTIONS] = {1}, second[DIRECTIONS] = {0, 1};
  check_near(at(&B, first), 0, 1e-15, "the first of three");
  check_near(at(&B, second), 1, 1e-15, "the second");
  double more[DIRECTIONS + 1] = {1, 1, 1, 1, 1};
  lrgd_status status = lr_bends_take(&B, DIRECTIONS + 1, NUMBERS, more, 1, q);
  require(status == LRGD_OK, "well");
  check(B.taken == 3, "not taken in");
  lr_bends_clear(&B);
}

TEST("terms that a step contradicts shrink to the share that fits")
{
  lr_bends B = bends(2);
  double z[DIRECTIONS] = {1}, e[NUMBERS];
  take(&B, z, 1, q);
  /* the truth is half of them, so that they are off by minus a half */
  for (size_t i = 0; i < NUMBERS; i++) e[i] = -0.5 * q[i];
  lr_bends_judge(&B, DIRECTIONS, NUMBERS, z, e);
  check_near(at(&B, z), 0.5, 1e-14, "half");
  check_near(e[1], 0, 1e-14, "which leaves no error");
  for (size_t i = 0; i < NUMBERS; i++) e[i] = -q[i];
  lr_bends_judge(&B, DIRECTIONS, NUMBERS, z, e);
  check_near(at(&B, z), 0, 1e-14, "of the other sign: none");
  lr_bends_clear(&B);
}

/* The share of terms that remains after a step whose error they are not: the
 * squares of the terms are `part` of those that a linear model leaves. */
static double kept(double part)
{
  lr_bends B = bends(1);
  double z[DIRECTIONS] = {1}, one[NUMBERS] = {1, 0, 0};
  take(&B, z, 1, one);
  double e[NUMBERS] = {-1, sqrt(1 / part), 0};
  lr_bends_judge(&B, DIRECTIONS, NUMBERS, z, e);
  double left = at(&B, z);
  lr_bends_clear(&B);
  return left;
}

TEST("a step of which the terms explain less than a tenth does not judge them")
{
  check_near(kept(0.11), 0, 1e-12, "judged");
  check_near(kept(0.09), 1, 1e-12, "not judged");
}
