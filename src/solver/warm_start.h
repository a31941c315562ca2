/* A run that begins with what was paid for before. */
#ifndef LR_WARM_START_H
#define LR_WARM_START_H

#include "solver/run_state.h"

/* x: the lowest point that is known, where there is one. */
void lr_run_choose_start(lr_run *run, lrgd_vec x);

/* Whether it begins at a point whose value was paid for before; and that
 * beginning: the noise is read off what is known, if it can be. */
bool lr_run_begins_warm(const lr_run *run);
lr_code lr_run_warm_start(lr_run *run);

/* Whether the first evaluation that is known is one that this run could have
 * begun with. */
bool lr_run_first_is_inside(const lr_run *run);
/* Moves a point there. */
void lr_run_to_first(lr_run *run, lr_point *at);

/* Whether f was paid for at x (host doubles), and what it is. */
bool lr_run_recall(void *run, lrgd_vec x, double *f);

/* What is known around that point. */
lr_code lr_run_fit(lr_run *run, size_t most, lr_fit *fit);

#endif
