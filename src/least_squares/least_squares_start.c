/* The start of a least-squares run: its memory, F at the start, and the scales
 * derived from it; and the Jacobian that the run leaves behind. */
#include "least_squares/least_squares_state.h"

#include "least_squares/least_squares_rules.h"

#include "base/elementary.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"
#include "subspace/probe.h"

#include <float.h>
#include <math.h>
#include <string.h>

void lr_ls_close(lr_least_squares *s)
{
  const lrgd_allocator *a = &s->run->allocator;
  if (s->points) s->run->space->ops->free(s->run->space, s->points);
  lr_residual_model_clear(&s->M);
  lr_free(a, s->D);
  lr_free(a, s->sides);
  lr_free(a, s->start.x);
  lr_free(a, s->start.J);
  lr_free(a, s->track.evaluations);
  lr_free(a, s->track.f);
}

/* Whether the columns of V, in the user's inputs, are orthogonal. */
static bool is_orthogonal(const lr_least_squares *s)
{
  if (s->axes) return true;
  for (size_t i = 1; i < s->M.p; i++)
    if (s->D[i] != s->D[0]) return false;
  return true;
}

/* Column j of the basis and of J: for D V = Q R (Gram-Schmidt), column j of Q
 * and of J R^-1.  D is regular, so that no column vanishes. */
static void orthonormalize(lr_least_squares *s, size_t j)
{
  lr_run *run = s->run;
  size_t p = s->M.p, m = s->M.m;
  double *q = lrgd_host_data(lr_basis_column(&run->U, j));
  double *column = run->fitted.J + j * m;
  for (size_t i = 0; i < p; i++) q[i] = s->D[i] * s->M.V[i + j * p];
  for (int twice = 0; twice < 2; twice++)
    for (size_t l = 0; l < j; l++) {
      const double *other = lrgd_host_data(lr_basis_column(&run->U, l));
      double share = lr_dot(p, other, q);
      lr_axpy(p, -share, other, q);
      lr_axpy(m, -share, run->fitted.J + l * m, column);
    }
  double norm = lr_norm(p, q);
  lr_scale(p, 1 / norm, q);
  lr_scale(m, 1 / norm, column);
}

/* Stores the Jacobian and the basis whose directions its columns belong to. */
static void leave_jacobian(lr_least_squares *s)
{
  lr_run *run = s->run;
  const lr_residual_model *M = &s->M;
  bool straight = is_orthogonal(s);
  if (M->k == 0 || lr_basis_reserve(&run->U, M->k) != LRGD_OK) return;
  run->fitted.J =
      lr_alloc_raw(&run->allocator, M->m * M->k, sizeof *run->fitted.J);
  if (!run->fitted.J) return;
  run->fitted.k = run->U.k = M->k;
  for (size_t j = 0; j < M->k; j++) {
    double *column = run->fitted.J + j * M->m;
    memcpy(column, M->J + j * M->m, M->m * sizeof *column);
    lr_scale(M->m, 1 / s->unit, column);
    if (!straight) {
      orthonormalize(s, j);
      continue;
    }
    lr_scale(M->m, 1 / s->D[s->axes ? j : 0], column);
    run->space->ops->put(run->space, lr_basis_column(&run->U, j), 0, M->p,
                         M->V + j * M->p);
  }
}

void lr_ls_leave(lr_least_squares *s)
{
  lr_run *run = s->run;
  const lr_residual_model *M = &s->M;
  lr_run_forget_fit(run);
  run->fitted.m = M->m;
  run->fitted.f = s->at.f;
  run->fitted.F = lr_alloc_raw(&run->allocator, M->m, sizeof *run->fitted.F);
  if (!run->fitted.F) return;
  memcpy(run->fitted.F, M->F, M->m * sizeof *run->fitted.F);
  lr_scale(M->m, 1 / s->unit, run->fitted.F);
  leave_jacobian(s);
}

lr_code lr_ls_open(lr_least_squares *s, lr_run *run)
{
  const lrgd_allocator *a = &run->allocator;
  size_t p = run->space->dimension, m = run->oracle.answers.residual_count;
  *s = (lr_least_squares){.run = run, .policy = run->policy, .unit = 1};
  const lr_known_rows *known = run->oracle.answers.known;
  lrgd_status status = lr_residual_model_init(&s->M, p, m, a);
  if (known) lr_residual_model_know(&s->M, known->count);
  /* a restart draws other directions, as its start depends on earlier ones */
  s->draws = 4 * lr_ls_evaluations(s);
  s->points = run->space->ops->make(run->space, LR_LS_POINTS);
  s->D = lr_alloc(a, 6 * p + m, sizeof *s->D);
  s->start.x = lr_alloc(a, p + 3 * m, sizeof *s->start.x);
  if (status != LRGD_OK || !s->points || !s->D || !s->start.x)
    return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu inputs and %zu residuals", p,
                           m);
  s->z = s->D + p, s->w = s->z + p, s->t = s->w + p, s->u = s->t + p;
  s->boxed = s->u + p, s->r = s->boxed + p;
  s->start.F = s->start.x + p;
  s->printed = s->start.F + m, s->read = s->printed + m;
  s->at.x = (lrgd_vec){s->points, LR_LS_BASE};
  s->trial.x = (lrgd_vec){s->points, LR_LS_TRIAL};
  return LR_GO;
}

/* The power of two that brings the largest of the residuals near 1. */
static double unit_of(size_t m, const double *r)
{
  double most = lr_largest_residual(m, r);
  int exponent = 0;
  if (most > 0) (void)frexp(most, &exponent);
  return ldexp(1, exponent > -1000 ? -exponent : 1000);
}

/* The typical size of an input: the root mean square of the start. */
static double size_of(const lr_least_squares *s)
{
  const double *x = lrgd_host_data(s->at.x);
  return lr_norm(s->M.p, x) / sqrt((double)s->M.p);
}

/* Few inputs: the scale of each is its own size, until the size of its column
 * is known. */
static void set_own_scales(lr_least_squares *s)
{
  const double *x = lrgd_host_data(s->at.x);
  for (size_t i = 0; i < s->M.p; i++) s->D[i] = x[i] != 0 ? fabs(x[i]) : 1;
  s->reach = lr_ls_reach(s->policy, (double)s->M.p, 0);
}

/* Sets the scales of the coordinates: the typical size of an input, or half the
 * width of its bounds. */
static void set_scale(lr_least_squares *s)
{
  double p = (double)s->M.p, size = fmax(1, size_of(s));
  for (size_t i = 0; i < s->M.p; i++) s->D[i] = size;
  s->reach = lr_ls_reach(s->policy, p, size_of(s) / size);
  const lr_answers *told = &s->run->oracle.answers;
  bool correlated = told->field || told->correlate;
  s->by_axes = s->few = !correlated && lr_ls_few(s->policy, p);
  if (s->few) set_own_scales(s);
  if (!lr_ls_boxed(s)) return;
  const double *lower = lr_ls_lower(s);
  const double *upper = lr_ls_upper(s);
  for (size_t i = 0; i < s->M.p; i++) {
    double half = 0.5 * upper[i] - 0.5 * lower[i];
    if (half > 0 && lr_ls_is_scale(s->policy, half, size)) s->D[i] = half;
  }
  s->reach = lr_ls_reach(s->policy, p, 0);
}

/* Chooses how many terms of curvature the model keeps: none within bounds,
 * where steps use the linear model, unless inputs are few. */
static void set_memory_of_curvature(lr_least_squares *s)
{
  if (lr_ls_boxed(s) && !s->few) return;
  s->M.bends.most = lr_ls_curved_directions(s->policy);
  s->M.bends.steps = lr_ls_curved_steps(s->policy);
  s->M.bends.least = s->policy->ls_curved_least;
}

/* Sets the relative rounding error of inputs in scaled coordinates, below which
 * differences may not be. */
static void set_rounding(lr_least_squares *s)
{
  const double *x = lrgd_host_data(s->at.x);
  double most = 0;
  for (size_t i = 0; i < s->M.p; i++) most = fmax(most, fabs(x[i]) / s->D[i]);
  s->rounding = DBL_EPSILON * most;
}

/* A column smaller than the rounding errors of differences gives no scale: its
 * input keeps the present one. */
void lr_ls_rescale(lr_least_squares *s)
{
  lr_residual_model *M = &s->M;
  double most = 0, sum = 0, count = 0, *scale = s->w;
  for (size_t j = 0; j < M->k; j++) {
    scale[j] = lr_norm(M->m, M->J + j * M->m);
    most = fmax(most, scale[j]);
  }
  double least = sqrt(DBL_EPSILON) * most;
  for (size_t j = 0; j < M->k; j++)
    if (scale[j] > least) sum += lr_log(scale[j]), count++;
  double mean = count > 0 ? lr_exp(sum / count) : 1;
  for (size_t j = 0; j < M->k; j++) {
    scale[j] = scale[j] > least ? mean / scale[j] : 1;
    s->D[j] *= scale[j];
  }
  for (size_t j = 0; j < s->start.k; j++)
    lr_scale(M->m, scale[j], s->start.J + j * M->m);
  lr_residual_model_stretch(M, scale);
  set_rounding(s);
}

/* The root mean square, over directions, of the norm of a column's known
 * rows. */
static void set_known_size(lr_least_squares *s)
{
  const lr_known_rows *known = s->run->oracle.answers.known;
  double sum = 0;
  for (size_t e = 0; known && e < known->begin[known->count]; e++) {
    double a = s->unit * known->coefficient[e] * s->D[known->input[e]];
    sum += a * a;
  }
  s->known_size = sqrt(sum / (double)s->M.p);
}

void lr_ls_suppose_noise(lr_least_squares *s)
{
  double most = lr_largest_residual(s->M.n, s->M.F);
  if (s->listened == 0) s->M.noise = lr_ls_rounding_noise(s->policy, most);
}

lr_code lr_ls_begin(lr_least_squares *s)
{
  lr_run *run = s->run;
  size_t p = s->M.p, m = s->M.m;
  double known;
  run->space->ops->copy(run->space, s->trial.x, run->at.x, 1);
  if (lr_ls_choose_known(s, lrgd_host_data(s->trial.x), &known))
    LR_TRY(lr_ls_verify_known(s, known));
  lr_code code = lr_ls_ask(s, LRGD_PURPOSE_DESCEND, s->start.F);
  if (code == LR_NOVALUE)
    return lr_oracle_end(
        &run->oracle, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_START_FAILED});
  LR_TRY(code);
  run->record.start_f = s->trial.f;
  s->unit = unit_of(m, s->start.F);
  lr_scale(m, s->unit, s->start.F);
  lr_loss loss = run->oracle.answers.loss;
  loss.scale *= s->unit;
  if (lr_residual_model_set_loss(&s->M, loss) != LRGD_OK)
    return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu weights", m);
  run->space->ops->copy(run->space, s->at.x, s->trial.x, 1);
  s->at.f = s->trial.f, s->at.id = s->trial.id;
  memcpy(s->start.x, lrgd_host_data(s->at.x), p * sizeof(double));
  s->start.f = s->at.f;
  lr_residual_model_set_base(&s->M, s->start.F);
  set_scale(s);
  set_memory_of_curvature(s);
  set_rounding(s);
  set_known_size(s);
  double rms = sqrt(lr_dot(s->M.n, s->M.F, s->M.F) / (double)s->M.n);
  s->first_c = fmax(lr_ls_first_curvature(s->reach, rms), DBL_MIN);
  s->least_c = lr_ls_least_curvature(s->policy, s->first_c);
  lr_ls_suppose_noise(s);
  lr_ls_forget(s);
  s->bend = s->first_c;
  lr_run_decide(
      run, (lrgd_decision){.kind = lr_ls_has_jacobian(s)
                                       ? LRGD_DECISION_KIND_LEVENBERG_MARQUARDT
                                       : LRGD_DECISION_KIND_LEAST_SQUARES,
                           .count = m});
  LR_TRY(lr_run_offer(run, &s->trial));
  LR_TRY(lr_run_record(run, &s->trial)); /* it may satisfy the target */
  return lr_ls_learn_known(s);
}
