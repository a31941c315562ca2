/* The regression of a fit: its data, its solution, and the directions whose
 * curvature is certain enough to be kept. */
#include "learn/fit_builder.h"

#include "base/dense.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/rounding.h"
#include "base/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the regression ---- */

/* Data that the regression has room for: the last gradient may exceed the
 * number of derivatives by the dimensions of the subspace. */
static size_t data_room(const lr_fit_builder *b)
{
  const lr_policy *P = b->known->policy;
  return lr_fit_most_data(P) + (size_t)P->fit_dimensions;
}

/* The error of the values of a datum: noise or rounding. */
static double value_error(const lr_fit_builder *b, const lr_datum *x)
{
  double f = fmax(fabs(b->known->f[x->a]), fabs(b->known->f[x->b]));
  return fmax(b->noise, lr_value_rounding(lr_policy_current(), f));
}

/* The error that unknown entries of a gathered gradient cause along a dimension
 * of the subspace; they are assumed to be as large as the known ones. */
static double missing(const lr_fit_builder *b, const lr_datum *x)
{
  const bool *filled = b->filled + x->hub * b->p;
  size_t known = 0;
  for (size_t i = 0; i < b->p; i++) known += filled[i];
  double share = (double)(b->p - known) / (double)b->p;
  return lr_norm(b->p, lr_datum_gradient(b, x)) * sqrt(share / (double)known);
}

/* Adds a gradient: its derivatives along all dimensions of the subspace.  z: q
 * numbers, scratch. */
static void regress_gradient(lr_fit_builder *b, const lr_datum *x, double *z)
{
  lr_regression *r = &b->r;
  size_t q = b->q;
  bool gathered = x->from == LR_DATUM_GATHERED;
  double off = gathered && b->W ? missing(b, x) : 0;
  if (r->n + q > data_room(b)) return;
  lr_fit_place_point(b, x->a);
  (void)lr_fit_project(b, lr_datum_gradient(b, x), z);
  for (size_t j = 0; j < q; j++) {
    double *u = r->u + r->n * q;
    if (gathered && !b->W && !b->filled[x->hub * b->p + j]) continue;
    memset(u, 0, q * sizeof *u);
    u[j] = 1;
    (void)lr_fit_project(b, b->mid, r->b + r->n * q);
    r->d[r->n] = z[j];
    double truncation = lr_fit_difference_error(b->known->policy, z[j]);
    r->off[r->n++] = gathered ? truncation + off : 0;
  }
}

/* Adds a directional derivative, if its direction lies in the subspace. */
static void regress_slope(lr_fit_builder *b, const lr_datum *x)
{
  lr_regression *r = &b->r;
  size_t q = b->q;
  lr_fit_place(b, x);
  double inside = lr_fit_project(b, b->u, r->u + r->n * q);
  if (!lr_fit_lies_inside(b->known->policy, inside)) return;
  (void)lr_fit_project(b, b->mid, r->b + r->n * q);
  r->d[r->n] = x->d;
  r->off[r->n] = x->from == LR_DATUM_EDGE ? 2 * value_error(b, x) / x->t : 0;
  r->n++;
}

/* Adds the nearest derivatives. */
static lrgd_status fill(lr_fit_builder *b)
{
  const lrgd_allocator *a = &b->known->allocator;
  lr_regression *r = &b->r;
  size_t room = data_room(b), most = lr_fit_most_data(b->known->policy);
  *r = (lr_regression){.q = b->q};
  r->u = lr_alloc(a, room * b->q, sizeof *r->u);
  r->b = lr_alloc(a, room * b->q, sizeof *r->b);
  r->d = lr_alloc(a, 2 * room + b->q, sizeof *r->d);
  if (!r->u || !r->b || !r->d) return LRGD_ERR_NOMEM;
  r->off = r->d + room;
  for (size_t i = 0; i < b->count && r->n < most; i++)
    if (lr_datum_is_gradient(&b->data[i]))
      regress_gradient(b, &b->data[i], r->off + room);
    else
      regress_slope(b, &b->data[i]);
  return LRGD_OK;
}

/* ---- the fit ---- */

/* Appends W z, |z| = 1, to V, with the derivative along it. */
static void keep(const lr_fit_builder *b, lr_fit *fit, const double *z,
                 double slope)
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

/* After quasi-Newton steps: keeps the eigenvectors of B whose eigenvalues are
 * certain, the largest first.  B is overwritten. */
static lrgd_status keep_eigenvectors(const lr_fit_builder *b, lr_fit *fit,
                                     size_t most, const double *g, double *B,
                                     double *lambda)
{
  const lr_policy *P = b->known->policy;
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
    if (!lr_fit_above_rounding(P, lambda[j], largest)) break;
    if (!lr_fit_is_certain(P, lambda[j], lr_regression_spread(&b->r, z)))
      continue;
    fit->B[fit->q * most + fit->q] = lambda[j];
    keep(b, fit, z, lr_dot(q, z, g));
  }
  return status;
}

/* Whether the second derivatives along dimension j of the subspace, and between
 * it and the dimensions kept so far, are certain.  Tested are the curvature
 * along j and along two sums of all these dimensions with random signs.  z: q
 * numbers, scratch. */
static bool is_known(const lr_fit_builder *b, size_t kept, size_t j,
                     double bend, double *z)
{
  double most = lr_fit_most_deviation(b->known->policy, bend);
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

/* After an embedding: keeps its directions whose second derivatives are
 * certain. unit: q numbers, scratch. */
static void keep_directions(const lr_fit_builder *b, lr_fit *fit, size_t most,
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

static bool make_room(lr_fit_builder *b, lr_fit *fit, size_t most)
{
  const lrgd_allocator *a = &fit->allocator;
  fit->V = lr_alloc(a, most * b->p, sizeof *fit->V);
  fit->g = lr_alloc(a, most, sizeof *fit->g);
  fit->B = lr_alloc(a, most * most, sizeof *fit->B);
  b->kept = lr_alloc(a, most, sizeof *b->kept);
  fit->room = most;
  return fit->V && fit->g && fit->B && b->kept;
}

/* Solves the regression and keeps the directions whose curvature is certain. */
static lrgd_status solve(lr_fit_builder *b, lr_fit *fit, size_t most)
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
  return status == LRGD_ERR_NUMERIC ? LRGD_OK : status; /* no fit: q is 0 */
}

/* Keeps the differences along single inputs whose base is the lowest point. */
static lrgd_status keep_partial(lr_fit_builder *b, lr_fit *fit)
{
  const lr_known *k = b->known;
  for (size_t i = 1; i < b->tree.n; i++) {
    if (b->tree.parent[i] != 0) continue;
    size_t only = lr_fit_place_node(b, i);
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

static lrgd_status build(lr_fit_builder *b, lr_fit *fit, size_t lowest,
                         size_t most)
{
  const lrgd_allocator *a = &b->known->allocator;
  const lr_policy *P = b->known->policy;
  b->u = lr_alloc(a, 2 * b->p, sizeof *b->u);
  if (!b->u) return LRGD_ERR_NOMEM;
  b->mid = b->u + b->p;
  lrgd_status status = lr_tree_init(&b->tree, b->known, lowest);
  if (status == LRGD_OK) status = lr_fit_collect(b);
  if (status != LRGD_OK || !lr_fit_has_data(P, b->count)) return status;
  lr_fit_sort(b);
  lr_fit_drop_outliers(b);
  status = lr_fit_describe(b, fit);
  if (status == LRGD_OK) status = keep_partial(b, fit);
  if (!b->newton) lr_fit_drop_inputs(b);
  if (status == LRGD_OK) status = lr_fit_span(b);
  if (status == LRGD_OK) status = fill(b);
  if (status != LRGD_OK || !lr_fit_has_data(P, b->r.n)) return status;
  return solve(b, fit, most);
}

static void clear(lr_fit_builder *b)
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
  lr_fit_builder b = {.known = known,
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
