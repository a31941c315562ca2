#include "learn/fit.h"

#include "base/dense.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/vector.h"
#include "learn/regression.h"
#include "learn/tree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  DENSE = 200, /* inputs: below, all of space is fitted; above, a subspace of at
                  most so many dimensions */
  DATA = 500   /* derivatives that are fitted, the nearest: their cube is the
                  time it takes */
};

/* Second derivatives below this share of the largest are rounding. */
static const double least_bend = 1e-6;

/* Posterior standard deviations by which a second derivative must differ from
 * zero to be known: a model that takes an unknown one for small makes long
 * steps along it.  Along random directions all are of one size, and known well
 * or not at all. */
static const double sure = 2, sure_along_random = 5;

/* The share of the way from a point with a gradient to the lowest that lies in
 * the span of all gradients, if that was a quasi-Newton step. */
static const double of_the_way = 0.9;

/* The share of later evaluations below which something is not at work. */
static const double rarely = 0.05;

/* Steps along an input that make a finite difference, relative to its size. */
static const double shortest_step = 1e-9, longest_step = 1e-3;

/* A derivative that is known.  EDGE: from the values at two points; SLOPE and
 * GRADIENT: as it was answered; GATHERED: a gradient whose entries are
 * differences along the coordinates. */
typedef enum source { EDGE, SLOPE, GRADIENT, GATHERED } source;

typedef struct datum {
  source from;
  size_t a, b; /* points: of an edge, the parent and the child */
  size_t hub;  /* of a gathered gradient, its number */
  double far;  /* distance from the lowest point */
  double d;    /* the derivative */
  double t;    /* length of an edge */
} datum;

typedef struct builder {
  const lr_known *known;
  const double *origin;
  lr_tree tree;
  double noise;
  size_t p;
  datum *data;
  size_t count;
  double *hubs; /* p numbers each: gathered gradients, 0 where not known */
  bool *filled; /* which of them are known */
  size_t hub_count;
  bool newton; /* the lowest point was found with whole gradients */
  double *W;   /* p x q: the subspace; NULL: all of space */
  size_t q;
  size_t *kept;    /* dimensions of the subspace that the fit keeps */
  double *u, *mid; /* p each: a direction and where */
  lr_regression r;
} builder;

static const double *point(const builder *b, size_t i)
{
  return b->known->x + i * b->p;
}

/* ---- data ---- */

/* b->u = child - parent, b->mid = half-way, from the origin.  Returns the
 * number of coordinates that differ, the last of which is *only. */
static size_t place_edge(builder *b, size_t parent, size_t child, size_t *only)
{
  const double *x = point(b, parent), *y = point(b, child);
  size_t differ = 0;
  for (size_t i = 0; i < b->p; i++) {
    b->u[i] = y[i] - x[i];
    b->mid[i] = 0.5 * (x[i] - b->origin[i]) + 0.5 * (y[i] - b->origin[i]);
    if (b->u[i] == 0) continue;
    differ++;
    *only = i;
  }
  return differ;
}

static void place_point(builder *b, size_t i)
{
  const double *x = point(b, i);
  for (size_t j = 0; j < b->p; j++) b->mid[j] = x[j] - b->origin[j];
}

/* Adds the derivative that evaluation i answered, if any. */
static void add_answered(builder *b, size_t i)
{
  const lr_known *k = b->known;
  if (k->kind[i] == LR_KNOWN_VALUE) return;
  place_point(b, i);
  b->data[b->count++] =
      (datum){.from = k->kind[i] == LR_KNOWN_SLOPE ? SLOPE : GRADIENT,
              .a = i,
              .b = i,
              .far = lr_norm(b->p, b->mid),
              .d = k->d[i]};
}

/* Whether the step just placed is one of a finite difference along an input. */
static bool is_difference(const builder *b, size_t differ, size_t only)
{
  if (differ != 1) return false; /* `only` is another edge's then */
  double size = 1 + fabs(b->origin[only] + b->mid[only]);
  double step = fabs(b->u[only]);
  return step >= shortest_step * size && step <= longest_step * size;
}

/* Places the edge from its parent to node i of the tree.  *only: the input
 * along which it is a finite difference; p: it is none. */
static void place_node(builder *b, size_t i, size_t *only)
{
  const lr_tree *t = &b->tree;
  size_t differ = place_edge(b, t->point[t->parent[i]], t->point[i], only);
  if (!is_difference(b, differ, *only)) *only = b->p;
}

/* A gathered gradient has the quotient of the edge just placed. */
static void fill_hub(builder *b, size_t hub, size_t input, double rise)
{
  b->hubs[hub * b->p + input] = rise / b->u[input];
  b->filled[hub * b->p + input] = true;
}

/* Adds the difference quotient of node i of the tree and its parent; an
 * input's goes to the gradient gathered at the parent, where there is one
 * (hub_of[parent] > 0), or at the node: where the tree meets a star at one of
 * its tips, the centre hangs on that. */
static void add_edge(builder *b, size_t i, const size_t *hub_of)
{
  size_t up = b->tree.parent[i], only = 0;
  size_t parent = b->tree.point[up], child = b->tree.point[i];
  place_node(b, i, &only);
  double t = lr_norm(b->p, b->u);
  double rise = b->known->f[child] - b->known->f[parent];
  if (!(t > 0)) return;
  if (only < b->p && (hub_of[up] > 0 || hub_of[i] > 0)) {
    if (hub_of[up] > 0) fill_hub(b, hub_of[up] - 1, only, rise);
    if (hub_of[i] > 0) fill_hub(b, hub_of[i] - 1, only, rise);
    return;
  }
  b->data[b->count++] = (datum){.from = EDGE,
                                .a = parent,
                                .b = child,
                                .far = lr_norm(b->p, b->mid),
                                .d = rise / t,
                                .t = t};
}

/* hub_of[i] = the number, from 1, of the gradient gathered at node i of the
 * tree, from which differences along at least half of all inputs lead off; 0:
 * none. */
static lrgd_status gather(builder *b, size_t *hub_of)
{
  size_t n = b->tree.n, only = 0;
  for (size_t i = 1; i < n; i++) {
    place_node(b, i, &only);
    if (only < b->p) hub_of[b->tree.parent[i]]++;
  }
  for (size_t i = 0; i < n; i++)
    hub_of[i] = 2 * hub_of[i] >= b->p ? ++b->hub_count : 0;
  if (b->hub_count == 0) return LRGD_OK;
  size_t entries = b->hub_count * b->p;
  b->hubs = lr_alloc(&b->known->allocator, entries, sizeof *b->hubs);
  b->filled = lr_alloc(&b->known->allocator, entries, sizeof *b->filled);
  if (!b->hubs || !b->filled) return LRGD_ERR_NOMEM;
  for (size_t i = 0; i < n; i++) {
    if (hub_of[i] == 0) continue;
    place_point(b, b->tree.point[i]);
    b->data[b->count++] = (datum){.from = GATHERED,
                                  .a = b->tree.point[i],
                                  .b = b->tree.point[i],
                                  .hub = hub_of[i] - 1,
                                  .far = lr_norm(b->p, b->mid)};
  }
  return LRGD_OK;
}

static lrgd_status collect(builder *b)
{
  const lr_known *k = b->known;
  const lrgd_allocator *a = &k->allocator;
  size_t *hub_of = lr_alloc(a, b->tree.n, sizeof *hub_of);
  b->data = lr_alloc(a, 2 * b->tree.n + k->n, sizeof *b->data);
  lrgd_status status = hub_of && b->data ? LRGD_OK : LRGD_ERR_NOMEM;
  if (status == LRGD_OK) status = gather(b, hub_of);
  for (size_t i = 1; status == LRGD_OK && i < b->tree.n; i++) {
    /* a measurement of noise: it tells of one direction, far too finely */
    size_t child = b->tree.point[i], up = b->tree.point[b->tree.parent[i]];
    bool line = lr_known_on_line(k, child) && lr_known_on_line(k, up);
    if (!line) add_edge(b, i, hub_of);
  }
  for (size_t i = 0; status == LRGD_OK && i < k->n; i++) add_answered(b, i);
  lr_free(a, hub_of);
  return status;
}

static bool whole(const datum *x)
{
  return x->from == GRADIENT || x->from == GATHERED;
}

static int by_distance(const void *left, const void *right)
{
  const datum *a = left, *b = right;
  if (a->far != b->far) return a->far < b->far ? -1 : 1;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return (a->b > b->b) - (a->b < b->b);
}

static const double *gradient(const builder *b, const datum *x)
{
  return x->from == GATHERED ? b->hubs + x->hub * b->p
                             : b->known->v + x->a * b->p;
}

/* b->u: the unit direction of a datum that is no gradient; b->mid: where. */
static void place(builder *b, const datum *x)
{
  size_t only = 0;
  if (x->from == EDGE) {
    (void)place_edge(b, x->a, x->b, &only);
    for (size_t i = 0; i < b->p; i++) b->u[i] /= x->t;
    return;
  }
  place_point(b, x->a);
  if (x->from == SLOPE)
    memcpy(b->u, b->known->v + x->a * b->p, b->p * sizeof *b->u);
}

/* ---- the subspace ---- */

/* Takes the part of v outside W into W, if it is more than a hundredth. */
static void widen(builder *b, double *v)
{
  double before = lr_norm(b->p, v);
  if (b->q >= DENSE || b->q >= b->p || !(before > 0)) return;
  for (int twice = 0; twice < 2; twice++)
    for (size_t j = 0; j < b->q; j++) {
      const double *w = b->W + j * b->p;
      double c = lr_dot(b->p, w, v);
      for (size_t i = 0; i < b->p; i++) v[i] -= c * w[i];
    }
  double left = lr_norm(b->p, v);
  if (!(left > 1e-2 * before)) return;
  double *w = b->W + b->q++ * b->p;
  for (size_t i = 0; i < b->p; i++) w[i] = v[i] / left;
}

/* The span of gradients and of the ways to where they were taken. */
static void span_gradients(builder *b)
{
  for (size_t i = 0; i < b->count; i++) {
    if (!whole(&b->data[i])) continue;
    memcpy(b->u, gradient(b, &b->data[i]), b->p * sizeof *b->u);
    widen(b, b->u);
    place_point(b, b->data[i].a);
    widen(b, b->mid);
  }
}

static int by_time(const void *left, const void *right)
{
  const datum *a = left, *b = right;
  size_t first = a->a > a->b ? a->a : a->b, second = b->a > b->b ? b->a : b->b;
  return (first > second) - (first < second);
}

/* The span of directions in the order in which they were looked along. */
static void span_directions(builder *b)
{
  qsort(b->data, b->count, sizeof *b->data, by_time);
  for (size_t i = 0; i < b->count; i++) {
    if (whole(&b->data[i])) continue;
    place(b, &b->data[i]);
    widen(b, b->u);
  }
  qsort(b->data, b->count, sizeof *b->data, by_distance);
}

static lrgd_status span(builder *b)
{
  if (b->newton && b->p <= DENSE) {
    b->q = b->p; /* all of space */
    return LRGD_OK;
  }
  size_t most = b->p < DENSE ? b->p : DENSE;
  b->W = lr_alloc_raw(&b->known->allocator, most * b->p, sizeof *b->W);
  if (!b->W) return LRGD_ERR_NOMEM;
  if (b->newton) span_gradients(b);
  span_directions(b);
  return LRGD_OK;
}

/* z = W'v; returns the share of v that W holds. */
static double project(const builder *b, const double *v, double *z)
{
  if (!b->W) {
    memcpy(z, v, b->p * sizeof *z);
    return 1;
  }
  for (size_t j = 0; j < b->q; j++) z[j] = lr_dot(b->p, b->W + j * b->p, v);
  double all = lr_norm(b->p, v);
  return all > 0 ? lr_norm(b->q, z) / all : 1;
}

/* ---- the regression ---- */

static double value_error(const builder *b, const datum *x)
{
  double f = fmax(fabs(b->known->f[x->a]), fabs(b->known->f[x->b]));
  return fmax(b->noise, 4 * DBL_EPSILON * f);
}

/* How far a gathered gradient may be off along a dimension of a subspace, as
 * some of its entries are not known. */
static double missing(const builder *b, const datum *x)
{
  const bool *filled = b->filled + x->hub * b->p;
  size_t known = 0;
  for (size_t i = 0; i < b->p; i++) known += filled[i];
  double share = (double)(b->p - known) / (double)b->p;
  return lr_norm(b->p, gradient(b, x)) * sqrt(share / (double)known);
}

/* A gradient: its derivative along every dimension of the subspace.  z: q
 * numbers, scratch. */
static void regress_gradient(builder *b, const datum *x, double *z)
{
  lr_regression *r = &b->r;
  size_t q = b->q;
  bool gathered = x->from == GATHERED;
  double off = gathered && b->W ? missing(b, x) : 0;
  if (r->n + q > DATA + DENSE) return;
  place_point(b, x->a);
  (void)project(b, gradient(b, x), z);
  for (size_t j = 0; j < q; j++) {
    double *u = r->u + r->n * q;
    if (gathered && !b->W && !b->filled[x->hub * b->p + j]) continue;
    memset(u, 0, q * sizeof *u);
    u[j] = 1;
    (void)project(b, b->mid, r->b + r->n * q);
    r->d[r->n] = z[j];
    r->off[r->n++] = gathered ? 1e-6 * fabs(z[j]) + off : 0;
  }
}

static void regress_slope(builder *b, const datum *x)
{
  lr_regression *r = &b->r;
  size_t q = b->q;
  place(b, x);
  if (project(b, b->u, r->u + r->n * q) < 0.99) return;
  (void)project(b, b->mid, r->b + r->n * q);
  r->d[r->n] = x->d;
  r->off[r->n] = x->from == EDGE ? 2 * value_error(b, x) / x->t : 0;
  r->n++;
}

static lrgd_status fill(builder *b)
{
  const lrgd_allocator *a = &b->known->allocator;
  lr_regression *r = &b->r;
  size_t room = DATA + DENSE;
  *r = (lr_regression){.q = b->q};
  r->u = lr_alloc(a, room * b->q, sizeof *r->u);
  r->b = lr_alloc(a, room * b->q, sizeof *r->b);
  r->d = lr_alloc(a, 2 * room + b->q, sizeof *r->d);
  if (!r->u || !r->b || !r->d) return LRGD_ERR_NOMEM;
  r->off = r->d + room;
  for (size_t i = 0; i < b->count && r->n < DATA; i++)
    if (whole(&b->data[i]))
      regress_gradient(b, &b->data[i], r->off + room);
    else
      regress_slope(b, &b->data[i]);
  return LRGD_OK;
}

/* ---- the fit ---- */

/* V gets W z, z being of length one, as its next column; g'z along it. */
static void keep(const builder *b, lr_fit *fit, const double *z, double slope)
{
  size_t p = b->p;
  double *v = fit->V + fit->q * p;
  if (!b->W) memcpy(v, z, p * sizeof *v);
  for (size_t i = 0; b->W && i < b->q; i++) {
    const double *w = b->W + i * p;
    for (size_t l = 0; z[i] != 0 && l < p; l++) v[l] += z[i] * w[l];
  }
  fit->g[fit->q++] = slope;
}

/* After quasi-Newton steps: the eigenvectors of B whose eigenvalues are known,
 * the largest first.  B is overwritten. */
static lrgd_status keep_eigenvectors(const builder *b, lr_fit *fit, size_t most,
                                     const double *g, double *B, double *lambda)
{
  size_t q = b->q, low = 0, high = q;
  lr_dense *dense = lr_dense_create(&fit->allocator, q);
  if (!dense) return LRGD_ERR_NOMEM;
  lrgd_status status = lr_eigen(dense, q, B, lambda);
  lr_dense_destroy(&dense);
  double largest = 0; /* the largest |lambda| are at the ends */
  if (status == LRGD_OK) largest = fmax(fabs(lambda[0]), fabs(lambda[q - 1]));
  while (status == LRGD_OK && low < high && fit->q < most) {
    size_t j = fabs(lambda[low]) > fabs(lambda[high - 1]) ? low++ : --high;
    const double *z = B + j * q;
    if (!(fabs(lambda[j]) > least_bend * largest)) break;
    if (!(fabs(lambda[j]) > sure * lr_regression_spread(&b->r, z))) continue;
    fit->B[fit->q * most + fit->q] = lambda[j];
    keep(b, fit, z, lr_dot(q, z, g));
  }
  return status;
}

/* Whether second derivatives along dimension j of the subspace, and between it
 * and those kept so far, are known: that along j itself, and along two sums of
 * all of them with random signs.  z: q numbers, scratch. */
static bool is_known(const builder *b, size_t kept, size_t j, double bend,
                     double *z)
{
  double most = fabs(bend) / sure_along_random;
  memset(z, 0, b->q * sizeof *z);
  z[j] = 1;
  bool known = lr_regression_spread(&b->r, z) < most;
  for (uint64_t twice = 0; twice < 2 && known && kept > 0; twice++) {
    uint32_t signs[4];
    z[j] = sqrt(0.5);
    for (size_t i = 0; i < kept; i++) {
      if (i % 128 == 0) lr_philox(twice, j, i / 128, signs);
      bool plus = signs[i % 128 / 32] >> i % 32 & 1;
      z[b->kept[i]] = (plus ? 1 : -1) * sqrt(0.5 / (double)kept);
    }
    known = lr_regression_spread(&b->r, z) < most;
  }
  return known;
}

/* After an embedding: the directions themselves, as far as it had come to know
 * them.  unit: q numbers, scratch. */
static void keep_directions(const builder *b, lr_fit *fit, size_t most,
                            const double *g, const double *B, double *unit)
{
  size_t q = b->q, *kept = b->kept;
  for (size_t j = 0; j < q && fit->q < most; j++) {
    if (!is_known(b, fit->q, j, B[j * q + j], unit)) continue;
    memset(unit, 0, q * sizeof *unit);
    unit[j] = 1;
    kept[fit->q] = j;
    for (size_t i = 0; i <= fit->q; i++)
      fit->B[fit->q * most + i] = fit->B[i * most + fit->q] =
          B[j * q + kept[i]];
    keep(b, fit, unit, g[j]);
  }
}

static bool make_room(builder *b, lr_fit *fit, size_t most)
{
  const lrgd_allocator *a = &fit->allocator;
  fit->V = lr_alloc(a, most * b->p, sizeof *fit->V);
  fit->g = lr_alloc(a, most, sizeof *fit->g);
  fit->B = lr_alloc(a, most * most, sizeof *fit->B);
  b->kept = lr_alloc(a, most, sizeof *b->kept);
  fit->room = most;
  return fit->V && fit->g && fit->B && b->kept;
}

static lrgd_status solve(builder *b, lr_fit *fit, size_t most)
{
  const lrgd_allocator *a = &fit->allocator;
  size_t q = b->q;
  double *B = lr_alloc(a, q * q, sizeof *B), *g = lr_alloc(a, 2 * q, sizeof *g);
  lrgd_status status =
      B && g && make_room(b, fit, most) ? LRGD_OK : LRGD_ERR_NOMEM;
  if (status == LRGD_OK) status = lr_regress(&b->r, a, g, B);
  fit->quadratic = status == LRGD_OK && b->r.bend == 0;
  if (status == LRGD_OK && b->newton)
    status = keep_eigenvectors(b, fit, most, g, B, g + q);
  else if (status == LRGD_OK)
    keep_directions(b, fit, most, g, B, g + q);
  lr_free(a, B);
  lr_free(a, g);
  return status == LRGD_ERR_NUMERIC ? LRGD_OK : status; /* q stays 0 */
}

/* The derivatives along single inputs that lead off from the lowest point. */
static lrgd_status keep_partial(builder *b, lr_fit *fit)
{
  const lr_known *k = b->known;
  for (size_t i = 1; i < b->tree.n; i++) {
    size_t only = 0;
    if (b->tree.parent[i] != 0) continue;
    place_node(b, i, &only);
    if (only == b->p) continue;
    if (!fit->partial) {
      fit->partial = lr_alloc(&fit->allocator, b->p, sizeof *fit->partial);
      if (!fit->partial) return LRGD_ERR_NOMEM;
      for (size_t j = 0; j < b->p; j++) fit->partial[j] = NAN;
    }
    double rise = k->f[b->tree.point[i]] - k->f[b->tree.point[0]];
    fit->partial[only] = rise / b->u[only];
  }
  return LRGD_OK;
}

/* p times the mean square of the derivatives at the first evaluation. */
static double steepness(const builder *b)
{
  double sum = 0;
  size_t n = 0;
  for (size_t i = 0; i < b->count; i++) {
    const datum *x = &b->data[i];
    if (x->a != 0 && x->b != 0) continue;
    if (whole(x)) return lr_norm(b->p, gradient(b, x));
    sum += x->d * x->d;
    n++;
  }
  return n > 0 ? sqrt((double)b->p * sum / (double)n) : 0;
}

/* Whether the lowest point is one with a gradient, or a step in the span of
 * gradients away from the nearest such (data are sorted by distance). */
static lrgd_status find_newton(builder *b)
{
  size_t near = 0, most = b->p < DENSE ? b->p : DENSE;
  while (near < b->count && !whole(&b->data[near])) near++;
  if (near == b->count) return LRGD_OK;
  b->newton = b->data[near].far == 0;
  if (b->newton) return LRGD_OK;
  b->W = lr_alloc_raw(&b->known->allocator, most * b->p, sizeof *b->W);
  double *z = lr_alloc(&b->known->allocator, most, sizeof *z);
  for (size_t i = near; b->W && z && i < b->count; i++) {
    if (!whole(&b->data[i])) continue;
    memcpy(b->u, gradient(b, &b->data[i]), b->p * sizeof *b->u);
    widen(b, b->u);
  }
  bool short_of = !b->W || !z;
  place_point(b, b->data[near].a);
  if (!short_of) b->newton = project(b, b->mid, z) > of_the_way;
  lr_free(&b->known->allocator, b->W);
  lr_free(&b->known->allocator, z);
  b->W = NULL;
  b->q = 0;
  return short_of ? LRGD_ERR_NOMEM : LRGD_OK;
}

/* Whether node i of the tree is the end of a finite difference along a
 * direction that is no input. */
static bool is_dense(builder *b, size_t i)
{
  size_t only = 0;
  if (lr_known_on_line(b->known, b->tree.point[i])) return false;
  place_node(b, i, &only);
  double size = 1 + lr_norm(b->p, b->origin);
  return only == b->p && lr_norm(b->p, b->u) <= longest_step * size;
}

/* Whether an embedding was at work until the end: some of the last evaluations
 * were differences along directions that are no inputs.  (It may have waited
 * for one gradient: that many are looked at, and half as many again.) */
static bool find_embedding(builder *b)
{
  size_t dense = 0, all = 0, last = b->p + b->p / 2 + 30;
  for (size_t i = 1; i < b->tree.n; i++) {
    if (b->tree.point[i] + last < b->known->n) continue;
    all++;
    dense += is_dense(b, i);
  }
  return b->known->n < last || (double)dense > rarely * (double)all;
}

/* Whether an embedding was tried: it comes first, so that a difference along
 * such a direction comes before any along an input. */
static bool find_attempt(builder *b)
{
  size_t dense = b->known->n, inputs = b->known->n, only = 0;
  for (size_t i = 1; i < b->tree.n; i++) {
    size_t at = b->tree.point[i];
    place_node(b, i, &only);
    if (only < b->p && at < inputs)
      inputs = at;
    else if (at < dense && is_dense(b, i))
      dense = at;
  }
  return dense < inputs;
}

/* What is known besides. */
static lrgd_status describe(builder *b, lr_fit *fit)
{
  fit->steepness = steepness(b);
  lrgd_status status = find_newton(b);
  fit->newton = b->newton;
  for (size_t i = 0; i < b->count; i++)
    fit->gradient_first |= whole(&b->data[i]) && b->data[i].a == 0;
  fit->embedding = !find_attempt(b) || (!b->newton && find_embedding(b));
  for (size_t i = 0; i < b->count && i < DATA; i++)
    fit->reach = fmax(fit->reach, b->data[i].t);
  return status;
}

/* Differences along single inputs, which only gradients ask for, say little of
 * the directions of an embedding. */
static void drop_inputs(builder *b)
{
  size_t left = 0, only;
  for (size_t i = 0; i < b->count; i++) {
    const datum *x = &b->data[i];
    bool input = whole(x) || (x->from == EDGE && b->p > 1 &&
                              place_edge(b, x->a, x->b, &only) == 1);
    if (!input) b->data[left++] = *x;
  }
  b->count = left;
}

/* Of a quadratic, derivatives grow with the distance and no faster: those that
 * are so many times what nearer ones foretell (a step far beyond a wall, a
 * penalty) would be all that a fit sees.  Data are sorted by distance. */
static const double out_of_proportion = 1e3;

static void drop_outliers(builder *b)
{
  double steepest = 0, far = 0;
  size_t left = 0;
  for (size_t i = 0; i < b->count; i++) {
    const datum *x = &b->data[i];
    double d = whole(x) ? lr_norm(b->p, gradient(b, x)) : fabs(x->d);
    double foretold = far > 0 ? steepest * fmax(x->far / far, 1) : INFINITY;
    if (left > 2 && steepest > 0 && d > out_of_proportion * foretold) continue;
    steepest = fmax(steepest, d);
    far = fmax(far, x->far);
    b->data[left++] = *x;
  }
  b->count = left;
}

static lrgd_status build(builder *b, lr_fit *fit, size_t lowest, size_t most)
{
  const lrgd_allocator *a = &b->known->allocator;
  b->u = lr_alloc(a, 2 * b->p, sizeof *b->u);
  if (!b->u) return LRGD_ERR_NOMEM;
  b->mid = b->u + b->p;
  lrgd_status status = lr_tree_init(&b->tree, b->known, lowest);
  if (status == LRGD_OK) status = collect(b);
  if (status != LRGD_OK || b->count < 3) return status;
  qsort(b->data, b->count, sizeof *b->data, by_distance);
  drop_outliers(b);
  status = describe(b, fit);
  if (status == LRGD_OK) status = keep_partial(b, fit);
  if (!b->newton) drop_inputs(b);
  if (status == LRGD_OK) status = span(b);
  if (status == LRGD_OK) status = fill(b);
  if (status != LRGD_OK || b->r.n < 3) return status;
  return solve(b, fit, most);
}

static void clear(builder *b)
{
  const lrgd_allocator *a = &b->known->allocator;
  lr_tree_clear(&b->tree);
  lr_free(a, b->data);
  lr_free(a, b->hubs);
  lr_free(a, b->filled);
  lr_free(a, b->W);
  lr_free(a, b->u);
  lr_free(a, b->kept);
  lr_free(a, b->r.u);
  lr_free(a, b->r.b);
  lr_free(a, b->r.d);
  lr_regression_clear(&b->r, a);
}

lrgd_status lr_fit_init(lr_fit *fit, const lr_known *known, size_t lowest,
                        size_t most, double noise)
{
  builder b = {.known = known,
               .origin = known->x + lowest * known->p,
               .noise = noise,
               .p = known->p};
  *fit =
      (lr_fit){.allocator = known->allocator, .p = known->p, .embedding = true};
  lrgd_status status = build(&b, fit, lowest, most);
  clear(&b);
  if (status != LRGD_OK) lr_fit_clear(fit);
  return status;
}

void lr_fit_clear(lr_fit *fit)
{
  if (fit->p == 0) return;
  lr_free(&fit->allocator, fit->V);
  lr_free(&fit->allocator, fit->g);
  lr_free(&fit->allocator, fit->B);
  lr_free(&fit->allocator, fit->partial);
  *fit = (lr_fit){0};
}
