/* The hidden bounds that a run has found, and the points of the search for
 * more. */
#ifndef LR_HIDDEN_BOUND_STATE_H
#define LR_HIDDEN_BOUND_STATE_H

#include "hidden/hidden_surface.h"
#include "solver/iterate.h"

typedef struct lr_hidden_bound {
  size_t input;
  bool upper;    /* an upper bound, not a lower one */
  double at;     /* the farthest value of the input at which f was acceptable */
  double beyond; /* the nearest value at which it was not */
  double level;  /* beyond the bound f is higher than this, or has no value */
  bool sure;     /* f also failed beyond it in a second evaluation */
} lr_hidden_bound;

typedef struct lr_hidden_bounds {
  lr_run *run;
  lrgd_box given;      /* the user's bounds */
  lrgd_block *columns; /* LR_HIDDEN_COLUMNS vectors; NULL: none yet */
  lr_hidden_bound found[LR_HIDDEN_MOST];
  size_t count, total; /* bounds in force, and all found so far */
  size_t reviews;      /* reviews so far, for their order */
  double level;        /* ceiling of f in the last search */
  double good_f;       /* f at LR_HIDDEN_GOOD */
  double f;            /* f at LR_HIDDEN_LOWEST */
  int refused;         /* consecutive trials that failed */
  int in_vain;         /* searches that found nothing */
  int gone;            /* bounds that were removed, as f is good beyond them */
  bool random;         /* evaluations fail at random */
  lr_hidden_surface surface;
} lr_hidden_bounds;

/* Columns: the box with hidden bounds, and points of a search. */
enum {
  LR_HIDDEN_LOWER,
  LR_HIDDEN_UPPER,
  LR_HIDDEN_GOOD,   /* where f can be evaluated */
  LR_HIDDEN_BAD,    /* a point where f cannot be evaluated */
  LR_HIDDEN_FAR,    /* the first of the consecutive failed trials */
  LR_HIDDEN_ASKED,  /* the next point to be evaluated */
  LR_HIDDEN_LOWEST, /* the lowest point of a search */
  LR_HIDDEN_COLUMNS
};

#endif
