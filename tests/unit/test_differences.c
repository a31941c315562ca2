/* Slopes by differences of values and by the complex step. */
#include "asked.h"

enum { P = 6 };

/* f = sum of exp(c_i x_i) + x_0 x_1, with its slopes; offset added. */
static const double c[P] = {0.5, -0.3, 0.8, 0.1, -0.7, 0.2};
static size_t points;    /* asked for */
static bool left_box;    /* whether one lay outside [low, high] */
static double low, high; /* of every coordinate */

static double bumpy(size_t p, const double *x, void *user)
{
  double sum = x[0] * x[1] + (user ? *(double *)user : 0);
  points++;
  for (size_t i = 0; i < p; i++) {
    sum += exp(c[i] * x[i]);
    left_box |= x[i] < low || x[i] > high;
  }
  return sum;
}

static void true_gradient(const double *x, double *g)
{
  for (int i = 0; i < P; i++) g[i] = c[i] * exp(c[i] * x[i]);
  g[0] += x[1];
  g[1] += x[0];
}

static asked bumpy_asked(lrgd_differences how)
{
  asked a = prepared(P);
  a.problem.value = bumpy;
  a.options.differences = how;
  points = 0;
  low = -INFINITY;
  high = INFINITY;
  left_box = false;
  return a;
}

/* The largest error of the gradient by differences, and of slopes along three
 * random unit directions. */
static double gradient_error(asked *a, const double *x)
{
  double g[P], worst = 0;
  lrgd_block *out = block_of(a->space, 1);
  true_gradient(x, g);
  check(gradient_into(a, (lrgd_vec){out, 0}) == LR_GO, "gradient");
  for (int i = 0; i < P; i++)
    worst = fmax(worst, fabs(column(out, 0)[i] - g[i]));
  a->space->ops->free(a->space, out);
  return worst;
}

static double slope_error(asked *a, const double *x)
{
  double g[P], d[4], worst = 0;
  true_gradient(x, g);
  for (size_t j = 0; j < 3; j++) {
    double *u = column(a->U, j), norm = 0;
    a->space->ops->gaussian(a->space, (lrgd_vec){a->U, j}, 1, j);
    for (int i = 0; i < P; i++) norm += u[i] * u[i];
    for (int i = 0; i < P; i++) u[i] /= sqrt(norm);
  }
  check(slopes_into(a, 3, d) == LR_GO, "slopes");
  for (size_t j = 0; j < 3; j++) {
    double want = 0;
    for (int i = 0; i < P; i++) want += column(a->U, j)[i] * g[i];
    worst = fmax(worst, fabs(d[j] - want));
  }
  return worst;
}

static const double here[P] = {0.3, -0.8, 0.5, 1.1, -0.2, 0.7};

TEST("forward differences are good to some 1e-7, for one value each and a base")
{
  asked a = bumpy_asked(LRGD_DIFFERENCES_FORWARD);
  ask(&a, here);
  double slopes = slope_error(&a, here);
  check(slopes < 3e-7, "slopes are off by %g", slopes);
  check_int(points, 4, "three slopes and the base");
  double gradient = gradient_error(&a, here);
  check(gradient < 3e-7, "gradient is off by %g", gradient);
  check_int(points, 4 + P, "the base is known already");
  dismiss(&a);
}

TEST("central differences are good to some 1e-9, for two values each")
{
  asked a = bumpy_asked(LRGD_DIFFERENCES_CENTRAL);
  ask(&a, here);
  double slopes = slope_error(&a, here);
  check(slopes < 3e-9, "slopes are off by %g", slopes);
  check_int(points, 7, "three slopes and the base");
  double gradient = gradient_error(&a, here);
  check(gradient < 3e-9, "gradient is off by %g", gradient);
  dismiss(&a);
}

TEST("the error that is promised for a slope is no smaller than it is")
{
  for (int how = LRGD_DIFFERENCES_FORWARD; how <= LRGD_DIFFERENCES_CENTRAL;
       how++) {
    asked a = bumpy_asked((lrgd_differences)how);
    ask(&a, here);
    double error = slope_error(&a, here);
    double said = slope_error_said(&a);
    check(error <= said, "off by %g, %g promised", error, said);
    check(said < 1e-5, "and the promise %g is worth something", said);
    dismiss(&a);
  }
}

TEST("noise makes the steps longer, and the slopes as good as it allows")
{
  asked a = bumpy_asked(LRGD_DIFFERENCES_FORWARD);
  ask(&a, here);
  a.oracle.differences.noise = 1e-6;
  double error = gradient_error(&a, here);
  check(error > 1e-5 && error < 1e-2, "h is about 1e-3: off by %g", error);
  dismiss(&a);
}

/* The same in the box (-1, 1), at x; a stays where it is, others point to it.
 */
static void boxed_asked(asked *a, lrgd_differences how, const double *x)
{
  static const double lower[P] = {-1, -1, -1, -1, -1, -1};
  static const double upper[P] = {1, 1, 1, 1, 1, 1};
  *a = bumpy_asked(how);
  low = -1;
  high = 1;
  a->problem.lower = lower;
  a->problem.upper = upper;
  ask(a, x);
}

static void at_bound(lrgd_differences how, const double *x, double allowed)
{
  asked a;
  boxed_asked(&a, how, x);
  double error = gradient_error(&a, x);
  check(error < allowed, "off by %g", error);
  check(!left_box, "no point left the box");
  dismiss(&a);
}

TEST("at upper and lower bounds differences stay inside, on either side")
{
  static const double top[P] = {1, 1, 1, 1, 1, 1};
  static const double bottom[P] = {-1, -1, -1, -1, -1, -1};
  static const double mixed[P] = {1, -1, 0.5, 1 - 1e-9, -1 + 1e-9, 0};
  at_bound(LRGD_DIFFERENCES_FORWARD, top, 1e-6);
  at_bound(LRGD_DIFFERENCES_FORWARD, bottom, 1e-6);
  at_bound(LRGD_DIFFERENCES_FORWARD, mixed, 1e-6);
  at_bound(LRGD_DIFFERENCES_CENTRAL, top,
           1e-4); /* one-sided there, with a longer step */
  at_bound(LRGD_DIFFERENCES_CENTRAL, mixed, 1e-4);
}

static double of_all_sizes(size_t p, const double *x, void *user)
{
  double sum = 0;
  (void)user;
  points++;
  for (size_t i = 0; i < p; i++) {
    double y = x[i] / (i % 2 ? 1e-7 : 1e5) - 0.3;
    sum += y * y;
  }
  return sum;
}

TEST("along an input with a narrow box steps are short")
{
  asked a = bumpy_asked(LRGD_DIFFERENCES_FORWARD);
  double x[P], lower[P] = {0}, upper[P];
  lrgd_block *out;
  for (int i = 0; i < P; i++) {
    upper[i] = i % 2 ? 1e-7 : 1e5;
    x[i] = 0.8 * upper[i];
  }
  a.problem.value = of_all_sizes;
  a.problem.lower = lower;
  a.problem.upper = upper;
  ask(&a, x);
  out = block_of(a.space, 1);
  check(gradient_into(&a, (lrgd_vec){out, 0}) == LR_GO, "gradient");
  for (int i = 1; i < P; i += 2)
    check(fabs(column(out, 0)[i] * upper[i] - 1) < 1e-3, "slope %d is %g", i,
          column(out, 0)[i]);
  a.space->ops->free(a.space, out);
  dismiss(&a);
}

TEST("a dense direction in a corner gives the slope of its free part, inside")
{
  double x[P] = {1, -1, 0.2, 0.3, 1, -0.4}, g[P], d[2];
  for (int how = LRGD_DIFFERENCES_FORWARD; how <= LRGD_DIFFERENCES_CENTRAL;
       how++) {
    asked a;
    boxed_asked(&a, (lrgd_differences)how, x);
    double want = 0;
    true_gradient(x, g);
    for (int i = 0; i < P; i++) { /* out of the box at both ends */
      column(a.U, 0)[i] = 1 / sqrt(P);
      if (fabs(x[i]) < 1) want += g[i] / sqrt(P);
    }
    check(slopes_into(&a, 1, d) == LR_GO, "slope");
    check_within(d[0], want, 1e-5, "without what the bounds hold");
    check(!left_box, "no point left the box");
    dismiss(&a);
  }
}

TEST("where the box is one point every slope is zero and nothing is evaluated")
{
  double x[P], g[P];
  asked a = bumpy_asked(LRGD_DIFFERENCES_FORWARD);
  for (int i = 0; i < P; i++) x[i] = low = high = 0.25;
  a.problem.lower = a.problem.upper = x;
  ask(&a, x);
  lrgd_block *out = block_of(a.space, 1);
  check(gradient_into(&a, (lrgd_vec){out, 0}) == LR_GO, "gradient");
  memcpy(g, column(out, 0), sizeof g);
  for (int i = 0; i < P; i++) check(g[i] == 0, "slope %d", i);
  check(points == 1 && !left_box, "only the base was asked");
  a.space->ops->free(a.space, out);
  dismiss(&a);
}

TEST(
    "multipliers of active bounds are taken as known, other slopes are "
    "measured")
{
  static const double x[P] = {1, -1, 0.2, 1, -1, -0.4};
  static const double known[P] = {-7, 5, 3, 2, -4, 9}; /* 0 and 1 are held */
  double g[P];
  for (int how = LRGD_DIFFERENCES_FORWARD; how <= LRGD_DIFFERENCES_CENTRAL;
       how++) {
    asked a;
    boxed_asked(&a, (lrgd_differences)how, x);
    memcpy(column(a.U, 0), known, sizeof known);
    lrgd_vec U = {a.U, 0}, out = {a.U, 1};
    check(lr_oracle_part_gradient(&a.oracle, &a.at, out, U, false,
                                  LRGD_PURPOSE_DESCEND, 0) == LR_GO,
          "gradient");
    true_gradient(x, g);
    for (int i = 0; i < P; i++)
      check_within(column(a.U, 1)[i], i < 2 ? known[i] : g[i], 1e-4, "slope %d",
                   i);
    /* at a bound there is one side only, and two points on it */
    check_int(points, how == LRGD_DIFFERENCES_FORWARD ? 5 : 9,
              "values, the base among them");
    check_int(a.oracle.counts.oracle_calls[LRGD_PURPOSE_DESCEND], 4, "slopes");
    check(lr_oracle_part_gradient(&a.oracle, &a.at, out, U, true,
                                  LRGD_PURPOSE_DESCEND, 0) == LR_GO,
          "the rest of it");
    for (int i = 0; i < P; i++)
      check_within(column(a.U, 1)[i], g[i], 1e-4, "slope %d", i);
    check_int(points, how == LRGD_DIFFERENCES_FORWARD ? 7 : 13,
              "values: of two more slopes");
    check_int(a.oracle.counts.oracle_calls[LRGD_PURPOSE_DESCEND], P,
              "all slopes");
    check(!left_box, "no point left the box");
    dismiss(&a);
  }
}

static double line(size_t p, const double *x, void *user)
{
  double sum = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) sum += ((double)i + 1) * x[i];
  return sum;
}

TEST("row 57: at |x| from 1e-300 to 1e300 no step underflows")
{
  for (int e = -300; e <= 300; e += 25) {
    asked a = prepared(3);
    double x[3] = {pow(10, e), -pow(10, e), pow(10, e)};
    a.problem.value = line;
    ask(&a, x);
    lrgd_block *out = block_of(a.space, 1);
    check(gradient_into(&a, (lrgd_vec){out, 0}) == LR_GO, "gradient at 1e%d",
          e);
    for (int i = 0; i < 3; i++)
      check_near(column(out, 0)[i], i + 1, 1e-5, "slope %d at 1e%d", i, e);
    a.space->ops->free(a.space, out);
    dismiss(&a);
  }
}

TEST("row 57: one huge coordinate among small ones does not swallow the step")
{
  asked a = prepared(3);
  double x[3] = {1e15, 1, 1};
  a.problem.value = line;
  ask(&a, x);
  lrgd_block *out = block_of(a.space, 1);
  check(gradient_into(&a, (lrgd_vec){out, 0}) == LR_GO, "gradient");
  for (int i = 0; i < 3; i++)
    check_near(column(out, 0)[i], i + 1, 1e-5, "slope %d", i);
  a.space->ops->free(a.space, out);
  dismiss(&a);
}

static double walled(size_t p, const double *x, void *user)
{
  (void)p;
  (void)user;
  points++;
  return x[0] > 1 ? NAN : 3 * x[0];
}

TEST("where the point ahead cannot be evaluated the one behind is")
{
  asked a = prepared(1);
  double x = 1, d[2];
  points = 0;
  a.problem.value = walled;
  ask(&a, &x);
  column(a.U, 0)[0] = 1;
  check(slopes_into(&a, 1, d) == LR_GO, "slope");
  check_near(d[0], 3, 1e-6, "the slope from behind");
  check_int(points, 3, "base, ahead, behind");
  check_int(a.oracle.counts.failures, 1, "failures");
  dismiss(&a);
}

TEST("row 30: a zero direction has slope zero, and no directions are no work")
{
  for (int how = LRGD_DIFFERENCES_FORWARD; how <= LRGD_DIFFERENCES_CENTRAL;
       how++) {
    asked a = bumpy_asked((lrgd_differences)how);
    double d[3] = {1, 1, 1};
    ask(&a, here);
    a.space->ops->scale(a.space, (lrgd_vec){a.U, 0}, 0);
    check(slopes_into(&a, 1, d) == LR_GO && d[0] == 0, "zero direction: %g",
          d[0]);
    points = 0;
    check(slopes_into(&a, 0, d) == LR_GO && points == 0, "no direction");
    dismiss(&a);
  }
}

/* ---- complex step: exp(c z) written out ---- */

static lrgd_complex bumpy_complex(size_t p, const lrgd_complex *x, void *user)
{
  lrgd_complex sum = {x[0].re * x[1].re - x[0].im * x[1].im,
                      x[0].re * x[1].im + x[0].im * x[1].re};
  (void)user;
  points++;
  for (size_t i = 0; i < p; i++) {
    double e = exp(c[i] * x[i].re);
    sum.re += e * cos(c[i] * x[i].im);
    sum.im += e * sin(c[i] * x[i].im);
  }
  return sum;
}

TEST("the complex step is exact to rounding, one evaluation a slope")
{
  asked a = bumpy_asked(LRGD_DIFFERENCES_FORWARD);
  a.problem.value = NULL;
  a.problem.complex_value = bumpy_complex;
  ask(&a, here);
  double error = slope_error(&a, here);
  check(error < 1e-15, "off by %g", error);
  check_int(points, 3, "three slopes");
  check_near(a.at.f, bumpy(P, here, NULL), 1e-15, "the value came with them");
  check_int(a.oracle.counts.evaluations[LRGD_KIND_VALUES][LRGD_PURPOSE_DESCEND],
            3, "counted as values");
  check(slope_error_said(&a) == 0, "no error is promised");
  dismiss(&a);
}

TEST("the complex step makes whole gradients too")
{
  asked a = bumpy_asked(LRGD_DIFFERENCES_FORWARD);
  a.problem.value = NULL;
  a.problem.complex_value = bumpy_complex;
  ask(&a, here);
  double error = gradient_error(&a, here);
  check(error < 1e-15, "off by %g", error);
  check_int(points, P, "one evaluation for each coordinate");
  dismiss(&a);
}
