/* Minimises a function of 1,000 variables that varies along two directions. */
#include <lrgd/lrgd.h>
#include <stdio.h>

static double f(size_t p, const double *x, void *user)
{
  double s[2] = {0, 0}; /* all that f depends on */
  (void)user;
  for (size_t i = 0; i < p; i++) s[i % 2] += x[i];
  return (s[0] - 3) * (s[0] - 3) + 4 * (s[1] + 1) * (s[1] + 1);
}

int main(void)
{
  double x[1000] = {0}; /* the start, then the answer */
  lrgd_problem problem = lrgd_problem_default(1000);
  lrgd_result result;
  lrgd_error error;
  problem.value = f;
  if (lrgd_minimize(&problem, NULL, x, &result, &error) != LRGD_OK)
    return fprintf(stderr, "%s\n", error.text), 1;
  printf("%s; f = %.2g, %.0f evaluations\n", result.message, result.f,
         (double)lrgd_counts_evaluations(&result.counts));
  return 0;
}
