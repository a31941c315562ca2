/* A box of few dimensions, surveyed by values alone: the opening of K there.
 *
 * Differences see f through a pinhole; in a box the scale of things is known,
 * and values a quarter of it apart show the lie of the land at once, at the
 * price of one gradient.  After that every value is a step (quadric.h).
 * Fine work is left to gradients. */
#ifndef LR_SURVEY_H
#define LR_SURVEY_H

#include "solver/iterate.h"

/* Whether there is such a box, and values are what is asked for. */
bool lr_interpolation_phase_suits(const lr_run *run);

/* From `start`, whose value becomes known.  found: where it ended, its numbers
 * in the vec found->x, which the caller lends; found->f is NaN where none
 * could be made, and others should begin at the start. */
lr_code lr_interpolation_phase(lr_run *run, lr_point *start, lr_point *found);

#endif
