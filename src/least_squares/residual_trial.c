/* Evaluations of a least-squares run: differences along new directions and
 * along those of V, and what they tell the model. */
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

lr_code lr_ls_evaluate(lr_least_squares *s, lrgd_purpose why, double *y)
{
  lr_oracle *o = &s->run->oracle;
  lr_oracle_rename(o, &s->trial);
  LR_TRY(lr_oracle_value(o, &s->trial, why));
  const double *r = lr_oracle_residuals(o);
  for (size_t i = 0; i < s->M.m; i++) y[i] = s->unit * r[i];
  return lr_run_offer(s->run, &s->trial);
}

bool lr_ls_boxed(const lr_least_squares *s)
{
  return s->run->oracle.box.lower.block != NULL;
}

/* The trial becomes b + t D u, or the nearest point within the bounds. */
static void place_along(lr_least_squares *s, const double *u, double t)
{
  const double *b = lrgd_host_data(s->at.x);
  double *x = lrgd_host_data(s->trial.x);
  for (size_t i = 0; i < s->M.p; i++) x[i] = b[i] + t * s->D[i] * u[i];
  if (!lr_ls_boxed(s)) return;
  lrgd_space *space = s->run->space;
  (void)space->ops->clip(space, s->trial.x, s->run->oracle.box);
}

/* The trial less the base, in scaled coordinates and after rounding. */
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
  place_along(s, u, 1);
}

void lr_ls_place_step(lr_least_squares *s, const double *u)
{
  place_along(s, u, 1);
}

/* Zeroes u where the base is at a bound, unless too few inputs are left: with
 * bounds every second direction leaves those that are held alone. */
static void keep_held(const lr_least_squares *s, double *u)
{
  const lr_residual_model *M = &s->M;
  if (!lr_ls_boxed(s) || M->k % 2 == 0) return;
  const double *b = lrgd_host_data(s->at.x);
  const double *lower = lr_ls_lower(s);
  const double *upper = lr_ls_upper(s);
  size_t held = 0;
  for (size_t i = 0; i < M->p; i++)
    held += b[i] <= lower[i] || b[i] >= upper[i];
  if (held + M->k >= M->p) return;
  for (size_t i = 0; i < M->p; i++)
    if (b[i] <= lower[i] || b[i] >= upper[i]) u[i] = 0;
}

/* The axis that has the largest part outside V; p numbers of scratch. */
static size_t outermost(const lr_residual_model *M, double *inside)
{
  size_t best = 0;
  memset(inside, 0, M->p * sizeof *inside);
  for (size_t j = 0; j < M->k; j++)
    for (size_t i = 0; i < M->p; i++)
      inside[i] += M->V[j * M->p + i] * M->V[j * M->p + i];
  for (size_t i = 1; i < M->p; i++)
    if (inside[i] < inside[best]) best = i;
  return best;
}

/* The next direction is that axis, or its opposite where the bounds leave more
 * room: differences along the axes can always lead inwards. */
static bool draw_axis(lr_least_squares *s, double *u)
{
  const lr_residual_model *M = &s->M;
  if (M->k >= M->p) return false;
  size_t i = outermost(M, s->u);
  const double *b = lrgd_host_data(s->at.x);
  double up = lr_ls_upper(s)[i] - b[i], down = b[i] - lr_ls_lower(s)[i];
  memset(u, 0, M->p * sizeof *u);
  u[i] = up >= down ? 1 : -1;
  return fmax(up, down) > 0;
}

bool lr_ls_draw(lr_least_squares *s, double *u)
{
  lr_residual_model *M = &s->M;
  lrgd_space *space = s->run->space;
  lrgd_vec draw = {s->points, LR_LS_DRAW};
  if (M->k >= M->p) return false;
  space->ops->gaussian(space, draw, s->run->oracle.seed,
                       LR_STREAM_LEAST_SQUARES + s->draws++);
  if (u != lrgd_host_data(draw))
    memcpy(u, lrgd_host_data(draw), M->p * sizeof *u);
  keep_held(s, u);
  for (int twice = 0; twice < 2; twice++) /* Gram-Schmidt */
    for (size_t j = 0; j < M->k; j++) {
      const double *v = M->V + j * M->p;
      lr_axpy(M->p, -lr_dot(M->p, v, u), v, u);
    }
  s->length = lr_norm(M->p, u);
  if (s->length > 0) lr_scale(M->p, 1 / s->length, u);
  return s->length > 0;
}

double lr_ls_difference_length(const lr_least_squares *s)
{
  double t = lr_ls_difference(s->policy, s->M.noise, s->M.c, s->reach);
  return fmax(t, lr_ls_above_rounding(s->policy, s->rounding));
}

/* F at b + t D u, or on the other side; *t tells which. */
static lr_code either_side(lr_least_squares *s, const double *u, double *t,
                           double *y)
{
  lr_code code = LR_NOVALUE;
  for (int side = 0; side < 2 && code == LR_NOVALUE; side++) {
    *t = side == 0 ? *t : -*t;
    place_along(s, u, *t);
    code = lr_ls_evaluate(s, LRGD_PURPOSE_IDENTIFY, y);
  }
  return code;
}

double lr_ls_split(lr_least_squares *s, double *z, double *u)
{
  const lr_residual_model *M = &s->M;
  displacement(s, u);
  lr_gemv_t(M->p, M->k, M->V, M->p, u, z);
  for (size_t j = 0; j < M->k; j++) lr_axpy(M->p, -z[j], M->V + j * M->p, u);
  return lr_norm(M->p, u);
}

/* The variance of a column measured by a difference of length t, of which z is
 * inside V, in units of c^2. */
static double column_variance(const lr_least_squares *s, const double *z,
                              double t)
{
  const lr_residual_model *M = &s->M;
  double noise = M->noise / (M->c * t), inside = 0;
  lr_symv(M->k, M->P, M->room, z, M->y);
  if (M->k > 0) inside = fmax(lr_dot(M->k, z, M->y), 0);
  return 0.25 * t * t + inside / (t * t) + 2 * noise * noise;
}

lr_code lr_ls_grow(lr_least_squares *s, bool *grown)
{
  lr_residual_model *M = &s->M;
  double *u = lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW}), *y = M->s;
  double t = lr_ls_difference_length(s);
  *grown = false;
  if (s->by_axes ? !draw_axis(s, u) : !lr_ls_draw(s, u)) return LR_GO;
  lr_code code = either_side(s, u, &t, y);
  if (code != LR_GO) return code == LR_NOVALUE ? LR_GO : code;
  double size = lr_ls_split(s, s->t, u);
  if (s->by_axes ? !(size > 0) : !lr_ls_wide(s->policy, size, t))
    return LR_GO; /* bounds cut it off */
  for (size_t i = 0; i < M->m; i++) y[i] -= M->F[i];
  for (size_t j = 0; j < M->k; j++) lr_axpy(M->m, -s->t[j], M->J + j * M->m, y);
  lr_scale(M->m, 1 / size, y);
  lr_scale(M->p, 1 / size, u);
  double variance =
      M->k > 0 ? column_variance(s, s->t, size) : 0.25 * size * size;
  if (lr_residual_model_append(M, u, y, variance) != LRGD_OK)
    return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu directions", M->k + 1);
  s->grown = lr_ls_evaluations(s);
  *grown = true;
  return LR_GO;
}

/* Whether the bounds leave room for a difference along V w; *t: to which side.
 */
static bool has_room(lr_least_squares *s, const double *w, double *t)
{
  const lr_residual_model *M = &s->M;
  const double *u = lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW});
  for (int side = 0; side < 2; side++) {
    place_along(s, u, *t);
    double out = lr_ls_split(s, s->t, s->u);
    lr_axpy(M->k, -*t, w, s->t);
    if (lr_ls_straight(s->policy, lr_hypot(lr_norm(M->k, s->t), out), *t))
      return true;
    *t = -*t;
  }
  return false;
}

lr_code lr_ls_refresh(lr_least_squares *s, const double *w, bool *done)
{
  lr_residual_model *M = &s->M;
  double *u = lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW}), *e = M->s;
  double t = lr_ls_difference_length(s);
  *done = false;
  memset(u, 0, M->p * sizeof *u);
  lr_gemv(M->p, M->k, M->V, M->p, w, u);
  if (lr_ls_boxed(s) && !has_room(s, w, &t)) return LR_GO;
  lr_code code = either_side(s, u, &t, e);
  if (code != LR_GO) return code == LR_NOVALUE ? LR_GO : code;
  (void)lr_ls_split(s, s->t, s->u);
  for (size_t i = 0; i < M->m; i++) e[i] -= M->F[i];
  for (size_t j = 0; j < M->k; j++) lr_axpy(M->m, -s->t[j], M->J + j * M->m, e);
  lr_residual_model_learn(M, s->t, e, false);
  *done = true;
  return LR_GO;
}

void lr_ls_forget(lr_least_squares *s)
{
  lr_residual_model_forget(&s->M);
  s->M.c = s->first_c;
  s->start.k = 0; /* its columns were of another V */
  s->axes = false;
  s->landings = s->grown = 0;
  s->gains = (lr_ls_gains){0};
  s->sweeps = (lr_ls_renewals){0};
  s->track.count = 0;
}

/* The noise of f that noise of the residuals makes. */
static void tell_noise(lr_least_squares *s)
{
  lr_oracle *o = &s->run->oracle;
  double noise = sqrt(2 * s->M.f) * s->M.noise / (s->unit * s->unit);
  lr_oracle_set_noise(o, lr_oracle_own(o, noise));
  lr_run_tell_noise(s->run);
}

lr_code lr_ls_listen(lr_least_squares *s, bool *found)
{
  lr_residual_model *M = &s->M;
  const double *u = M->V + (M->k - 1) * M->p;
  double t = lr_ls_difference_length(s), *far = M->s, *half = M->r;
  *found = false;
  s->listened = s->landings;
  place_along(s, u, t);
  lr_code code = lr_ls_evaluate(s, LRGD_PURPOSE_CHECK, far);
  if (code != LR_GO) return code == LR_NOVALUE ? LR_GO : code;
  place_along(s, u, 0.5 * t);
  code = lr_ls_evaluate(s, LRGD_PURPOSE_CHECK, half);
  if (code != LR_GO) return code == LR_NOVALUE ? LR_GO : code;
  double sum = 0, change = 0, m = (double)M->m;
  for (size_t i = 0; i < M->m; i++) { /* noise times sqrt(3/2) */
    double d = half[i] - 0.5 * (far[i] + M->F[i]), a = far[i] - M->F[i];
    sum += d * d;
    change += a * a;
  }
  double sigma = sqrt(sum / m / 1.5);
  double most = lr_largest_residual(M->m, M->F);
  double assumed = fmax(M->noise, lr_ls_rounding_most(s->policy, most));
  if (!lr_ls_is_noise(s->policy, sigma, assumed, sqrt(change / m)))
    return LR_GO;
  M->noise = sigma;
  tell_noise(s);
  *found = true;
  lr_ls_forget(s);
  return LR_GO;
}
