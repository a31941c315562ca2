/* Method auto on residuals of which more is known than their values. */
#include "rod.h"

#include "check.h"

#include <stdlib.h>

/* ---- prior information ---- */

typedef struct fit {
  double read[ROD_READINGS];
  rod_prior prior;
  size_t calls, reached; /* reached: calls until f - least <= 1e-6 of the gap */
  double first, lowest, least;
} fit;

static void residuals(size_t p, const double *x, size_t m, double *r,
                      void *user)
{
  fit *t = user;
  (void)p;
  double f = rod_prior_f(&t->prior.rows, x);
  rod_simulate(x, r);
  for (size_t i = 0; i < m; i++) {
    r[i] = 100 * (r[i] - t->read[i]);
    f += 0.5 * r[i] * r[i];
  }
  t->calls++;
  if (t->calls == 1) t->first = f;
  if (t->calls == 1 || f < t->lowest) t->lowest = f;
  if (t->reached == 0 && f - t->least <= 1e-6 * (t->first - t->least))
    t->reached = t->calls;
}

static lrgd_result solve(fit *t, lrgd_options o, double *x)
{
  lrgd_problem f = lrgd_problem_default(ROD_CELLS);
  lrgd_result result = {.f = NAN};
  lrgd_error error = {LRGD_OK, ""};
  f.residuals = residuals, f.residual_count = ROD_READINGS, f.user = t;
  f.prior = &t->prior.rows;
  check(lrgd_minimize(&f, &o, x, &result, &error) == LRGD_OK, "%s", error.text);
  check_int(lrgd_counts_evaluations(&result.counts), t->calls, "the counts");
  return result;
}

TEST("with prior information a rod comes to 1e-6 of its gap")
{
  static fit t;
  double least = 0;
  for (unsigned seed = 0; seed <= 3; seed++) {
    double x[ROD_CELLS] = {0};
    lrgd_options o = lrgd_options_default();
    o.seed = seed;
    t = (fit){.least = seed > 0 ? least : -INFINITY};
    rod_read(t.read);
    rod_tell(&t.prior, 0.1, 1);
    if (seed == 0) o.tol = 1e-9; /* this run tells the minimum */
    o.max_evals = seed == 0 ? 1500 : 400;
    lrgd_result result = solve(&t, o, x);
    if (seed == 0) least = t.lowest;
    if (seed == 0) continue;
    check(result.outcome == LRGD_OUTCOME_CONVERGED, "%s", result.message);
    check(t.reached > 0 && t.reached <= 5 * ROD_CELLS, "after %zu evaluations",
          t.reached);
    double r[ROD_READINGS];
    t.calls = 1, t.lowest = INFINITY;
    residuals(ROD_CELLS, x, ROD_READINGS, r, &t);
    check_near(result.f, t.lowest, 1e-12, "f has the prior");
  }
}

TEST("the solver tells prior rows behind the residuals, and their Jacobian")
{
  static fit t;
  lrgd_problem f = lrgd_problem_default(ROD_CELLS);
  lrgd_solver *solver = NULL;
  lrgd_result result;
  lrgd_options o = lrgd_options_default();
  size_t all = ROD_READINGS + ROD_ROWS;
  double x[ROD_CELLS] = {0}, *r = malloc(all * sizeof *r);
  t = (fit){.least = -INFINITY};
  rod_read(t.read);
  rod_tell(&t.prior, 0.1, 1);
  f.residuals = residuals, f.residual_count = ROD_READINGS, f.user = &t;
  f.prior = &t.prior.rows;
  o.max_evals = 30;
  require(lrgd_solver_create(&solver, &f, &o, NULL) == LRGD_OK, "a solver");
  /* copied: what the caller does to them afterwards does not matter */
  memset(t.prior.coefficient, 0, sizeof t.prior.coefficient);
  t.prior.rows.count = 0;
  require(lrgd_solver_solve(solver, x, x, &result, NULL) == LRGD_OK, "solves");
  require(lrgd_solver_residual_count(solver) == all, "residuals and rows");
  require(lrgd_solver_residuals(solver, r) == LRGD_OK, "the residuals");
  for (size_t i = 0; i < ROD_CELLS; i++)
    check_within(r[ROD_READINGS + i], 0.1 * x[i], 1e-14, "row %zu", i);
  for (size_t i = 0; i + 1 < ROD_CELLS; i++)
    check_within(r[ROD_READINGS + ROD_CELLS + i], x[i + 1] - x[i], 1e-14,
                 "row %zu", ROD_CELLS + i);
  size_t k = lrgd_solver_basis_size(solver);
  double *U = malloc(k * ROD_CELLS * sizeof *U),
         *J = malloc(k * all * sizeof *J);
  require(lrgd_solver_basis(solver, U) == LRGD_OK, "the basis");
  require(lrgd_solver_jacobian(solver, J) == LRGD_OK, "the Jacobian");
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < ROD_CELLS; i++)
      check_within(J[j * all + ROD_READINGS + i], 0.1 * U[j * ROD_CELLS + i],
                   1e-13, "column %zu of row %zu is exact", j, i);
  free(U), free(J), free(r);
  check(lrgd_solver_destroy(&solver) == LRGD_OK, "destroyed");
}

TEST("prior information that is none is refused in a sentence")
{
  size_t begin[] = {0, 1}, input[] = {0};
  double one[] = {1}, bad[] = {NAN}, minus[] = {-1};
  lrgd_prior good = {1, begin, input, one, one, NULL}, p;
  lrgd_problem f = lrgd_problem_default(ROD_CELLS);
  lrgd_solver *solver = NULL;
  lrgd_error error = {LRGD_OK, ""};
  f.residuals = residuals, f.residual_count = ROD_READINGS, f.prior = &p;
  for (int i = 0; i < 6; i++) {
    size_t late[] = {1, 1}, back[] = {0, 0}, outside[] = {ROD_CELLS};
    p = good;
    if (i == 1) p.begin = late;
    if (i == 2) p.input = outside;
    if (i == 3) p.coefficient = bad;
    if (i == 4) p.weight = minus;
    if (i == 5) p.target = bad;
    lrgd_status status = lrgd_solver_create(&solver, &f, NULL, &error);
    check_int(status, i == 0 ? LRGD_OK : LRGD_ERR_INVALID, "case %d: %s", i,
              error.text);
    check(i == 0 || strncmp(error.text, "prior: ", 7) == 0, "%s", error.text);
    p = good, p.begin = back; /* a row without entries is a constant */
    if (i == 0) check(lrgd_solver_destroy(&solver) == LRGD_OK, "destroyed");
  }
}
