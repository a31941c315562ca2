/* The outputs of a run with limits as its journal holds them: what was limited,
 * the best evaluation within the limits, and what relaxing them would gain. */
#ifndef CLI_RECORDED_OUTPUTS_H
#define CLI_RECORDED_OUTPUTS_H

#include "answer_limits.h"

#include <lrgd/run.h>

typedef struct recorded_outputs {
  cli_outputs *of; /* owned; NULL: the run has no outputs */
  /* number of the evaluation with the lowest f within the limits or, where none
   * is, with the least violation; 0: none */
  uint64_t best;
  double *y;           /* owned: the outputs of that evaluation */
  double violation;    /* violation of that evaluation, in units of scale */
  double *multipliers; /* owned; NULL: not known */
  /* violation of every evaluation, of all paths, in order; NaN: it failed */
  double *violations; /* owned */
  size_t count;
} recorded_outputs;

/* Reads all evaluations.  Free it whatever is returned. */
LRGD_MUST_CHECK lrgd_status recorded_outputs_read(recorded_outputs *outputs,
                                                  lrgd_journal *journal,
                                                  lrgd_error *error);
void recorded_outputs_free(recorded_outputs *outputs);

/* Reads the limits only; *outputs is NULL where the run has none. */
LRGD_MUST_CHECK lrgd_status recorded_limits(cli_outputs **outputs,
                                            const lrgd_journal *journal,
                                            lrgd_error *error);

#endif
