/* Values that several methods share: a point that one of them paid for is free
 * for the next that asks for it, to the last bit of it. */
#ifndef CLI_SHARED_VALUES_H
#define CLI_SHARED_VALUES_H

#include "cli/run/trace.h"

typedef struct cli_shared cli_shared;

/* What one method asked for. */
typedef struct cli_tally {
  uint64_t asked;  /* values, those that were known among them */
  uint64_t paid;   /* those that were not */
  uint64_t failed; /* without a finite answer */
  double first, best;
  cli_trace trace; /* the best after each value that lowered it */
} cli_tally;

/* inner: borrowed, answers values. */
LRGD_MUST_CHECK lrgd_status shared_create(cli_shared **shared,
                                          const lrgd_problem *inner,
                                          lrgd_error *error);
void shared_destroy(cli_shared **shared);

/* From now on this tally is kept; borrowed. */
void shared_begin(cli_shared *shared, cli_tally *tally);
/* The last point of its trace: where it ended. */
void shared_end(cli_shared *shared);

/* The problem that remembers; borrows shared. */
lrgd_problem shared_problem(cli_shared *shared);

#endif
