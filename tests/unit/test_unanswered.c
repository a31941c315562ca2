/* Questions that nobody answered, as the solver counts them. */
#include "check.h"

#include "asked.h"

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

/* Evaluations under way, none of which is made: we are told of all of them
 * before the first is returned. */
typedef struct refusal {
  uint64_t tickets[8];
  size_t started, returned, told;
} refusal;

static void start(size_t p, const double *x, uint64_t ticket, void *user)
{
  refusal *who = user;
  (void)p, (void)x;
  who->tickets[who->started++] = ticket;
}

static uint64_t finish(double *f, void *user)
{
  refusal *who = user;
  *f = NAN;
  return who->tickets[who->returned++];
}

static size_t all_at_once(void *user)
{
  refusal *who = user;
  size_t news = who->started - who->told;
  who->told = who->started;
  return news;
}

TEST("unanswered evaluations under way are taken back each from its purpose")
{
  static const lrgd_purpose why[] = {LRGD_PURPOSE_CHECK, LRGD_PURPOSE_DESCEND,
                                     LRGD_PURPOSE_PROBE, LRGD_PURPOSE_DESCEND};
  enum { STARTED = sizeof why / sizeof *why };
  refusal who = {.started = 0};
  asked a = {.problem = lrgd_problem_default(2),
             .options = lrgd_options_default()};
  double x[2] = {1, 2}, f;
  size_t at;
  a.problem.start = start;
  a.problem.finish = finish;
  a.problem.unanswered = all_at_once;
  a.problem.value = value;
  a.problem.user = &who;
  a.options.async = 1;
  a.options.width = STARTED;
  ask(&a, x);
  for (int i = 0; i < STARTED; i++)
    check(lr_oracle_start(&a.oracle, a.at.x, why[i], &at) == LR_GO, "started");
  check(lr_oracle_finish(&a.oracle, &at, &f) == LR_END, "the run is stopped");
  const uint64_t *left = a.oracle.counts.evaluations[LRGD_KIND_VALUES];
  check_int(left[LRGD_PURPOSE_CHECK], 0, "the first is taken back");
  check_int(left[LRGD_PURPOSE_DESCEND], 2, "the others are under way");
  check_int(left[LRGD_PURPOSE_PROBE], 1, "the others are under way");
  lr_oracle_drain(&a.oracle);
  check_int(left[LRGD_PURPOSE_DESCEND], 0, "all are taken back");
  check_int(left[LRGD_PURPOSE_PROBE], 0, "all are taken back");
  check_int(a.oracle.counts.failures, 0, "none has failed");
  dismiss(&a);
}
