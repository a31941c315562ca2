/* The uncertainty of a fit at the end of a session, and the files it is written
 * to. */
#ifndef CLI_ESTIMATE_H
#define CLI_ESTIMATE_H

#include "fit_uncertainty.h"
#include "misfit.h"
#include "problem_source.h"
#include "solve.h"

/* Computes it; made stays NULL if the run is not a fit, and if no flag asks for
 * it and there are so many directions that it would take minutes.  Borrows
 * everything until destroy.  LRGD_ERR_INVALID where a flag asks for it and
 * there is no Jacobian. */
LRGD_MUST_CHECK lrgd_status estimate_uncertainty(
    fit_uncertainty **made, const cli_flags *flags, const cli_source *source,
    const cli_misfit *misfit, const cli_run *run, lrgd_error *error);

/* Writes the files of --covariance and --jacobian; u may be NULL. */
LRGD_MUST_CHECK lrgd_status save_uncertainty(const fit_uncertainty *u,
                                             const cli_flags *flags,
                                             lrgd_error *error);

#endif
