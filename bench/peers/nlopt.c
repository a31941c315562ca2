/* NLopt's solvers.  Tolerances are off: the counter ends a run. */
#include "peers.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

static void run_nlopt(bench_run *run);

#define BY_DIFFERENCES "gradients by forward differences, p + 1 values each"
#define FIRST_STEP "first step 0.5 (a quarter of a narrow box)"

/* clang-format off */
const bench_solver bench_nlopt[] = {
  {"lbfgs", "NLopt", "LD_LBFGS, " BY_DIFFERENCES, true, run_nlopt, 0},
  {"mma", "NLopt", "LD_MMA, " BY_DIFFERENCES, true, run_nlopt, 0},
  {"newuoa", "NLopt", "LN_NEWUOA (in a box LN_NEWUOA_BOUND), " FIRST_STEP,
   true, run_nlopt, 0},
  {"bobyqa", "NLopt", "LN_BOBYQA, " FIRST_STEP, true, run_nlopt, 0},
  {"sbplx", "NLopt", "LN_SBPLX, " FIRST_STEP, true, run_nlopt, 0},
  {"praxis", "NLopt", "LN_PRAXIS, " FIRST_STEP, true, run_nlopt, 0},
  {.name = NULL}
};
/* clang-format on */

static nlopt_algorithm algorithm(const bench_run *run)
{
  const char *name = run->method;
  if (strcmp(name, "lbfgs") == 0) return NLOPT_LD_LBFGS;
  if (strcmp(name, "mma") == 0) return NLOPT_LD_MMA;
  if (strcmp(name, "bobyqa") == 0) return NLOPT_LN_BOBYQA;
  if (strcmp(name, "sbplx") == 0) return NLOPT_LN_SBPLX;
  if (strcmp(name, "praxis") == 0) return NLOPT_LN_PRAXIS;
  return run->problem.f.lower ? NLOPT_LN_NEWUOA_BOUND : NLOPT_LN_NEWUOA;
}

/* Replaces NaN by a very large value, as NLopt may loop for ever on NaN. */
static double answer(double f)
{
  return isfinite(f) ? f : HUGE_VAL;
}

static double objective(unsigned p, const double *x, double *g, void *user)
{
  bench_run *run = user;
  (void)p;
  return answer(g ? bench_ask_gradient(run, x, g)
                  : bench_ask(&run->counter, x));
}

static const char *word_for(nlopt_result result)
{
  if (result == NLOPT_ROUNDOFF_LIMITED) return "roundoff";
  return result < 0 ? "failure" : "ended";
}

static void run_nlopt(bench_run *run)
{
  const bench_problem *problem = &run->problem;
  nlopt_opt opt = nlopt_create(algorithm(run), (unsigned)problem->p);
  double *x = malloc(problem->p * sizeof *x), f;
  nlopt_result result;
  if (!opt || !x) bench_die("no memory for NLopt");
  memcpy(x, problem->x0, problem->p * sizeof *x);
  nlopt_srand((unsigned long)run->seed);
  nlopt_set_min_objective(opt, objective, run);
  if (problem->f.lower) {
    nlopt_set_lower_bounds(opt, problem->f.lower);
    nlopt_set_upper_bounds(opt, problem->f.upper);
  }
  nlopt_set_initial_step1(opt, bench_first_step(run));
  result = nlopt_optimize(opt, x, &f);
  nlopt_destroy(opt);
  free(x);
  bench_end(&run->counter, word_for(result));
}
