/* A program that was built against another version's headers: its structs are
 * 16 bytes shorter or longer than the library's (DELTA; alter.py makes the
 * headers).  Behind each struct lie bytes that nobody may touch. */
#include "check.h"
#include "sizes.h"

#include <stdlib.h>
#include <unistd.h>

enum { P = 12, GUARD = 64, FILL = 0xa5 };

#define GUARDED(type)                                                          \
  struct {                                                                     \
    type it;                                                                   \
    unsigned char guard[GUARD];                                                \
  }
#define FILL_ALL(g) memset(&(g), FILL, sizeof(g))
#define INTACT(g) check(intact((g).guard), "nothing is written behind " #g)

static bool intact(const unsigned char *guard)
{
  for (int i = 0; i < GUARD; i++)
    if (guard[i] != FILL) return false;
  return true;
}

/* Of rank two, least at 0 with f = 1. */
static double value(size_t p, const double *x, void *user)
{
  double a = 0, b = 0;
  int *asked = user;
  for (size_t i = 0; i < p; i++) {
    a += x[i] * (i % 2 ? 1 : 2);
    b += x[i] * (i % 3 ? 1 : -1);
  }
  if (asked) ++*asked;
  return 1 + a * a + 3 * b * b;
}

/* Whoever progresses: the options may have no progress_user. */
static int told;
static double told_f;

static void progress(const lrgd_progress *now, void *user)
{
  (void)user;
  told++;
  told_f = now->best_f;
  check(now->struct_size == library_sizes[2], "the size is the library's");
  check(lrgd_counts_evaluations(now->counts) > 0, "counts are there");
}

TEST("the structs are 16 bytes shorter or longer than the library's")
{
  static const size_t ours[SIZE_COUNT] = SIZES;
  for (int i = 0; i < SIZE_COUNT; i++)
    check_int((long long)ours[i] - (long long)library_sizes[i], DELTA,
              "struct %d", i);
}

TEST("a run gives the right answer")
{
  GUARDED(lrgd_problem) problem;
  GUARDED(lrgd_options) options;
  GUARDED(lrgd_result) result;
  double x[P];
  int asked = 0;
  lrgd_error error = {LRGD_OK, ""};
  FILL_ALL(problem);
  FILL_ALL(options);
  FILL_ALL(result);
  lrgd_problem_init(&problem.it, sizeof problem.it, P);
  lrgd_options_init(&options.it, sizeof options.it);
  problem.it.value = value;
  problem.it.user = &asked;
  options.it.progress = progress;
  for (int i = 0; i < P; i++) x[i] = 0.3 * (i % 5) - 0.4;
  told = 0;
  check(lrgd_options_set(&options.it, "max_evals", "5000", &error) == LRGD_OK,
        "%s", error.text);
  require(lrgd_minimize(&problem.it, &options.it, x, &result.it, &error) ==
              LRGD_OK,
          "%s", error.text);
  check(result.it.outcome == LRGD_OUTCOME_CONVERGED, "%s", result.it.message);
  check_near(result.it.f, 1, 1e-6, "the least value");
  check_near(value(P, x, NULL), result.it.f, 1e-12, "at the point");
  check_int(lrgd_counts_evaluations(&result.it.counts), asked, "all counted");
  check_int(result.it.struct_size, sizeof result.it, "the size is ours");
  check(result.it.certificate.valid, "a certificate, and then the seconds");
  check(result.it.seconds >= 0 && result.it.seconds < 1000, "seconds");
  check(told > 1 && told_f == result.it.f, "progress was told: %d", told);
  INTACT(problem);
  INTACT(options);
  INTACT(result);
}

TEST("options are set and read by name")
{
  GUARDED(lrgd_options) options;
  char text[32];
  FILL_ALL(options);
  lrgd_options_init(&options.it, sizeof options.it);
  check(lrgd_options_set(&options.it, "rank", "3", NULL) == LRGD_OK, "set");
  check_int(options.it.rank, 3, "set");
  check(lrgd_options_get(&options.it, "rank", text, sizeof text) == LRGD_OK,
        "read");
  check_text(text, "3", "read");
  options.it = lrgd_options_default();
  check_int(options.it.struct_size, sizeof options.it, "by value");
  INTACT(options);
}

TEST("ask and tell: the caller owns the loop")
{
  lrgd_problem bounds = lrgd_problem_default(P);
  lrgd_options options = lrgd_options_default();
  lrgd_ask_tell *ask_tell;
  double x[P], f[256];
  lrgd_error error = {LRGD_OK, ""};
  for (int i = 0; i < P; i++) x[i] = 0.1 * i;
  options.max_evals = 2000;
  require(lrgd_ask_tell_create(&ask_tell, &bounds, LRGD_ORACLE_VALUE, &options,
                               x, &error) == LRGD_OK,
          "%s", error.text);
  for (;;) {
    GUARDED(lrgd_question) question;
    FILL_ALL(question);
    check(lrgd_ask(ask_tell, &question.it, &error) == LRGD_OK, "%s",
          error.text);
    INTACT(question);
    if (question.it.count == 0 || question.it.count > 256) break;
    for (size_t i = 0; i < question.it.count; i++)
      f[i] = value(P, question.it.x + i * P, NULL);
    check(lrgd_tell(ask_tell, f, NULL, &error) == LRGD_OK, "%s", error.text);
  }
  GUARDED(lrgd_result) result;
  FILL_ALL(result);
  check(lrgd_ask_tell_result(ask_tell, x, &result.it, &error) == LRGD_OK, "%s",
        error.text);
  check_near(result.it.f, 1, 1e-6, "the least value");
  const lrgd_phase *phase =
      lrgd_solver_phase(lrgd_ask_tell_solver(ask_tell), 0);
  check(phase && phase->struct_size == library_sizes[4] && phase->text[0],
        "the first phase");
  INTACT(result);
  lrgd_ask_tell_destroy(&ask_tell);
}

/* A journal in a folder of its own. */
static void make_path(char *path, size_t size, char *folder)
{
  require(mkdtemp(folder) != NULL, "a folder");
  (void)snprintf(path, size, "%s/run.db", folder);
}

static lrgd_pool *make_pool(void)
{
  GUARDED(lrgd_pool_options) how;
  char command[600];
  lrgd_pool *pool = NULL;
  lrgd_error error = {LRGD_OK, ""};
  const char *sim = getenv("RUN_SIM");
  (void)snprintf(command, sizeof command, "%s ok", sim ? sim : "");
  FILL_ALL(how);
  lrgd_pool_options_init(&how.it, sizeof how.it);
  how.it.command = command;
  how.it.jobs = 2;
  check(lrgd_pool_create(&pool, &how.it, &error) == LRGD_OK, "%s", error.text);
  INTACT(how);
  return pool;
}

static lrgd_journal *open_journal(const char *path)
{
  GUARDED(lrgd_journal_options) keep;
  lrgd_journal *journal = NULL;
  lrgd_error error = {LRGD_OK, ""};
  FILL_ALL(keep);
  lrgd_journal_options_init(&keep.it, sizeof keep.it);
  keep.it.dimension = P;
  check(lrgd_journal_open(&journal, path, &keep.it, &error) == LRGD_OK, "%s",
        error.text);
  INTACT(keep);
  return journal;
}

static int count_row(const lrgd_journal_row *row, void *user)
{
  ++*(uint64_t *)user;
  return !(row->f >= 0);
}

static void look_into(lrgd_journal *journal, uint64_t asked)
{
  GUARDED(lrgd_journal_summary) summary;
  uint64_t rows = 0;
  FILL_ALL(summary);
  check(lrgd_journal_summarize(journal, &summary.it, NULL) == LRGD_OK, "told");
  check_int(summary.it.rows, asked, "all are kept");
  check_int(summary.it.dimension, P, "dimension");
  check_text(summary.it.outcome, "budget", "how it ended");
  INTACT(summary);
  check(lrgd_journal_rows(journal, 1, count_row, &rows, NULL) == LRGD_OK,
        "rows");
  check_int(rows, asked, "rows");
}

/* Twice the same: the second time nobody is asked. */
static void keep_run(const char *path, lrgd_pool *pool)
{
  GUARDED(lrgd_problem) problem;
  GUARDED(lrgd_pool_counts) counts;
  lrgd_options options = lrgd_options_default();
  double x[P] = {0};
  lrgd_error error = {LRGD_OK, ""};
  lrgd_result result;
  lrgd_journal *journal = open_journal(path);
  require(journal, "a journal");
  FILL_ALL(problem);
  FILL_ALL(counts);
  problem.it = lrgd_pool_problem(pool, P);
  check(lrgd_journal_wrap(journal, &problem.it, pool, &problem.it, &error) ==
            LRGD_OK,
        "%s", error.text);
  options.max_evals = 20;
  check(lrgd_minimize(&problem.it, &options, x, &result, &error) == LRGD_OK,
        "%s", error.text);
  check(result.outcome == LRGD_OUTCOME_BUDGET, "%s", result.message);
  counts.it = lrgd_pool_count(pool);
  check_int(counts.it.asked, 20, "asked once in all");
  check(lrgd_journal_finish(journal, "budget", &error) == LRGD_OK, "%s",
        error.text);
  look_into(journal, 20);
  INTACT(problem);
  INTACT(counts);
  lrgd_journal_close(&journal);
}

TEST("a run with a pool is journalled, and the journal replays it")
{
  char folder[] = "/tmp/lrgd-abi-XXXXXX", path[sizeof folder + 16];
  make_path(path, sizeof path, folder);
  lrgd_pool *pool = make_pool();
  require(pool, "a pool");
  keep_run(path, pool);
  keep_run(path, pool);
  GUARDED(lrgd_holder) holder;
  FILL_ALL(holder);
  check(lrgd_journal_find_holder(path, &holder.it, NULL) == LRGD_OK, "asked");
  check(!holder.it.in_use && holder.it.who[0] == 0, "nobody holds it");
  INTACT(holder);
  lrgd_pool_destroy(&pool);
  (void)unlink(path);
  (void)rmdir(folder);
}

TEST("a study finds the rank")
{
  GUARDED(lrgd_diagnosis_options) want;
  GUARDED(lrgd_diagnosis_plan) plan;
  GUARDED(lrgd_scaling) scaling;
  GUARDED(lrgd_logarithms) logarithms;
  lrgd_problem problem = lrgd_problem_default(P);
  double x[P];
  lrgd_diagnosis *study;
  lrgd_error error = {LRGD_OK, ""};
  for (int i = 0; i < P; i++) x[i] = 1 + 0.1 * i;
  FILL_ALL(want);
  FILL_ALL(plan);
  FILL_ALL(scaling);
  FILL_ALL(logarithms);
  lrgd_diagnosis_options_init(&want.it, sizeof want.it);
  want.it.held_out = 40;
  problem.value = value;
  plan.it = lrgd_diagnosis_cost(&problem, NULL, &want.it);
  check_int(plan.it.held_out, 40, "the plan");
  require(lrgd_diagnosis_create(&study, &problem, NULL, &want.it, x, &error) ==
              LRGD_OK,
          "%s", error.text);
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
  check_int(found->exact_rank, 2, "%s", found->verdict);
  check(found->evaluations <= plan.it.total, "within the plan");
  check(lrgd_diagnosis_scaling(study, &scaling.it) == LRGD_OK, "scaling");
  check(lrgd_diagnosis_logarithms(study, &logarithms.it) == LRGD_OK,
        "logarithms");
  check(scaling.it.taken <= P && logarithms.it.taken <= P, "both are filled");
  INTACT(want);
  INTACT(plan);
  INTACT(scaling);
  INTACT(logarithms);
  lrgd_diagnosis_destroy(&study);
}

/* ---- a backend of another version ---- */

enum { MANY = 60 }; /* inputs: enough for random directions */

static double value_in(lrgd_vec x, void *user)
{
  return value(MANY, lrgd_host_data(x), user);
}

/* From 0.3 on in a box; what came of it. */
static lrgd_status solve_in(lrgd_space *space, double lower,
                            lrgd_result *result, lrgd_error *error)
{
  lrgd_block *block = space->ops->make(space, 3);
  lrgd_options options = lrgd_options_default();
  GUARDED(lrgd_space_problem) problem;
  lrgd_solver *solver = NULL;
  FILL_ALL(problem);
  lrgd_space_problem_init(&problem.it, sizeof problem.it, space);
  problem.it.value = value_in;
  problem.it.user = NULL;
  problem.it.box = (lrgd_box){
      {block, 1},
      {block, 2}
  };
  for (size_t i = 0; i < 3 * MANY; i++)
    ((double *)lrgd_host_data((lrgd_vec){block, 0}))[i] = i < MANY ? 0.3
                                                          : i < 2 * (size_t)MANY
                                                              ? lower
                                                              : 1;
  options.max_evals = 3000;
  lrgd_status status =
      lrgd_solver_create_in(&solver, &problem.it, &options, error);
  if (status == LRGD_OK)
    status = lrgd_solver_solve_in(solver, (lrgd_vec){block, 0}, result, error);
  INTACT(problem);
  check(lrgd_solver_destroy(&solver) == LRGD_OK, "destroyed");
  space->ops->free(space, block);
  return status;
}

TEST("operations that a backend's table lacks are not called")
{
  for (int i = 0; i < 2; i++) { /* the least inside the box, and at its edge */
    lrgd_space *space = lrgd_host_space(MANY, LRGD_SCALAR_DOUBLE, NULL);
    const lrgd_space_ops *own = space->ops;
    lrgd_error error = {LRGD_OK, ""};
    lrgd_result result = {.f = NAN};
    GUARDED(lrgd_space_ops) table;
    FILL_ALL(table); /* no address where there is a verb that is not known */
    memcpy(&table.it, own,
           sizeof table.it < library_sizes[12] ? sizeof table.it
                                               : library_sizes[12]);
    table.it.struct_size = sizeof table.it;
    space->ops = &table.it;
    check(solve_in(space, i ? 0.1 : -1, &result, &error) == LRGD_OK, "%s",
          error.text);
    check(result.outcome == LRGD_OUTCOME_CONVERGED, "%s", result.message);
    check(i || fabs(result.f - 1) < 1e-6, "f is %g", result.f);
    space->ops = own;
    lrgd_space_destroy(&space);
  }
}

TEST("a sliced space returns the slices that it was made with")
{
  GUARDED(lrgd_slices) slices;
  FILL_ALL(slices);
  lrgd_slices_init(&slices.it, sizeof slices.it, MANY);
  lrgd_space *space = lrgd_sliced_space(&slices.it, NULL);
  lrgd_error error = {LRGD_OK, ""};
  lrgd_result result = {.f = NAN};
  require(space != NULL, "a space");
  check_int(lrgd_space_slices(space)->count, MANY, "its slices");
  check(solve_in(space, -1, &result, &error) == LRGD_OK, "%s", error.text);
  check(fabs(result.f - 1) < 1e-6, "f is %g", result.f);
  INTACT(slices);
  lrgd_space_destroy(&space);
}

#if DELTA > 0
/* what such a member asks for cannot be honoured */
static bool says_beyond(lrgd_status status, const lrgd_error *error)
{
  return status == LRGD_ERR_INVALID && strstr(error->text, "beyond");
}

TEST("members that this library does not know are refused where they are set")
{
  double x[P] = {0};
  lrgd_error error = {LRGD_OK, ""};
  lrgd_solver *solver;
  lrgd_pool *pool;
  lrgd_journal *journal;
  lrgd_diagnosis *study;
  lrgd_problem problem = lrgd_problem_default(P), later = problem;
  lrgd_options options = lrgd_options_default();
  lrgd_pool_options how = lrgd_pool_options_default();
  lrgd_journal_options keep = lrgd_journal_options_default();
  lrgd_diagnosis_options want = lrgd_diagnosis_options_default();
  problem.value = later.value = value;
  how.command = "true";
  keep.dimension = P;
  options.extra[0] = how.extra[1] = keep.extra[0] = want.extra[1] = 1;
  later.extra[1] = 1;
  check(says_beyond(lrgd_solver_create(&solver, &problem, &options, &error),
                    &error),
        "options: %s", error.text);
  check(says_beyond(lrgd_solver_create(&solver, &later, NULL, &error), &error),
        "problem: %s", error.text);
  check(says_beyond(lrgd_pool_create(&pool, &how, &error), &error), "pool: %s",
        error.text);
  check(says_beyond(lrgd_journal_open(&journal, "/tmp/none.db", &keep, &error),
                    &error),
        "journal: %s", error.text);
  check(says_beyond(
            lrgd_diagnosis_create(&study, &problem, NULL, &want, x, &error),
            &error),
        "study: %s", error.text);
}
#endif
