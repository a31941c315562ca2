/* Our own methods, by the public header: a method's name and any settings of
 * its options, or of rows of the policy, "auto:max_rank=20,pause_least=300". */
#include "base/policy_table.h"
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_EARLY_STOP                                                          \
  "tol 1e-10 of the first gradient, so that it does not stop before the "      \
  "targets"

/* clang-format off */
const bench_solver bench_ours[] = {
  {"auto", "lrgd", "told nothing but the noise (simulators: not even that); " NO_EARLY_STOP, true,
   bench_run_ours, 0},
  {"auto-f", "lrgd", "auto, told f alone where there are residuals", true,
   bench_run_ours, 0},
  {"quasi-newton", "lrgd", "auto's second half alone; " NO_EARLY_STOP, true,
   bench_run_ours, 0},
  {"gd", "lrgd", "gradient descent, line search", true, bench_run_ours, 0},
  {"lrgd", "lrgd", "Algorithm 1, told the rank", true, bench_run_ours, 0},
  {"iterated", "lrgd", "Algorithm 2, told the rank", true, bench_run_ours, 0},
  {"adaptive+1", "lrgd", "Algorithm 3, one more direction at a time", true,
   bench_run_ours, 0},
  {"adaptive*2", "lrgd", "Algorithm 3, twice as many directions each time",
   true, bench_run_ours, 0},
  {.name = NULL}
};
/* clang-format on */

static void ask_residuals(size_t p, const double *x, size_t m, double *r,
                          void *user)
{
  (void)p;
  (void)m;
  bench_ask_residuals(user, x, r);
}

static double ask(size_t p, const double *x, void *user)
{
  (void)p;
  return bench_ask(user, x);
}

void bench_set_policy(const char *name, const char *text)
{
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end != '\0') bench_die("'%s' is not a number", text);
  if (!lr_policy_set(name, value))
    bench_die("no row of the policy is called '%s' (docs/parameters.md)", name);
}

static bool is_policy(const char *name)
{
  const lr_policy_row *row;
  for (size_t i = 0; (row = lr_policy_row_at(i)); i++)
    if (strcmp(row->name, name) == 0) return true;
  return false;
}

static void set(lrgd_options *options, const char *name, const char *text)
{
  lrgd_error error = {.text = ""};
  if (lrgd_options_set(options, name, text, &error) != LRGD_OK)
    bench_die("%s", error.text);
}

static void set_number(lrgd_options *options, const char *name, double number)
{
  char text[32];
  snprintf(text, sizeof text, "%.17g", number);
  set(options, name, text);
}

static double gradient_norm(const bench_problem *problem, const double *x)
{
  double *g = malloc(problem->p * sizeof *g), size;
  if (!g) bench_die("no memory for a gradient");
  size = bench_gradient_norm(problem, x, g);
  free(g);
  return size;
}

/* Reads settings "name=text,name=text". */
static void read_settings(lrgd_options *options, const char *settings)
{
  char copy[512], *rest = NULL;
  snprintf(copy, sizeof copy, "%s", settings);
  for (char *word = strtok_r(copy, ",", &rest); word;
       word = strtok_r(NULL, ",", &rest)) {
    char *text = strchr(word, '=');
    if (!text) bench_die("'%s' is no setting: name=value is one", word);
    *text++ = '\0';
    if (is_policy(word))
      bench_set_policy(word, text);
    else
      set(options, word, text);
  }
}

/* Sets options that a method gets by default in the benchmark; settings
 * override them. */
static void prepare(lrgd_options *options, const bench_run *run,
                    const char *method)
{
  char number[24];
  bool doubling = strcmp(method, "adaptive*2") == 0;
  bool growing = doubling || strcmp(method, "adaptive+1") == 0;
  snprintf(number, sizeof number, "%" PRIu64, run->seed);
  if (strcmp(method, "auto-f") == 0) method = "auto";
  set(options, "method", growing ? "adaptive" : method);
  set(options, "seed", number);
  if (growing) set(options, "growth", doubling ? "double" : "one");
  if (strcmp(method, "lrgd") == 0 || strcmp(method, "iterated") == 0)
    set_number(options, "rank", (double)run->from->rank);
  /* as a user would run it: without a rank, until its own end */
  if (run->counter.simulator) {
    set_number(options, "tol", 1e-12 * fabs(run->problem.f0));
    return;
  }
  if (run->problem.scale) {
    set_number(options, "tol",
               1e-10 * (run->problem.f0 - run->problem.minimum));
    return;
  }
  if (!run->problem.m) set_number(options, "noise", run->counter.noise);
  if (run->counter.to_end || strcmp(method, "auto") == 0 ||
      strcmp(method, "quasi-newton") == 0)
    set_number(options, "tol",
               (run->counter.to_end ? 1e-6 : 1e-10) *
                   gradient_norm(&run->problem, run->problem.x0));
}

/* For runs that end by themselves: prints the certificate, and the true
 * gradient. */
static void tell_claims(const bench_run *run, const lrgd_result *result,
                        const double *x)
{
  if (!run->problem.f.gradient) return;
  printf("claims %zu %.6e %.6e %" PRIu64 "\n", result->rank,
         result->certificate.valid ? result->certificate.grad_norm_bound : NAN,
         gradient_norm(&run->problem, x), run->counter.small_gradient);
}

static void watch_tolerance(bench_run *run, const lrgd_options *options)
{
  if (!run->counter.to_end || options->tol == LRGD_UNSET_REAL) return;
  run->counter.g = malloc(run->problem.p * sizeof *run->counter.g);
  if (!run->counter.g) bench_die("no memory for a gradient");
  run->counter.tol = options->tol;
}

void bench_run_ours(bench_run *run)
{
  lrgd_options options = lrgd_options_default();
  lrgd_problem problem = lrgd_problem_default(run->problem.p);
  lrgd_error error = {.text = ""};
  lrgd_result result;
  double *x = malloc(run->problem.p * sizeof *x);
  if (!x) bench_die("no memory for %zu numbers", run->problem.p);
  prepare(&options, run, run->method);
  read_settings(&options, run->settings);
  watch_tolerance(run, &options);
  if (run->problem.m && strcmp(run->method, "auto-f") != 0) {
    problem.residuals = ask_residuals;
    problem.residual_count = run->problem.m;
    problem.limits = run->problem.f.limits;
  } else {
    problem.value = ask;
  }
  problem.user = &run->counter;
  problem.lower = run->problem.f.lower;
  problem.upper = run->problem.f.upper;
  memcpy(x, run->problem.x0, run->problem.p * sizeof *x);
  if (lrgd_minimize(&problem, &options, x, &result, &error) != LRGD_OK)
    bench_die("%s: %s", run->method, error.text);
  tell_claims(run, &result, x);
  bench_end(&run->counter, lrgd_outcome_text(result.outcome));
}
