/* The intersection of a box and an affine subspace: R'x = t and lower <= x <=
 * upper, the m columns of R being orthonormal.  Host doubles. */
#ifndef LR_POLYTOPE_H
#define LR_POLYTOPE_H

#include "base/policy.h"

#include <lrgd/lrgd.h>

#include <stdbool.h>

typedef struct lr_polytope {
  size_t p, m;
  const double *R, *t;         /* borrowed, as are the bounds */
  const double *lower, *upper; /* -Inf, Inf: none */
  const lr_policy *policy;
  lrgd_allocator allocator;
  double *room; /* the block of memory for all arrays that follow */
  double *x, *y, *low, *high, *lambda, *next, *r, *step, *H, *M;
  size_t *basic; /* m coordinates, see lr_polytope_basis */
} lr_polytope;

LRGD_MUST_CHECK lrgd_status lr_polytope_init(lr_polytope *P, size_t p, size_t m,
                                             const double *R, const double *t,
                                             const double *lower,
                                             const double *upper,
                                             const lr_policy *policy,
                                             const lrgd_allocator *a);
void lr_polytope_clear(lr_polytope *P);

/* Projects x onto the polytope.  A point of the polytope stays as it is, except
 * that coordinates which differ from a bound by rounding only are put on it.
 * Returns |R'x - t|: rounding errors, or more where the polytope is empty. */
double lr_polytope_project(lr_polytope *P, double *x);

/* Puts the coordinates of x that differ from their bounds by rounding only on
 * these bounds; other coordinates compensate, so that x stays on the plane.
 * False: they cannot, and x is not changed. */
bool lr_polytope_settle(lr_polytope *P, double *x);

/* Projects d on the tangent cone at x. */
void lr_polytope_tangent(lr_polytope *P, const double *x, double *d);

/* Projects d on the linear hull of the face of x: coordinates at bounds stay
 * there. */
void lr_polytope_face(lr_polytope *P, const double *x, double *d);

/* Projects d on the null space of R'. */
void lr_polytope_level(const lr_polytope *P, double *d);

/* The largest t <= most with x + t d inside the bounds. */
double lr_polytope_reach(const lr_polytope *P, const double *x, const double *d,
                         double most);

/* Chooses m basic coordinates, each at least `margin` from its bounds, for
 * which the equations can be solved given all others.  M (m x p, column after
 * column) becomes the change of these for a unit change of each of the others.
 * False: there are none, x is degenerate. */
bool lr_polytope_basis(lr_polytope *P, const double *x, double margin);

#endif
