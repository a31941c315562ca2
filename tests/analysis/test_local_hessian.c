/* Local low rank from the Hessian, and one-dimensional search. */
#include <lrgd/analysis.h>

#include "check.h"
#include "make_problem.h"

TEST("Lanczos finds the largest curvatures of a quadratic")
{
  lr_problem *made;
  lrgd_local local;
  lrgd_error error = {LRGD_OK, ""};
  require(make(&made, "quadratic p=80 spectrum=9,7,5,3,1 tail=0.01", NULL) ==
              LRGD_OK,
          "made");
  const lrgd_problem *f = lr_problem_callbacks(made);
  lrgd_status status =
      lrgd_local_diagnosis(&local, f, NULL, lr_problem_start(made), 4, &error);
  require(status == LRGD_OK, "%s", error.text);
  const double want[] = {9, 7, 5, 3};
  for (int i = 0; i < 4; i++)
    check_within(local.eigenvalues[i], want[i], 0.05, "eigenvalue %d", i);
  check(local.r == 4, "H has 4 directions");
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j <= i; j++)
      check_within(dot(80, local.basis + i * 80, local.basis + j * 80), i == j,
                   1e-10, "orthonormal");
  lrgd_local_free(&local);
  lr_problem_destroy(&made);
}

TEST("on rays |g - Pg| stays below M t^2 + sigma_r t")
{
  const char *const tried[] = {"ridge p=60 rank=6 sigma=cosh",
                               "logistic p=60 rank=6", "network"};
  for (size_t l = 0; l < 3; l++) {
    lr_problem *made;
    lrgd_local local;
    lrgd_error error = {LRGD_OK, ""};
    require(make(&made, tried[l], NULL) == LRGD_OK, "%s", tried[l]);
    lrgd_status status =
        lrgd_local_diagnosis(&local, lr_problem_callbacks(made), NULL,
                             lr_problem_start(made), 4, &error);
    require(status == LRGD_OK, "%s: %s", tried[l], error.text);
    check(local.worst <= 1.05, "%s: %g of the bound", tried[l], local.worst);
    check(local.M > 0 && isfinite(local.M), "%s: M %g", tried[l], local.M);
    lrgd_local_free(&local);
    lr_problem_destroy(&made);
  }
}

TEST("a subspace lasts (eta - sigma_r) / (alpha M |g|) iterations")
{
  double eigenvalues[] = {3, 0.1};
  lrgd_local local = {
      .r = 2, .eigenvalues = eigenvalues, .grad_norm = 2, .M = 0.5};
  check_near(lrgd_local_lasts(&local, 0.01, 0.3), 20, 1e-12, "the rule");
  check(lrgd_local_lasts(&local, 0.01, 0.05) == 0, "sigma_r is too large");
}

/* ---- Motivation 2: one direction is a line search ---- */

enum { P = 6 };
static const double h[P] = {12, 7, 4, 2, 1.5, 1};

static double bowl(size_t p, const double *x, double *g, void *user)
{
  double f = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) {
    g[i] = h[i] * x[i];
    f += 0.5 * h[i] * x[i] * x[i];
  }
  return f;
}

/* Steepest descent with exact search: t = g.g / g.Hg. */
static int exact_search(double *x, double tol)
{
  double g[P];
  int steps = 0;
  for (;; steps++) {
    double gg = 0, gHg = 0;
    (void)bowl(P, x, g, NULL);
    for (int i = 0; i < P; i++) {
      gg += g[i] * g[i];
      gHg += g[i] * h[i] * g[i];
    }
    if (sqrt(gg) <= tol) return steps;
    for (int i = 0; i < P; i++) x[i] -= gg / gHg * g[i];
  }
}

TEST("iterated LRGD with r = 1 is steepest descent with exact line search")
{
  lrgd_problem f = lrgd_problem_default(P);
  lrgd_options o = lrgd_options_default();
  lrgd_result result;
  double x[P], y[P];
  for (int i = 0; i < P; i++) x[i] = y[i] = 1 + 0.3 * i;
  f.gradient = bowl;
  o.method = LRGD_METHOD_ITERATED;
  o.rank = 1;
  o.step = LRGD_STEP_FIXED;
  o.alpha = 1 / 24.0;
  o.tol = 1e-6;
  lrgd_status status = lrgd_minimize(&f, &o, x, &result, NULL);
  require(status == LRGD_OK && result.outcome == LRGD_OUTCOME_CONVERGED, "%s",
          result.message);
  int rounds = (int)(result.counts.oracle_calls[LRGD_PURPOSE_IDENTIFY] / P) - 1;
  int steps = exact_search(y, 1e-6);
  check(abs(rounds - steps) <= 1 + steps / 20, "%d rounds, %d exact searches",
        rounds, steps);
  for (int i = 0; i < P; i++) check_within(x[i], y[i], 2e-6, "x[%d]", i);
}
