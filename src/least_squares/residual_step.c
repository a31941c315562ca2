/* A step of a least-squares run: within bounds, possibly combined with a new
 * direction, and the update of the model by its value. */
#include "least_squares/least_squares_state.h"

#include "least_squares/least_squares_rules.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

static lr_code out_of_memory(lr_least_squares *s)
{
  return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for %zu directions", s->M.k + 1);
}

/* Appends a direction of which only the typical size of a column is known. */
static lr_code append_unknown(lr_least_squares *s, const double *u, double size)
{
  lr_residual_model *M = &s->M;
  double deviation = size / M->c;
  memset(M->s, 0, M->m * sizeof *M->s);
  lr_ls_know(s, u, M->s);
  if (lr_residual_model_append(M, u, M->s,
                               deviation * deviation / (double)M->n) != LRGD_OK)
    return out_of_memory(s);
  M->size[M->k - 1] = size;
  return LR_GO;
}

/* The root mean square of the norms of the last columns. */
static double column_size(const lr_least_squares *s)
{
  const lr_residual_model *M = &s->M;
  size_t most = lr_ls_size_columns(s->policy), n = M->k < most ? M->k : most;
  double sum = 0;
  for (size_t j = M->k - n; j < M->k; j++) sum += M->size[j] * M->size[j];
  return sqrt(sum / (double)n);
}

/* The norm of a whole column, to which known rows contribute their root mean
 * square. */
static double whole_size(const lr_least_squares *s)
{
  return lr_hypot(column_size(s), s->known_size);
}

/* Whether b + D V z is outside the bounds. */
static bool leaves_box(lr_least_squares *s)
{
  lr_residual_model *M = &s->M;
  if (!lr_ls_boxed(s)) return false;
  const double *b = lrgd_host_data(s->at.x);
  const double *lower = lr_ls_lower(s);
  const double *upper = lr_ls_upper(s);
  memset(s->u, 0, M->p * sizeof *s->u);
  lr_gemv(M->p, M->k, M->V, M->p, s->z, s->u);
  for (size_t i = 0; i < M->p; i++) {
    double x = b[i] + s->D[i] * s->u[i];
    if (x < lower[i] || x > upper[i]) return true;
  }
  return false;
}

/* Combines a step with a new direction, so that one evaluation serves both, if
 * that pays: *joint. */
static lr_code join(lr_least_squares *s, double promised, bool *joint)
{
  lr_residual_model *M = &s->M;
  double *u = lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW});
  *joint = false;
  if (s->landings == 0 || M->k >= M->p || s->saturated ||
      lr_ls_has_jacobian(s) || !lr_ls_joins(s->policy, s->ratio))
    return LR_GO;
  double size = column_size(s), m = (double)M->n;
  double error2 = M->c * M->c * lr_residual_model_error2(M, s->z);
  double error = sqrt(m * (error2 + 2 * M->noise * M->noise));
  double t = lr_ls_joint(s->policy, lr_norm(M->m, s->r), promised, error,
                         whole_size(s));
  if (!lr_ls_joint_far(s->policy, t, s->reach)) return LR_GO;
  bool drawn;
  LR_TRY(lr_ls_draw(s, u, &drawn));
  if (!drawn) return LR_GO;
  LR_TRY(append_unknown(s, u, size));
  s->z[M->k - 1] = t;
  *joint = true;
  return LR_GO;
}

/* The decrease predicted for the step `boxed`, whose part outside V is priced
 * by the size of a column. */
static double promise_boxed(lr_least_squares *s, double size)
{
  lr_ls_place_step(s, s->boxed);
  double out = lr_ls_split(s, s->z, s->u);
  return lr_residual_model_promise(&s->M, s->z, s->r) -
         0.5 * size * size * out * out;
}

lr_code lr_ls_bend(lr_least_squares *s, double *promised, bool *bent)
{
  lr_residual_model *M = &s->M;
  *bent = leaves_box(s);
  if (!*bent) return LR_GO;
  double size = whole_size(s);
  size_t held;
  if (lr_ls_box_step(s, size, s->boxed, &held) != LRGD_OK)
    return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for a step in %zu inputs", M->p);
  s->by_axes |= lr_ls_holds_many(s->policy, (double)held, (double)M->p);
  *promised = promise_boxed(s, size);
  return LR_GO;
}

/* Sets the trial of a step that bounds have bent, and adds its part outside V
 * as a direction. */
static lr_code place_bent(lr_least_squares *s, double *promised)
{
  lr_residual_model *M = &s->M;
  lr_ls_place_step(s, s->boxed);
  double out = lr_ls_split(s, s->z, s->u);
  if (M->k < M->p && lr_ls_bent(s->policy, out, lr_norm(M->p, s->boxed))) {
    lr_scale(M->p, 1 / out, s->u);
    LR_TRY(append_unknown(s, s->u, column_size(s)));
    s->z[M->k - 1] = out;
  }
  *promised = lr_residual_model_promise(M, s->z, s->r);
  return LR_GO;
}

/* The curvature that explains the error e of the model at z. */
static double seen_curvature(const lr_least_squares *s, const double *e)
{
  const lr_residual_model *M = &s->M;
  double noise2 = 2 * M->noise * M->noise;
  double mean = lr_dot(M->n, e, e) / (double)M->n - noise2;
  double error2 = lr_residual_model_error2(M, s->z) + 1e-300;
  /* an error below the noise gives an upper bound only */
  return sqrt(fmax(mean, noise2) / error2);
}

/* Keeps the columns measured at the start, when the base first moves; not those
 * that were learned from another run. */
static lr_code keep_start(lr_least_squares *s, size_t k)
{
  const lr_residual_model *M = &s->M;
  if (s->start.J || s->run->learned.vectors.n > 0) return LR_GO;
  s->start.J = lr_alloc_raw(&s->run->allocator, M->m * k, sizeof *s->start.J);
  if (!s->start.J)
    return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu columns", k);
  memcpy(s->start.J, M->J, M->m * k * sizeof *s->start.J);
  s->start.k = k;
  return LR_GO;
}

/* Moves the base to the trial, whose residuals are y. */
static lr_code move(lr_least_squares *s, const double *y)
{
  lr_run *run = s->run;
  run->space->ops->copy(run->space, s->at.x, s->trial.x, 1);
  s->at.f = s->trial.f, s->at.id = s->trial.id;
  lr_residual_model_set_base(&s->M, y);
  lr_ls_suppose_noise(s);
  lr_run_stand(run, &s->at);
  return lr_run_arrived(run);
}

lr_code lr_ls_land(lr_least_squares *s, double promised, bool bent)
{
  lr_residual_model *M = &s->M;
  size_t known = M->k;
  bool joint = false;
  if (bent) LR_TRY(place_bent(s, &promised));
  joint = M->k > known;
  if (bent && !(promised > 0) && !joint) {
    /* no decrease is predicted within the reach */
    M->c *= s->policy->ls_bend_margin;
    s->ratio = 0;
    return LR_GO;
  }
  if (!lr_ls_boxed(s)) LR_TRY(join(s, promised, &joint));
  if (!bent) lr_ls_place(s, s->z);
  double *y = M->s, *e = s->r;
  lr_ls_want_step(s);
  lr_code code = lr_ls_evaluate(s, LRGD_PURPOSE_DESCEND, y);
  lr_oracle_want_any(&s->run->oracle);
  if (code == LR_NOVALUE) {
    double c = M->c;
    lr_ls_learn_partial(s, y, e);
    M->c = lr_ls_shorten(s->policy, M->c);
    s->ratio = -1;
    return lr_ls_meet_walls(s, true, c);
  }
  LR_TRY(code);
  LR_TRY(lr_ls_meet_walls(s, false, M->c));
  double f = lr_residual_model_cost(M, y);
  for (size_t i = 0; i < M->m; i++) e[i] = y[i] - e[i];
  s->landings++;
  s->decrease = M->f - f;
  s->ratio = promised > 0 ? s->decrease / promised : 0;
  /* the first step serves to measure the curvature, and the base moves only if
   * the decrease is large */
  bool aside = s->landings == 1 && M->k < M->p && !lr_ls_has_jacobian(s) &&
               !(promised > s->policy->ls_land_share * M->f);
  lr_ls_landing l = {.before = M->c,
                     .seen = joint ? M->c : seen_curvature(s, e),
                     .least = s->least_c,
                     .fell = f < M->f,
                     .first = s->landings == 1};
  l.moved = l.fell && !aside;
  if (!joint) s->bend = l.seen;
  if (l.moved) LR_TRY(keep_start(s, known));
  /* a step may have a part outside V, which explains any error */
  bool inside = !joint && (!bent || M->k == M->p);
  lr_step_seen seen = {.tells = l.fell && inside, .moved = l.moved};
  if (lr_residual_model_remember(M, s->z, e, &seen) != LRGD_OK)
    return out_of_memory(s);
  lr_residual_model_learn(M, s->z, e, l.moved);
  if (l.fell || !joint) M->c = lr_ls_curvature(s->policy, &l);
  if (!l.moved) return LR_GO;
  LR_TRY(move(s, y));
  lr_ls_learn_wanted(s, s->z);
  return LR_GO;
}
