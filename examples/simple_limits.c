/* Limits on outputs: a model answers several numbers of a point, of which one
 * is minimised and others stay within limits.  The least volume of four bars,
 * by their sections, whose joint moves by at most 4. */
#include <lrgd/lrgd.h>
#include <math.h>
#include <stdio.h>

enum { P = 4, M = 3 };

static const double load[P] = {3, 1, 2, 0.5};

/* Volume, how far the joint moves, and the stress of the first bar. */
static void outputs(size_t p, const double *x, size_t m, double *y, void *user)
{
  (void)m;
  (void)user;
  y[0] = y[1] = 0;
  for (size_t i = 0; i < p; i++) {
    y[0] += x[i];
    y[1] += load[i] / x[i];
  }
  y[2] = load[0] / x[0];
}

int main(void)
{
  double x[P] = {5, 5, 5, 5}, y[M], gain[M];
  const double most[M] = {INFINITY, 4, 1.2}, least[P] = {.1, .1, .1, .1};
  lrgd_limits limits = {.objective = 0, .upper = most};
  lrgd_problem problem = lrgd_problem_default(P);
  lrgd_options options = lrgd_options_default();
  lrgd_solver *solver;
  lrgd_result result;
  lrgd_error error;
  problem.residual_count = M;
  problem.residuals = outputs;
  problem.limits = &limits;
  problem.lower = least;
  if (lrgd_solver_create(&solver, &problem, &options, &error) != LRGD_OK ||
      lrgd_solver_solve(solver, x, x, &result, &error) != LRGD_OK)
    return fprintf(stderr, "%s\n", error.text), 1;
  printf("%s\nvolume %.4f, %.0f evaluations; ", result.message, result.f,
         (double)lrgd_counts_evaluations(&result.counts));
  if (lrgd_solver_residuals(solver, y) == LRGD_OK &&
      lrgd_solver_multipliers(solver, gain) == LRGD_OK)
    printf("moves by %.4f (1 more saves %.2f), stress %.4f (1 more %.2f)\n",
           y[1], gain[1], y[2], gain[2]);
  printf("violation %.0e of the limits\n", lrgd_solver_violation(solver));
  return lrgd_solver_destroy(&solver) != LRGD_OK;
}
