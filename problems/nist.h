/* Sets of NIST's Statistical Reference Datasets for nonlinear regression
 * (https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml): measurements y at
 * x, a model with up to seven parameters, two starts, and the parameters and
 * the sum of squares that are certified to ten digits.
 *
 * Not all of the 27 sets are here: Kirby2, Hahn1, Nelson, ENSO, Bennett5 and
 * Gauss1 to Gauss3 are not. */
#ifndef LR_NIST_H
#define LR_NIST_H

#include "residual_system.h"

enum { LR_NIST_COUNT = 19, LR_NIST_PARAMETERS = 7 };

/* The value of a model with parameters b at x. */
typedef double complex (*lr_nist_model)(const double complex *b, double x);

typedef struct lr_nist {
  const char *name;
  size_t n, m;
  const double *x, *y; /* m numbers each */
  lr_nist_model model;
  double start[2][LR_NIST_PARAMETERS], certified[LR_NIST_PARAMETERS];
  double squares; /* the residual sum of squares: twice the minimum of f */
} lr_nist;

/* In NIST's order: of lower, average and higher difficulty. */
extern const lr_nist lr_nist_sets[LR_NIST_COUNT];

#define LR_NIST_MODEL(name)                                                    \
  double complex lr_nist_##name(const double complex *b, double x)
LR_NIST_MODEL(saturation);
LR_NIST_MODEL(chwirut);
LR_NIST_MODEL(lanczos);
LR_NIST_MODEL(power);
LR_NIST_MODEL(misra1b);
LR_NIST_MODEL(misra1c);
LR_NIST_MODEL(misra1d);
LR_NIST_MODEL(roszman);
LR_NIST_MODEL(mgh17);
LR_NIST_MODEL(mgh09);
LR_NIST_MODEL(cubic);
LR_NIST_MODEL(rat42);
LR_NIST_MODEL(mgh10);
LR_NIST_MODEL(eckerle);
LR_NIST_MODEL(rat43);

#endif
