/* How many iterations gradient descent would take, from the curvature at a
 * minimum that another method has found; NaN where that does not tell. */
#ifndef LR_OUTLOOK_H
#define LR_OUTLOOK_H

#include "analysis/study.h"

/* Evaluations, and those without a finite answer. */
typedef struct lr_asked {
  uint64_t all, failed;
} lr_asked;

/* Evaluations that an outlook asks for, at most; each adds to *asked what it
 * did ask for. */
uint64_t lr_outlook_cost(const lrgd_study *s, bool reduced);

/* Inside H, on the reduced function: from a point on, which lies higher than
 * the minimum by fall, to |gradient| <= tol.  minimum is moved about and put
 * back. */
double lr_outlook_reduced(const lrgd_study *s, const lrgd_problem *sigma,
                          double *minimum, const double *from, double fall,
                          double tol, lr_asked *asked);

/* On f itself, nearly low-rank and without bounds: from the start. */
double lr_outlook_whole(const lrgd_study *s, double *minimum, double tol,
                        lr_asked *asked);

#endif
