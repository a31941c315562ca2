/* Calls that are wrong: refused before anything is evaluated, with the
 * numbers in the sentence. */
#include <limits.h>
#include <stdint.h>

#include "plain.h"

static bool says(const char *word)
{
  return strstr(plain_sentence, word) != NULL;
}

TEST("row 1: dimension 0 is refused, and no callback is called")
{
  int calls = 0;
  double x[PLAIN_P] = {0};
  lrgd_problem problem = plain(&calls);
  problem.dimension = 0;
  check(plain_run(&problem, NULL, x, NULL) == LRGD_ERR_INVALID, "refused");
  check(says("dimension 0") && calls == 0, "%s", plain_sentence);
}

static double parabola(size_t p, const double *x, void *user)
{
  (void)p;
  (void)user;
  return (x[0] - 3) * (x[0] - 3) + 1;
}

TEST("row 2: one dimension and rank 1 work, with every method")
{
  for (int m = 0; m < PLAIN_METHODS; m++) {
    double x = -5;
    lrgd_problem problem = lrgd_problem_default(1);
    lrgd_options o = plain_options(m);
    lrgd_result result;
    problem.value = parabola;
    if (o.rank != LRGD_UNSET) o.rank = 1;
    check(plain_run(&problem, &o, &x, &result) == LRGD_OK, "method %d: %s", m,
          plain_sentence);
    check(result.outcome == LRGD_OUTCOME_CONVERGED, "method %d: %s", m,
          result.message);
    check_within(x, 3, 1e-5, "method %d: x", m);
  }
}

TEST("row 3: rank 0 is refused")
{
  for (int m = 0; m < PLAIN_METHODS; m++) {
    int calls = 0;
    double x[PLAIN_P] = {0};
    lrgd_problem problem = plain(&calls);
    lrgd_options o = plain_options(m);
    o.rank = 0;
    check(plain_run(&problem, &o, x, NULL) == LRGD_ERR_INVALID, "method %d", m);
    check(says("rank is 0") && calls == 0, "method %d: %s", m, plain_sentence);
  }
}

TEST("row 3: a method that needs a rank says so when there is none")
{
  static const int needy[] = {LRGD_METHOD_LRGD, LRGD_METHOD_ITERATED};
  for (int i = 0; i < 2; i++) {
    int calls = 0;
    double x[PLAIN_P] = {0};
    lrgd_problem problem = plain(&calls);
    lrgd_options o = lrgd_options_default();
    o.method = needy[i];
    check(plain_run(&problem, &o, x, NULL) == LRGD_ERR_INVALID, "refused");
    check(says("rank") && calls == 0, "%s", plain_sentence);
  }
}

TEST("row 4: a rank above the dimension is refused, and both are named")
{
  for (int m = 0; m < PLAIN_METHODS; m++) {
    int calls = 0;
    double x[PLAIN_P] = {0};
    lrgd_problem problem = plain(&calls);
    lrgd_options o = plain_options(m);
    o.rank = 12;
    check(plain_run(&problem, &o, x, NULL) == LRGD_ERR_INVALID, "method %d", m);
    check(says("12") && says("6") && calls == 0, "method %d: %s", m,
          plain_sentence);
  }
}

TEST(
    "row 6: gradients of lower rank than given: the run goes on with that rank")
{
  for (int how = LRGD_IDENTIFY_SVD; how <= LRGD_IDENTIFY_GRAM_SCHMIDT; how++) {
    double x[PLAIN_P] = {0};
    lrgd_problem problem = plain(NULL);
    lrgd_options o = plain_options(LRGD_METHOD_LRGD);
    lrgd_result result;
    o.rank = 6;
    o.identify = how;
    check(plain_run(&problem, &o, x, &result) == LRGD_OK, "%s", plain_sentence);
    check(result.outcome == LRGD_OUTCOME_CONVERGED && result.rank == 3,
          "way %d: rank %zu: %s", how, result.rank, result.message);
    check(result.sigma_r > 1e-6, "way %d: sigma_r is %g", how, result.sigma_r);
  }
}

TEST("row 7: a start with gradient zero has converged, without an iteration")
{
  for (int m = 0; m < PLAIN_METHODS; m++)
    for (int given = 0; given < 2; given++) {
      double x[PLAIN_P] = {1, 1, 1, 7, 8, 9};
      lrgd_problem problem = plain(NULL);
      lrgd_options o = plain_options(m);
      lrgd_result result;
      if (given) o.tol = 1e-8;
      check(plain_run(&problem, &o, x, &result) == LRGD_OK, "method %d", m);
      check(result.outcome == LRGD_OUTCOME_CONVERGED && result.iterations == 0,
            "method %d: %s", m, result.message);
      check(result.f == 0 && x[5] == 9, "method %d: nothing moved", m);
    }
}

TEST("row 8: NaN or Inf in the start is refused before any evaluation")
{
  static const double wrong[] = {NAN, INFINITY, -INFINITY};
  for (int m = 0; m < PLAIN_METHODS; m++)
    for (int i = 0; i < 3; i++) {
      int calls = 0;
      double x[PLAIN_P] = {0, 0, 0, 0, wrong[i], 0};
      lrgd_problem problem = plain(&calls);
      lrgd_options o = plain_options(m);
      check(plain_run(&problem, &o, x, NULL) == LRGD_ERR_INVALID, "method %d",
            m);
      check(says("coordinate 4") && calls == 0, "method %d: %s", m,
            plain_sentence);
    }
}

TEST("row 9: NaN, negative, zero and infinite steps and tolerances are refused")
{
  static const double wrong[] = {NAN, -1, 0, INFINITY};
  for (int i = 0; i < 4; i++)
    for (int field = 0; field < 4; field++) {
      int calls = 0;
      double x[PLAIN_P] = {0};
      lrgd_problem problem = plain(&calls);
      lrgd_options o = plain_options(LRGD_METHOD_GD);
      double *fields[] = {&o.alpha, &o.tol, &o.max_seconds, &o.sample_radius};
      *fields[field] = wrong[i];
      check(plain_run(&problem, &o, x, NULL) == LRGD_ERR_INVALID && calls == 0,
            "field %d is %g", field, wrong[i]);
    }
}

TEST("row 9: no iterations, and a negative budget, are refused")
{
  double x[PLAIN_P] = {0};
  lrgd_problem problem = plain(NULL);
  lrgd_options o = plain_options(LRGD_METHOD_GD);
  o.max_iterations = 0;
  check(plain_run(&problem, &o, x, NULL) == LRGD_ERR_INVALID, "iterations");
  o = plain_options(LRGD_METHOD_GD);
  o.max_evals = -1;
  check(plain_run(&problem, &o, x, NULL) == LRGD_ERR_INVALID, "evaluations");
}

TEST("row 9: a fixed step without its length is refused")
{
  double x[PLAIN_P] = {0};
  lrgd_problem problem = plain(NULL);
  lrgd_options o = plain_options(LRGD_METHOD_GD);
  o.step = LRGD_STEP_FIXED;
  check(plain_run(&problem, &o, x, NULL) == LRGD_ERR_INVALID && says("alpha"),
        "%s", plain_sentence);
}

TEST(
    "row 10: NULL problems, points and solvers are refused; NULL options "
    "are defaults")
{
  double x[PLAIN_P] = {0};
  lrgd_problem problem = plain(NULL);
  lrgd_solver *solver = NULL;
  lrgd_error e;
  check(lrgd_minimize(NULL, NULL, x, NULL, &e) == LRGD_ERR_INVALID, "problem");
  check(lrgd_minimize(&problem, NULL, NULL, NULL, &e) == LRGD_ERR_INVALID, "x");
  check(lrgd_minimize(&problem, NULL, NULL, NULL, NULL) == LRGD_ERR_INVALID,
        "x, and no sentence wanted");
  check(lrgd_solver_create(NULL, &problem, NULL, &e) == LRGD_ERR_INVALID,
        "out");
  check(lrgd_solver_solve(NULL, x, x, NULL, &e) == LRGD_ERR_INVALID, "solver");
  check(lrgd_solver_set_basis(NULL, 1, x, &e) == LRGD_ERR_INVALID, "basis");
  check(lrgd_solver_set_constraints(NULL, 1, x, x, &e) == LRGD_ERR_INVALID,
        "constraints");
  check(lrgd_solver_basis(NULL, x) == LRGD_ERR_INVALID, "query");
  check(lrgd_solver_phase_count(NULL) == 0 && lrgd_solver_basis_size(NULL) == 0,
        "nothing to be told of NULL");
  check(lrgd_minimize(&problem, NULL, x, NULL, NULL) == LRGD_OK,
        "options, result and error NULL: the defaults");
  require(lrgd_solver_create(&solver, &problem, NULL, NULL) == LRGD_OK, "made");
  check(lrgd_solver_solve(solver, NULL, x, NULL, NULL) == LRGD_ERR_INVALID,
        "x0");
  check(lrgd_solver_solve(solver, x, NULL, NULL, NULL) == LRGD_ERR_INVALID,
        "x");
  check(lrgd_solver_set_basis(solver, 1, NULL, NULL) == LRGD_ERR_INVALID, "W");
  check(lrgd_solver_set_constraints(solver, 1, NULL, x, NULL) ==
            LRGD_ERR_INVALID,
        "A");
  (void)lrgd_solver_destroy(&solver);
}

TEST("row 10: a failed create leaves NULL behind")
{
  lrgd_solver *solver = (lrgd_solver *)(uintptr_t)16;
  lrgd_problem problem = plain(NULL);
  problem.dimension = 0;
  check(lrgd_solver_create(&solver, &problem, NULL, NULL) != LRGD_OK && !solver,
        "NULL");
}

TEST("row 11: a problem without a callback is refused")
{
  double x[PLAIN_P] = {0};
  lrgd_problem problem = lrgd_problem_default(PLAIN_P);
  check(plain_run(&problem, NULL, x, NULL) == LRGD_ERR_INVALID &&
            says("no callback"),
        "%s", plain_sentence);
}

TEST("row 11: a problem whose size was never set is refused")
{
  double x[PLAIN_P] = {0};
  lrgd_problem problem = plain(NULL);
  problem.struct_size = 0;
  check(plain_run(&problem, NULL, x, NULL) == LRGD_ERR_INVALID &&
            says("struct_size"),
        "%s", plain_sentence);
}

TEST("row 12: dimensions beyond INT_MAX are refused before allocation")
{
  static const size_t huge[] = {(size_t)1 << 31, SIZE_MAX, SIZE_MAX / 8};
  for (int i = 0; i < 3; i++) {
    double x[1] = {0};
    lrgd_problem problem = plain(NULL);
    problem.dimension = huge[i];
    check(plain_run(&problem, NULL, x, NULL) == LRGD_ERR_INVALID &&
              says("dimension"),
          "%zu: %s", huge[i], plain_sentence);
  }
}

TEST("row 12: more samples than memory can hold are refused")
{
  double x[PLAIN_P] = {0};
  lrgd_problem problem = plain(NULL);
  lrgd_options o = plain_options(LRGD_METHOD_LRGD);
  o.oversample = 1e300;
  check(plain_run(&problem, &o, x, NULL) == LRGD_ERR_INVALID, "%s",
        plain_sentence);
}

TEST("row 14: the result may be written over the start")
{
  double x[PLAIN_P] = {0}, y[PLAIN_P] = {0}, start[PLAIN_P] = {0};
  lrgd_problem problem = plain(NULL);
  lrgd_options o = plain_options(LRGD_METHOD_LRGD);
  lrgd_solver *solver;
  require(lrgd_solver_create(&solver, &problem, &o, NULL) == LRGD_OK, "made");
  check(lrgd_solver_solve(solver, start, y, NULL, NULL) == LRGD_OK &&
            lrgd_solver_solve(solver, x, x, NULL, NULL) == LRGD_OK,
        "both work");
  check(memcmp(x, y, sizeof x) == 0 && start[0] == 0,
        "and give the same; the other start is untouched");
  (void)lrgd_solver_destroy(&solver);
}

TEST("row 15: destroying NULL, or twice, has no effect")
{
  lrgd_solver *solver = NULL;
  lrgd_problem problem = plain(NULL);
  check(lrgd_solver_destroy(NULL) == LRGD_OK, "NULL");
  check(lrgd_solver_destroy(&solver) == LRGD_OK, "of NULL");
  require(lrgd_solver_create(&solver, &problem, NULL, NULL) == LRGD_OK, "made");
  check(lrgd_solver_destroy(&solver) == LRGD_OK && !solver, "cleared");
  check(lrgd_solver_destroy(&solver) == LRGD_OK, "again");
}

TEST("row 30: zero and duplicate columns of a given basis are dropped")
{
  double W[4 * PLAIN_P] = {0}, x[PLAIN_P] = {0};
  lrgd_problem problem = plain(NULL);
  lrgd_options o = plain_options(LRGD_METHOD_GD);
  lrgd_solver *solver;
  lrgd_result result;
  W[0] = 2;               /* e_0 */
  W[PLAIN_P] = -5;        /* e_0 again */
  W[3 * PLAIN_P + 1] = 1; /* e_1, after a zero column */
  require(lrgd_solver_create(&solver, &problem, &o, NULL) == LRGD_OK, "made");
  check(lrgd_solver_set_basis(solver, 4, W, NULL) == LRGD_OK, "taken");
  check(lrgd_solver_solve(solver, x, x, &result, NULL) == LRGD_OK &&
            result.outcome == LRGD_OUTCOME_CONVERGED && result.rank == 2,
        "two directions: %s", result.message);
  check_within(x[0], 1, 1e-5, "moved");
  check(x[2] == 0, "not moved");
  (void)lrgd_solver_destroy(&solver);
}

TEST("row 30: a basis of zero columns, or of none, is refused")
{
  double W[2 * PLAIN_P] = {0};
  lrgd_problem problem = plain(NULL);
  lrgd_options o = plain_options(LRGD_METHOD_GD);
  lrgd_solver *solver;
  lrgd_error error = {LRGD_OK, ""};
  require(lrgd_solver_create(&solver, &problem, &o, NULL) == LRGD_OK, "made");
  check(lrgd_solver_set_basis(solver, 2, W, &error) == LRGD_ERR_INVALID,
        "zeros: %s", error.text);
  check(lrgd_solver_set_basis(solver, 0, W, NULL) == LRGD_ERR_INVALID, "none");
  W[3] = NAN;
  check(lrgd_solver_set_basis(solver, 2, W, NULL) == LRGD_ERR_INVALID, "NaN");
  (void)lrgd_solver_destroy(&solver);
}
