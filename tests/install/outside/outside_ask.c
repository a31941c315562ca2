/* A stranger who owns the loop: asks, evaluates, tells. */
#include <lrgd/run.h>
#include <stdio.h>
#include <string.h>

static double parabola(const double *x)
{
  return (x[0] - 1) * (x[0] - 1) + 3 * (x[1] + 2) * (x[1] + 2);
}

int main(int argc, char **argv)
{
  double x[2] = {0, 0};
  lrgd_problem problem = lrgd_problem_default(2);
  lrgd_ask_tell *ask_tell;
  lrgd_question question;
  lrgd_result result;
  lrgd_status status;
  if (argc != 2 || strcmp(lrgd_version(), argv[1]) != 0) return 2;
  status = lrgd_ask_tell_create(&ask_tell, &problem, LRGD_ORACLE_VALUE, NULL, x,
                                NULL);
  while (status == LRGD_OK) {
    double f[64];
    status = lrgd_ask(ask_tell, &question, NULL);
    if (status != LRGD_OK || question.count == 0) break;
    if (question.count > 64) return 4;
    for (size_t i = 0; i < question.count; i++)
      f[i] = parabola(question.x + 2 * i);
    status = lrgd_tell(ask_tell, f, NULL, NULL);
  }
  if (status == LRGD_OK)
    status = lrgd_ask_tell_result(ask_tell, x, &result, NULL);
  lrgd_ask_tell_destroy(&ask_tell);
  if (status != LRGD_OK) return 1;
  printf("%s at %g %g\n", lrgd_outcome_text(result.outcome), x[0], x[1]);
  return result.f < 1e-6 ? 0 : 3;
}
