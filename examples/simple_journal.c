/* A journal: every answer is kept as it comes.  Run it twice: the second run
 * asks nothing that the first has asked, and ends where that has ended. */
#include <lrgd/run.h>
#include <stdio.h>

enum { P = 200 };

static double f(size_t p, const double *x, void *user)
{
  double s = 0;
  unsigned long *asked = user;
  ++*asked;
  for (size_t i = 0; i < p; i++) s += x[i];
  return (s - 3) * (s - 3);
}

/* One run with the journal; 0 where it went well. */
static int run(const char *path)
{
  double x[P] = {0};
  unsigned long asked = 0;
  lrgd_result result;
  lrgd_error error;
  lrgd_journal *journal = NULL;
  lrgd_journal_options options = lrgd_journal_options_default();
  lrgd_problem problem = lrgd_problem_default(P);
  options.dimension = P;
  problem.value = f;
  problem.user = &asked;
  lrgd_status status = lrgd_journal_open(&journal, path, &options, &error);
  if (status == LRGD_OK)
    status = lrgd_journal_wrap(journal, &problem, NULL, &problem, &error);
  if (status == LRGD_OK)
    status = lrgd_minimize(&problem, NULL, x, &result, &error);
  if (status == LRGD_OK)
    status =
        lrgd_journal_finish(journal, lrgd_outcome_text(result.outcome), &error);
  lrgd_journal_close(&journal);
  if (status != LRGD_OK) return fprintf(stderr, "%s\n", error.text), 1;
  printf("%s; f = %.2g, %.0f evaluations, %lu of them asked now\n",
         lrgd_outcome_text(result.outcome), result.f,
         (double)lrgd_counts_evaluations(&result.counts), asked);
  return 0;
}

int main(int argc, char **argv)
{
  const char *path = "journal-example.db";
  if (argc > 1) return run(argv[1]);
  (void)remove(path);
  int failed = run(path) || run(path);
  (void)remove(path);
  return failed;
}
