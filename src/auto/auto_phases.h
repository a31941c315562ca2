/* The phases of `auto`, and what each state of its scheduler does. */
#ifndef LR_AUTO_PHASES_H
#define LR_AUTO_PHASES_H

#include "auto/auto_rules.h"
#include "auto/embedding_state.h"
#include "auto/quasi_newton_state.h"
#include "auto/schedule.h"
#include "dfo/interpolation_phase.h"
#include "hidden/hidden_bound.h"
#include "surrogate/surrogate_phase.h"

typedef struct lr_auto {
  lr_run *run;
  lr_point start; /* where quasi-Newton begins, the embedding too */
  lrgd_box box;   /* the user's */
  lr_fit fit;     /* of evaluations known before; q = 0: none */
  lr_hidden_bounds *hidden;
  bool at_hidden_bound; /* quasi-Newton goes on where a hidden bound was met */
  bool start_moved;     /* the embedding began elsewhere */

  lr_phase *running; /* one of these two, or NULL */
  lr_phase in_embedding, in_quasi_newton;
  lr_embedding embedding;
  lr_quasi_newton quasi_newton;
  lr_quasi_newton continued; /* with the embedding's phase */

  lr_why why;                           /* the embedding handed back */
  unsigned pauses;                      /* how often the embedding has paused */
  unsigned checks;                      /* of its minimum under bounds */
  lr_box_points known;                  /* from the opening in a box */
  lr_interpolation_end found;           /* by interpolation */
  lr_difference_settings before, after; /* quasi-Newton from there */
} lr_auto;

/* What a state does: *event tells what became of it.  LR_END: the run is over.
 */
typedef lr_code (*lr_auto_fn)(lr_auto *a, lr_event *event);

lr_code lr_auto_open(lr_auto *a, lr_run *run, lr_hidden_bounds *hidden,
                     bool at_hidden_bound);
void lr_auto_close(lr_auto *a);

/* The actions of the states, those of the embedding in auto_embedding.c, of
 * quasi-Newton and its opening in auto_phases.c, those of rounds in
 * auto_wide.c. */
#define LR_AUTO_ACTION(state, action, words)                                   \
  lr_code action(lr_auto *a, lr_event *event);
LR_AUTO_STATES(LR_AUTO_ACTION)
#undef LR_AUTO_ACTION

/* Shared by these files: ------------------------------------ */

void lr_auto_switch(lr_auto *a, lr_phase *to);
bool lr_auto_bounded(const lr_auto *a);
size_t lr_auto_most_directions(const lr_run *run);

/* Whether the run opens with rounds of several evaluations: WIDE, WIDE_BOX, or
 * OTHERWISE. */
lr_event lr_auto_wide_opening(const lr_auto *a);

/* Begins quasi-Newton at a point, unless it has begun. */
lr_code lr_auto_begin_quasi_newton(lr_auto *a, const lr_point *at);

/* Moves the start to the first point that was ever evaluated, unless the lowest
 * point known is one of quasi-Newton's: an embedding wanders far in directions
 * that hardly matter. */
void lr_auto_start_at_first(lr_auto *a);

#endif
