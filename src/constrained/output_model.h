/* Quadratic models of all outputs from the same evaluations.
 *
 * Every evaluation answers m outputs, so that one set of points and one
 * factorisation serve all models.  Around a base point, n others that span the
 * space give gradients; as many more as are well placed change the Hessians, by
 * as little as possible in the Frobenius norm (the points as in Wild's MNH,
 * 2008; the change as in Powell, Math. Program. 100, 2004).  Where
 * there are fewer points than directions the models are flat along the others.
 * Points are never forgotten: each fit chooses anew, the nearest first.
 *
 * Coordinates are the caller's.  Known here: small dense matrices.  Not known:
 * constraints, and who evaluates. */
#ifndef LR_OUTPUT_MODEL_H
#define LR_OUTPUT_MODEL_H

#include <lrgd/lrgd.h>

#include <stdbool.h>

typedef struct lr_output_model {
  lrgd_allocator allocator;
  size_t n, m;        /* coordinates in use, and outputs */
  size_t room_n;      /* coordinates there is room for */
  size_t count, room; /* points known, and those there is room for */
  double *z, *y;      /* room_n and m numbers a point */
  size_t most_curved; /* points that may give curvature */

  /* the last fit: in s = (z - base) / unit */
  size_t base;
  double unit;
  size_t k, e;   /* points that give gradients, and curvature */
  double *S;     /* room_n numbers for each of them */
  double *alpha; /* k + e numbers an output: the Hessian changes by
                    sum alpha s s' */
  double *H;     /* in z, lower halves, room_n x room_n an output; NULL: that
                    would be too much, and Hessians begin at 0 at every fit */
  double *g;     /* room_n numbers an output */
  double *Q;     /* an orthonormal basis of the k displacements */
  double reach;  /* the longest of these displacements */
  double *memory;
  double *distance; /* of points from the base */
  size_t *order, *chosen;
} lr_output_model;

/* n coordinates, of at most room_n; points may have any number of outputs. */
LRGD_MUST_CHECK lrgd_status lr_output_model_init(lr_output_model *M,
                                                 const lrgd_allocator *a,
                                                 size_t n, size_t room_n,
                                                 size_t m, size_t most_curved);
void lr_output_model_clear(lr_output_model *M);

/* Takes in a point, n coordinates, and its outputs. */
LRGD_MUST_CHECK lrgd_status lr_output_model_add(lr_output_model *M,
                                                const double *z,
                                                const double *y);
/* One coordinate more, in which all points so far are 0. */
void lr_output_model_widen(lr_output_model *M);

/* What decides which points are used. */
typedef struct lr_output_choice {
  double angle;  /* sine of the angle at which a displacement must leave the
                    span of the nearer ones to be used for gradients */
  double far;    /* x unit: points that are farther give no curvature */
  double spread; /* share of a point's curvature that must be new */
} lr_output_choice;

/* Fits the models around point number `base`. */
void lr_output_model_fit(lr_output_model *M, size_t base, double unit,
                         const lr_output_choice *by);

/* y = the m outputs as modelled at s. */
void lr_output_model_at(lr_output_model *M, const double *s, double *y);
/* G = their gradients there, n numbers an output. */
void lr_output_model_slopes(lr_output_model *M, const double *s, double *G);
/* H = the lower half of the sum of weight[i] times the Hessian of output i. */
void lr_output_model_bend(lr_output_model *M, const double *weight, double *H);

/* How many independent displacements there are within `far` units, each at such
 * an angle to the nearer ones; u, n numbers, is a unit vector across them all,
 * the part of `toward` where that has one. */
size_t lr_output_model_span(lr_output_model *M, double far, double angle,
                            const double *toward, double *u);

#endif
