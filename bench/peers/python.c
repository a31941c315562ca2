/* SciPy and cmaes, in a Python process that asks for values over pipes: the
 * function, the counter and the differences stay here.
 *
 * We write p, the seed, the first step, 1 where there are bounds, the number of
 * residuals or outputs (or 0), 1 where these have limits, x0, the bounds, and
 * lower limits, upper limits and scales of outputs.  It then writes 0, 1, 2 or
 * 3 and p numbers, again and again; we answer f, f and g, F, or F and after it
 * the columns of its Jacobian (F of the point it asked for last).  All are
 * doubles. */
#include "cli/base/own_file.h"
#include "cli/base/pipe_numbers.h"
#include "peers.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void run_python(bench_run *run);

/* clang-format off */
const bench_solver bench_python[] = {
#ifdef BENCH_WITH_SCIPY
  {"l-bfgs-b", "SciPy",
   "10 pairs, no tolerances, gradients by forward differences; up to 5 "
   "restarts where the line search gives up", true, run_python, 0},
#endif
#ifdef BENCH_WITH_CMAES
  {"cma-es", "cmaes",
   "sigma 0.5 (a quarter of a narrow box); its separable form above p = 400",
   true, run_python, 0},
#endif
#ifdef BENCH_WITH_SCIPY
  {"trf", "SciPy",
   "least_squares, trf, tolerances 1e-15, Jacobians by forward differences",
   true, run_python, BENCH_RESIDUALS},
  {"dogbox", "SciPy",
   "least_squares, dogbox, tolerances 1e-15, Jacobians by forward differences",
   true, run_python, BENCH_RESIDUALS},
  {"lm", "SciPy",
   "least_squares, lm, tolerances 1e-15, Jacobians by forward differences",
   false, run_python, BENCH_RESIDUALS | BENCH_TALL},
  {"scipy-cobyla", "SciPy", "COBYLA, bounds as constraints", true, run_python,
   BENCH_LIMITS},
  {"scipy-slsqp", "SciPy",
   "SLSQP, derivatives of all outputs by forward differences", true, run_python,
   BENCH_LIMITS},
  {"trust-constr", "SciPy",
   "trust-constr, BFGS, derivatives of all outputs by forward differences",
   true, run_python, BENCH_LIMITS},
#endif
  {.name = NULL}
};
/* clang-format on */

extern char **environ;

typedef struct pipes {
  int to, from;
} pipes;

static void put(const pipes *to, size_t count, const double *numbers)
{
  if (!pipe_put(to->to, count, numbers))
    bench_die("the Python process does not listen");
}

static char *script(const char *name)
{
  static char path[PATH_MAX];
  if (!own_file(path, name)) bench_die("%s is not beside this program", name);
  return path;
}

void bench_script(const char *name, int argc, char **argv)
{
  char **words = calloc((size_t)argc + 3, sizeof *words);
  char python[] = BENCH_PYTHON;
  if (!words) bench_die("out of memory");
  words[0] = python;
  words[1] = script(name);
  for (int i = 0; i < argc; i++) words[2 + i] = argv[i];
  execv(python, words);
  bench_die("cannot start " BENCH_PYTHON);
}

/* Limits the processor time of processes started from now on: they get SIGXCPU
 * when it is spent. */
static void limit_time(rlim_t seconds)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_CPU, &limit) != 0) return;
  limit.rlim_cur = seconds < limit.rlim_max ? seconds : limit.rlim_max;
  (void)setrlimit(RLIMIT_CPU, &limit);
}

static pid_t start(const char *name, double seconds, pipes *ends)
{
  posix_spawn_file_actions_t actions;
  int in[2], out[2];
  pid_t pid;
  char python[] = BENCH_PYTHON, solver[32];
  char *words[] = {python, script("peers.py"), solver, NULL};
  snprintf(solver, sizeof solver, "%s", name);
  if (pipe(in) != 0 || pipe(out) != 0) bench_die("no pipes for Python");
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  for (int i = 0; i < 2; i++) {
    posix_spawn_file_actions_addclose(&actions, in[i]);
    posix_spawn_file_actions_addclose(&actions, out[i]);
  }
  if (seconds > 0) limit_time((rlim_t)ceil(seconds));
  if (posix_spawn(&pid, python, &actions, NULL, words, environ) != 0)
    bench_die("cannot start " BENCH_PYTHON);
  /* processor time of this process is limited elsewhere */
  limit_time(RLIM_INFINITY);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  *ends = (pipes){.to = in[1], .from = out[0]};
  return pid;
}

static void introduce(const bench_run *run, const pipes *ends)
{
  const bench_problem *problem = &run->problem;
  bool bounds = problem->f.lower != NULL;
  double head[] = {(double)problem->p,    (double)run->seed,
                   bench_first_step(run), bounds ? 1 : 0,
                   (double)problem->m,    problem->scale ? 1 : 0};
  put(ends, 6, head);
  put(ends, problem->p, problem->x0);
  if (bounds) put(ends, problem->p, problem->f.lower);
  if (bounds) put(ends, problem->p, problem->f.upper);
  if (!problem->scale) return;
  put(ends, problem->m, problem->f.limits->lower);
  put(ends, problem->m, problem->f.limits->upper);
  put(ends, problem->m, problem->scale);
}

/* Answers one request; `numbers` has room for the longest answer. */
static size_t answer_to(bench_run *run, const double *question, double *numbers)
{
  size_t p = run->problem.p, m = run->problem.m;
  const double *x = question + 1;
  if (question[0] == 0) numbers[0] = bench_ask(&run->counter, x);
  if (question[0] == 0) return 1;
  if (question[0] == 1) {
    numbers[0] = bench_ask_gradient(run, x, numbers + 1);
    return p + 1;
  }
  if (question[0] == 2) {
    bench_ask_residuals(&run->counter, x, numbers);
    return m;
  }
  bench_ask_jacobian(run, x, numbers, numbers + m);
  return m + m * p;
}

static void run_python(bench_run *run)
{
  size_t p = run->problem.p;
  pipes ends;
  pid_t pid = start(run->method, run->seconds, &ends);
  int status = 0;
  double *question = malloc((p + 1) * sizeof *question);
  size_t m = run->problem.m, room = m ? m + m * p : p + 1;
  double *answer = malloc(room * sizeof *answer);
  if (!question || !answer) bench_die("no memory for %zu numbers", p);
  introduce(run, &ends);
  while (pipe_get(ends.from, p + 1, question))
    put(&ends, answer_to(run, question, answer), answer);
  close(ends.to);
  (void)waitpid(pid, &status, 0);
  run->counter.late = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
  bench_end(&run->counter, run->counter.late ? "time" : "ended");
}
