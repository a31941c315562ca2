/* Knowledge: what a journal holds teaches a solver and an ask/tell run. */
#include "check.h"
#include "journal_folder.h"

#include <lrgd/run.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { P = 80, RANK = 4, BATCH = 200 };

static void must(lrgd_status status, const lrgd_error *error)
{
  if (status == LRGD_OK) return;
  fprintf(stderr, "%s\n", error->text);
  abort();
}

typedef struct asked {
  size_t count, fails_at; /* 0: never */
} asked;

/* Of rank RANK: the sum of k (s_k - 1)^2, s_k a sum of every RANK-th input. */
static double value_at(const double *x)
{
  double f = 0;
  for (size_t k = 0; k < RANK; k++) {
    double s = -1;
    for (size_t i = k; i < P; i += RANK) s += x[i] * (i % 3 == 0 ? 0.3 : -0.2);
    f += (double)(k + 1) * s * s;
  }
  return f;
}

static double value(size_t p, const double *x, void *user)
{
  asked *all = user;
  (void)p;
  return ++all->count == all->fails_at ? NAN : value_at(x);
}

static lrgd_options until(double target)
{
  lrgd_options o = lrgd_options_default();
  o.target = target;
  o.max_evals = 400;
  return o;
}

static lrgd_problem asking(asked *all, size_t fails_at)
{
  lrgd_problem problem = lrgd_problem_default(P);
  problem.value = value;
  problem.user = all;
  *all = (asked){.fails_at = fails_at};
  return problem;
}

/* A run with a journal; returns how many values it asked for. */
static size_t write_journal(double target, size_t fails_at)
{
  asked all;
  double x[P] = {0};
  lrgd_journal *journal;
  lrgd_error error = {LRGD_OK, ""};
  lrgd_result result;
  lrgd_problem problem = asking(&all, fails_at);
  lrgd_options o = until(target);
  lrgd_journal_options options = lrgd_journal_options_default();
  options.dimension = P;
  must(lrgd_journal_open(&journal, path, &options, &error), &error);
  check(lrgd_journal_wrap(journal, &problem, NULL, &problem, &error) == LRGD_OK,
        "%s", error.text);
  check(lrgd_minimize(&problem, &o, x, &result, &error) == LRGD_OK, "%s",
        error.text);
  lrgd_journal_close(&journal);
  return all.count;
}

/* The evaluations `first` to `last` of the journal. */
static lrgd_knowledge *read_journal(size_t p, uint64_t first, uint64_t last,
                                    lrgd_status *status)
{
  lrgd_journal *journal;
  lrgd_knowledge *knowledge;
  lrgd_error error = {LRGD_OK, ""};
  must(lrgd_journal_open_readonly(&journal, path, &error), &error);
  must(lrgd_knowledge_create(&knowledge, p, &error), &error);
  *status = lrgd_knowledge_add(knowledge, journal, first, last, &error);
  lrgd_journal_close(&journal);
  return knowledge;
}

/* Values that a solver asks for until the target, with that knowledge. */
static size_t solved(const lrgd_knowledge *known, double target)
{
  asked all;
  double x[P] = {0};
  lrgd_solver *solver;
  lrgd_error error = {LRGD_OK, ""};
  lrgd_result result;
  lrgd_problem problem = asking(&all, 0);
  lrgd_options o = until(target);
  o.seed = 7;
  must(lrgd_solver_create(&solver, &problem, &o, &error), &error);
  if (known)
    check(lrgd_solver_learn(solver, lrgd_knowledge_count(known),
                            lrgd_knowledge_evaluations(known), 0,
                            &error) == LRGD_OK,
          "%s", error.text);
  check(lrgd_solver_solve(solver, x, x, &result, &error) == LRGD_OK, "%s",
        error.text);
  check(result.f <= target, "f is %g", result.f);
  lrgd_solver_destroy(&solver);
  return all.count;
}

/* The same through ask and tell. */
static size_t told(const lrgd_knowledge *known, double target)
{
  double x[P] = {0}, f[BATCH];
  size_t count = 0;
  lrgd_ask_tell *loop;
  lrgd_question batch;
  lrgd_error error = {LRGD_OK, ""};
  lrgd_problem bounds = lrgd_problem_default(P);
  lrgd_options o = until(target);
  o.seed = 7;
  must(lrgd_ask_tell_create(&loop, &bounds, LRGD_ORACLE_VALUE, &o, x, &error),
       &error);
  must(lrgd_ask_tell_learn(loop, lrgd_knowledge_count(known),
                           lrgd_knowledge_evaluations(known), 0, &error),
       &error);
  for (;;) {
    must(lrgd_ask(loop, &batch, &error), &error);
    if (batch.count == 0 || !check(batch.count <= BATCH, "a batch")) break;
    for (size_t i = 0; i < batch.count; i++) f[i] = value_at(batch.x + i * P);
    count += batch.count;
    must(lrgd_tell(loop, f, NULL, &error), &error);
  }
  check(lrgd_ask_tell_learn(loop, 0, NULL, 0, &error) == LRGD_ERR_BUSY,
        "too late to learn");
  lrgd_ask_tell_destroy(&loop);
  return count;
}

TEST("knowledge of a journal is its evaluations, as they were")
{
  lrgd_status status;
  make_folder("knowledge");
  size_t count = write_journal(1e-6, 5);
  lrgd_knowledge *known = read_journal(P, 1, UINT64_MAX, &status);
  check_int(status, LRGD_OK, "added");
  check_int(lrgd_knowledge_count(known), count - 1, "all but the failed one");
  const lrgd_evaluation *e = lrgd_knowledge_evaluations(known);
  for (size_t i = 0; i < lrgd_knowledge_count(known); i++)
    check_near(e[i].f, value_at(e[i].x), 1e-9, "f belongs to x");
  lrgd_knowledge_destroy(&known);
  known = read_journal(P, 2, 4, &status);
  check_int(lrgd_knowledge_count(known), 3, "those from 2 to 4");
  lrgd_knowledge_destroy(&known);
  check(known == NULL, "cleared");
  remove_folder();
}

TEST("a journal of another dimension is refused")
{
  lrgd_status status;
  make_folder("knowledge");
  (void)write_journal(1e-6, 0);
  lrgd_knowledge *known = read_journal(P + 1, 1, UINT64_MAX, &status);
  check_int(status, LRGD_ERR_REFUSED, "another dimension");
  check_int(lrgd_knowledge_count(known), 0, "nothing was added");
  lrgd_knowledge_destroy(&known);
  remove_folder();
}

TEST("a solver and an ask/tell run learn from a journal alike")
{
  lrgd_status status;
  const double target = 1e-8;
  make_folder("knowledge");
  size_t before = write_journal(target, 0), fresh = solved(NULL, target);
  lrgd_knowledge *known = read_journal(P, 1, before / 2, &status);
  size_t learned = solved(known, target);
  check(3 * learned <= 2 * fresh, "%zu values, %zu without knowledge", learned,
        fresh);
  check_int(told(known, target), learned, "values by ask and tell");
  lrgd_knowledge_destroy(&known);
  remove_folder();
}
