/* The function of r variables on which trial runs are made: f on x0 + H. */
#ifndef LR_REDUCED_FUNCTION_H
#define LR_REDUCED_FUNCTION_H

#include "analysis/diagnosis_state.h"

/* The first r directions in the user's inputs, p x r, which the caller owns:
 * the diagnosis scales them by the box, a run does not.  LRGD_ERR_NUMERIC: they
 * are dependent there. */
lrgd_status lr_reduced_directions(const lrgd_diagnosis *s, size_t r,
                                  double **U);

/* The reduced function in rotated coordinates: a reflection along a vector that
 * has equal components in all directions. */
lrgd_status lr_reduced_twin(const lrgd_diagnosis *s, size_t r, const double *U,
                            lrgd_composite **twin, lrgd_error *error);

#endif
