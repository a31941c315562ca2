/* Rounds: up to W points that are evaluated at the same time, W being the width
 * of the run.
 *
 * This file knows points and values, not models. */
#ifndef LR_ROUNDS_H
#define LR_ROUNDS_H

#include "solver/iterate.h"

typedef struct lr_rounds {
  lr_run *run;
  size_t width;
  lrgd_block *points; /* W columns */
  lrgd_block *kept;   /* one column, which holds the point of `here` */
  lr_point here;      /* the iterate of the phase */
  /* Where evaluations end in any order: serial numbers of the points under way,
   * by their places; of the first point that was asked for last, and of the
   * next one; and values that were not waited for. */
  uint64_t *serials, first, next;
  size_t missing;
  /* called with each value that was not waited for, when it comes; NULL: such
   * values are of no use */
  void (*late)(void *self, uint64_t serial, double f);
  void *late_self;
} lr_rounds;

/* Begins with a copy of `start` as the iterate. */
LRGD_MUST_CHECK lr_code lr_rounds_open(lr_rounds *r, lr_run *run,
                                       const lr_point *start);
void lr_rounds_close(lr_rounds *r); /* safe on a zeroed struct */

/* Writes point number i to x. */
typedef void (*lr_place_fn)(void *self, size_t i, lrgd_vec x);

/* f[i] = value at point i for n points, W of them per round; NaN where f has no
 * value.  The last round is cut to what the budget allows. */
LRGD_MUST_CHECK lr_code lr_rounds_ask(lr_rounds *r, size_t n, lr_place_fn place,
                                      void *self, double *f);

/* Whether evaluations end in any order, so that a phase need not wait for whole
 * rounds: then it starts points one by one, as long as there are free places,
 * and gets them back one by one.  lr_rounds_ask works as well; it does not wait
 * between one W points and the next. */
bool lr_rounds_async(const lr_rounds *r);
size_t lr_rounds_free(const lr_rounds *r);
size_t lr_rounds_under_way(const lr_rounds *r);

/* Starts point number i; *at < W is its place until it is finished. */
LRGD_MUST_CHECK lr_code lr_rounds_start(lr_rounds *r, lr_place_fn place,
                                        void *self, size_t i, size_t *at);
/* Waits for any point; *f is NaN where f has no value. */
LRGD_MUST_CHECK lr_code lr_rounds_finish(lr_rounds *r, size_t *at, double *f);

/* As lr_rounds_ask, but returns when all have been started and `enough` of the
 * n values are there; the others are NaN, and those under way are waited for by
 * lr_rounds_rest, or come later, to `late`. */
LRGD_MUST_CHECK lr_code lr_rounds_ask_most(lr_rounds *r, size_t n,
                                           size_t enough, lr_place_fn place,
                                           void *self, double *f);
LRGD_MUST_CHECK lr_code lr_rounds_rest(lr_rounds *r, double *f);

/* Moves the iterate of the phase and of the run to x (copied), where f is
 * known. */
LRGD_MUST_CHECK lr_code lr_rounds_arrive(lr_rounds *r, lrgd_vec x, double f);

#endif
