/* Makes a problem from a case: a built-in kind, and perhaps a box around the
 * start.  The seed of a run is the seed of its problem too. */
#include "bench.h"
#include "circuit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETTINGS_MOST = 12, LINE_MOST = 256 };

/* Returns whether a kind takes a seed: problems with limits that are formulas
 * have nothing random. */
static bool takes_seed(const char *kind)
{
  const lr_parameter *known;
  for (size_t i = 0; i < lr_limited_kind_count(); i++) {
    const lr_problem_kind *at = lr_limited_kind_at(i);
    if (strcmp(lr_problem_kind_name(at), kind) != 0) continue;
    for (size_t n = lr_problem_kind_parameters(at, &known); n-- > 0;)
      if (strcmp(known[n].name, "seed") == 0) return true;
    return false;
  }
  return true;
}

static lrgd_status make(lr_problem **made, const char *line, uint64_t seed,
                        lrgd_error *error)
{
  char words[LINE_MOST], number[24], *rest = NULL, *kind, *word;
  lr_setting settings[SETTINGS_MOST + 1];
  size_t count = 0;
  snprintf(words, sizeof words, "%s", line);
  snprintf(number, sizeof number, "%" PRIu64, seed);
  kind = strtok_r(words, " ", &rest);
  while (count < SETTINGS_MOST && (word = strtok_r(NULL, " ", &rest))) {
    char *text = strchr(word, '=');
    if (text) *text++ = '\0';
    settings[count++] = (lr_setting){word, text};
  }
  if (takes_seed(kind)) settings[count++] = (lr_setting){"seed", number};
  return lr_problem_create(made, kind, settings, count, error);
}

/* x0 +- box * max |x* - x0|: the minimiser stated lies well inside for box > 1
 * and outside for box < 1.  Where it is outside, or not known, f* is not
 * known either. */
static lrgd_status put_box(bench_problem *problem, double box)
{
  const double *best = lr_problem_minimiser(problem->made);
  size_t p = problem->p;
  double far = best ? 0 : 1;
  problem->bounds = malloc(2 * p * sizeof *problem->bounds);
  if (!problem->bounds) return LRGD_ERR_NOMEM;
  for (size_t i = 0; best && i < p; i++)
    far = fmax(far, fabs(best[i] - problem->x0[i]));
  for (size_t i = 0; i < p; i++) {
    problem->bounds[i] = problem->x0[i] - box * far;
    problem->bounds[p + i] = problem->x0[i] + box * far;
  }
  problem->f.lower = problem->bounds;
  problem->f.upper = problem->bounds + p;
  if (!best || box < 1) problem->minimum = NAN;
  return LRGD_OK;
}

static lrgd_status make_circuit(bench_problem *problem, uint64_t seed,
                                lrgd_error *error)
{
  lrgd_status status = bench_circuit_make(&problem->circuit, seed, error);
  if (status != LRGD_OK) return status;
  problem->f = *bench_circuit_problem(problem->circuit);
  problem->p = problem->f.dimension;
  problem->x0 = bench_circuit_start(problem->circuit);
  problem->f0 = problem->f.value(problem->p, problem->x0, problem->f.user);
  return LRGD_OK; /* f* is 0, at the true parameters */
}

/* The class `constrained` judges limits on outputs, all others values of f. */
static lrgd_status check_class(const bench_problem *problem,
                               const bench_case *from, lrgd_error *error)
{
  bool constrained = from->class == BENCH_CONSTRAINED;
  if (constrained == (problem->f.limits != NULL)) return LRGD_OK;
  snprintf(error->text, sizeof error->text, "'%.150s' has %s: %s", from->line,
           constrained ? "no limits on outputs" : "outputs with limits",
           constrained ? "any class but constrained judges it"
                       : "only --class constrained judges it");
  return LRGD_ERR_INVALID;
}

lrgd_status bench_problem_make(bench_problem *problem, const bench_case *from,
                               uint64_t seed, lrgd_error *error)
{
  lrgd_status status;
  *problem = (bench_problem){.made = NULL};
  if (strcmp(from->line, "ngspice") == 0)
    return make_circuit(problem, seed, error);
  status = make(&problem->made, from->line, seed, error);
  if (status != LRGD_OK) return status;
  problem->f = *lr_problem_callbacks(problem->made);
  problem->p = problem->f.dimension;
  problem->x0 = lr_problem_start(problem->made);
  status = check_class(problem, from, error);
  if (status != LRGD_OK) return status;
  if (from->class == BENCH_CONSTRAINED)
    return bench_limits_prepare(problem, from, seed);
  problem->f0 = problem->f.value(problem->p, problem->x0, problem->f.user);
  problem->minimum = lr_problem_minimum(problem->made);
  if (from->class == BENCH_SIMULATORS && isnan(problem->minimum))
    /* f may be below the reference value where limits are violated, and f* is
     * not used here */
    problem->minimum = 0;
  if (bench_class_fits(from->class))
    problem->m = lr_problem_residual_count(problem->made);
  return from->box > 0 ? put_box(problem, from->box) : LRGD_OK;
}

void bench_problem_free(bench_problem *problem)
{
  lr_problem_destroy(&problem->made);
  bench_circuit_free(&problem->circuit);
  free(problem->bounds);
  free(problem->scale);
  problem->bounds = problem->scale = NULL;
}

/* The budget: a hundred gradients, and at least what a simplex method needs to
 * begin; thirty Jacobians for fits; fifty gradients for published test
 * functions; for simulators the last mark. */
uint64_t bench_budget(const bench_case *c, size_t p)
{
  if (c->class == BENCH_SIMULATORS && !c->budget)
    return (uint64_t)(bench_mark[BENCH_MARKS - 1] * (double)p);
  if (c->budget) return c->budget;
  if (bench_class_fits(c->class)) return 30 * (uint64_t)p + 1000;
  if (bench_class_collects(c->class)) return 50 * ((uint64_t)p + 1);
  return 100 * (uint64_t)p + 2000;
}

double bench_gradient_norm(const bench_problem *problem, const double *x,
                           double *g)
{
  const lrgd_problem *f = &problem->f;
  double sum = 0;
  f->gradient(problem->p, x, g, f->user);
  for (size_t i = 0; i < problem->p; i++) {
    bool low = f->lower && x[i] <= f->lower[i] && g[i] > 0;
    bool high = f->upper && x[i] >= f->upper[i] && g[i] < 0;
    if (!low && !high) sum += g[i] * g[i];
  }
  return sqrt(sum);
}
