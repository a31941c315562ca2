/* The pool inside a host: what it must leave as it found it. */
#include "check.h"

#include <lrgd/run.h>

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char command[512];

static const char *sim(const char *how)
{
  snprintf(command, sizeof command, "%s %s", getenv("RUN_SIM"), how);
  return command;
}

static lrgd_pool *open_pool(const char *how, lrgd_pool_mode mode, int jobs)
{
  lrgd_error error;
  lrgd_pool *pool = NULL;
  lrgd_pool_options options = lrgd_pool_options_default();
  options.command = sim(how);
  options.mode = mode;
  options.jobs = jobs;
  options.grace_s = 0.2;
  check(lrgd_pool_create(&pool, &options, &error) == LRGD_OK, "%s", error.text);
  return pool;
}

static size_t open_descriptors(void)
{
  size_t n = 0;
  DIR *all = opendir("/proc/self/fd");
  while (all && readdir(all)) n++;
  if (all) closedir(all);
  return n;
}

TEST("evaluations under way may have more inputs than those before")
{
  enum { MANY = 3000, PLACES = 3 };
  static double x[MANY];
  lrgd_pool *pool = open_pool("ok", LRGD_POOL_MODE_WORKER, 2);
  for (size_t p = 2; p <= MANY; p = p == 2 ? MANY : MANY + 1) {
    lrgd_problem problem = lrgd_pool_problem(pool, p);
    double f, same = problem.value(p, x, problem.user);
    uint64_t tickets = 0;
    for (uint64_t i = 1; i <= PLACES; i++) problem.start(p, x, i, problem.user);
    for (int i = 0; i < PLACES; i++) {
      tickets += problem.finish(&f, problem.user);
      check_near(f, same, 0, "f");
    }
    check_int(tickets, 6, "each ticket once");
  }
  lrgd_pool_destroy(&pool);
}

TEST("thousands of evaluations leave no descriptor and no zombie behind")
{
  int rounds = getenv("SOAK") ? 10000 : 300;
  size_t before = open_descriptors();
  lrgd_pool *pool = open_pool("ok", LRGD_POOL_MODE_PROGRAM, 2);
  lrgd_problem problem = lrgd_pool_problem(pool, 2);
  double x[8] = {0}, f[4];
  problem.values(2, 4, x, f, problem.user);
  size_t during = open_descriptors();
  for (int i = 0; i < rounds / 4; i++) problem.values(2, 4, x, f, problem.user);
  check_int(open_descriptors(), during, "as many open as at first");
  check(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "no child left");
  lrgd_pool_destroy(&pool);
  check_int(open_descriptors(), before, "and none in the end");
}

TEST("a worker that ends early does not kill its host by SIGPIPE")
{
  sigset_t before, after;
  (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
  lrgd_pool *pool = open_pool("once", LRGD_POOL_MODE_WORKER, 1);
  enum { P = 30000 };
  static double x[P];
  lrgd_problem problem = lrgd_pool_problem(pool, P);
  for (int i = 0; i < 20; i++) (void)problem.value(P, x, problem.user);
  (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
  check_int(sigismember(&after, SIGPIPE), sigismember(&before, SIGPIPE),
            "the signal mask is as it was");
  sigset_t pending;
  (void)sigpending(&pending);
  check(!sigismember(&pending, SIGPIPE), "none is left pending");
  lrgd_pool_destroy(&pool);
}

static void *interrupt_soon(void *user)
{
  (void)nanosleep(&(struct timespec){0, 100000000}, NULL);
  lrgd_pool_interrupt(user, LRGD_INTERRUPT_KILL);
  return NULL;
}

TEST("an interrupt from another thread ends a question that hangs")
{
  pthread_t thread;
  lrgd_pool *pool = open_pool("hang", LRGD_POOL_MODE_WORKER, 2);
  lrgd_problem problem = lrgd_pool_problem(pool, 1);
  double x[5] = {0}, f[5];
  require(!pthread_create(&thread, NULL, interrupt_soon, pool), "a thread");
  problem.values(1, 5, x, f, problem.user);
  (void)pthread_join(thread, NULL);
  lrgd_pool_counts counts = lrgd_pool_count(pool);
  check_int(counts.asked, 2, "two were launched");
  check_int(counts.unanswered, 5, "none was answered");
  check_int(counts.failed, 0, "and none has failed");
  for (int i = 0; i < 5; i++) check(isnan(f[i]), "a NaN for question %d", i);
  problem.values(1, 5, x, f, problem.user);
  check_int(lrgd_pool_count(pool).asked, 2, "nothing is asked any more");
  lrgd_pool_destroy(&pool);
}

static lrgd_pool *ending;   /* for the handler */
static atomic_int was_told; /* the handler has run */

static void end_pool(int number)
{
  (void)number;
  if (ending) lrgd_pool_interrupt(ending, LRGD_INTERRUPT_DRAIN);
  atomic_store(&was_told, 1);
}

/* The program is killed, then its host is signalled.  Returns whether the pool
 * took the program as unanswered, not as failed. */
static int ended_before_its_host(const char *script)
{
  lrgd_error error;
  lrgd_pool_options options = lrgd_pool_options_default();
  double x = 0;
  options.command = script;
  options.mode = LRGD_POOL_MODE_WORKER;
  atomic_store(&was_told, 0);
  if (!check(!lrgd_pool_create(&ending, &options, &error), "%s", error.text))
    return 0;
  lrgd_problem problem = lrgd_pool_problem(ending, 1);
  check(isnan(problem.value(1, &x, problem.user)), "no answer");
  lrgd_pool_counts counts = lrgd_pool_count(ending);
  while (!atomic_load(&was_told)) /* a late signal must find its handler */
    (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
  lrgd_pool_destroy(&ending);
  return counts.failed == 0 && counts.unanswered == 1;
}

/* As whoever ends a job does: the program first, and while its host still
 * looks at why it died, the host.  On a loaded machine the second signal may
 * come after the host has looked, so one success of ten is asked for: a pool
 * that does not wait has none. */
TEST("a program that is ended just before its host has not failed")
{
  enum { TRIALS = 10 };
  char script[200];
  struct sigaction action = {.sa_handler = end_pool}, before;
  int trials = 0, as_wanted = 0;
  (void)snprintf(script, sizeof script,
                 "sh -c 'read x; setsid sh -c \"kill -TERM $$; sleep 0.01; "
                 "kill -USR1 %ld\" & wait'",
                 (long)getpid());
  require(!sigaction(SIGUSR1, &action, &before), "a handler");
  while (!as_wanted && trials++ < TRIALS)
    as_wanted = ended_before_its_host(script);
  (void)sigaction(SIGUSR1, &before, NULL);
  check(as_wanted, "taken as failed in %d of %d trials", TRIALS, TRIALS);
}

typedef struct seen {
  int events, ticks;
  double f;
  char why[100];
} seen;

static void on_event(const lrgd_pool_event *event, void *user)
{
  seen *all = user;
  all->events++;
  all->f = event->f;
  if (event->why) snprintf(all->why, sizeof all->why, "%s", event->why);
}

static void on_tick(const lrgd_pool_counts *counts, void *user)
{
  seen *all = user;
  all->ticks += counts->running == 1 && counts->longest_s > 0;
}

TEST("events tell of every evaluation, ticks of those that take long")
{
  seen all = {0};
  lrgd_error error;
  lrgd_pool *pool;
  lrgd_pool_options options = lrgd_pool_options_default();
  options.command = sim("slow 600"); /* long on a busy machine too */
  options.event = on_event;
  options.event_user = &all;
  options.tick = on_tick;
  options.tick_user = &all;
  options.tick_s = 0.03;
  require(!lrgd_pool_create(&pool, &options, &error), "%s", error.text);
  lrgd_problem problem = lrgd_pool_problem(pool, 1);
  const double x = 3;
  check_within(problem.value(1, &x, problem.user), 9, 0, "the value");
  check_int(all.events, 1, "one event");
  check_within(all.f, 9, 0, "with the value");
  check(all.ticks >= 2, "ticks while waiting, not %d", all.ticks);
  lrgd_pool_destroy(&pool);
}

TEST("bad options are refused with a sentence")
{
  lrgd_error error;
  lrgd_pool *pool;
  lrgd_pool_options good = lrgd_pool_options_default(), bad = good;
  good.command = "true";
  bad = good;
  bad.jobs = 0;
  check_int(lrgd_pool_create(&pool, &bad, &error), LRGD_ERR_INVALID, "jobs");
  bad = good;
  bad.timeout_s = NAN;
  check_int(lrgd_pool_create(&pool, &bad, &error), LRGD_ERR_INVALID, "timeout");
  bad = good;
  bad.oracle = 9;
  check_int(lrgd_pool_create(&pool, &bad, &error), LRGD_ERR_INVALID, "oracle");
  bad = good;
  bad.run_id = "../../etc";
  check_int(lrgd_pool_create(&pool, &bad, &error), LRGD_ERR_INVALID, "run id");
  bad = good;
  bad.command = NULL;
  check_int(lrgd_pool_create(&pool, &bad, &error), LRGD_ERR_INVALID, "command");
  check_int(lrgd_pool_create(NULL, &good, &error), LRGD_ERR_INVALID, "NULL");
  lrgd_pool_destroy(NULL);
}

/* ---- ask and tell ---- */

static double bowl(const double *x)
{
  return (x[0] - 1) * (x[0] - 1) + 10 * (x[1] + 2) * (x[1] + 2);
}

TEST("the caller can run the loop of evaluations itself")
{
  lrgd_error error;
  lrgd_ask_tell *ask_tell;
  lrgd_problem bounds = lrgd_problem_default(2);
  lrgd_options options = lrgd_options_default();
  lrgd_question question;
  lrgd_result result;
  double x[2] = {0, 0};
  uint64_t asked = 0;
  options.method = LRGD_METHOD_GD;
  require(!lrgd_ask_tell_create(&ask_tell, &bounds, LRGD_ORACLE_VALUE, &options,
                                x, &error),
          "%s", error.text);
  check_int(lrgd_ask_tell_result(ask_tell, x, &result, &error), LRGD_ERR_BUSY,
            "no result yet");
  check(!lrgd_ask_tell_solver(ask_tell), "the solver is at work");
  while (!lrgd_ask(ask_tell, &question, &error) && question.count) {
    double f[64];
    require(question.count <= 64, "%zu at once", question.count);
    for (size_t i = 0; i < question.count; i++) f[i] = bowl(question.x + 2 * i);
    asked += question.count;
    require(!lrgd_tell(ask_tell, f, NULL, &error), "%s", error.text);
  }
  check_int(lrgd_tell(ask_tell, x, NULL, &error), LRGD_ERR_INVALID, "too late");
  require(!lrgd_ask_tell_result(ask_tell, x, &result, &error), "%s",
          error.text);
  check_within(x[0], 1, 1e-3, "the minimum");
  check_within(x[1], -2, 1e-3, "the minimum");
  check_int(asked, lrgd_counts_evaluations(&result.counts), "all counted");
  check(lrgd_solver_phase_count(lrgd_ask_tell_solver(ask_tell)) > 0, "phases");
  lrgd_ask_tell_destroy(&ask_tell);
}

TEST("ask/tell takes gradients, and a run can be abandoned")
{
  lrgd_error error;
  lrgd_ask_tell *ask_tell;
  lrgd_problem bounds = lrgd_problem_default(2);
  lrgd_question question, again;
  double x[2] = {0, 0}, f = 0, g[2] = {0, 0};
  require(!lrgd_ask_tell_create(&ask_tell, &bounds, LRGD_ORACLE_GRADIENT, NULL,
                                x, &error),
          "%s", error.text);
  require(!lrgd_ask(ask_tell, &question, &error), "%s", error.text);
  require(!lrgd_ask(ask_tell, &again, &error), "%s", error.text);
  check(again.x == question.x, "the same question");
  check_int(question.kind, LRGD_ORACLE_GRADIENT, "a gradient");
  check_int(lrgd_tell(ask_tell, &f, NULL, &error), LRGD_ERR_INVALID,
            "no slopes");
  f = bowl(question.x);
  g[0] = 2 * (question.x[0] - 1);
  g[1] = 20 * (question.x[1] + 2);
  check_int(lrgd_tell(ask_tell, &f, g, &error), LRGD_OK, "told");
  lrgd_ask_tell_destroy(&ask_tell);
  lrgd_ask_tell_destroy(&ask_tell);
}

/* ---- who holds a journal ---- */

static char journal_path[200];

static lrgd_status open_journal(lrgd_journal **journal, lrgd_error *error)
{
  lrgd_journal_options options = lrgd_journal_options_default();
  options.dimension = 2;
  if (!journal_path[0]) /* a thread reads it later */
    snprintf(journal_path, sizeof journal_path, "%s/lrgd-inside-%ld.db",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (long)getpid());
  return lrgd_journal_open(journal, journal_path, &options, error);
}

TEST("a journal tells whether it is in use, and by whom")
{
  lrgd_error error;
  lrgd_holder holder;
  lrgd_journal *journal, *second;
  char me[40];
  require(open_journal(&journal, &error) == LRGD_OK, "%s", error.text);
  snprintf(me, sizeof me, "process %ld on ", (long)getpid());
  check(lrgd_journal_find_holder(journal_path, &holder, &error) == LRGD_OK &&
            holder.in_use && strstr(holder.who, me) == holder.who,
        "in use by '%s'", holder.who);
  check(open_journal(&second, &error) == LRGD_ERR_LOCKED &&
            strstr(error.text, holder.who),
        "the same words turn a second writer away: %s", error.text);
  lrgd_journal_close(&journal);
  check(lrgd_journal_find_holder(journal_path, &holder, &error) == LRGD_OK &&
            !holder.in_use && !holder.who[0],
        "free again");
  (void)unlink(journal_path);
  check(lrgd_journal_find_holder(journal_path, &holder, &error) == LRGD_OK &&
            !holder.in_use,
        "what is not there is not in use");
  check(lrgd_journal_find_holder(NULL, &holder, NULL) == LRGD_ERR_INVALID,
        "no path");
}

static atomic_int asking;

static void *keep_asking(void *unused)
{
  lrgd_holder holder;
  (void)unused;
  while (atomic_load(&asking))
    if (lrgd_journal_find_holder(journal_path, &holder, NULL) != LRGD_OK) break;
  return NULL;
}

TEST("a query never keeps a writer from its journal")
{
  lrgd_error error = {0};
  lrgd_journal *journal;
  pthread_t thread;
  int opened = 0;
  atomic_store(&asking, 1);
  require(open_journal(&journal, &error) == LRGD_OK, "%s", error.text);
  require(!pthread_create(&thread, NULL, keep_asking, NULL), "a thread");
  for (int i = 0; i < 100; i++) {
    lrgd_journal_close(&journal);
    if (open_journal(&journal, &error) == LRGD_OK) opened++;
  }
  atomic_store(&asking, 0);
  (void)pthread_join(thread, NULL);
  lrgd_journal_close(&journal);
  (void)unlink(journal_path);
  check_int(opened, 100, "%s", error.text);
}
