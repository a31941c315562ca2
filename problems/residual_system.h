/* Systems of residuals F: R^n -> R^m, f = |F|^2 / 2, each written once as a
 * formula of complex numbers.  The Jacobian is the imaginary part of the same
 * formula at z + i t e_j (the complex step: exact to rounding for any small t),
 * the gradient is J^T F.  In p > n dimensions f is F(A^T x), A random with
 * orthonormal columns: J has rank n at most, whatever p. */
#ifndef LR_RESIDUAL_SYSTEM_H
#define LR_RESIDUAL_SYSTEM_H

#include "composite.h"

typedef struct lr_system lr_system;
struct lr_system {
  size_t n, m;
  /* r = F(z), m numbers */
  void (*residuals)(const lr_system *s, const double complex *z,
                    double complex *r);
  const void *data; /* borrowed until the problem is destroyed */
};

typedef struct lr_system_facts {
  const double *start;     /* n numbers */
  const double *minimiser; /* n numbers; NULL: not known */
  double minimum;          /* of f; NaN: not known */
  size_t rank;             /* of f in its n inputs; 0: not known */
} lr_system_facts;

/* Reads p, box and seed, and builds the problem; copies both. */
lrgd_status lr_system_build(lr_problem *problem, lr_reader *reader,
                            const lr_system *system,
                            const lr_system_facts *facts);

/* The parameters every system has. */
#define LR_SYSTEM_P                                                            \
  {                                                                            \
    "p", "0", "dimension of the embedding; 0: n, without one"                  \
  }
#define LR_SYSTEM_BOX                                                          \
  {                                                                            \
    "box", "0", "bounds x0 +- box times the way to the minimum; 0: none"       \
  }
#define LR_SYSTEM_SEED                                                         \
  {                                                                            \
    "seed", "1", "of the embedding"                                            \
  }

#endif
