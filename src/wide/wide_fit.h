/* A model of the phases in rounds, as the phases that follow take it over. */
#ifndef LR_WIDE_FIT_H
#define LR_WIDE_FIT_H

#include "solver/iterate.h"

/* fit = the model g, B (ld numbers a column) along the first k columns of V;
 * what it was is freed.  reach: the length of the last step. */
LRGD_MUST_CHECK lr_code lr_wide_fit(lr_run *run, lr_fit *fit, const lr_basis *V,
                                    size_t k, const double *g, const double *B,
                                    size_t ld, double reach);

#endif
