/* Problems in residual form: f = |F|^2 / 2, Jacobians agree with differences,
 * published minima and certified parameters are found again. */
#include "levenberg_marquardt.h"
#include "make_problem.h"
#include "nist.h"

static const char *const given[] = {
    "heat-rod p=20 sensors=5",
    "exponentials p=12",
    "predator p=12",
    "predator p=12 prior=0.01",
    "cascade p=16",
    "cascade p=16 prior=0.1 digits=0",
    "aquifer along=3 across=4",
    "aquifer along=3 across=4 prior=0",
    "pathway prior=0.01",
    "darcy side=5 wells=9",
    "darcy side=5 wells=9 prior=0.1",
    "linear-residuals p=12 m=20 rank=4",
    "linear-residuals p=12 m=8 rank=3 tail=0.1 misfit=0.5",
    "linear-residuals p=6 m=9 rank=2 tail=0.1 decay=0",
};
enum {
  GIVEN = sizeof given / sizeof given[0],
  FUNCTIONS = 35,
  SETS = LR_NIST_COUNT
};

/* All functions of More, Garbow and Hillstrom, with and without embedding. */
static void on_functions(const char *rest,
                         void (*look)(const char *line,
                                      const lr_problem *problem))
{
  for (int i = 1; i <= FUNCTIONS; i++) {
    char line[96];
    const char *one = line;
    snprintf(line, sizeof line, "more-garbow-hillstrom function=%d%s", i, rest);
    on_each(&one, 1, look);
  }
}

static void on_sets(const char *rest,
                    void (*look)(const char *line, const lr_problem *problem))
{
  for (int i = 0; i < SETS; i++) {
    char line[96];
    const char *one = line;
    snprintf(line, sizeof line, "nist set=%s%s", lr_nist_sets[i].name, rest);
    on_each(&one, 1, look);
  }
}

/* A point beside the start: up to a hundredth in each input. */
static void beside(const lr_problem *problem, double *x)
{
  size_t p = lr_problem_callbacks(problem)->dimension;
  const double *start = lr_problem_start(problem);
  spread(p, x);
  for (size_t i = 0; i < p; i++)
    x[i] = start[i] + 0.01 * x[i] * (start[i] != 0 ? fabs(start[i]) : 1);
}

static void measure_squares(const char *line, const lr_problem *problem)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension, m = lr_problem_residual_count(problem);
  double *x = numbers(p), *F = numbers(m + 1), f;
  require(m > 0, "%s: residuals are given", line);
  for (int i = 0; i < 3; i++) {
    beside(problem, x);
    F[m] = 77;
    lr_problem_residuals(problem, x, F);
    f = c->value(p, x, c->user);
    check_near(0.5 * dot(m, F, F), f, 1e-12, "%s", line);
    check(F[m] == 77, "%s: nothing is written beyond m", line);
  }
  free(x);
  free(F);
}

TEST("f is half the sum of the squares of the residuals")
{
  on_each(given, GIVEN, measure_squares);
  on_functions("", measure_squares);
  on_functions(" p=40", measure_squares);
  on_sets("", measure_squares);
}

/* Central differences of F along x_j, h a 1e-5 of x_j. */
static void measure_column(const char *line, const lr_problem *problem,
                           const double *x, size_t j, const double *column)
{
  size_t p = lr_problem_callbacks(problem)->dimension;
  size_t m = lr_problem_residual_count(problem);
  double *y = numbers(p), *right = numbers(m), *left = numbers(m), most = 0;
  double h = 1e-5 * (x[j] != 0 ? fabs(x[j]) : 1), size = 0, wrong = 0;
  memcpy(y, x, p * sizeof *y);
  y[j] = x[j] + h;
  lr_problem_residuals(problem, y, right);
  y[j] = x[j] - h;
  lr_problem_residuals(problem, y, left);
  for (size_t i = 0; i < m; i++) {
    wrong = fmax(wrong, fabs((right[i] - left[i]) / (2 * h) - column[i]));
    size = fmax(size, fabs(column[i]));
    most = fmax(most, fabs(right[i]));
  }
  check(wrong <= 1e-6 * size + 1e-14 * most / h, "%s: column %zu is %g off %g",
        line, j, wrong, size);
  free(y);
  free(right);
  free(left);
}

static void measure_jacobian(const char *line, const lr_problem *problem)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension, m = lr_problem_residual_count(problem);
  double *x = numbers(p), *J = numbers(m * p), *F = numbers(m);
  double *g = numbers(p);
  beside(problem, x);
  if (lr_problem_jacobian(problem, x, J)) {
    lr_problem_residuals(problem, x, F);
    c->gradient(p, x, g, c->user);
    for (size_t j = 0; j < p; j++) {
      measure_column(line, problem, x, j, J + j * m);
      check_within(g[j], dot(m, J + j * m, F),
                   1e-11 * (norm(m, J + j * m) * norm(m, F) + 1e-280),
                   "%s: gradient", line);
    }
  }
  free(x);
  free(J);
  free(F);
  free(g);
}

TEST("Jacobians agree with central differences, gradients are J^T F")
{
  on_each(given, GIVEN, measure_jacobian);
  on_functions("", measure_jacobian);
  on_functions(" p=40", measure_jacobian);
  on_sets(" start=2", measure_jacobian);
}

/* Of those without a Jacobian: along random directions.  Simulators print few
 * digits and are left to their own tests. */
static void measure_gradient(const char *line, const lr_problem *problem)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension;
  double x[MOST], u[MOST], g[MOST], h = 1e-5, slope;
  beside(problem, x);
  spread(p, u);
  lr_scale(p, 1 / norm(p, u), u);
  c->gradient(p, x, g, c->user);
  slope = (along(c, x, h, u) - along(c, x, -h, u)) / (2 * h);
  check_within(slope, dot(p, g, u), 1e-6 * norm(p, g) + 1e-10, "%s", line);
}

TEST("gradients of the calibrations agree with central differences")
{
  static const char *const smooth[] = {
      "heat-rod p=20 sensors=5",
      "exponentials p=12",
      "predator p=12",
      "darcy side=5 wells=9",
      "darcy side=5 wells=9 prior=0.1",
      "linear-residuals p=12 m=8 rank=3 tail=0.1 misfit=0.5"};
  on_each(smooth, sizeof smooth / sizeof smooth[0], measure_gradient);
}

/* Twice the minima as published by More, Garbow and Hillstrom (1981), from
 * their starts; where a function has more than one, the others follow. */
static const struct {
  int function;
  double squares[3];
} published[] = {
    {1,  {0, -1, -1}                 },
    {2,  {0, 48.9842, -1}            },
    {3,  {0, -1, -1}                 },
    {4,  {0, -1, -1}                 },
    {5,  {0, -1, -1}                 },
    {6,  {124.362, -1, -1}           },
    {7,  {0, -1, -1}                 },
    {8,  {8.21487e-3, 17.4286, -1}   },
    {9,  {1.12793e-8, -1, -1}        },
    {10, {87.9458, -1, -1}           },
    {11, {0, -1, -1}                 },
    {12, {0, -1, -1}                 },
    {13, {0, -1, -1}                 },
    {14, {0, -1, -1}                 },
    {15, {3.07505e-4, 1.02734e-3, -1}},
    {16, {85822.2, -1, -1}           },
    {17, {5.46489e-5, -1, -1}        },
    {18, {0, 5.65565e-3, 0.306}      },
    {19, {4.01377e-2, -1, -1}        },
    {20, {2.28767e-3, -1, -1}        },
    {21, {0, -1, -1}                 },
    {22, {0, -1, -1}                 },
    {23, {7.08765e-5, -1, -1}        },
    {24, {2.93660e-4, -1, -1}        },
    {25, {0, -1, -1}                 },
    {26, {0, 2.79506e-5, -1}         },
    {27, {0, 1, -1}                  },
    {28, {0, -1, -1}                 },
    {29, {0, -1, -1}                 },
    {30, {0, -1, -1}                 },
    {31, {0, -1, -1}                 },
    {32, {10, -1, -1}                },
    {33, {4.634146341463415, -1, -1} },
    {34, {6.135135135135135, -1, -1} },
    {35, {3.51687e-3, -1, -1}        },
};

TEST("from their starts the minima that were published are reached")
{
  for (size_t i = 0; i < FUNCTIONS; i++) {
    lr_problem *problem;
    char line[64];
    double *x, twice, f0, stated;
    bool found = false;
    snprintf(line, sizeof line, "more-garbow-hillstrom function=%d",
             published[i].function);
    require(make(&problem, line, NULL) == LRGD_OK, "%s", line);
    x = numbers(lr_problem_callbacks(problem)->dimension);
    memcpy(x, lr_problem_start(problem),
           lr_problem_callbacks(problem)->dimension * sizeof *x);
    f0 = lr_problem_callbacks(problem)->value(
        lr_problem_callbacks(problem)->dimension, x,
        lr_problem_callbacks(problem)->user);
    twice = 2 * levenberg_marquardt(problem, x);
    for (int k = 0; k < 3; k++)
      found |= published[i].squares[k] >= 0 &&
               fabs(twice - published[i].squares[k]) <=
                   1e-5 * published[i].squares[k] + 1e-12 * f0;
    check(found, "%s: twice the minimum is %.17g", line, twice);
    stated = 2 * lr_problem_minimum(problem);
    check(stated <= twice * (1 + 1e-12) + 1e-300,
          "%s: %.17g is stated, %.17g"
          " is lower",
          line, stated, twice);
    check_near(fmax(stated, 1e-12), fmax(published[i].squares[0], 1e-12), 1e-5,
               "%s: the minimum that is stated", line);
    lr_problem_destroy(&problem);
    free(x);
  }
}

/* Certified to eleven digits, of which the parameters show as many as the
 * condition of the set leaves (Lanczos: seven).  Lanczos1 has residuals of
 * 1e-13, of which a double has no digits. */
static void find_again(const lr_nist *set)
{
  lr_problem *problem;
  char line[64];
  double x[LR_NIST_PARAMETERS], twice;
  snprintf(line, sizeof line, "nist set=%s start=2", set->name);
  require(make(&problem, line, NULL) == LRGD_OK, "%s", line);
  memcpy(x, lr_problem_start(problem), set->n * sizeof *x);
  twice = 2 * levenberg_marquardt(problem, x);
  if (strcmp(set->name, "Lanczos1") == 0)
    check(twice < 1e-23, "%s: %g", line, twice);
  else
    check_near(twice, set->squares, 1e-9, "%s: sum of squares", line);
  check_near(2 * lr_problem_minimum(problem), set->squares, 1e-15, "%s", line);
  for (size_t j = 0; j < set->n; j++)
    check_near(x[j], set->certified[j], 2e-6, "%s: parameter %zu", line, j);
  lr_problem_destroy(&problem);
}

TEST("NIST's certified parameters and sums of squares are found again")
{
  for (size_t i = 0; i < SETS; i++) find_again(&lr_nist_sets[i]);
}

static void measure_box(const char *line, const lr_problem *problem)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  const double *x = lr_problem_start(problem);
  lrgd_problem told = lr_problem_by_residuals(problem);
  require(c->lower && c->upper, "%s: bounds are there", line);
  for (size_t i = 0; i < c->dimension; i++)
    check(c->lower[i] < x[i] && x[i] < c->upper[i], "%s: %zu", line, i);
  check(told.lower == c->lower && told.upper == c->upper, "%s: told", line);
  check(told.residuals && !told.value && told.residual_count > 0, "%s: told",
        line);
  if (strstr(line, "box=0.5"))
    check(isnan(lr_problem_minimum(problem)), "%s: not known", line);
}

TEST("boxes lie around the start, and no minimum outside a box is stated")
{
  on_functions(" box=2", measure_box);
  on_functions(" box=0.5", measure_box);
  on_sets(" box=0.5", measure_box);
}

TEST("sizes that a function cannot have are refused in a sentence")
{
  static const struct {
    const char *line, *text;
  } wrong[] = {
      {"more-garbow-hillstrom function=wood n=5", "wood cannot have 5 inputs" },
      {"more-garbow-hillstrom function=21 n=3",
       "extended-rosenbrock cannot have 3 inputs"                             },
      {"more-garbow-hillstrom function=22 n=6",
       "extended-powell cannot have 6 inputs"                                 },
      {"more-garbow-hillstrom function=20 n=32",  "watson cannot have 32"     },
      {"more-garbow-hillstrom function=bard m=9",
       "bard of 3 inputs has 15 residuals, not 9"                             },
      {"more-garbow-hillstrom function=35 m=3",
       "chebyquad of 8 inputs cannot have 3 residuals"                        },
      {"more-garbow-hillstrom function=36",       "36"                        },
      {"more-garbow-hillstrom function=none",     "is called 'none'"          },
      {"more-garbow-hillstrom p=1",               "n 2 exceeds dimension 1"   },
      {"nist set=Gauss1",                         "called 'Gauss1'"           },
      {"linear-residuals m=10 rank=10",           "rank 10 needs more than 10"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    lr_problem *problem;
    lrgd_error error = {LRGD_OK, ""};
    check(make(&problem, wrong[i].line, &error) == LRGD_ERR_INVALID, "%s",
          wrong[i].line);
    check(strstr(error.text, wrong[i].text), "%s: %s", wrong[i].line,
          error.text);
    lr_problem_destroy(&problem);
  }
}

TEST("singular values of linear residuals are those that were asked for")
{
  lr_problem *problem;
  double x[30], J[30 * 20], sum = 0;
  require(make(&problem,
               "linear-residuals p=30 m=20 rank=3 kappa=100 "
               "misfit=0.5",
               NULL) == LRGD_OK,
          "made");
  lr_problem_jacobian(problem, lr_problem_start(problem), J);
  for (size_t i = 0; i < 30 * 20; i++) sum += J[i] * J[i];
  check_near(sum, 1e4 + 1e2 + 1, 1e-12, "the squares of 100, 10 and 1");
  memcpy(x, lr_problem_minimiser(problem), sizeof x);
  check_near(lr_problem_callbacks(problem)->value(
                 30, x, lr_problem_callbacks(problem)->user),
             lr_problem_minimum(problem), 1e-12, "the minimum");
  check(lr_problem_minimum(problem) > 0, "a misfit is left");
  lr_problem_destroy(&problem);
}
