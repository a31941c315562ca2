/* The quadratic model of `auto` in a subspace.
 *
 * V (p x k) is orthonormal; the model of z -> f(b + V z) at the base point b
 * has the measured derivatives g and the symmetric Hessian B.  At its minimum,
 * the landing b + V dz, only the value of f is measured.  The base stays until
 * derivatives are measured at the landing: with predicted ones, the next
 * columns of B would be wrong by a factor |dz|/t. */
#ifndef LR_MODEL_H
#define LR_MODEL_H

#include "base/dense.h"
#include "solver/iterate.h"

/* Scratch, numbers along V.  Some calls pass results to the next one in `fresh`
 * or `column`; their comments say so. */
typedef struct lr_model_work {
  double *fresh;  /* the last measured derivatives, most + 1 numbers */
  double *column; /* a column of the Hessian, or scratch */
  double *hint;   /* curvatures along V, as hints for differences */
  double *faces;  /* in a box: scratch of box_qp.c, which divides it */
  lr_dense *dense;
} lr_model_work;

/* Eigenvectors and values of B. */
typedef struct lr_model_eigen {
  double *Q, *lambda;
  bool decomposed; /* the decomposition is that of the present B */
  double largest;  /* |eigenvalue| of the last B that was decomposed */
} lr_model_eigen;

/* The last step. */
typedef struct lr_model_landing {
  bool clipped; /* the last trial was clipped to the box */
  bool trust;   /* f decreased as the model predicted, so that it is trusted */
  double promised; /* the predicted decrease */
  double longest;  /* the longest step that decreased f */
  size_t ahead;    /* lengths of the next line search that were evaluated ... */
  double ahead_length; /* ... in advance, and the first of them */
} lr_model_landing;

/* The last secant update of B. */
typedef struct lr_model_secant {
  double *y; /* the change of the derivatives over the step s */
  double sy; /* s'y of a BFGS update; 0: the last update was another one */
} lr_model_secant;

typedef struct lr_model {
  lr_run *run;
  lr_oracle *oracle;
  lrgd_space *space;
  lr_basis *V; /* &own, or the run's basis */
  lr_basis own;
  size_t most; /* columns V may have; leading dimension of B and Q */
  double *B;   /* the model's Hessian */
  double *g;   /* slopes at the base */
  double *dz;  /* the landing less the base, in V */
  lr_model_work work;
  lr_model_eigen eigen;
  lr_model_secant secant;
  lrgd_block *vectors; /* columns: see below */
  lr_point start, base, here, trial;
  lr_model_landing landing;
  double believed; /* the noise assumed before it was last measured */
  uint64_t draws;  /* random directions drawn so far */
} lr_model;

/* Columns of a model's vectors: the start, three columns that base, here and
 * trial take turns in, and directions.  Those from LR_MODEL_COLUMNS on exist
 * in a box only. */
enum {
  LR_MODEL_START,
  LR_MODEL_POINTS = 1,
  LR_MODEL_PROBE = 4, /* the next random direction */
  LR_MODEL_STEP,      /* V dz */
  LR_MODEL_GRADIENT,
  LR_MODEL_SPARE,  /* scratch inside one function */
  LR_MODEL_LAST_X, /* the point of the last gradient */
  LR_MODEL_LAST_G, /* the last gradient */
  LR_MODEL_COLUMNS,
  LR_MODEL_FULL = LR_MODEL_COLUMNS, /* the gradient, measured or predicted */
  LR_MODEL_WHOLE, /* each derivative as it was last measured */
  LR_MODEL_PULL,  /* the model's gradient at LR_MODEL_BENT */
  LR_MODEL_BENT,  /* the iterate of the model's box QP */
  LR_MODEL_NEXT,  /* the next trial of the subproblem */
  LR_MODEL_SHIFT, /* from the base to the last trial of the box QP */
  LR_MODEL_CHUNK, /* directions without the coordinates at bounds */
  LR_MODEL_CHUNKS = 8,
  LR_MODEL_BOXED_COLUMNS = LR_MODEL_CHUNK + LR_MODEL_CHUNKS
};

lrgd_vec lr_model_vec(const lr_model *m, int column);

/* The longest step allowed while the model is not trusted: a few times the
 * longest one that decreased f; more in a box, which itself limits steps. */
double lr_model_leap(const lr_model *m);

/* Makes a model without directions at `start`, which is copied.  shared: V is
 * the run's basis, else the model has its own.  stream: the index of its first
 * random direction. */
lr_code lr_model_init(lr_model *m, lr_run *run, const lr_point *start,
                      bool shared, size_t most, uint64_t stream);

/* The model begins anew, without directions, at another start. */
void lr_model_start_at(lr_model *m, const lr_point *start);
void lr_model_clear(lr_model *m);

/* Loads the quadratic `fit`, which was made at the model's start, into an empty
 * model. */
lr_code lr_model_load(lr_model *m, const lr_fit *fit);

/* Returns to the start and discards all directions. */
void lr_model_restart(lr_model *m);

/* Discards the oldest `count` directions. */
void lr_model_forget(lr_model *m, size_t count);

/* Draws a random unit direction orthogonal to V into the column LR_MODEL_PROBE.
 * False: V is all of space. */
bool lr_model_draw(lr_model *m);

/* Measures the directional derivative along the unit vector u at the landing;
 * c: the expected curvature along it. */
lr_code lr_model_slope(lr_model *m, lrgd_vec u, double c, lrgd_purpose why,
                       double *d);

/* Measures the derivative along the direction of the last lr_model_draw(). */
lr_code lr_model_probe(lr_model *m, double c, double *d);

/* Evaluates the points of that derivative and of those along V at the landing
 * side by side, where they fit into `most` places; *done: they do. */
lr_code lr_model_foresee_slopes(lr_model *m, double c, size_t most, bool *done);

/* Measures the curvature along u at the landing by second differences, the
 * derivative there being known: usually one evaluation. */
lr_code lr_model_curvature(lr_model *m, lrgd_vec u, double slope, double *c);

/* An upper bound of the trace of the Hessian, with the confidence of the
 * options, by `times` probes of two values each.  For Gaussian w and a positive
 * semidefinite H, w'Hw is a sum of chi^2 variables with weights that add up to
 * tr H; such a sum is most likely to be small where one variable has all the
 * weight. INFINITY where f cannot be evaluated. */
lr_code lr_model_trace(lr_model *m, size_t times, double *most);
/* The factor by which that bound exceeds the trace on average. */
double lr_model_trace_slack(const lr_model *m, size_t times);

/* Newton's step from the base with a line search along it.  *fall: the decrease
 * of f, 0 where none was found. */
lr_code lr_model_land(lr_model *m, double *fall);

/* Moves the base to the landing: measures the derivatives there (or takes
 * `known`) and makes a secant update of B. */
lr_code lr_model_rebase(lr_model *m, const double *known);

/* Moves the base to x, where f is known, and measures the derivatives there; B
 * is not updated. */
lr_code lr_model_move(lr_model *m, lrgd_vec x, double f);

/* Measures the derivatives at the landing again, into g, after the difference
 * settings have changed. */
lr_code lr_model_measure(lr_model *m);

/* Adds the unit direction u, orthogonal to V, to the model: d is the derivative
 * along it at the landing, c the expected curvature.  One value and k
 * derivatives give the exact column of the Hessian.  *rho: the share of u's
 * curvature that V does not explain. */
lr_code lr_model_extend(lr_model *m, lrgd_vec u, double d, double c,
                        double *rho);

/* Adds the direction u to V, with its column of the Hessian (NULL: 0) and its
 * curvature c. */
lr_code lr_model_append(lr_model *m, lrgd_vec u, double d, const double *column,
                        double c);

/* An observer that may replace the step of a model in a box before the line
 * search: the step is *t times LR_MODEL_STEP from the base; *slope: the
 * derivative of f along LR_MODEL_STEP; c: the curvature outside V.  *tried: f
 * was evaluated at its end, which is `here`. */
typedef struct lr_step_guard {
  void *self;
  lr_code (*keep)(void *self, lr_model *m, double c, double *t, double *slope,
                  bool *tried);
} lr_step_guard;

/* The step in a box: to the minimum of the model there, with the curvature c
 * outside V, and a line search.  LR_MODEL_FULL is the gradient at the base.
 * Bounds may turn the step out of V; V takes in that part, so that the model
 * can learn from the step.  guard: NULL, or an observer of the step. */
lr_code lr_model_land_boxed(lr_model *m, double c, const lr_step_guard *guard,
                            double *fall);

/* lr_model_rebase() in a box, where derivatives are measured along the free
 * parts of V: LR_MODEL_FULL becomes the predicted gradient there, corrected by
 * these. */
lr_code lr_model_rebase_boxed(lr_model *m);

/* LR_MODEL_FULL becomes the gradient at the landing that the model predicts.
 * This and the next three: reduced_gradient.c */
void lr_model_foresee(lr_model *m);

/* After lr_model_foresee(): G becomes the gradient at the landing, predicted
 * for coordinates at active bounds (`rest`: measured for these too) and
 * measured for all others.  *norm: its norm without the coordinates at active
 * bounds. */
lr_code lr_model_face_gradient(lr_model *m, lrgd_vec G, bool rest, double c,
                               double *norm);

/* Where derivatives were predicted, not measured: at the bounds of the base, in
 * the active set of the landing. */
typedef struct lr_model_gaps {
  bool base, here;
} lr_model_gaps;

/* lr_model_rebase() with a gradient G that has such gaps. */
lr_code lr_model_rebase_partly(lr_model *m, lrgd_vec G, lr_model_gaps gaps);

/* Copies the measured derivatives of such a gradient G to LR_MODEL_WHOLE. */
void lr_model_keep_measured(lr_model *m, lrgd_vec G);

/* Sets dz to the step from the base to `here`; its part outside V becomes a
 * direction of V, with the curvature c. */
lr_code lr_model_follow(lr_model *m, double c);

/* Whether Newton's step from the base stays in the box. */
lr_code lr_model_fits(lr_model *m, bool *fits);

/* The decrease that the model predicts for Newton's step from the base. */
lr_code lr_model_gain(lr_model *m, double *gain);

/* The decrease that errors of the derivatives alone would predict, without
 * directions of little curvature: a smaller prediction is not significant. */
lr_code lr_model_gain_error(lr_model *m, double *gain);

/* The mean curvature along V; 0 for an empty V. */
double lr_model_mean_curvature(const lr_model *m);
/* The mean curvature along the columns of V from `first` on; 0 where there are
 * none. */
double lr_model_mean_curvature_from(const lr_model *m, size_t first);
/* The mean curvature along a coordinate, if f has none outside V. */
double lr_model_spread(const lr_model *m);

/* Measures the noise of f at the landing; see noise.c. */
lr_code lr_model_check_noise(lr_model *m);
/* Whether that was more than `times` the noise assumed before, and matters
 * beside the decrease so far: then the model's derivatives are mostly noise.
 * (Too large an assumption only makes difference steps too long.) */
bool lr_model_misled(const lr_policy *P, const lr_model *m, double times);

/* Shared by the files of the model: ------------------------------------ */

/* work.fresh = slopes along V, measured at the landing. */
lr_code lr_model_ask_slopes(lr_model *m);

/* The secant update of B by y, the change of the derivatives over dz, unless
 * their errors explain it.  scratch: k numbers. */
void lr_model_learn(lr_model *m, const double *y, double *scratch);

/* B = Q diag(lambda) Q', with |lambda| and a floor in place of lambda. */
lr_code lr_model_decompose(lr_model *m);

/* a'|B|^-1 a, and out = -|B|^-1 a unless out is NULL. */
lr_code lr_model_solve(lr_model *m, const double *a, double *out, double *form);

/* The column, of three, that holds neither base nor here. */
lrgd_vec lr_model_free_column(const lr_model *m);

/* y = x + t u, clipped to the box. */
void lr_model_put_at(lr_model *m, lrgd_vec y, lrgd_vec x, lrgd_vec u, double t);

/* Evaluates multiples of t along u from the base side by side, where the width
 * allows it, for a line search that begins with t. */
lr_code lr_model_foresee_lengths(lr_model *m, lrgd_vec u, double t);

/* After a trial at t that was the first of these: tries shorter ones of them
 * until the value of `trial` is at most `highest`. */
lr_code lr_model_shorten(lr_model *m, lrgd_vec u, double sign, double highest,
                         double *t);

/* Evaluates f at from + t u, clipped to the box, as `trial`; its value is
 * infinite where f has none. */
lr_code lr_model_try(lr_model *m, const lr_point *from, lrgd_vec u, double t,
                     lrgd_purpose why);

/* LR_MODEL_BENT = the approximate minimum of the model in the box, with the
 * curvature c outside V; *promised: the predicted decrease. */
lr_code lr_model_minimise_boxed(lr_model *m, double c, double *promised);

/* A line search from the base along sign u by parabolas: one evaluation where
 * the first length *t is near the minimum, else usually two.  The lowest point
 * becomes `here` and *t its length; 0 where none was lower than the base.
 * tried: the first trial has been evaluated and is `here`. */
lr_code lr_model_search(lr_model *m, lrgd_vec u, double sign, double slope,
                        bool tried, double *t);

/* `here` becomes the iterate of the run: calls the callback, records the best.
 */
lr_code lr_model_arrived(lr_model *m);

#endif
