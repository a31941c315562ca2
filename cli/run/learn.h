/* Known evaluations for a run: from journals named by --learn-from, and from
 * earlier paths of its own. */
#ifndef CLI_LEARN_H
#define CLI_LEARN_H

#include "misfit.h"
#include "record.h"
#include "transform.h"

#include <lrgd/analysis.h>

typedef struct cli_learned {
  lrgd_knowledge *known; /* NULL: none */
  char *text;   /* the sources for the run's own journal: a line each with name,
                   run and evaluations; NULL: none was named */
  uint64_t own; /* those of them that are of the run's own journal */
  size_t residuals; /* each answered so many numbers; 0: f alone */
  bool verify; /* one of them is of another command: evaluate a point again */
} cli_learned;

/* Reads the journals of --learn-from or, for a run that is resumed, the
 * recorded ones, with as many evaluations as then; a missing one is reported
 * and left out. */
LRGD_MUST_CHECK lrgd_status learn_open(cli_learned *learned,
                                       const cli_flags *flags,
                                       const cli_source *source,
                                       const char *recorded, lrgd_error *error);

/* Adds the evaluations before number `first` of the run's own journal: those of
 * its earlier paths. */
LRGD_MUST_CHECK lrgd_status learn_own(cli_learned *learned,
                                      lrgd_journal *journal, uint64_t first,
                                      lrgd_error *error);

/* Records the sources, and whether a point is evaluated again first: a resumed
 * run does the same. */
void learn_record(const cli_learned *learned, cli_record *record);

/* Passes the evaluations to a solver in other variables; transform NULL: in the
 * same. */
LRGD_MUST_CHECK lrgd_status learn_teach(const cli_learned *learned, size_t p,
                                        lrgd_solver *solver,
                                        const lrgd_variables *transform,
                                        lrgd_error *error);
/* Passes evaluations of residuals to a solver, as the problem would answer
 * them; misfit: what makes residuals of simulated values, or NULL. */
LRGD_MUST_CHECK lrgd_status learn_teach_residuals(
    const cli_learned *learned, size_t p, lrgd_solver *solver,
    const lrgd_variables *transform, cli_misfit *misfit, lrgd_error *error);
/* Checks that all of them answered `count` residuals (0: any number, the same),
 * and sets how many that is. */
LRGD_MUST_CHECK lrgd_status learn_residuals(cli_learned *learned, size_t count,
                                            lrgd_error *error);
/* Passes the evaluations to a diagnosis, likewise. */
LRGD_MUST_CHECK lrgd_status learn_study(const cli_learned *learned, size_t p,
                                        lrgd_diagnosis *study,
                                        const lrgd_variables *transform,
                                        lrgd_error *error);
/* Records that the function was verified: a new path need not evaluate the
 * point again. */
void learn_trust(cli_learned *learned);
void learn_close(cli_learned *learned);

#endif
