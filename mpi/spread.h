/* Evaluations over the ranks of a job: rank 0 asks, the others answer. */
#ifndef MPI_SPREAD_H
#define MPI_SPREAD_H

#include "subject.h"

typedef struct spread spread;

/* What rank 0 tells the others before the first question. */
typedef struct spread_setup {
  int oracle;                    /* cli_oracle */
  int program;                   /* else the flags alone say what is asked */
  int values, gradients, slopes; /* what can be asked */
  long long dimension;
  char run_id[33]; /* "": no journal */
} spread_setup;

/* ---- rank 0 ---- */

/* Tells all ranks to make ready, waits for them, and puts callbacks that ask
 * them into problem, in place of those it has.  Fails where none can answer,
 * with the sentence of one. */
LRGD_MUST_CHECK lrgd_status spread_begin(spread **s, lrgd_problem *problem,
                                         const spread_setup *setup,
                                         lrgd_error *error);

/* How often a rank was rested. */
size_t spread_rests(const spread *s);

/* Sends the others home.  s: NULL where it never began. */
void spread_end(spread **s);

/* ---- the others ---- */

/* Waits for the setup; false: sent home. */
bool spread_await(spread_setup *setup);

/* Says whether this rank is ready, and answers until sent home. */
void spread_serve(const lrgd_problem *problem, const lrgd_error *error);

#endif
