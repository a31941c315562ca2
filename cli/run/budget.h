/* Budgets of a run over its sessions and paths: what is left to a solver. */
#ifndef CLI_BUDGET_H
#define CLI_BUDGET_H

#include "cli/base/flags.h"
#include "solve.h"

typedef struct cli_budget {
  lrgd_options options; /* the flags', less what was spent elsewhere */
  int64_t reserved;     /* of max_evals, for late questions */
  uint64_t earlier;     /* evaluations of earlier paths, and checks */
  uint64_t reissue;     /* late questions that may still be asked twice */
} cli_budget;

/* --reissue; 0 without it. */
LRGD_MUST_CHECK lrgd_status budget_reissue(const cli_flags *flags,
                                           int64_t *most, lrgd_error *error);

/* Refuses a --max-evals below what the journal of that name has already.  One
 * that cannot be read has its turn later. */
LRGD_MUST_CHECK lrgd_status budget_check(const cli_flags *flags,
                                         const char *path, lrgd_error *error);

/* Is anything left for a new path?  why: it is one. */
LRGD_MUST_CHECK lrgd_status budget_begin(const cli_flags *flags,
                                         const lrgd_journal_summary *kept,
                                         const char *why, lrgd_error *error);

/* What is left: kept is the journal's summary, all 0 where journal is NULL. */
LRGD_MUST_CHECK lrgd_status budget_set(cli_budget *budget,
                                       const cli_flags *flags,
                                       lrgd_journal *journal,
                                       const lrgd_journal_summary *kept,
                                       lrgd_error *error);

/* The solver knows of the budget that was left to it.  The user gave another
 * number, which is told beside it. */
void budget_tell(const cli_budget *budget, const cli_flags *flags,
                 cli_run *run);

/* All evaluations that a journal knows of. */
uint64_t budget_paid(const lrgd_journal_summary *kept);

#endif
