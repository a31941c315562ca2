/* One suite of the space's verbs for every backend.  Who includes it has
 * defined the table before: a new backend is one line of it, how it is made,
 * how many digits it has, and over how many processes it is spread.
 *
 *   #include "conformance/backend.h"
 *   static const backend backends[] = {...};
 *   enum { BACKENDS = sizeof backends / sizeof *backends };
 *   #include "conformance/spaces.h"
 */
#ifndef CONFORMANCE_SPACES_H
#define CONFORMANCE_SPACES_H

#include "conformance/spaces_room.h"

static void slices(room *r)
{
  double x[P], y[P], part[10] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  exact_numbers(x);
  put(r, X, x);
  fetch(r, X, y);
  check(memcmp(x, y, sizeof x) == 0, "what went in comes out");
  r->ops->put(r->space, at(r, X), 100, 10, part);
  fetch(r, X, y);
  for (int i = 0; i < P; i++)
    check(y[i] == (i >= 100 && i < 110 ? part[i - 100] : x[i]), "number %d", i);
  r->ops->get(r->space, at(r, X), P - 1, 1, part);
  check(part[0] == x[P - 1], "the last number alone");
}

TEST("import and export move slices exactly")
{
  on_all(slices);
}

static void copies(room *r)
{
  double a[P], b[P];
  r->ops->copy(r->space, at(r, W), at(r, 0), K);
  for (size_t j = 0; j < K; j++) {
    fetch(r, j, a);
    fetch(r, W + j, b);
    check(memcmp(a, b, sizeof a) == 0, "column %zu", j);
  }
}

TEST("copy takes many columns at once")
{
  on_all(copies);
}

static void scales(room *r)
{
  double x[P], y[P];
  exact_numbers(x);
  put(r, X, x);
  r->ops->scale(r->space, at(r, X), -0.5);
  fetch(r, X, y);
  for (int i = 0; i < P; i++) check(y[i] == -0.5 * x[i], "number %d", i);
  x[3] = NAN;
  x[4] = INFINITY;
  put(r, X, x);
  r->ops->scale(r->space, at(r, X), 0);
  fetch(r, X, y);
  for (int i = 0; i < P; i++) check(y[i] == 0, "zero of anything: %d", i);
}

TEST(
    "scale multiplies, and scaling by zero gives zero even for NaN and "
    "Inf")
{
  on_all(scales);
}

static void adds(room *r)
{
  double c[K] = {1, -2, 3, -4, 5}, want[P], x[P], u[P];
  exact_numbers(want);
  put(r, Y, want);
  r->ops->add(r->space, at(r, Y), at(r, 0), K, c);
  for (size_t j = 0; j < K; j++) {
    fetch(r, j, u);
    for (int i = 0; i < P; i++) want[i] += c[j] * u[i];
  }
  fetch(r, Y, x);
  for (int i = 0; i < P; i++)
    check_within(x[i], want[i], 60 * r->eps, "number %d", i);
  r->ops->add(r->space, at(r, Y), at(r, 0), 0, c);
  fetch(r, Y, u);
  check(memcmp(x, u, sizeof x) == 0, "no columns change nothing");
}

TEST("add gives y + U c")
{
  on_all(adds);
}

static void many(room *r)
{
  enum { M = 150 }; /* more than a backend converts at a time */
  double c[M], d[M], sum[P], u[P];
  lrgd_block *U = r->ops->make(r->space, M);
  for (size_t j = 0; j < M; j++) {
    r->ops->gaussian(r->space, (lrgd_vec){U, j}, 2, j);
    c[j] = (double)(j % 7) - 3;
  }
  fill(r, Y, 0);
  r->ops->add(r->space, at(r, Y), (lrgd_vec){U, 0}, M, c);
  fetch(r, Y, sum);
  for (size_t j = 0; j < M; j++) {
    r->ops->get(r->space, (lrgd_vec){U, j}, 0, P, u);
    for (int i = 0; i < P; i++) sum[i] -= c[j] * u[i];
  }
  for (int i = 0; i < P; i++)
    check_within(sum[i], 0, 1e4 * r->eps, "number %d", i);
  r->ops->gaussian(r->space, at(r, X), 3, 0);
  fetch(r, X, sum);
  r->ops->dot(r->space, (lrgd_vec){U, 0}, M, at(r, X), d);
  for (size_t j = 0; j < M; j++) {
    double want = 0;
    r->ops->get(r->space, (lrgd_vec){U, j}, 0, P, u);
    for (int i = 0; i < P; i++) want += u[i] * sum[i];
    check_within(d[j], want, 300 * r->eps, "column %zu", j);
  }
  r->ops->free(r->space, U);
}

TEST("add and dot take more columns than fit into one chunk")
{
  on_all(many);
}

static void places(room *r)
{
  double x[P], u[P], y[P];
  r->ops->gaussian(r->space, at(r, X), 4, 0);
  r->ops->axpy_into(r->space, at(r, Y), at(r, X), at(r, 1), -0.25);
  fetch(r, X, x);
  fetch(r, 1, u);
  fetch(r, Y, y);
  for (int i = 0; i < P; i++)
    check_within(y[i], x[i] - 0.25 * u[i], 4 * r->eps, "number %d", i);
}

TEST("axpy_into gives x + t u")
{
  on_all(places);
}

static void dots(room *r)
{
  double c[K], g[P], u[P];
  r->ops->gaussian(r->space, at(r, X), 9, 9);
  r->ops->dot(r->space, at(r, 0), K, at(r, X), c);
  fetch(r, X, g);
  for (size_t j = 0; j < K; j++) {
    double want = 0;
    fetch(r, j, u);
    for (int i = 0; i < P; i++) want += u[i] * g[i];
    check_within(c[j], want, 300 * r->eps, "column %zu", j);
  }
}

TEST("dot gives U'g")
{
  on_all(dots);
}

static void grams(room *r)
{
  double G[K * K], c[K];
  r->ops->gram(r->space, at(r, 0), K, G);
  for (size_t j = 0; j < K; j++) {
    r->ops->dot(r->space, at(r, 0), K, at(r, j), c);
    for (size_t i = 0; i < K; i++) {
      check_within(G[j * K + i], c[i], 600 * r->eps, "entry %zu,%zu", i, j);
      check(G[j * K + i] == G[i * K + j], "symmetric at %zu,%zu", i, j);
    }
  }
}

TEST("gram gives U'U, and is symmetric")
{
  on_all(grams);
}

static void combines(room *r)
{
  double C[K * 2] = {1, 2, 3, 4, 5, -1, 0, 1, 0, -1}, y[P], u[P], want[P];
  r->ops->combine(r->space, at(r, W), 2, at(r, 0), K, C);
  for (size_t m = 0; m < 2; m++) {
    memset(want, 0, sizeof want);
    for (size_t j = 0; j < K; j++) {
      fetch(r, j, u);
      for (int i = 0; i < P; i++) want[i] += C[m * K + j] * u[i];
    }
    fetch(r, W + m, y);
    for (int i = 0; i < P; i++)
      check_within(y[i], want[i], 100 * r->eps, "column %zu, number %d", m, i);
  }
}

TEST("combine gives W = U C")
{
  on_all(combines);
}

static void measures(room *r)
{
  static const double shares[] = {1, 0x1p-40, 0x1p-80, 0x1p40, 0x1p60};
  double x[P], norm = -1;
  exact_numbers(x);
  put(r, X, x);
  double want = 0;
  for (int i = 0; i < P; i++) want += x[i] * x[i];
  for (int i = 0; i < 5; i++) {
    double y[P];
    for (int j = 0; j < P; j++) y[j] = x[j] * shares[i];
    put(r, X, y);
    check(r->ops->measure(r->space, at(r, X), &norm), "finite");
    check_near(norm, sqrt(want) * shares[i], 50 * r->eps, "share %g",
               shares[i]);
  }
}

TEST("measure gives the norm")
{
  on_all(measures);
}

static void extremes(room *r)
{
  double norm = -1, root = sqrt(P);
  fill(r, X, r->b->largest / 32);
  check(r->ops->measure(r->space, at(r, X), &norm), "huge is finite");
  check_near(norm, r->b->largest / 32 * root, 1e-5, "huge");
  fill(r, X, r->b->smallest / 4); /* a denormal number */
  check(r->ops->measure(r->space, at(r, X), &norm), "tiny is finite");
  check_near(norm, r->b->smallest / 4 * root, 1e-5, "tiny");
  fill(r, X, r->b->largest);
  check(r->ops->measure(r->space, at(r, X), &norm) && isfinite(norm),
        "a norm beyond the largest number is finite: %g", norm);
  fill(r, X, 0);
  check(r->ops->measure(r->space, at(r, X), &norm) && norm == 0, "zero");
}

TEST("measure neither overflows nor underflows on the way")
{
  on_all(extremes);
}

static void odd(room *r)
{
  static const double wrong[] = {NAN, INFINITY, -INFINITY};
  static const int places_of[] = {0, 100, P - 1};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double x[P] = {0}, norm;
      x[places_of[j]] = wrong[i];
      put(r, X, x);
      check(!r->ops->measure(r->space, at(r, X), &norm), "%g at %d", wrong[i],
            places_of[j]);
    }
}

TEST("measure detects a NaN or Inf anywhere")
{
  on_all(odd);
}

TEST("Gaussian numbers depend on seed, stream and index only, in any backend")
{
  double first[P], x[P];
  for (int i = 0; i < BACKENDS; i++) {
    room r = enter(i);
    r.ops->gaussian(r.space, at(&r, X), 42, 7);
    fetch(&r, X, x);
    if (i == 0) memcpy(first, x, sizeof x);
    for (int j = 0; j < P; j++)
      check_within(x[j], first[j], 8 * r.eps, "%s, number %d", r.b->name, j);
    leave(&r);
  }
}

static void bumps(room *r)
{
  double x[P], y[P];
  exact_numbers(x);
  put(r, X, x);
  check(r->ops->add_at(r->space, at(r, X), 17, 0.25) == 0.25, "an exact step");
  fetch(r, X, y);
  for (int i = 0; i < P; i++)
    check(y[i] == x[i] + (i == 17 ? 0.25 : 0), "number %d", i);
  fill(r, X, 1);
  double h = 0.7 * r->eps, change = r->ops->add_at(r->space, at(r, X), 0, h);
  fetch(r, X, y);
  check(change == y[0] - 1, "the change after rounding is %g", change);
}

TEST("add_at moves one coordinate and returns the change after rounding")
{
  on_all(bumps);
}

/* ---- boxes: every third coordinate free, bounded, one-sided ---- */

static lrgd_box box(room *r)
{
  double lower[P], upper[P];
  for (int i = 0; i < P; i++) {
    lower[i] = i % 3 == 0 ? -INFINITY : -0.5;
    upper[i] = i % 3 == 1 ? 0.5 : INFINITY;
  }
  put(r, LOWER, lower);
  put(r, UPPER, upper);
  return (lrgd_box){at(r, LOWER), at(r, UPPER)};
}

static void clips(room *r)
{
  double x[P], y[P], lower[P], upper[P];
  lrgd_box b = box(r);
  size_t moved = 0;
  exact_numbers(x);
  put(r, X, x);
  fetch(r, LOWER, lower);
  fetch(r, UPPER, upper);
  size_t said = r->ops->clip(r->space, at(r, X), b);
  fetch(r, X, y);
  for (int i = 0; i < P; i++) {
    double want = fmin(fmax(x[i], lower[i]), upper[i]);
    moved += want != x[i];
    check(y[i] == want, "number %d", i);
  }
  check_int(said, moved, "how many moved");
  check_int(r->ops->clip(r->space, at(r, X), b), 0, "and none again");
}

TEST("clip moves a point into the box and counts the coordinates moved")
{
  on_all(clips);
}

static void reaches(room *r)
{
  double x[P] = {0}, u[P] = {0}, back, ahead;
  lrgd_box b = box(r);
  x[1] = 0.25; /* between -0.5 and 0.5 */
  u[1] = 0.5;
  u[3] = 1; /* free */
  put(r, X, x);
  put(r, Y, u);
  r->ops->max_step(r->space, at(r, X), at(r, Y), b, &back, &ahead);
  check(ahead == 0.5 && back == 1.5, "back %g, ahead %g", back, ahead);
  u[1] = -0.5;
  put(r, Y, u);
  r->ops->max_step(r->space, at(r, X), at(r, Y), b, &back, &ahead);
  check(ahead == 1.5 && back == 0.5, "back %g, ahead %g", back, ahead);
  u[1] = 0;
  put(r, Y, u);
  r->ops->max_step(r->space, at(r, X), at(r, Y), b, &back, &ahead);
  check(ahead == INFINITY && back == INFINITY, "no bound in the way");
}

TEST("max_step is the largest step on either side that stays in the box")
{
  on_all(reaches);
}

static void holds(room *r)
{
  double x[P] = {0}, u[P];
  lrgd_box b = box(r);
  x[1] = 0.5;   /* at its upper bound */
  x[2] = -0.45; /* near its lower one */
  x[4] = 0.3;   /* further away */
  put(r, X, x);
  fill(r, Y, 1);
  r->ops->zero_near_bounds(r->space, at(r, Y), at(r, X), b, 0.125);
  fetch(r, Y, u);
  check(u[1] == 0 && u[2] == 0, "held within the margin");
  check(u[0] == 1 && u[3] == 1 && u[4] == 1, "free elsewhere");
}

TEST(
    "zero_near_bounds zeroes the coordinates within a margin of their "
    "bounds")
{
  on_all(holds);
}

static void free_norms(room *r)
{
  double x[P] = {0}, g[P] = {0}, huge = r->b->largest / 4;
  lrgd_box b = box(r);
  x[1] = 0.5;
  x[2] = -0.5;
  x[4] = -0.5;
  g[1] = -7; /* -g points out of the box: held */
  g[2] = 5;  /* held */
  g[4] = -3; /* points inward: free */
  g[3] = 4;  /* no bound */
  put(r, X, x);
  put(r, Y, g);
  check_near(r->ops->free_norm(r->space, at(r, Y), at(r, X), b), 5, 4 * r->eps,
             "without what bounds hold");
  g[3] = g[4] = 0;
  put(r, Y, g);
  check(r->ops->free_norm(r->space, at(r, Y), at(r, X), b) == 0, "all held");
  g[3] = huge;
  g[6] = huge;
  put(r, Y, g);
  check_near(r->ops->free_norm(r->space, at(r, Y), at(r, X), b), huge * sqrt(2),
             1e-6, "safe from overflow");
}

TEST("free_norm leaves out coordinates at active bounds")
{
  on_all(free_norms);
}

static void folds(room *r)
{
  double y[P], x[P], lower[P], upper[P];
  lrgd_box b = box(r);
  for (int i = 0; i < P; i++) y[i] = 5 * sin(i) * (i % 7 == 0 ? 1000 : 1);
  put(r, Y, y);
  fetch(r, Y, y); /* as the element type holds it */
  r->ops->map_to_box(r->space, at(r, X), at(r, Y), b);
  fetch(r, X, x);
  fetch(r, LOWER, lower);
  fetch(r, UPPER, upper);
  for (int i = 0; i < P; i++) {
    check(x[i] >= lower[i] && x[i] <= upper[i], "%g became %g", y[i], x[i]);
    if (i % 3 == 0) check(x[i] == y[i], "no bound, no fold: %d", i);
  }
  r->ops->map_from_box(r->space, at(r, Y), at(r, X), b);
  r->ops->map_to_box(r->space, at(r, Y), at(r, Y), b); /* in place */
  fetch(r, Y, y);
  for (int i = 0; i < P; i++)
    check_within(y[i], x[i], 0.1, "fold of unfold is near: %d", i);
}

TEST("map_to_box maps any point into the box, and map_from_box nearly back")
{
  on_all(folds);
}

TEST("blocks larger than memory are NULL, and freeing NULL has no effect")
{
  for (int i = 0; i < BACKENDS; i++) {
    room r = enter(i);
    check(!r.ops->make(r.space, SIZE_MAX / 2), "%s", r.b->name);
    r.ops->free(r.space, NULL);
    leave(&r);
  }
}

TEST("a space of dimension 0, or with 2^31 numbers in one process, is refused")
{
  for (int i = 0; i < BACKENDS; i++) {
    size_t most = backends[i].processes * ((size_t)1 << 31);
    check(!backends[i].make(0), "%s: 0", backends[i].name);
    check(!backends[i].make(most), "%s: %zu", backends[i].name, most);
  }
}

#endif
