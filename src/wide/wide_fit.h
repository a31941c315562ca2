/* Converts a model of the phases in rounds into a fit for the phases that
 * follow. */
#ifndef LR_WIDE_FIT_H
#define LR_WIDE_FIT_H

#include "solver/iterate.h"

/* fit = the model g, B (leading dimension ld) along the first k columns of V;
 * its former contents are freed.  reach: the length of the last step. */
LRGD_MUST_CHECK lr_code lr_wide_fit(lr_run *run, lr_fit *fit, const lr_basis *V,
                                    size_t k, const double *g, const double *B,
                                    size_t ld, double reach);

#endif
