/* Budgets of a run over its sessions and paths: what is left for the solver. */
#ifndef CLI_BUDGET_H
#define CLI_BUDGET_H

#include "cli/base/flags.h"
#include "solve.h"

typedef struct cli_budget {
  lrgd_options options; /* the user's options, with the remaining budgets */
  int64_t reserved;     /* part of max_evals kept for late evaluations that are
                           repeated */
  uint64_t earlier;     /* evaluations of earlier paths, and checks */
  uint64_t reissue;     /* late evaluations that may still be repeated */
} cli_budget;

/* Reads --reissue; *reissue is 0 where it is not given. */
LRGD_MUST_CHECK lrgd_status budget_reissue(const cli_flags *flags,
                                           int64_t *most, lrgd_error *error);

/* Refuses a --max-evals below the evaluations that the journal has already.  A
 * journal that cannot be read is reported later. */
LRGD_MUST_CHECK lrgd_status budget_check(const cli_flags *flags,
                                         const char *path, lrgd_error *error);

/* Whether a new path has any budget left. why: the reason for the path. */
LRGD_MUST_CHECK lrgd_status budget_begin(const cli_flags *flags,
                                         const lrgd_journal_summary *kept,
                                         const char *why, lrgd_error *error);

/* Sets the remaining budgets: kept is the journal's summary, all 0 where
 * journal is NULL. */
LRGD_MUST_CHECK lrgd_status budget_set(cli_budget *budget,
                                       const cli_flags *flags,
                                       lrgd_journal *journal,
                                       const lrgd_journal_summary *kept,
                                       lrgd_error *error);

/* Replaces the remaining budget in messages of the solver by the user's. */
void budget_tell(const cli_budget *budget, const cli_flags *flags,
                 cli_run *run);

/* All evaluations that a journal knows of. */
uint64_t budget_paid(const lrgd_journal_summary *kept);

#endif
