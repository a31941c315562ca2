/* The state of a least-squares run, and the evaluations that it makes. */
#ifndef LR_LEAST_SQUARES_STATE_H
#define LR_LEAST_SQUARES_STATE_H

#include "hidden/hidden_bound.h"
#include "least_squares/least_squares_rules.h"
#include "least_squares/residual_model.h"
#include "solver/iterate.h"

/* Columns of the block of points. */
enum { LR_LS_BASE, LR_LS_TRIAL, LR_LS_DRAW, LR_LS_SLOPE, LR_LS_POINTS };

/* f after each evaluation at the base, for the rate of decrease. */
typedef struct lr_ls_track {
  uint64_t *evaluations;
  double *f;
  size_t count, room;
} lr_ls_track;

/* The start of the run and the columns of J that were measured there; the first
 * renewal of J may return to it. */
typedef struct lr_ls_start {
  double *x, *F, *J; /* J NULL: the base has not moved yet */
  double f;
  size_t k; /* columns of J */
} lr_ls_start;

/* The last renewal of J, and the last growth of V. */
typedef struct lr_ls_renewals {
  uint64_t last, grown; /* evaluations at that time; 0: never */
  double f, price;      /* of the renewal: f, and the evaluations it took */
} lr_ls_renewals;

/* The increase of the predicted decrease by each new column, relative to f. */
typedef struct lr_ls_gains {
  double share[LR_LS_GAINS_ROOM];
  size_t count;
  bool open;     /* the decrease by the last column is not known yet */
  double before; /* the predicted decrease without the last column */
} lr_ls_gains;

/* A least-squares run.  Over 20 members: the files of this folder share one
 * iterate and its scratch; the memory of a single decision is one of the
 * structs above. */
typedef struct lr_least_squares {
  lr_run *run;
  const lr_policy *policy;
  lr_residual_model M;
  lrgd_block *points;
  lr_point at, trial;
  double unit; /* residuals are multiplied by this power of two */
  /* p: scales, by which unit steps of the coordinates are multiplied */
  double *D;
  double *z;     /* a step: up to p numbers */
  double *w;     /* a direction in V, up to p numbers */
  double *t;     /* the step of a difference, up to p numbers */
  double *u;     /* p: a displacement, scratch */
  double *boxed; /* p: the step as bounds have bent it */
  bool axes;     /* V is the identity */
  bool by_axes;  /* V grows along the axes: inputs are few, or many at bounds */
  bool few;      /* there are few inputs */
  double *r;     /* m: residuals that the model predicts after the step */
  double reach, first_c; /* initial reach and curvature */
  double first_gradient; /* an estimate of its norm at the start */
  double bend;           /* the curvature measured by the last step */
  double rounding;       /* rounding error of inputs, in scaled coordinates */
  double visible;    /* the shortest difference that changed F; 0: all have */
  double least_c;    /* lower bound of the assumed curvature */
  double known_size; /* typical norm of a column's known rows */
  lr_ls_track track;
  lr_ls_start start;
  lr_ls_renewals sweeps;
  lr_ls_gains gains;
  uint64_t draws;    /* random directions drawn so far */
  lr_ls_kinds kinds; /* norms of columns by kind of direction */
  uint64_t grown;    /* evaluations made when V last grew */
  size_t planned;    /* columns whose points were evaluated ahead */
  uint64_t landings, listened;
  double ratio;    /* reduction ratio of the last step */
  double decrease; /* decrease of f by the last step */
  double length;   /* length outside V of the last Gaussian vector */
  bool saturated;  /* the last column is in the range of the others */
  bool stepped;    /* the step in z is the step of the present model */
  bool confined;   /* that step is restricted to outside the null space of J */
  /* the point at which J was measured again for want of a decrease */
  uint64_t renewed;
  double renewed_f;   /* f at that point */
  uint64_t certified; /* the point at which a certificate was last tried */
  /* the point at which F' was measured along all of V, the curvature then, and
   * the share of noise in the variance of its columns */
  uint64_t fresh;
  double fresh_c, fresh_noise;
  /* the point at which a value halfway measured the curvature of F */
  uint64_t checked;
  double checked_bend; /* the curvature of F measured there */
  bool bent;       /* it was larger than the curvature that steps had shown */
  bool whole;      /* differences need all residuals: for a certificate */
  double *sides;   /* m: F on the first side of a difference; NULL: not kept */
  double *printed; /* m: the units in which residuals are printed */
  double *read;    /* m: the residuals from which `printed` was last updated */
  bool unprinted;  /* that rounding is no longer looked for, as it is known or
                      nil */
  bool noisy;      /* residuals have noise beyond rounding errors */
  uint64_t taken;  /* the point at which the user's J was asked for; 0: none */
  bool untold;     /* it has no value at the start, and is asked for no more */
  lr_hidden_bounds walls; /* hidden bounds, which the user did not give */
  double open_c;          /* the damping c before the last steps that failed */
  /* consecutive steps without a decrease; iterations without a predicted one */
  double failures, idle;
} lr_least_squares;

/* ---- its start and end: least_squares_start.c ---- */

/* Allocates memory, evaluates F at the start, and sets the scales. */
lr_code lr_ls_open(lr_least_squares *s, lr_run *run);
lr_code lr_ls_begin(lr_least_squares *s);
/* Assumes the noise that rounding makes, until noise is measured. */
void lr_ls_suppose_noise(lr_least_squares *s);
/* Where V is the axes: sets the scales so that all columns of J have the same
 * norm (More). */
void lr_ls_rescale(lr_least_squares *s);
/* Stores residuals and Jacobian at the base in the run, for queries after its
 * end; if there is no memory for that, they are not available. */
void lr_ls_leave(lr_least_squares *s);
void lr_ls_close(lr_least_squares *s);

/* ---- evaluations: residual_trial.c ---- */

/* The number of evaluations so far. */
uint64_t lr_ls_evaluations(const lr_least_squares *s);

/* y = F at the trial in the unit of the model, m numbers.  LR_NOVALUE: it has
 * no value there.  ask: the point is not recorded as a candidate for the
 * best. */
lr_code lr_ls_ask(lr_least_squares *s, lrgd_purpose why, double *y);
lr_code lr_ls_evaluate(lr_least_squares *s, lrgd_purpose why, double *y);

/* Whether there are bounds; and these, p numbers each. */
static inline bool lr_ls_boxed(const lr_least_squares *s)
{
  return s->run->oracle.box.lower.block != NULL;
}
static inline const double *lr_ls_lower(const lr_least_squares *s)
{
  return lrgd_host_data(s->run->oracle.box.lower);
}
static inline const double *lr_ls_upper(const lr_least_squares *s)
{
  return lrgd_host_data(s->run->oracle.box.upper);
}

/* Sets the trial to b + D V z, or to b + D u with p numbers in u, projected
 * into the bounds. */
void lr_ls_place(lr_least_squares *s, const double *z);
void lr_ls_place_step(lr_least_squares *s, const double *u);
/* Splits the step from the base to the trial: z in V, u outside.  Returns
 * |u|. */
double lr_ls_split(lr_least_squares *s, double *z, double *u);

/* Sets the trial to b + t D u, projected into the bounds. */
void lr_ls_place_along(lr_least_squares *s, const double *u, double t);

/* The present length of a finite difference. */
double lr_ls_difference_length(const lr_least_squares *s);

/* Adds a new direction to V, drawn at random and measured by a difference.
 * *grown: F has a value at its end. */
lr_code lr_ls_grow(lr_least_squares *s, bool *grown);
/* Adds a direction to V; r: the expected residuals after a step: if known rows
 * predict a decrease along some direction that exceeds `gain`, the expectation
 * for a random one, that direction is taken. */
lr_code lr_ls_grow_towards(lr_least_squares *s, const double *r, double gain,
                           bool *grown);
/* Adds an independent Gaussian direction to V, without the correlation of
 * inputs: for certificates. */
lr_code lr_ls_probe(lr_least_squares *s, bool *grown);
/* Evaluates the points of the next n columns (independent: of probes) side by
 * side, where possible: these points do not depend on the values. */
lr_code lr_ls_plan_columns(lr_least_squares *s, size_t n, bool independent);
/* Plans the point of the next function's difference for evaluation side by
 * side; false: there is no room for more. */
bool lr_ls_plan_refresh(lr_least_squares *s, const double *w);
/* Measures F' again along V w, w being a unit vector. */
lr_code lr_ls_refresh(lr_least_squares *s, const double *w, bool *done);

/* ---- directions: residual_draw.c ---- */

/* u = a random unit direction outside V; *drawn: there is one, as V is not all
 * of space. */
lr_code lr_ls_draw(lr_least_squares *s, double *u, bool *drawn);
/* u = the next direction by which V grows: an axis, or a random one. */
lr_code lr_ls_next_direction(lr_least_squares *s, bool independent, double *u,
                             bool *drawn);
/* Removes from u its part in V, by Gram-Schmidt twice; returns the norm of the
 * rest. */
double lr_ls_leave_V(const lr_residual_model *M, double *u);
/* Chooses one kind for the next n random directions. */
void lr_ls_plan_kind(lr_least_squares *s, size_t n);
/* Adds the norm of the column along the last random direction to the statistics
 * of its kind. */
void lr_ls_note_size(lr_least_squares *s, double size);

/* ---- derivatives that the user gives: residual_jacobian.c and, along
 * directions, residual_slopes.c ---- */

static inline bool lr_ls_has_jacobian(const lr_least_squares *s)
{
  return s->run->oracle.answers.jacobian != NULL && !s->untold;
}
static inline bool lr_ls_has_slopes(const lr_least_squares *s)
{
  return s->run->oracle.answers.residual_slopes != NULL;
}

/* Takes J at the base into the model, unless it is there: V becomes the axes,
 * or the range of J'.  LR_NOVALUE: it has none. */
lr_code lr_ls_take_jacobian(lr_least_squares *s);
/* Ends the run where J'F at the base is within the tolerance. */
lr_code lr_ls_look_at_jacobian(lr_least_squares *s);
/* Compares J with values of F on both sides of the base, along the last step:
 * *wrong is its relative error; 0: the two agree. */
lr_code lr_ls_compare_jacobian(lr_least_squares *s, double *wrong);
/* Writes the known rows of the column of J along u (p numbers). */
void lr_ls_know(const lr_least_squares *s, const double *u, double *column);
/* y = F'Du at the base, m numbers, for p numbers in u. */
lr_code lr_ls_slope(lr_least_squares *s, const double *u, lrgd_purpose why,
                    double *y);
/* Where an evaluation of F gives a slope too: asks for the slope along the step
 * to the trial. */
void lr_ls_want_step(lr_least_squares *s);
/* Updates J by that slope, if there is one; the base has moved along z. */
void lr_ls_learn_wanted(lr_least_squares *s, const double *z);

/* ---- answers in which residuals are missing: residual_missing.c ---- */

/* Keeps y = F at side 0 of a difference; *some becomes true where y, of side 0
 * or 1, has some of the residuals and not all. */
void lr_ls_keep_side(lr_least_squares *s, int side, const double *y,
                     bool *some);
/* y = F at the second side: its missing residuals are extrapolated from the
 * first side, or set to those at the base. */
void lr_ls_put_sides_together(lr_least_squares *s, double *y);
/* Updates the model by the residuals y that are known after the step s->z; e:
 * the predicted ones, overwritten by the errors. */
void lr_ls_learn_partial(lr_least_squares *s, const double *y, double *e);

/* ---- known evaluations: known_residuals.c ---- */

/* x = the lowest known point within the bounds, with its f; false: there is
 * none. */
bool lr_ls_choose_known(lr_least_squares *s, double *x, double *f);
/* Where the known evaluations may be another function's: evaluates the trial,
 * where f is known, and ends the run with an error where f differs. */
lr_code lr_ls_verify_known(lr_least_squares *s, double known);
/* Sets the tolerance, where it is not set, to that of a run from the first
 * known point, by the present J. */
void lr_ls_set_known_tolerance(lr_least_squares *s);
/* Learns J and its curvature from the known points. */
lr_code lr_ls_learn_known(lr_least_squares *s);

/* ---- noise: residual_noise.c ---- */

/* Measures the noise of F by two more values along the last direction.  *found:
 * it is larger than assumed; then all derivatives are discarded, and measured
 * with longer differences. */
lr_code lr_ls_listen(lr_least_squares *s, bool *found);

/* Sets the noise of residuals: differences become longer, and the derivatives
 * measured so far are discarded. */
void lr_ls_hear(lr_least_squares *s, double noise);

/* Sets the noise of residuals and keeps the derivatives measured so far. */
void lr_ls_suppose(lr_least_squares *s, double noise);

/* After the first step, at a point that is no round number by chance: takes the
 * rounding of residuals for noise where all have been printed with few digits.
 * true: measurements were discarded for that. */
bool lr_ls_hear_digits(lr_least_squares *s);

/* Discards all measurements except the residuals at the base. */
void lr_ls_forget(lr_least_squares *s);

/* ---- digits: residual_digits.c ---- */

/* Reads the decimal digits of the residuals r of an evaluation. */
void lr_ls_read_digits(lr_least_squares *s, const double *r);

/* ---- steps: residual_step.c ---- */

/* Where the step z leaves the bounds (*bent), replaces it by the displacement
 * s->boxed that minimises the expected f within them; *promised becomes the
 * decrease predicted for it. */
lr_code lr_ls_bend(lr_least_squares *s, double *promised, bool *bent);
/* Takes the step z with the predicted decrease `promised`: evaluates F there,
 * updates the model by its error, and moves the base where f is lower. */
lr_code lr_ls_land(lr_least_squares *s, double promised, bool bent);

/* ---- bounds that the user did not give: residual_walls.c ---- */

/* Begins to look for them. */
void lr_ls_watch_walls(lr_least_squares *s);
/* After a step to the trial, which has failed or not; c: the curvature that was
 * assumed for it.  Where several have failed, looks for a bound between the
 * base and the trial. */
lr_code lr_ls_meet_walls(lr_least_squares *s, bool failed, double c);
/* At the end of the run: LR_GO where F has values beyond such a bound, and the
 * run goes on without it. */
lr_code lr_ls_check_walls(lr_least_squares *s);

/* ---- bounds: box_step.c ---- */

/* The displacement s, p numbers, that minimises the expected f within the
 * bounds; size: the norm of a column outside V.  *held: the number of
 * coordinates at bounds there. */
LRGD_MUST_CHECK lrgd_status lr_ls_box_step(lr_least_squares *run, double size,
                                           double *s, size_t *held);

/* ---- the gradient at the base: residual_certificate.c ---- */

/* The norm of the gradient in V, regardless of bounds. */
double lr_ls_gradient_all(lr_least_squares *s);
/* The norm of the projected gradient in V; and its standard deviation due to
 * the uncertainty of J. */
double lr_ls_gradient_inside(lr_least_squares *s);
double lr_ls_gradient_error(const lr_least_squares *s);
/* What a certificate of that error probability adds to the norm for it. */
double lr_ls_gradient_margin(const lr_least_squares *s, double share);
/* The curvature that is used to estimate the errors of differences. */
double lr_ls_error_curvature(const lr_least_squares *s);
/* Bounds the gradient by fresh directions outside V, where F' was measured
 * along all of V; ends the run where the bound is at most the tolerance. */
lr_code lr_ls_certify(lr_least_squares *s);

/* ---- certificates from new measurements alone: residual_probes.c ---- */

/* Measures the curvature of F at the base by a value halfway along a
 * difference. *noisy: the value shows noise instead, and all derivatives were
 * discarded. */
lr_code lr_ls_check(lr_least_squares *s, bool *noisy);
/* Whether probes over all of space cost less than measuring all of J. */
bool lr_ls_probes_all(const lr_least_squares *s);
/* What probes over all of space show where the bound exceeds the tolerance. */
typedef enum lr_ls_verdict {
  LR_LS_DOUBT,  /* J may be wrong */
  LR_LS_OUTSIDE /* the gradient outside V is large, or all was discarded */
} lr_ls_verdict;
/* Bounds the gradient by fresh Gaussian probes over all of space; ends the run
 * where the bound is at most the tolerance. */
lr_code lr_ls_certify_all(lr_least_squares *s, lr_ls_verdict *verdict);

/* ---- renewal of J: sweep.c ---- */

/* Whether f decreases so slowly that all of J should be measured again. */
lr_code lr_ls_is_slow(lr_least_squares *s, bool *slow);
lr_code lr_ls_sweep(lr_least_squares *s);
/* Records that all of J has been measured at the base, at `price`
 * evaluations. */
void lr_ls_note_renewal(lr_least_squares *s, double price);
/* Measures all of J again at the base. */
lr_code lr_ls_renew(lr_least_squares *s);
/* Whether the last columns are outside the range of the earlier ones.
 * *saturated: the last one is inside it with certainty. */
bool lr_ls_columns_new(lr_least_squares *s, bool *saturated);

#endif
