/* Hartmann flow: a conducting fluid between plates in a magnetic field (ranges
 * of Glaws, Constantine, Shadid and Wildey, 2017).  Average velocity and
 * induced field depend on the inputs through a product of powers and the
 * Hartmann number Ha = B / sqrt(eta mu), another one: rank 4 in the inputs,
 * rank 2 in their logarithms. */
#include "analytic.h"
#include "formula.h"

/* viscosity, pressure gradient, resistivity, applied field; plates a unit
 * apart, unit permeability */
enum { MU, PUSH, ETA, FIELD, INPUTS };

static const double lower[] = {0.05, 0.5, 0.5, 0.1};
static const double upper[] = {0.2, 3, 3, 1};

static double complex hartmann_number(const double complex *x)
{
  return lr_cdiv(x[FIELD], lr_csqrt(x[ETA] * x[MU]));
}

static double complex velocity(const double complex *x)
{
  double complex ha = hartmann_number(x);
  return lr_cdiv(x[PUSH] * x[ETA], x[FIELD] * x[FIELD]) *
         (lr_cdiv(ha, lr_ctanh(ha)) - 1);
}

static double complex field(const double complex *x)
{
  double complex half = 0.5 * hartmann_number(x);
  return lr_cdiv(x[PUSH], 2 * x[FIELD]) * (1 - lr_cdiv(lr_ctanh(half), half));
}

static const lr_formula formulas[] = {
    {INPUTS, lower, upper, velocity, 4},
    {INPUTS, lower, upper, field,    4},
};
static const lr_parameter parameters[] = {
    LR_FORMULA_UNITS,
    {"output", "velocity", "velocity|field: which of the two"},
};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t output = lr_reader_choice(reader, "output", "velocity|field");
  return lr_formula_build(problem, reader, &formulas[output]);
}

const lr_problem_kind lr_kind_hartmann_mhd = {
    "hartmann-mhd", "Hartmann flow, 4 inputs: rank 2 in their logarithms",
    parameters, sizeof parameters / sizeof parameters[0], build};
