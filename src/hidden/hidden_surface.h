/* A hidden surface: a constraint across inputs that the user did not give,
 * beyond which f has no value or jumps up.  Steps of a model stay on its good
 * side. hidden_bound.h decides when a surface is assumed. */
#ifndef LR_HIDDEN_SURFACE_H
#define LR_HIDDEN_SURFACE_H

#include "model/model.h"

typedef struct lr_hidden_surface {
  bool met;            /* a surface is assumed: steps stay on its good side */
  bool known;          /* the normal of the surface is known */
  bool refuted;        /* measurements have shown that there is no surface */
  double level;        /* beyond the surface f is higher, or has no value */
  lrgd_block *columns; /* the normal, points of the surface, and scratch */
  int fruitless_steps; /* consecutive ones that predicted no decrease */
  /* consecutive measurements without a decrease in between */
  int fruitless_normals;
  double f; /* at the base, when the normal was last measured */
} lr_hidden_surface;

void lr_hidden_surface_clear(lr_hidden_surface *e, lrgd_space *space);

/* Assumes a surface, beyond which f is above `level`. */
lr_code lr_hidden_surface_meet(lr_hidden_surface *e, lr_oracle *o,
                               double level);

/* The guard that keeps the steps of a model in a box on the good side; without
 * effect while no surface is assumed. */
lr_step_guard lr_hidden_surface_guard(lr_hidden_surface *e);

/* Whether steps along the surface no longer decrease f. */
bool lr_hidden_surface_ends(const lr_policy *P, const lr_hidden_surface *e);

#endif
