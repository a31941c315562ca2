/* PETSc TAO, in a module that is loaded when a run wants it. */
#include "cli/base/own_file.h"
#include "peers.h"
#include "tao_module.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

static void run_tao(bench_run *run);

/* clang-format off */
const bench_solver bench_tao[] = {
  {"tao-lmvm", "PETSc",
   "LMVM (in a box BLMVM), no tolerances, gradients by forward differences; "
   "up to 5 restarts where the line search gives up", true, run_tao},
  {.name = NULL}
};
/* clang-format on */

static double gradient(void *user, const double *x, double *g)
{
  return bench_ask_gradient(user, x, g);
}

static void *load(void)
{
  char path[PATH_MAX];
  void *module;
  if (!own_file(path, BENCH_TAO_MODULE))
    bench_die(BENCH_TAO_MODULE " is not beside this program");
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
