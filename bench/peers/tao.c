/* PETSc TAO, in a module that is loaded when a run wants it. */
#include "peers.h"
#include "tao_module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void run_tao(bench_run *run);

/* clang-format off */
const bench_solver bench_tao[] = {
  {"tao-lmvm", "PETSc",
   "LMVM (in a box BLMVM), no tolerances, gradients by forward differences; "
   "up to 5 restarts where the line search gives up", true, run_tao, false},
  {.name = NULL}
};
/* clang-format on */

static double gradient(void *user, const double *x, double *g)
{
  return bench_ask_gradient(user, x, g);
}

/* The module lies beside this program. */
static void *load(void)
{
  char path[PATH_MAX], *slash;
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
  void *module;
  if (length <= 0) bench_die("this program does not know where it is");
  path[length] = '\0';
  slash = strrchr(path, '/');
  memcpy(slash + 1, BENCH_TAO_MODULE, sizeof BENCH_TAO_MODULE);
  module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!module) bench_die("%s", dlerror());
  return module;
}

static void run_tao(bench_run *run)
{
  const bench_problem *problem = &run->problem;
  void *symbol = dlsym(load(), BENCH_TAO_SYMBOL);
  bench_tao_fn minimise = NULL;
  bench_tao_problem told = {.p = problem->p,
                            .x0 = problem->x0,
                            .lower = problem->f.lower,
                            .upper = problem->f.upper,
                            .gradient = gradient,
                            .user = run};
  memcpy(&minimise, &symbol, sizeof minimise);
  if (!minimise) bench_die("%s", dlerror());
  bench_end(&run->counter, minimise(&told) == 0 ? "ended" : "failure");
}
