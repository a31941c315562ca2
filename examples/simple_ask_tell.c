/* Ask and tell: the loop is yours.  The solver asks for points, in batches; who
 * answers them, and when, is up to you. */
#include <lrgd/run.h>
#include <stdio.h>

enum { P = 200 };

static double f(const double *x)
{
  double s = 0;
  for (size_t i = 0; i < P; i++) s += x[i];
  return (s - 3) * (s - 3);
}

/* Answers one batch: here one point after the other. */
static lrgd_status answer(lrgd_ask_tell *ask_tell,
                          const lrgd_question *question, lrgd_error *error)
{
  double values[1000];
  size_t count = question->count < 1000 ? question->count : 1000;
  for (size_t i = 0; i < count; i++) values[i] = f(question->x + i * P);
  return lrgd_tell(ask_tell, values, NULL, error);
}

int main(void)
{
  double x[P] = {0};
  lrgd_problem bounds = lrgd_problem_default(P); /* none */
  lrgd_ask_tell *ask_tell;
  lrgd_question question;
  lrgd_result result;
  lrgd_error error;
  lrgd_status status = lrgd_ask_tell_create(&ask_tell, &bounds,
                                            LRGD_ORACLE_VALUE, NULL, x, &error);
  while (status == LRGD_OK) {
    status = lrgd_ask(ask_tell, &question, &error);
    if (status != LRGD_OK || question.count == 0) break;
    status = answer(ask_tell, &question, &error);
  }
  if (status == LRGD_OK)
    status = lrgd_ask_tell_result(ask_tell, x, &result, &error);
  lrgd_ask_tell_destroy(&ask_tell);
  if (status != LRGD_OK) return fprintf(stderr, "%s\n", error.text), 1;
  printf("%s; f = %.2g, %.0f evaluations\n", lrgd_outcome_text(result.outcome),
         result.f, (double)lrgd_counts_evaluations(&result.counts));
  return 0;
}
