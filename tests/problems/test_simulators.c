/* The simulators among the built-in problems: their equations against known
 * answers, gradients against differences, and what printed digits and step
 * control do to f. */
#include <panels.h>
#include <plate_element.h>
#include <simulator.h>

#include "make_problem.h"

TEST("numbers are rounded as they would be printed")
{
  char text[40];
  state = 1;
  check(lr_printed(3.14159265, 3) == 3.14, "%g", lr_printed(3.14159265, 3));
  check(lr_printed(-0.00123456, 2) == -0.0012, "a small one");
  check(lr_printed(0, 5) == 0 && isnan(lr_printed(NAN, 5)), "0 and NaN");
  check(lr_printed(1.0 / 3, 0) == 1.0 / 3, "no digits: as it is");
  for (int i = 0; i < 200; i++) {
    double number = (uniform() - 0.5) * pow(10, 20 * uniform() - 10);
    snprintf(text, sizeof text, "%.6e", number);
    check_near(lr_printed(number, 7), strtod(text, NULL), 4 * DBL_EPSILON, "%s",
               text);
  }
}

/* ---- the plate ---- */

/* u' K u for w = a polynomial with these second derivatives (w = the form at
 * the corners, its slopes too): all of them are in the element's space. */
static double energy(double nu, double xx, double yy, double xy)
{
  enum { N = LR_PLATE_FREEDOMS };
  double K[N][N], u[N], side = 0.5, sum = 0;
  lr_plate_element(side, nu, K);
  for (int c = 0; c < 4; c++) {
    double x = c & 1 ? side : 0, y = c & 2 ? side : 0;
    u[3 * c] = 3 - x + 2 * y + 0.5 * xx * x * x + 0.5 * yy * y * y + xy * x * y;
    u[3 * c + 1] = -1 + xx * x + xy * y;
    u[3 * c + 2] = 2 + yy * y + xy * x;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += u[i] * K[i][j] * u[j];
  return sum / (side * side);
}

TEST("an element knows the energy of every constant curvature")
{
  double nu = 0.3;
  check_within(energy(nu, 0, 0, 0), 0, 1e-11, "moved and tilted");
  check_near(energy(nu, 2, 0, 0), 4, 1e-12, "bent along x");
  check_near(energy(nu, 0, 3, 0), 9, 1e-12, "bent along y");
  check_near(energy(nu, 2, 3, 0), 4 + 9 + 2 * nu * 6, 1e-12, "both");
  check_near(energy(nu, 0, 0, 1.5), 2 * (1 - nu) * 2.25, 1e-12, "twisted");
}

static double value_all(const char *line, double each)
{
  lr_problem *problem;
  const lrgd_problem *c;
  double x[MOST], f;
  if (make(&problem, line, NULL) != LRGD_OK) return NAN;
  c = lr_problem_callbacks(problem);
  for (size_t i = 0; i < c->dimension; i++) x[i] = each;
  f = c->value(c->dimension, x, c->user);
  lr_problem_destroy(&problem);
  return f;
}

TEST("a plate twice as thick bends an eighth")
{
  const char *line = "plate length=6 width=4 goal=weight weight=0.5 digits=0";
  check_near(value_all(line, 0), 1 + 0.5, 1e-12, "as scaled");
  check_near(value_all(line, log(2)), 0.125 + 0.5 * 2, 1e-10, "twice");
}

/* ---- the wing section ---- */

/* Around a circle without lift v = 2 sin(angle from the wind): the panels, a
 * polygon, come within a part in n. */
TEST("panels give the flow around a circle")
{
  enum { N = 120 };
  static double complex x[N + 1], y[N + 1], v[N], *room;
  double alpha = 0, worst = 0;
  room = malloc(lr_panels_room(N) * sizeof *room);
  require(room, "memory");
  for (int i = 0; i <= N; i++) {
    double turn = -2 * acos(-1) * i / N;
    x[i] = cos(turn);
    y[i] = sin(turn);
  }
  y[N] = 0;
  check(lr_panels_speed(N, x, y, alpha, v, room), "a flow");
  for (int i = 0; i < N; i++) {
    double angle = -2 * acos(-1) * (i + 0.5) / N;
    worst = fmax(worst, fabs(creal(v[i]) - 2 * sin(angle)));
  }
  check(worst < 0.01, "off by %g at most", worst);
  free(room);
}

TEST("pressures of a section upside down in a wind from below are the same")
{
  double up = value_all("airfoil alpha=3 spread=1e-9 digits=0", 0.3);
  double down = value_all("airfoil alpha=-3 spread=1e-9 digits=0", 0.3);
  check(up > 1e-4, "bumps show: %g", up);
  check_near(up, down, 1e-7, "a symmetric section");
}

/* ---- the filter ---- */

/* With hardly a coil along the line and hardly a capacitor, one section is the
 * resistor of 300 ohm e^x between two of 600: its level is the same at every
 * frequency, a = 20 log10(600 / (1200 + 300 e^x)), and f = mean (a - m_i)^2 a
 * parabola in a with second coefficient 1. */
TEST("a ladder without coils and capacitors divides by its resistors")
{
  lr_problem *problem;
  const lrgd_problem *c;
  double x[6] = {-40, 0, -60, 0, -60, 0}, a[3], f[3], second;
  require(make(&problem, "ladder p=6 digits=0", NULL) == LRGD_OK, "made");
  c = lr_problem_callbacks(problem);
  for (int i = 0; i < 3; i++) {
    x[1] = i;
    a[i] = 20 * log10(600 / (1200 + 300 * exp(x[1])));
    f[i] = c->value(6, x, c->user);
  }
  second = ((f[2] - f[1]) / (a[2] - a[1]) - (f[1] - f[0]) / (a[1] - a[0])) /
           (a[2] - a[0]);
  check_near(second, 1, 1e-6, "the parabola");
  lr_problem_destroy(&problem);
}

/* ---- all of them ---- */

static const char *const tried[] = {
    "plate length=6 width=4 digits=0",
    "plate length=2 width=1 loads=1 sensors=1 digits=0",
    "plate length=6 width=4 goal=weight digits=0",
    "cascade p=16 tolerance=1e-9 digits=0",
    "cascade p=24 tolerance=1e-9 prior=0.1 digits=0",
    "airfoil p=12 panels=40 digits=0",
    "ladder p=12 digits=0",
    "ladder p=72 digits=0",
    "swing p=20 seconds=1 digits=0",
    "aquifer along=4 across=5 digits=0",
    "aquifer along=4 across=5 prior=0 digits=0",
    "coating p=8 digits=0",
    "pathway tolerance=1e-4 digits=0",
    "pathway tolerance=1e-4 prior=0 digits=0",
    "antenna p=8 digits=0",
    "tower storeys=2 digits=0",
};
enum { TRIED = sizeof tried / sizeof tried[0] };

/* h^2 f'''/6 and the integrator's 1e-9 over h, with h = 1e-3. */
static void look_at_gradient(const char *line, const lr_problem *problem)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension;
  double x[MOST], u[MOST], g[MOST], d[1], h = 1e-3, f, slope;
  spread(p, x);
  spread(p, u);
  lr_scale(p, 0.2, x);
  lr_scale(p, 1 / norm(p, u), u);
  f = c->gradient(p, x, g, c->user);
  check_near(c->value(p, x, c->user), f, 1e-12, "%s: value", line);
  slope = (along(c, x, h, u) - along(c, x, -h, u)) / (2 * h);
  check_within(dot(p, g, u), slope, 2e-5 * (norm(p, g) + fabs(f)), "%s: slope",
               line);
  c->slopes(p, x, 1, u, d, c->user);
  check_within(d[0], dot(p, g, u), 1e-12 * norm(p, g), "%s: slopes", line);
}

TEST("gradients of simulators are those of their values")
{
  on_each(tried, TRIED, look_at_gradient);
}

static void look_at_minimum(const char *line, const lr_problem *problem)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  const double *best = lr_problem_minimiser(problem);
  double start = c->value(c->dimension, lr_problem_start(problem), c->user);
  for (size_t i = 0; i < c->dimension; i++)
    check(c->lower[i] < 0 && c->upper[i] > 0, "%s: a box", line);
  if (!best) {
    check(isnan(lr_problem_minimum(problem)), "%s: neither known", line);
    return;
  }
  check(start > 1e-4, "%s: there is something to do: %g", line, start);
  check(c->value(c->dimension, best, c->user) == 0, "%s: 0 at the truth", line);
  for (size_t i = 0; i < c->dimension; i++)
    check(best[i] > c->lower[i] && best[i] < c->upper[i], "%s: inside", line);
}

TEST("the truth is a minimum, inside the box")
{
  on_each(tried, TRIED, look_at_minimum);
}

/* The noise of f at points this far apart, as a share of f: the mean square of
 * fifth differences, whose variance is 252 times that of one value. */
static double roughness(const char *line, double apart)
{
  enum { N = 60, ORDER = 5 };
  static const double binomial[ORDER + 1] = {-1, 5, -10, 10, -5, 1};
  lr_problem *problem;
  const lrgd_problem *c;
  double f[N], u[MOST], sum = 0;
  if (make(&problem, line, NULL) != LRGD_OK) return NAN;
  c = lr_problem_callbacks(problem);
  state = 5;
  spread(c->dimension, u);
  lr_scale(c->dimension, 1 / norm(c->dimension, u), u);
  for (int i = 0; i < N; i++)
    f[i] = along(c, lr_problem_start(problem), apart * i, u);
  for (int i = 0; i + ORDER < N; i++) {
    double fifth = 0;
    for (int k = 0; k <= ORDER; k++) fifth += binomial[k] * f[i + k];
    sum += fifth * fifth;
  }
  lr_problem_destroy(&problem);
  return sqrt(sum / 252 / (N - ORDER)) / f[0];
}

TEST("values of simulators have the roughness of their printed digits")
{
  double exact = roughness("plate length=6 width=4 digits=0", 1e-4);
  double seven = roughness("plate length=6 width=4", 1e-4);
  double five = roughness("airfoil p=12 panels=40", 1e-4);
  check(exact < 1e-13, "smooth: %g", exact);
  check(seven > 1e-10 && seven < 1e-7, "seven digits: %g", seven);
  check(five > 1e-7 && five < 1e-3, "five digits: %g", five);
}

TEST("values of an integrator are as rough as its tolerance")
{
  double loose = roughness("cascade p=80 tolerance=1e-3 digits=0", 1e-2);
  double tight = roughness("cascade p=80 tolerance=1e-6 digits=0", 1e-2);
  check(loose > 1e-7, "loose: %g", loose);
  check(tight < 1e-3 * loose, "tight: %g", tight);
}

static void check_refused(const char *line, const char *sentence)
{
  lr_problem *problem;
  lrgd_error error = {LRGD_OK, ""};
  check_int(make(&problem, line, &error), LRGD_ERR_INVALID, "%s", line);
  check_text(error.text, sentence, "%s", line);
}

TEST("simulators that cannot be built are refused in a sentence")
{
  check_refused("plate length=1", "length 1 is less than 2");
  check_refused("plate digits=16", "digits 16 is more than 15");
  check_refused("plate goal=light", "goal 'light' is none of fit|weight");
  check_refused("cascade p=18", "p 18 is not a multiple of 4");
  check_refused("ladder p=71", "p 71 is not a multiple of 6");
  check_refused("airfoil p=7", "p 7 is not even");
  check_refused("swing p=7", "p 7 is not even");
  check_refused("swing seconds=21", "seconds 21 is more than 20");
  check_refused("coating errors=0.6", "errors 0.6 is more than 0.5");
  check_refused("antenna p=9", "p 9 is not even");
  check_refused("antenna lobes=1", "lobes and notch are below 0");
  check_refused("airfoil panels=41", "panels 41 is not even");
}
