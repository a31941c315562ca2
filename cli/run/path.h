/* A new path in a journal: a run that departs from the stored one, or has other
 * settings, and uses the stored evaluations. */
#ifndef CLI_PATH_H
#define CLI_PATH_H

#include "learn.h"

/* Chooses the start of a new path among the stored points: the best one within
 * the bounds, or of all where none is.  None is chosen where no evaluation
 * succeeded, or with keep_start.  *known: the number of stored evaluations. */
LRGD_MUST_CHECK lrgd_status learn_stored(lrgd_journal *journal,
                                         cli_source *source, bool keep_start,
                                         uint64_t *known, lrgd_error *error);

/* Begins a new path there, and reports it. record is made again for it.
 * learned: other known evaluations. why: "the run departs at ...". */
LRGD_MUST_CHECK lrgd_status path_begin(lrgd_journal *journal,
                                       cli_source *source,
                                       const cli_flags *flags,
                                       cli_record *record,
                                       const cli_learned *learned,
                                       const char *why, lrgd_error *error);

/* Whether the source's observations or weights differ from those of the
 * journal's run. */
bool path_observes_otherwise(const lrgd_journal *journal,
                             const cli_source *source);

#endif
