/* NLopt's solvers on problems with limits.  One evaluation answers all outputs:
 * those of the last point are kept, so that the objective and the constraints,
 * which NLopt asks for one after the other, cost one.  Constraints are measured
 * in units of their scales. */
#include "peers.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

static void run_limited(bench_run *run);

#define BY_DIFFERENCES "derivatives of all outputs by forward differences"

/* clang-format off */
const bench_solver bench_nlopt_limits[] = {
  {"nlopt-cobyla", "NLopt", "LN_COBYLA", true, run_limited, BENCH_LIMITS},
  {"nlopt-slsqp", "NLopt", "LD_SLSQP, " BY_DIFFERENCES, true, run_limited,
   BENCH_LIMITS},
  {"nlopt-mma", "NLopt", "LD_MMA, " BY_DIFFERENCES "; no equations", true,
   run_limited, BENCH_LIMITS | BENCH_NO_EQUATIONS},
  {"nlopt-ccsaq", "NLopt", "LD_CCSAQ, " BY_DIFFERENCES "; no equations", true,
   run_limited, BENCH_LIMITS | BENCH_NO_EQUATIONS},
  {"nlopt-auglag", "NLopt", "AUGLAG with LN_BOBYQA, to a relative 1e-8 each",
   true, run_limited, BENCH_LIMITS},
  {.name = NULL}
};
/* clang-format on */

typedef struct row {
  size_t output;
  double sign, limit, scale; /* sign (y - limit) / scale <= 0, or = 0 */
} row;

typedef struct limited {
  bench_run *run;
  double *x, *y, *J; /* the last point, its outputs, their derivatives */
  bool known, sloped;
  row *rows; /* inequalities, then equations */
  size_t unequal, equal;
} limited;

static void list_rows(limited *l)
{
  const bench_problem *problem = &l->run->problem;
  const lrgd_limits *limits = problem->f.limits;
  for (int equal = 0; equal < 2; equal++)
    for (size_t i = 0; i < problem->m; i++) {
      double low = limits->lower[i], high = limits->upper[i];
      row *to = l->rows + l->unequal + l->equal;
      if ((low == high) != equal) continue;
      if (isfinite(high)) *to++ = (row){i, 1, high, problem->scale[i]};
      if (isfinite(low) && !equal) *to++ = (row){i, -1, low, problem->scale[i]};
      *(equal ? &l->equal : &l->unequal) =
          (size_t)(to - l->rows) - (equal ? l->unequal : 0);
    }
}

static void ask(limited *l, const double *x, bool slopes)
{
  size_t p = l->run->problem.p;
  if (!l->known || memcmp(x, l->x, p * sizeof *x) != 0) {
    memcpy(l->x, x, p * sizeof *x);
    bench_ask_residuals(&l->run->counter, x, l->y);
    l->known = true;
    l->sloped = false;
  }
  if (!slopes || l->sloped) return;
  bench_ask_jacobian(l->run, x, l->y, l->J);
  l->sloped = true;
}

static double objective(unsigned p, const double *x, double *g, void *user)
{
  limited *l = user;
  ask(l, x, g != NULL);
  for (size_t j = 0; g && j < p; j++) g[j] = l->J[j * l->run->problem.m];
  return isfinite(l->y[0]) ? l->y[0] : HUGE_VAL;
}

static void give(limited *l, const row *rows, unsigned count, double *out,
                 unsigned p, const double *x, double *slopes)
{
  size_t m = l->run->problem.m;
  ask(l, x, slopes != NULL);
  for (unsigned i = 0; i < count; i++) {
    const row *r = &rows[i];
    double y = l->y[r->output];
    out[i] = isfinite(y) ? r->sign * (y - r->limit) / r->scale : HUGE_VAL;
    for (size_t j = 0; slopes && j < p; j++)
      slopes[i * p + j] = r->sign * l->J[j * m + r->output] / r->scale;
  }
}

static void inequalities(unsigned count, double *out, unsigned p,
                         const double *x, double *slopes, void *user)
{
  limited *l = user;
  give(l, l->rows, count, out, p, x, slopes);
}

static void equations(unsigned count, double *out, unsigned p, const double *x,
                      double *slopes, void *user)
{
  limited *l = user;
  give(l, l->rows + l->unequal, count, out, p, x, slopes);
}

static nlopt_algorithm algorithm(const char *name)
{
  if (strcmp(name, "nlopt-cobyla") == 0) return NLOPT_LN_COBYLA;
  if (strcmp(name, "nlopt-mma") == 0) return NLOPT_LD_MMA;
  if (strcmp(name, "nlopt-ccsaq") == 0) return NLOPT_LD_CCSAQ;
  if (strcmp(name, "nlopt-auglag") == 0) return NLOPT_AUGLAG;
  return NLOPT_LD_SLSQP;
}

/* The solver that the augmented Lagrangian calls, which needs an end of its
 * own. */
static void set_inner(nlopt_opt opt, size_t p)
{
  nlopt_opt inner = nlopt_create(NLOPT_LN_BOBYQA, (unsigned)p);
  if (!inner) bench_die("no memory for NLopt");
  nlopt_set_ftol_rel(inner, 1e-8);
  nlopt_set_xtol_rel(inner, 1e-8);
  nlopt_set_local_optimizer(opt, inner);
  nlopt_destroy(inner);
}

/* Copies the start and clips it to the bounds, as NLopt refuses other
 * starts. */
static void copy_start(const bench_problem *problem, double *x)
{
  const lrgd_problem *f = &problem->f;
  for (size_t i = 0; i < problem->p; i++) {
    x[i] = problem->x0[i];
    if (f->lower) x[i] = fmax(x[i], f->lower[i]);
    if (f->upper) x[i] = fmin(x[i], f->upper[i]);
  }
}

/* Runs a solver.  The objective is not scaled, since users would not know a
 * scale for it. */
static void run_limited(bench_run *run)
{
  const bench_problem *problem = &run->problem;
  size_t p = problem->p, m = problem->m;
  nlopt_opt opt = nlopt_create(algorithm(run->method), (unsigned)p);
  limited l = {.run = run,
               .x = malloc((2 * p + m + m * p) * sizeof *l.x),
               .rows = malloc(2 * m * sizeof *l.rows)};
  double *tolerance = calloc(2 * m, sizeof *tolerance), f;
  if (!opt || !l.x || !l.rows || !tolerance) bench_die("no memory for NLopt");
  double *x = l.x + p;
  l.y = x + p, l.J = l.y + m;
  list_rows(&l);
  copy_start(problem, x);
  nlopt_srand((unsigned long)run->seed);
  if (algorithm(run->method) == NLOPT_AUGLAG) set_inner(opt, p);
  nlopt_set_min_objective(opt, objective, &l);
  if (problem->f.lower) nlopt_set_lower_bounds(opt, problem->f.lower);
  if (problem->f.upper) nlopt_set_upper_bounds(opt, problem->f.upper);
  if (l.unequal > 0)
    nlopt_add_inequality_mconstraint(opt, (unsigned)l.unequal, inequalities, &l,
                                     tolerance);
  if (l.equal > 0)
    nlopt_add_equality_mconstraint(opt, (unsigned)l.equal, equations, &l,
                                   tolerance);
  nlopt_result result = nlopt_optimize(opt, x, &f);
  bench_end(&run->counter, result < 0 ? "failure" : "ended");
}
