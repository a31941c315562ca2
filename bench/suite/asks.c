/* lrgd-bench --asks NAME: minimises a function that another process evaluates,
 * over a pair of pipes.  The counter and the budget are that process's: when it
 * closes the pipe, the run is over. */
#include "asks.h"

#include "bench.h"
#include "cli/base/pipe_numbers.h"
#include "kernels.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static int answers;   /* descriptor from which values are read */
static int questions; /* descriptor to which points are written */

static void get(size_t count, double *numbers)
{
  if (!pipe_get(answers, count, numbers)) _exit(0);
}

static double value(size_t p, const double *x, void *user)
{
  double f;
  (void)user;
  if (!pipe_put(questions, p, x)) _exit(0);
  get(1, &f);
  return f;
}

/* Moves the pipes to other descriptors and standard output to /dev/null, so
 * that nothing a solver prints reaches a pipe. */
static void take_pipes(void)
{
  int nowhere = open("/dev/null", O_WRONLY);
  answers = dup(STDIN_FILENO);
  questions = dup(STDOUT_FILENO);
  if (nowhere < 0 || answers < 0 || questions < 0) bench_die("no pipes");
  (void)fcntl(answers, F_SETFD, FD_CLOEXEC);
  (void)fcntl(questions, F_SETFD, FD_CLOEXEC);
  (void)dup2(nowhere, STDOUT_FILENO);
  signal(SIGPIPE, SIG_IGN);
}

static double *numbers(size_t count)
{
  double *made = malloc((count + 1) * sizeof *made);
  if (made == NULL) bench_die("no memory for %zu numbers", count);
  get(count, made);
  return made;
}

void bench_asks(const char *name)
{
  static const bench_goals none = {0};
  static const bench_case outside = {.class = BENCH_EXACT};
  static bench_run run;
  const bench_solver *solver = bench_solver_find(name);
  /* p, seed, step of differences, and whether there are bounds */
  double head[4];
  bench_problem *problem = &run.problem;
  if (solver == NULL || bench_solver_is_ours(solver))
    bench_die("no peer is called '%s' here", name);
  bench_prepare_peers();
  take_pipes();
  get(4, head);
  size_t p = (size_t)head[0];
  problem->p = problem->f.dimension = p;
  problem->f.value = value;
  problem->x0 = numbers(p);
  if (head[3] > 0) {
    problem->bounds = numbers(2 * p);
    problem->f.lower = problem->bounds;
    problem->f.upper = problem->bounds + p;
  }
  run = (bench_run){.from = &outside,
                    .problem = *problem,
                    .seed = (uint64_t)head[1],
                    .method = solver->name,
                    .settings = "",
                    .h = head[2]};
  run.counter = (bench_counter){.problem = problem,
                                .goals = &none,
                                .budget = UINT64_MAX,
                                .best = INFINITY,
                                .to_end = true};
  solver->run(&run);
  _exit(0);
}
