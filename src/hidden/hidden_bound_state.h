/* Hidden bounds that a run has found, and the points by which it looks for
 * more. */
#ifndef LR_HIDDEN_BOUND_STATE_H
#define LR_HIDDEN_BOUND_STATE_H

#include "hidden/hidden_surface.h"
#include "solver/iterate.h"

typedef struct lr_hidden_bound {
  size_t input;
  bool upper;    /* an upper bound, not a lower one */
  double at;     /* the farthest number at which f was fine */
  double beyond; /* the nearest number at which it was not */
  double level;  /* beyond, f is higher than this or cannot be evaluated */
  bool sure;     /* f failed beyond it when evaluated a second time */
} lr_hidden_bound;

typedef struct lr_hidden_bounds {
  lr_run *run;
  lrgd_box given;      /* the user's bounds */
  lrgd_block *columns; /* LR_HIDDEN_COLUMNS vectors; NULL: none yet */
  lr_hidden_bound found[LR_HIDDEN_MOST];
  size_t count, total; /* bounds that hold, and all that were ever found */
  size_t reviews;      /* of bounds, each in its turn */
  double level;        /* ceiling of f in the last search */
  double good_f;       /* f at LR_HIDDEN_GOOD */
  double f;            /* f at LR_HIDDEN_LOWEST */
  int refused;         /* trials in a row that failed */
  int in_vain;         /* searches that found nothing */
  int gone;            /* bounds that turned out to be none */
  bool random;         /* points fail at random */
  lr_hidden_surface surface;
} lr_hidden_bounds;

/* Columns: the box with hidden bounds, and points of a search. */
enum {
  LR_HIDDEN_LOWER,
  LR_HIDDEN_UPPER,
  LR_HIDDEN_GOOD,   /* where f can be evaluated */
  LR_HIDDEN_BAD,    /* a point where f cannot be evaluated */
  LR_HIDDEN_FAR,    /* the first trial in a row that failed */
  LR_HIDDEN_ASKED,  /* where f is evaluated */
  LR_HIDDEN_LOWEST, /* the lowest point of a search */
  LR_HIDDEN_COLUMNS
};

#endif
