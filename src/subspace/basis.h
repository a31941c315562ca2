/* An orthonormal basis U (p x k) in any space.
 * Known here: vectors and small matrices.  Not known: f. */
#ifndef LR_BASIS_H
#define LR_BASIS_H

#include "base/status.h"

#include <lrgd/space.h>
#include <stdbool.h>

typedef struct lr_basis {
  lrgd_space *space;
  lrgd_allocator allocator;
  lrgd_block *block;
  size_t k, capacity;
  double *c; /* scratch, capacity numbers */
} lr_basis;

/* A basis with no columns and room for capacity of them. */
LRGD_MUST_CHECK lrgd_status lr_basis_init(lr_basis *U, lrgd_space *space,
                                          const lrgd_allocator *a,
                                          size_t capacity);
void lr_basis_clear(lr_basis *U); /* frees; safe on a zeroed struct */

/* Column j. */
lrgd_vec lr_basis_column(const lr_basis *U, size_t j);

/* Appends the part of w outside U, normalised; w is overwritten by it.  *kept
 * is false, and U unchanged, where that part is below cut times |w|: w then
 * lies in the span of U up to rounding. */
LRGD_MUST_CHECK lrgd_status lr_basis_append(lr_basis *U, lrgd_vec w, double cut,
                                            bool *kept);

/* w -= U U'w, and once more where much was taken off: what is left of a w
 * nearly in the span has lost its digits.  Returns the norm that is left. */
double lr_basis_reject(lr_basis *U, lrgd_vec w);
/* Removes the part of w in U; *first is the norm that w had (0: not finite). */
double lr_basis_reject_from(lr_basis *U, lrgd_vec w, double *first);

/* y += U z; c = U'g. */
void lr_basis_expand(const lr_basis *U, lrgd_vec y, const double *z);
void lr_basis_project(const lr_basis *U, lrgd_vec g, double *c);

/* Removes column j; the later ones move up. */
void lr_basis_drop(lr_basis *U, size_t j);

/* Room for capacity columns: the only place a basis allocates after init. */
LRGD_MUST_CHECK lrgd_status lr_basis_reserve(lr_basis *U, size_t capacity);

#endif
