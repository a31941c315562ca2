/* What can be seen of a run of the command from inside only: nobody holds a
 * solver that is gone, and a lack of room changes no answer. */
#include "check.h"

#include "cli/run/solve.h"
#include "journal/journal_private.h"

#include <stdlib.h>
#include <unistd.h>

enum { P = 3 };

static double value(size_t p, const double *x, void *user)
{
  double f = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) f += (x[i] - 1) * (x[i] - 1);
  return f;
}

static void remove_all(const char *folder, const char *path)
{
  static const char *const ends[] = {"", "-wal", "-shm"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char name[100];
    snprintf(name, sizeof name, "%s%s", path, ends[i]);
    (void)unlink(name);
  }
  (void)rmdir(folder);
}

TEST(
    "a last commit that fails does not call a solver that is already "
    "destroyed")
{
  char folder[] = "/tmp/lrgd-solve-XXXXXX", path[80];
  require(mkdtemp(folder) != NULL, "a folder");
  snprintf(path, sizeof path, "%s/run.db", folder);
  static const double start[P] = {0, 2, 4};
  lrgd_error error = {.text = ""};
  lrgd_options options = lrgd_options_default();
  options.max_evals = 5;
  lrgd_problem problem = {
      .struct_size = sizeof problem, .dimension = P, .value = value};
  lrgd_journal_options kept = lrgd_journal_options_default();
  kept.dimension = P;
  lrgd_journal *journal = NULL;
  require(lrgd_journal_open(&journal, path, &kept, &error) == LRGD_OK, "%s",
          error.text);
  require(lrgd_journal_wrap(journal, &problem, NULL, &problem, &error) ==
              LRGD_OK,
          "%s", error.text);
  cli_task task = {.problem = &problem,
                   .options = &options,
                   .start = start,
                   .journal = journal};
  cli_run run;
  check_int(solve(&run, &task, &error), LRGD_OK, "%s", error.text);
  run_free(&run);
  check(journal->trouble.on_fatal == NULL, "the journal tells nobody any more");
  (void)unlink(path); /* so the commit at its end fails */
  lrgd_journal_close(&journal);
  remove_all(folder, path);
}

/* ---- the linker gives malloc to this one ---- */

static bool no_room;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
  return no_room ? NULL : __real_malloc(size);
}

static size_t at_once; /* the most asked in one call */

static void values(size_t p, size_t m, const double *X, double *f, void *user)
{
  if (m > at_once) at_once = m;
  for (size_t j = 0; j < m; j++) f[j] = value(p, X + j * p, user);
}

static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  if (k > at_once) at_once = k;
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p; i++) d[j] += 2 * (x[i] - 1) * U[j * p + i];
  }
  return value(p, x, user);
}

typedef struct told {
  double f[4], d[3], at;
} told;

static told ask_all(const lrgd_problem *problem)
{
  static const double X[4 * P] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 2};
  told all;
  problem->values(P, 4, X, all.f, problem->user);
  all.at = problem->slopes(P, X, 3, X + P, all.d, problem->user);
  double alone = problem->slopes(P, X, 0, NULL, NULL, problem->user);
  check(alone == all.at, "the value alone is %g", alone);
  return all;
}

TEST("without memory for a batch points are evaluated one by one")
{
  double scale[P] = {1, 10, 0.5}, start[P] = {1, 1, 1};
  lrgd_error error = {.text = ""};
  cli_inputs inputs = {.start = start, .scale = scale};
  lrgd_problem problem = {.struct_size = sizeof problem,
                          .dimension = P,
                          .values = values,
                          .slopes = slopes};
  told told_when[2];
  for (int i = 0; i < 2; i++) {
    lrgd_problem wrapped = problem;
    lrgd_variables *transform = NULL;
    require(transform_create(&transform, &inputs, &problem, &error) == LRGD_OK,
            "%s", error.text);
    lrgd_variables_wrap(transform, &wrapped);
    no_room = i == 1;
    at_once = 0;
    told_when[i] = ask_all(&wrapped);
    no_room = false;
    check_int(at_once, i == 0 ? 4 : 1, "so many at once");
    lrgd_variables_destroy(&transform);
  }
  check(memcmp(&told_when[0], &told_when[1], sizeof(told)) == 0,
        "the answers are the same");
}
