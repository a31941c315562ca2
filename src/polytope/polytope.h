/* Points of a box that lie on a plane: R'x = t and lower <= x <= upper, the m
 * columns of R being orthonormal.  Host doubles. */
#ifndef LR_POLYTOPE_H
#define LR_POLYTOPE_H

#include <lrgd/lrgd.h>

#include <stdbool.h>

typedef struct lr_polytope {
  size_t p, m;
  const double *R, *t;         /* borrowed, as are the bounds */
  const double *lower, *upper; /* -Inf, Inf: none */
  lrgd_allocator allocator;
  double *room; /* all that follows */
  double *x, *y, *low, *high, *lambda, *next, *r, *step, *H, *M;
  size_t *basic; /* m coordinates, see lr_polytope_basis */
} lr_polytope;

LRGD_MUST_CHECK lrgd_status lr_polytope_init(lr_polytope *P, size_t p, size_t m,
                                             const double *R, const double *t,
                                             const double *lower,
                                             const double *upper,
                                             const lrgd_allocator *a);
void lr_polytope_clear(lr_polytope *P);

/* x becomes the nearest point of the polytope.  Returns how far R'x is from t:
 * roundings, or more where there is no such point. */
double lr_polytope_project(lr_polytope *P, double *x);

/* Puts the coordinates of x that only roundings keep from their bounds on
 * these; the others make up for it, so that x stays on the plane.  False: they
 * cannot, and x is as it was. */
bool lr_polytope_settle(lr_polytope *P, double *x);

/* d becomes the nearest direction that x can be left along (the projection on
 * the tangent cone). */
void lr_polytope_tangent(lr_polytope *P, const double *x, double *d);

/* d becomes the nearest direction inside the face of x: what is at a bound
 * stays there. */
void lr_polytope_face(lr_polytope *P, const double *x, double *d);

/* d without what leads off the plane. */
void lr_polytope_level(const lr_polytope *P, double *d);

/* The largest t <= most with x + t d inside the bounds. */
double lr_polytope_reach(const lr_polytope *P, const double *x, const double *d,
                         double most);

/* Chooses m coordinates, each at least `margin` from its bounds, in which the
 * plane can be solved for, given all others.  M (m x p, column after column)
 * becomes the change of these for a change of each of the others.  False: there
 * are no such, x is a degenerate point. */
bool lr_polytope_basis(lr_polytope *P, const double *x, double margin);

#endif
