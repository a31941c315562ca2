/* Styblinski and Tang's function (1990): sum of (z^4 - 16 z^2 + 5 z) / 2, two
 * minima for each variable; the start -1 lies in the valley of the deeper. */
#include <limits.h>

#include "embedded.h"

static const lr_parameter parameters[] = {
    {"p",    "100", "dimension"                     },
    {"n",    "10",  "variables; the rank; at most p"},
    {"seed", "1",   "of the embedding A"            },
};

static double complex sum_of(size_t n, const double complex *z,
                             const void *data)
{
  double complex sum = 0;
  (void)data;
  for (size_t j = 0; j < n; j++) {
    double complex square = z[j] * z[j];
    sum += 0.5 * (square * square - 16 * square + 5 * z[j]);
  }
  return sum;
}

/* the least root of 4 z^3 - 32 z + 5, and the function there */
static const double start[] = {-1}, minimiser[] = {-2.903534027771177};
static const double least = -39.16616570377141;

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  size_t n = lr_reader_size(reader, "n", 1, INT_MAX);
  lr_core_formula formula = {n,      1,    start, minimiser, (double)n * least,
                             sum_of, NULL, 0};
  lr_embedded_check(reader, n, p);
  return lr_embedded_build(problem, reader, p, &formula);
}

const lr_problem_kind lr_kind_styblinski_tang = {
    "styblinski-tang", "Styblinski and Tang's function in n of p directions",
    parameters, sizeof parameters / sizeof parameters[0], build};
