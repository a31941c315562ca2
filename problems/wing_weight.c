/* Weight of a light aircraft's wing (Forrester, Sobester and Keane, 2008). */
#include "analytic.h"
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
  double complex c = lr_ccos(x[SWEEP] * (LR_PI / 180));
  return 0.036 * lr_cpow(x[SW], 0.758) * lr_cpow(x[WFW], 0.0035) *
             lr_cpow(lr_cdiv(x[A], c * c), 0.6) * lr_cpow(x[Q], 0.006) *
             lr_cpow(x[TAPER], 0.04) * lr_cpow(lr_cdiv(100 * x[TC], c), -0.3) *
             lr_cpow(x[NZ] * x[WDG], 0.49) +
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
