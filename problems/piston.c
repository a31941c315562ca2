/* Seconds a piston takes for one cycle (Kenett and Zacks, 1998; ranges of
 * Ben-Ari and Steinberg, 2007). */
#include "analytic.h"
#include "formula.h"

#include <math.h>

/* mass, surface, gas volume, spring, pressure, ambient and gas temperature */
enum { MASS, AREA, VOLUME, SPRING, PRESSURE, AMBIENT, GAS, INPUTS };

static const double lower[] = {30, 0.005, 0.002, 1000, 90000, 290, 340};
static const double upper[] = {60, 0.020, 0.010, 5000, 110000, 296, 360};

static double complex cycle(const double complex *x)
{
  double complex force = x[PRESSURE] * x[AREA] + 19.62 * x[MASS] -
                         lr_cdiv(x[SPRING] * x[VOLUME], x[AREA]);
  double complex heat = lr_cdiv(x[PRESSURE] * x[VOLUME], x[GAS]) * x[AMBIENT];
  double complex volume =
      lr_cdiv(x[AREA], 2 * x[SPRING]) *
      (lr_csqrt(force * force + 4 * x[SPRING] * heat) - force);
  double complex stiff =
      x[SPRING] + lr_cdiv(x[AREA] * x[AREA] * heat, volume * volume);
  return 2 * LR_PI * lr_csqrt(lr_cdiv(x[MASS], stiff));
}

static const lr_formula formula = {INPUTS, lower, upper, cycle, 7};
static const lr_parameter parameters[] = {LR_FORMULA_UNITS};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  return lr_formula_build(problem, reader, &formula);
}

const lr_problem_kind lr_kind_piston = {
    "piston", "cycle time of a piston, 7 inputs", parameters,
    sizeof parameters / sizeof parameters[0], build};
