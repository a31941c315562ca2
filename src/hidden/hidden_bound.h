/* Hidden bounds: bounds on single inputs that the user did not give, beyond
 * which f has no value or jumps up.  They are searched for where trials fail
 * repeatedly, and act as bounds as long as they hold; the method restarts in
 * the smaller box.  Where none is found, or they do not hold, the constraint
 * may be a surface across inputs (hidden_surface.h). */
#ifndef LR_HIDDEN_BOUND_H
#define LR_HIDDEN_BOUND_H

#include "hidden/hidden_bound_state.h"

void lr_hidden_bounds_open(lr_hidden_bounds *w, lr_run *run);
/* Begins to search for hidden bounds, as an observer of the run's trials.
 * Points may not be mapped into the box while it does. */
void lr_hidden_bounds_watch(lr_hidden_bounds *w);
/* The hidden bounds that observe a run, or NULL. */
lr_hidden_bounds *lr_hidden_bounds_of(const lr_run *run);
/* Restores the user's bounds in the run. */
void lr_hidden_bounds_close(lr_hidden_bounds *w);

/* After LR_AGAIN, for a method that goes on from where it is: the bounds that
 * are in force now become those of the run. */
void lr_hidden_bounds_use(lr_hidden_bounds *w);
/* After LR_AGAIN, before the method restarts: the iterate becomes the lowest
 * point of the search, in the smaller box. */
void lr_hidden_bounds_enter(lr_hidden_bounds *w);

/* Before a step from `at`: checks one of the hidden bounds that are active
 * there, in turn.  LR_AGAIN: f has acceptable values beyond it, and the method
 * restarts without it. */
lr_code lr_hidden_bounds_review(lr_hidden_bounds *w, const lr_point *at);

/* After the method has ended: checks active hidden bounds.  LR_AGAIN as above;
 * else LR_END, and the run counts as not converged where f would decrease
 * beyond such a bound. */
lr_code lr_hidden_bounds_check(lr_hidden_bounds *w);

#endif
