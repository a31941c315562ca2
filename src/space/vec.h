/* Functions of one vector through the operations of any space. */
#ifndef LR_VEC_H
#define LR_VEC_H

#include "base/wide.h"

#include <lrgd/space.h>
#include <stdbool.h>

/* Whether a backend's table has an optional operation: the backend may have
 * been compiled with an older header. */
#define LR_HAS(space, verb)                                                    \
  ((space)->ops->struct_size >=                                                \
       offsetof(lrgd_space_ops, verb) + sizeof(space)->ops->verb &&            \
   (space)->ops->verb)

/* Scales y to norm one, whatever its size.  False, and y undefined, where y is
 * zero or not finite.  *norm (may be NULL) receives the norm it had. */
bool lr_normalise(lrgd_space *space, lrgd_vec y, double *norm);

/* Normalises y, whose norm n > 0 is known: one pass less. */
bool lr_normalise_known(lrgd_space *space, lrgd_vec y, double n);

/* Coordinates are read in chunks: the size of the chunk that begins at `first`,
 * 0 at the end. */
enum { LR_FEW = 256 };
static inline size_t lr_few(const lrgd_space *space, size_t first)
{
  size_t left = space->dimension - first;
  return left < LR_FEW ? left : LR_FEW;
}

/* Whether two vectors have the same bits. */
bool lr_same(lrgd_space *space, lrgd_vec a, lrgd_vec b);

/* Whether a bound is active at coordinate x, given the slope of f along it. */
LR_INSIDE bool lr_bound_holds(double x, double slope, double lower,
                              double upper)
{
  return (x <= lower && slope > 0) || (x >= upper && slope < 0);
}

/* Whether a vec's numbers are doubles in host memory. */
bool lr_is_host_double(const lrgd_space *space);

/* The typical size of a coordinate of x, never below one: the unit in which
 * steps away from x are measured. */
double lr_scale_of(lrgd_space *space, lrgd_vec x);

#endif
