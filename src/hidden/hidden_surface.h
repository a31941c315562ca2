/* A hidden surface: a constraint across inputs that nobody told, beyond which f
 * cannot be evaluated or jumps up.  Steps of a model keep to this side of it.
 * hidden_bound.h decides when there is one. */
#ifndef LR_HIDDEN_SURFACE_H
#define LR_HIDDEN_SURFACE_H

#include "model/model.h"

typedef struct lr_hidden_surface {
  bool met;              /* a surface was met: steps keep to this side */
  bool known;            /* the normal of the surface is known */
  bool refuted;          /* it turned out that there is no surface */
  double level;          /* beyond, f is higher or cannot be evaluated */
  lrgd_block *columns;   /* the normal, points of the surface, and scratch */
  int fruitless_steps;   /* in a row that predicted no decrease */
  int fruitless_normals; /* measured in a row without a decrease between */
  double f;              /* at the base, when the normal was last measured */
} lr_hidden_surface;

void lr_hidden_surface_clear(lr_hidden_surface *e, lrgd_space *space);

/* There is a surface, beyond which f is above `level`. */
lr_code lr_hidden_surface_meet(lr_hidden_surface *e, lr_oracle *o,
                               double level);

/* Keeps the steps of a model in a box on this side of it; does nothing while
 * there is none. */
lr_step_guard lr_hidden_surface_guard(lr_hidden_surface *e);

/* Whether steps along it decrease f no more. */
bool lr_hidden_surface_ends(const lr_policy *P, const lr_hidden_surface *e);

#endif
