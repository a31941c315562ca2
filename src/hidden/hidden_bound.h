/* Walls: numbers beyond which an input must not go, although no bound says so,
 * as f cannot be evaluated there or jumps up.  They are found where steps fail
 * again and again, and are bounds as long as they hold; the method begins again
 * where it was.  Where they are not to be found, or do not hold, what is there
 * is an edge across inputs (edge.h). */
#ifndef LR_HIDDEN_BOUND_H
#define LR_HIDDEN_BOUND_H

#include "hidden/hidden_surface.h"
#include "solver/iterate.h"

typedef struct lr_hidden_bound {
  size_t input;
  bool upper;        /* it must not go higher, not lower */
  double at, beyond; /* the last number that will do, the first that will not */
  double level;      /* beyond, f is higher than this or nothing at all */
  bool sure;         /* it was so when asked again */
} lr_hidden_bound;

enum { LR_WALLS = LR_HIDDEN_MOST };

/* Those of a run, while a method watches out for them. */
typedef struct lr_hidden_bounds {
  lr_run *run;
  lrgd_box given;      /* the user's bounds */
  lrgd_block *columns; /* bounds with walls, and points; NULL: none yet */
  lr_hidden_bound found[LR_WALLS];
  size_t count, total; /* those there are, and all that were found */
  size_t reviews;
  double level;     /* as above, of the last look */
  double good_f, f; /* at the good point, at the lowest that was asked for */
  int refused;      /* trials in a row that did */
  int vain;         /* looks that found nothing */
  int gone;         /* walls that turned out to be none ... */
  bool moody;       /* ... and whether points fail by chance */
  lr_hidden_surface edge; /* what they were instead, perhaps */
} lr_hidden_bounds;

void lr_hidden_bounds_open(lr_hidden_bounds *w, lr_run *run);
/* From here on they are looked for, as an observer of the run's trials.  Points
 * are not folded then. */
void lr_hidden_bounds_watch(lr_hidden_bounds *w);
/* Those that watch a run, or NULL. */
lr_hidden_bounds *lr_hidden_bounds_of(const lr_run *run);
/* The user's bounds are the run's again. */
void lr_hidden_bounds_close(lr_hidden_bounds *w);

/* After LR_AGAIN, and what else the method has to do before it begins
 * again: the run stands at the lowest point that was seen meanwhile, in the
 * smaller box.
 */
void lr_hidden_bounds_enter(lr_hidden_bounds *w);

/* Before a step from a point: is one of the walls that hold there, each in its
 * turn, still one?  LR_AGAIN: it is not, as above. */
lr_code lr_hidden_bounds_review(lr_hidden_bounds *w, const lr_point *at);

/* The method has ended.  Where it did so at walls these are looked at there:
 * LR_AGAIN as above where one is none; else LR_END, and the run has not
 * converged where f would fall beyond one. */
lr_code lr_hidden_bounds_check(lr_hidden_bounds *w);

#endif
