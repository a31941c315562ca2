/* Evaluations over the ranks of a job: rank 0 asks, the others answer. */
#ifndef MPI_SPREAD_H
#define MPI_SPREAD_H

#include "cli/run/problem_source.h"

typedef struct spread spread;

/* What rank 0 sends to the other ranks before the first question. */
typedef struct spread_setup {
  int oracle;  /* cli_oracle */
  int program; /* a program evaluates; else what the flags name */
  int values, gradients, slopes; /* which callbacks the problem has */
  long long dimension;
  char run_id[33]; /* "": there is no journal */
  /* bytes of the flags, which follow this struct in the message */
  size_t flags;
} spread_setup;

/* ---- rank 0 ---- */

/* Tells all ranks to make ready, waits for them, and puts callbacks that ask
 * them into source's problem, in place of those it has, and the evaluator into
 * its ranks.  Fails where none can answer, with the sentence of one.
 * listeners are copied; source is borrowed while questions are asked. */
LRGD_MUST_CHECK lrgd_status spread_begin(spread **s, cli_source *source,
                                         const cli_listeners *listeners,
                                         const spread_setup *setup,
                                         const char *flags, lrgd_error *error);

/* Ends the other ranks, whatever they are evaluating.  s: may be NULL. */
void spread_end(spread **s);

/* ---- the others ---- */

/* Waits for the setup and the flags, which the caller frees; false: rank 0 has
 * ended the job. */
bool spread_await(spread_setup *setup, char **flags);

/* Reports whether this rank is ready, and evaluates until rank 0 ends the
 * job. */
void spread_serve(const cli_source *source, const lrgd_error *error);

/* Whether rank 0 has ended the job while this rank was evaluating. */
bool spread_is_over(void);

#endif
