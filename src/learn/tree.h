/* The minimum spanning tree of known points, rooted at one of them.
 *
 * A value and that of its parent make a difference quotient, which is the
 * derivative of a quadratic half-way, however near or far they are: so values
 * at all distances, those of finite differences and those of steps, become
 * data of one kind without cancellation. */
#ifndef LR_TREE_H
#define LR_TREE_H

#include "learn/known.h"

typedef struct lr_tree {
  lrgd_allocator allocator;
  size_t n;       /* points, the nearest to the root of all that are known */
  size_t *point;  /* which those are; the first is the root */
  size_t *parent; /* of each, one that comes before it; of the root, itself */
} lr_tree;

LRGD_MUST_CHECK lrgd_status lr_tree_init(lr_tree *tree, const lr_known *known,
                                         size_t root);
void lr_tree_clear(lr_tree *tree); /* frees; safe on a zeroed struct */

#endif
