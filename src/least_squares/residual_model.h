/* The model of residuals F: R^p -> R^m around a base point, in a subspace.
 *
 * In scaled coordinates F(b + D V z) is about F + J z, V being p x k and
 * orthonormal, J m x k: no matrix is larger until k nears p.  J is
 * uncertain.  Each of its rows is taken for Gaussian with covariance c^2 P, and
 * along a step s it changes by F''s, whose entries are taken for N(0, c^2
 * |s|^2) each: one number, c, says how much F bends.  Hence the error of the
 * model at z has the mean square m c^2 (z'Pz + |z|^4/4), and what a value of F
 * tells of J is a Kalman update, be it a finite difference or a step.
 *
 * The last rows may be known (prior information): their derivatives are exact,
 * and the uncertainty is that of the others alone.
 *
 * Known here: the numbers.  Not known: who evaluates F. */
#ifndef LR_RESIDUAL_MODEL_H
#define LR_RESIDUAL_MODEL_H

#include "base/damped.h"
#include "base/dense.h"
#include "base/loss.h"
#include "base/updated_qr.h"
#include "least_squares/residual_bends.h"

#include <stdbool.h>

/* Over 20 members: one for each letter of the formulas above, the factors of J
 * that follow it, and scratch of the same sizes. */
typedef struct lr_residual_model {
  lrgd_allocator allocator;
  size_t p, m;    /* inputs, residuals ... */
  size_t n;       /* ... of which the first n are uncertain */
  size_t k, room; /* directions, and those there is room for */
  double *V;      /* p x k */
  double *J;      /* m x k */
  double *P;      /* k x k, symmetric, room numbers a column */
  double *size;   /* k: |column|, of uncertain rows, as measured first */
  double *F;      /* m: residuals at the base */
  double *G;      /* m: derivatives of f by them; F itself, if f is |F|^2/2 */
  double *weight; /* m: roots of their weights in a step; NULL: all are 1 */
  lr_loss loss;   /* of the uncertain rows */
  double f;       /* what they cost, |F|^2 / 2 if the loss is linear */
  double mass;    /* the sum of the weights of uncertain rows */
  double c;       /* root mean square of the entries of F'' */
  double noise;   /* standard deviation of a residual */
  double mu;      /* damping of the last step, for curvature */
  const double *within; /* k x told: a step is a combination of these columns
                           alone; NULL: of all directions */
  size_t told;
  lr_updated_qr measured; /* factors of J: of the rows that are measured ... */
  lr_updated_qr given;    /* ... and of those that are known */
  lr_bends bends;         /* what steps have shown of the curvature of F */
  lr_damped damped;
  lr_dense *dense; /* for singular directions; made when first needed */
  size_t dense_room;
  double *z, *w, *y; /* scratch: room numbers each */
  double *r, *s;     /* scratch: m numbers each */
  double *b;         /* scratch: m + room numbers */
} lr_residual_model;

/* A model without directions; F and c are to be set. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_init(lr_residual_model *M,
                                                   size_t p, size_t m,
                                                   const lrgd_allocator *a);
/* The last `known` rows are known, as long as there are no directions. */
void lr_residual_model_know(lr_residual_model *M, size_t known);
void lr_residual_model_clear(lr_residual_model *M);
/* The factors of J follow it; after J was written to, without having been
 * told of, all are made anew. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_factor(lr_residual_model *M);
void lr_residual_model_rewritten(lr_residual_model *M);
/* Forgets all directions. */
void lr_residual_model_forget(lr_residual_model *M);
/* The largest of m numbers, by its size. */
double lr_largest_residual(size_t m, const double *r);

/* A loss that is not linear: where residuals are large they count less. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_set_loss(lr_residual_model *M,
                                                       lr_loss loss);
/* f of residuals y. */
double lr_residual_model_cost(const lr_residual_model *M, const double *y);

/* F becomes the residuals at the base. */
void lr_residual_model_set_base(lr_residual_model *M, const double *F);

/* Appends direction u (p numbers, orthonormal to V) with its column of J and
 * the variance of the column's entries in units of c^2. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_append(lr_residual_model *M,
                                                     const double *u,
                                                     const double *column,
                                                     double variance);

/* Pz = P z; returns z'Pz. */
double lr_residual_model_times_P(const lr_residual_model *M, const double *z,
                                 double *Pz);
/* The mean square error of a residual at z, in units of c^2. */
double lr_residual_model_error2(const lr_residual_model *M, const double *z);
/* Half the sum of squares of the derivatives of f by the residuals whose
 * derivatives are uncertain: of these themselves, if f is |F|^2 / 2. */
double lr_residual_model_uncertain_f(const lr_residual_model *M);

/* r = F + J z; returns the decrease of f that is expected from there. */
double lr_residual_model_promise(const lr_residual_model *M, const double *z,
                                 double *r);

/* The weights of a loss become those of residuals r. */
void lr_residual_model_weigh(lr_residual_model *M, const double *r);

/* The step of least expected f: minimises |F + J z|^2 + n c^2 (z'Pz + |z|^4/4)
 * over z.  It is Levenberg and Marquardt's with one damping for what is not
 * known of J and one for curvature.  Also sets M->mu. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_step(lr_residual_model *M,
                                                   double *z);

/* e is the error of the model at z, n numbers: the Kalman update of J and P.
 * moved: the base moves to z, so that J also changes by curvature. */
void lr_residual_model_learn(lr_residual_model *M, const double *z,
                             const double *e, bool moved);

/* What a step to z tells of curvature, e being the error of the model there,
 * which becomes what it would have been had the model known its own curvature
 * by the right share.  Before lr_residual_model_learn. */
typedef struct lr_step_seen {
  bool tells; /* its error is the curvature of what is near */
  bool moved; /* the base does */
} lr_step_seen;
LRGD_MUST_CHECK lrgd_status lr_residual_model_remember(
    lr_residual_model *M, const double *z, double *e, const lr_step_seen *step);

/* V becomes V W, W being k x n with orthonormal columns; J and P follow.  What
 * was known along other directions of V is forgotten. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_restrict(lr_residual_model *M,
                                                       const double *W,
                                                       size_t n);

/* Where V is square: V becomes the identity, J and P follow. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_turn(lr_residual_model *M);

/* Where V is the identity: coordinate j becomes scale[j] times as long. */
void lr_residual_model_stretch(lr_residual_model *M, const double *scale);

/* How far the last `last` columns are outside the range of those before them:
 * ratios of the squared distance to its expected square by the uncertainty of
 * J, infinite where there are no others. */
typedef struct lr_novelty {
  double most;  /* the largest of these ratios */
  double last;  /* the ratio of the last column, by all the others */
  double doubt; /* its expected square, relative to the column's */
} lr_novelty;
lr_novelty lr_residual_model_novelty(lr_residual_model *M, size_t last);

/* The same step along those singular directions of J alone whose singular
 * values are told from zero, if there are others: a step along the null space
 * of F' tells nothing of curvature, and would be as long as its errors let. */
LRGD_MUST_CHECK lrgd_status
lr_residual_model_confined_step(lr_residual_model *M, double *z);

/* The singular direction w (k numbers) of J whose uncertainty costs most of
 * the promised decrease, and *cost, that decrease; told_alone: of those outside
 * its null space. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_stalest(lr_residual_model *M,
                                                      bool told_alone,
                                                      double *w, double *cost);
/* W: k x k, the singular directions of J, one a column. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_directions(lr_residual_model *M,
                                                         double *W, double *s);
/* C = J'J, k x k. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_squares(lr_residual_model *M,
                                                      double *C);

#endif
