/* Quasi-Newton's step in a box: the minimum of the quadratic model there.
 *
 * The model's Hessian is |B| in V and c outside it, whatever the active set: a
 * bound that becomes active or inactive changes nothing that was learned.
 * Projected gradient steps of the model choose the face of the box, Newton's
 * steps go to the minimum on that face (More, Toraldo, SIAM J. Optim. 1, 1991);
 * each is kept only if the model decreases, and f is not evaluated.  To
 * minimise first and clip afterwards fails where many coordinates reach their
 * bounds at once, as they do along dense directions. */
#include "model/model.h"

#include "model/model_rules.h"
#include "space/vec.h"

#include <math.h>
#include <string.h>

/* The model and its scratch; the matrices have k columns of k numbers. */
typedef struct quadratic {
  lr_model *m;
  double c;      /* curvature outside V */
  double value;  /* the model's change from the base to LR_MODEL_BENT */
  double *Y, *T; /* eigenvectors of a Gram matrix; a reduced Hessian */
  double *d, *w; /* eigenvalues of that matrix; coordinates */
  double *z;     /* coordinates in V of the last point of value_at() */
  double *bent;  /* (|B| - c) z */
} quadratic;

/* out = (|B| - c) z */
static void bend(const quadratic *q, const double *z, double *out)
{
  const lr_model *m = q->m;
  size_t k = m->V->k;
  memset(out, 0, k * sizeof *out);
  for (size_t j = 0; j < k; j++) {
    const double *e = m->eigen.Q + j * k;
    double a = (m->eigen.lambda[j] - q->c) * lr_dot(k, e, z);
    for (size_t i = 0; i < k; i++) out[i] += a * e[i];
  }
}

/* The model's change from the base to y; sets LR_MODEL_SHIFT, q->z and q->bent
 * for y. */
static double value_at(const quadratic *q, lrgd_vec y)
{
  lr_model *m = q->m;
  lrgd_vec s = lr_model_vec(m, LR_MODEL_SHIFT);
  double size = 0, slope;
  m->space->ops->axpy_into(m->space, s, y, m->base.x, -1);
  (void)m->space->ops->measure(m->space, s, &size);
  lr_basis_project(m->V, s, q->z);
  bend(q, q->z, q->bent);
  m->space->ops->dot(m->space, s, 1, lr_model_vec(m, LR_MODEL_FULL), &slope);
  return slope + 0.5 * (q->c * size * size + lr_dot(m->V->k, q->z, q->bent));
}

/* LR_MODEL_PULL = the model's gradient at the last point of value_at(). */
static void set_gradient(const quadratic *q)
{
  lr_model *m = q->m;
  lrgd_vec G = lr_model_vec(m, LR_MODEL_PULL);
  m->space->ops->axpy_into(m->space, G, lr_model_vec(m, LR_MODEL_FULL),
                           lr_model_vec(m, LR_MODEL_SHIFT), q->c);
  lr_basis_expand(m->V, G, q->bent);
}

/* Moves LR_MODEL_BENT along LR_MODEL_STEP by t, t/2, t/4, ... until the model
 * decreases.  False: it never does. */
static bool backtrack(quadratic *q, double t)
{
  lr_model *m = q->m;
  lrgd_vec y = lr_model_vec(m, LR_MODEL_BENT);
  lrgd_vec next = lr_model_vec(m, LR_MODEL_NEXT);
  for (int i = 0; lr_model_tries(m->run->policy, i); i++) {
    m->space->ops->axpy_into(m->space, next, y, lr_model_vec(m, LR_MODEL_STEP),
                             t);
    (void)m->space->ops->clip(m->space, next, m->oracle->box);
    double value = value_at(q, next);
    t *= 0.5;
    if (!(value < q->value)) continue;
    q->value = value;
    m->space->ops->copy(m->space, y, next, 1);
    set_gradient(q);
    return true;
  }
  return false;
}

/* A projected gradient step of the model: to the minimum along the line without
 * the active coordinates, then clipped to the box. */
static bool gradient_step(quadratic *q)
{
  lr_model *m = q->m;
  size_t k = m->V->k;
  lrgd_vec G = lr_model_vec(m, LR_MODEL_PULL);
  lrgd_vec step = lr_model_vec(m, LR_MODEL_STEP);
  double size = 0;
  m->space->ops->copy(m->space, step, G, 1);
  (void)m->space->ops->zero_active(
      m->space, step, lr_model_vec(m, LR_MODEL_BENT), G, m->oracle->box);
  m->space->ops->scale(m->space, step, -1);
  (void)m->space->ops->measure(m->space, step, &size);
  lr_basis_project(m->V, step, m->work.fresh);
  bend(q, m->work.fresh, m->work.column);
  double curve = q->c * size * size + lr_dot(k, m->work.fresh, m->work.column);
  return curve > 0 && backtrack(q, size * size / curve);
}

/* Y, d <- eigenvectors and values of V'PV, P being the projection on the face
 * of LR_MODEL_BENT; *first: the first direction that is in the face. */
static lr_code face(quadratic *q, size_t *first)
{
  lr_model *m = q->m;
  size_t k = m->V->k;
  lrgd_vec v = lr_model_vec(m, LR_MODEL_SPARE);
  for (size_t j = 0; j < k; j++) {
    m->space->ops->copy(m->space, v, lr_basis_column(m->V, j), 1);
    m->space->ops->zero_near_bounds(m->space, v, lr_model_vec(m, LR_MODEL_BENT),
                                    m->oracle->box, 0);
    lr_basis_project(m->V, v, q->Y + j * k);
  }
  if (lr_eigen(m->work.dense, k, q->Y, q->d) != LRGD_OK) return LR_NOVALUE;
  for (*first = 0; *first < k; (*first)++)
    if (lr_model_in_face(m->run->policy, q->d[*first])) break;
  return LR_GO;
}

/* T <- the model's Hessian in the n orthonormal directions P V y / sqrt(d). */
static void reduce(const quadratic *q, size_t first, size_t n)
{
  const lr_model *m = q->m;
  size_t k = m->V->k;
  for (size_t j = 0; j < n; j++) {
    bend(q, q->Y + (first + j) * k, m->work.column);
    for (size_t i = 0; i <= j; i++) {
      double both = sqrt(q->d[first + i] * q->d[first + j]);
      double bent = both * lr_dot(k, q->Y + (first + i) * k, m->work.column);
      q->T[j * n + i] = q->T[i * n + j] = bent + (i == j ? q->c : 0);
    }
  }
}

/* LR_MODEL_STEP <- Newton's step of the model on the face of LR_MODEL_BENT. */
static lr_code newton(quadratic *q)
{
  lr_model *m = q->m;
  size_t k = m->V->k, first = 0, n;
  lrgd_vec step = lr_model_vec(m, LR_MODEL_STEP);
  LR_TRY(face(q, &first));
  n = k - first;
  m->space->ops->copy(m->space, step, lr_model_vec(m, LR_MODEL_PULL), 1);
  m->space->ops->zero_near_bounds(
      m->space, step, lr_model_vec(m, LR_MODEL_BENT), m->oracle->box, 0);
  lr_basis_project(m->V, step, m->work.fresh);
  reduce(q, first, n);
  double *slopes = m->work.fresh, *root = q->d + first, *w = q->w;
  for (size_t i = 0; i < n; i++)
    w[i] = lr_dot(k, q->Y + (first + i) * k, slopes) / sqrt(root[i]);
  memcpy(slopes, w, n * sizeof *w);
  if (n > 0 && lr_eigen(m->work.dense, n, q->T, m->work.hint) != LRGD_OK)
    return LR_NOVALUE; /* overflow, for example after a jump of f by 1e300 */
  /* w <- slopes / c - T^-1 slopes: below, the whole gradient is divided by c,
   * the curvature outside V; w corrects that for the part in V */
  for (size_t i = 0; i < n; i++) w[i] = slopes[i] / q->c;
  double largest = n > 0 ? m->work.hint[n - 1] : 0;
  double least = lr_model_least_curvature(m->run->policy, largest);
  for (size_t j = 0; j < n; j++) {
    const double *e = q->T + j * n;
    double a = lr_dot(n, e, slopes) / fmax(m->work.hint[j], least);
    for (size_t i = 0; i < n; i++) w[i] -= a * e[i];
  }
  memset(m->work.column, 0, k * sizeof *m->work.column);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < k; i++)
      m->work.column[i] += w[j] / sqrt(root[j]) * q->Y[(first + j) * k + i];
  m->space->ops->scale(m->space, step, -1 / q->c);
  lr_basis_expand(m->V, step, m->work.column);
  m->space->ops->zero_near_bounds(
      m->space, step, lr_model_vec(m, LR_MODEL_BENT), m->oracle->box, 0);
  return LR_GO;
}

lr_code lr_model_minimise_boxed(lr_model *m, double c, double *promised)
{
  quadratic q = {.m = m, .Y = m->work.faces, .c = c};
  double first = 0;
  q.T = q.Y + m->most * m->most;
  q.d = q.T + m->most * m->most;
  q.w = q.d + m->most + 1;
  q.z = q.w + m->most + 1;
  q.bent = q.z + m->most + 1;
  m->space->ops->copy(m->space, lr_model_vec(m, LR_MODEL_BENT), m->base.x, 1);
  m->space->ops->copy(m->space, lr_model_vec(m, LR_MODEL_PULL),
                      lr_model_vec(m, LR_MODEL_FULL), 1);
  for (int i = 0;; i++) {
    double left = m->space->ops->free_norm(
        m->space, lr_model_vec(m, LR_MODEL_PULL),
        lr_model_vec(m, LR_MODEL_BENT), m->oracle->box);
    if (i == 0) first = left;
    if (!lr_model_visits(m->run->policy, i, left, first)) break;
    bool fell = gradient_step(&q);
    LR_TRY(newton(&q));
    if (!backtrack(&q, 1) && !fell) break;
  }
  *promised = -q.value;
  return LR_GO;
}

lr_code lr_model_follow(lr_model *m, double c)
{
  lrgd_vec w = lr_model_vec(m, LR_MODEL_SPARE);
  double size = 0, slope;
  size_t p = lr_run_dimension(m->run);
  if (m->V->k >= m->most && m->most < p)
    lr_model_forget(m, lr_model_forgotten(m->run->policy, m->V->k));
  m->space->ops->axpy_into(m->space, w, m->here.x, m->base.x, -1);
  (void)m->space->ops->measure(m->space, w, &size);
  lr_basis_project(m->V, w, m->dz);
  double left = lr_basis_reject(m->V, w);
  size_t k = m->V->k;
  if (!lr_model_is_outside(m->run->policy, left, size) || k >= m->most ||
      !lr_normalise(m->space, w, NULL))
    return LR_GO;
  m->space->ops->dot(m->space, w, 1, lr_model_vec(m, LR_MODEL_FULL), &slope);
  LR_TRY(lr_model_append(m, w, slope, NULL, c));
  m->dz[k] = left;
  return LR_GO;
}

/* ---- slopes on a face ---- */

/* w = column j of V without the coordinates at bounds; returns its norm. */
static double free_part(lr_model *m, size_t j, lrgd_vec w)
{
  double norm = 0;
  m->space->ops->copy(m->space, w, lr_basis_column(m->V, j), 1);
  m->space->ops->zero_near_bounds(m->space, w, m->here.x, m->oracle->box, 0);
  (void)m->space->ops->measure(m->space, w, &norm);
  return norm;
}

/* fresh[j] = the measured derivative along the free part of column j minus that
 * of the predicted gradient LR_MODEL_FULL; norms[j] = the norm of that part. */
static lr_code prediction_errors(lr_model *m, double *norms)
{
  lrgd_vec full = lr_model_vec(m, LR_MODEL_FULL);
  double expected[LR_MODEL_CHUNKS], hints[LR_MODEL_CHUNKS];
  double slopes[LR_MODEL_CHUNKS + 1];
  size_t k = m->V->k, kept[LR_MODEL_CHUNKS];
  double least = lr_model_least_curvature(m->run->policy, m->eigen.largest);
  for (size_t j = 0; j < k;) {
    size_t n = 0;
    for (; j < k && n < LR_MODEL_CHUNKS; j++) {
      lrgd_vec w = lr_model_vec(m, LR_MODEL_CHUNK + (int)n);
      norms[j] = free_part(m, j, w);
      m->work.fresh[j] = 0;
      if (!lr_model_measures(m->run->policy, norms[j])) {
        norms[j] = 0;
        continue;
      }
      m->space->ops->scale(m->space, w, 1 / norms[j]);
      m->space->ops->dot(m->space, w, 1, full, &expected[n]);
      hints[n] = -fmax(fabs(m->B[j * (m->most + 1)]), least);
      kept[n++] = j;
    }
    if (n == 0) continue;
    lr_code code = lr_oracle_slopes_hinted(m->oracle, &m->here,
                                           lr_model_vec(m, LR_MODEL_CHUNK), n,
                                           LRGD_PURPOSE_DESCEND, hints, slopes);
    if (code == LR_NOVALUE) continue; /* keep the prediction */
    LR_TRY(code);
    for (size_t i = 0; i < n; i++)
      m->work.fresh[kept[i]] = (slopes[i] - expected[i]) * norms[kept[i]];
  }
  return LR_GO;
}

/* Corrects LR_MODEL_FULL by the shortest vector in the free part of V's span
 * that explains the errors in m->work.fresh; columns with a small free part are
 * ignored. */
static lr_code correct(lr_model *m)
{
  size_t k = m->V->k;
  double *Y = m->work.faces, *d = Y + 2 * m->most * m->most, whole = 1;
  lrgd_vec w = lr_model_vec(m, LR_MODEL_NEXT);
  for (size_t j = 0; j < k; j++) {
    (void)free_part(m, j, w);
    lr_basis_project(m->V, w, Y + j * k);
  }
  if (lr_eigen(m->work.dense, k, Y, d) != LRGD_OK)
    return lr_oracle_fault(m->oracle, LRGD_ERR_NUMERIC,
                           "a face of %zu directions has no basis", k);
  memset(m->work.column, 0, k * sizeof *m->work.column);
  for (size_t j = 0; j < k; j++) {
    if (!lr_model_corrects(m->run->policy, d[j])) continue;
    double a = lr_dot(k, Y + j * k, m->work.fresh) / d[j];
    for (size_t i = 0; i < k; i++) m->work.column[i] += a * Y[j * k + i];
  }
  m->space->ops->scale(m->space, w, 0);
  lr_basis_expand(m->V, w, m->work.column);
  m->space->ops->zero_near_bounds(m->space, w, m->here.x, m->oracle->box, 0);
  m->space->ops->add(m->space, lr_model_vec(m, LR_MODEL_FULL), w, 1, &whole);
  return LR_GO;
}

lr_code lr_model_rebase_boxed(lr_model *m)
{
  lr_model_foresee(m);
  LR_TRY(prediction_errors(m, m->work.hint));
  LR_TRY(correct(m));
  lr_basis_project(m->V, lr_model_vec(m, LR_MODEL_FULL), m->work.fresh);
  return lr_model_rebase(m, m->work.fresh);
}

/* ---- the step ---- */

lr_code lr_model_fits(lr_model *m, bool *fits)
{
  double form;
  lrgd_vec next = lr_model_vec(m, LR_MODEL_NEXT);
  LR_TRY(lr_model_solve(m, m->g, m->work.column, &form));
  m->space->ops->copy(m->space, next, m->base.x, 1);
  lr_basis_expand(m->V, next, m->work.column);
  *fits = m->space->ops->clip(m->space, next, m->oracle->box) == 0;
  return LR_GO;
}

lr_code lr_model_land_boxed(lr_model *m, double c, const lr_step_guard *guard,
                            double *fall)
{
  lrgd_vec step = lr_model_vec(m, LR_MODEL_STEP);
  double promised, slope, size = 0, t = 1;
  bool trusted = m->landing.trust, tried = false;
  *fall = 0;
  m->landing.trust = false;
  m->here = m->base;
  memset(m->dz, 0, m->V->k * sizeof *m->dz);
  LR_TRY(lr_model_decompose(m));
  double outside =
      lr_model_outside_curvature(m->run->policy, c, m->eigen.largest);
  LR_TRY(lr_model_minimise_boxed(m, outside, &promised));
  m->space->ops->axpy_into(m->space, step, lr_model_vec(m, LR_MODEL_BENT),
                           m->base.x, -1);
  m->space->ops->dot(m->space, step, 1, lr_model_vec(m, LR_MODEL_FULL), &slope);
  (void)m->space->ops->measure(m->space, step, &size);
  if (!(slope < 0 && size > 0)) return LR_GO;
  if (m->landing.longest > 0 && !trusted) t = fmin(1, lr_model_leap(m) / size);
  double first = slope;
  m->landing.ahead = 0; /* no lengths were evaluated along this step */
  if (guard) LR_TRY(guard->keep(guard->self, m, outside, &t, &slope, &tried));
  bool same = slope == first; /* the guard did not change the step */
  if (!same) (void)m->space->ops->measure(m->space, step, &size);
  LR_TRY(lr_model_search(m, step, 1, slope, tried, &t));
  if (t == 0) return LR_GO;
  *fall = m->base.f - m->here.f;
  m->landing.trust = same && t == 1 &&
                     lr_model_predicts(m->run->policy, *fall, promised,
                                       m->oracle->differences.noise);
  m->landing.longest = fmax(m->landing.longest, t * size);
  LR_TRY(lr_model_follow(m, c));
  return lr_model_arrived(m);
}
