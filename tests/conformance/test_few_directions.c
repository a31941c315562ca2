/* Functions of few directions that are far from quadratic, in less than 80
 * inputs: there an embedding has a short trial. */
#include "check.h"

#include <lrgd/lrgd.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { INPUTS = 60, DIRECTIONS = 4, RUNS = 12 };

/* Coordinate j of `directions`, of which each function has its own. */
static double along(const double *x, int j, int function)
{
  double sum = 0;
  for (int i = 0; i < INPUTS; i++)
    sum += sin((i + 1.0) * (j + 2) * (j + 3) + 5.0 * function) * x[i];
  return sum / sqrt(INPUTS / 2.0);
}

/* A sum of smooth terms, each of two of these coordinates. */
static double curved(size_t p, const double *x, void *user)
{
  const int *function = user;
  double s[DIRECTIONS], f = 0;
  (void)p;
  for (int j = 0; j < DIRECTIONS; j++) s[j] = along(x, j, *function) - 1.5 + j;
  for (int j = 0; j < DIRECTIONS; j++) {
    double t = s[j] + 0.5 * s[(j + 1) % DIRECTIONS];
    double terms[] = {t * t, log1p(t * t), cosh(t) - 1, sqrt(1 + t * t) - 1};
    f += terms[(j + *function) % DIRECTIONS] * (1 + j);
  }
  return f;
}

static int by_size(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Before the embedding was compared with quasi-Newton at the end of its trial,
 * the median was 496: quasi-Newton began at the start, with 61 evaluations for
 * each gradient. */
TEST("a curved function of four directions in 60 inputs is not left at once")
{
  uint64_t counts[RUNS];
  for (int i = 0; i < RUNS; i++) {
    int function = i % 4;
    double x[INPUTS] = {0};
    lrgd_problem problem = lrgd_problem_default(INPUTS);
    lrgd_options o = lrgd_options_default();
    lrgd_result r;
    problem.value = curved;
    problem.user = &function;
    o.seed = i / 4 + 1;
    check(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "runs");
    check(r.outcome == LRGD_OUTCOME_CONVERGED, "function %d: %s", function,
          r.message);
    counts[i] = lrgd_counts_evaluations(&r.counts);
  }
  qsort(counts, RUNS, sizeof *counts, by_size);
  uint64_t median = counts[RUNS / 2];
  check(median <= 250, "the median is %d", (int)median);
}
