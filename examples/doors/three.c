#include <lrgd/lrgd.h>
#include <stdio.h>

static double f(size_t p, const double *x, void *user)
{
  double s[2] = {0, 0}; /* all that counts */
  (void)user;
  for (size_t i = 0; i < p; i++) s[i % 2] += x[i];
  return (s[0] - 3) * (s[0] - 3) + s[1] * s[1];
}

int main(void)
{
  double x[1000] = {0};
  lrgd_problem on = lrgd_problem_default(1000);
  lrgd_result end;
  on.value = f;
  if (lrgd_minimize(&on, NULL, x, &end, NULL)) return 1;
  printf("%s; f = %.2g\n", end.message, end.f);
}
