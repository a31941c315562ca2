/* Sums of squares in TAO: the residuals of TaoSetResidualRoutine, weighted as
 * TaoSetResidualWeights says, so that f is half the sum of their squares.
 * Known here: TAO.  Not known: lrgd. */
#ifndef TAO_RESIDUALS_H
#define TAO_RESIDUALS_H

#include <petsctao.h>

typedef struct tao_residuals {
  Tao tao;
  PetscInt m, local; /* all of them, and those of this rank */
  Vec weighted;
  PetscScalar *root; /* m x m by rows, lower: weights W = root root'; or NULL */
} tao_residuals;

/* Does the program give residuals, and no objective? */
PetscBool tao_has_residuals(Tao tao);
PetscErrorCode tao_residuals_begin(Tao tao, tao_residuals *of);
PetscErrorCode tao_residuals_end(tao_residuals *of);

/* The weighted residuals at x into of->weighted. */
PetscErrorCode tao_residuals_compute(tao_residuals *of, Vec x);
PetscErrorCode tao_residuals_value(tao_residuals *of, Vec x, PetscReal *f);
/* f and, from the program's Jacobian, its gradient. */
PetscErrorCode tao_residuals_gradient(tao_residuals *of, Vec x, PetscReal *f,
                                      Vec g);

#endif
