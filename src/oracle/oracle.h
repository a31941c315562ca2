/* The oracle: the only part that calls the user.  It counts, keeps the budget
 * to the evaluation, stays in the box, fills in what the user did not give,
 * and lets only finite numbers through. */
#ifndef LR_ORACLE_H
#define LR_ORACLE_H

#include "base/status.h"
#include "oracle/answers.h"

#include <fenv.h>
#include <stdatomic.h>
#include <stdbool.h>

/* A point the method stands on or tries.  f is NaN until it is known; id is
 * unique to the numbers in x, so that what was paid for at a point is found
 * again. */
typedef struct lr_point {
  lrgd_vec x;
  uint64_t id;
  double f;
} lr_point;

/* How f is differenced, and what is believed of it for that.  Phases that take
 * turns have one each. */
typedef struct lr_difference_settings {
  double noise;   /* standard deviation, known or estimated */
  double stretch; /* steps are this much longer, as shorter ones saw nothing */
  bool two_sided; /* differences on both sides: twice the price */
  bool doubted;   /* exactly flat values have been looked into */
  /* Where only slopes are given, a value costs one: it is asked for along the
   * direction that will be wanted next, and kept.  block NULL: any will do. */
  lrgd_vec wanted;
} lr_difference_settings;

/* Digits: fewer in every value are no accident. */
enum { LR_MANY = 10 };

/* Programs have a large number of their own for what they cannot evaluate.
 * Known, it is no value of f, nor is what is above it. */
typedef struct lr_sentinel {
  double first;     /* of all answers to trials ... */
  uint64_t same;    /* ... and how many of all answers are no other */
  double top, next; /* the highest, and the highest below it ... */
  double norm;      /* ... of the point where it was the answer ... */
  int times;        /* ... for so many times */
  double number;    /* which that is; NaN: none is known */
  uint64_t count;   /* of such answers */
} lr_sentinel;

/* How wrong slopes that were measured by differences may be: sums over them. */
typedef struct lr_errors {
  uint64_t id;           /* the point, where they are a whole gradient */
  double noise2, noise4; /* of powers of what noise and rounding do to them */
  double bend2;          /* of squares of what curvature may do to them */
  bool two_sided;
} lr_errors;

/* How well slopes are known. */
typedef struct lr_oracle_accuracy {
  lr_errors errors;   /* of the slopes last measured by differences */
  double slope_noise; /* of slopes that are given, an upper bound; 0: none was
                         seen; NaN: not looked at */
  const double *tol;  /* what a gradient is to be told from; 0: not known yet */
  double widen;       /* two-sided steps are so many times as long */
} lr_oracle_accuracy;

/* What all answers so far have shown of f. */
typedef struct lr_oracle_seen {
  double unit;      /* f is worked on as f times this: units.c ... */
  bool in_unit;     /* ... which a value has decided on */
  double f_scale;   /* size of f at the start: the unit of curvature guesses */
  double x_scale;   /* and of x, where the first answer came from */
  int digits;       /* that all values so far are written with, up to LR_MANY */
  double low, high; /* these values are from .. to */
  uint64_t cliffs;  /* times that walls or cliffs of f were met */
} lr_oracle_seen;

/* What is known of single points, by their names. */
typedef struct lr_oracle_kept {
  uint64_t next_id;      /* the next name */
  uint64_t scale_id;     /* the point whose scale is ... */
  double scale;          /* ... this */
  uint64_t gradient_id;  /* the point whose gradient column 1 of dir holds */
  const double *partial; /* derivatives along the inputs, known without asking,
                            NaN where they are not; borrowed, or NULL ... */
  uint64_t partial_id;   /* ... at this point */
  double wanted_slope;   /* along the direction wanted ... */
  uint64_t wanted_id;    /* ... at this point */
} lr_oracle_kept;

/* Vectors and numbers for a batch of questions. */
typedef struct lr_oracle_room {
  lrgd_block *points; /* room for a batch of difference points */
  size_t batch;       /* columns in it */
  double *values;     /* their values, batch + 1 numbers */
  double *steps;      /* their difference steps */
  double *slopes;     /* and the slopes made of them */
  lrgd_block *dir;    /* one direction to adjust at a bound, one gradient, one
                         folded point, one moved into the box */
} lr_oracle_room;

/* The run behind an oracle, as far as the oracle knows it; NULL: it does not
 * ask, or nobody is told. */
typedef struct lr_oracle_listener {
  void *self; /* of all five */
  /* Takes out of a direction what the run may not move along. */
  void (*confine)(void *self, lrgd_vec u);
  /* Whether f was paid for at the point before this run, and what it is. */
  bool (*recall)(void *self, lrgd_vec x, double *f);
  /* Told of every finite value, and where. */
  void (*hear)(void *self, lrgd_vec x, double f);
  /* Told that the unit is another one; NULL: it stays 1. */
  void (*rescaled)(void *self);
  /* Told of a number that is no value from now on. */
  void (*refused)(void *self, double number);
} lr_oracle_listener;

/* How a run ended. */
typedef struct lr_ending {
  lrgd_outcome outcome; /* set where LR_END is returned ... */
  lrgd_stall stall;     /* ... why, where that is LRGD_OUTCOME_STALLED ... */
  lrgd_decision why;    /* ... and that with its numbers */
  lrgd_decision held;   /* a hidden constraint that is active there, or NONE */
  lrgd_error error;     /* set where LR_FAULT is returned */
} lr_ending;

/* What surrounds a run: who may stop it, when it began, and the floating-point
 * environment that is restored after every callback. */
typedef struct lr_session {
  atomic_int *stop;
  double start_time;
  fenv_t fenv;
} lr_session;

/* Its fields are set by this room only; others read them, and have verbs. */
typedef struct lr_oracle {
  lrgd_space *space;
  lr_answers answers;
  const lrgd_options *options; /* borrowed */
  lrgd_allocator allocator;
  lrgd_box given; /* the user's bounds: no point outside is ever asked */
  lrgd_box box; /* points stay in it: the user's, or a narrower one where hidden
                   constraints are followed; lower.block NULL: none */
  lrgd_box fold; /* points are folded into it on their way to the user */
  bool plane;    /* points lie on a plane as well: directions are given so that
                    the box leaves room for them, and never bent */
  lr_session session;
  lrgd_counts counts;
  uint64_t recalled; /* values that were known and not asked for */
  lr_difference_settings differences;
  lr_oracle_seen seen;
  lr_sentinel refusals;
  bool forgiving;  /* a slope that cannot be had counts as zero, if others can;
                      and refusals are looked for */
  bool incomplete; /* a slope was forgiven in the gradient last measured */
  lr_oracle_accuracy accuracy;
  lr_oracle_kept kept;
  lr_oracle_room room;
  lr_oracle_listener listener;
  lr_ending ending;
} lr_oracle;

/* Scratch is allocated here, none later. */
LRGD_MUST_CHECK lrgd_status lr_oracle_init(lr_oracle *o, lrgd_space *space,
                                           const lr_answers *answers,
                                           const lrgd_options *options,
                                           const lrgd_allocator *a);
void lr_oracle_clear(lr_oracle *o);

/* The user's bounds (lower.block NULL: none), and the box to work in. */
void lr_oracle_set_bounds(lr_oracle *o, lrgd_box bounds);

/* Forgets what the last run counted. */
void lr_oracle_restart(lr_oracle *o, atomic_int *stop);

/* For phases that take turns, each with beliefs of its own: what is in use now,
 * its noise in the unit of the user.  units.c */
lr_difference_settings lr_oracle_difference_settings(const lr_oracle *o);
void lr_oracle_set_differences(lr_oracle *o, const lr_difference_settings *b);

/* Who is told of answers and asked for what is known. */
void lr_oracle_listen(lr_oracle *o, const lr_oracle_listener *listener);
/* From here on values that were paid for before are taken from there, or
 * (NULL) asked for again. */
void lr_oracle_recall_by(lr_oracle *o,
                         bool (*recall)(void *self, lrgd_vec x, double *f));

/* Points stay in a box (lower.block NULL: none), or are folded into it. */
void lr_oracle_use_box(lr_oracle *o, lrgd_box box);
void lr_oracle_use_fold(lr_oracle *o, lrgd_box box);

/* Whether points lie on a plane as well: see lr_oracle.plane. */
void lr_oracle_use_plane(lr_oracle *o, bool plane);
/* What a gradient is to be told from, 0 until it is known; borrowed.  NULL:
 * nothing is asked of differences. */
void lr_oracle_resolve(lr_oracle *o, const double *tol);
/* Values that are exactly flat are not looked into. */
void lr_oracle_believe_flat(lr_oracle *o);

/* Differences are two-sided from here on. */
void lr_oracle_use_two_sided(lr_oracle *o);
/* The noise of f is this, as far as the caller knows. */
void lr_oracle_set_noise(lr_oracle *o, double noise);
/* Curvatures are guessed from this size of f. */
void lr_oracle_set_scale(lr_oracle *o, double f_scale);
/* A slope that cannot be had counts as zero from here on, if others can; and
 * refusals are looked for. */
void lr_oracle_forgive(lr_oracle *o);
/* What is forgiven from here on belongs to another gradient. */
void lr_oracle_begin_gradient(lr_oracle *o);
/* One of its slopes cannot be had. */
void lr_oracle_miss_slope(lr_oracle *o);
/* Two-sided steps are so many times as long from here on. */
void lr_oracle_widen(lr_oracle *o, double times);
/* Slopes that were measured before, with these errors, are in use again. */
void lr_oracle_set_errors(lr_oracle *o, const lr_errors *errors);
/* The slopes last measured by differences are all of the gradient there. */
void lr_oracle_is_whole_gradient(lr_oracle *o, const lr_point *at);
/* A value that costs a slope is to be asked for along u, a unit vector, or
 * along any direction. */
void lr_oracle_want(lr_oracle *o, lrgd_vec u);
void lr_oracle_want_any(lr_oracle *o);
/* Derivatives along the inputs at a point, NaN where they are not known;
 * borrowed until NULL is told. */
void lr_oracle_know_partial(lr_oracle *o, const lr_point *at,
                            const double *partial);
/* A wall or cliff of f was met. */
void lr_oracle_meet_cliff(lr_oracle *o);
/* Whether all values so far are one number. */
static inline bool lr_oracle_saw_one_value(const lr_oracle *o)
{
  return o->seen.low == o->seen.high;
}

/* The point as the user sees it: itself, or its folded image, which is good
 * until the next question. */
lrgd_vec lr_oracle_shown(lr_oracle *o, lrgd_vec x);
/* y = x as the user sees it: folded into the box, or as it is. */
void lr_oracle_show(lr_oracle *o, lrgd_vec y, lrgd_vec x);

/* Whether points are to stay in a box. */
static inline bool lr_oracle_boxed(const lr_oracle *o)
{
  return o->box.lower.block != NULL;
}

/* The clock by which phases take turns: evaluations asked for so far, and those
 * that were recalled in their place, so that a phase whose values are known
 * goes the way that it went when they were paid for. */
static inline uint64_t lr_oracle_spent(const lr_oracle *o)
{
  return lrgd_counts_evaluations(&o->counts) + o->recalled;
}

/* Answers so far that were no value of f. */
static inline uint64_t lr_oracle_missed(const lr_oracle *o)
{
  return o->counts.failures + o->refusals.count;
}

/* x moves into the user's bounds where it is outside, and not by a bit where it
 * is not.  limits.c */
void lr_oracle_contain(lr_oracle *o, lrgd_vec x);

/* The last thing before a point is asked: it is contained.  False: x is not
 * finite, and must not be asked.  limits.c */
bool lr_oracle_admit(lr_oracle *o, lrgd_vec x);

/* The first value, as the user gave it, says in what unit f is worked on; what
 * the user gave in that unit; and the other way.  units.c */
void lr_oracle_choose_unit(lr_oracle *o, double f);
double lr_oracle_own(const lr_oracle *o, double f);
double lr_oracle_users(const lr_oracle *o, double f);

/* Whether f, at x, has fallen so far, and x with it, that there is no end to
 * it.  A value is none for being large: it is compared with the first, and x
 * with where that was; and where bounds hold all that is far away, there is an
 * end. */
bool lr_oracle_falls_for_ever(lr_oracle *o, lrgd_vec x, double f);

/* Numbers were just written to a point: it gets a new name, and f there is not
 * known, or is f. */
void lr_oracle_rename(lr_oracle *o, lr_point *at);
void lr_oracle_know(lr_oracle *o, lr_point *at, double f);

/* f at the point; nothing is asked where at->f is known. */
lr_code lr_oracle_value(lr_oracle *o, lr_point *at, lrgd_purpose why);

/* f at the point is known without asking, and was `first` at the first
 * evaluation that was ever made. */
void lr_oracle_tell(lr_oracle *o, lr_point *at, double f, double first);

/* d[j] = slope at the point along column j of U, for unit columns; at->f
 * becomes known.  d has room for k + 1 numbers. */
lr_code lr_oracle_slopes(lr_oracle *o, lr_point *at, lrgd_vec U, size_t k,
                         lrgd_purpose why, double *d);

/* The same where something is known of the curvature along the columns, which
 * makes differences better: c[j] > 0 is that curvature, c[j] < 0 a guess of
 * its negative, 0 nothing. */
lr_code lr_oracle_slopes_hinted(lr_oracle *o, lr_point *at, lrgd_vec U,
                                size_t k, lrgd_purpose why, const double *c,
                                double *d);

/* g = the whole gradient at the point; at->f becomes known.  c: as above, one
 * for all coordinates. */
lr_code lr_oracle_gradient(lr_oracle *o, lr_point *at, lrgd_vec g,
                           lrgd_purpose why, double c);

/* The same by differences, in two parts: without the slopes by which, according
 * to `known`, bounds hold their coordinates, these being taken from there; and
 * then (held) these too, g being what the first part made of it. */
lr_code lr_oracle_part_gradient(lr_oracle *o, lr_point *at, lrgd_vec g,
                                lrgd_vec known, bool held, lrgd_purpose why,
                                double c);

/* f[i] = value at the point + h[i] e_i, moved into the box, for every i with
 * h[i] != 0; NaN where there is none. */
lr_code lr_oracle_around(lr_oracle *o, const lr_point *at, const double *h,
                         lrgd_purpose why, double *f);

/* Sets o->differences.noise: as the option says, or estimated around the point.
 */
lr_code lr_oracle_find_noise(lr_oracle *o, lr_point *at);

/* A trial of a method, at a point that is far from others as a rule, was
 * answered with f: whether that is a refusal.  sentinel.c */
bool lr_oracle_refuses(lr_oracle *o, lrgd_vec x, double f);

/* Whether that is what the first answer was, `lowest` being the least of all:
 * it came again, and others are lower by ten times as much as they are large
 * and apart. */
bool lr_oracle_began_refused(const lr_oracle *o, double lowest);

/* So it was, whatever f was there: the start is at x instead, where it is f. */
void lr_oracle_begin_at(lr_oracle *o, lr_point *start, lrgd_vec x, double f);

/* A value has come: with how many digits is it written?  digits.c */
void lr_oracle_read_digits(lr_oracle *o, double f);
/* One in the last digit of f, where all values have few and are not the same;
 * 0 elsewhere. */
double lr_oracle_last_place(const lr_oracle *o, double f);

/* Measures the noise around the point along the random direction `stream`;
 * o->differences.noise learns from what was seen, or falls to an upper bound.
 */
lr_code lr_oracle_measure_noise(lr_oracle *o, lr_point *at, uint64_t stream);

/* The length of a difference of values near f, the unit being so large and the
 * curvature c as in lr_oracle_slopes_hinted.  This and the errors: error.c */
double lr_oracle_step(const lr_oracle *o, double unit, double f, double c);

/* The same from values that are known, LR_LINE of them at equal spacing on a
 * line; false where these are curved too much to tell. */
enum { LR_LINE = 7 };
bool lr_oracle_read_noise(lr_oracle *o, const double f[LR_LINE]);

/* How far a slope may be off, one standard deviation or bound, by rounding,
 * noise and the curvature c (0: unknown) that a one-sided difference picks
 * up. */
double lr_oracle_slope_error(lr_oracle *o, lr_point *at, double c);
/* How far the norm of n such slopes there may be off, with this confidence. The
 * last whole gradient's errors, where it is that of the point, are as unequal
 * as its steps were: their squares are summed as a chi^2 variable with as many
 * degrees of freedom as their spread suggests (Satterthwaite, 1946).  What
 * curvature does to one-sided differences is in c only. */
double lr_oracle_gradient_error(lr_oracle *o, lr_point *at, double c, size_t n,
                                double confidence);
/* Slopes and gradients that are given may be noisy too.  Looks at it once a
 * run, where they are about to be believed: o->accuracy.slope_noise, an upper
 * bound with this confidence.  f may turn out to be noisy as well.
 * slope_noise.c */
lr_code lr_oracle_hear_slopes(lr_oracle *o, lr_point *at, double confidence);
/* How far the norm of the last whole gradient there may be off by truncation:
 * what the curvature that its differences have met does to them at most. */
double lr_oracle_truncation(const lr_oracle *o, const lr_point *at);

/* The slopes last measured become others, this many times as large. */
void lr_oracle_scale_errors(lr_oracle *o, double times);
/* How far a difference reaches there, the curvature being some c (0: not
 * known). */
double lr_oracle_reach(lr_oracle *o, lr_point *at, double c);

/* Whether differences along dense directions, the curvature being some c, miss
 * something at the point: they leave out the coordinates that are against
 * their bounds. */
bool lr_oracle_blind(lr_oracle *o, lr_point *at, double c);

/* The level below which differences of values near f mean nothing. */
double lr_oracle_level(const lr_oracle *o, double f);
/* The typical size of a coordinate of the point. */
double lr_oracle_scale(lr_oracle *o, const lr_point *at);

/* The slope along o->differences.wanted at the point, if a value brought it;
 * counted as a slope now that it is used. */
bool lr_oracle_had_slope(lr_oracle *o, const lr_point *at, lrgd_purpose why,
                         double *d);

/* Ends the run: sets outcome and reason, returns LR_END. */
lr_code lr_oracle_end(lr_oracle *o, lrgd_outcome outcome, lrgd_decision why);
/* Ends it as stalled, for this reason. */
lr_code lr_oracle_stall(lr_oracle *o, lrgd_stall reason, lrgd_decision why);
/* A hidden constraint is active where it has ended. */
void lr_oracle_hold(lr_oracle *o, lrgd_decision held);
/* Breaks it: sets the error, returns LR_FAULT. */
lr_code lr_oracle_fault(lr_oracle *o, lrgd_status status, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));

/* Seconds since the run began. */
double lr_oracle_seconds(const lr_oracle *o);

/* Shared by the files of this room: ----------------------------------- */

/* Where many processes share the run, one that sees a reason to end it ends it
 * for all. */
bool lr_oracle_agree(const lr_oracle *o, bool mine);
/* The end of a run that was asked to stop. */
lr_code lr_oracle_end_stopped(lr_oracle *o);
/* LR_GO where n more evaluations may be asked now. */
lr_code lr_oracle_afford(lr_oracle *o, uint64_t n);
/* f[i] = value at column i of X, m of them, failed ones asked again; NaN
 * where a point cannot be evaluated.  X is scratch: it may be folded. */
lr_code lr_oracle_ask_values(lr_oracle *o, lrgd_vec X, size_t m,
                             lrgd_purpose why, double *f);
/* The gradient, or k slopes, as the user gives them: ask.c. */
lr_code lr_oracle_ask_gradient(lr_oracle *o, lr_point *at, lrgd_purpose why);
lr_code lr_oracle_ask_slopes(lr_oracle *o, lr_point *at, lrgd_vec U, size_t k,
                             lrgd_purpose why, double *d);
/* Slopes by differences of values: difference.c. */
lr_code lr_oracle_differences(lr_oracle *o, lr_point *at, lrgd_vec U, size_t k,
                              lrgd_purpose why, const double *curvature,
                              double *d);
lr_code lr_oracle_coordinate_differences(lr_oracle *o, lr_point *at, lrgd_vec g,
                                         lrgd_purpose why, double curvature);

#endif
