/* Slopes: a program that can differentiate along a direction (forward mode, a
 * tangent-linear model) tells f and the slope for the price of one run. */
#include <lrgd/lrgd.h>
#include <stdio.h>

enum { P = 500 };

/* f = (s - 3)^2 + s^4 with s = sum of x_i / i, and its derivative along each
 * column u of U: (2 (s - 3) + 4 s^3) sum of u_i / i. */
static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  double s = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) s += x[i] / (double)(i + 1);
  for (size_t j = 0; j < k; j++) {
    double along = 0;
    for (size_t i = 0; i < p; i++) along += U[j * p + i] / (double)(i + 1);
    d[j] = (2 * (s - 3) + 4 * s * s * s) * along;
  }
  return (s - 3) * (s - 3) + s * s * s * s;
}

int main(void)
{
  double x[P] = {0};
  lrgd_problem problem = lrgd_problem_default(P);
  lrgd_result result;
  lrgd_error error;
  problem.slopes = slopes;
  if (lrgd_minimize(&problem, NULL, x, &result, &error) != LRGD_OK)
    return fprintf(stderr, "%s\n", error.text), 1;
  printf("%s; f = %.6g, %.0f evaluations\n", lrgd_outcome_text(result.outcome),
         result.f, (double)lrgd_counts_evaluations(&result.counts));
  return 0;
}
