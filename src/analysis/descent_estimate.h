/* How many iterations gradient descent would still take, from the curvature at
 * a minimum that another method has found; NaN where that does not tell. */
#ifndef LR_OUTLOOK_H
#define LR_OUTLOOK_H

#include "analysis/diagnosis_state.h"

/* Evaluations, and those without a finite answer. */
typedef struct lr_asked {
  uint64_t all, failed;
} lr_asked;

/* Where descent was cut off, and where it is heading. */
typedef struct lr_outlook {
  const lrgd_problem *problem; /* f, or sigma of r variables */
  double *minimum;             /* is moved about and put back */
  const double *from;          /* where it was cut off ... */
  double fall;                 /* ... so much above the minimum ... */
  double log_g;                /* ... with this log |gradient| */
  double tol;                  /* |gradient| that ends it */
  bool inside;                 /* f does not vary outside H, within tol */
} lr_outlook;

/* Evaluations that an outlook asks for; inside: in H alone; 0: it tells
 * nothing. */
uint64_t lr_descent_estimate_cost(const lrgd_diagnosis *s, bool inside);

/* Iterations from there on; *asked grows by what was asked for. */
double lr_descent_estimate_ahead(const lrgd_diagnosis *s,
                                 const lr_outlook *look, lr_asked *asked);

/* |grad f| outside the r orthonormal columns of U at the start, estimated by
 * slopes along random directions there; Inf where it cannot be had. */
double lr_descent_estimate_outside(const lrgd_diagnosis *s, size_t r,
                                   const double *U, lr_asked *asked);

#endif
