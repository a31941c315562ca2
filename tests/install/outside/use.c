/* A stranger's C program: the library is the version named in the argument,
 * and minimises. */
#include <lrgd/lrgd.h>
#include <stdio.h>
#include <string.h>

static double parabola(size_t p, const double *x, void *user)
{
  (void)p;
  (void)user;
  return (x[0] - 1) * (x[0] - 1) + 3 * (x[1] + 2) * (x[1] + 2);
}

int main(int argc, char **argv)
{
  double x[2] = {0, 0};
  lrgd_problem problem = lrgd_problem_default(2);
  lrgd_options options = lrgd_options_default();
  lrgd_result result;
  lrgd_error error;
  if (argc != 2 || strcmp(lrgd_version(), argv[1]) != 0) return 2;
  problem.value = parabola;
  options.method = LRGD_METHOD_GD;
  if (lrgd_minimize(&problem, &options, x, &result, &error) != LRGD_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  printf("%s at %g %g\n", lrgd_outcome_text(result.outcome), x[0], x[1]);
  return result.f < 1e-6 ? 0 : 3;
}
