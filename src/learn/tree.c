#include "learn/tree.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/vector.h"

#include <math.h>

/* The number of random projections that replace coordinates.  Distances between
 * projections are accurate to a third, and their cost does not depend on p. */
enum { LOOKS = 32 };

/* A point while the tree grows. */
typedef struct node {
  size_t point;
  size_t parent; /* the nearest node of the tree */
  double near;   /* squared distance to it */
  double at[LOOKS];
} node;

static double distance(const node *a, const node *b)
{
  double sum = 0;
  for (int i = 0; i < LOOKS; i++)
    sum += (a->at[i] - b->at[i]) * (a->at[i] - b->at[i]);
  return sum;
}

/* Sets the nodes' coordinates relative to the root: in few dimensions, the
 * coordinates themselves. */
static void stand(const lr_known *known, size_t root, node *nodes)
{
  size_t p = known->p;
  const double *zero = known->x + root * p;
  for (size_t i = 0; i < known->n; i++)
    for (size_t k = 0; k < p; k++)
      nodes[i].at[k] = known->x[i * p + k] - zero[k];
}

/* The projections of every node, relative to the root's. */
static lrgd_status project(const lr_known *known, size_t root, node *nodes)
{
  size_t p = known->p;
  if (p <= LOOKS) {
    stand(known, root, nodes);
    return LRGD_OK;
  }
  double *way = lr_alloc_raw(&known->allocator, p, sizeof *way);
  if (!way) return LRGD_ERR_NOMEM;
  for (uint64_t k = 0; k < LOOKS; k++) {
    lr_gaussian(0, k, 0, p, way);
    double zero = lr_dot(p, way, known->x + root * p);
    for (size_t i = 0; i < known->n; i++)
      nodes[i].at[k] = lr_dot(p, way, known->x + i * p) - zero;
  }
  lr_free(&known->allocator, way);
  return LRGD_OK;
}

static void exchange(node *a, node *b)
{
  node c = *a;
  *a = *b;
  *b = c;
}

/* Moves the `keep` nodes nearest to nodes[0] to the front, by quickselect. */
static void nearest_first(node *nodes, size_t n, size_t keep)
{
  size_t low = 1, high = n - 1;
  for (size_t i = 1; i < n; i++) nodes[i].near = distance(&nodes[i], nodes);
  while (low < high) {
    double pivot = nodes[low + (high - low) / 2].near;
    size_t i = low, j = high;
    while (i <= j) {
      while (nodes[i].near < pivot) i++;
      while (nodes[j].near > pivot) j--;
      if (i > j) break;
      exchange(&nodes[i++], &nodes[j--]);
    }
    if (keep <= j)
      high = j;
    else if (keep >= i)
      low = i;
    else
      break;
  }
}

/* Prim's algorithm: repeatedly adds the node nearest to the tree. */
static void grow(node *nodes, size_t n, lr_tree *tree)
{
  for (size_t i = 1; i < n; i++) {
    nodes[i].near = distance(&nodes[i], nodes);
    nodes[i].parent = 0;
  }
  tree->point[0] = nodes[0].point;
  tree->parent[0] = 0;
  for (size_t done = 1; done < n; done++) {
    size_t next = done;
    for (size_t i = done + 1; i < n; i++)
      if (nodes[i].near < nodes[next].near) next = i;
    exchange(&nodes[done], &nodes[next]);
    tree->point[done] = nodes[done].point;
    tree->parent[done] = nodes[done].parent;
    for (size_t i = done + 1; i < n; i++) {
      double near = distance(&nodes[i], &nodes[done]);
      if (!(near < nodes[i].near)) continue;
      nodes[i].near = near;
      nodes[i].parent = done;
    }
  }
  tree->n = n;
}

static double true_distance(const lr_known *known, size_t i, size_t j)
{
  const double *x = known->x + i * known->p, *y = known->x + j * known->p;
  double sum = 0;
  for (size_t k = 0; k < known->p; k++) sum += (x[k] - y[k]) * (x[k] - y[k]);
  return sum;
}

/* Corrects errors of the projected distances by true ones.  The tips of a star,
 * which are sqrt(2) times as far from each other as from its centre, may seem
 * nearest to each other: a node that is nearer to its grandparent than to its
 * parent becomes a child of the grandparent. */
static void straighten(lr_tree *tree, const lr_known *known)
{
  for (size_t i = 1; i < tree->n; i++) {
    size_t at = tree->parent[i];
    double near = true_distance(known, tree->point[i], tree->point[at]);
    while (at > 0) {
      size_t up = tree->parent[at];
      double next = true_distance(known, tree->point[i], tree->point[up]);
      if (!(next <= near)) break;
      at = up;
      near = next;
    }
    tree->parent[i] = at;
  }
}

lrgd_status lr_tree_init(lr_tree *tree, const lr_known *known, size_t root)
{
  const lrgd_allocator *a = &known->allocator;
  size_t most = (size_t)known->policy->tree_points;
  size_t n = known->n < most ? known->n : most;
  *tree = (lr_tree){.allocator = *a};
  tree->point = lr_alloc(a, n, sizeof *tree->point);
  tree->parent = lr_alloc(a, n, sizeof *tree->parent);
  node *nodes = lr_alloc(a, known->n, sizeof *nodes);
  lrgd_status status = tree->point && tree->parent && nodes
                           ? project(known, root, nodes)
                           : LRGD_ERR_NOMEM;
  if (status == LRGD_OK) {
    for (size_t i = 0; i < known->n; i++) nodes[i].point = i;
    exchange(&nodes[0], &nodes[root]);
    if (n < known->n) nearest_first(nodes, known->n, n);
    grow(nodes, n, tree);
    straighten(tree, known);
  }
  lr_free(a, nodes);
  if (status != LRGD_OK) lr_tree_clear(tree);
  return status;
}

void lr_tree_clear(lr_tree *tree)
{
  if (!tree->point && !tree->parent) return;
  lr_free(&tree->allocator, tree->point);
  lr_free(&tree->allocator, tree->parent);
  *tree = (lr_tree){0};
}
