/* The oracle: the only part that calls the user's callbacks.  It counts
 * evaluations, never exceeds the budget, evaluates inside the box only, makes
 * derivatives by finite differences where the user gives none, and returns only
 * finite numbers. */
#ifndef LR_ORACLE_H
#define LR_ORACLE_H

#include "base/policy.h"
#include "base/status.h"
#include "oracle/answers.h"
#include "oracle/noise_reading.h"
#include "oracle/under_way.h"

#include <fenv.h>
#include <stdatomic.h>
#include <stdbool.h>

/* An iterate or a trial point.  f is NaN until it is known.  id is unique to
 * the numbers in x, so that results that are kept can be found by it. */
typedef struct lr_point {
  lrgd_vec x;
  uint64_t id;
  double f;
} lr_point;

/* Settings of finite differences.  Phases that alternate have one each. */
typedef struct lr_difference_settings {
  double noise; /* standard deviation of f, given or estimated */
  /* factor on steps, raised where shorter ones showed no change of f */
  double stretch;
  bool two_sided; /* two-sided differences, at twice the evaluations */
  bool doubted;   /* derivatives of zero have been checked for lost digits */
  /* Where the user gives directional derivatives only, a value comes with one:
   * it is evaluated along this direction, which is needed next, and kept. block
   * NULL: along any direction. */
  lrgd_vec wanted;
} lr_difference_settings;

/* The sentinel: a large number that a program returns where it cannot evaluate
 * f.  Once known, neither it nor a larger number is a value of f. */
typedef struct lr_sentinel {
  double first;     /* the first value of a trial */
  uint64_t same;    /* how many of all answers equal `first` */
  double top, next; /* the highest value so far, and the second highest */
  double norm;      /* |x| at the last point where `top` was returned */
  int times;        /* number of points where `top` was returned */
  double number;    /* the sentinel; NaN: none is known */
  uint64_t count;   /* how often it was returned */
} lr_sentinel;

/* Sums over the errors of the derivatives last measured by finite
 * differences. */
typedef struct lr_errors {
  uint64_t id;           /* the point, if they are those of a whole gradient */
  double noise2, noise4; /* second and fourth powers of the errors by noise */
  double bend2;          /* squares of the bounds on the truncation errors */
  double step;           /* the length of the differences */
  bool two_sided;
  bool lost; /* a step was lost in the rounding of x: its error is unknown */
} lr_errors;

/* The accuracy of derivatives. */
typedef struct lr_oracle_accuracy {
  lr_errors errors; /* errors of the derivatives last measured by differences */
  double slope_noise; /* upper bound on the noise of derivatives that the user
                         gives; 0: none was found; NaN: not measured yet */
  const double *tol;  /* the tolerance on |grad f|; 0: not known yet */
  double widen;       /* factor on two-sided steps */
} lr_oracle_accuracy;

/* Properties of f that all its values so far have shown. */
typedef struct lr_oracle_seen {
  double unit;      /* the run's unit of f: see units.c */
  bool in_unit;     /* the unit has been chosen */
  double f_scale;   /* |f| at the start, for guesses of the curvature */
  double x_scale;   /* size of x at the start */
  int digits;       /* decimal digits of values so far, up to many_digits */
  double low, high; /* the range of these values */
  uint64_t cliffs;  /* times that f jumped along a step */
} lr_oracle_seen;

/* Results kept for single points, which are identified by their id. */
typedef struct lr_oracle_kept {
  uint64_t next_id;     /* the next id */
  uint64_t scale_id;    /* the point whose scale is kept */
  double scale;         /* typical size of the inputs at that point */
  uint64_t quiet_id;    /* the point where noise was last looked for, in vain */
  uint64_t gradient_id; /* the point whose gradient column 1 of dir holds */
  const double *partial; /* derivatives along the inputs, known beforehand, NaN
                            where they are not; borrowed, or NULL */
  uint64_t partial_id;   /* the point of these derivatives */
  double wanted_slope;   /* the derivative along the requested direction */
  uint64_t wanted_id;    /* the point of this derivative */
} lr_oracle_kept;

/* Vectors and numbers for a batch of evaluations. */
typedef struct lr_oracle_room {
  lrgd_block *points; /* the points of a batch of differences */
  size_t batch;       /* columns in it */
  double *values;     /* values at the points of a batch, and one more */
  double *steps;      /* steps to the points of a batch */
  double *slopes;     /* derivatives by these values and steps */
  lrgd_vec finite;    /* the point just placed, if it is known to be finite;
                         block NULL: none is */
  lrgd_block *dir;    /* four columns: a direction without the coordinates at
                         bounds, a gradient, a point mapped into the box, one
                         projected into it */
} lr_oracle_room;

/* Callbacks of the run that owns the oracle; each may be NULL. */
typedef struct lr_oracle_listener {
  void *self; /* the first argument of all five */
  /* Projects a direction onto the domain of the run. */
  void (*confine)(void *self, lrgd_vec u);
  /* Whether f is known at the point from before this run: *f. */
  bool (*recall)(void *self, lrgd_vec x, double *f);
  /* Called with every finite value, at x. */
  void (*hear)(void *self, lrgd_vec x, double f);
  /* The unit of f has changed; NULL: it stays 1. */
  void (*rescaled)(void *self);
  /* Called when a number has been recognised as a sentinel. */
  void (*refused)(void *self, double number);
} lr_oracle_listener;

/* The end of a run. */
typedef struct lr_ending {
  lrgd_outcome outcome; /* set where LR_END is returned */
  lrgd_stall stall;     /* the reason, where that is LRGD_OUTCOME_STALLED */
  lrgd_decision why;    /* the reason with its numbers */
  lrgd_decision held;   /* a hidden constraint that is active there, or NONE */
  lrgd_error error;     /* set where LR_FAULT is returned */
} lr_ending;

/* The environment of a run: the flag that stops it, when it began, and the
 * floating-point environment that is restored after every callback. */
typedef struct lr_session {
  atomic_int *stop;
  double start_time;
  fenv_t fenv;
} lr_session;

/* Only files of this folder write its members; others read them, and call the
 * functions below.  Over 20 members: each struct above has one owner among
 * these files, and the rest are the inputs of lr_oracle_init. */
typedef struct lr_oracle {
  lrgd_space *space;
  lr_answers answers;
  const lrgd_options *options; /* borrowed */
  const lr_policy *policy;     /* the parameters of its decisions */
  uint64_t seed;               /* seed of the random directions */
  lrgd_allocator allocator;
  lrgd_box given; /* the user's bounds: f is never evaluated outside */
  lrgd_box box;  /* points stay in it: the user's bounds, or narrower ones where
                    hidden bounds were found; lower.block NULL: none */
  lrgd_box fold; /* points are mapped into it before evaluation, where the run
                    works on unbounded variables */
  bool plane;    /* points also satisfy linear equations: directions do, the
                    box leaves room along them, and they are never changed */
  lr_session session;
  size_t width; /* evaluations in a round: options->width */
  lrgd_counts counts;
  uint64_t recalled; /* values recalled from before this run, not evaluated */
  lr_difference_settings differences;
  lr_oracle_seen seen;
  lr_sentinel refusals;
  bool forgiving; /* a derivative that fails counts as zero, unless all fail;
                     and sentinels are detected */
  /* the gradient last measured contains a zero in place of a derivative that
   * failed */
  bool incomplete;
  lr_oracle_accuracy accuracy;
  lr_oracle_kept kept;
  lr_oracle_room room;
  lr_oracle_ahead ahead;
  lr_oracle_flight flight;
  lr_oracle_listener listener;
  lr_ending ending;
} lr_oracle;

/* Allocates all memory that the oracle uses. */
LRGD_MUST_CHECK lrgd_status lr_oracle_init(lr_oracle *o, lrgd_space *space,
                                           const lr_answers *answers,
                                           const lrgd_options *options,
                                           const lrgd_allocator *a);
void lr_oracle_clear(lr_oracle *o);

/* Sets the user's bounds (lower.block NULL: none), which the run works in. */
void lr_oracle_set_bounds(lr_oracle *o, lrgd_box bounds);

/* Resets counts and results for a new run. */
void lr_oracle_restart(lr_oracle *o, atomic_int *stop);

/* The settings of finite differences, which phases that alternate exchange; the
 * noise is in the user's unit.  units.c */
lr_difference_settings lr_oracle_difference_settings(const lr_oracle *o);
void lr_oracle_set_differences(lr_oracle *o, const lr_difference_settings *b);

/* Sets the callbacks of the run. */
void lr_oracle_listen(lr_oracle *o, const lr_oracle_listener *listener);
/* From here on known values are recalled by this function, or (NULL) evaluated
 * again. */
void lr_oracle_recall_by(lr_oracle *o,
                         bool (*recall)(void *self, lrgd_vec x, double *f));

/* Keeps points in a box (lower.block NULL: none), or maps them into it. */
void lr_oracle_use_box(lr_oracle *o, lrgd_box box);
void lr_oracle_use_fold(lr_oracle *o, lrgd_box box);

/* Whether points also satisfy linear equations: see lr_oracle.plane. */
void lr_oracle_use_plane(lr_oracle *o, bool plane);
/* The tolerance that differences have to resolve, 0 until it is known;
 * borrowed.  NULL: differences are as accurate as they can be. */
void lr_oracle_resolve(lr_oracle *o, const double *tol);
/* From here on derivatives of zero are accepted without a check. */
void lr_oracle_believe_flat(lr_oracle *o);

/* Differences are two-sided from here on. */
void lr_oracle_use_two_sided(lr_oracle *o);
/* Sets the noise of f. */
void lr_oracle_set_noise(lr_oracle *o, double noise);
/* Sets the size of f by which curvatures are guessed. */
void lr_oracle_set_scale(lr_oracle *o, double f_scale);
/* From here on a derivative that fails counts as zero, unless all fail; and
 * sentinels are detected. */
void lr_oracle_forgive(lr_oracle *o);
/* Begins a new gradient: none of its derivatives has failed. */
void lr_oracle_begin_gradient(lr_oracle *o);
/* Records that one of its derivatives has failed. */
void lr_oracle_miss_slope(lr_oracle *o);
/* Sets the factor on two-sided steps. */
void lr_oracle_widen(lr_oracle *o, double times);
/* Restores the errors of derivatives that were measured before. */
void lr_oracle_set_errors(lr_oracle *o, const lr_errors *errors);
/* Declares the derivatives last measured by differences as the whole gradient
 * there. */
void lr_oracle_is_whole_gradient(lr_oracle *o, const lr_point *at);
/* Requests a direction: where a value comes with a directional derivative, that
 * is to be along the unit vector u; or along any direction. */
void lr_oracle_want(lr_oracle *o, lrgd_vec u);
void lr_oracle_want_any(lr_oracle *o);
/* Gives derivatives along the inputs at a point, NaN where they are not known;
 * borrowed until NULL is given. */
void lr_oracle_know_partial(lr_oracle *o, const lr_point *at,
                            const double *partial);
/* Counts a jump of f along a step. */
void lr_oracle_meet_cliff(lr_oracle *o);
/* Whether all values so far are equal. */
static inline bool lr_oracle_saw_one_value(const lr_oracle *o)
{
  return o->seen.low == o->seen.high;
}

/* The point at which the user's callback evaluates f: x itself, or its image in
 * the box, valid until the next evaluation. */
lrgd_vec lr_oracle_shown(lr_oracle *o, lrgd_vec x);
/* y = that point. */
void lr_oracle_show(lr_oracle *o, lrgd_vec y, lrgd_vec x);

/* Whether the user gives derivatives, so that none are differences. */
static inline bool lr_oracle_has_derivatives(const lr_oracle *o)
{
  return o->answers.slopes || o->answers.gradient;
}

/* Whether points stay in a box. */
static inline bool lr_oracle_boxed(const lr_oracle *o)
{
  return o->box.lower.block != NULL;
}

/* The clock by which phases alternate: evaluations so far, and values recalled
 * in their place, so that a phase whose values are known takes the same path as
 * when they were evaluated. */
static inline uint64_t lr_oracle_spent(const lr_oracle *o)
{
  return lrgd_counts_evaluations(&o->counts) + o->recalled;
}

/* Answers so far that were not a value of f: failures and sentinels. */
static inline uint64_t lr_oracle_missed(const lr_oracle *o)
{
  return o->counts.failures + o->refusals.count;
}

/* Projects x into the user's bounds; a point inside is not changed. limits.c */
void lr_oracle_contain(lr_oracle *o, lrgd_vec x);

/* y = x + U c, the next point that is evaluated: lr_oracle_admit() then need
 * not look whether it is finite.  What is known of y ends with the next call of
 * lr_oracle_admit() or lr_oracle_rename().  limits.c */
void lr_oracle_place(lr_oracle *o, lrgd_vec y, lrgd_vec x, lrgd_vec U, size_t k,
                     const double *c);

/* Prepares x for an evaluation: projects it.  False: x is not finite, and
 * cannot be evaluated.  limits.c */
bool lr_oracle_admit(lr_oracle *o, lrgd_vec x);

/* Chooses the unit of f from its first value, in the user's unit; converts from
 * the user's unit into that of the run, and back.  units.c */
void lr_oracle_choose_unit(lr_oracle *o, double f);
double lr_oracle_own(const lr_oracle *o, double f);
double lr_oracle_users(const lr_oracle *o, double f);

/* Whether f is unbounded below: it has decreased by many times its first size,
 * and a coordinate of x, with no bound ahead of it, is many times the size of
 * the first x. */
bool lr_oracle_falls_for_ever(lr_oracle *o, lrgd_vec x, double f);

/* Counts a derivative that the caller has made of values of its own. */
void lr_oracle_count_slope(lr_oracle *o, lrgd_purpose why);

/* Gives a point whose coordinates were just written a new id; its value is
 * unknown, or is f. */
void lr_oracle_rename(lr_oracle *o, lr_point *at);
void lr_oracle_know(lr_oracle *o, lr_point *at, double f);

/* Evaluates f at the point, unless at->f is known. */
lr_code lr_oracle_value(lr_oracle *o, lr_point *at, lrgd_purpose why);

/* Changes the seed of a run that knows n evaluations: with the seed of the run
 * that made them its random directions would lie in the subspace it begins
 * with, and probes of a certificate would not be independent of the point. */
void lr_oracle_reseed(lr_oracle *o, uint64_t n);

/* The m residuals of the value last evaluated; NULL where f is not a sum of
 * their squares. */
static inline const double *lr_oracle_residuals(const lr_oracle *o)
{
  return o->answers.residuals ? o->answers.residuals(o->answers.self) : NULL;
}

/* Points that the caller will ask for one after the other, whatever their
 * values, may be evaluated side by side in advance.  begin_plan: whether that
 * is possible; plan: adds x (false: there is no room for more); ask_planned:
 * evaluates the points, as many as the budget allows.  Each value is returned
 * when it is asked for. */
bool lr_oracle_begin_plan(lr_oracle *o);
bool lr_oracle_plan(lr_oracle *o, lrgd_vec x);
/* Plans the points of a derivative along u, c being the hint of
 * lr_oracle_slopes_hinted. */
bool lr_oracle_plan_slope(lr_oracle *o, lr_point *at, lrgd_vec u, double c);
lr_code lr_oracle_ask_planned(lr_oracle *o, lrgd_purpose why);

/* y = C^(1/2) v, where the user gives that operator; p host doubles each. */
lr_code lr_oracle_correlate(lr_oracle *o, const double *v, double *y);

/* Declares that f at the point is known; `first` is the first value of all. */
void lr_oracle_tell(lr_oracle *o, lr_point *at, double f, double first);

/* d[j] = directional derivative at the point along column j of U, for unit
 * columns; at->f becomes known.  d has room for k + 1 numbers. */
lr_code lr_oracle_slopes(lr_oracle *o, lr_point *at, lrgd_vec U, size_t k,
                         lrgd_purpose why, double *d);

/* Directional derivatives with hints of the curvature along the columns of U,
 * which set the steps of finite differences: c[j] > 0 is the curvature, whose
 * part of a one-sided difference is subtracted; -c[j] > 0 is a guess of it; 0
 * is unknown. */
lr_code lr_oracle_slopes_hinted(lr_oracle *o, lr_point *at, lrgd_vec U,
                                size_t k, lrgd_purpose why, const double *c,
                                double *d);

/* g = the whole gradient at the point; at->f becomes known.  c: a hint as
 * above, one for all coordinates. */
lr_code lr_oracle_gradient(lr_oracle *o, lr_point *at, lrgd_vec g,
                           lrgd_purpose why, double c);

/* The gradient by differences, in two parts.  First without the multipliers of
 * coordinates that are active according to the gradient `known`, which are
 * copied from there; then (held) those multipliers, g being the result of the
 * first part. */
lr_code lr_oracle_part_gradient(lr_oracle *o, lr_point *at, lrgd_vec g,
                                lrgd_vec known, bool held, lrgd_purpose why,
                                double c);

/* f[i] = value at the point + h[i] e_i, moved into the box, for every i with
 * h[i] != 0; NaN where f has none. */
lr_code lr_oracle_around(lr_oracle *o, const lr_point *at, const double *h,
                         lrgd_purpose why, double *f);

/* Sets o->differences.noise: to the option, or to an estimate around the
 * point. */
lr_code lr_oracle_find_noise(lr_oracle *o, lr_point *at);

/* Whether the highest value of all trials, returned at r->times points, is a
 * sentinel: the further it is above the others, the fewer times are needed.
 * many_digits: values have so many digits that none are equal by chance. */
bool lr_sentinel_found(const lr_policy *P, const lr_sentinel *r,
                       bool many_digits);

/* Whether f, the value of a trial at x, is a sentinel.  Trials are far apart,
 * so that equal values are significant.  sentinel.c */
bool lr_oracle_refuses(lr_oracle *o, lrgd_vec x, double f);

/* Whether the first value of all was a sentinel: it was returned several times,
 * and all others, the least of which is `lowest`, are far below it. */
bool lr_oracle_began_refused(const lr_oracle *o, double lowest);

/* Moves the start, where f was a sentinel, to x, where f is known. */
void lr_oracle_begin_at(lr_oracle *o, lr_point *start, lrgd_vec x, double f);

/* Updates the number of decimal digits by a new value.  digits.c */
void lr_oracle_read_digits(lr_oracle *o, double f);
/* A unit in the last digit of f, where all values have few digits and are not
 * equal; 0 elsewhere. */
double lr_oracle_last_place(const lr_oracle *o, double f);

/* Measures the noise around the point along the random direction `stream`, and
 * updates o->differences.noise by it; where no noise was found, by an upper
 * bound. */
lr_code lr_oracle_measure_noise(lr_oracle *o, lr_point *at, uint64_t stream);

/* Whether it was measured at this very point, and f changes there without
 * noise: then derivatives of zero are no lack of digits. */
bool lr_oracle_is_quiet(const lr_oracle *o, const lr_point *at);

/* The step of a finite difference where values are near f; unit: the size of x;
 * c: as in lr_oracle_slopes_hinted.  This and the errors below: error.c */
double lr_oracle_step(const lr_oracle *o, double unit, double f, double c);

/* Estimates the noise from known values, LR_LINE of them at equal spacing on a
 * line; false where f is too curved along it. */
bool lr_oracle_read_noise(lr_oracle *o, const double f[LR_LINE]);

/* The error of a directional derivative: a standard deviation for noise and
 * rounding, plus the truncation error of a one-sided difference where the
 * curvature is c (0: unknown). */
double lr_oracle_slope_error(lr_oracle *o, lr_point *at, double c);
/* The truncation error alone of a one-sided difference that was asked for with
 * a guess of the curvature, which is c. */
double lr_oracle_chord_error(lr_oracle *o, lr_point *at, double guessed,
                             double c);
/* A bound with this confidence on the error of the norm of n such derivatives.
 * Where the last whole gradient is that of the point, its derivatives had
 * different steps and errors: the sum of their squares is taken for a chi^2
 * variable with the degrees of freedom that their variance suggests
 * (Satterthwaite, 1946).  Truncation errors enter by c alone. */
double lr_oracle_gradient_error(lr_oracle *o, lr_point *at, double c, size_t n,
                                double confidence);
/* Measures the noise of the user's derivatives, once in a run, for
 * certificates: o->accuracy.slope_noise, an upper bound with this confidence.
 * Noise of f that is found is kept as well.  slope_noise.c */
lr_code lr_oracle_hear_slopes(lr_oracle *o, lr_point *at, double confidence);
/* The bound on the truncation error of the last whole gradient, if it belongs
 * to the point; INFINITY: it has none. */
double lr_oracle_truncation(const lr_oracle *o, const lr_point *at);

/* The derivatives last measured are scaled by this factor, and so are their
 * errors. */
void lr_oracle_scale_errors(lr_oracle *o, double times);
/* The step of a difference at the point, where the curvature is about c (0:
 * unknown). */
double lr_oracle_reach(lr_oracle *o, lr_point *at, double c);

/* Whether differences along dense directions drop coordinates at the point,
 * because these are at their bounds.  c: the curvature, as above. */
bool lr_oracle_blind(lr_oracle *o, lr_point *at, double c);

/* The error of values near f: noise or rounding. */
double lr_oracle_level(const lr_oracle *o, double f);
/* The typical size of a coordinate of the point. */
double lr_oracle_scale(lr_oracle *o, const lr_point *at);

/* The derivative along o->differences.wanted at the point, if it came with a
 * value; it is counted when it is used. */
bool lr_oracle_had_slope(lr_oracle *o, const lr_point *at, lrgd_purpose why,
                         double *d);

/* Ends the run: sets outcome and reason, and returns LR_END. */
lr_code lr_oracle_end(lr_oracle *o, lrgd_outcome outcome, lrgd_decision why);
/* Ends the run as stalled, for this reason. */
lr_code lr_oracle_stall(lr_oracle *o, lrgd_stall reason, lrgd_decision why);
/* Records that a hidden constraint is active where the run has ended. */
void lr_oracle_hold(lr_oracle *o, lrgd_decision held);
/* Ends the run by an error: sets it, and returns LR_FAULT. */
lr_code lr_oracle_fault(lr_oracle *o, lrgd_status status, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));

/* Seconds since the run began. */
double lr_oracle_seconds(const lr_oracle *o);

/* Shared by the files of this folder: --------------------------------- */

/* Whether any of the processes that share the run has a reason to end it. */
bool lr_oracle_agree(const lr_oracle *o, bool mine);
/* The end of a run that was asked to stop. */
lr_code lr_oracle_end_stopped(lr_oracle *o);
/* LR_GO if the limits allow n more evaluations. */
lr_code lr_oracle_afford(lr_oracle *o, uint64_t n);
/* Evaluations that the budget leaves. */
uint64_t lr_oracle_left(const lr_oracle *o);
/* Whether x was evaluated in advance, as number *at; used once.  ahead.c */
bool lr_oracle_foresaw(const lr_oracle *o, lrgd_vec x, size_t *at);
bool lr_oracle_take_foreseen(lr_oracle *o, lrgd_vec x, double *f);
/* Declares that the first n planned points have their values in ahead.f. */
void lr_oracle_foresee(lr_oracle *o, size_t n);
/* f[i] = value at column i of X, m of them, failed ones evaluated again; NaN
 * where f has no value.  X is scratch: its points may be mapped into the box. f
 * has room for m + 1 numbers. */
lr_code lr_oracle_ask_values(lr_oracle *o, lrgd_vec X, size_t m,
                             lrgd_purpose why, double *f);
/* The gradient, or k directional derivatives, that the user gives: ask.c. */
lr_code lr_oracle_ask_gradient(lr_oracle *o, lr_point *at, lrgd_purpose why);
lr_code lr_oracle_ask_slopes(lr_oracle *o, lr_point *at, lrgd_vec U, size_t k,
                             lrgd_purpose why, double *d);
/* Directional derivatives by finite differences: difference.c. */
lr_code lr_oracle_differences(lr_oracle *o, lr_point *at, lrgd_vec U, size_t k,
                              lrgd_purpose why, const double *curvature,
                              double *d);
lr_code lr_oracle_coordinate_differences(lr_oracle *o, lr_point *at, lrgd_vec g,
                                         lrgd_purpose why, double curvature);

#endif
