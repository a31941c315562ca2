/* The interface between lrgd-bench and the module that is linked with PETSc.
 * The module is loaded only when one of its solvers is run, since it starts
 * MPI. */
#ifndef BENCH_TAO_MODULE_H
#define BENCH_TAO_MODULE_H

#include <stddef.h>

typedef struct bench_tao_problem {
  size_t p;
  const double *x0;
  const double *lower, *upper;                                /* NULL: none */
  double (*gradient)(void *user, const double *x, double *g); /* returns f */
  void *user;
  /* for sums of squares: "pounders" or "brgn" in place of LMVM, the residuals r
   * = F(x), and the columns of J = F'(x), computed from r */
  const char *type;
  size_t m;
  double step; /* first step or radius */
  void (*residuals)(void *user, const double *x, double *r);
  void (*jacobian)(void *user, const double *x, const double *r, double *J);
  double *last; /* room for p + m numbers: the x last evaluated, and F(x) */
} bench_tao_problem;

/* Returns 0 or an error code of PETSc, also when TAO gives up. */
typedef int (*bench_tao_fn)(bench_tao_problem *problem);
#define BENCH_TAO_SYMBOL "bench_tao_minimise"

#endif
