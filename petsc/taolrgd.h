/* taolrgd.h: for programs that link libtaolrgd.  Those that do not need
 * nothing but the option -dll_prepend libtaolrgd.so. */
#ifndef TAOLRGD_H
#define TAOLRGD_H

#include <petsctao.h>

#define TAOLRGD "lrgd"

/* Makes TaoSetType(tao, TAOLRGD) and -tao_type lrgd known.  Call it after
 * PetscInitialize. */
PETSC_EXTERN PetscErrorCode TaoLRGDRegister(void);

#endif
