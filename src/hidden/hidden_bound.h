/* Hidden bounds: numbers beyond which an input must not go, although no bound
 * says so, as f cannot be evaluated there or jumps up.  They are looked for
 * where trials fail again and again, and act as bounds while they hold; the
 * method restarts in the smaller box.  Where none is found, or they do not
 * hold, the constraint may be a surface across inputs (hidden_surface.h). */
#ifndef LR_HIDDEN_BOUND_H
#define LR_HIDDEN_BOUND_H

#include "hidden/hidden_bound_state.h"

void lr_hidden_bounds_open(lr_hidden_bounds *w, lr_run *run);
/* Looks for hidden bounds from now on, as an observer of the run's trials.
 * Points must not be mapped into the box meanwhile. */
void lr_hidden_bounds_watch(lr_hidden_bounds *w);
/* The hidden bounds that observe a run, or NULL. */
lr_hidden_bounds *lr_hidden_bounds_of(const lr_run *run);
/* Gives the run the user's bounds back. */
void lr_hidden_bounds_close(lr_hidden_bounds *w);

/* After LR_AGAIN, before the method restarts: the iterate becomes the lowest
 * point of the search, in the smaller box. */
void lr_hidden_bounds_enter(lr_hidden_bounds *w);

/* Before a step from `at`: checks one of the hidden bounds that are active
 * there, each in its turn.  LR_AGAIN: f is fine beyond it, the method restarts
 * without it. */
lr_code lr_hidden_bounds_review(lr_hidden_bounds *w, const lr_point *at);

/* After the method has ended.  Where hidden bounds are active they are checked:
 * LR_AGAIN as above where one is none; else LR_END, and the run has not
 * converged where f would decrease beyond one. */
lr_code lr_hidden_bounds_check(lr_hidden_bounds *w);

#endif
