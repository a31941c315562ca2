/* How many residuals a program answers, before a solver begins. */
#ifndef CLI_FIRST_RESIDUALS_H
#define CLI_FIRST_RESIDUALS_H

#include "problem_source.h"
#include "transform.h"

/* A solver must know how many there are: where neither the subject nor the
 * journal (NULL: none) knows it, the start is asked, and the solver is later
 * answered by what came now. */
LRGD_MUST_CHECK lrgd_status residuals_find(cli_subject *subject,
                                           const lrgd_variables *transform,
                                           lrgd_journal *journal,
                                           const lrgd_options *options,
                                           lrgd_error *error);

/* After a signal, with the problem that a journal answers.  A solver that is
 * stopped before it begins does not ask for the start: the answer that was paid
 * for is kept all the same.  *kept grows by how many. */
LRGD_MUST_CHECK lrgd_status residuals_keep(const cli_subject *subject,
                                           const lrgd_variables *transform,
                                           const lrgd_problem *problem,
                                           uint64_t *kept, lrgd_error *error);

#endif
