/* The minimum spanning tree of known points, rooted at one of them.
 *
 * The difference quotient of the values at a point and at its parent is the
 * derivative of a quadratic at their midpoint, whatever their distance: so
 * points of finite differences and of steps give data of one kind, without
 * cancellation. */
#ifndef LR_TREE_H
#define LR_TREE_H

#include "learn/known.h"

typedef struct lr_tree {
  lrgd_allocator allocator;
  size_t n;       /* nodes: the known points nearest to the root */
  size_t *point;  /* the evaluation of each; the first is the root */
  size_t *parent; /* the node it is connected to; the root is its own */
} lr_tree;

LRGD_MUST_CHECK lrgd_status lr_tree_init(lr_tree *tree, const lr_known *known,
                                         size_t root);
void lr_tree_clear(lr_tree *tree); /* frees; safe on a zeroed struct */

#endif
