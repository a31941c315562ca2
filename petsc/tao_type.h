/* What the files of the type share: its data, its options, its view. */
#ifndef TAO_TYPE_H
#define TAO_TYPE_H

#include <lrgd/mpi.h>
#include <petsctao.h>

/* What the type holds while it lives: the options, and how the last run
 * ended. */
typedef struct TAO_LRGD {
  lrgd_options options;
  lrgd_result result;
  lrgd_mpi_traffic traffic;
  PetscBool ran;
} TAO_LRGD;

/* An error of lrgd's as one of PETSc's. */
PetscErrorCode tao_refused(Tao tao, const lrgd_error *error);
/* -tao_lrgd_NAME for every row of the table of options. */
PetscErrorCode tao_read_options(Tao tao, PetscOptionItems *PetscOptionsObject);
/* What was set, and what the last run cost. */
PetscErrorCode tao_show(Tao tao, PetscViewer viewer);

#endif
