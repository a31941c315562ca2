/* The method for A x = b together with bounds. */
#ifndef LR_CONFINED_H
#define LR_CONFINED_H

#include "certificate/certificate.h"

lr_code lr_method_confined(lr_run *run);

#endif
