/* The edge of where f can be evaluated, where that is a surface across inputs:
 * a constraint that nobody has told.  Steps of a model keep to this side of it.
 *
 * Known here: that points fail.  Not known: why, nor how it came to be thought
 * of (wall.h). */
#ifndef LR_HIDDEN_SURFACE_H
#define LR_HIDDEN_SURFACE_H

#include "model/model.h"

typedef struct lr_hidden_surface {
  bool met;            /* there is one: steps keep to it */
  bool known;          /* its normal is ... */
  bool refuted;        /* ... or it turned out that there is none */
  double level;        /* beyond, f is higher than this or nothing at all */
  lrgd_block *columns; /* its normal, points of it, and scratch */
  int dull;            /* steps in a row along it that promised nothing */
  double f;            /* at the base, when the normal was measured ... */
  int vain;            /* ... so many times in a row without gain */
} lr_hidden_surface;

void lr_hidden_surface_clear(lr_hidden_surface *e, lrgd_space *space);

/* From here on steps keep to it. */
lr_code lr_hidden_surface_meet(lr_hidden_surface *e, lr_oracle *o,
                               double level);

/* Keeps the steps of a model in a box to this side of it.  Nothing is done
 * where it was not met. */
lr_step_guard lr_hidden_surface_guard(lr_hidden_surface *e);

/* Steps along it lead no lower. */
bool lr_hidden_surface_ends(const lr_hidden_surface *e);

#endif
