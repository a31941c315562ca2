/* The edge of where f can be evaluated, where that is a surface across inputs:
 * a constraint that nobody has told.  Steps of a model keep to this side of it.
 *
 * Known here: that points fail.  Not known: why, nor how it came to be thought
 * of (wall.h). */
#ifndef LR_EDGE_H
#define LR_EDGE_H

#include "oracle/oracle.h"

struct lr_model;

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

/* The step of a model in a box, *t of LR_MODEL_STEP from its base, *slope being
 * what f has along all of it; c: curvature outside V.  Where it leads beyond
 * the edge, another, which does not, takes its place.  *tried: `here` is at its
 * end.  Nothing is done where no edge was met. */
lr_code lr_hidden_surface_keep(lr_hidden_surface *e, struct lr_model *m,
                               double c, double *t, double *slope, bool *tried);

/* Steps along it lead no lower. */
bool lr_hidden_surface_ends(const lr_hidden_surface *e);

#endif
