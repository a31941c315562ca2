/* Rosenbrock's valley as a chain, sum of 100 (z_{j+1} - z_j^2)^2 +
 * (1 - z_j)^2 over j < n: unlike the pairs of `rosenbrock` every variable
 * pulls at the next, and from n = 4 there is a second minimum (f about 4, near
 * z_1 = -1). */
#include <limits.h>

#include "embedded.h"

static const lr_parameter parameters[] = {
    {"p",    "100", "dimension"                                 },
    {"n",    "10",  "variables; the rank; at least 2, at most p"},
    {"seed", "1",   "of the embedding A"                        },
};

static double complex chain(size_t n, const double complex *z, const void *data)
{
  double complex sum = 0;
  (void)data;
  for (size_t j = 0; j + 1 < n; j++) {
    double complex bend = z[j + 1] - z[j] * z[j], rest = 1 - z[j];
    sum += 100 * bend * bend + rest * rest;
  }
  return sum;
}

static const double start[] = {-1.2, 1}, minimiser[] = {1, 1};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  size_t n = lr_reader_size(reader, "n", 2, INT_MAX);
  lr_core_formula formula = {n, 2, start, minimiser, 0, chain, NULL, 0};
  lr_embedded_check(reader, n, p);
  return lr_embedded_build(problem, reader, p, &formula);
}

const lr_problem_kind lr_kind_chained_rosenbrock = {
    "chained-rosenbrock", "Rosenbrock's valley as a chain of n variables",
    parameters, sizeof parameters / sizeof parameters[0], build};
