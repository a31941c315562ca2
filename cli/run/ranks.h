/* Evaluations by the ranks of a job: the interface between lrgd-mpi and the
 * command. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <lrgd/run.h>

typedef struct cli_ranks {
  lrgd_evaluator answerer; /* answer NULL: evaluations are made here */
  uint64_t reissue; /* late evaluations that may be repeated on a second rank */
  uint64_t reissued, rested, unanswered; /* in this session */
  double busy_s;          /* the durations of all evaluations, summed ... */
  double first_s, last_s; /* ... the first one's start, the last one's end */
  char failure[2048];     /* the last: why; "": none */
} cli_ranks;

#endif
