/* Finds the number of residuals that a program returns, before a solver
 * begins. */
#ifndef CLI_FIRST_RESIDUALS_H
#define CLI_FIRST_RESIDUALS_H

#include "problem_source.h"
#include "transform.h"

/* A solver needs the number of residuals: where neither the source nor the
 * journal (NULL: none) knows it, the start is evaluated now, and the solver
 * later gets this answer. */
LRGD_MUST_CHECK lrgd_status residuals_find(cli_source *source,
                                           const lrgd_variables *transform,
                                           lrgd_journal *journal,
                                           const lrgd_options *options,
                                           lrgd_error *error);

/* Called after a signal, with the problem as wrapped by a journal.  A solver
 * that is stopped before it begins does not evaluate the start; this records
 * the answer that was paid for all the same, and adds the number of answers to
 * *kept. */
LRGD_MUST_CHECK lrgd_status residuals_keep(const cli_source *source,
                                           const lrgd_variables *transform,
                                           const lrgd_problem *problem,
                                           uint64_t *kept, lrgd_error *error);

#endif
