/* The Gaussian process of the opening in a box, and its step: what they claim
 * is recomputed from points and values. */
#include "surrogate/gaussian_process.h"

#include "base/memory.h"
#include "check.h"
#include "surrogate/ball_step.h"

#include <stdlib.h>

enum { P = 5, MOST = 40 };

/* The k-th of numbers between -1 and 1 that fill it evenly. */
static double spread(int k)
{
  double x = 0.61803398874989485 * (double)k;
  return 2 * (x - floor(x)) - 1;
}

static void set_point(int i, double *x)
{
  for (int j = 0; j < P; j++) x[j] = spread(1 + P * i + j + j * j * (i + 3));
}

/* Varies along two directions. */
static double value(const double *x)
{
  double a = x[0] + 0.5 * x[1] - x[3], b = x[2] - x[4];
  return sin(a) + 0.4 * b * b;
}

static void begin(lr_gp *g, double length, int n, double *y)
{
  double x[P];
  require(lr_gp_init(g, &lr_malloc, P, MOST, length) == LRGD_OK, "memory");
  for (int i = 0; i < n; i++) {
    set_point(i, x);
    lr_gp_add(g, x);
    y[i] = value(x);
  }
}

TEST("the mean goes through the values, up to the nugget")
{
  lr_gp g;
  double y[MOST], x[P];
  begin(&g, 2, 25, y);
  lr_gp_fit(&g, y);
  for (int i = 0; i < 25; i++) {
    set_point(i, x);
    check_near(lr_gp_mean(&g, x), y[i], 1e-3, "value %d", i);
  }
  lr_gp_clear(&g);
}

TEST("the mean predicts a smooth function between its points")
{
  lr_gp g;
  double y[MOST], x[P];
  begin(&g, 2, MOST, y);
  lr_gp_fit(&g, y);
  for (int i = 100; i < 110; i++) {
    set_point(i, x);
    for (int j = 0; j < P; j++) x[j] *= 0.5;
    double off = lr_gp_mean(&g, x) - value(x);
    check(fabs(off) < 0.1, "point %d is off by %g", i, off);
  }
  lr_gp_clear(&g);
}

TEST("a factor that is extended row by row is the one made at once")
{
  lr_gp one, two;
  double y[MOST], x[P];
  begin(&one, 1.5, 20, y);
  lr_gp_fit(&one, y);
  for (int i = 20; i < 30; i++) {
    set_point(i, x);
    lr_gp_add(&one, x);
    y[i] = value(x);
    lr_gp_fit(&one, y);
  }
  begin(&two, 1.5, 30, y);
  lr_gp_fit(&two, y);
  check_near(one.mean, two.mean, 1e-9, "the mean");
  check_near(one.variance, two.variance, 1e-9, "the variance");
  for (int i = 50; i < 55; i++) {
    set_point(i, x);
    check_near(lr_gp_mean(&one, x), lr_gp_mean(&two, x), 1e-6, "point %d", i);
  }
  lr_gp_clear(&one);
  lr_gp_clear(&two);
}

TEST("the kernel is 1 at no distance, and a nugget of 1e-7 more")
{
  lr_gp g;
  double y[MOST];
  begin(&g, 2, 3, y);
  lr_gp_fit(&g, y);
  double excess = g.L[0] * g.L[0] - 1;
  check(fabs(excess - 1e-7) < 1e-12, "%g more", excess);
  lr_gp_clear(&g);
}

TEST("the deviation is none at a point and that of the prior far away")
{
  lr_gp g;
  double y[MOST], x[P], slope[P];
  begin(&g, 1, 20, y);
  lr_gp_fit(&g, y);
  set_point(3, x);
  double below = lr_gp_mean(&g, x) - lr_gp_bound(&g, x, 1, slope);
  check(fabs(below) < 1e-2 * sqrt(g.variance), "%g at a point", below);
  for (int j = 0; j < P; j++) x[j] = 50;
  below = lr_gp_mean(&g, x) - lr_gp_bound(&g, x, 1, slope);
  check_near(below, sqrt(g.variance), 1e-6, "far away");
  lr_gp_clear(&g);
}

TEST("the gradient of the bound is that of its values")
{
  lr_gp g;
  double y[MOST], x[P], slope[P], none[P];
  const double h = 1e-5;
  begin(&g, 1.5, 20, y);
  lr_gp_fit(&g, y);
  set_point(77, x);
  lr_gp_bound(&g, x, 0.7, slope);
  for (int j = 0; j < P; j++) {
    double at = x[j];
    x[j] = at + h;
    double up = lr_gp_bound(&g, x, 0.7, none);
    x[j] = at - h;
    double down = lr_gp_bound(&g, x, 0.7, none);
    x[j] = at;
    check_near(slope[j], (up - down) / (2 * h), 1e-5, "along input %d", j);
  }
  lr_gp_clear(&g);
}

TEST("the length is the one that makes the values likely")
{
  lr_gp g;
  double y[MOST], wavy[MOST], x[P];
  begin(&g, 3, MOST, y);
  lr_gp_choose_length(&g, y);
  double smooth = g.length;
  for (int i = 0; i < MOST; i++) {
    set_point(i, x);
    wavy[i] = sin(9 * x[0]) * cos(8 * x[1]);
  }
  for (int i = 0; i < 3; i++) lr_gp_choose_length(&g, wavy);
  check(smooth > 1, "%g for a function of half a wave", smooth);
  check(g.length < 0.5 * smooth, "%g for one of many, %g before", g.length,
        smooth);
  lr_gp_clear(&g);
}

TEST("a point given twice makes the nugget grow, and the fit stays finite")
{
  lr_gp g;
  double y[MOST], x[P];
  begin(&g, 50, 20, y);
  for (int i = 20; i < 30; i++) {
    set_point(0, x);
    lr_gp_add(&g, x);
    y[i] = y[0];
  }
  lr_gp_fit(&g, y);
  check(isfinite(lr_gp_mean(&g, x)), "the mean there");
  check_int((int)g.factored, 30, "rows of the factor");
  lr_gp_clear(&g);
}

/* A step from the point x of the process. */
static void step(const lr_gp *g, double radius, double kappa,
                 const double *centre, double *to)
{
  double *work = malloc(lr_ball_step_room(P) * sizeof *work);
  const lr_ball ball = {centre, radius};
  require(work != NULL, "memory");
  memcpy(to, centre, P * sizeof *to);
  to[0] += 0.01;
  lr_ball_step(g, &ball, kappa, to, work);
  free(work);
}

TEST("a step stays in ball and box and falls")
{
  lr_gp g;
  double y[MOST], x[P], to[P], slope[P];
  begin(&g, 1.5, 30, y);
  lr_gp_fit(&g, y);
  for (int i = 0; i < 20; i++) {
    double far = 0, radius = 0.05 * (double)(1 + i), kappa = i % 2 ? 0.5 : 0;
    set_point(i, x);
    step(&g, radius, kappa, x, to);
    for (int j = 0; j < P; j++) {
      check(fabs(to[j]) <= 1, "input %d is %g", j, to[j]);
      far += (to[j] - x[j]) * (to[j] - x[j]);
    }
    check(sqrt(far) <= radius * (1 + 1e-12), "%g for %g", sqrt(far), radius);
    check(lr_gp_bound(&g, to, kappa, slope) < lr_gp_bound(&g, x, kappa, slope),
          "step %d falls", i);
  }
  lr_gp_clear(&g);
}

TEST("in a large ball the step ends where the slope within the box is zero")
{
  lr_gp g;
  double y[MOST], x[P], to[P], slope[P];
  begin(&g, 2, 30, y);
  lr_gp_fit(&g, y);
  set_point(4, x);
  step(&g, 100, 0, x, to);
  lr_gp_bound(&g, to, 0, slope);
  for (int j = 0; j < P; j++) {
    bool held = (to[j] == 1 && slope[j] < 0) || (to[j] == -1 && slope[j] > 0);
    check(held || fabs(slope[j]) < 1e-2, "slope %g at %g", slope[j], to[j]);
  }
  lr_gp_clear(&g);
}
