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
} bench_tao_problem;

/* Returns where TAO gives up; 0, or an error of PETSc's. */
typedef int (*bench_tao_fn)(bench_tao_problem *problem);
#define BENCH_TAO_SYMBOL "bench_tao_minimise"

#endif
