/* What crosses between lrgd-bench and the module with PETSc in it, which is
 * loaded only when a run wants it: MPI comes with it. */
#ifndef BENCH_TAO_MODULE_H
#define BENCH_TAO_MODULE_H

#include <stddef.h>

typedef struct bench_tao_problem {
  size_t p;
  const double *x0;
  const double *lower, *upper;                                /* NULL: none */
  double (*gradient)(void *user, const double *x, double *g); /* returns f */
  void *user;
  /* sums of squares: "pounders" or "brgn" in place of LMVM, r = F(x), and J =
   * F'(x) by columns from r */
  const char *type;
  size_t m;
  double step; /* first step or radius */
  void (*residuals)(void *user, const double *x, double *r);
  void (*jacobian)(void *user, const double *x, const double *r, double *J);
  double *last; /* room for p + m numbers: x and F(x), as asked last */
} bench_tao_problem;

/* Returns where TAO gives up; 0, or an error of PETSc's. */
typedef int (*bench_tao_fn)(bench_tao_problem *problem);
#define BENCH_TAO_SYMBOL "bench_tao_minimise"

#endif
