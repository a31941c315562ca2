/* One run: the points it stands on, what it decided, how it ends.  Methods are
 * written on top of this and read like their algorithms. */
#ifndef LR_RUN_H
#define LR_RUN_H

#include "base/policy.h"
#include "hidden/hidden_bound.h"
#include "learn/fit.h"
#include "oracle/oracle.h"
#include "polytope/polytope.h"
#include "step/step.h"
#include "subspace/basis.h"

#include <math.h>

/* LR_HIDDEN_MOST: hidden bounds a run can find, LR_WALLS of hidden_bound.h. */
enum { LR_PHASES = 256, LR_HIDDEN_MOST = 64 };

/* Hidden bounds as decisions have found and removed them. */
typedef struct lr_hidden_list {
  lrgd_decision found[LR_HIDDEN_MOST];
  size_t count;
} lr_hidden_list;

/* Columns of lr_run.points. */
enum { LR_RUN_HEARD = 3, LR_RUN_POINTS };

typedef struct lr_run {
  lrgd_options asked;      /* as the user gave them ... */
  lrgd_options options;    /* ... and in the unit of the run */
  const lr_policy *policy; /* the numbers it decides by */
  lrgd_allocator allocator;
  lrgd_space *space;
  lr_oracle oracle;
  lr_step step;

  /* Where the run stands, the best so far, and a free column for the next
   * trial: accepting a trial exchanges names, not numbers.  The fourth is where
   * the lowest value of all was asked for, be it for a slope. */
  lrgd_block *points;
  lr_point at, trial;
  size_t best;
  double best_f, heard_f, first_f; /* so far, of all, before all others */
  double start_f; /* at the start: to end above it is not to converge */
  double lowest;  /* value at the points the run stood on */

  lr_basis domain;       /* where the run may move; no columns: everywhere */
  lr_polytope *polytope; /* where it may be, with bounds on a plane; or NULL */
  lr_basis U;            /* where it moves now */
  lr_basis line;         /* one column: the gradient, for a step along it */
  const lr_basis *shown; /* what the callback is told of; NULL: U */
  lrgd_block *samples;   /* of Algorithm 1, as the user gave them; or NULL */
  size_t sample_count;
  lrgd_block *work; /* two vectors for methods, one for searches */
  double *d, *z;    /* slopes and displacement in the present subspace */
  double *placed;   /* the displacement that made the trial ... */
  size_t placed_k;  /* ... and its length; 0: the trial is something else */
  bool clipped;     /* a bound cut that displacement */
  size_t room;      /* numbers in each, less one */

  double aim; /* a smaller one, so that errors stay within it; INFINITY: tol */
  double tol; /* on |grad f|; 0 until the first gradient has set it ... */
  double first_slope; /* ... or this, seen before, where it is larger ... */
  double most_tol;    /* ... but not above what it was before */
  double grad_norm;
  double sigma_r;
  double fell;  /* what the last step lowered f by; NaN: not known ... */
  double stood; /* ... from the value where it began: for stop_decrease */
  uint64_t moves, looked, stalled;
  bool retreat; /* the last move, z in the subspace below, may be undone */
  const lr_basis *moved_in;
  uint64_t attempt; /* restarts so far */
  uint64_t checks;  /* certificates asked for: repeated looks share the error */
  size_t probed;    /* slopes the last of them was made of */
  double bend;      /* what curvature may do to the slopes inside, at most */
  lr_hidden_bounds
      *walls;     /* of the method that watches out for them, or NULL */
  lr_known known; /* evaluations paid for before */
  bool verify;    /* whether one of them is to be asked again first */
  size_t warm;    /* of those, where the run begins; known.n: nowhere */
  /* The gradient at the present point by the method's own differences, where
   * those along the inputs would leave the domain; NULL: there is none. */
  lr_code (*own_gradient)(void *self, lrgd_vec g);
  void *own_self;
  lrgd_certificate certificate;
  lrgd_phase *phases;
  size_t phase_count;
  lr_hidden_list hidden; /* bounds that stand */
  bool noise_told;
} lr_run;

/* Vectors a method may use as it likes between calls that name them. */
enum { LR_WORK_GRADIENT, LR_WORK_EXTRA, LR_WORK_SEARCH, LR_WORK_COLUMNS };
lrgd_vec lr_run_work(const lr_run *run, int which);

/* Everything a run needs is allocated here.  answers, options: copied. */
LRGD_MUST_CHECK lrgd_status lr_run_init(lr_run *run, lrgd_space *space,
                                        const lr_answers *answers,
                                        const lrgd_options *options,
                                        const lrgd_allocator *a);
void lr_run_clear(lr_run *run);

/* Puts the run at x (which is copied, and moved into the box).  Nothing is
 * evaluated yet, but for the noise where it is to be estimated. */
lr_code lr_run_start(lr_run *run, lrgd_vec x, atomic_int *stop);

/* Whether it begins at a point whose value was paid for before; and that
 * beginning: the noise is read off what is known, if it can be.  This and the
 * next: warm_start.c */
bool lr_run_begins_warm(const lr_run *run);
lr_code lr_run_warm_start(lr_run *run);

/* Whether the first evaluation that is known is one that this run could have
 * begun with. */
bool lr_run_first_is_inside(const lr_run *run);
/* Moves a point there. */
void lr_run_to_first(lr_run *run, lr_point *at);

/* Whether f was paid for at x (host doubles), and what it is. */
bool lr_run_recall(void *run, lrgd_vec x, double *f);

/* What is known around that point. */
lr_code lr_run_fit(lr_run *run, size_t most, lr_fit *fit);

/* Keeps a decision and tells the callback of it. */
void lr_run_decide(lr_run *run, lrgd_decision decision);
void lr_run_tell(lr_run *run, lrgd_event event);
/* The noise of f was estimated: a decision where there is some, once. */
void lr_run_tell_noise(lr_run *run);
/* For methods that choose their steps themselves: options for those that do not
 * are not passed over in silence. */
void lr_run_tell_unused(lr_run *run);

/* The tolerance as the user gave it, 0 where none was: what was measured for
 * one was wrong, and will be measured again. */
void lr_run_forget_tolerance(lr_run *run);

/* Directions in use; all of them where there is no subspace. */
size_t lr_run_rank(const lr_run *run);

/* The dimension of where the run may move: p, or less with a given basis. */
size_t lr_run_dimension(const lr_run *run);

/* Directions a subspace may have: that dimension, or as many as the user
 * allows. */
size_t lr_run_most_directions(const lr_run *run);

/* g = grad f at the present point, as far as the run may move.  Where it
 * cannot be evaluated the last move is halved, and halved again; so it is with
 * lr_run_slopes. */
lr_code lr_run_gradient(lr_run *run, lrgd_vec g, lrgd_purpose why,
                        double *norm);
/* The same at any other point, c being a hint of the curvature as in
 * lr_oracle_gradient; LR_NOVALUE where it cannot be evaluated. */
lr_code lr_run_gradient_at(lr_run *run, lr_point *at, lrgd_vec g,
                           lrgd_purpose why, double c, double *norm);

/* d = slopes at the present point along U (NULL: along all directions of the
 * domain); *norm is that of the gradient in the subspace, without what bounds
 * hold. */
lr_code lr_run_slopes(lr_run *run, const lr_basis *U, lrgd_purpose why,
                      double *norm);

/* A point the run does not stand on has a value: keeps it if it is the best
 * (a copy), ends the run if it is good enough. */
lr_code lr_run_offer(lr_run *run, const lr_point *point);

/* The run stands at a new place, run->at: counts it, tells the callback.  Ends
 * the run where these were all the iterations there are. */
lr_code lr_run_arrived(lr_run *run);

/* The value at a point is known and counts, whatever follows: the first is the
 * start's. */
lr_code lr_run_count(lr_run *run, const lr_point *point);

/* A value is known at a point of the run: is it the best, or good enough? */
lr_code lr_run_record(lr_run *run, const lr_point *point);

/* f and a gradient are known where the run stands: best point, target, stall,
 * callback.  The first norm seen sets tol. */
lr_code lr_run_look(lr_run *run, double grad_norm);

/* f, a slope or a curvature in the user's unit, to be told. */
static inline double lr_run_told(const lr_run *run, double f)
{
  return lr_oracle_users(&run->oracle, f);
}

/* The run has ended, however it did: the lowest value ever answered is what it
 * returns, be it one that was asked for a slope only.  A certified point stays
 * where it is as low within the noise; where it is not, its certificate goes.
 */
void lr_run_deliver(lr_run *run);

/* In a box: what of g, the gradient where the run stands, can be followed.
 * Where a step along -g would be cut by the box, g becomes (x - P(x - s g))/s,
 * P being the projection into the box and s the length of a step: a step of at
 * most s along it stays inside, and f falls along it as fast as its norm says
 * or faster, which is not true of g. */
void lr_run_follow(lr_run *run, lrgd_vec g);

/* The run is over: a value that was paid for where it stands counts even if
 * its slopes never came, and it stands on a point of its own. */
void lr_run_leave(lr_run *run);

/* One step of the run's rule inside U (NULL: everywhere), from the slopes in
 * run->d.  LR_NOVALUE: there is no acceptable step. */
lr_code lr_run_move(lr_run *run, const lr_basis *U);

/* The user's stopping rule on the decrease: whether the last step lowered f by
 * less than stop_decrease; and the end of a run for that reason.  A small
 * decrease certifies nothing: the outcome is stalled. */
bool lr_run_slow(const lr_run *run);
lr_code lr_run_end_slow(lr_run *run);

/* What the move that began at a value of f lowered it by, where that rule asks:
 * the value is paid for now, and needed there anyhow where slopes are
 * differences.  A point without a value is left to the next look, which halves
 * the move. */
lr_code lr_run_measure_fall(lr_run *run, double f);

/* The end of one of the paper's algorithms as it is written: the gradient last
 * measured is small, the norm being of what was measured.  That
 * certifies nothing: the outcome is stalled. */
lr_code lr_run_end_as_written(lr_run *run, lrgd_norm norm);

/* Whether f falls for ever along -d: looks ahead 16, 256, ... times further
 * than the last move.  Ends the run if so. */
lr_code lr_run_leap(lr_run *run, const lr_basis *U);

/* What a measured gradient must not exceed for the run to end. */
static inline double lr_run_aim(const lr_run *run)
{
  return fmin(run->tol, run->aim);
}

/* How far the norm of g, the gradient measured at the present point with the
 * hint c, may be off, with the confidence of the options; and that, or 1 where
 * slopes are given and no noise is seen in them.  Measures g again with longer
 * steps, into spare, where truncation decides; g.block NULL: g is not at hand.
 * This and the next two: measured.c */
lr_code lr_run_gradient_error(lr_run *run, lrgd_vec g, double c, lrgd_vec spare,
                              double norm, double *error);
double lr_run_confidence(const lr_run *run);

/* Whether a gradient of that size changes f over a difference by no more than a
 * tenth of what the run has gained: where it does, f may swing many times
 * within one, and a bound that was measured so says nothing. */
bool lr_run_smooth(lr_run *run, double bound);

/* The gradient where the run stands is g, of this norm, at most lr_run_aim.
 * Ends the run, or LR_GO: it is to be measured again, as differences are
 * two-sided from now on, or the aim has become smaller. */
lr_code lr_run_small(lr_run *run, lrgd_vec g, double norm);

/* lr_run_gradient, and the end of the run where that is small. */
lr_code lr_run_gradient_or_end(lr_run *run, lrgd_vec g, lrgd_purpose why,
                               double *norm);

/* A run that has stalled tells what the gradient is where it ends, unless that
 * is known or costs more than half of what was spent. */
lr_code lr_run_close(lr_run *run);

/* Ends the run where it stands, grad f being at most bound with the given
 * confidence; as stalled where that is not what was asked for. */
lr_code lr_run_converged(lr_run *run, double bound, double confidence,
                         int64_t probes);

/* Tells of a bound that the last probes gave; ends the run, as above, where it
 * is small enough. */
lr_code lr_run_certified(lr_run *run, double bound);

/* The present point is the one to be returned, if nothing lower (by more than
 * noise) was seen, and this is what is known of grad f there. */
void lr_run_settle(lr_run *run, double bound, double confidence,
                   int64_t probes);

/* What a gradient norm of this run is the norm of. */
lrgd_norm lr_run_norm(const lr_run *run);

/* Room for slopes along k directions. */
lr_code lr_run_reserve(lr_run *run, size_t k);

/* A random point around the present one, in run->trial. */
lr_code lr_run_sample(lr_run *run, uint64_t stream, double radius);

/* Streams of random numbers, one per use. */
#define LR_STREAM_SAMPLE UINT64_C(1)
#define LR_STREAM_NULL (UINT64_C(1) << 32)
#define LR_STREAM_COMPLETE (UINT64_C(1) << 34)
#define LR_STREAM_RESTART (UINT64_C(1) << 36)
#define LR_STREAM_PROBE (UINT64_C(1) << 40)
#define LR_STREAM_EMBED (UINT64_C(2) << 40)
#define LR_STREAM_QUASI_NEWTON (UINT64_C(3) << 40)

#endif
