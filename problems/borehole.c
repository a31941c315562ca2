/* Flow of water through a borehole between two aquifers (Harper and Gupta,
 * 1983; ranges of Morris, Mitchell and Ylvisaker, 1993).  The heads enter as
 * their difference only, so of the 8 inputs 7 directions count. */
#include "analytic.h"
#include "formula.h"

#include <math.h>

/* radii of borehole and influence, transmissivity and head above, the same
 * below, length, conductivity */
enum { RW, R, TU, HU, TL, HL, LENGTH, KW, INPUTS };

static const double lower[] = {0.05, 100, 63070, 990, 63.1, 700, 1120, 9855};
static const double upper[] = {0.15,  50000, 115600, 1110,
                               116.0, 820,   1680,   12045};

static double complex flow(const double complex *x)
{
  double complex turns = lr_clog(lr_cdiv(x[R], x[RW]));
  double complex leak =
      lr_cdiv(2 * x[LENGTH] * x[TU], turns * x[RW] * x[RW] * x[KW]);
  return lr_cdiv(2 * LR_PI * x[TU] * (x[HU] - x[HL]),
                 turns * (1 + leak + lr_cdiv(x[TU], x[TL])));
}

static const lr_formula formula = {INPUTS, lower, upper, flow, 7};
static const lr_parameter parameters[] = {LR_FORMULA_UNITS};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  return lr_formula_build(problem, reader, &formula);
}

const lr_problem_kind lr_kind_borehole = {
    "borehole", "water flow through a borehole, 8 inputs", parameters,
    sizeof parameters / sizeof parameters[0], build};
