/* The phases of `auto`, and the actions of the scheduler's states. */
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
  lr_point start; /* where quasi-Newton and the embedding begin */
  lrgd_box box;   /* the user's */
  lr_fit fit;     /* model of known evaluations; q = 0: there is none */
  lr_hidden_bounds *hidden;
  bool at_hidden_bound; /* the phases begin again at a hidden bound */
  bool start_moved;     /* quasi-Newton begins elsewhere than the embedding */

  lr_phase *running; /* one of these two, or NULL */
  lr_phase in_embedding, in_quasi_newton;
  lr_embedding embedding;
  lr_quasi_newton quasi_newton;
  lr_quasi_newton
      continued; /* quasi-Newton that continues the embedding's phase */

  lr_why why;          /* why the embedding handed back */
  unsigned pauses;     /* how often the embedding has paused */
  unsigned checks;     /* certificates tried for its minimum under bounds */
  lr_box_points known; /* evaluated by the opening in a box */
  lr_interpolation_end found; /* where interpolation ended */
  /* difference settings before the interpolation, and after quasi-Newton from
   * its end */
  lr_difference_settings before, after;
} lr_auto;

/* The action of a state; *event is the event it ended with.  LR_END: the run is
 * over. */
typedef lr_code (*lr_auto_fn)(lr_auto *a, lr_event *event);

lr_code lr_auto_open(lr_auto *a, lr_run *run, lr_hidden_bounds *hidden,
                     bool at_hidden_bound);
void lr_auto_close(lr_auto *a);

/* The actions of the states, those of the embedding in auto_embedding.c, of
 * quasi-Newton and its opening in auto_phases.c, those of rounds in
 * auto_wide.c, what known evaluations give in auto_known.c. */
#define LR_AUTO_ACTION(state, action, words)                                   \
  lr_code action(lr_auto *a, lr_event *event);
LR_AUTO_STATES(LR_AUTO_ACTION)
#undef LR_AUTO_ACTION

/* Shared by these files: ------------------------------------ */

void lr_auto_switch(lr_auto *a, lr_phase *to);
bool lr_auto_bounded(const lr_auto *a);

/* Which phases in rounds of several evaluations the run begins with:
 * LR_EVENT_WIDE, LR_EVENT_WIDE_BOX, or LR_EVENT_OTHERWISE for none. */
lr_event lr_auto_wide_opening(const lr_auto *a);

/* Allocates quasi-Newton's model ahead of its beginning. */
lr_code lr_auto_prepare_quasi_newton(lr_auto *a, const lr_point *at);

/* Begins quasi-Newton at a point, unless it has begun. */
lr_code lr_auto_begin_quasi_newton(lr_auto *a, const lr_point *at);

/* Whether quasi-Newton begins at the lowest known point, and not at the first.
 * It does if the fit is a model of gradients at sample points, or if the last
 * known step was one of quasi-Newton or of a descent after samples.  The method
 * `quasi-newton` also does so after an embedding, if interpolation does not
 * suit the problem and either the fit is quadratic (the embedding was about to
 * reach its minimum) or no gradient is known at the first point. */
bool lr_auto_goes_on(const lr_auto *a);

/* Moves the start to the first point that was evaluated, unless the lowest
 * known point is one of quasi-Newton's (those of an embedding lie far from the
 * first along directions that hardly change f). */
void lr_auto_start_at_first(lr_auto *a);

#endif
