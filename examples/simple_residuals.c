/* Residuals: a model that answers m numbers tells m times as much as the sum of
 * their squares.  Fits an exponential to six measurements. */
#include <lrgd/lrgd.h>
#include <math.h>
#include <stdio.h>

enum { P = 2, M = 6 };

static const double time_of[M] = {0, 1, 2, 3, 4, 5};
static const double measured[M] = {2.03, 1.21, 0.75, 0.44, 0.27, 0.17};

/* r_i = x_1 exp(-x_2 t_i) - y_i */
static void residuals(size_t p, const double *x, size_t m, double *r,
                      void *user)
{
  (void)p;
  (void)user;
  for (size_t i = 0; i < m; i++)
    r[i] = x[0] * exp(-x[1] * time_of[i]) - measured[i];
}

int main(void)
{
  double x[P] = {1, 1};
  lrgd_problem problem = lrgd_problem_default(P);
  lrgd_result result;
  lrgd_error error;
  problem.residual_count = M;
  problem.residuals = residuals;
  if (lrgd_minimize(&problem, NULL, x, &result, &error) != LRGD_OK)
    return fprintf(stderr, "%s\n", error.text), 1;
  printf("%s; f = %.3g, %.0f evaluations: %.3f exp(-%.3f t)\n",
         lrgd_outcome_text(result.outcome), result.f,
         (double)lrgd_counts_evaluations(&result.counts), x[0], x[1]);
  return 0;
}
