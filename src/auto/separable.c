/* Quasi-Newton on separable functions.
 *
 * Where f is a sum of functions of one input each, the change y of the gradient
 * over a step s tells the diagonal Hessian, D_i = y_i / s_i, and -D^-1 g leads
 * to the minimum: two gradients find what would take one for each different
 * curvature otherwise.  Where f is not, the signs of y and s rarely agree so
 * well, and if they do, a value along that step tells. */
#include "auto/quasi_newton_rules.h"

#include "certificate/certificate.h"
#include "space/vec.h"

#include <math.h>

/* A few coordinates of the step between two gradients, and of their change. */
typedef struct chunk {
  size_t first, n;
  double s[LR_FEW], y[LR_FEW];
} chunk;

/* The whole gradient where the model stands; G is without the active
 * coordinates. */
static lrgd_vec whole(const lr_model *m, lrgd_vec G)
{
  return lr_oracle_boxed(m->oracle) ? lr_model_vec(m, LR_MODEL_FULL) : G;
}

/* out = coordinates first .. first + n - 1 of a - b */
static void difference(const lr_model *m, lrgd_vec a, lrgd_vec b,
                       const chunk *at, double *out)
{
  double less[LR_FEW];
  m->space->ops->get(m->space, a, at->first, at->n, out);
  m->space->ops->get(m->space, b, at->first, at->n, less);
  for (size_t i = 0; i < at->n; i++) out[i] -= less[i];
}

/* The next chunk; the first one where n is 0.  False: there is none. */
static bool next(const lr_model *m, lrgd_vec G, chunk *at)
{
  at->first += at->n;
  at->n = lr_few(m->space, at->first);
  if (at->n == 0) return false;
  difference(m, m->here.x, lr_model_vec(m, LR_MODEL_LAST_X), at, at->s);
  difference(m, whole(m, G), lr_model_vec(m, LR_MODEL_LAST_G), at, at->y);
  return true;
}

/* The least change of a derivative that is larger than its error. */
static double least_change(const lr_quasi_newton *q)
{
  lr_model *m = q->model;
  return lr_separable_least_change(
      lr_qn_policy(q),
      lr_oracle_slope_error(m->oracle, &m->here, -q->curvature.coordinate));
}

/* D_i.  Where the change of the derivative is within its error, the largest D_i
 * that the error allows; where x_i has not changed, the curvature of the last
 * direction. */
static double curvature(const lr_quasi_newton *q, const chunk *at, size_t i,
                        double least)
{
  double s = at->s[i], y = at->y[i];
  if (fabs(y) > least) return s * y > 0 ? y / s : q->curvature.last;
  bool less = least > 0 && least < q->curvature.last * fabs(s);
  return less ? least / fabs(s) : q->curvature.last;
}

/* Whether nearly all derivatives that have changed have the sign of the change
 * of their input. */
static bool signs_agree(const lr_quasi_newton *q, lrgd_vec G)
{
  size_t changed = 0, agree = 0;
  double least = least_change(q);
  for (chunk at = {0}; next(q->model, G, &at);)
    for (size_t i = 0; i < at.n; i++) {
      if (at.s[i] == 0 || !(fabs(at.y[i]) > least)) continue;
      changed++;
      agree += at.s[i] * at.y[i] > 0;
    }
  return lr_separable_signs(lr_qn_policy(q), (double)changed, (double)agree);
}

/* w = D^-1 G */
static void diagonal_step(const lr_quasi_newton *q, lrgd_vec G, lrgd_vec w)
{
  lrgd_space *space = q->model->space;
  double least = least_change(q), step[LR_FEW];
  for (chunk at = {0}; next(q->model, G, &at);) {
    space->ops->get(space, G, at.first, at.n, step);
    for (size_t i = 0; i < at.n; i++) step[i] /= curvature(q, &at, i, least);
    space->ops->put(space, w, at.first, at.n, step);
  }
}

/* w'D w */
static double predict(const lr_quasi_newton *q, lrgd_vec G, lrgd_vec w)
{
  lrgd_space *space = q->model->space;
  double least = least_change(q), sum = 0, step[LR_FEW];
  for (chunk at = {0}; next(q->model, G, &at);) {
    space->ops->get(space, w, at.first, at.n, step);
    for (size_t i = 0; i < at.n; i++)
      sum += step[i] * step[i] * curvature(q, &at, i, least);
  }
  return sum;
}

/* Whether the curvature *c along w, or along its inactive part, agrees with
 * D. */
static lr_code agrees_along(lr_quasi_newton *q, lrgd_vec G, lrgd_vec w,
                            double *c, bool *agrees)
{
  lr_model *m = q->model;
  const lrgd_space_ops *ops = m->space->ops;
  lrgd_vec down = lr_model_vec(m, LR_MODEL_SPARE);
  double slope;
  ops->copy(m->space, down, w, 1);
  if (lr_oracle_boxed(m->oracle))
    ops->zero_near_bounds(m->space, down, m->here.x, m->oracle->box, 0);
  *agrees = lr_normalise(m->space, down, NULL);
  if (!*agrees) return LR_GO;
  ops->dot(m->space, down, 1, whole(m, G), &slope);
  if (slope > 0) ops->scale(m->space, down, -1);
  double predicted = predict(q, G, down);
  LR_TRY(lr_model_curvature(m, down, -fabs(slope), c));
  *agrees = lr_separable_curvature(lr_qn_policy(q), *c, predicted);
  return LR_GO;
}

/* Tests the separable model along a random direction, which is independent of
 * the gradients that it was made from. */
static lr_code agrees_along_random(lr_quasi_newton *q, lrgd_vec G, bool *agrees)
{
  lr_model *m = q->model;
  lrgd_vec any = lr_model_vec(m, LR_MODEL_PROBE);
  double c;
  *agrees = lr_model_draw(m);
  lr_oracle_want_any(m->oracle);
  return *agrees ? agrees_along(q, G, any, &c, agrees) : LR_GO;
}

/* w = the part of D^-1 G outside V, a unit vector; *slope is the derivative
 * along it, 0 where there is no such part. */
static void find_step(const lr_quasi_newton *q, lrgd_vec G, lrgd_vec w,
                      double *slope)
{
  const lr_model *m = q->model;
  double before = 0;
  *slope = 0;
  diagonal_step(q, G, w);
  bool sound = m->space->ops->measure(m->space, w, &before);
  if (!sound ||
      !lr_qn_is_new(lr_qn_policy(q), lr_basis_reject(m->V, w), before))
    return;
  (void)lr_normalise(m->space, w, NULL);
  m->space->ops->dot(m->space, w, 1, whole(m, G), slope);
}

/* Discards a large V, for which the Hessian column of w would not be measured:
 * D is the better model. */
static void begin_anew(lr_quasi_newton *q, lrgd_vec G, lrgd_vec w,
                       double *slope)
{
  lr_model_forget(q->model, q->model->V->k);
  find_step(q, G, w, slope);
  q->curvature.last = predict(q, G, w);
}

/* Tests whether f is separable; if so, writes D^-1 G to LR_MODEL_STEP. */
static lr_code try_step(lr_quasi_newton *q, lrgd_vec G, double *slope,
                        bool *separable)
{
  lrgd_vec w = lr_model_vec(q->model, LR_MODEL_STEP);
  double c;
  *separable = false;
  if (!q->separable.paired || q->active.now ||
      !lr_separable_tries(lr_qn_policy(q), q->separable.rejected) ||
      !(q->curvature.last > 0) || !signs_agree(q, G))
    return LR_GO;
  find_step(q, G, w, slope);
  if (!(*slope > 0)) return LR_GO;
  LR_TRY(agrees_along_random(q, G, separable));
  if (*separable) LR_TRY(agrees_along(q, G, w, &c, separable));
  q->separable.rejected += !*separable;
  if (!*separable) return LR_GO;
  q->curvature.last = c;
  if (lr_qn_columns_too_dear(lr_qn_policy(q), (double)q->model->V->k,
                             (double)q->model->space->dimension))
    begin_anew(q, G, w, slope);
  return LR_GO;
}

static void remember(lr_quasi_newton *q, lrgd_vec G)
{
  const lr_model *m = q->model;
  const lrgd_space_ops *ops = m->space->ops;
  ops->copy(m->space, lr_model_vec(m, LR_MODEL_LAST_X), m->here.x, 1);
  ops->copy(m->space, lr_model_vec(m, LR_MODEL_LAST_G), whole(m, G), 1);
  q->separable.paired =
      !q->active.now; /* all derivatives are measured, none predicted */
}

lr_code lr_qn_separable_step(lr_quasi_newton *q, lrgd_vec G, double *slope,
                             bool *separable)
{
  lr_model *m = q->model;
  LR_TRY(try_step(q, G, slope, separable));
  remember(q, G);
  if (!*separable) return LR_GO;
  m->space->ops->copy(m->space, G, lr_model_vec(m, LR_MODEL_STEP), 1);
  return LR_GO;
}
