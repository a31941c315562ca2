/* The quadratic model that `auto` works with.
 *
 * V (p x k) is orthonormal; z -> f(b + V z) is modelled at the base point b by
 * its measured slopes g and a symmetric B.  The model's minimum is a side trip
 * to x = b + V dz, where only the value is known: moving b there with the
 * *predicted* slopes would spoil the next columns of B by a factor |dz|/t. */
#ifndef LR_MODEL_H
#define LR_MODEL_H

#include "base/dense.h"
#include "solver/iterate.h"

/* Numbers along V that a call may use as it likes, `fresh` and `column` being
 * what some of them hand to the next: see there. */
typedef struct lr_model_work {
  double *fresh;  /* slopes just measured, most + 1 numbers */
  double *column; /* a column of the Hessian, or scratch */
  double *hint;   /* curvatures along V, for differences */
  double *faces;  /* in a box: two matrices and four rows; see box_qp.c */
  lr_dense *dense;
} lr_model_work;

/* Eigenvectors and values of B. */
typedef struct lr_model_eigen {
  double *Q, *lambda;
  bool decomposed; /* B did not change since */
  double largest;  /* |eigenvalue| when it was last decomposed */
} lr_model_eigen;

/* How the last step went. */
typedef struct lr_model_landing {
  bool clipped;    /* a bound moved the last trial */
  bool trust;      /* the landing was where the model said, and as low */
  double promised; /* the decrease the model saw before it */
  double longest;  /* step that has proved itself */
} lr_model_landing;

/* The last secant update of B. */
typedef struct lr_model_secant {
  double *y; /* the change of the slopes over the step s */
  double sy; /* s'y, where that was a BFGS update; 0: there was none */
} lr_model_secant;

typedef struct lr_model {
  lr_run *run;
  lr_oracle *oracle;
  lrgd_space *space;
  lr_basis *V; /* own, or the run's */
  lr_basis own;
  size_t most; /* columns V may have; leading dimension of B and Q */
  double *B;   /* the model's Hessian */
  double *g;   /* slopes at the base */
  double *dz;  /* the landing point in V, seen from the base */
  lr_model_work work;
  lr_model_eigen eigen;
  lr_model_secant secant;
  lrgd_block *vectors; /* columns: see below */
  lr_point start, base, here, trial;
  lr_model_landing landing;
  double believed; /* the noise before it was last measured */
  uint64_t draws;  /* random directions drawn so far */
} lr_model;

/* Columns of a model's vectors: the start, three that exchange the names base,
 * here and trial, and directions; those after LR_MODEL_COLUMNS in a box only.
 */
enum {
  LR_MODEL_START,
  LR_MODEL_POINTS = 1,
  LR_MODEL_PROBE = 4, /* the next random direction */
  LR_MODEL_STEP,      /* V dz */
  LR_MODEL_GRADIENT,
  LR_MODEL_SPARE,  /* scratch of one function: nothing is handed on in it */
  LR_MODEL_LAST_X, /* of the last gradient ... */
  LR_MODEL_LAST_G, /* ... and that */
  LR_MODEL_COLUMNS,
  LR_MODEL_FULL = LR_MODEL_COLUMNS, /* the gradient at the base, or foreseen */
  LR_MODEL_WHOLE,                   /* its slopes as they were last measured */
  LR_MODEL_PULL,                    /* the model's gradient elsewhere */
  LR_MODEL_BENT,                    /* where that is, and the next such place */
  LR_MODEL_NEXT,
  LR_MODEL_SHIFT, /* from the base to where the model was last evaluated */
  LR_MODEL_CHUNK, /* directions without the coordinates at their bounds */
  LR_MODEL_CHUNKS = 8,
  LR_MODEL_BOXED_COLUMNS = LR_MODEL_CHUNK + LR_MODEL_CHUNKS
};

lrgd_vec lr_model_vec(const lr_model *m, int column);

/* The longest that an untrusted step may be: a few times any that has proved
 * itself, and more in a box, where nothing is far away. */
double lr_model_leap(const lr_model *m);

/* Stands at `start`, which is copied.  shared: V is the run's basis, else one
 * of its own.  stream: where its random directions begin. */
lr_code lr_model_init(lr_model *m, lr_run *run, const lr_point *start,
                      bool shared, size_t most, uint64_t stream);
void lr_model_clear(lr_model *m);

/* A model that has just begun takes over a fit made at its start. */
lr_code lr_model_load(lr_model *m, const lr_fit *fit);

/* Back to the start, nothing known but the value there. */
void lr_model_restart(lr_model *m);

/* Forgets the oldest `count` directions, or all. */
void lr_model_forget(lr_model *m, size_t count);

/* A random unit direction orthogonal to V, in the column LR_MODEL_PROBE.
 * False: there is none left. */
bool lr_model_draw(lr_model *m);

/* The slope along the unit vector u where the model has landed, the curvature
 * there being some c. */
lr_code lr_model_slope(lr_model *m, lrgd_vec u, double c, lrgd_purpose why,
                       double *d);

/* The same along the direction drawn last. */
lr_code lr_model_probe(lr_model *m, double c, double *d);

/* The curvature along u where the model has landed, from a slope already
 * known: usually one value. */
lr_code lr_model_curvature(lr_model *m, lrgd_vec u, double slope, double *c);

/* The sum of the curvatures along all coordinates, at most, with the confidence
 * of the options; `times` probes of two values each.  For Gaussian w and a
 * Hessian H without negative curvature w'Hw is a weighted sum of chi^2
 * variables that add up to tr H, and is small most often where all is in one of
 * them.  INFINITY where it cannot be had. */
lr_code lr_model_trace(lr_model *m, size_t times, double *most);
/* By what factor that is more than what the model knows of it, as a rule. */
double lr_model_trace_slack(const lr_model *m, size_t times);

/* Newton's step from the base and a search along it.  *fall is the decrease
 * from the base, 0 where none was found. */
lr_code lr_model_land(lr_model *m, double *fall);

/* Makes the landing point the base: slopes there (measured, or `known`), and a
 * secant update of B. */
lr_code lr_model_rebase(lr_model *m, const double *known);

/* The model goes to another point, with the value f: slopes are measured there,
 * nothing is learned. */
lr_code lr_model_move(lr_model *m, lrgd_vec x, double f);

/* Measures the slopes where the model has landed again, into g: for when the
 * way of differencing changed. */
lr_code lr_model_measure(lr_model *m);

/* Takes the unit direction u, orthogonal to V, into the model: d is the slope
 * along it where the model has landed, c its guessed curvature.  One value and
 * k slopes give the exact column of the Hessian.  *rho is the share of u's
 * curvature that V did not explain. */
lr_code lr_model_extend(lr_model *m, lrgd_vec u, double d, double c,
                        double *rho);

/* Takes u in without measuring its column. */
lr_code lr_model_append(lr_model *m, lrgd_vec u, double d, const double *column,
                        double c);

/* Somebody who may replace a step of a model in a box by another before it is
 * searched along: *t of LR_MODEL_STEP from its base, *slope being what f has
 * along all of it; c: curvature outside V.  *tried: `here` is at its end. */
typedef struct lr_step_guard {
  void *self;
  lr_code (*keep)(void *self, lr_model *m, double c, double *t, double *slope,
                  bool *tried);
} lr_step_guard;

/* The same in a box: to the minimum of the model there, its curvature outside V
 * being c.  LR_MODEL_FULL is the gradient at the base.  What bounds bend the
 * step out of V is taken into V, so that it can be learned from.  guard: NULL,
 * or who looks at the step first. */
lr_code lr_model_land_boxed(lr_model *m, double c, const lr_step_guard *guard,
                            double *fall);

/* lr_model_rebase in a box, from slopes along what the bounds leave of V:
 * LR_MODEL_FULL becomes the gradient there as far as these, and the model for
 * the rest, tell. */
lr_code lr_model_rebase_boxed(lr_model *m);

/* LR_MODEL_FULL becomes the gradient where the model has landed, as the model
 * has it.  This and the next three: face.c */
void lr_model_foresee(lr_model *m);

/* After that: G = the gradient there, but for slopes by which bounds hold, as
 * foreseen: these are left so, or (rest) measured after all.  norm: without
 * what bounds hold. */
lr_code lr_model_face_gradient(lr_model *m, lrgd_vec G, bool rest, double c,
                               double *norm);

/* Where slopes are the model's own: at the bounds of the base, and those by
 * which bounds hold where it has landed. */
typedef struct lr_model_gaps {
  bool base, here;
} lr_model_gaps;

/* lr_model_rebase to the gradient G, after it was foreseen. */
lr_code lr_model_rebase_partly(lr_model *m, lrgd_vec G, lr_model_gaps gaps);

/* LR_MODEL_WHOLE takes what was measured of such a gradient G. */
void lr_model_keep_measured(lr_model *m, lrgd_vec G);

/* The displacement from the base to where the model has landed, as it is; V
 * takes in what of it is outside, with the curvature c. */
lr_code lr_model_follow(lr_model *m, double c);

/* Whether Newton's step from the base ends inside of the bounds. */
lr_code lr_model_fits(lr_model *m, bool *fits);

/* The decrease that the model promises inside V from the base. */
lr_code lr_model_gain(lr_model *m, double *gain);

/* The decrease that the errors of slopes alone would promise there, weak
 * directions apart: one that is smaller means nothing. */
lr_code lr_model_gain_error(lr_model *m, double *gain);

/* Mean curvature along V; 0 where nothing is known. */
double lr_model_mean_curvature(const lr_model *m);
/* The same along a coordinate, if there is none outside V. */
double lr_model_spread(const lr_model *m);

/* Measures the noise of f where the model stands; see noise.c. */
lr_code lr_model_check_noise(lr_model *m);
/* It was then more than `times` what was believed: differences were taken for
 * exact, or nearly so, to a degree that matters for what there is to gain.
 * (Those taken for noisier than they are were only longer than need be.) */
bool lr_model_misled(const lr_model *m, double times);

/* Shared by the files of the model: ------------------------------------ */

/* fresh = slopes along V where the model has landed. */
lr_code lr_model_ask_slopes(lr_model *m);

/* B learns from y, the change of the slopes over dz, unless errors of slopes
 * explain it.  scratch: k numbers. */
void lr_model_learn(lr_model *m, const double *y, double *scratch);

/* B = Q diag(lambda) Q', with lambda made positive. */
lr_code lr_model_decompose(lr_model *m);

/* a'|B|^-1 a, and out = -|B|^-1 a unless out is NULL. */
lr_code lr_model_solve(lr_model *m, const double *a, double *out, double *form);

/* The value at from + t u, moved into the box, as `trial`; infinite where there
 * is none. */
lr_code lr_model_try(lr_model *m, const lr_point *from, lrgd_vec u, double t,
                     lrgd_purpose why);

/* LR_MODEL_BENT = the model's minimum in the box, or near it, its curvature
 * outside V being c; *promised: how far the model falls. */
lr_code lr_model_minimise_boxed(lr_model *m, double c, double *promised);

/* A search from the base along sign u, by parabolas: one value where the first
 * length is near the minimum, else usually two.  The best point found becomes
 * `here`; *t is its length, 0 where nothing was lower than the base.  With
 * `tried`, the first trial has been made and is `here`. */
lr_code lr_model_search(lr_model *m, lrgd_vec u, double sign, double slope,
                        bool tried, double *t);

/* The model stands at a new place: tells the callback, keeps the best. */
lr_code lr_model_arrived(lr_model *m);

#endif
