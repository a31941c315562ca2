/* Settings of built-in problems: what is refused and in what words, and what
 * happens when memory runs out. */
#include <kind.h>
#include <locale.h>

#include "make_problem.h"

/* The linker sends the problems' allocations here (--wrap). */
static long allocations_left = -1; /* -1: no limit */

static bool refuse(void)
{
  if (allocations_left < 0) return false;
  if (allocations_left == 0) return true;
  allocations_left--;
  return false;
}

/* NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming):
 * the linker chose these names */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
  return refuse() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
  /* a terabyte is refused everywhere, however the system over-commits */
  return refuse() || bytes >> 40 ? NULL : __real_calloc(count, bytes);
}

/* NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming) */

static void check_refused(const char *line, const char *sentence)
{
  lr_problem *problem = (lr_problem *)&problem;
  lrgd_error error = {LRGD_OK, ""};
  check_int(make(&problem, line, &error), LRGD_ERR_INVALID, "%s", line);
  check_int(error.status, LRGD_ERR_INVALID, "%s", line);
  check_text(error.text, sentence, "%s", line);
  check(problem == NULL, "%s: no problem is handed back", line);
  check_int(make(&problem, line, NULL), LRGD_ERR_INVALID,
            "%s, no sentence wanted", line);
}

TEST("bad settings are refused in one sentence with the numbers in it")
{
  check_refused("quadratic p=8 rank=12", "rank 12 exceeds dimension 8");
  check_refused("quadratic p=2 spectrum=3,2,1",
                "rank 3 exceeds dimension 2 (spectrum has 3 numbers)");
  check_refused("quadratic rank=3 spectrum=2,1",
                "rank is 3 but spectrum has 2 numbers");
  check_refused("quadratic p=0", "p 0 is less than 1");
  check_refused("quadratic p=3000000000",
                "p 3000000000 is more than 2147483647");
  check_refused("quadratic kappa=0.5", "kappa 0.5 is less than 1");
  check_refused("quadratic scale=0", "scale 0 is not positive");
  check_refused("quadratic rotation=some",
                "rotation 'some' is none of random|none");
  check_refused("ridge sigma=log",
                "sigma 'log' is none of "
                "square|cosh|logcosh|sine");
  check_refused("least-squares rank=9 n=5",
                "rank 9 exceeds the number of samples n 5");
  check_refused("least-squares noise=-1", "noise -1 is less than 0");
  check_refused("logistic flip=0.75", "flip 0.75 is more than 0.5");
  check_refused("logistic lambda=-2", "lambda -2 is less than 0");
  check_refused("network latent=30", "latent 30 exceeds inputs 20");
  check_refused("rosenbrock n=3", "n 3 is not a multiple of 2");
  check_refused("rosenbrock p=4 n=6", "n 6 exceeds dimension 4");
  check_refused("powell n=6", "n 6 is not a multiple of 4");
  check_refused("beale p=1", "rank 2 exceeds dimension 1");
  check_refused("log-sum-exp m=3", "rank 5 exceeds the number of pairs m 3");
  check_refused("log-sum-exp mu=0", "mu 0 is not positive");
  check_refused("product lower=3", "lower 3 is not below upper 2");
  check_refused("product lower=0 transform=log", "lower 0 has no logarithm");
  check_refused("linear slope=0", "slope 0 is not positive");
}

TEST("a text that is not a number is refused")
{
  const char *const texts[] = {"",    "x",   "nan", "inf",  "0x10", "1e",
                               "1,5", "--1", ".",   "1e+",  "1..2", "1 ",
                               "+",   "e5",  "1f",  "1e5x", "-"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    lr_setting setting = {"kappa", texts[i]};
    lr_problem *problem;
    lrgd_error error;
    check_int(lr_problem_create(&problem, "quadratic", &setting, 1, &error),
              LRGD_ERR_INVALID, "'%s'", texts[i]);
    check(strstr(error.text, "is not a number"), "%s", error.text);
  }
  check_refused("quadratic kappa=1e999", "kappa 1e999 is too large");
  check_refused("quadratic p=1e3", "p '1e3' is not a whole number");
  check_refused("quadratic p=-3", "p '-3' is not a whole number");
  check_refused("quadratic seed=99999999999999999999",
                "seed 99999999999999999999 is too large");
  check_refused("quadratic spectrum=1,,2", "spectrum ',2' is not a number");
  check_refused("quadratic spectrum=1,", "spectrum '' is not a number");
}

TEST("unknown names are refused with a list of the known ones")
{
  check_refused("quadratics", "no built-in problem is called 'quadratics'");
  check_refused("constant q=3",
                "constant has no parameter 'q' (it has p, value)");
  check_refused("network p=5",
                "network has no parameter 'p' (it has inputs, hidden, latent, "
                "n, noise, seed)");
  check_refused("constant value", "value is set to nothing");
  {
    lr_problem *problem;
    check_int(lr_problem_create(&problem, NULL, NULL, 0, NULL),
              LRGD_ERR_INVALID, "no name at all");
  }
}

TEST("numbers are those of C in any locale")
{
  const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                "de_DE"};
  lr_problem *problem;
  double value = 0;
  for (size_t i = 0; i < sizeof commas / sizeof commas[0]; i++)
    if (setlocale(LC_ALL, commas[i])) break;
  if (check(make(&problem, "constant value=-2.5e-1", NULL) == LRGD_OK, "made"))
    value = lr_problem_minimum(problem);
  check(value == -0.25, "a point is a point: %g", value);
  lr_problem_destroy(&problem);
  setlocale(LC_ALL, "C");
}

TEST("of two settings with the same name the last counts")
{
  lr_problem *problem;
  require(make(&problem, "constant value=1 value=2", NULL) == LRGD_OK, "made");
  check(lr_problem_minimum(problem) == 2, "the last");
  lr_problem_destroy(&problem);
}

TEST("a default rank gives way to a small dimension")
{
  lr_problem *problem;
  require(make(&problem, "ridge p=3", NULL) == LRGD_OK, "made");
  check_int(lr_problem_rank(problem), 3, "rank");
  lr_problem_destroy(&problem);
  lr_problem_destroy(&problem); /* cleared: nothing to free again */
  lr_problem_destroy(NULL);
}

TEST("every kind has a name, help and defaults that work")
{
  for (size_t i = 0; i < lr_problem_kind_count(); i++) {
    const lr_problem_kind *kind = lr_problem_kind_at(i);
    const lr_parameter *parameters;
    size_t count = lr_problem_kind_parameters(kind, &parameters);
    const char *name = lr_problem_kind_name(kind);
    lr_problem *problem;
    check(strlen(lr_problem_kind_help(kind)) > 10, "%s has help", name);
    require(lr_problem_create(&problem, name, NULL, 0, NULL) == LRGD_OK,
            "%s works as it is", name);
    lr_problem_destroy(&problem);
    for (size_t j = 0; j < count; j++) {
      lr_setting same = {parameters[j].name, parameters[j].default_text};
      check(strlen(parameters[j].help) > 2, "%s: %s has help", name, same.name);
      check(lr_problem_create(&problem, name, &same, 1, NULL) == LRGD_OK,
            "%s: the default of %s can be set", name, same.name);
      lr_problem_destroy(&problem);
    }
  }
  check(lr_problem_kind_at(lr_problem_kind_count()) == NULL, "no more");
}

/* Fails the n-th allocation and all after it, n = 1, 2, ... until it works;
 * returns how many a create takes. */
static long fail_in_turn(const char *line)
{
  for (long n = 0; n < 100; n++) {
    lr_problem *problem;
    lrgd_error error = {LRGD_OK, ""};
    lrgd_status status;
    allocations_left = n;
    status = make(&problem, line, &error);
    allocations_left = -1;
    lr_problem_destroy(&problem);
    if (status == LRGD_OK) return n;
    check_int(status, LRGD_ERR_NOMEM, "%s, allocation %ld", line, n);
    check(strstr(error.text, "memory"), "%s: %s", line, error.text);
  }
  return -1;
}

TEST("when memory runs out in a create it says so and leaks nothing")
{
  for (size_t i = 0; i < lr_problem_kind_count(); i++) {
    const char *name = lr_problem_kind_name(lr_problem_kind_at(i));
    check(fail_in_turn(name) > 2, "%s", name);
  }
  check(fail_in_turn("product transform=log") > 2, "in logarithms");
}

TEST("sizes beyond memory are refused with their number")
{
  lr_problem *problem, empty = {.rank = 0};
  lrgd_error error = {LRGD_OK, ""};
  lr_reader reader = {lr_problem_kind_at(0), NULL, 0, &error, LRGD_OK};
  check_int(make(&problem, "quadratic p=1000000 rank=1000000", &error),
            LRGD_ERR_NOMEM, "8 TB");
  check_text(error.text, "quadratic: no memory for 8000000000000 bytes",
             "8 TB");
  check(!lr_problem_numbers(&empty, &reader, (size_t)1 << 40, (size_t)1 << 40),
        "a product that does not fit in a size_t");
  check_text(error.text,
             "quadratic: no memory for 1099511627776 x 1099511627776 numbers",
             "and it says so");
}

TEST("a callback without memory answers NaN")
{
  lr_problem *problem;
  const lrgd_problem *c;
  static double x[700], g[700], d;
  lrgd_complex z[700] = {
      {0, 0}
  };
  require(make(&problem, "ridge p=700 rank=600", NULL) == LRGD_OK, "made");
  c = lr_problem_callbacks(problem);
  allocations_left = 0;
  check(isnan(c->value(700, x, c->user)), "value");
  check(isnan(c->gradient(700, x, g, c->user)) && isnan(g[699]), "gradient");
  check(isnan(c->slopes(700, x, 1, x, &d, c->user)) && isnan(d), "slopes");
  check(isnan(c->complex_value(700, z, c->user).re), "complex value");
  allocations_left = -1;
  check(isfinite(c->value(700, x, c->user)), "and goes on afterwards");
  lr_problem_destroy(&problem);
}

TEST("residuals without memory are NaN, and so are f and its gradient")
{
  static const char *const large[] = {
      "more-garbow-hillstrom function=broyden-tridiagonal n=300",
      "more-garbow-hillstrom function=broyden-tridiagonal n=300 p=400",
      "linear-residuals p=400 m=400 rank=300",
      "heat-rod p=400",
      "darcy",
      "cascade",
      "aquifer"};
  for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
    lr_problem *problem;
    const lrgd_problem *c;
    static double x[500], g[500], F[1000];
    size_t m;
    require(make(&problem, large[i], NULL) == LRGD_OK, "%s", large[i]);
    c = lr_problem_callbacks(problem);
    m = lr_problem_residual_count(problem);
    allocations_left = 0;
    lr_problem_residuals(problem, x, F);
    check(isnan(F[0]), "%s: residuals", large[i]);
    check(isnan(c->gradient(c->dimension, x, g, c->user)) && isnan(g[0]),
          "%s: gradient", large[i]);
    allocations_left = -1;
    lr_problem_residuals(problem, x, F);
    check(isfinite(F[0]) && isfinite(F[m - 1]), "%s: afterwards", large[i]);
    lr_problem_destroy(&problem);
  }
}

TEST("up to rank 256 a callback allocates nothing")
{
  lr_problem *problem;
  const lrgd_problem *c;
  static double x[1000], d;
  require(make(&problem, "ridge p=1000 rank=256", NULL) == LRGD_OK, "made");
  c = lr_problem_callbacks(problem);
  allocations_left = 0;
  check(isfinite(c->value(1000, x, c->user)), "value");
  check(isfinite(c->slopes(1000, x, 1, x, &d, c->user)), "slopes");
  allocations_left = -1;
  lr_problem_destroy(&problem);
}
