/* Basic reproduction number of Ebola in Liberia, from an SEIR model with
 * hospitals and burials (Diaz, Constantine, Kalmbach, Jones and Pankavich,
 * 2018). */
#include "analytic.h"
#include "formula.h"

/* transmission in the community, by the dead, in hospital; share of deaths
 * that stay infectious; removal in and out of hospital; burial; admission */
enum { B1, B2, B3, RHO1, G1, G2, OMEGA, PSI, INPUTS };

static const double lower[] = {0.1,    0.1,   0.05, 0.41,
                               0.0276, 0.081, 0.25, 0.0833};
static const double upper[] = {0.4, 0.4, 0.2, 1, 0.1702, 0.21, 0.5, 0.7};

static double complex reproduction(const double complex *x)
{
  return lr_cdiv(x[B1] + lr_cdiv(x[B2] * x[RHO1] * x[G1], x[OMEGA]) +
                     lr_cdiv(x[B3] * x[PSI], x[G2]),
                 x[G1] + x[PSI]);
}

static const lr_formula formula = {INPUTS, lower, upper, reproduction, 8};
static const lr_parameter parameters[] = {LR_FORMULA_UNITS};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  return lr_formula_build(problem, reader, &formula);
}

const lr_problem_kind lr_kind_ebola = {
    "ebola", "basic reproduction number of Ebola, 8 inputs", parameters,
    sizeof parameters / sizeof parameters[0], build};
