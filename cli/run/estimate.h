/* The uncertainty of what a session has fitted, and the files it goes to. */
#ifndef CLI_ESTIMATE_H
#define CLI_ESTIMATE_H

#include "fit_uncertainty.h"
#include "misfit.h"
#include "problem_source.h"
#include "solve.h"

/* *made stays NULL for what is no fit, and where nobody asked and there are so
 * many directions that it would take minutes.  Borrows everything until
 * destroy.  LRGD_ERR_INVALID where it was asked for and there is no Jacobian.
 */
LRGD_MUST_CHECK lrgd_status estimate_uncertainty(
    fit_uncertainty **made, const cli_flags *flags, const cli_subject *subject,
    const cli_misfit *misfit, const cli_run *run, lrgd_error *error);

/* --covariance and --jacobian; u may be NULL. */
LRGD_MUST_CHECK lrgd_status save_uncertainty(const fit_uncertainty *u,
                                             const cli_flags *flags,
                                             lrgd_error *error);

#endif
