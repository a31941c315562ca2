/* The quasi-Newton model from the last steps. */
#include "wide/secants.h"

#include "base/memory.h"
#include "base/vector.h"
#include "wide/wide_rules.h"

#include <math.h>
#include <string.h>

/* ---- memory ---- */

lrgd_status lr_secants_init(lr_secants *s, const lr_policy *P,
                            lrgd_space *space, const lrgd_allocator *a)
{
  size_t most = (size_t)P->wide_memory;
  size_t p = space->dimension;
  most = most < p ? most : p;
  size_t n = 2 * most + 1 < p ? 2 * most + 1 : p;
  *s = (lr_secants){
      .policy = P, .space = space, .allocator = *a, .most = most, .room = n};
  s->pairs = space->ops->make(space, 2 * (most + 1));
  s->work = space->ops->make(space, most + 1);
  s->H = lr_alloc(a, 3 * n * n + 5 * n, sizeof *s->H);
  s->dense = lr_dense_create(a, n);
  if (!s->pairs || !s->work || !s->H || !s->dense) return LRGD_ERR_NOMEM;
  s->C = s->H + n * n;
  s->r = s->C + n * n;
  s->g = s->r + n * n;
  s->scratch = s->g + n;
  return lr_basis_init(&s->Z, space, a, n);
}

void lr_secants_clear(lr_secants *s)
{
  if (!s->space) return;
  if (s->pairs) s->space->ops->free(s->space, s->pairs);
  if (s->work) s->space->ops->free(s->space, s->work);
  lr_free(&s->allocator, s->H);
  lr_dense_destroy(&s->dense);
  lr_basis_clear(&s->Z);
  *s = (lr_secants){0};
}

/* ---- pairs ---- */

/* Pairs are stored in a ring of most + 1 columns; the next pair is written
 * after the newest. */
static lrgd_vec step_at(const lr_secants *s, size_t age)
{
  size_t n = s->most + 1;
  return (lrgd_vec){s->pairs, (s->newest + n - age) % n};
}

static lrgd_vec change_at(const lr_secants *s, size_t age)
{
  lrgd_vec v = step_at(s, age);
  v.col += s->most + 1;
  return v;
}

lrgd_vec lr_secants_step(const lr_secants *s)
{
  return step_at(s, s->most); /* the free column after the newest */
}

lrgd_vec lr_secants_change(const lr_secants *s)
{
  return change_at(s, s->most);
}

void lr_secants_add(lr_secants *s)
{
  s->newest = (s->newest + 1) % (s->most + 1);
  if (s->count < s->most) s->count++;
}

void lr_secants_amend(lr_secants *s, size_t age, size_t j, double by)
{
  if (age < s->count)
    (void)s->space->ops->add_at(s->space, change_at(s, age), j, by);
}

void lr_secants_set_outside(lr_secants *s, lrgd_vec step, lrgd_vec change)
{
  double sy, ss = 0, yy = 0;
  s->space->ops->dot(s->space, step, 1, change, &sy);
  (void)s->space->ops->measure(s->space, step, &ss);
  (void)s->space->ops->measure(s->space, change, &yy);
  if (ss > 0 && yy > 0) s->sigma = sy > 0 ? yy / sy * yy : yy / ss;
}

/* ---- the model ---- */

/* Appends w to Z; false where w lies in its span. */
static bool take(lr_secants *s, lrgd_vec w, double cut)
{
  bool kept = false;
  return s->Z.k < s->room && lr_basis_append(&s->Z, w, cut, &kept) == LRGD_OK &&
         kept;
}

/* Z = the span of the steps, from the newest on as long as they are
 * independent; column j of H Q = (y_j - sum over i < j of r_ij H q_i) / r_jj in
 * `work`. */
static void span(lr_secants *s)
{
  const lrgd_space_ops *ops = s->space->ops;
  lrgd_vec w = {s->work, s->most};
  s->Z.k = s->k = 0;
  for (size_t j = 0; j < s->count; j++) {
    double length = 0, *r = s->scratch;
    (void)ops->measure(s->space, step_at(s, j), &length);
    ops->copy(s->space, w, step_at(s, j), 1);
    if (!(length > 0) || !take(s, w, s->policy->wide_independent)) return;
    lr_basis_project(&s->Z, step_at(s, j), r);
    lrgd_vec hq = {s->work, j};
    ops->copy(s->space, hq, change_at(s, j), 1);
    for (size_t i = 0; i < j; i++) r[i] = -r[i];
    if (j > 0) ops->add(s->space, hq, (lrgd_vec){s->work, 0}, j, r);
    ops->scale(s->space, hq, 1 / r[j]);
    s->k = s->Z.k;
  }
}

/* C = Z'HQ; Z is extended by what H couples the span to, and by the
 * gradient. */
static void couple(lr_secants *s, lrgd_vec gradient)
{
  const double rounding = 1e-10;
  lrgd_vec w = {s->work, s->most};
  for (size_t j = 0; j <= s->k; j++) {
    lrgd_vec from = j < s->k ? (lrgd_vec){s->work, j} : gradient;
    s->space->ops->copy(s->space, w, from, 1);
    (void)take(s, w, rounding);
  }
  for (size_t j = 0; j < s->k; j++)
    lr_basis_project(&s->Z, (lrgd_vec){s->work, j}, s->C + j * s->room);
  lr_basis_project(&s->Z, gradient, s->g);
}

/* H = the symmetric part A of Q'HQ with |eigenvalues| and a floor; r = its
 * inverse. */
static bool set_inner(lr_secants *s)
{
  size_t k = s->k, n = s->room;
  double *Q = s->r, *e = s->scratch, top = 0;
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < k; i++)
      Q[j * k + i] = 0.5 * (s->C[j * n + i] + s->C[i * n + j]);
  if (k > 0 && lr_eigen(s->dense, k, Q, e) != LRGD_OK) return false;
  for (size_t j = 0; j < k; j++) top = fmax(top, fabs(e[j]));
  memset(s->H, 0, n * n * sizeof *s->H);
  for (size_t l = 0; l < k; l++) {
    e[l] = fmax(fabs(e[l]), lr_wide_least_curvature(s->policy, top));
    for (size_t j = 0; j < k; j++)
      for (size_t i = 0; i < k; i++)
        s->H[j * n + i] += Q[l * k + i] * e[l] * Q[l * k + j];
  }
  return true;
}

/* Fills the rest of H: the coupling block R = C without its first k rows, and
 * the block outside the span, sigma I + R A^-1 R', so that H is positive
 * definite. */
static void set_outer(lr_secants *s)
{
  size_t k = s->k, n = s->room, m = s->Z.k;
  const double *Q = s->r, *e = s->scratch;
  double *w = s->scratch + n;
  for (size_t j = 0; j < k; j++)
    for (size_t i = k; i < m; i++)
      s->H[j * n + i] = s->H[i * n + j] = s->C[j * n + i];
  for (size_t j = k; j < m; j++) s->H[j * n + j] = s->sigma;
  for (size_t l = 0; l < k; l++) {
    memset(w, 0, m * sizeof *w);
    for (size_t j = 0; j < k; j++)
      lr_axpy(m - k, Q[l * k + j], s->C + j * n + k, w + k);
    for (size_t j = k; j < m; j++)
      lr_axpy(m - k, w[j] / e[l], w + k, s->H + j * n + k);
  }
}

/* Whether no symmetric H satisfies Y = H S: the curvature has changed between
 * the steps. */
static bool changes(const lr_secants *s)
{
  double skew = 0, all = 0;
  for (size_t j = 0; j < s->k; j++)
    for (size_t i = 0; i < s->k; i++) {
      double a = s->C[j * s->room + i], b = s->C[i * s->room + j];
      skew += (a - b) * (a - b);
      all += (a + b) * (a + b);
    }
  return lr_wide_changes(s->policy, sqrt(skew), sqrt(all));
}

/* H by BFGS updates of sigma I, the oldest pair first (limited memory: Nocedal,
 * Math. Comp. 35, 1980). */
static void set_updated(lr_secants *s)
{
  size_t n = s->room, m = s->Z.k;
  double *step = s->scratch, *y = step + n, *Hs = y + n;
  memset(s->H, 0, n * n * sizeof *s->H);
  for (size_t j = 0; j < m; j++) s->H[j * n + j] = s->sigma;
  for (size_t age = s->k; age-- > 0;) {
    lr_basis_project(&s->Z, step_at(s, age), step);
    lr_basis_project(&s->Z, change_at(s, age), y);
    for (size_t i = 0; i < m; i++) Hs[i] = lr_dot(m, s->H + i * n, step);
    double sy = lr_dot(m, step, y), sHs = lr_dot(m, step, Hs);
    if (!(sy > 0) || !(sHs > 0)) continue;
    for (size_t j = 0; j < m; j++)
      for (size_t i = 0; i < m; i++)
        s->H[j * n + i] += y[i] * y[j] / sy - Hs[i] * Hs[j] / sHs;
  }
}

bool lr_secants_model(lr_secants *s, lrgd_vec gradient)
{
  double size = 0;
  if (!s->space->ops->measure(s->space, gradient, &size) || !(size > 0))
    return false;
  /* no curvature is known: a nearly linear model */
  if (s->count == 0) s->sigma = 1e-8 * size;
  span(s);
  couple(s, gradient);
  if (changes(s)) {
    set_updated(s);
    return true;
  }
  if (!set_inner(s)) return false;
  set_outer(s);
  return true;
}

void lr_secants_predict(const lr_secants *s, lrgd_vec gradient, lrgd_vec step,
                        lrgd_vec predicted)
{
  double *c = s->scratch, *d = c + s->room;
  size_t m = s->Z.k;
  lr_basis_project(&s->Z, step, c);
  for (size_t i = 0; i < m; i++)
    d[i] = lr_dot(m, s->H + i * s->room, c) - s->sigma * c[i];
  s->space->ops->axpy_into(s->space, predicted, gradient, step, s->sigma);
  lr_basis_expand(&s->Z, predicted, d);
}

void lr_secants_expand(const lr_secants *s, lrgd_vec w, double *H, double *y,
                       double *z)
{
  const lrgd_space_ops *ops = s->space->ops;
  size_t p = s->space->dimension, m = s->Z.k;
  memset(H, 0, p * p * sizeof *H);
  for (size_t i = 0; i < p; i++) H[i * (p + 1)] = s->sigma;
  for (size_t j = 0; j < m; j++) {
    ops->scale(s->space, w, 0);
    for (size_t i = 0; i < m; i++) {
      double c = s->H[j * s->room + i] - (i == j ? s->sigma : 0);
      ops->add(s->space, w, lr_basis_column(&s->Z, i), 1, &c);
    }
    ops->get(s->space, w, 0, p, y);
    ops->get(s->space, lr_basis_column(&s->Z, j), 0, p, z);
    for (size_t i = 0; i < p; i++) lr_axpy(p, z[i], y, H + i * p);
  }
}
