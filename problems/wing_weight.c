/* Weight of a light aircraft's wing (Forrester, Sobester and Keane, 2008). */
#include "formula.h"

#include <math.h>

/* wing area, fuel weight, aspect ratio, quarter-chord sweep in degrees,
 * dynamic pressure, taper, thickness to chord, ultimate load factor, design
 * gross weight, paint weight */
enum { SW, WFW, A, SWEEP, Q, TAPER, TC, NZ, WDG, WP, INPUTS };

static const double lower[] = {150, 220,  6,   -10,  16,
                               0.5, 0.08, 2.5, 1700, 0.025};
static const double upper[] = {200, 300, 10, 10, 45, 1, 0.18, 6, 2500, 0.08};

static double complex weight(const double complex *x)
{
  double complex c = ccos(x[SWEEP] * (acos(-1) / 180));
  return 0.036 * cpow(x[SW], 0.758) * cpow(x[WFW], 0.0035) *
             cpow(x[A] / (c * c), 0.6) * cpow(x[Q], 0.006) *
             cpow(x[TAPER], 0.04) * cpow(100 * x[TC] / c, -0.3) *
             cpow(x[NZ] * x[WDG], 0.49) +
         x[SW] * x[WP];
}

static const lr_formula formula = {INPUTS, lower, upper, weight, 10};
static const lr_parameter parameters[] = {LR_FORMULA_UNITS};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  return lr_formula_build(problem, reader, &formula);
}

const lr_problem_kind lr_kind_wing_weight = {
    "wing-weight", "weight of an aircraft wing, 10 inputs", parameters,
    sizeof parameters / sizeof parameters[0], build};
