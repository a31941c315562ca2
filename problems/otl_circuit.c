/* Midpoint voltage of an output-transformerless push-pull circuit (Ben-Ari and
 * Steinberg, 2007). */
#include "analytic.h"
#include "formula.h"

/* resistances in kilo-ohm, current gain */
enum { RB1, RB2, RF, RC1, RC2, GAIN, INPUTS };

static const double lower[] = {50, 25, 0.5, 1.2, 0.25, 50};
static const double upper[] = {150, 70, 3, 2.5, 1.2, 300};

static double complex voltage(const double complex *x)
{
  double complex base = lr_cdiv(12 * x[RB2], x[RB1] + x[RB2]);
  double complex load = x[GAIN] * (x[RC2] + 9);
  double complex sum = load + x[RF];
  return lr_cdiv((base + 0.74) * load, sum) + lr_cdiv(11.35 * x[RF], sum) +
         lr_cdiv(0.74 * x[RF] * load, sum * x[RC1]);
}

static const lr_formula formula = {INPUTS, lower, upper, voltage, 6};
static const lr_parameter parameters[] = {LR_FORMULA_UNITS};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  return lr_formula_build(problem, reader, &formula);
}

const lr_problem_kind lr_kind_otl_circuit = {
    "otl-circuit", "midpoint voltage of a push-pull circuit, 6 inputs",
    parameters, sizeof parameters / sizeof parameters[0], build};
