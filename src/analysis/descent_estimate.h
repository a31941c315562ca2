/* The iterations that gradient descent would still take, from the Hessian at a
 * minimum that another method has found; NaN where that is not known. */
#ifndef LR_DESCENT_ESTIMATE_H
#define LR_DESCENT_ESTIMATE_H

#include "analysis/diagnosis_state.h"

/* Evaluations, and those of them that returned no finite number. */
typedef struct lr_asked {
  uint64_t all, failed;
} lr_asked;

/* Where gradient descent was cut off, and the minimum it converges to. */
typedef struct lr_descent_start {
  const lrgd_problem *problem; /* f, or the reduced function of r variables */
  double *minimum;             /* changed during the call and restored */
  const double *from;          /* where descent was cut off */
  double fall;                 /* f there, above the minimum */
  double log_g;                /* log |gradient| there */
  double tol;                  /* the gradient norm that ends the run */
  bool inside;                 /* the gradient outside H is below tol */
  const double *U;             /* directions of the reduced function */
  double diagonal; /* diagonal of the Hessian at the minimum, along the inputs
                      of f: its norm, where the iterations are known */
} lr_descent_start;

/* Evaluations that the estimate takes; inside: in H alone.  0: there is no
 * estimate. */
uint64_t lr_descent_estimate_cost(const lrgd_diagnosis *s, bool inside);

/* Iterations from that point on; adds its evaluations to *asked. */
double lr_descent_estimate_ahead(const lrgd_diagnosis *s,
                                 lr_descent_start *look, lr_asked *asked);

/* The norm of the diagonal of the Hessian at the point z of the reduced
 * function along the columns of U: h/2 times it is the truncation error of a
 * gradient by one-sided differences over h.  norm[0]: along the inputs of f;
 * norm[1]: along whichever directions it is largest.  As many evaluations as
 * lr_descent_estimate_cost says; norm stays as it is where they fail. */
void lr_descent_estimate_diagonal(const lrgd_diagnosis *s,
                                  const lrgd_problem *reduced, const double *U,
                                  double *z, double norm[2], lr_asked *asked);

/* |grad f| outside the r orthonormal columns of U at the start, estimated by
 * directional derivatives along random directions; Inf where it cannot be
 * measured. */
double lr_descent_estimate_outside(const lrgd_diagnosis *s, size_t r,
                                   const double *U, lr_asked *asked);

#endif
