/* Evaluations by the ranks of a job: the interface between lrgd-mpi and the
 * command. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <lrgd/run.h>

typedef struct cli_ranks {
  lrgd_evaluator evaluator; /* answer NULL: evaluations are made here */
  uint64_t reissue; /* late evaluations that may be repeated on a second rank */
  uint64_t reissued, rested, unanswered; /* counts of this session */
  double busy_s; /* sum of the durations of all evaluations */
  double first_s,
      last_s; /* when the first evaluation began, when the last one ended */
  char failure[2048]; /* reason of the last failed evaluation; "": none */
} cli_ranks;

#endif
