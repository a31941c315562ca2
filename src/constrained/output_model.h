/* Quadratic models of all outputs from the same evaluations.
 *
 * Every evaluation returns m outputs, so that one set of points and one
 * factorisation serve all models.  Around a base point, n others that span the
 * space determine the gradients; further well-placed points change the
 * Hessians, by as little as possible in the Frobenius norm (the points as in
 * Wild's MNH, 2008; the change as in Powell, Math. Program. 100, 2004).  Where
 * there are fewer points than directions the models are constant along the
 * others. Points are never discarded: each fit chooses anew, the nearest first.
 *
 * Coordinates are the caller's.  This file knows small dense matrices, not
 * constraints, and not who evaluates. */
#ifndef LR_OUTPUT_MODEL_H
#define LR_OUTPUT_MODEL_H

#include <lrgd/lrgd.h>

#include <stdbool.h>

/* Over 20 members: the points known, and the last fit with the letters of its
 * formulas in output_model.c. */
typedef struct lr_output_model {
  lrgd_allocator allocator;
  size_t n, m;        /* coordinates in use, and outputs */
  size_t room_n;      /* capacity in coordinates */
  size_t count, room; /* points known, and the capacity */
  double *z, *y;      /* points, room_n numbers each; outputs, m numbers each */
  size_t most_curved; /* the most points used for curvature */

  /* the last fit, in the coordinates s = (z - base) / unit */
  size_t base;
  double unit;
  size_t k, e; /* points used for gradients, and for curvature */
  double *S;   /* their displacements, room_n numbers each */
  /* k + e numbers per output: the change of the Hessian is the sum of alpha s
   * s' over the points */
  double *alpha;
  /* Hessians in z, lower halves, room_n x room_n per output; NULL: too large,
   * so that every fit begins with zero Hessians */
  double *H;
  double *g;    /* gradients, room_n numbers per output */
  double *Q;    /* an orthonormal basis of the k displacements */
  double reach; /* the longest of these displacements */
  double *memory;
  double *distance; /* distance of each point from the base */
  size_t *order, *chosen;
} lr_output_model;

/* Begins with n coordinates, of at most room_n, and m outputs; most_curved: the
 * most points that a fit uses for curvature. */
LRGD_MUST_CHECK lrgd_status lr_output_model_init(lr_output_model *M,
                                                 const lrgd_allocator *a,
                                                 size_t n, size_t room_n,
                                                 size_t m, size_t most_curved);
void lr_output_model_clear(lr_output_model *M);

/* Adds a point, n coordinates, and its outputs. */
LRGD_MUST_CHECK lrgd_status lr_output_model_add(lr_output_model *M,
                                                const double *z,
                                                const double *y);
/* Adds a coordinate, which is 0 at all points so far. */
void lr_output_model_widen(lr_output_model *M);

/* The criteria by which a fit chooses its points. */
typedef struct lr_output_choice {
  /* the least sine of the angle between a displacement and the span of nearer
   * ones, for gradients */
  double angle;
  double far;    /* points further away (in units) are not used for curvature */
  double spread; /* share of a point's curvature that must be new */
} lr_output_choice;

/* Fits the models around point number `base`. */
void lr_output_model_fit(lr_output_model *M, size_t base, double unit,
                         const lr_output_choice *by);

/* y = the m outputs that the models predict at s. */
void lr_output_model_at(lr_output_model *M, const double *s, double *y);
/* G = the models' gradients at s, n numbers per output. */
void lr_output_model_slopes(lr_output_model *M, const double *s, double *G);
/* H = the lower half of the sum of weight[i] times the Hessian of output i. */
void lr_output_model_bend(lr_output_model *M, const double *weight, double *H);

/* The number of independent displacements within `far` units, each at the least
 * angle to the span of nearer ones.  u, n numbers, becomes a unit vector
 * orthogonal to them all: along the part of `toward` that is, if there is
 * one. */
size_t lr_output_model_span(lr_output_model *M, double far, double angle,
                            const double *toward, double *u);

#endif
