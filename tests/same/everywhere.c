/* Every built-in problem by every method, free of everything but the core: a
 * line each, with f, a digest of x and what was spent.  tools/same-elsewhere
 * compares the lines of two architectures. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lrgd/lrgd.h>

#include "problems.h"

enum { EVALUATIONS = 60 }; /* an emulator is slow */

typedef struct oracle {
  const char *name;
  void (*leave)(lrgd_problem *problem); /* takes the other answers away */
} oracle;

static void values(lrgd_problem *problem)
{
  problem->gradient = NULL;
  problem->slopes = NULL;
  problem->complex_value = NULL;
}

static void slopes(lrgd_problem *problem)
{
  problem->gradient = NULL;
  problem->complex_value = NULL;
}

static void complex_values(lrgd_problem *problem)
{
  problem->gradient = NULL;
  problem->slopes = NULL;
}

static void all(lrgd_problem *problem)
{
  (void)problem;
}

static const oracle ORACLES[] = {
    {"value",    values        },
    {"slope",    slopes        },
    {"complex",  complex_values},
    {"gradient", all           },
};
static const char *const METHODS[] = {"auto",     "gd",       "lrgd",
                                      "iterated", "adaptive", "quasi-newton"};

/* Of the numbers, not of their bytes, whose order is the processor's
 * (FNV-1a). */
static uint64_t digest(size_t p, const double *x)
{
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < p; i++) {
    char text[40];
    snprintf(text, sizeof text, "%a", x[i]);
    for (const char *c = text; *c; c++)
      hash = (hash ^ (unsigned char)*c) * 1099511628211u;
  }
  return hash;
}

static void run(const char *name, const lr_problem *made, const oracle *asked,
                size_t method)
{
  lrgd_problem problem = *lr_problem_callbacks(made);
  size_t p = problem.dimension;
  double *x = malloc(p * sizeof *x);
  lrgd_options options = lrgd_options_default();
  lrgd_result result;
  lrgd_error error;
  if (!x) exit(1);
  memcpy(x, lr_problem_start(made), p * sizeof *x);
  asked->leave(&problem);
  options.method = (lrgd_method)method;
  options.rank = p < 4 ? (int64_t)p : 4;
  options.max_evals = EVALUATIONS;
  if (lrgd_minimize(&problem, &options, x, &result, &error))
    printf("%s %s %s: %s\n", name, asked->name, METHODS[method], error.text);
  else
    printf("%s %s %s: %a %016" PRIx64 " %d %s\n", name, asked->name,
           METHODS[method], result.f, digest(p, x), (int)result.iterations,
           result.message);
  free(x);
}

int main(void)
{
  for (size_t k = 0; k < lr_problem_kind_count(); k++) {
    const char *name = lr_problem_kind_name(lr_problem_kind_at(k));
    lr_problem *made = NULL;
    lrgd_error error;
    if (lr_problem_create(&made, name, NULL, 0, &error)) {
      fprintf(stderr, "%s: %s\n", name, error.text);
      return 1;
    }
    for (size_t o = 0; o < sizeof ORACLES / sizeof *ORACLES; o++)
      for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++)
        run(name, made, &ORACLES[o], m);
    lr_problem_destroy(&made);
  }
  return 0;
}
