/* A quadratic program whose general rows may be violated at a price:
 *
 *   min  g'd + d'B d / 2 + sum_i price_i t_i
 *   s.t. below_i - t_i <= a_i'd <= above_i + t_i,  t_i >= 0,
 *        lower <= d <= upper.
 *
 * It has a solution whatever the rows are, and multipliers of at most
 * price_i.  A primal-dual interior point method (Mehrotra's predictor and
 * corrector) needs no guess of the active set and takes degenerate and repeated
 * rows; B may be indefinite, as what is added to it in a Newton step vanishes
 * at the solution.  Known here: small dense matrices. */
#ifndef LR_ELASTIC_QP_H
#define LR_ELASTIC_QP_H

#include <lrgd/lrgd.h>

#include <stdbool.h>

typedef struct lr_elastic_qp {
  lrgd_allocator allocator;
  size_t n, m;           /* variables and rows */
  size_t room_n, room_m; /* capacities for these */
  double *memory;
  /* input, filled by the caller: */
  double *g, *B;         /* n; n x n, the lower half is read */
  double *lower, *upper; /* n, finite; equal: the variable stays there */
  double *A;             /* n x m: row i of the program is column i */
  double *below, *above; /* m; infinite: no limit on that side */
  double *price;         /* m; INFINITY: the row may not be violated */
  /* output: */
  double *d; /* n */
  /* m: multipliers, upper limits minus lower ones: g + B d + A lambda +
   * (bounds) = 0 */
  double *lambda;
  double *nu; /* n: multipliers of the bounds, upper minus lower */
  double *work;
} lr_elastic_qp;

void lr_elastic_qp_init(lr_elastic_qp *q, const lrgd_allocator *a);
void lr_elastic_qp_clear(lr_elastic_qp *q);
/* Sets the size to n variables and m rows, which the caller then fills in;
 * earlier contents are lost. */
LRGD_MUST_CHECK lrgd_status lr_elastic_qp_reserve(lr_elastic_qp *q, size_t n,
                                                  size_t m);
/* Whether B + shift I is positive definite. */
bool lr_elastic_qp_is_convex(lr_elastic_qp *q, double shift);
/* Solves the program; its numbers should be of about size 1. */
void lr_elastic_qp_solve(lr_elastic_qp *q);

#endif
