/* The fit of known evaluations with which `auto` begins. */
#ifndef LR_AUTO_KNOWN_H
#define LR_AUTO_KNOWN_H

#include "solver/run_state.h"

/* The most directions that a model has, or a fit that it begins with. */
size_t lr_auto_most_directions(const lr_run *run);

/* Fits a model to the known evaluations, q = 0 if they tell too little, and
 * moves the start to its point.  Second derivatives that gradients at sample
 * points leave open are measured. */
lr_code lr_auto_learn(lr_run *run, lr_point *start, lr_fit *fit);

/* Whether that is a model of gradients at sample points with which an embedding
 * begins. */
bool lr_auto_fit_embeds(const lr_run *run, const lr_fit *fit);

#endif
