/* Local low rank from the Hessian: the paper's last appendix.
 *
 * Lanczos with full orthogonalisation on products H v = (g(x + t v) - g(x - t
 * v)) / 2t.  Each takes two gradients; where a gradient is made of p
 * directional derivatives or values, r should be small. */
#include "analysis/diagnosis_rules.h"
#include "analysis/lanczos.h"
#include "analysis/standalone_oracle.h"
#include "base/dense.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/sized.h"
#include "space/vec.h"
#include "subspace/probe.h"

#include <lrgd/analysis.h>
#include <math.h>
#include <string.h>

/* Columns of the work block; the Krylov basis is separate. */
enum { AT, NEAR, GRADIENT, PLUS, MINUS, WORK, COLUMNS };

typedef struct local {
  lr_standalone_oracle standalone;
  lrgd_block *v;
  lr_basis K; /* Krylov basis */
  double *T, *ritz;
  lr_dense *dense;
  lr_point at;
  double t; /* length of a difference of gradients */
} local;

static lrgd_vec column(const local *L, size_t which)
{
  return (lrgd_vec){L->v, which};
}

/* g(x + length u) into a column. */
static lr_code gradient_at(local *L, lrgd_vec u, double length, size_t to)
{
  lrgd_space *space = L->standalone.space;
  lr_point near = {.x = column(L, NEAR)};
  space->ops->axpy_into(space, near.x, L->at.x, u, length);
  if (L->standalone.bounds)
    (void)space->ops->clip(space, near.x, L->standalone.oracle.box);
  lr_oracle_rename(&L->standalone.oracle, &near);
  return lr_oracle_gradient(&L->standalone.oracle, &near, column(L, to),
                            LRGD_PURPOSE_IDENTIFY, 0);
}

/* Hu = H u for a unit vector u. */
static lr_code multiply(void *self, lrgd_vec u, lrgd_vec Hu)
{
  local *L = self;
  lrgd_space *space = L->standalone.space;
  double minus = -1;
  LR_TRY(gradient_at(L, u, L->t, PLUS));
  LR_TRY(gradient_at(L, u, -L->t, MINUS));
  space->ops->copy(space, Hu, column(L, PLUS), 1);
  space->ops->add(space, Hu, column(L, MINUS), 1, &minus);
  space->ops->scale(space, Hu, 1 / (2 * L->t));
  return LR_GO;
}

/* H = span(grad f(x), u_1 ... u_{r-1}) into out->basis. */
static lr_code span(local *L, lrgd_local *out, size_t m, const size_t *order)
{
  lrgd_space *space = L->standalone.space;
  size_t k = L->K.k, p = space->dimension;
  lr_basis H = {0};
  bool kept;
  if (lr_basis_init(&H, space, &L->standalone.allocator, out->r) != LRGD_OK)
    return lr_oracle_fault(&L->standalone.oracle, LRGD_ERR_NOMEM,
                           "out of memory");
  space->ops->copy(space, column(L, WORK), column(L, GRADIENT), 1);
  /* 1e-12: the gradient counts as a whole, but for rounding; an eigenvector
   * counts unless it equals the gradient to the 1e-10 that Lanczos leaves */
  lrgd_status status = lr_basis_append(&H, column(L, WORK), 1e-12, &kept);
  for (size_t i = 0; i + 1 < out->r && i < k && status == LRGD_OK; i++) {
    lrgd_vec u = column(L, WORK);
    space->ops->combine(space, u, 1, lr_basis_column(&L->K, 0), k,
                        L->T + order[i] * m);
    status = lr_basis_append(&H, u, 1e-10, &kept);
  }
  for (size_t j = 0; j < H.k; j++)
    memcpy(out->basis + j * p, lr_standalone_oracle_data(H.block, j),
           p * sizeof(double));
  out->r = H.k;
  lr_basis_clear(&H);
  return status == LRGD_OK
             ? LR_GO
             : lr_oracle_fault(&L->standalone.oracle, status, "out of memory");
}

/* Along a random unit direction at distance t: the remainder of Taylor's
 * formula over t^2 (for M), and the part of the gradient outside H. */
static lr_code ray(local *L, const lrgd_local *out, lrgd_vec u, double t,
                   double *taylor, double *outside)
{
  lrgd_space *space = L->standalone.space;
  size_t p = space->dimension;
  double minus = -1, mt = -t, *g = lr_standalone_oracle_data(L->v, PLUS);
  LR_TRY(multiply(L, u, column(L, WORK)));
  LR_TRY(gradient_at(L, u, t, PLUS));
  space->ops->copy(space, column(L, MINUS), column(L, PLUS), 1);
  space->ops->add(space, column(L, MINUS), column(L, GRADIENT), 1, &minus);
  space->ops->add(space, column(L, MINUS), column(L, WORK), 1, &mt);
  (void)space->ops->measure(space, column(L, MINUS), taylor);
  for (size_t j = 0; j < out->r; j++) {
    const double *b = out->basis + j * p;
    double d = 0;
    for (size_t i = 0; i < p; i++) d += b[i] * g[i];
    for (size_t i = 0; i < p; i++) g[i] -= d * b[i];
  }
  (void)space->ops->measure(space, column(L, PLUS), outside);
  return LR_GO;
}

/* Points along a direction for which there is room: twice the policy's. */
enum { POINTS_ROOM = 8 };

/* M from the two farthest points along each direction, then the bound M t^2 +
 * sigma_r t at all of them. */
static lr_code rays(local *L, lrgd_local *out, double scale)
{
  const lr_policy *P = lr_policy_current();
  lrgd_space *space = L->standalone.space;
  size_t count = lr_diagnosis_local_rays(P);
  size_t points =
      lr_policy_entries((double)lr_diagnosis_local_points(P), POINTS_ROOM);
  double left, taylor, largest[POINTS_ROOM] = {0}, t[POINTS_ROOM];
  lrgd_block *unit = space->ops->make(space, 1);
  if (!unit)
    return lr_oracle_fault(&L->standalone.oracle, LRGD_ERR_NOMEM,
                           "out of memory");
  lr_code code = LR_GO;
  for (size_t i = 0; i < count && code == LR_GO; i++) {
    lrgd_vec u = {unit, 0};
    space->ops->gaussian(space, u, 1, (UINT64_C(10) << 44) + i);
    (void)lr_normalise(space, u, NULL);
    for (size_t j = 0; j < points && code == LR_GO; j++) {
      t[j] = lr_diagnosis_local_distance(P, scale, j);
      code = ray(L, out, u, t[j], &taylor, &left);
      if (code != LR_GO) break;
      largest[j] = fmax(largest[j], left);
      if (j < 2) out->M = fmax(out->M, taylor / (t[j] * t[j]));
    }
  }
  space->ops->free(space, unit);
  LR_TRY(code);
  double sigma = fabs(out->eigenvalues[out->r > 0 ? out->r - 1 : 0]);
  for (size_t j = 0; j < points; j++)
    out->worst =
        fmax(out->worst, largest[j] / (out->M * t[j] * t[j] + sigma * t[j]));
  return LR_GO;
}

/* MOST: eigenvalues that may be asked for.  ROOM: for as many steps of Lanczos,
 * and twice the policy's beside them. */
enum { MOST = 50, ROOM = 2 * MOST + 28 };

static lr_code work(local *L, lrgd_local *out, size_t m)
{
  size_t order[ROOM];
  double scale = lr_oracle_scale(&L->standalone.oracle, &L->at);
  bool differences = !L->standalone.oracle.answers.gradient &&
                     !L->standalone.oracle.answers.slopes;
  L->t = lr_diagnosis_local_step(lr_policy_current(), differences, scale);
  LR_TRY(lr_oracle_gradient(&L->standalone.oracle, &L->at, column(L, GRADIENT),
                            LRGD_PURPOSE_IDENTIFY, 0));
  (void)L->standalone.space->ops->measure(L->standalone.space,
                                          column(L, GRADIENT), &out->grad_norm);
  LR_TRY(lr_lanczos(&L->K, m, column(L, WORK),
                    (uint64_t)L->standalone.options.seed, multiply, L, L->T));
  size_t k = L->K.k;
  if (lr_eigen(L->dense, k, L->T, L->ritz) != LRGD_OK)
    return lr_oracle_fault(&L->standalone.oracle, LRGD_ERR_NUMERIC,
                           "eigenvalues of %zu x %zu failed", k, k);
  lr_sort_by_size(k, L->ritz, order);
  for (size_t i = 0; i < out->r; i++)
    out->eigenvalues[i] = i < k ? L->ritz[order[i]] : 0;
  LR_TRY(span(L, out, k, order));
  return rays(L, out, scale);
}

static lrgd_status allocate(local *L, lrgd_local *out, size_t r, size_t m)
{
  const lrgd_allocator *a = &L->standalone.allocator;
  size_t p = L->standalone.space->dimension;
  out->r = r;
  out->basis = lr_alloc(&lr_malloc, p * r, sizeof *out->basis);
  out->eigenvalues = lr_alloc(&lr_malloc, r, sizeof *out->eigenvalues);
  L->v = L->standalone.space->ops->make(L->standalone.space, COLUMNS);
  L->T = lr_alloc(a, m * m, sizeof *L->T);
  L->ritz = lr_alloc(a, m, sizeof *L->ritz);
  L->dense = lr_dense_create(a, m);
  bool all =
      out->basis && out->eigenvalues && L->v && L->T && L->ritz && L->dense;
  return all ? lr_basis_init(&L->K, L->standalone.space, a, m) : LRGD_ERR_NOMEM;
}

static void clear(local *L)
{
  lr_free(&L->standalone.allocator, L->T);
  lr_free(&L->standalone.allocator, L->ritz);
  lr_dense_destroy(&L->dense);
  lr_basis_clear(&L->K);
  L->standalone.space->ops->free(L->standalone.space, L->v);
  lr_standalone_oracle_clear(&L->standalone);
}

/* The caller's struct may be of another version: only its own size is cleared.
 */
void lrgd_local_free(lrgd_local *out)
{
  lrgd_local none = {0};
  if (!out) return;
  lr_free(&lr_malloc, out->basis);
  lr_free(&lr_malloc, out->eigenvalues);
  lr_sized_give(out, out->struct_size, &none, sizeof none);
}

static lrgd_status study(lrgd_local *out, const lrgd_problem *problem,
                         const lrgd_options *options, const double *x, size_t r,
                         lrgd_error *error)
{
  size_t p = problem ? problem->dimension : 0,
         m = lr_diagnosis_lanczos_steps(lr_policy_current(), r);
  if (p == 0 || !x || r == 0 || r > p || r > MOST)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "a local study needs a problem, x, and 1 <= r <= %d and p",
                   MOST);
  local L = {0};
  lrgd_status status =
      lr_standalone_oracle_init(&L.standalone, problem, options, error);
  if (status != LRGD_OK) return status;
  m = m < ROOM ? m : ROOM;
  m = m < p ? m : p;
  status = allocate(&L, out, r, m);
  if (status == LRGD_OK) {
    L.at.x = column(&L, AT);
    memcpy(lr_standalone_oracle_data(L.v, AT), x, p * sizeof *x);
    lr_oracle_restart(&L.standalone.oracle, &L.standalone.stop);
    lr_oracle_rename(&L.standalone.oracle, &L.at);
    lr_code code = work(&L, out, m);
    out->counts = L.standalone.oracle.counts;
    if (code == LR_FAULT) {
      status = L.standalone.oracle.ending.error.status;
      if (error) *error = L.standalone.oracle.ending.error;
    } else if (code != LR_GO) {
      char why[192];
      (void)lrgd_decision_text(&L.standalone.oracle.ending.why, NULL, why,
                               sizeof why);
      status =
          lr_fail(error, LRGD_ERR_ORACLE, "f cannot be evaluated: %s", why);
    }
  } else {
    (void)lr_fail(error, status, "out of memory for %zu inputs", p);
  }
  clear(&L);
  if (status != LRGD_OK) { /* the counts are reported in any case */
    lrgd_counts counts = out->counts;
    lrgd_local_free(out);
    out->counts = counts;
  }
  return status;
}

lrgd_status lrgd_local_diagnosis_sized(lrgd_local *out, size_t size,
                                       const lrgd_problem *problem,
                                       const lrgd_options *options,
                                       const double *x, size_t r,
                                       lrgd_error *error)
{
  lrgd_local own = {.struct_size = sizeof own};
  lrgd_status status = study(&own, problem, options, x, r, error);
  lr_sized_give(out, size, &own, sizeof own);
  return status;
}

double lrgd_local_lasts(const lrgd_local *out, double alpha, double eta)
{
  if (!out) return 0;
  double sigma = out->r > 0 ? fabs(out->eigenvalues[out->r - 1]) : 0;
  double room = eta - sigma, step = alpha * out->M * out->grad_norm;
  if (!(room > 0)) return 0;
  /* 1e-12, so that a quotient which should be a whole number is not rounded
   * down */
  return step > 0 ? floor(room / step * (1 + 1e-12)) : INFINITY;
}
