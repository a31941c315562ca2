/* PETSc TAO, in a module that is loaded when one of its solvers is run. */
#include "cli/base/own_file.h"
#include "peers.h"
#include "tao_module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void run_tao(bench_run *run);

/* clang-format off */
const bench_solver bench_tao[] = {
  {"tao-lmvm", "PETSc",
   "LMVM (in a box BLMVM), no tolerances, gradients by forward differences; "
   "up to 5 restarts where the line search gives up", true, run_tao, 0},
  {"tao-pounders", "PETSc",
   "POUNDERS, first radius 0.5 (a quarter of a narrow box), no tolerances",
   true, run_tao, BENCH_RESIDUALS | BENCH_FEW_INPUTS},
  {"tao-brgn", "PETSc",
   "BRGN with the regularisation of Levenberg and Marquardt, no tolerances, "
   "Jacobians by forward differences", true, run_tao, BENCH_RESIDUALS},
  {.name = NULL}
};
/* clang-format on */

static double gradient(void *user, const double *x, double *g)
{
  return bench_ask_gradient(user, x, g);
}

static void residuals(void *user, const double *x, double *r)
{
  bench_ask_residuals(&((bench_run *)user)->counter, x, r);
}

static void jacobian(void *user, const double *x, const double *r, double *J)
{
  bench_ask_jacobian(user, x, r, J);
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
                            .user = run,
                            .m = problem->m,
                            .step = bench_first_step(run),
                            .residuals = residuals,
                            .jacobian = jacobian};
  if (strcmp(run->method, "tao-pounders") == 0) told.type = "pounders";
  if (strcmp(run->method, "tao-brgn") == 0) told.type = "brgn";
  told.last = calloc(problem->p + problem->m, sizeof *told.last);
  if (!told.last) bench_die("no memory for TAO");
  memcpy(&minimise, &symbol, sizeof minimise);
  if (!minimise) bench_die("%s", dlerror());
  bench_end(&run->counter, minimise(&told) == 0 ? "ended" : "failure");
}
