/* The methods, as base/choices.h lists them: lr_method_auto, lr_method_gd, ...
 * Each runs to its end: LR_END or LR_FAULT. */
#ifndef LR_METHODS_H
#define LR_METHODS_H

#include "base/choices.h"
#include "solver/run_state.h"

#define LR_DECLARE(enumerator, word, symbol)                                   \
  lr_code lr_method_##symbol(lr_run *run);
LR_METHODS(LR_DECLARE)
#undef LR_DECLARE

#endif
