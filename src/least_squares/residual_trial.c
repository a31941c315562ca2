/* Evaluations of a least-squares run: differences along new directions and
 * along those of V, by which the model is updated. */
#include "least_squares/least_squares_state.h"

#include "least_squares/least_squares_rules.h"

#include "base/elementary.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

uint64_t lr_ls_evaluations(const lr_least_squares *s)
{
  return lrgd_counts_evaluations(&s->run->oracle.counts);
}

lr_code lr_ls_ask(lr_least_squares *s, lrgd_purpose why, double *y)
{
  lr_oracle *o = &s->run->oracle;
  lr_oracle_rename(o, &s->trial);
  lr_code code = lr_oracle_value(o, &s->trial, why);
  if (code != LR_GO && code != LR_NOVALUE) return code;
  const double *r = lr_oracle_residuals(o);
  for (size_t i = 0; i < s->M.m; i++) y[i] = s->unit * r[i];
  if (code == LR_GO) lr_ls_read_digits(s, r);
  return code;
}

lr_code lr_ls_evaluate(lr_least_squares *s, lrgd_purpose why, double *y)
{
  LR_TRY(lr_ls_ask(s, why, y));
  if (lr_ls_is_marker(s->policy, lr_largest_residual(s->M.m, y)))
    return LR_NOVALUE;
  return lr_run_offer(s->run, &s->trial);
}

void lr_ls_place_along(lr_least_squares *s, const double *u, double t)
{
  const double *b = lrgd_host_data(s->at.x);
  double *x = lrgd_host_data(s->trial.x);
  for (size_t i = 0; i < s->M.p; i++) x[i] = b[i] + t * s->D[i] * u[i];
  if (!lr_ls_boxed(s)) return;
  lrgd_space *space = s->run->space;
  (void)space->ops->clip(space, s->trial.x, s->run->oracle.box);
}

/* u = the trial minus the base, in scaled coordinates, after rounding. */
static void displacement(const lr_least_squares *s, double *u)
{
  const double *b = lrgd_host_data(s->at.x), *x = lrgd_host_data(s->trial.x);
  for (size_t i = 0; i < s->M.p; i++) u[i] = (x[i] - b[i]) / s->D[i];
}

void lr_ls_place(lr_least_squares *s, const double *z)
{
  double *u = lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW});
  memset(u, 0, s->M.p * sizeof *u);
  lr_gemv(s->M.p, s->M.k, s->M.V, s->M.p, z, u);
  lr_ls_place_along(s, u, 1);
}

void lr_ls_place_step(lr_least_squares *s, const double *u)
{
  lr_ls_place_along(s, u, 1);
}

/* Zeroes the components of u that point out of bounds at which the base is. */
static void keep_inside(const lr_least_squares *s, double *u)
{
  if (!lr_ls_boxed(s)) return;
  const double *b = lrgd_host_data(s->at.x);
  const double *lower = lr_ls_lower(s), *upper = lr_ls_upper(s);
  for (size_t i = 0; i < s->M.p; i++)
    if ((b[i] <= lower[i] && u[i] < 0) || (b[i] >= upper[i] && u[i] > 0))
      u[i] = 0;
}

double lr_ls_difference_length(const lr_least_squares *s)
{
  double t = lr_ls_difference(s->policy, s->M.noise, s->M.c, s->reach);
  return fmax(fmax(t, s->visible),
              lr_ls_above_rounding(s->policy, s->rounding));
}

/* Evaluates F at b + t D u, or if that fails on the other side; *t: the signed
 * step.  Where neither has all residuals, those of both sides are put
 * together, unless `whole` are asked for. */
static lr_code either_side(lr_least_squares *s, const double *u, bool whole,
                           double *t, double *y)
{
  lr_code code = LR_NOVALUE;
  bool partial = false;
  for (int side = 0; side < 2 && code == LR_NOVALUE; side++) {
    *t = side == 0 ? *t : -*t;
    lr_ls_place_along(s, u, *t);
    code = lr_ls_evaluate(s, LRGD_PURPOSE_IDENTIFY, y);
    if (code == LR_NOVALUE && !whole) lr_ls_keep_side(s, side, y, &partial);
  }
  if (code != LR_NOVALUE || !partial) return code;
  lr_ls_put_sides_together(s, y);
  return LR_GO;
}

double lr_ls_split(lr_least_squares *s, double *z, double *u)
{
  const lr_residual_model *M = &s->M;
  displacement(s, u);
  lr_gemv_t(M->p, M->k, M->V, M->p, u, z);
  for (size_t j = 0; j < M->k; j++) lr_axpy(M->p, -z[j], M->V + j * M->p, u);
  return lr_norm(M->p, u);
}

/* The variance, in units of c^2, of a column measured by a difference of length
 * t, of which the part z is inside V. */
static double column_variance(const lr_least_squares *s, const double *z,
                              double t)
{
  const lr_residual_model *M = &s->M;
  double noise = M->noise / (M->c * t), inside = 0;
  lr_symv(M->k, M->P, M->room, z, M->y);
  if (M->k > 0) inside = fmax(lr_dot(M->k, z, M->y), 0);
  return 0.25 * t * t + inside / (t * t) + 2 * noise * noise;
}

/* u = the direction outside V along which the known rows decrease f most after
 * a step that is expected to leave the residuals r.  Returns the decrease that
 * is predicted if the other rows change as along the last columns; 0: there is
 * none. */
static double known_descent(const lr_least_squares *s, const double *r,
                            double *u)
{
  const lr_residual_model *M = &s->M;
  const lr_known_rows *known = s->run->oracle.answers.known;
  if (!known || M->k == 0 || M->k >= M->p) return 0;
  lr_known_rows_back(known, s->D, r + M->n, u);
  lr_scale(M->p, -s->unit, u);
  keep_inside(s, u);
  double all = lr_norm(M->p, u), slope = lr_ls_leave_V(M, u);
  if (!(slope > 1e-8 * all)) return 0; /* rounding errors */
  lr_scale(M->p, 1 / slope, u);
  lr_ls_know(s, u, M->s);
  double bend = lr_dot(known->count, M->s + M->n, M->s + M->n);
  double size = M->size[M->k - 1];
  return 0.5 * slope * slope / (bend + size * size);
}

/* Measures F' along u, a unit vector outside V, and appends it as a column. */
static lr_code take_in(lr_least_squares *s, double *u, bool *grown);

static lr_code grow(lr_least_squares *s, bool independent, bool *grown)
{
  double *u = lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW});
  bool drawn;
  *grown = false;
  LR_TRY(lr_ls_next_direction(s, independent, u, &drawn));
  if (!drawn) return LR_GO;
  LR_TRY(take_in(s, u, grown));
  if (*grown && !independent && !s->by_axes)
    lr_ls_note_size(s, s->M.size[s->M.k - 1]);
  return LR_GO;
}

lr_code lr_ls_grow(lr_least_squares *s, bool *grown)
{
  return grow(s, false, grown);
}

lr_code lr_ls_probe(lr_least_squares *s, bool *grown)
{
  s->whole = true;
  lr_code code = grow(s, true, grown);
  s->whole = false;
  return code;
}

lr_code lr_ls_grow_towards(lr_least_squares *s, const double *r, double gain,
                           bool *grown)
{
  double *u = lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW});
  *grown = false;
  if (!s->by_axes && known_descent(s, r, u) > gain) return take_in(s, u, grown);
  return lr_ls_grow(s, grown);
}

static bool is_unchanged(const lr_residual_model *M, const double *y)
{
  return memcmp(y, M->F, M->n * sizeof *y) == 0;
}

/* A difference along u with longer and longer steps as long as F does not
 * change at all, as its rounding may hide the difference.  Later differences
 * keep the length that changed F; where none does, F does not depend on u here.
 */
static lr_code visible_difference(lr_least_squares *s, const double *u,
                                  double *t, double *y)
{
  const lr_residual_model *M = &s->M;
  bool longer = false;
  LR_TRY(either_side(s, u, s->whole, t, y));
  while (is_unchanged(M, y)) {
    if (!lr_ls_may_lengthen(s->policy, fabs(*t), s->reach)) return LR_GO;
    *t = lr_ls_lengthen(s->policy, fabs(*t), s->reach);
    longer = true;
    LR_TRY(either_side(s, u, s->whole, t, y));
  }
  if (longer) s->visible = fabs(*t);
  return LR_GO;
}

static lr_code out_of_memory(lr_least_squares *s)
{
  return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for %zu directions", s->M.k + 1);
}

/* Whether bounds have cut off a difference of length t, of which `size` is left
 * outside V. */
static bool is_cut_off(const lr_least_squares *s, double size, double t)
{
  return s->by_axes ? !(size > 0) : !lr_ls_wide(s->policy, size, t);
}

/* Adds the direction u to V by a derivative that the user gives. */
static lr_code take_slope(lr_least_squares *s, double *u, bool *grown)
{
  lr_residual_model *M = &s->M;
  lr_code code = lr_ls_slope(s, u, LRGD_PURPOSE_IDENTIFY, M->s);
  if (code != LR_GO) return code == LR_NOVALUE ? LR_GO : code;
  if (lr_residual_model_append(M, u, M->s, 0) != LRGD_OK)
    return out_of_memory(s);
  s->grown = lr_ls_evaluations(s);
  *grown = true;
  return LR_GO;
}

static lr_code take_in(lr_least_squares *s, double *u, bool *grown)
{
  lr_residual_model *M = &s->M;
  if (lr_ls_has_slopes(s)) return take_slope(s, u, grown);
  double *y = M->s, t = lr_ls_difference_length(s);
  lr_code code = visible_difference(s, u, &t, y);
  if (code != LR_GO) return code == LR_NOVALUE ? LR_GO : code;
  lr_oracle_count_slope(&s->run->oracle, LRGD_PURPOSE_IDENTIFY);
  double size = lr_ls_split(s, s->t, u);
  if (is_cut_off(s, size, t)) return LR_GO;
  for (size_t i = 0; i < M->m; i++) y[i] -= M->F[i];
  for (size_t j = 0; j < M->k; j++) lr_axpy(M->m, -s->t[j], M->J + j * M->m, y);
  lr_scale(M->m, 1 / size, y);
  lr_scale(M->p, 1 / size, u);
  lr_ls_know(s, u, y);
  double variance =
      M->k > 0 ? column_variance(s, s->t, size) : 0.25 * size * size;
  if (lr_residual_model_append(M, u, y, variance) != LRGD_OK)
    return out_of_memory(s);
  s->grown = lr_ls_evaluations(s);
  *grown = true;
  return LR_GO;
}

/* Adds the next direction to V and the point of its difference to the plan.
 * *more: there may be another. */
static lr_code plan_column(lr_least_squares *s, bool independent, bool *more)
{
  lr_residual_model *M = &s->M;
  double *u = lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW});
  double t = lr_ls_difference_length(s);
  LR_TRY(lr_ls_next_direction(s, independent, u, more));
  if (!*more) return LR_GO;
  lr_ls_place_along(s, u, t);
  *more = lr_oracle_plan(&s->run->oracle, s->trial.x);
  double size = lr_ls_split(s, s->t, u);
  if (!*more || is_cut_off(s, size, t)) return LR_GO;
  lr_scale(M->p, 1 / size, u);
  memset(M->s, 0, M->m * sizeof *M->s);
  return lr_residual_model_append(M, u, M->s, 0) == LRGD_OK ? LR_GO
                                                            : out_of_memory(s);
}

/* Directions and points depend on V alone: adds the directions to V, which
 * plans the points of their differences, and then restores V. */
lr_code lr_ls_plan_columns(lr_least_squares *s, size_t n, bool independent)
{
  size_t k = s->M.k;
  uint64_t draws = s->draws;
  if (!independent && !s->by_axes) lr_ls_plan_kind(s, n);
  lr_ls_kinds kinds = s->kinds;
  bool more = !lr_ls_has_slopes(s) && lr_oracle_begin_plan(&s->run->oracle);
  lr_code code = LR_GO;
  for (size_t i = 0; i < n && more && code == LR_GO; i++)
    code = plan_column(s, independent, &more);
  s->planned = s->M.k;
  s->M.k = k;
  s->draws = draws;
  s->kinds = kinds;
  LR_TRY(code);
  return lr_oracle_ask_planned(&s->run->oracle, LRGD_PURPOSE_IDENTIFY);
}

/* Whether the bounds leave room for a difference along V w; *t: the signed
 * step. */
static bool has_room(lr_least_squares *s, const double *w, double *t)
{
  const lr_residual_model *M = &s->M;
  const double *u = lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW});
  for (int side = 0; side < 2; side++) {
    lr_ls_place_along(s, u, *t);
    double out = lr_ls_split(s, s->t, s->u);
    lr_axpy(M->k, -*t, w, s->t);
    if (lr_ls_straight(s->policy, lr_hypot(lr_norm(M->k, s->t), out), *t))
      return true;
    *t = -*t;
  }
  return false;
}

/* u = V w and *t = the signed step of a difference along it; false: bounds
 * leave no room for it. */
static bool difference_along(lr_least_squares *s, const double *w, double *u,
                             double *t)
{
  const lr_residual_model *M = &s->M;
  *t = lr_ls_difference_length(s);
  memset(u, 0, M->p * sizeof *u);
  lr_gemv(M->p, M->k, M->V, M->p, w, u);
  return !lr_ls_boxed(s) || has_room(s, w, t);
}

bool lr_ls_plan_refresh(lr_least_squares *s, const double *w)
{
  double *u = lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW}), t;
  if (!difference_along(s, w, u, &t)) return true;
  lr_ls_place_along(s, u, t);
  return lr_oracle_plan(&s->run->oracle, s->trial.x);
}

/* Measures J along w again, by a derivative that the user gives. */
static lr_code refresh_by_slope(lr_least_squares *s, const double *w,
                                bool *done)
{
  lr_residual_model *M = &s->M;
  double *u = lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW}), *e = M->s;
  memset(u, 0, M->p * sizeof *u);
  lr_gemv(M->p, M->k, M->V, M->p, w, u);
  lr_code code = lr_ls_slope(s, u, LRGD_PURPOSE_IDENTIFY, e);
  if (code != LR_GO) return code == LR_NOVALUE ? LR_GO : code;
  for (size_t j = 0; j < M->k; j++) lr_axpy(M->m, -w[j], M->J + j * M->m, e);
  lr_residual_model_learn_slope(M, w, e);
  *done = true;
  return LR_GO;
}

lr_code lr_ls_refresh(lr_least_squares *s, const double *w, bool *done)
{
  *done = false;
  if (lr_ls_has_slopes(s)) return refresh_by_slope(s, w, done);
  lr_residual_model *M = &s->M;
  double *u = lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW}), *e = M->s, t;
  if (!difference_along(s, w, u, &t)) return LR_GO;
  lr_code code = either_side(s, u, true, &t, e);
  if (code != LR_GO) return code == LR_NOVALUE ? LR_GO : code;
  (void)lr_ls_split(s, s->t, s->u);
  for (size_t i = 0; i < M->m; i++) e[i] -= M->F[i];
  for (size_t j = 0; j < M->k; j++) lr_axpy(M->m, -s->t[j], M->J + j * M->m, e);
  lr_oracle_count_slope(&s->run->oracle, LRGD_PURPOSE_IDENTIFY);
  lr_residual_model_learn(M, s->t, e, false);
  *done = true;
  return LR_GO;
}
