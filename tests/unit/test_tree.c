/* Minimum spanning trees of known points, against Prim's algorithm on plain
 * distances. */
#include "learn/tree.h"

#include "base/memory.h"
#include "chance.h"
#include "check.h"

#include <stdlib.h>

static lr_known values(size_t p, size_t n, const double *x)
{
  lrgd_evaluation *all = calloc(n, sizeof *all);
  lr_known known;
  if (!all) abort();
  for (size_t i = 0; i < n; i++)
    all[i] = (lrgd_evaluation){.x = x + i * p, .f = (double)i};
  if (lr_known_init(&known, &lr_malloc, p, n, all) != LRGD_OK) abort();
  free(all);
  return known;
}

static double apart(const lr_known *k, size_t i, size_t j)
{
  double sum = 0;
  for (size_t l = 0; l < k->p; l++) {
    double d = k->x[i * k->p + l] - k->x[j * k->p + l];
    sum += d * d;
  }
  return sqrt(sum);
}

/* The length of a minimum spanning tree. */
static double least_length(const lr_known *k)
{
  double *near = malloc(k->n * sizeof *near), sum = 0;
  if (!near) abort();
  for (size_t i = 0; i < k->n; i++) near[i] = apart(k, 0, i);
  near[0] = -1; /* in the tree */
  for (size_t done = 1; done < k->n; done++) {
    size_t next = 0;
    for (size_t i = 1; i < k->n; i++)
      if (near[i] >= 0 && (next == 0 || near[i] < near[next])) next = i;
    sum += near[next];
    near[next] = -1;
    for (size_t i = 1; i < k->n; i++)
      if (near[i] >= 0) near[i] = fmin(near[i], apart(k, next, i));
  }
  free(near);
  return sum;
}

/* Whether it is a tree of all points, whose parents come first. */
static bool is_tree(const lr_tree *t, size_t n, size_t root)
{
  bool *seen = calloc(n, sizeof *seen), good = t->n == n;
  if (!seen) abort();
  for (size_t i = 0; good && i < n; i++) {
    good = t->point[i] < n && !seen[t->point[i]];
    good &= i == 0 ? t->parent[0] == 0 : t->parent[i] < i;
    if (good) seen[t->point[i]] = true;
  }
  free(seen);
  return good && t->point[0] == root;
}

static double length(const lr_tree *t, const lr_known *k)
{
  double sum = 0;
  for (size_t i = 1; i < t->n; i++)
    sum += apart(k, t->point[i], t->point[t->parent[i]]);
  return sum;
}

/* As the points of a run lie: some a step apart from the one before, some a
 * small difference. */
static void wander(double *x, size_t p, size_t n, unsigned state)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < p; j++)
      x[i * p + j] = i == 0 ? 0
                            : x[(i - 1) * p + j] +
                                  chance(&state) * (i % 3 == 0 ? 1 : 1e-3);
}

TEST("in few dimensions the tree is a minimum spanning tree")
{
  static double x[60 * 32];
  for (size_t p = 1; p <= 32; p = 2 * p + (p == 1))
    for (size_t n = 1; n <= 60; n = 2 * n + 1)
      for (size_t root = 0; root < n; root += 1 + n / 3) {
        lr_tree tree;
        wander(x, p, n, (unsigned)(p * 100 + n));
        lr_known known = values(p, n, x);
        require(lr_tree_init(&tree, &known, root) == LRGD_OK, "made");
        check(is_tree(&tree, n, root), "p %zu, n %zu: it is a tree", p, n);
        check_near(length(&tree, &known), least_length(&known), 1e-12,
                   "p %zu, n %zu, root %zu", p, n, root);
        lr_tree_clear(&tree);
        lr_known_clear(&known);
      }
}

TEST("in many dimensions the tree is hardly longer than the minimum one")
{
  enum { Q = 300, N = 80 };
  static double x[N * Q];
  for (unsigned seed = 1; seed < 6; seed++) {
    lr_tree tree;
    wander(x, Q, N, seed);
    lr_known known = values(Q, N, x);
    require(lr_tree_init(&tree, &known, N / 2) == LRGD_OK, "made");
    check(is_tree(&tree, N, N / 2), "it is a tree");
    double least = least_length(&known), got = length(&tree, &known);
    check(got >= least * (1 - 1e-12) && got <= 1.05 * least,
          "seed %u: %g, and the least is %g", seed, got, least);
    lr_tree_clear(&tree);
    lr_known_clear(&known);
  }
}

/* Which node a point is. */
static size_t node_of(const lr_tree *t, size_t point)
{
  size_t i = 0;
  while (i < t->n && t->point[i] != point) i++;
  return i;
}

TEST("differences hang on the point around which they were taken")
{
  enum { Q = 50, STARS = 4, N = STARS * (Q + 1) };
  static double x[N * Q];
  unsigned state = 7;
  double centre[Q] = {0};
  for (size_t s = 0; s < STARS; s++) {
    for (size_t j = 0; j < Q; j++) centre[j] += chance(&state);
    for (size_t k = 0; k <= Q; k++)
      for (size_t j = 0; j < Q; j++)
        x[(s * (Q + 1) + k) * Q + j] = centre[j] + (k == j + 1 ? 1e-7 : 0);
  }
  lr_known known = values(Q, N, x);
  for (size_t root = 0; root < N; root += Q + 1) {
    lr_tree tree;
    size_t astray = 0, own = 0;
    require(lr_tree_init(&tree, &known, root) == LRGD_OK, "made");
    for (size_t i = 0; i < N; i++) {
      size_t at = node_of(&tree, i), hub = i - i % (Q + 1);
      if (i == hub) continue;
      /* the first of a star that the tree meets has its centre beyond it */
      bool joined = tree.parent[node_of(&tree, hub)] == at;
      astray += tree.point[tree.parent[at]] != hub && !joined;
      own += hub == root && tree.parent[at] == 0;
    }
    check_int(own, Q, "those of the root");
    check(50 * astray <= N, "root %zu: %zu tips hang elsewhere", root, astray);
    lr_tree_clear(&tree);
  }
  lr_known_clear(&known);
}

TEST("points that are repeated are in the tree as often")
{
  double x[12] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
  for (size_t p = 1; p <= 2; p++) {
    lr_tree tree;
    lr_known known = values(p, 12 / p, x);
    require(lr_tree_init(&tree, &known, 3) == LRGD_OK, "made");
    check(is_tree(&tree, 12 / p, 3), "p %zu: it is a tree", p);
    check_near(length(&tree, &known), p == 1 ? 1 : sqrt(2), 1e-15, "length");
    lr_tree_clear(&tree);
    lr_known_clear(&known);
  }
}

TEST("of very many points the tree takes those nearest to its root")
{
  enum { N = 5000, MOST = 3000 };
  double *x = malloc(N * sizeof *x);
  lr_tree tree;
  if (!x) abort();
  for (size_t i = 0; i < N; i++) x[i] = (double)((i * 1009) % N);
  lr_known known = values(1, N, x);
  require(lr_tree_init(&tree, &known, 0) == LRGD_OK, "made"); /* at 0 */
  require(tree.n == MOST, "%d points, not %zu", MOST, tree.n);
  size_t far = 0;
  for (size_t i = 0; i < MOST; i++) far += !(x[tree.point[i]] < MOST);
  check_int(far, 0, "points beyond the nearest");
  check_near(length(&tree, &known), MOST - 1, 1e-12, "length");
  lr_tree_clear(&tree);
  lr_known_clear(&known);
  free(x);
}
