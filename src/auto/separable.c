/* Inputs that act apart.
 *
 * Where f is a sum of functions of one input each, the change y of the gradient
 * over a step s tells the curvature along every input at once, D_i = y_i / s_i,
 * and D^-1 g is the way to the minimum: two gradients find what would take one
 * for each different curvature otherwise.  Where f is not, the signs of y and s
 * rarely agree so well, and if they do, a value along that way tells.
 *
 * Known here: the last two gradients.  Not known: what becomes of the way. */
#include "auto/quasi_newton_state.h"

#include "certificate/certificate.h"
#include "space/vec.h"

#include <math.h>

/* A few coordinates of the step between two gradients, and of their change. */
typedef struct chunk {
  size_t first, n;
  double s[LR_FEW], y[LR_FEW];
} chunk;

/* The gradient where the model stands, without what bounds hold: G.  With: */
static lrgd_vec whole(const lr_model *m, lrgd_vec G)
{
  return lr_oracle_boxed(m->oracle) ? lr_model_vec(m, LR_MODEL_FULL) : G;
}

/* out = coordinates of a - b */
static void difference(const lr_model *m, lrgd_vec a, lrgd_vec b,
                       const chunk *at, double *out)
{
  double less[LR_FEW];
  m->space->ops->get(m->space, a, at->first, at->n, out);
  m->space->ops->get(m->space, b, at->first, at->n, less);
  for (size_t i = 0; i < at->n; i++) out[i] -= less[i];
}

/* The next chunk, or the first of all where n is 0.  False: there is none. */
static bool next(const lr_model *m, lrgd_vec G, chunk *at)
{
  at->first += at->n;
  at->n = lr_few(m->space, at->first);
  if (at->n == 0) return false;
  difference(m, m->here.x, lr_model_vec(m, LR_MODEL_LAST_X), at, at->s);
  difference(m, whole(m, G), lr_model_vec(m, LR_MODEL_LAST_G), at, at->y);
  return true;
}

/* What change of a slope is more than its error. */
static double least_change(const lr_quasi_newton *K)
{
  lr_model *m = K->model;
  return 4 * lr_oracle_slope_error(m->oracle, &m->here, -K->spread);
}

/* D_i.  Where the change is within the error of slopes, it is no more than that
 * allows; and else, where there is none, as along the last direction. */
static double curvature(const lr_quasi_newton *K, const chunk *at, size_t i,
                        double least)
{
  double s = at->s[i], y = at->y[i];
  if (fabs(y) > least) return s * y > 0 ? y / s : K->curvature;
  bool less = least > 0 && least < K->curvature * fabs(s);
  return less ? least / fabs(s) : K->curvature;
}

/* Whether nine in ten of the slopes that have changed have gone the way of
 * their input. */
static bool signs_agree(const lr_quasi_newton *K, lrgd_vec G)
{
  enum { FEWEST = 4 };
  size_t changed = 0, agree = 0;
  double least = least_change(K);
  for (chunk at = {0}; next(K->model, G, &at);)
    for (size_t i = 0; i < at.n; i++) {
      if (at.s[i] == 0 || !(fabs(at.y[i]) > least)) continue;
      changed++;
      agree += at.s[i] * at.y[i] > 0;
    }
  return changed >= FEWEST && 10 * agree >= 9 * changed;
}

/* w = D^-1 G */
static void point_way(const lr_quasi_newton *K, lrgd_vec G, lrgd_vec w)
{
  lrgd_space *space = K->model->space;
  double least = least_change(K), way[LR_FEW];
  for (chunk at = {0}; next(K->model, G, &at);) {
    space->ops->get(space, G, at.first, at.n, way);
    for (size_t i = 0; i < at.n; i++) way[i] /= curvature(K, &at, i, least);
    space->ops->put(space, w, at.first, at.n, way);
  }
}

/* w'D w */
static double foretell(const lr_quasi_newton *K, lrgd_vec G, lrgd_vec w)
{
  lrgd_space *space = K->model->space;
  double least = least_change(K), sum = 0, way[LR_FEW];
  for (chunk at = {0}; next(K->model, G, &at);) {
    space->ops->get(space, w, at.first, at.n, way);
    for (size_t i = 0; i < at.n; i++)
      sum += way[i] * way[i] * curvature(K, &at, i, least);
  }
  return sum;
}

/* Whether f bends along w, or what of it bounds leave, as D says; *c: how much
 * it does. */
static lr_code bends_so(lr_quasi_newton *K, lrgd_vec G, lrgd_vec w, double *c,
                        bool *so)
{
  lr_model *m = K->model;
  const lrgd_space_ops *ops = m->space->ops;
  lrgd_vec down = lr_model_vec(m, LR_MODEL_SPARE);
  double slope;
  ops->copy(m->space, down, w, 1);
  if (lr_oracle_boxed(m->oracle))
    ops->zero_near_bounds(m->space, down, m->here.x, m->oracle->box, 0);
  *so = lr_normalise(m->space, down, NULL);
  if (!*so) return LR_GO;
  ops->dot(m->space, down, 1, whole(m, G), &slope);
  if (slope > 0) ops->scale(m->space, down, -1);
  double told = foretell(K, G, down);
  LR_TRY(lr_model_curvature(m, down, -fabs(slope), c));
  *so = *c > 0.7 * told && *c < 1.4 * told;
  return LR_GO;
}

/* The same along a direction that has nothing to do with these gradients. */
static lr_code bends_so_anywhere(lr_quasi_newton *K, lrgd_vec G, bool *so)
{
  lr_model *m = K->model;
  lrgd_vec any = lr_model_vec(m, LR_MODEL_PROBE);
  double c;
  *so = lr_model_draw(m);
  lr_oracle_want_any(m->oracle);
  return *so ? bends_so(K, G, any, &c, so) : LR_GO;
}

/* w = D^-1 G, as far as it leads out of V; *slope along it, not above 0 where
 * it leads nowhere. */
static void find_way(const lr_quasi_newton *K, lrgd_vec G, lrgd_vec w,
                     double *slope)
{
  const lr_model *m = K->model;
  double before = 0;
  *slope = 0;
  point_way(K, G, w);
  bool sound = m->space->ops->measure(m->space, w, &before);
  if (!sound || !(lr_basis_reject(m->V, w) > 1e-10 * before)) return;
  (void)lr_normalise(m->space, w, NULL);
  m->space->ops->dot(m->space, w, 1, whole(m, G), slope);
}

/* A large V, of which the way's column would not be measured, knows less than D
 * does: the way alone. */
static void begin_anew(lr_quasi_newton *K, lrgd_vec G, lrgd_vec w,
                       double *slope)
{
  lr_model_forget(K->model, K->model->V->k);
  find_way(K, G, w, slope);
  K->curvature = foretell(K, G, w);
}

/* Whether to take the way in LR_MODEL_STEP. */
static lr_code try_way(lr_quasi_newton *K, lrgd_vec G, double *slope,
                       bool *apart)
{
  enum { TIMES = 3 };
  lrgd_vec w = lr_model_vec(K->model, LR_MODEL_STEP);
  double c;
  *apart = false;
  if (!K->paired || K->face || K->together >= TIMES || !(K->curvature > 0) ||
      !signs_agree(K, G))
    return LR_GO;
  find_way(K, G, w, slope);
  if (!(*slope > 0)) return LR_GO;
  LR_TRY(bends_so_anywhere(K, G, apart));
  if (*apart) LR_TRY(bends_so(K, G, w, &c, apart));
  K->together += !*apart;
  if (!*apart) return LR_GO;
  K->curvature = c;
  if (3 * K->model->V->k > K->model->space->dimension)
    begin_anew(K, G, w, slope);
  return LR_GO;
}

static void remember(lr_quasi_newton *K, lrgd_vec G)
{
  const lr_model *m = K->model;
  const lrgd_space_ops *ops = m->space->ops;
  ops->copy(m->space, lr_model_vec(m, LR_MODEL_LAST_X), m->here.x, 1);
  ops->copy(m->space, lr_model_vec(m, LR_MODEL_LAST_G), whole(m, G), 1);
  K->paired = !K->face; /* else some slopes are not measured */
}

lr_code lr_quasi_newton_apart(lr_quasi_newton *K, lrgd_vec G, double *slope,
                              bool *apart)
{
  lr_model *m = K->model;
  LR_TRY(try_way(K, G, slope, apart));
  remember(K, G);
  if (!*apart) return LR_GO;
  m->space->ops->copy(m->space, G, lr_model_vec(m, LR_MODEL_STEP), 1);
  return LR_GO;
}
