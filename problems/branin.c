/* Branin's function (1972): 2 variables, three minima in its usual box and as
 * many again outside, all of the same value 10 / (8 pi). */
#include "analytic.h"
#include "embedded.h"

static const lr_parameter parameters[] = {
    {"p",    "100", "dimension; at least 2"},
    {"seed", "1",   "of the embedding A"   },
};

static const double pi = LR_PI;

/* (v - b u^2 + c u - 6)^2 + 10 (1 - 1/(8 pi)) cos u + 10 */
static double complex branin(size_t n, const double complex *z,
                             const void *data)
{
  double complex bend =
      z[1] - 5.1 / (4 * pi * pi) * z[0] * z[0] + 5 / pi * z[0] - 6;
  (void)n;
  (void)data;
  return bend * bend + 10 * (1 - 1 / (8 * pi)) * lr_ccos(z[0]) + 10;
}

static const double start[] = {2.5, 7.5};
static const double minimiser[] = {LR_PI, 2.275};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  lr_core_formula formula = {2,      2,    start, minimiser, 10 / (8 * pi),
                             branin, NULL, 0};
  lr_embedded_check(reader, 2, p);
  return lr_embedded_build(problem, reader, p, &formula);
}

const lr_problem_kind lr_kind_branin = {
    "branin", "Branin's function in 2 of p directions", parameters,
    sizeof parameters / sizeof parameters[0], build};
