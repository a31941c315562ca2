/* Asynchronous evaluations: several are under way at the same time and end in
 * any order, for a run that does not wait for whole rounds
 * (lrgd_options.async).  And points that are evaluated in advance, many at
 * once, before the method asks for them one by one.
 *
 * This file does not know what values are used for. */
#ifndef LR_UNDER_WAY_H
#define LR_UNDER_WAY_H

#include "base/status.h"

#include <lrgd/space.h>

#include <stdbool.h>

struct lr_oracle;

/* An evaluation that was started and has not been finished. */
typedef struct lr_flying {
  uint64_t ticket; /* 0: the place is free */
  int64_t retries; /* how often it may still be repeated */
  lrgd_purpose why;
  bool known; /* f is known without a call: recalled, or NaN */
  double f;
} lr_flying;

/* Evaluations under way. */
typedef struct lr_oracle_flight {
  size_t room, count; /* places (0: rounds are waited for), and those taken */
  uint64_t started;   /* evaluations so far, `width` of which are a round */
  uint64_t last;      /* the last ticket */
  uint64_t unmade;    /* were not made, as we were told, and not yet finished */
  lrgd_block *points; /* a column for each place */
  lr_flying *places;
} lr_oracle_flight;

/* Points evaluated in advance.  They are in room.points where the user's
 * callback evaluates them, else here: `known` of them have the values f, and
 * the first `taken` have been used. */
typedef struct lr_oracle_ahead {
  size_t planned, known, taken, room;
  lrgd_block *points; /* NULL: there are none, or they are in room.points */
  double *f;
} lr_oracle_ahead;

/* Whether the run does not wait for whole rounds. */
bool lr_oracle_async(const struct lr_oracle *o);

/* How many evaluations can be started now. */
size_t lr_oracle_free_places(const struct lr_oracle *o);

/* Starts the evaluation of f at x (copied); *at: the number of its place, less
 * than the width.  Ends the run where nothing is under way and the budget is
 * used. */
LRGD_MUST_CHECK lr_code lr_oracle_start(struct lr_oracle *o, lrgd_vec x,
                                        lrgd_purpose why, size_t *at);

/* Waits until an evaluation ends, and frees its place, *at; *f is NaN where f
 * has no value. */
LRGD_MUST_CHECK lr_code lr_oracle_finish(struct lr_oracle *o, size_t *at,
                                         double *f);

/* Waits for all that are under way.  Listeners and journals keep the values,
 * which have no other effect. */
void lr_oracle_drain(struct lr_oracle *o);

#endif
