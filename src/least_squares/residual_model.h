/* The model of residuals F: R^p -> R^m around a base point b, in a subspace.
 *
 * In scaled coordinates F(b + D V z) is about F + J z, with V p x k orthonormal
 * and J m x k; no matrix is larger until k is close to p.  J is uncertain: each
 * of its rows has a Gaussian distribution with covariance c^2 P, and along a
 * step s it changes by F''s, whose entries are distributed as N(0, c^2 |s|^2);
 * the one number c is the size of the second derivatives of F.  Hence the error
 * of the model at z has the mean square m c^2 (z'Pz + |z|^4/4), and every value
 * of F, at the end of a difference or of a step, is a Kalman update of J.
 *
 * The last rows may be known (prior information): their derivatives are exact,
 * and only the other rows are uncertain.
 *
 * This file knows the numbers, and not who evaluates F. */
#ifndef LR_RESIDUAL_MODEL_H
#define LR_RESIDUAL_MODEL_H

#include "base/damped.h"
#include "base/dense.h"
#include "base/loss.h"
#include "base/updated_qr.h"
#include "least_squares/residual_bends.h"

#include <stdbool.h>

/* Over 20 members: one for each letter of the formulas above, the factors of J
 * that are updated with it, and scratch of the same sizes. */
typedef struct lr_residual_model {
  lrgd_allocator allocator;
  size_t p, m;    /* inputs, residuals */
  size_t n;       /* residuals with uncertain rows of J, the first n */
  size_t k, room; /* directions, and the capacity */
  double *V;      /* p x k */
  double *J;      /* m x k */
  double *P;      /* k x k, symmetric, leading dimension `room` */
  /* k: norm of each column's uncertain rows, when first measured */
  double *size;
  double *F; /* m: residuals at the base */
  /* m: derivatives of f with respect to them; F itself if f = |F|^2/2 */
  double *G;
  /* m: square roots of the residuals' weights in a step; NULL: all 1 */
  double *weight;
  lr_loss loss; /* loss of the uncertain rows */
  double f;     /* the cost of the residuals: |F|^2 / 2 if the loss is linear */
  double mass;  /* the sum of the weights of uncertain rows */
  double c;     /* root mean square of the entries of F'' */
  double noise; /* standard deviation of a residual */
  double mu;    /* damping due to curvature in the last step */
  /* k x told: a step is a combination of these columns; NULL: unrestricted */
  const double *within;
  size_t within_count;
  lr_updated_qr measured; /* QR factors of the measured rows of J */
  lr_updated_qr given;    /* QR factors of the known rows of J */
  lr_bends bends;         /* terms of curvature that steps have measured */
  lr_damped damped;
  lr_dense *dense; /* workspace for singular values, allocated at first use */
  size_t dense_room;
  double *z, *w, *y; /* scratch: room numbers each */
  double *r, *s;     /* scratch: m numbers each */
  double *b;         /* scratch: m + room numbers */
} lr_residual_model;

/* Makes a model without directions; the caller then sets F and c. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_init(lr_residual_model *M,
                                                   size_t p, size_t m,
                                                   const lrgd_allocator *a);
/* Declares the last `known` rows as known; only before there are directions. */
void lr_residual_model_know(lr_residual_model *M, size_t known);
void lr_residual_model_clear(lr_residual_model *M);
/* Updates the factors of J by its new columns; if other entries of J have been
 * written, all columns are factored again. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_factor(lr_residual_model *M);
void lr_residual_model_rewritten(lr_residual_model *M);
/* Forgets all directions. */
void lr_residual_model_forget(lr_residual_model *M);
/* The largest absolute value of m numbers. */
double lr_largest_residual(size_t m, const double *r);

/* Sets a loss that is not linear, so that large residuals count less. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_set_loss(lr_residual_model *M,
                                                       lr_loss loss);
/* f for residuals y. */
double lr_residual_model_cost(const lr_residual_model *M, const double *y);

/* Sets F, the residuals at the base. */
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
/* Half the sum of squares of the derivatives of f with respect to the uncertain
 * residuals; if f = |F|^2 / 2, half the sum of squares of these residuals. */
double lr_residual_model_uncertain_f(const lr_residual_model *M);

/* r = F + J z; returns the predicted decrease of f from the base to there. */
double lr_residual_model_promise(const lr_residual_model *M, const double *z,
                                 double *r);

/* Sets the weights of a loss to those of residuals r. */
void lr_residual_model_weigh(lr_residual_model *M, const double *r);

/* The step that minimises the expected f: the minimum over z of |F + J z|^2 + n
 * c^2 (z'Pz + |z|^4/4).  It is a Levenberg-Marquardt step with one damping term
 * for the uncertainty of J and one for curvature.  Also sets M->mu. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_step(lr_residual_model *M,
                                                   double *z);

/* The Kalman update of J and P, e being the error of the model at z, n numbers.
 * moved: the base moves to z, so that J also changes by the curvature. */
void lr_residual_model_learn(lr_residual_model *M, const double *z,
                             const double *e, bool moved);

/* A Kalman update by a measured F'V z near the base: e has this variance
 * besides that of J z, in units of c^2. */
void lr_residual_model_learn_line(lr_residual_model *M, const double *z,
                                  const double *e, double variance);
/* A Kalman update where F'V z itself is known to be e more than J z. */
void lr_residual_model_learn_slope(lr_residual_model *M, const double *z,
                                   const double *e);

/* A step to z as a measurement of curvature, e being the model's error there; e
 * becomes the error that remains after the terms of curvature were rescaled.
 * Call before lr_residual_model_learn. */
typedef struct lr_step_seen {
  bool tells; /* whether its error measures the local curvature */
  bool moved; /* whether the base moves to z */
} lr_step_seen;
LRGD_MUST_CHECK lrgd_status lr_residual_model_remember(
    lr_residual_model *M, const double *z, double *e, const lr_step_seen *step);

/* V becomes V W, W being k x n with orthonormal columns, and J and P are
 * transformed.  Derivatives along other directions of V are discarded. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_restrict(lr_residual_model *M,
                                                       const double *W,
                                                       size_t n);

/* Where V is square: V becomes the identity, and J and P are transformed. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_turn(lr_residual_model *M);

/* Where V is the identity: rescales coordinate j by scale[j]. */
void lr_residual_model_stretch(lr_residual_model *M, const double *scale);

/* The distances of the last `last` columns from the range of the earlier ones:
 * ratios of the squared distance to its expectation under the uncertainty of J;
 * infinite where there are no earlier ones. */
typedef struct lr_novelty {
  double most;  /* the largest of these ratios */
  double last;  /* the ratio of the last column to all the others */
  double doubt; /* its expected squared distance, relative to its own square */
} lr_novelty;
lr_novelty lr_residual_model_novelty(lr_residual_model *M, size_t last);

/* The Levenberg-Marquardt step restricted to those singular directions of J
 * whose singular values are significant, if others are not: along the null
 * space of F' the length of a step is set by errors of J, and its value
 * measures no curvature.
 */
LRGD_MUST_CHECK lrgd_status
lr_residual_model_confined_step(lr_residual_model *M, double *z);

/* The singular direction w (k numbers) of J whose uncertainty costs the largest
 * part of the predicted decrease; *cost is that part.  significant_only: only
 * those with significant singular values. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_stalest(lr_residual_model *M,
                                                      bool significant_only,
                                                      double *w, double *cost);
/* W: k x k, the singular directions of J, one a column. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_directions(lr_residual_model *M,
                                                         double *W, double *s);
/* Allocates W and writes the singular directions to it, behind them the k
 * singular values.  Free it with M's allocator; NULL after a failure. */
LRGD_MUST_CHECK lrgd_status
lr_residual_model_new_directions(lr_residual_model *M, double **W);
/* C = J'J, k x k. */
LRGD_MUST_CHECK lrgd_status lr_residual_model_squares(lr_residual_model *M,
                                                      double *C);

#endif
