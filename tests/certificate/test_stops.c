/* Ends that are asked for: target, time, a stop from elsewhere. */
#include "watched.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { P = 8 };

static double seconds(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(double s)
{
  struct timespec t = {(time_t)s, (long)(1e9 * (s - floor(s)))};
  (void)nanosleep(&t, NULL);
}

typedef void (*judge)(int method, ask_kind kind, const lr_problem *problem);

static void on_all(judge each)
{
  lr_problem *problem = made("rosenbrock p=8");
  for (int m = 0; m < METHODS; m++)
    for (int k = 0; k < ASK_KINDS; k++) each(m, (ask_kind)k, problem);
  lr_problem_destroy(&problem);
}

static void to_target(int m, ask_kind kind, const lr_problem *problem)
{
  watched w;
  const lrgd_problem *f = lr_problem_callbacks(problem);
  lrgd_problem seen = watch(&w, f, kind);
  lrgd_options o = chosen(m, LRGD_STEP_AUTO, 2, 0);
  lrgd_result result;
  double x[P];
  o.target = 0.5;
  memcpy(x, lr_problem_start(problem), sizeof x);
  require(lrgd_minimize(&seen, &o, x, &result, NULL) == LRGD_OK, "it runs");
  check(result.outcome == LRGD_OUTCOME_TARGET, "%s, %s: %s", method_names[m],
        ask_names[kind], result.message);
  check(result.f <= 0.5 && watched_f(f, kind, x) <= 0.5 + 1e-12,
        "%s, %s: f is %g", method_names[m], ask_names[kind], result.f);
}

TEST("a run ends where f is at most the target, and the point is given")
{
  on_all(to_target);
}

static void at_start(int m, ask_kind kind, const lr_problem *problem)
{
  watched w;
  lrgd_problem seen = watch(&w, lr_problem_callbacks(problem), kind);
  lrgd_options o = chosen(m, LRGD_STEP_AUTO, 2, 0);
  lrgd_result result;
  double x[P];
  o.target = 1e9;
  memcpy(x, lr_problem_start(problem), sizeof x);
  require(lrgd_minimize(&seen, &o, x, &result, NULL) == LRGD_OK, "it runs");
  check(result.outcome == LRGD_OUTCOME_TARGET, "%s, %s: %s", method_names[m],
        ask_names[kind], result.message);
  /* the value, and what the noise or a gradient may cost */
  check(watched_evaluations(&w) <= 2 * P, "%s, %s: after %d evaluations",
        method_names[m], ask_names[kind], (int)watched_evaluations(&w));
}

TEST("a start below the target ends the run after one evaluation")
{
  on_all(at_start);
}

/* Stopped from inside callback number `stop_at`. */
static void within_one(int m, ask_kind kind, const lr_problem *problem)
{
  for (uint64_t at = 1; at < 60; at += 7) {
    watched w;
    lrgd_problem seen = watch(&w, lr_problem_callbacks(problem), kind);
    lrgd_options o = chosen(m, LRGD_STEP_AUTO, 2, 0);
    lrgd_solver *solver;
    lrgd_result result;
    double x[P];
    require(lrgd_solver_create(&solver, &seen, &o, NULL) == LRGD_OK, "made");
    w.solver = solver;
    w.stop_at = at;
    require(lrgd_solver_solve(solver, lr_problem_start(problem), x, &result,
                              NULL) == LRGD_OK,
            "solved");
    if (w.calls >= at) {
      check(result.outcome == LRGD_OUTCOME_STOPPED ||
                (result.outcome == LRGD_OUTCOME_CONVERGED && w.calls == at),
            "%s, %s: %s", method_names[m], ask_names[kind], result.message);
      /* a complex step asks for its k slopes one call after the other */
      uint64_t more = kind == ASK_COMPLEX ? P : 0;
      check(w.calls <= at + more, "%s, %s: %d calls after the stop",
            method_names[m], ask_names[kind], (int)(w.calls - at));
    }
    (void)lrgd_solver_destroy(&solver);
  }
}

TEST("row 21: a stop from inside a callback ends the run within that call")
{
  on_all(within_one);
}

static void before(int m, ask_kind kind, const lr_problem *problem)
{
  watched w;
  lrgd_problem seen = watch(&w, lr_problem_callbacks(problem), kind);
  lrgd_options o = chosen(m, LRGD_STEP_AUTO, 2, 0);
  lrgd_solver *solver;
  lrgd_result result;
  double x[P];
  const double *start = lr_problem_start(problem);
  require(lrgd_solver_create(&solver, &seen, &o, NULL) == LRGD_OK, "made");
  lrgd_solver_stop(solver);
  check(lrgd_solver_solve(solver, start, x, &result, NULL) == LRGD_OK &&
            result.outcome == LRGD_OUTCOME_STOPPED && w.calls == 0,
        "%s: nothing was asked: %s", method_names[m], result.message);
  check(lrgd_solver_solve(solver, start, x, &result, NULL) == LRGD_OK &&
            result.outcome != LRGD_OUTCOME_STOPPED && w.calls > 0,
        "%s: the next run is not stopped: %s", method_names[m], result.message);
  (void)lrgd_solver_destroy(&solver);
}

TEST("row 21: a stop before a run ends that run, and only that")
{
  on_all(before);
}

TEST("stopping a NULL solver has no effect")
{
  lrgd_solver_stop(NULL);
}

/* ---- from another thread, from a signal handler ---- */

static void slow(watched *w)
{
  (void)w;
  rest(0.002);
}

static void *stop_soon(void *solver)
{
  rest(0.05);
  lrgd_solver_stop(solver);
  return NULL;
}

typedef void (*start_stop)(lrgd_solver *solver, pthread_t *thread);

static void from_outside(start_stop begin, bool join)
{
  lr_problem *problem = made("rosenbrock p=8");
  watched w;
  lrgd_problem seen = watch(&w, lr_problem_callbacks(problem), ASK_VALUE);
  lrgd_options o = chosen(LRGD_METHOD_GD, LRGD_STEP_FIXED, 0, 1e-6);
  lrgd_solver *solver;
  lrgd_result result;
  double x[P], begun = seconds();
  pthread_t thread;
  w.each = slow;
  o.max_seconds = 20; /* should the stop be lost */
  require(lrgd_solver_create(&solver, &seen, &o, NULL) == LRGD_OK, "made");
  begin(solver, &thread);
  check(lrgd_solver_solve(solver, lr_problem_start(problem), x, &result,
                          NULL) == LRGD_OK,
        "solved");
  if (join) (void)pthread_join(thread, NULL);
  check(result.outcome == LRGD_OUTCOME_STOPPED, "%s", result.message);
  check(seconds() - begun < 10, "at once");
  check(isfinite(result.f) && w.calls > 0, "the best so far is given");
  (void)lrgd_solver_destroy(&solver);
  lr_problem_destroy(&problem);
}

static void by_thread(lrgd_solver *solver, pthread_t *thread)
{
  if (pthread_create(thread, NULL, stop_soon, solver) != 0) abort();
}

TEST("row 21: a stop from another thread ends the run")
{
  from_outside(by_thread, true);
}

static lrgd_solver *handled;

static void on_alarm(int number)
{
  (void)number;
  lrgd_solver_stop(handled);
}

static void by_signal(lrgd_solver *solver, pthread_t *thread)
{
  (void)thread;
  struct sigaction action = {.sa_handler = on_alarm};
  struct itimerspec soon = {
      .it_value = {0, 50000000}
  };
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
                           .sigev_signo = SIGUSR1};
  timer_t timer;
  handled = solver;
  (void)sigaction(SIGUSR1, &action, NULL);
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) abort();
  (void)timer_settime(timer, 0, &soon, NULL);
}

TEST("row 21: a stop from a signal handler ends the run")
{
  from_outside(by_signal, false);
}

static void in_time(int m, ask_kind kind, const lr_problem *problem)
{
  watched w;
  lrgd_problem seen = watch(&w, lr_problem_callbacks(problem), kind);
  lrgd_options o = chosen(m, LRGD_STEP_AUTO, 2, 0);
  lrgd_result result;
  double x[P], begun = seconds();
  w.each = slow;
  if (kind != ASK_VALUE && kind != ASK_GRADIENT) return;
  o.max_seconds = 0.02;
  o.tol = 1e-13;
  memcpy(x, lr_problem_start(problem), sizeof x);
  check(lrgd_minimize(&seen, &o, x, &result, NULL) == LRGD_OK &&
            result.outcome == LRGD_OUTCOME_BUDGET,
        "%s: %s", method_names[m], result.message);
  check(seconds() - begun < 5, "%s: within the time", method_names[m]);
  check(result.end.kind == LRGD_DECISION_KIND_SECONDS_USED &&
            result.end.limit == 0.02,
        "%s: %s", method_names[m], result.message);
}

TEST("max_seconds ends a run, and says so")
{
  on_all(in_time);
}

TEST("epsilon and mu stop at sqrt(2 mu epsilon)")
{
  lr_problem *problem = made("quadratic p=8 rank=3 kappa=10");
  const lrgd_problem *f = lr_problem_callbacks(problem);
  for (int m = 0; m < METHODS; m++) {
    watched w;
    lrgd_problem seen = watch(&w, f, ASK_SLOPES);
    lrgd_options o = chosen(m, LRGD_STEP_AUTO, 3, 0);
    lrgd_result result;
    double x[P];
    o.epsilon = 1e-6;
    o.mu = 1;
    memcpy(x, lr_problem_start(problem), sizeof x);
    check(lrgd_minimize(&seen, &o, x, &result, NULL) == LRGD_OK &&
              result.outcome == LRGD_OUTCOME_CONVERGED,
          "%s: %s", method_names[m], result.message);
    check(true_norm(f, x) <= sqrt(2e-6) * (1 + 1e-9), "%s: |grad f| is %g",
          method_names[m], true_norm(f, x));
    o.mu = LRGD_UNSET_REAL;
    check(lrgd_minimize(&seen, &o, x, &result, NULL) == LRGD_ERR_INVALID,
          "%s: one without the other is refused", method_names[m]);
  }
  lr_problem_destroy(&problem);
}
