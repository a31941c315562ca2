/* A journal that is only read answers a whole run, and asks nobody. */
#include "check.h"
#include "journal_folder.h"

#include <lrgd/run.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { P = 12 };

typedef struct bowl {
  uint64_t asked;
} bowl;

static double value(size_t p, const double *x, void *user)
{
  double sum = 0, first = x[0] - 2;
  ((bowl *)user)->asked++;
  for (size_t i = 0; i < p; i++) sum += x[i];
  return sum * sum + 3 * first * first;
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  double sum = 0;
  for (size_t i = 0; i < p; i++) sum += x[i];
  for (size_t i = 0; i < p; i++) g[i] = 2 * sum;
  g[0] += 6 * (x[0] - 2);
  return value(p, x, user);
}

static void stop(lrgd_status status, void *user)
{
  check_int(status, LRGD_OK, "an end, and no trouble");
  lrgd_solver_stop(user);
}

static lrgd_result solve(lrgd_journal *journal, bowl *f, int by_gradient,
                         int64_t most, double x[P])
{
  lrgd_error error;
  lrgd_result result;
  lrgd_solver *solver;
  lrgd_options options = lrgd_options_default();
  lrgd_problem problem = lrgd_problem_default(P);
  options.max_evals = most;
  if (by_gradient)
    problem.gradient = gradient;
  else
    problem.value = value;
  problem.user = f;
  check(lrgd_journal_wrap(journal, &problem, NULL, &problem, &error) == LRGD_OK,
        "%s", error.text);
  check(lrgd_solver_create(&solver, &problem, &options, &error) == LRGD_OK,
        "%s", error.text);
  lrgd_journal_on_fatal(journal, stop, solver);
  memset(x, 0, P * sizeof *x);
  check(lrgd_solver_solve(solver, x, x, &result, &error) == LRGD_OK, "%s",
        error.text);
  (void)lrgd_solver_destroy(&solver);
  return result;
}

static lrgd_result write_run(bowl *f, int by_gradient, int64_t most,
                             double x[P])
{
  lrgd_error error;
  lrgd_journal *journal;
  lrgd_journal_options keep = lrgd_journal_options_default();
  keep.dimension = P;
  check(lrgd_journal_open(&journal, path, &keep, &error) == LRGD_OK, "%s",
        error.text);
  lrgd_result result = solve(journal, f, by_gradient, most, x);
  lrgd_journal_close(&journal);
  return result;
}

static lrgd_result read_run(bowl *f, int by_gradient, int64_t most, double x[P],
                            lrgd_journal_summary *summary)
{
  lrgd_error error;
  lrgd_journal *journal;
  check(lrgd_journal_open_readonly(&journal, path, &error) == LRGD_OK, "%s",
        error.text);
  lrgd_result result = solve(journal, f, by_gradient, most, x);
  check_int(lrgd_journal_status(journal, &error), LRGD_OK, "no trouble");
  check(lrgd_journal_summarize(journal, summary, &error) == LRGD_OK, "%s",
        error.text);
  lrgd_journal_close(&journal);
  return result;
}

static void try_whole(int by_gradient)
{
  double x[P], y[P];
  bowl f = {0}, nobody = {0};
  lrgd_journal_summary summary;
  make_folder("reading");
  lrgd_result wrote = write_run(&f, by_gradient, LRGD_UNSET, x);
  lrgd_result again = read_run(&nobody, by_gradient, LRGD_UNSET, y, &summary);
  check_int(wrote.outcome, LRGD_OUTCOME_CONVERGED, "the run converged");
  check_int(nobody.asked, 0, "nobody was asked");
  check_int(summary.unanswered, 0, "everything was answered");
  check_int(summary.replayed, f.asked, "all of it");
  check_int(again.outcome, wrote.outcome, "the same end");
  check(memcmp(x, y, sizeof x) == 0, "at the same point");
  check_int(lrgd_counts_evaluations(&again.counts),
            lrgd_counts_evaluations(&wrote.counts), "the same counts");
  remove_folder();
}

TEST("a journal that is only read gives the whole run again")
{
  try_whole(0);
}

TEST("a whole journal of gradients is read back")
{
  try_whole(1);
}

TEST("a journal without a problem or an evaluator is refused")
{
  lrgd_error error;
  lrgd_journal *journal;
  double x[P];
  bowl f = {0};
  make_folder("reading");
  (void)write_run(&f, 0, 9, x);
  check(lrgd_journal_open_readonly(&journal, path, &error) == LRGD_OK, "%s",
        error.text);
  lrgd_problem problem = lrgd_problem_default(P);
  problem.value = value;
  check_int(
      lrgd_journal_wrap_evaluator(journal, &problem, NULL, &problem, &error),
      LRGD_ERR_INVALID, "NULL");
  check(strstr(error.text, "evaluator") != NULL, "%s", error.text);
  lrgd_journal_close(&journal);
  remove_folder();
}

TEST("where the journal ends the run is stopped, and nothing is evaluated")
{
  double x[P], y[P];
  bowl f = {0}, nobody = {0};
  lrgd_journal_summary summary;
  make_folder("reading");
  lrgd_result wrote = write_run(&f, 0, 9, x);
  uint64_t paid = f.asked;
  check_int(wrote.outcome, LRGD_OUTCOME_BUDGET,
            "a budget of nine ends the run");
  lrgd_result again = read_run(&nobody, 0, LRGD_UNSET, y, &summary);
  check_int(nobody.asked, 0, "nobody was asked");
  check_int(again.outcome, LRGD_OUTCOME_STOPPED, "stopped");
  check(summary.unanswered > 0, "something was left open");
  check_int(summary.replayed, paid, "what was paid for was answered");
  check_int(lrgd_counts_evaluations(&again.counts), summary.replayed,
            "and nothing else is counted");
  check(value(P, y, &f) <= value(P, (double[P]){0}, &f), "no worse a point");
  remove_folder();
}
