/* Solvers in threads: no state is shared between handles. */
#include <pthread.h>
#include <stdatomic.h>

#include "plain.h"

enum { THREADS = 4 };

typedef struct job {
  int method;
  double x[PLAIN_P];
  lrgd_result result;
  lrgd_status status;
} job;

static void *work(void *user)
{
  job *j = user;
  lrgd_problem problem = lrgd_problem_default(PLAIN_P);
  lrgd_options o = plain_options(j->method);
  problem.value = plain_value;
  for (int i = 0; i < 20; i++) {
    memset(j->x, 0, sizeof j->x);
    j->status = lrgd_minimize(&problem, &o, j->x, &j->result, NULL);
  }
  return NULL;
}

TEST("row 19: solvers in different threads do not disturb each other")
{
  for (int m = 0; m < PLAIN_METHODS; m++) {
    job jobs[THREADS], alone = {.method = m};
    pthread_t threads[THREADS];
    (void)work(&alone);
    for (int i = 0; i < THREADS; i++) {
      jobs[i] = (job){.method = m};
      if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0) abort();
    }
    for (int i = 0; i < THREADS; i++) {
      (void)pthread_join(threads[i], NULL);
      check(jobs[i].status == LRGD_OK &&
                memcmp(jobs[i].x, alone.x, sizeof alone.x) == 0,
            "method %d, thread %d gives what one alone gives", m, i);
    }
  }
}

/* ---- one handle, two threads ---- */

static atomic_int inside, release;

static double waiting(size_t p, const double *x, void *user)
{
  (void)user;
  atomic_store(&inside, 1);
  while (!atomic_load(&release)) continue;
  return plain_value(p, x, NULL);
}

static void *solve(void *solver)
{
  double x[PLAIN_P] = {0};
  lrgd_status status = lrgd_solver_solve(solver, x, x, NULL, NULL);
  return status == LRGD_OK ? solver : NULL;
}

TEST("row 20: of two threads with one solver one gets a busy error")
{
  lrgd_problem problem = lrgd_problem_default(PLAIN_P);
  lrgd_options o = plain_options(LRGD_METHOD_GD);
  lrgd_solver *solver, *same;
  pthread_t thread;
  double x[PLAIN_P] = {0};
  void *good = NULL;
  problem.value = waiting;
  atomic_store(&inside, 0);
  atomic_store(&release, 0);
  require(lrgd_solver_create(&solver, &problem, &o, NULL) == LRGD_OK, "made");
  if (pthread_create(&thread, NULL, solve, solver) != 0) abort();
  while (!atomic_load(&inside)) continue;
  same = solver;
  check(lrgd_solver_solve(solver, x, x, NULL, NULL) == LRGD_ERR_BUSY, "solve");
  check(lrgd_solver_destroy(&same) == LRGD_ERR_BUSY && same, "destroy");
  atomic_store(&release, 1);
  (void)pthread_join(thread, &good);
  check(good != NULL, "the first thread's run ends well");
  check(lrgd_solver_solve(solver, x, x, NULL, NULL) == LRGD_OK,
        "and the solver is free again");
  (void)lrgd_solver_destroy(&solver);
}
