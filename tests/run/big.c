/* big COMMAND: one value of the largest problem there is, through a worker. */
#include <lrgd/run.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  const size_t p = 623290;
  lrgd_error error;
  lrgd_pool *pool;
  lrgd_pool_options how = lrgd_pool_options_default();
  how.command = argc > 1 ? argv[1] : NULL;
  if (lrgd_pool_create(&pool, &how, &error)) {
    printf("%s\n", error.text);
    return 2;
  }
  double *x = malloc(p * sizeof *x), f = 0;
  if (!x) return 3;
  for (size_t i = 0; i < p; i++) {
    x[i] = (double)(i % 7) + 1.0 / (double)(i + 3);
    double t = x[i] - (double)(i % 7);
    f += t * t;
  }
  lrgd_problem problem = lrgd_pool_problem(pool, p);
  double got = problem.value(p, x, problem.user);
  printf("%.17g %.17g %s\n", f, got, lrgd_pool_last_failure(pool));
  free(x);
  lrgd_pool_destroy(&pool);
  return got == f ? 0 : 1;
}
