/* Does one run, or computes one reference minimum, in this process. */
#include "peer_child.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The minimum to compare with, as the problem states it.  Published test
 * functions may have several: then it is the one to which descent leads from
 * the start (for up to 200 inputs, as that takes dense algebra); a solver that
 * finds a lower value has reached it. */
static double reference_of(const bench_case *from, const bench_problem *problem)
{
  double stated = problem->minimum, near, gap;
  if (problem->scale) return stated;
  bool several = bench_class_collects(from->class) ||
                 from->class == BENCH_FIT_SMALL ||
                 from->class == BENCH_FIT_FULL_RANK;
  if (!isnan(stated) && (!several || problem->p > 200)) return stated;
  near = bench_reference(problem);
  gap = problem->f0 - stated;
  return near - stated <= 1e-7 * gap ? stated : near;
}

void bench_child_reference(const bench_case *from, uint64_t seed)
{
  bench_problem problem;
  lrgd_error error = {.text = ""};
  if (bench_problem_make(&problem, from, seed, &error) != LRGD_OK)
    bench_die("%s", error.text);
  printf("minimum %.17g\n", reference_of(from, &problem));
  bench_problem_free(&problem);
}

/* At the first alarm the counter ends the run; a second alarm ends a peer that
 * no longer evaluates.  Targets reached by then have been written. */
static volatile sig_atomic_t *late;

static void on_alarm(int number)
{
  (void)number;
  *late = 1;
  signal(SIGALRM, SIG_DFL);
  alarm(5);
}

/* Sets the time limit in processor time of this process, so that a busy machine
 * does not matter; four times as much wall-clock time ends the run too. */
static void set_alarm(bench_counter *counter, double seconds)
{
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
                           .sigev_signo = SIGALRM};
  struct itimerspec limit = {.it_value.tv_sec = (time_t)ceil(seconds)};
  timer_t timer;
  if (!(seconds > 0)) return;
  late = &counter->late;
  signal(SIGALRM, on_alarm);
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0)
    timer_settime(timer, 0, &limit, NULL);
  alarm((unsigned)ceil(4 * seconds));
}

/* The noise: a share of the gap or, for residuals, of their root mean square at
 * the start. */
static double noise_of(const bench_case *from, const bench_problem *problem)
{
  if (problem->m)
    return from->noise * sqrt(2 * problem->f0 / (double)problem->m);
  return from->noise * (problem->f0 - problem->minimum);
}

void bench_child_run(const bench_child *child)
{
  const bench_solver *solver = bench_solver_find(child->spec);
  const char *settings = strchr(child->spec, ':');
  bench_run run = {.from = child->from,
                   .seed = child->seed,
                   .seconds = child->seconds,
                   .settings = settings ? settings + 1 : ""};
  lrgd_error error = {.text = ""};
  bench_problem *problem = &run.problem;
  if (!solver) bench_die("no solver is called '%s'", child->spec);
  if (bench_problem_make(problem, child->from, child->seed, &error) != LRGD_OK)
    bench_die("%s", error.text);
  if (!isnan(child->minimum)) problem->minimum = child->minimum;
  if (isnan(problem->minimum)) problem->minimum = bench_reference(problem);
  run.method = solver->name;
  run.counter =
      (bench_counter){.problem = problem,
                      .goals = bench_class_goals(child->from->class),
                      .noise = noise_of(child->from, problem),
                      .seed = child->seed,
                      .budget = bench_budget(child->from, problem->p),
                      .best = INFINITY,
                      .to_end = child->to_end,
                      .simulator = child->from->class == BENCH_SIMULATORS};
  if (run.counter.simulator) printf("start %.10g\n", problem->f0);
  run.h = bench_difference_step(&run);
  set_alarm(&run.counter, child->seconds);
  clock_gettime(CLOCK_MONOTONIC, &run.counter.started);
  solver->run(&run);
  bench_end(&run.counter, "ended");
}
