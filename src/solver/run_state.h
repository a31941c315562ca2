/* The state of a run: where it stands, what it knows, how it ends; and what can
 * be read off that. */
#ifndef LR_RUN_STATE_H
#define LR_RUN_STATE_H

#include "base/policy.h"
#include "learn/fit.h"
#include "oracle/oracle.h"
#include "polytope/polytope.h"
#include "step/step.h"
#include "subspace/basis.h"

#include <math.h>

/* Somebody who watches the trials of searches, and looks into those that fail:
 * hidden constraints are found so.  Absent in most runs. */
typedef struct lr_trial_observer {
  void *self;
  /* A trial from `good`, where f is known, has led to `bad`, where it is far
   * too high or nothing at all, or (NULL) to no such place.  LR_AGAIN: the box
   * has become smaller. */
  lr_code (*tried)(void *self, const lr_point *good, const lr_point *bad);
} lr_trial_observer;

/* LR_HIDDEN_MOST: hidden bounds a run can find. */
enum { LR_PHASES = 256, LR_HIDDEN_MOST = 64 };

/* Hidden bounds as decisions have found and removed them. */
typedef struct lr_hidden_list {
  lrgd_decision found[LR_HIDDEN_MOST];
  size_t count;
} lr_hidden_list;

/* Columns of lr_run.points. */
enum { LR_RUN_HEARD = 3, LR_RUN_POINTS };

/* Values, and where the lowest of them are, by their columns of the points. */
typedef struct lr_run_values {
  size_t best;
  double best_f, heard_f, first_f; /* so far, of all, before all others */
  double start_f; /* at the start: to end above it is not to converge */
  double lowest;  /* value at the points the run stood on */
} lr_run_values;

/* The step rule, and the move that it made last. */
typedef struct lr_run_moving {
  lr_step step;
  lr_basis line;   /* one column: the gradient, for a step along it */
  double *d, *z;   /* slopes and displacement in the present subspace */
  double *placed;  /* the displacement that made the trial ... */
  size_t placed_k; /* ... and its length; 0: the trial is something else */
  bool clipped;    /* a bound cut that displacement */
  size_t room;     /* numbers in each, less one */
  bool retreat;    /* the last move, z in the subspace below, may be undone */
  const lr_basis *moved_in;
} lr_run_moving;

/* The gradient norm at which the run may end. */
typedef struct lr_run_goal {
  double aim; /* a smaller one, so that errors stay within it; INFINITY: tol */
  double tol; /* on |grad f|; 0 until the first gradient has set it ... */
  double first_slope; /* ... or this, seen before, where it is larger ... */
  double most_tol;    /* ... but not above what it was before */
} lr_run_goal;

/* How far it has come. */
typedef struct lr_run_progress {
  double grad_norm;
  double sigma_r;
  double fell;  /* what the last step lowered f by; NaN: not known ... */
  double stood; /* ... from the value where it began: for stop_decrease */
  uint64_t moves, looked, stalled;
  uint64_t attempt; /* restarts so far */
} lr_run_progress;

/* What it claims of the gradient where it ends. */
typedef struct lr_run_claim {
  lrgd_certificate certificate;
  uint64_t checks; /* certificates asked for: repeated looks share the error */
  size_t probed;   /* slopes the last of them was made of */
  double bend;     /* what curvature may do to the slopes inside, at most */
} lr_run_claim;

/* Evaluations paid for before. */
typedef struct lr_run_learned {
  lr_known known;
  bool verify;  /* whether one of them is to be asked again first */
  bool quiet;   /* a measurement of noise among them found none */
  bool replays; /* quasi-Newton from the first of them asks for them again */
  size_t warm;  /* of those, where the run begins; known.n: nowhere */
} lr_run_learned;

/* The gradient at the present point by the method's own differences, where
 * those along the inputs would leave the domain; NULL: there is none. */
typedef struct lr_own_gradient {
  lr_code (*gradient)(void *self, lrgd_vec g);
  void *self;
} lr_own_gradient;

typedef struct lr_run {
  lrgd_options asked;      /* as the user gave them ... */
  lrgd_options options;    /* ... and in the unit of the run */
  const lr_policy *policy; /* the numbers it decides by */
  lrgd_allocator allocator;
  lrgd_space *space;
  lr_oracle oracle;

  /* Where the run stands, the best so far, and a free column for the next
   * trial: accepting a trial exchanges names, not numbers.  The fourth is where
   * the lowest value of all was asked for, be it for a slope. */
  lrgd_block *points;
  lr_point at, trial;
  lr_run_values record;

  lr_basis domain;       /* where the run may move; no columns: everywhere */
  lr_polytope *polytope; /* where it may be, with bounds on a plane; or NULL */
  lr_basis U;            /* where it moves now */
  const lr_basis *shown; /* what the callback is told of; NULL: U */
  lrgd_block *samples;   /* of Algorithm 1, as the user gave them; or NULL */
  size_t sample_count;
  lrgd_block *work; /* two vectors for methods, one for searches */
  lr_run_moving moving;

  lr_run_goal goal;
  lr_run_progress progress;
  lr_run_claim claim;
  lr_own_gradient own;
  lr_trial_observer observer; /* of trials; its functions NULL: nobody */
  lr_run_learned learned;
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

/* The tolerance as the user gave it, 0 where none was: what was measured for
 * one was wrong, and will be measured again. */
void lr_run_forget_tolerance(lr_run *run);

/* The step rule is given what the options say of it, in their unit. */
void lr_run_set_step(lr_run *run);

/* Directions in use; all of them where there is no subspace. */
size_t lr_run_rank(const lr_run *run);

/* The dimension of where the run may move: p, or less with a given basis. */
size_t lr_run_dimension(const lr_run *run);

/* Directions a subspace may have: that dimension, or as many as the user
 * allows. */
size_t lr_run_most_directions(const lr_run *run);

/* Room for slopes along k directions. */
lr_code lr_run_reserve(lr_run *run, size_t k);

/* What a measured gradient must not exceed for the run to end. */
static inline double lr_run_aim(const lr_run *run)
{
  return fmin(run->goal.tol, run->goal.aim);
}

/* f, a slope or a curvature in the user's unit, to be told. */
static inline double lr_run_told(const lr_run *run, double f)
{
  return lr_oracle_users(&run->oracle, f);
}

/* Streams of random numbers, one per use. */
#define LR_STREAM_SAMPLE UINT64_C(1)
#define LR_STREAM_NULL (UINT64_C(1) << 32)
#define LR_STREAM_COMPLETE (UINT64_C(1) << 34)
#define LR_STREAM_RESTART (UINT64_C(1) << 36)
#define LR_STREAM_PROBE (UINT64_C(1) << 40)
#define LR_STREAM_EMBED (UINT64_C(2) << 40)
#define LR_STREAM_QUASI_NEWTON (UINT64_C(3) << 40)

#endif
