/* Runs `lrgd-bench --asks NAME` over a pair of pipes, in doubles of this
 * machine: we write the number of inputs, seed, difference step, whether there
 * are bounds, the start and the bounds; it then writes points, one after the
 * other, and we answer each with its value. */
#include "peer.h"

#include "cli/base/exec_helper.h"
#include "cli/base/pipe_numbers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const cli_peer peers[] = {
    {"l-bfgs-b",    "SciPy", true,  true },
    {"bobyqa",      "NLopt", true,  true },
    {"sbplx",       "NLopt", true,  true },
    {"lbfgs",       "NLopt", false, true },
    {"mma",         "NLopt", false, true },
    {"newuoa",      "NLopt", false, true },
    {"praxis",      "NLopt", false, true },
    {"gsl-bfgs2",   "GSL",   false, false},
    {"gsl-simplex", "GSL",   false, false},
    {"tao-lmvm",    "PETSc", false, true },
    {"cma-es",      "cmaes", false, true },
};

size_t peers_count(void)
{
  return COUNT_OF(peers);
}

const cli_peer *peers_at(size_t index)
{
  return &peers[index];
}

const cli_peer *peers_find(const char *name)
{
  for (size_t i = 0; i < COUNT_OF(peers); i++)
    if (strcmp(peers[i].name, name) == 0) return &peers[i];
  return NULL;
}

typedef struct child {
  pid_t pid;
  int to, from;
} child;

static bool make_pipes(int in[2], int out[2])
{
  if (pipe(in) != 0) return false;
  if (pipe(out) != 0) {
    close(in[0]);
    close(in[1]);
    return false;
  }
  (void)fcntl(in[1], F_SETFD, FD_CLOEXEC);
  (void)fcntl(out[0], F_SETFD, FD_CLOEXEC);
  return true;
}

static bool start(child *peer, const char *name)
{
  char path[PATH_MAX], asks[] = "--asks", own[] = "lrgd-bench", solver[32];
  char *words[] = {own, asks, solver, NULL};
  int in[2], out[2];
  posix_spawn_file_actions_t files;
  if (!helper_path(path, own) || !make_pipes(in, out)) return false;
  snprintf(solver, sizeof solver, "%s", name);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&files, in[0]);
  posix_spawn_file_actions_addclose(&files, out[1]);
  bool good = posix_spawn(&peer->pid, path, &files, NULL, words, environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  close(in[0]);
  close(out[1]);
  peer->to = in[1];
  peer->from = out[0];
  if (good) return true;
  close(peer->to);
  close(peer->from);
  return false;
}

/* Closes the peer's input, at which it ends; a peer that is in a long
 * computation is killed. */
static int finish(const child *peer)
{
  const struct timespec tenth = {.tv_nsec = 100000000};
  int status = 0;
  close(peer->to);
  close(peer->from);
  for (int i = 0; i < 20; i++) {
    pid_t done = waitpid(peer->pid, &status, WNOHANG);
    if (done != 0 && !(done < 0 && errno == EINTR)) return status;
    nanosleep(&tenth, NULL);
  }
  kill(peer->pid, SIGKILL);
  while (waitpid(peer->pid, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

/* The difference step: the square root of machine epsilon where f is exact, as
 * SciPy's; otherwise derived from the noise.  Both in units of the largest
 * input. */
static double difference_step(const cli_peer_task *task)
{
  double size = 1;
  for (size_t i = 0; i < task->problem->dimension; i++)
    size = fmax(size, fabs(task->start[i]));
  return fmax(1.4901161193847656e-08, sqrt(task->noise)) * size;
}

static bool put_bounds(const child *peer, const double *bounds, double none,
                       size_t p)
{
  bool good = true;
  for (size_t i = 0; good && bounds == NULL && i < p; i++)
    good = pipe_put(peer->to, 1, &none);
  return bounds != NULL ? pipe_put(peer->to, p, bounds) : good;
}

static bool introduce(const child *peer, const cli_peer_task *task)
{
  const lrgd_problem *problem = task->problem;
  size_t p = problem->dimension;
  bool bounds = problem->lower != NULL || problem->upper != NULL;
  double head[] = {(double)p, (double)task->seed, difference_step(task),
                   bounds ? 1 : 0};
  bool good = pipe_put(peer->to, COUNT_OF(head), head) &&
              pipe_put(peer->to, p, task->start);
  if (!bounds) return good;
  return good && put_bounds(peer, problem->lower, -INFINITY, p) &&
         put_bounds(peer, problem->upper, INFINITY, p);
}

static cli_peer_end answer_all(const child *peer, const cli_peer_task *task,
                               double *x)
{
  const lrgd_problem *problem = task->problem;
  for (uint64_t asked = 0; pipe_get(peer->from, problem->dimension, x);
       asked++) {
    if (asked == task->most) return PEER_BUDGET;
    if (task->stop != NULL && *task->stop) return PEER_STOPPED;
    double f = problem->value(problem->dimension, x, problem->user);
    if (task->stop != NULL && *task->stop) return PEER_STOPPED;
    if (f <= task->target) return PEER_BUDGET;
    /* NaN makes some minimisers loop for ever */
    if (!isfinite(f)) f = HUGE_VAL;
    if (!pipe_put(peer->to, 1, &f)) break;
  }
  return PEER_ENDED;
}

cli_peer_end peer_run(const cli_peer *peer, const cli_peer_task *task)
{
  child process;
  double *x = malloc(task->problem->dimension * sizeof *x);
  if (x == NULL || !start(&process, peer->name)) {
    free(x);
    return PEER_MISSING;
  }
  cli_peer_end end =
      introduce(&process, task) ? answer_all(&process, task, x) : PEER_ENDED;
  int status = finish(&process);
  free(x);
  bool refused = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USAGE;
  return end == PEER_ENDED && refused ? PEER_MISSING : end;
}
