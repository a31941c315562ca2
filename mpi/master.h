/* Evaluations over the ranks of a job: rank 0 asks, the others answer. */
#ifndef MPI_SPREAD_H
#define MPI_SPREAD_H

#include "cli/run/problem_source.h"

typedef struct spread spread;

/* What rank 0 tells the others before the first question. */
typedef struct spread_setup {
  int oracle;                    /* cli_oracle */
  int program;                   /* else the flags alone say what is asked */
  int values, gradients, slopes; /* what can be asked */
  long long dimension;
  char run_id[33]; /* "": no journal */
  size_t flags;    /* bytes of the flags, which follow this struct */
} spread_setup;

/* ---- rank 0 ---- */

/* Tells all ranks to make ready, waits for them, and puts callbacks that ask
 * them into subject's problem, in place of those it has, and the answerer into
 * its ranks.  Fails where none can answer, with the sentence of one.
 * listeners are copied; subject is borrowed while questions are asked. */
LRGD_MUST_CHECK lrgd_status spread_begin(spread **s, cli_subject *subject,
                                         const cli_listeners *listeners,
                                         const spread_setup *setup,
                                         const char *flags, lrgd_error *error);

/* Sends the others home, whatever they still do.  s: NULL where it never
 * began. */
void spread_end(spread **s);

/* ---- the others ---- */

/* Waits for the setup, and for the flags, which the caller frees; false: sent
 * home. */
bool spread_await(spread_setup *setup, char **flags);

/* Says whether this rank is ready, and answers until sent home. */
void spread_serve(const cli_subject *subject, const lrgd_error *error);

/* Has rank 0 sent us home while we were at work? */
bool spread_is_over(void);

#endif
