/* The state of a least-squares run, and the evaluations that it makes. */
#ifndef LR_LEAST_SQUARES_STATE_H
#define LR_LEAST_SQUARES_STATE_H

#include "least_squares/residual_model.h"
#include "solver/iterate.h"

/* Columns of the block of points. */
enum { LR_LS_BASE, LR_LS_TRIAL, LR_LS_DRAW, LR_LS_POINTS };

/* f after each evaluation at which the loop stood, for the rate of decrease. */
typedef struct lr_ls_track {
  uint64_t *evaluations;
  double *f;
  size_t count, room;
} lr_ls_track;

/* Where the run began, with the columns of J that were measured there: the
 * first renewal of J may go back. */
typedef struct lr_ls_start {
  double *x, *F, *J; /* J NULL: the run has not moved yet */
  double f;
  size_t k; /* columns of J */
} lr_ls_start;

/* When J was last measured anew and when it last grew, in evaluations; f then,
 * and what it cost. */
typedef struct lr_ls_renewals {
  uint64_t last, grown; /* evaluations so far; 0: never */
  double f, price;      /* f at that time, and the evaluations it took */
} lr_ls_renewals;

/* What new columns added to the promised decrease, as shares of f: room for
 * twice the policy's window. */
typedef struct lr_ls_gains {
  double share[6];
  size_t count;
  bool open;     /* the last column's is not known yet ... */
  double before; /* ... and was this without it */
} lr_ls_gains;

/* A least-squares run.  Over 20 members: the files of this folder share one
 * iterate and its scratch; what one decision alone remembers is a part above.
 */
typedef struct lr_least_squares {
  lr_run *run;
  const lr_policy *policy;
  lr_residual_model M;
  lrgd_block *points;
  lr_point at, trial;
  double unit;           /* residuals are multiplied by this power of two */
  double *D;             /* p: lengths of the scaled coordinates */
  double *z;             /* a step: up to p numbers */
  double *w;             /* a direction in V, likewise */
  double *t;             /* the step of a difference, likewise */
  double *u;             /* p: a displacement, scratch */
  double *boxed;         /* p: the step as bounds have bent it */
  bool axes;             /* V is the identity */
  bool by_axes;          /* V grows along the axes: bounds hold many, or ... */
  bool few;              /* ... inputs are few */
  double *r;             /* m: residuals that the model expects there */
  double reach, first_c; /* lengths and curvature to begin with */
  double bend;           /* the curvature that the last step has shown */
  double rounding;       /* of inputs, in scaled coordinates */
  double visible;        /* no shorter difference changed F; 0: any has */
  double least_c;        /* no smaller curvature is believed */
  double known_size;     /* of a column, in known rows */
  lr_ls_track track;
  lr_ls_start start;
  lr_ls_renewals sweeps;
  lr_ls_gains gains;
  uint64_t draws; /* random directions so far */
  uint64_t grown; /* evaluations at the last new direction */
  size_t planned; /* columns up to which points were evaluated beforehand */
  uint64_t landings, listened;
  double ratio;        /* reduction ratio of the last step */
  double length;       /* of the last Gaussian vector, outside V */
  bool saturated;      /* the last column is in the range of the others */
  bool stepped;        /* the step in z is that of the model as it is ... */
  bool confined;       /* ... and is kept out of the null space of J */
  uint64_t renewed;    /* where all of J was measured for want of a decrease */
  double renewed_f;    /* ... and f there */
  uint64_t certified;  /* the point at which a certificate was last asked for */
  uint64_t fresh;      /* where F' was measured along every direction of V */
  uint64_t checked;    /* where a value halfway has told how F bends ... */
  double checked_bend; /* ... which is this */
  double failures, idle; /* steps without a decrease, or without a promise */
} lr_least_squares;

/* ---- its start and end: least_squares_start.c ---- */

/* Takes memory; F at the start, and the scales that follow from it. */
lr_code lr_ls_open(lr_least_squares *s, lr_run *run);
lr_code lr_ls_begin(lr_least_squares *s);
/* The noise that rounding makes is assumed until another was measured. */
void lr_ls_suppose_noise(lr_least_squares *s);
/* Where V is the axes: the lengths of the scaled coordinates become those by
 * which all columns of J have the same norm (More). */
void lr_ls_rescale(lr_least_squares *s);
/* Leaves what is known at the base to the run, for those who ask afterwards;
 * without memory for it there is nothing. */
void lr_ls_leave(lr_least_squares *s);
void lr_ls_close(lr_least_squares *s);

/* ---- evaluations: residual_trial.c ---- */

/* Evaluations of the run so far. */
uint64_t lr_ls_evaluations(const lr_least_squares *s);

/* F at the trial, in the unit of the model: y, m numbers.  LR_NOVALUE: it
 * cannot be evaluated there.  ask: the point is not offered as the best. */
lr_code lr_ls_ask(lr_least_squares *s, lrgd_purpose why, double *y);
lr_code lr_ls_evaluate(lr_least_squares *s, lrgd_purpose why, double *y);

/* Writes the known rows of the column of J along u, p numbers. */
void lr_ls_know(const lr_least_squares *s, const double *u, double *column);

/* Whether there are bounds; and, where there are, p numbers each. */
bool lr_ls_boxed(const lr_least_squares *s);
static inline const double *lr_ls_lower(const lr_least_squares *s)
{
  return lrgd_host_data(s->run->oracle.box.lower);
}
static inline const double *lr_ls_upper(const lr_least_squares *s)
{
  return lrgd_host_data(s->run->oracle.box.upper);
}

/* The trial becomes b + D V z; b + D u, u having p numbers; or the nearest
 * point within the bounds. */
void lr_ls_place(lr_least_squares *s, const double *z);
void lr_ls_place_step(lr_least_squares *s, const double *u);
/* The step from the base to the trial: z in V, u outside.  Returns |u|. */
double lr_ls_split(lr_least_squares *s, double *z, double *u);

/* The trial becomes b + t D u, or the nearest point within the bounds. */
void lr_ls_place_along(lr_least_squares *s, const double *u, double t);

/* The length of a finite difference now. */
double lr_ls_difference_length(const lr_least_squares *s);

/* A new direction, drawn at random outside V and measured by a difference.
 * *grown: it could be evaluated. */
lr_code lr_ls_grow(lr_least_squares *s, bool *grown);
/* The same, where r are the residuals that a step is expected to leave: a
 * direction along which known rows then promise to fall by more than `gain`,
 * what a random one adds, comes first. */
lr_code lr_ls_grow_towards(lr_least_squares *s, const double *r, double gain,
                           bool *grown);
/* The same along an independent Gaussian direction, whatever is known of the
 * correlation of inputs: for certificates. */
lr_code lr_ls_probe(lr_least_squares *s, bool *grown);
/* A fresh random unit direction outside V; *drawn: V is not all of space. */
lr_code lr_ls_draw(lr_least_squares *s, double *u, bool *drawn);
/* The next n columns (of probes: independent) will be measured whatever they
 * are: their points are evaluated side by side, where that can be done. */
lr_code lr_ls_plan_columns(lr_least_squares *s, size_t n, bool independent);
/* The point of the next function's difference is planned; false: no more are.
 */
bool lr_ls_plan_refresh(lr_least_squares *s, const double *w);
/* Measures F' along V w again, w being a unit vector. */
lr_code lr_ls_refresh(lr_least_squares *s, const double *w, bool *done);

/* ---- noise: residual_noise.c ---- */

/* Two more values along the last direction tell the noise of F.  *found: it is
 * larger than assumed; all is forgotten, and measured with longer differences
 * from now on. */
lr_code lr_ls_listen(lr_least_squares *s, bool *found);

/* Residuals have this noise: differences are longer from now on, and what was
 * measured is forgotten. */
void lr_ls_hear(lr_least_squares *s, double noise);

/* Forgets all that was measured but the residuals at the base. */
void lr_ls_forget(lr_least_squares *s);

/* ---- steps: residual_step.c ---- */

/* Where the step z leads out of the bounds, *bent: the displacement in s->boxed
 * takes its place, to where f is expected to be least within them.  *promised
 * is what is expected of it. */
lr_code lr_ls_bend(lr_least_squares *s, double *promised, bool *bent);
/* A step to z, which promises a decrease: F is evaluated there, the model
 * learns of its error, and the base moves where f is lower. */
lr_code lr_ls_land(lr_least_squares *s, double promised, bool bent);

/* ---- bounds: box_step.c ---- */

/* The displacement s, p numbers, of least expected f within the bounds; size:
 * the norm of a column outside V.  *held: coordinates that bounds hold there.
 */
LRGD_MUST_CHECK lrgd_status lr_ls_box_step(lr_least_squares *run, double size,
                                           double *s, size_t *held);

/* ---- the gradient at the base: residual_certificate.c ---- */

/* Its norm in V, bounds or not. */
double lr_ls_gradient_all(lr_least_squares *s);
/* Its norm in V, and the standard deviation of that by the uncertainty of J. */
double lr_ls_gradient_inside(lr_least_squares *s);
double lr_ls_gradient_error(const lr_least_squares *s);
/* The curvature by which the errors of differences are judged. */
double lr_ls_error_curvature(const lr_least_squares *s);
/* Bounds it, by fresh directions outside V, where F' was measured along all of
 * V; ends the run where the bound is at most the tolerance. */
lr_code lr_ls_certify(lr_least_squares *s);

/* ---- the same from what is measured anew: residual_probes.c ---- */

/* A value halfway along a difference tells how much F bends at the base.
 * *noisy: it is noise instead, and all was forgotten. */
lr_code lr_ls_check(lr_least_squares *s, bool *noisy);
/* Whether probes over all of space cost less than measuring J anew. */
bool lr_ls_probes_all(const lr_least_squares *s);
/* What those told, where the bound is above the tolerance. */
typedef enum lr_ls_verdict {
  LR_LS_DOUBT,  /* J may be wrong */
  LR_LS_OUTSIDE /* the gradient is large outside V, or all was forgotten */
} lr_ls_verdict;
/* Bounds the gradient by fresh Gaussian probes over all of space; ends the run
 * where the bound is at most the tolerance. */
lr_code lr_ls_certify_all(lr_least_squares *s, lr_ls_verdict *verdict);

/* ---- renewal of J: sweep.c ---- */

/* Whether f falls so slowly that J is to be measured anew. */
lr_code lr_ls_is_slow(lr_least_squares *s, bool *slow);
lr_code lr_ls_sweep(lr_least_squares *s);
/* All of J is known at the base, which has cost `price` evaluations. */
void lr_ls_note_renewal(lr_least_squares *s, double price);
/* Measures all of J anew at the base. */
lr_code lr_ls_renew(lr_least_squares *s);
/* Whether the last columns are outside the range of those before them.
 * *saturated: the last one is in it beyond doubt. */
bool lr_ls_columns_new(lr_least_squares *s, bool *saturated);

#endif
