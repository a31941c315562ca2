/* A run that begins with known evaluations. */
#ifndef LR_WARM_START_H
#define LR_WARM_START_H

#include "solver/run_state.h"

/* x: the lowest known point, where there is one. */
void lr_run_choose_start(lr_run *run, lrgd_vec x);

/* Whether the run begins at a point whose value is known; and that beginning,
 * which estimates the noise from known values if possible. */
bool lr_run_begins_warm(const lr_run *run);
lr_code lr_run_warm_start(lr_run *run);

/* Whether the first known evaluation is a point where this run could have
 * begun. */
bool lr_run_first_is_inside(const lr_run *run);
/* Moves a point to the first known evaluation. */
void lr_run_to_first(lr_run *run, lr_point *at);

/* Whether f is known at x (host doubles), and its value. */
bool lr_run_recall(void *run, lrgd_vec x, double *f);

/* A quadratic fitted to the known evaluations around the start of the run. */
lr_code lr_run_fit(lr_run *run, size_t most, lr_fit *fit);

/* The model of gradients at sample points, where those are known, evaluations
 * are values and nothing is known of noise; see lr_fit_samples(). */
lr_code lr_run_fit_samples(lr_run *run, lr_fit *fit);

#endif
