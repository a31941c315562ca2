/* The judgement on a theorem's bound, from measurements. */
#ifndef LR_THEOREM_TRIALS_H
#define LR_THEOREM_TRIALS_H

#include <lrgd/analysis.h>
#include <stdbool.h>

/* Sets bound_holds and conditions_hold from calls and claim. met: the
 * accuracy was reached; left: an iterate left the region where the constants
 * hold. */
void lr_theorem_judge(lrgd_theorem_cell *cell, bool met, bool left);

#endif
