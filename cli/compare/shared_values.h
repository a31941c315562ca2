/* Values shared by several methods: a point that one of them has paid for costs
 * the next one nothing, if it asks for the same bits. */
#ifndef CLI_SHARED_VALUES_H
#define CLI_SHARED_VALUES_H

#include "cli/run/trace.h"

typedef struct cli_shared cli_shared;

/* The evaluations of one method. */
typedef struct cli_tally {
  uint64_t asked;  /* values, known ones included */
  uint64_t paid;   /* values among them that were not known before */
  uint64_t failed; /* evaluations without a finite answer */
  double first, best;
  cli_trace trace; /* the best after each value that lowered it */
} cli_tally;

/* Shares the values of inner, which is borrowed. */
LRGD_MUST_CHECK lrgd_status shared_create(cli_shared **shared,
                                          const lrgd_problem *inner,
                                          lrgd_error *error);
void shared_destroy(cli_shared **shared);

/* Counts into this tally from now on; borrowed. */
void shared_begin(cli_shared *shared, cli_tally *tally);
/* Adds the last point to the trace of the tally. */
void shared_end(cli_shared *shared);

/* The problem with shared values; borrows shared. */
lrgd_problem shared_problem(cli_shared *shared);

#endif
