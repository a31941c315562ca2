/* A point that is placed relative to another, in as few passes over memory as
 * its space allows. */
#ifndef LR_PLACE_H
#define LR_PLACE_H

#include <lrgd/space.h>
#include <stdbool.h>

/* y = x + U c, the same bits as a copy and an addition; y is neither of them.
 * True: y is known to be finite.  False: it is not, or nobody has looked. */
bool lr_place(lrgd_space *space, lrgd_vec y, lrgd_vec x, lrgd_vec U, size_t k,
              const double *c);

#endif
