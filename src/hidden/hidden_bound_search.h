/* The search for hidden bounds between a point where f has an acceptable value
 * and one where it has not. */
#ifndef LR_HIDDEN_BOUND_SEARCH_H
#define LR_HIDDEN_BOUND_SEARCH_H

#include "hidden/hidden_bound_state.h"

/* ---- vectors ---- */

lrgd_vec lr_hidden_column(const lr_hidden_bounds *w, size_t which);

/* Allocates the columns and copies the user's bounds, unless that was done. */
lr_code lr_hidden_make_room(lr_hidden_bounds *w);

/* Resets the bounds to the user's: all of them, or the one of a hidden
 * bound. */
void lr_hidden_reset_bounds(const lr_hidden_bounds *w);
void lr_hidden_remove_bound(const lr_hidden_bounds *w,
                            const lr_hidden_bound *bound);

double lr_hidden_input(const lr_hidden_bounds *w, size_t which, size_t i);
void lr_hidden_set_input(const lr_hidden_bounds *w, size_t which, size_t i,
                         double x);

/* ---- decisions ---- */

/* A decision of that kind; its cause says what f does beyond, by `level`. */
lrgd_decision lr_hidden_decision(const lr_hidden_bounds *w, double level,
                                 lrgd_decision_kind kind);
/* The decision that records a hidden bound on an input. */
lrgd_decision lr_hidden_bound_decision(const lr_hidden_bounds *w,
                                       const lr_hidden_bound *bound,
                                       lrgd_decision_kind kind);

/* ---- the search ---- */

/* Begins a search at x, which becomes LR_HIDDEN_GOOD and LR_HIDDEN_LOWEST. */
void lr_hidden_begin_at(lr_hidden_bounds *w, lrgd_vec x, double f);

/* Whether f fails at LR_HIDDEN_GOOD with input i changed to x. */
lr_code lr_hidden_fails_at(lr_hidden_bounds *w, size_t i, double x,
                           bool *fails);

/* Whether f fails at LR_HIDDEN_BAD and at points further and further from
 * LR_HIDDEN_GOOD. */
lr_code lr_hidden_fails_on(lr_hidden_bounds *w, bool *fails);

/* Finds the hidden bounds between LR_HIDDEN_GOOD and LR_HIDDEN_BAD and, if
 * there are some, those between LR_HIDDEN_GOOD and LR_HIDDEN_FAR; adds them to
 * the box. */
lr_code lr_hidden_search(lr_hidden_bounds *w, bool *found);

#endif
