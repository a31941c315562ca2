/* Questions that nobody answered, as the solver counts them. */
#include "check.h"

#include <lrgd/lrgd.h>
#include <math.h>

enum { P = 40 };

/* Answers so many questions, and none after these. */
typedef struct patient {
  size_t left, answered, missing;
} patient;

static double value(size_t p, const double *x, void *user)
{
  patient *who = user;
  double f = 0;
  if (who->left == 0) {
    who->missing++;
    return NAN;
  }
  who->left--;
  who->answered++;
  for (size_t i = 0; i < p; i++) f += (double)(i + 1) * x[i] * x[i];
  return f;
}

static void values(size_t p, size_t m, const double *X, double *f, void *user)
{
  for (size_t j = 0; j < m; j++) f[j] = value(p, X + j * p, user);
}

static size_t unanswered(void *user)
{
  patient *who = user;
  size_t news = who->missing;
  who->missing = 0;
  return news;
}

static lrgd_result run(patient *who, bool batches)
{
  lrgd_problem f = lrgd_problem_default(P);
  lrgd_options o = lrgd_options_default();
  lrgd_result result = {.struct_size = sizeof result};
  double x[P];
  for (int i = 0; i < P; i++) x[i] = 1 + i;
  f.value = value;
  if (batches) f.values = values;
  f.unanswered = unanswered;
  f.user = who;
  o.method = LRGD_METHOD_GD;
  check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "it ran");
  return result;
}

TEST("an unanswered question counts neither as an evaluation nor as a failure")
{
  for (int batches = 0; batches < 2; batches++)
    for (size_t n = 1; n < 200; n += 33) {
      patient who = {.left = n};
      lrgd_result got = run(&who, batches != 0);
      uint64_t counted = lrgd_counts_evaluations(&got.counts);
      check(counted == n && who.answered == n, "%zu answered, %llu counted", n,
            (unsigned long long)counted);
      check(got.counts.failures == 0, "none has failed");
      check(got.outcome == LRGD_OUTCOME_STOPPED, "and the run is stopped");
    }
}
