/* The state of a run: its iterate, what it knows, how it ends; and simple
 * queries. */
#ifndef LR_RUN_STATE_H
#define LR_RUN_STATE_H

#include "base/policy.h"
#include "learn/fit.h"
#include "oracle/known_vectors.h"
#include "oracle/oracle.h"
#include "polytope/polytope.h"
#include "step/step.h"
#include "subspace/basis.h"

#include <math.h>

/* An observer of the trials of line searches, which investigates failed ones:
 * hidden constraints are found by it.  Absent in most runs. */
typedef struct lr_trial_observer {
  void *self;
  /* A trial from `good`, where f is known, has led to `bad`, where f is far too
   * high or cannot be evaluated; NULL: the trial was fine.  LR_AGAIN: the box
   * has become smaller. */
  lr_code (*tried)(void *self, const lr_point *good, const lr_point *bad);
} lr_trial_observer;

/* LR_HIDDEN_MOST: hidden bounds a run can find. */
enum { LR_PHASES = 256, LR_HIDDEN_MOST = 64 };

/* The hidden bounds in force, as recorded by decisions. */
typedef struct lr_hidden_list {
  lrgd_decision found[LR_HIDDEN_MOST];
  size_t count;
} lr_hidden_list;

/* Columns of lr_run.points. */
enum { LR_RUN_HEARD = 3, LR_RUN_POINTS };

/* Values, and the columns that hold their points. */
typedef struct lr_run_values {
  size_t best;
  double best_f, heard_f,
      first_f;    /* the best value, the lowest of all, and the first */
  double start_f; /* at the start: a run that ends above it has not converged */
  double lowest;  /* the lowest value of an iterate */
} lr_run_values;

/* The step rule, and its last move. */
typedef struct lr_run_moving {
  lr_step step;
  lr_basis line;   /* one column: a step along the gradient */
  double *d, *z;   /* slopes and displacement in the present subspace */
  double *placed;  /* the displacement by which the trial was set */
  size_t placed_k; /* dimension of `placed`; 0: the trial was set otherwise */
  bool clipped;    /* the box clipped that displacement */
  size_t room;     /* capacity of each array, less one */
  bool retreat;    /* the last move, z in moved_in, may be halved */
  const lr_basis *moved_in;
} lr_run_moving;

/* The gradient norm at which the run ends. */
typedef struct lr_run_goal {
  double aim; /* tol minus the error of the gradient; INFINITY: tol itself */
  double tol; /* tolerance on |grad f|; 0 until a gradient sets it */
  double
      first_slope;  /* earlier estimate of |grad f|, which sets tol if larger */
  double most_tol;  /* upper bound on tol: its value before a restart */
  double least_tol; /* lower bound on tol, where the user gave none */
} lr_run_goal;

/* Progress so far. */
typedef struct lr_run_progress {
  double grad_norm;
  double sigma_r;
  double fell;  /* the decrease of the last step; NaN: unknown */
  double stood; /* f before the last step, for stop_decrease */
  uint64_t moves, looked, stalled;
  uint64_t attempt; /* restarts so far */
} lr_run_progress;

/* The bound on the gradient that the run claims at its end. */
typedef struct lr_run_claim {
  lrgd_certificate certificate;
  uint64_t checks; /* certificates so far: they share the error probability */
  size_t probed;   /* probes of the last certificate */
  double bend;     /* bound on the truncation error of the slopes inside U */
} lr_run_claim;

/* Evaluations known before the run. */
typedef struct lr_run_learned {
  lr_known known;
  lr_known_vectors vectors; /* known vectors of residuals */
  /* whether one of them is evaluated again at first, to check that f is the
   * same */
  bool verify;
  bool measured; /* known values show how large the noise is, or that f has
                    none */
  /* quasi-Newton, started at the first of them, evaluates exactly these points;
   * and does so only if it begins without interpolation */
  bool replays, unopened;
  size_t warm; /* the evaluation at which the run begins; known.n: none */
} lr_run_learned;

/* The end of a least-squares run: the m residuals there, and their derivatives
 * along the columns of the run's U, m x k.  NULL: there are none. */
typedef struct lr_run_fitted {
  double *F, *J;
  double f; /* f at that point, in the unit of the run */
  size_t m, k;
} lr_run_fitted;

/* The gradient at the present point by the method's own differences, where
 * those along the inputs would leave the domain; NULL: there is none. */
typedef struct lr_own_gradient {
  lr_code (*gradient)(void *self, lrgd_vec g);
  void *self;
} lr_own_gradient;

/* The end of a run with limits on outputs: the violation at its point, in units
 * of scale, and m multipliers; NULL: there are none. */
typedef struct lr_run_limited {
  double violation;
  double *multipliers;
} lr_run_limited;

/* A run.  Over 20 members: methods see one struct, which has a part for each
 * concern (above) and the blocks of vectors that these share. */
typedef struct lr_run {
  lrgd_options asked;      /* options as the user gave them */
  lrgd_options options;    /* options in the unit of the run */
  const lr_policy *policy; /* the parameters of its decisions */
  lrgd_allocator allocator;
  lrgd_space *space;
  lr_oracle oracle;

  /* The iterate, the best point, and a free column for the next trial:
   * accepting a trial swaps columns.  The fourth holds the point of the lowest
   * value of all, also of a difference. */
  lrgd_block *points;
  lr_point at, trial;
  lr_run_values record;

  lr_basis domain; /* directions the run may move along; no columns: all */
  lr_polytope
      *polytope; /* the feasible set of A x = b within bounds; or NULL */
  lr_basis U;    /* the present subspace */
  const lr_basis *shown; /* the basis that the callback gets; NULL: U */
  bool whole;            /* the model is in all inputs, and U is not used */
  lrgd_block
      *samples; /* sample points of Algorithm 1 that the user gave; or NULL */
  size_t sample_count;
  lrgd_block *work; /* two vectors for methods, one for searches */
  lr_run_moving moving;

  lr_run_goal goal;
  lr_run_progress progress;
  lr_run_claim claim;
  lr_own_gradient own;
  lr_trial_observer observer; /* without functions: none */
  lr_run_learned learned;
  lr_run_fitted fitted;
  lr_run_limited limited;
  lrgd_phase *phases;
  size_t phase_count;
  lr_hidden_list hidden; /* hidden bounds in force */
  bool noise_told;
} lr_run;

/* Scratch vectors; a call may overwrite those that its comment names. */
enum { LR_WORK_GRADIENT, LR_WORK_EXTRA, LR_WORK_SEARCH, LR_WORK_COLUMNS };
lrgd_vec lr_run_work(const lr_run *run, int which);

/* Makes this point the iterate of the run, which is recorded, checked and
 * returned.  Its vector is borrowed.  Only these two functions write run->at,
 * besides the oracle, which writes the value when it is evaluated. */
void lr_run_stand(lr_run *run, const lr_point *at);
/* Makes the point just written to x the iterate, where f is known; NaN: it is
 * not. */
void lr_run_stand_at(lr_run *run, lrgd_vec x, double f);

/* Allocates everything that a run needs. answers, options: copied. */
LRGD_MUST_CHECK lrgd_status lr_run_init(lr_run *run, lrgd_space *space,
                                        const lr_answers *answers,
                                        const lrgd_options *options,
                                        const lrgd_allocator *a);
void lr_run_clear(lr_run *run);
/* Frees what a least-squares run has stored of its end. */
void lr_run_forget_fit(lr_run *run);

/* Resets the tolerance to the user's (0: none), where it derives from a
 * gradient that was wrong. */
void lr_run_forget_tolerance(lr_run *run);

/* Passes the options of the step rule to it, in the run's unit. */
void lr_run_set_step(lr_run *run);

/* Directions in use; p where there is no subspace. */
size_t lr_run_rank(const lr_run *run);

/* The dimension of the domain: p, or less with a given basis. */
size_t lr_run_dimension(const lr_run *run);

/* The largest dimension of a subspace: that of the domain, or the user's limit.
 */
size_t lr_run_most_directions(const lr_run *run);

/* Whether the run models the residuals of f, and not f itself. */
bool lr_run_fits_residuals(const lr_run *run);

/* Whether f is one of several outputs, others of which have limits. */
bool lr_run_is_constrained(const lr_run *run);
/* -1 where the objective is maximised, as f is minus it; else 1. */
static inline double lr_run_sense(const lr_run *run)
{
  const lr_outputs *outputs = run->oracle.answers.outputs;
  return outputs ? outputs->sign : 1;
}

/* Makes room for derivatives along k directions. */
lr_code lr_run_reserve(lr_run *run, size_t k);

/* The gradient norm at which the run ends. */
static inline double lr_run_aim(const lr_run *run)
{
  return fmin(run->goal.tol, run->goal.aim);
}

/* Converts f, a slope or a curvature into the user's unit. */
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
#define LR_STREAM_LEAST_SQUARES (UINT64_C(6) << 40)
#define LR_STREAM_WIDE (UINT64_C(7) << 40)
#define LR_STREAM_SURVEY (UINT64_C(8) << 40)
#define LR_STREAM_CONSTRAINED (UINT64_C(9) << 40)
#define LR_STREAM_SURROGATE (UINT64_C(10) << 40)

#endif
