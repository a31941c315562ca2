/* Whether known evaluations were made by quasi-Newton, whatever its seed and
 * options: then a new run from their first point asks for the same values, gets
 * them at no cost, and continues where they end. */
#ifndef LR_REPLAY_H
#define LR_REPLAY_H

#include "solver/run_state.h"

/* Runs a method from the first known evaluation until it asks for a value that
 * is not known; run->learned.replays tells whether it had made enough progress
 * by then, and run->learned.unopened whether only where quasi-Newton begins
 * without interpolation. Nothing is evaluated, and nothing else of the run
 * changes. */
lr_code lr_replay(lr_run *run, lr_code (*method)(lr_run *run));

#endif
