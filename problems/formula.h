/* Functions of a few physical inputs, each in an interval, written once as a
 * formula that is analytic: value, slopes and gradient all come from it by the
 * complex step, exact to rounding. */
#ifndef LR_FORMULA_H
#define LR_FORMULA_H

#include <complex.h>

#include "kind.h"

enum { LR_FORMULA_MOST = 32 }; /* inputs */

typedef struct lr_formula {
  size_t p;
  const double *lower, *upper; /* p numbers each */
  double complex (*f)(const double complex *x);
  size_t rank; /* of f in its physical inputs; 0: not known */
} lr_formula;

/* Reads the setting `units` and builds the problem; starts at the middle of
 * the box.  With units=box the inputs run from -1 to 1. */
lrgd_status lr_formula_build(lr_problem *problem, lr_reader *reader,
                             const lr_formula *formula);

/* The parameter every formula has. */
#define LR_FORMULA_UNITS                                                       \
  {                                                                            \
    "units", "physical", "physical|box: box scales each input to -1 .. 1"      \
  }

#endif
