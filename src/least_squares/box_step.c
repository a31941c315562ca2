/* The step of least expected f within bounds.
 *
 * Over all of space the expected f is a convex quadratic: inside V that of the
 * model; outside V every direction is priced as an unmeasured one, whose column
 * has a typical size and an unknown direction.  The Hessian alpha I + V C V' is
 * a multiple of the identity plus rank k, so that each active set costs a k x k
 * system (primal-dual active sets, after Hintermueller, Ito and Kunisch). */
#include "least_squares/least_squares_state.h"

#include "base/memory.h"
#include "base/vector.h"
#include "least_squares/least_squares_rules.h"

#include <math.h>
#include <string.h>

/* A quadratic g's + s'Hs/2, H = alpha I + V C V', in low <= s <= high. */
typedef struct quadratic {
  const lr_residual_model *M;
  double alpha;
  double *C;                  /* k x k */
  double *g, *s, *low, *high; /* p each */
  double *slope;              /* H s + g */
  unsigned char *held;        /* whether the coordinate is at a bound */
  double *rows; /* p x k: the rows of V whose coordinates are at bounds */
  double *G, *K, *rhs; /* k x k, k x k, 3 k: scratch */
  size_t *index;       /* p: the free coordinates */
  bool axes;           /* V is the identity */
} quadratic;

/* Solves K x = b, k x k, by Gaussian elimination with row pivoting; K and b are
 * overwritten, b by x. */
static void solve(size_t k, double *K, double *b)
{
  for (size_t j = 0; j < k; j++) {
    size_t best = j;
    for (size_t i = j + 1; i < k; i++)
      if (fabs(K[j * k + i]) > fabs(K[j * k + best])) best = i;
    for (size_t l = j; l < k && best != j; l++)
      lr_swap(1, K + l * k + j, K + l * k + best);
    if (best != j) lr_swap(1, b + j, b + best);
    double pivot = K[j * k + j];
    for (size_t i = j + 1; i < k; i++)
      K[j * k + i] = pivot != 0 ? K[j * k + i] / pivot : 0;
    for (size_t l = j + 1; l < k; l++)
      lr_axpy(k - j - 1, -K[l * k + j], K + j * k + j + 1, K + l * k + j + 1);
    lr_axpy(k - j - 1, -b[j], K + j * k + j + 1, b + j + 1);
  }
  for (size_t j = k; j-- > 0;) {
    b[j] = K[j * k + j] != 0 ? b[j] / K[j * k + j] : 0;
    lr_axpy(j, -b[j], K + j * k, b);
  }
}

/* y = H x. */
static void times_H(const quadratic *q, const double *x, double *y)
{
  size_t p = q->M->p, k = q->M->k;
  double *c = q->rhs, *Cc = c + k;
  for (size_t i = 0; i < p; i++) y[i] = q->alpha * x[i];
  if (q->axes) {
    lr_gemv(k, k, q->C, k, x, y);
    return;
  }
  lr_gemv_t(p, k, q->M->V, p, x, c);
  memset(Cc, 0, k * sizeof *Cc);
  lr_gemv(k, k, q->C, k, c, Cc);
  lr_gemv(p, k, q->M->V, p, Cc, y);
}

/* G = V'V over the free coordinates: I minus the part of the rows at bounds. */
static void free_gram(const quadratic *q)
{
  size_t p = q->M->p, k = q->M->k, h = 0;
  for (size_t j = 0; j < k; j++) {
    const double *v = q->M->V + j * p;
    h = 0;
    for (size_t i = 0; i < p; i++)
      if (q->held[i]) q->rows[j * p + h++] = v[i];
  }
  for (size_t j = 0; j < k; j++)
    for (size_t l = 0; l <= j; l++) {
      double sum = lr_dot(h, q->rows + j * p, q->rows + l * p);
      q->G[j * k + l] = q->G[l * k + j] = (j == l ? 1 : 0) - sum;
    }
}

/* Minimises the quadratic over the free coordinates, the others being fixed:
 * H_ff s_f = -(g + H s_held)_f, solved by the Sherman-Morrison-Woodbury
 * identity without the inverse of C. */
static void minimise_free(const quadratic *q)
{
  size_t p = q->M->p, k = q->M->k;
  double *w = q->rhs, *Cw = w + k, *r = q->slope;
  for (size_t i = 0; i < p; i++)
    if (!q->held[i]) q->s[i] = 0;
  times_H(q, q->s, r);
  for (size_t i = 0; i < p; i++) r[i] = q->held[i] ? 0 : -(r[i] + q->g[i]);
  lr_gemv_t(p, k, q->M->V, p, r, w);
  memset(Cw, 0, k * sizeof *Cw);
  lr_gemv(k, k, q->C, k, w, Cw);
  free_gram(q);
  lr_gemm(k, k, k, q->C, k, q->G, q->K, k);
  for (size_t j = 0; j < k; j++) q->K[j * k + j] += q->alpha;
  solve(k, q->K, Cw); /* (alpha I + C G) y = C V'r */
  for (size_t j = 0; j < k; j++) Cw[j] = -Cw[j];
  lr_gemv(p, k, q->M->V, p, Cw, r);
  for (size_t i = 0; i < p; i++)
    if (!q->held[i]) q->s[i] = r[i] / q->alpha;
}

/* Minimises the quadratic where V is the identity, by Cholesky's factorisation
 * of H over the free coordinates; a pivot that rounding made negative is
 * skipped. */
static void minimise_free_axes(const quadratic *q)
{
  size_t k = q->M->k, n = 0;
  double *r = q->slope, *K = q->K, *y = q->rhs;
  size_t *at = q->index;
  for (size_t i = 0; i < k; i++)
    if (!q->held[i]) q->s[i] = 0, at[n++] = i;
  times_H(q, q->s, r);
  for (size_t j = 0; j < n; j++) { /* row j of L, in column j of K */
    const double *column = q->C + at[j] * k;
    double *row = K + j * k;
    for (size_t i = 0; i <= j; i++) {
      const double *other = K + i * k;
      double sum =
          column[at[i]] + (i == j ? q->alpha : 0) - lr_dot(i, other, row);
      if (i < j)
        row[i] = other[i] > 0 ? sum / other[i] : 0;
      else
        row[i] = sum > 0 ? sqrt(sum) : 0;
    }
    double sum = -(r[at[j]] + q->g[at[j]]) - lr_dot(j, row, y);
    y[j] = row[j] > 0 ? sum / row[j] : 0;
  }
  for (size_t j = n; j-- > 0;) {
    const double *row = K + j * k;
    y[j] = row[j] > 0 ? y[j] / row[j] : 0;
    lr_axpy(j, -y[j], row, y);
    q->s[at[j]] = y[j];
  }
}

/* The next active set, by the signs of bounds and multipliers; returns how many
 * coordinates change.  s is clipped to the bounds. */
static size_t next_set(const quadratic *q)
{
  size_t p = q->M->p, changed = 0;
  times_H(q, q->s, q->slope);
  for (size_t i = 0; i < p; i++) {
    double d = q->slope[i] + q->g[i], s = q->s[i];
    bool below = s < q->low[i] || (q->held[i] && s == q->low[i] && d > 0);
    bool above = s > q->high[i] || (q->held[i] && s == q->high[i] && d < 0);
    bool want = below || above;
    changed += want != q->held[i];
    q->held[i] = want;
    q->s[i] = fmin(fmax(s, q->low[i]), q->high[i]);
  }
  return changed;
}

/* C = J'WJ, W being the weights of a loss or I, and rhs = J'G. */
static lrgd_status fill_plain(lr_least_squares *run, const quadratic *q)
{
  const lr_residual_model *M = q->M;
  size_t k = M->k;
  lrgd_status status = lr_residual_model_squares(&run->M, q->C);
  for (size_t j = 0; j < k && M->weight; j++) {
    const double *column = M->J + j * M->m;
    for (size_t i = 0; i < M->m; i++)
      M->r[i] = M->weight[i] * M->weight[i] * column[i];
    lr_gemv_t(M->m, k, M->J, M->m, M->r, q->C + j * k);
  }
  lr_gemv_t(M->m, k, M->J, M->m, M->G, q->rhs);
  return status;
}

/* Fills the quadratic of a model with terms of curvature, to second order at
 * z0: F(z)
 * is A z + b there, and a term b_l (u'z)^2 adds 2 (F'b_l) u u' to the Hessian.
 * Where that is negative it is left out, as in Gauss and Newton's method, so
 * that the quadratic stays convex. */
static lrgd_status fill_curved(const quadratic *q, const double *z0)
{
  const lr_residual_model *M = q->M;
  const lr_bends *B = &M->bends;
  size_t k = M->k, m = M->m;
  double *A = lr_alloc_raw(&M->allocator, m * k + 2 * m, sizeof *A);
  if (!A) return LRGD_ERR_NOMEM;
  double *b = A + m * k, *r = b + m;
  memcpy(A, M->J, m * k * sizeof *A);
  memcpy(b, M->F, m * sizeof *b);
  lr_bends_linearise(B, k, z0, A, b);
  memcpy(r, b, m * sizeof *r);
  lr_gemv(m, k, A, m, z0, r);
  for (size_t j = 0; j < k; j++) lr_gemv_t(m, k, A, m, A + j * m, q->C + j * k);
  lr_gemv_t(m, k, A, m, b, q->rhs);
  for (size_t l = 0; l < B->count; l++) {
    const double *u = B->u + l * B->most;
    double bend = 2 * lr_dot(M->n, r, B->b + l * m);
    if (!(bend > 0)) continue;
    for (size_t j = 0; j < k; j++) lr_axpy(k, bend * u[j], u, q->C + j * k);
    lr_axpy(k, -bend * lr_dot(k, u, z0), u, q->rhs);
  }
  lr_free(&M->allocator, A);
  return LRGD_OK;
}

/* H = alpha I + V C V' with C = J'J + n c^2 P + mu I - alpha I, alpha = size^2
 * + mu, and g.  z0: where terms of curvature are taken; NULL: without them. */
static lrgd_status fill(lr_least_squares *run, quadratic *q, double size,
                        const double *z0)
{
  const lr_residual_model *M = q->M;
  size_t k = M->k, p = M->p;
  double doubt = M->mass * M->c * M->c;
  q->alpha = size * size + M->mu;
  lrgd_status status = z0 ? fill_curved(q, z0) : fill_plain(run, q);
  for (size_t j = 0; j < k; j++) {
    lr_axpy(k, doubt, M->P + j * M->room, q->C + j * k);
    q->C[j * k + j] += M->mu - q->alpha;
  }
  memset(q->g, 0, p * sizeof *q->g);
  lr_gemv(p, k, M->V, p, q->rhs, q->g);
  const double *b = lrgd_host_data(run->at.x);
  const double *lower = lr_ls_lower(run);
  const double *upper = lr_ls_upper(run);
  for (size_t i = 0; i < p; i++) {
    q->low[i] = fmin((lower[i] - b[i]) / run->D[i], 0);
    q->high[i] = fmax((upper[i] - b[i]) / run->D[i], 0);
  }
  return status;
}

/* Minimises over active sets from the one in `held`; returns |s|^2. */
static double minimise(const quadratic *q)
{
  const lr_policy *P = lr_policy_current();
  for (unsigned sets = 0; lr_ls_tries_active_set(P, sets); sets++) {
    if (q->axes)
      minimise_free_axes(q);
    else
      minimise_free(q);
    if (next_set(q) == 0) break;
  }
  return lr_dot(q->M->p, q->s, q->s);
}

/* Chooses the damping for curvature, mu = m c^2 |s|^2 / 2, by bisection of its
 * logarithm: s becomes shorter as mu rises, so that the solution is between any
 * mu and the right side there.  The mu of the step without bounds may be on
 * either side: bounds shorten a step, or lengthen it where they take away a
 * coordinate whose effect another one's compensated. */
static void balance(quadratic *q)
{
  const lr_residual_model *M = q->M;
  double half = 0.5 * M->mass * M->c * M->c, now = M->mu;
  double first = half * minimise(q);
  double low = fmin(first, now), high = fmax(first, now);
  const lr_policy *P = lr_policy_current();
  while (!lr_ls_box_damping_found(P, low, high) && low > 0) {
    double mu = sqrt(low) * sqrt(high);
    q->alpha += mu - now, now = mu;
    double wanted = half * minimise(q);
    if (wanted > mu)
      low = mu;
    else
      high = mu, low = fmax(low, wanted);
  }
}

/* The decrease that the model with its terms of curvature predicts for s. */
static double promise(lr_least_squares *run, const quadratic *q, double size)
{
  const lr_residual_model *M = q->M;
  double *z = run->w, all = lr_dot(M->p, q->s, q->s);
  lr_gemv_t(M->p, M->k, M->V, M->p, q->s, z);
  double outside = fmax(all - lr_dot(M->k, z, z), 0);
  return lr_residual_model_promise(&run->M, z, M->r) -
         0.5 * size * size * outside;
}

/* Newton's iteration for the model with its terms of curvature, from the step s
 * of the model without them; each iteration is a step within the bounds, and is
 * halved until it promises more.  kept: p + k numbers. */
static lrgd_status follow_curvature(lr_least_squares *run, quadratic *q,
                                    double size, double *kept)
{
  const lr_policy *P = lr_policy_current();
  size_t p = q->M->p, k = q->M->k;
  double *z0 = kept + p, best = 0;
  lrgd_status status = LRGD_OK;
  memset(kept, 0, p * sizeof *kept);
  for (unsigned times = 0; lr_ls_reweighs(P, times); times++) {
    double promised = promise(run, q, size);
    for (unsigned half = 0; lr_ls_reweighs(P, half) && promised <= best;
         half++) {
      for (size_t i = 0; i < p; i++) q->s[i] = 0.5 * (q->s[i] + kept[i]);
      promised = promise(run, q, size);
    }
    if (!(promised > best)) break;
    bool better = lr_ls_weights_help(P, promised, best);
    best = promised;
    memcpy(kept, q->s, p * sizeof *kept);
    if (!better) break;
    lr_gemv_t(p, k, q->M->V, p, q->s, z0);
    status = fill(run, q, size, z0);
    if (status != LRGD_OK) return status;
    balance(q);
  }
  memcpy(q->s, kept, p * sizeof *kept);
  return status;
}

/* The number of coordinates at bounds. */
static size_t count_held(const quadratic *q)
{
  size_t held = 0;
  for (size_t i = 0; i < q->M->p; i++) held += q->held[i];
  return held;
}

lrgd_status lr_ls_box_step(lr_least_squares *run, double size, double *s,
                           size_t *count)
{
  const lr_residual_model *M = &run->M;
  const lrgd_allocator *a = &M->allocator;
  size_t p = M->p, k = M->k;
  double *room = lr_alloc(a, 5 * p + p * k + 3 * k * k + 4 * k, sizeof *room);
  unsigned char *held = lr_alloc(a, p, 1);
  size_t *index = lr_alloc(a, p, sizeof *index);
  bool well = room && held && index;
  quadratic q = {.M = M, .s = s, .held = held, .index = index};
  *count = 0;
  if (well) {
    q.axes = run->axes;
    q.g = room, q.low = q.g + p, q.high = q.low + p, q.slope = q.high + p;
    q.C = q.slope + p, q.G = q.C + k * k, q.K = q.G + k * k;
    q.rhs = q.K + k * k, q.rows = q.rhs + 3 * k;
    memset(s, 0, p * sizeof *s);
    well = fill(run, &q, size, NULL) == LRGD_OK;
    if (well) balance(&q);
    if (well && M->bends.count > 0 && !M->weight)
      well = follow_curvature(run, &q, size, q.rows + p * k) == LRGD_OK;
    *count = count_held(&q);
  }
  lr_free(a, index);
  lr_free(a, held);
  lr_free(a, room);
  return well ? LRGD_OK : LRGD_ERR_NOMEM;
}
