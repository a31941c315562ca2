/* What is made of the measurements of a theorem's cell. */
#ifndef LR_THEOREMS_H
#define LR_THEOREMS_H

#include <lrgd/analysis.h>
#include <stdbool.h>

/* bound_holds and conditions_hold, from calls and promise.  met: the accuracy
 * was reached; left: the region where the constants hold was. */
void lr_theorem_judge(lrgd_theorem_cell *cell, bool met, bool left);

#endif
