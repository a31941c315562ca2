#include "learn/fit.h"

#include "base/lapack.h"
#include "base/memory.h"
#include "learn/regression.h"
#include "learn/tree.h"
#include "step/step.h"

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
 * steps along it. */
static const double sure = 2;

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
  double *hubs; /* p numbers each: gathered gradients */
  size_t hub_count;
  double *W; /* p x q: the subspace; NULL: all of space */
  size_t q;
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

/* Adds the difference quotient of node i of the tree and its parent; a
 * coordinate's goes to the gradient gathered at the parent, where that has
 * one (hub_of[parent] > 0). */
static void add_edge(builder *b, size_t i, const size_t *hub_of)
{
  size_t parent = b->tree.point[b->tree.parent[i]], child = b->tree.point[i];
  size_t only = 0, differ = place_edge(b, parent, child, &only);
  double t = lr_norm(b->p, b->u);
  if (differ == 0 || !(t > 0)) return;
  double rise = b->known->f[child] - b->known->f[parent];
  size_t hub = hub_of ? hub_of[b->tree.parent[i]] : 0;
  if (hub > 0 && differ == 1) {
    b->hubs[(hub - 1) * b->p + only] = rise / b->u[only];
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
 * tree, from which at least half of all coordinates lead off; 0: none. */
static lrgd_status gather(builder *b, size_t *hub_of)
{
  size_t n = b->tree.n, only;
  for (size_t i = 1; i < n; i++) {
    size_t parent = b->tree.parent[i];
    if (place_edge(b, b->tree.point[parent], b->tree.point[i], &only) == 1)
      hub_of[parent]++;
  }
  for (size_t i = 0; i < n; i++)
    hub_of[i] = 2 * hub_of[i] >= b->p ? ++b->hub_count : 0;
  if (b->hub_count == 0) return LRGD_OK;
  b->hubs =
      lr_alloc(&b->known->allocator, b->hub_count * b->p, sizeof *b->hubs);
  if (!b->hubs) return LRGD_ERR_NOMEM;
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
  for (size_t i = 1; status == LRGD_OK && i < b->tree.n; i++)
    add_edge(b, i, hub_of);
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
  if (b->q >= DENSE || !(before > 0)) return;
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

/* The span of gradients and, after them, of all directions, nearest first. */
static lrgd_status span(builder *b)
{
  if (b->p <= DENSE) {
    b->q = b->p;
    return LRGD_OK;
  }
  b->W = lr_alloc_raw(&b->known->allocator, DENSE * b->p, sizeof *b->W);
  if (!b->W) return LRGD_ERR_NOMEM;
  for (size_t i = 0; i < b->count; i++) {
    if (!whole(&b->data[i])) continue;
    memcpy(b->u, gradient(b, &b->data[i]), b->p * sizeof *b->u);
    widen(b, b->u);
    place_point(b, b->data[i].a);
    widen(b, b->mid);
  }
  for (size_t i = 0; i < b->count; i++) {
    if (whole(&b->data[i])) continue;
    place(b, &b->data[i]);
    widen(b, b->u);
  }
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

/* A gradient: its derivative along every dimension of the subspace. */
static void regress_gradient(builder *b, const datum *x)
{
  lr_regression *r = &b->r;
  size_t q = b->q, first = r->n;
  if (first + q > DATA + DENSE) return;
  place_point(b, x->a);
  (void)project(b, gradient(b, x), r->d + first);
  for (size_t j = 0; j < q; j++, r->n++) {
    double *u = r->u + r->n * q;
    memset(u, 0, q * sizeof *u);
    u[j] = 1;
    (void)project(b, b->mid, r->b + r->n * q);
    r->off[r->n] = x->from == GRADIENT ? 0 : 1e-6 * fabs(r->d[r->n]);
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
  r->d = lr_alloc(a, 2 * room, sizeof *r->d);
  if (!r->u || !r->b || !r->d) return LRGD_ERR_NOMEM;
  r->off = r->d + room;
  for (size_t i = 0; i < b->count && r->n < DATA; i++)
    if (whole(&b->data[i]))
      regress_gradient(b, &b->data[i]);
    else
      regress_slope(b, &b->data[i]);
  return LRGD_OK;
}

/* ---- the fit ---- */

/* V = W Q for the directions along which f bends most, with what was found
 * along them. */
static lrgd_status keep(builder *b, lr_fit *fit, size_t most, const double *g,
                        const double *Q, const double *lambda)
{
  size_t p = b->p, q = b->q;
  double largest = 0;
  for (size_t j = 0; j < q; j++) largest = fmax(largest, fabs(lambda[j]));
  fit->V = lr_alloc(&fit->allocator, most * p, sizeof *fit->V);
  fit->g = lr_alloc(&fit->allocator, 2 * most, sizeof *fit->g);
  if (!fit->V || !fit->g) return LRGD_ERR_NOMEM;
  fit->curvature = fit->g + most;
  size_t low = 0, high = q; /* the largest |lambda| are at the ends */
  while (low < high && fit->q < most) {
    size_t j = fabs(lambda[low]) > fabs(lambda[high - 1]) ? low++ : --high;
    double *v = fit->V + fit->q * p;
    const double *z = Q + j * q;
    if (!(fabs(lambda[j]) > least_bend * largest)) break;
    if (!(fabs(lambda[j]) > sure * lr_regression_spread(&b->r, z))) continue;
    for (size_t i = 0; i < q; i++) {
      const double *w = b->W ? b->W + i * p : NULL;
      if (!w) v[i] = z[i];
      for (size_t l = 0; w && l < p; l++) v[l] += z[i] * w[l];
    }
    fit->g[fit->q] = lr_dot(q, z, g);
    fit->curvature[fit->q++] = lambda[j];
  }
  return LRGD_OK;
}

static lrgd_status solve(builder *b, lr_fit *fit, size_t most)
{
  const lrgd_allocator *a = &fit->allocator;
  size_t q = b->q;
  double *B = lr_alloc(a, q * q, sizeof *B), *g = lr_alloc(a, 2 * q, sizeof *g);
  lr_lapack *lapack = lr_lapack_create(a, q);
  lrgd_status status = B && g && lapack ? LRGD_OK : LRGD_ERR_NOMEM;
  if (status == LRGD_OK) status = lr_regress(&b->r, a, g, B);
  if (status == LRGD_OK) status = lr_eigen(lapack, q, B, g + q);
  if (status == LRGD_OK) status = keep(b, fit, most, g, B, g + q);
  lr_lapack_destroy(&lapack);
  lr_free(a, B);
  lr_free(a, g);
  return status == LRGD_ERR_NUMERIC ? LRGD_OK : status; /* q stays 0 */
}

/* The derivatives along single inputs that lead off from the lowest point. */
static lrgd_status keep_partial(builder *b, lr_fit *fit)
{
  const lr_known *k = b->known;
  for (size_t i = 1; i < b->tree.n; i++) {
    size_t child = b->tree.point[i], only = 0;
    if (b->tree.parent[i] != 0) continue;
    if (place_edge(b, b->tree.point[0], child, &only) != 1) continue;
    if (!fit->partial) {
      fit->partial = lr_alloc(&fit->allocator, b->p, sizeof *fit->partial);
      if (!fit->partial) return LRGD_ERR_NOMEM;
      for (size_t j = 0; j < b->p; j++) fit->partial[j] = NAN;
    }
    double rise = k->f[child] - k->f[b->tree.point[0]];
    if (fabs(b->u[only]) < shortest_step * (1 + fabs(b->origin[only])))
      continue;
    if (fabs(b->u[only]) > longest_step * (1 + fabs(b->origin[only]))) continue;
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

static void describe(const builder *b, lr_fit *fit)
{
  fit->steepness = steepness(b);
  fit->gradient_f = INFINITY;
  for (size_t i = 0; i < b->count; i++) {
    if (!whole(&b->data[i])) continue;
    fit->gradients++;
    fit->gradient_f = fmin(fit->gradient_f, b->known->f[b->data[i].a]);
  }
  for (size_t i = 0; i < b->count && i < DATA; i++)
    fit->reach = fmax(fit->reach, b->data[i].t);
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
  describe(b, fit);
  status = keep_partial(b, fit);
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
  lr_free(a, b->W);
  lr_free(a, b->u);
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
  *fit = (lr_fit){
      .allocator = known->allocator, .p = known->p, .gradient_f = INFINITY};
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
  lr_free(&fit->allocator, fit->partial);
  *fit = (lr_fit){0};
}
