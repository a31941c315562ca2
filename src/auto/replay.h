/* Whether known evaluations are those of a run of quasi-Newton, whatever its
 * seed and options: then a new one from their first point gets them again, at
 * no cost, and goes on where they end. */
#ifndef LR_REPLAY_H
#define LR_REPLAY_H

#include "solver/run_state.h"

/* Runs a method from the first known evaluation until it asks for a value that
 * is not known; run->learned.replays tells whether it had come far by then, and
 * run->learned.unopened whether only without interpolation at its beginning.
 * Nothing is evaluated, and nothing else of the run changes. */
lr_code lr_replay(lr_run *run, lr_code (*method)(lr_run *run));

#endif
