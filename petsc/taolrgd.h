/* taolrgd.h: for programs that link libtaolrgd.  A program that does not
 * link it needs only the option -dll_prepend libtaolrgd.so. */
#ifndef TAOLRGD_H
#define TAOLRGD_H

#include <petsctao.h>

#define TAOLRGD "lrgd"

/* Makes TaoSetType(tao, TAOLRGD) and -tao_type lrgd known.  Call it after
 * PetscInitialize. */
PETSC_EXTERN PetscErrorCode TaoLRGDRegister(void);

#endif
