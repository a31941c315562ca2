/* The lemma on level sets, Proposition 2.2 and the algebra, on functions of
 * which all this is known. */
#include <lrgd/analysis.h>

#include "chance.h"
#include "check.h"

#include <stdlib.h>

enum { P = 8 };

/* Full rank, strongly convex with mu = 1: sum (1 + i / 2) x_i^2 + x_0^4. */
static double convex(size_t p, const double *x, void *user)
{
  double f = pow(x[0], 4);
  (void)user;
  for (size_t i = 0; i < p; i++) f += (0.5 + 0.5 * (double)i) * x[i] * x[i];
  return f;
}

/* Of rank 2: in x_0 + x_1 and x_2 - x_3. */
static double ridge(size_t p, const double *x, void *user)
{
  double s = x[0] + x[1] - 1, t = x[2] - x[3] + 2;
  (void)p;
  (void)user;
  return s * s + 0.2 * s * s * s * s + 3 * t * t;
}

/* It falls for ever. */
static double slide(size_t p, const double *x, void *user)
{
  (void)p;
  (void)user;
  return x[0] + x[1];
}

static lrgd_status try(double (*f)(size_t, const double *, void *),
                       lrgd_propositions *found, lrgd_error *error)
{
  lrgd_problem problem = lrgd_problem_default(P);
  double x0[P];
  for (int i = 0; i < P; i++) x0[i] = 1 + 0.1 * i;
  problem.value = f;
  return lrgd_propositions_try(found, &problem, NULL, x0, error);
}

TEST("a strongly convex function has every direction on its level sets")
{
  lrgd_propositions found;
  lrgd_error error = {.text = ""};
  require(try(convex, &found, &error) == LRGD_OK, "%s", error.text);
  check(found.lemma_holds && found.alignment > 0.9999, "%s", found.lemma_why);
  check_within(found.reached, found.level, 2e-3 * found.level, "on the level");
  /* mu = 1: less than sqrt(2 level) away */
  check(found.distance < sqrt(2 * found.level), "%g away", found.distance);
  /* |grad f| >= mu |x - x*|, as Proposition 2.3 needs it */
  check(found.grad_norm >= found.distance, "|grad f| %g", found.grad_norm);
}

static int drawn; /* which of the functions below */

/* Strongly convex too: sum cosh(0.3 a_i'x) for P random rows, whose smallest
 * curvature is a thousandth of the largest and less. */
static double mixed(size_t p, const double *x, void *user)
{
  unsigned state = (unsigned)drawn * 2654435761u + 1;
  double f = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) {
    double sum = 0;
    for (size_t j = 0; j < p; j++) sum += 1.7 * chance(&state) * x[j];
    f += cosh(0.3 * sum);
  }
  return f;
}

TEST("directions of small curvature do not hide the point of the lemma")
{
  for (drawn = 0; drawn < 8; drawn++) {
    lrgd_propositions found;
    lrgd_error error = {.text = ""};
    require(try(mixed, &found, &error) == LRGD_OK, "%s", error.text);
    check(found.lemma_holds, "%d: %s", drawn, found.lemma_why);
  }
}

/* sum 100^(i / (P - 1)) (x_i + 0.3 x_{i+1})^2 */
static double squares(size_t p, const double *x, void *user)
{
  double f = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) {
    double t = x[i] + (i + 1 < p ? 0.3 * x[i + 1] : 0);
    f += pow(100, (double)i / (double)(p - 1)) * t * t;
  }
  return f;
}

TEST(
    "the point lies in the ball of the lemma, whatever the curvature on "
    "the way")
{
  lrgd_propositions found;
  lrgd_error error = {.text = ""};
  require(try(squares, &found, &error) == LRGD_OK, "%s", error.text);
  check(found.lemma_holds && found.mu > 0, "%s", found.lemma_why);
  check(found.distance <= 1.001 * found.delta, "%g away, delta %g",
        found.distance, found.delta);
}

TEST("where the Hessian is invertible epsilon is positive for every eta < 1")
{
  lrgd_propositions found;
  lrgd_error error = {.text = ""};
  require(try(convex, &found, &error) == LRGD_OK, "%s", error.text);
  check(found.proposition_holds, "%s", found.proposition_why);
  check(found.directions > 0 && found.directions < P, "%zu directions",
        found.directions);
  check(found.shares == LRGD_SHARES_ROOM, "%zu steps", found.shares);
  for (size_t i = 1; i < found.shares; i++)
    check_within(found.step[i], found.step[i - 1] / 2, 1e-9, "half as far");
  for (int i = 0; i < 3; i++)
    check(found.least_epsilon[i] > 0, "epsilon %g", found.least_epsilon[i]);
  check(found.least_epsilon[2] < found.least_epsilon[0], "less with eta");
}

TEST("the composites of a function of rank 2 have ranks 2, 4, 4 and 2")
{
  static const size_t ranks[] = {2, 4, 4, 2};
  lrgd_propositions found;
  lrgd_error error = {.text = ""};
  require(try(ridge, &found, &error) == LRGD_OK, "%s", error.text);
  check_int(found.rank, 2, "rank");
  require(found.rows == 4, "%zu rows", found.rows);
  check(found.algebra_holds, "all hold");
  for (size_t i = 0; i < 4; i++) {
    const lrgd_algebra *row = &found.algebra[i];
    check_int(row->bound, ranks[i], "%s at most", row->made);
    check_int(row->rank, ranks[i], "%s", row->made);
  }
  check(strstr(found.proposition_why, "exactly of rank 2 of 8") != NULL, "%s",
        found.proposition_why);
  check(found.lemma_holds, "inside its directions: %s", found.lemma_why);
}

TEST(
    "a problem without a minimum, or with bounds, is refused with a "
    "message")
{
  lrgd_propositions found;
  lrgd_error error = {.text = ""};
  double x[P] = {0};
  lrgd_problem problem = lrgd_problem_default(P);
  check(try(slide, &found, &error) == LRGD_ERR_INVALID, "no minimum");
  check(strstr(error.text, "no minimum") != NULL, "%s", error.text);
  problem.value = convex;
  problem.lower = x;
  check(lrgd_propositions_try(&found, &problem, NULL, x, &error) ==
            LRGD_ERR_INVALID,
        "bounds");
  check(strstr(error.text, "without bounds") != NULL, "%s", error.text);
}
