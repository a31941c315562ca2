/* What a run learns from: journals named by --learn-from, and the earlier paths
 * of its own. */
#ifndef CLI_LEARN_H
#define CLI_LEARN_H

#include "record.h"
#include "transform.h"

#include <lrgd/analysis.h>

typedef struct cli_learned {
  lrgd_knowledge *known; /* NULL: nothing */
  char *text;   /* which journals, for the run's own: a line each with name, run
                   and evaluations; NULL: none was named */
  uint64_t own; /* evaluations of the run's own journal among it */
  bool verify;  /* one of them is of another command: ask a point again */
} cli_learned;

/* Reads the journals of --learn-from or, where they were recorded (a run that
 * goes on), those, as far as they had come then; one that is gone is said and
 * left out. */
LRGD_MUST_CHECK lrgd_status learn_open(cli_learned *learned,
                                       const cli_flags *flags,
                                       const cli_subject *subject,
                                       const char *recorded, lrgd_error *error);

/* And the evaluations before number `first` of the run's own journal: those of
 * its earlier paths. */
LRGD_MUST_CHECK lrgd_status learn_own(cli_learned *learned,
                                      lrgd_journal *journal, uint64_t first,
                                      lrgd_error *error);

/* Puts into a run's settings what it learns from, and that it asks a point
 * again first: one that goes on asks the same. */
void learn_record(const cli_learned *learned, cli_record *record);

/* Hands it to a solver that works in other variables; transform NULL: in the
 * same. */
LRGD_MUST_CHECK lrgd_status learn_teach(const cli_learned *learned, size_t p,
                                        lrgd_solver *solver,
                                        const cli_transform *transform,
                                        lrgd_error *error);
/* Hands it to a study, likewise. */
LRGD_MUST_CHECK lrgd_status learn_study(const cli_learned *learned, size_t p,
                                        lrgd_diagnosis *study,
                                        const cli_transform *transform,
                                        lrgd_error *error);
/* It was the same function: a new path need not ask again. */
void learn_trust(cli_learned *learned);
void learn_close(cli_learned *learned);

#endif
