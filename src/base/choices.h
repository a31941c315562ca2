/* The methods and the step rules, each in one list: a new one is a row here, an
 * enumerator of lrgd.h at the same place, and a file of its own.  Options,
 * tables and prototypes are generated from these rows; tests hold the
 * enumerators equal to them.
 *
 * X(ENUMERATOR, "word", symbol): LRGD_METHOD_ENUMERATOR is chosen by that word
 * and implemented by lr_method_symbol; LRGD_STEP_ENUMERATOR by lr_step_symbol.
 */
#ifndef LR_CHOICES_H
#define LR_CHOICES_H

#include <string.h>

/* clang-format off */
#define LR_METHODS(X)                                                          \
  X(AUTO, "auto", auto)             /* needs no settings */             \
  X(GD, "gd", gd)                   /* the paper's baseline */                 \
  X(LRGD, "lrgd", lrgd)             /* Algorithm 1 */                          \
  X(ITERATED, "iterated", iterated) /* Algorithm 2 */                          \
  X(ADAPTIVE, "adaptive", adaptive) /* Algorithm 3 */                          \
  X(QUASI_NEWTON, "quasi-newton", quasi_newton) /* the second half of auto alone */

/* LRGD_STEP_AUTO, which is 0, is not in the list: it chooses one of them. */
#define LR_STEPS(X)                                                            \
  X(FIXED, "fixed", fixed)                                                     \
  X(BACKTRACKING, "backtracking", backtracking)                                \
  X(WOLFE, "wolfe", wolfe)                                                     \
  X(BFGS, "bfgs", bfgs)                                                        \
  X(HEAVY_BALL, "heavy-ball", heavy_ball)                                      \
  X(NESTEROV, "nesterov", nesterov)                                            \
  X(ADAGRAD, "adagrad", adagrad)                                               \
  X(ADAM, "adam", adam)
/* clang-format on */

/* The present name of a method that was renamed; any other word as it is.
 * Command lines and journals may still have the former one. */
static inline const char *lr_present_name(const char *word)
{
  return strcmp(word, "krylov") == 0 ? "quasi-newton" : word;
}

#endif
