/* The Jacobian that the user gives, which makes each iteration one of Levenberg
 * and Marquardt. */
#include "least_squares/least_squares_state.h"

#include "base/vector.h"
#include "certificate/certificate.h"
#include "least_squares/least_squares_rules.h"
#include "solver/solver_rules.h"

#include <math.h>
#include <string.h>

static lr_code out_of_memory(lr_least_squares *s)
{
  return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for a Jacobian of %zu x %zu numbers",
                         s->M.m, s->M.p);
}

/* ---- J ---- */

/* y = J D u, known rows included. */
static void times_J(const lr_least_squares *s, const double *J, const double *u,
                    double *y)
{
  size_t n = s->M.n;
  memset(y, 0, s->M.m * sizeof *y);
  for (size_t j = 0; j < s->M.p; j++)
    if (u[j] != 0) lr_axpy(n, s->unit * s->D[j] * u[j], J + j * n, y);
  lr_ls_know(s, u, y);
}

static lr_code append(lr_least_squares *s, const double *J, const double *u)
{
  times_J(s, J, u, s->M.s);
  return lr_residual_model_append(&s->M, u, s->M.s, 0) == LRGD_OK
             ? LR_GO
             : out_of_memory(s);
}

/* V = the axes: they have scales of their own, and bounds hold them one by
 * one. */
static lr_code take_axes(lr_least_squares *s, const double *J)
{
  lr_residual_model *M = &s->M;
  double *e = s->u;
  if (s->axes && M->k == M->p) {
    /* the curvature that steps have measured remains */
    for (size_t j = 0; j < M->p; j++) {
      double *column = M->J + j * M->m;
      memset(e, 0, M->p * sizeof *e);
      e[j] = 1;
      times_J(s, J, e, column);
      M->size[j] = lr_norm(M->n, column);
      memset(M->P + j * M->room, 0, M->k * sizeof *M->P);
    }
    lr_residual_model_rewritten(M);
    return LR_GO;
  }
  lr_residual_model_forget(M);
  for (size_t j = 0; j < M->p; j++) {
    memset(e, 0, M->p * sizeof *e);
    e[j] = 1;
    LR_TRY(append(s, J, e));
  }
  s->axes = true;
  return LR_GO;
}

/* u = row i of J D; a known row where i >= n. */
static void row_of(lr_least_squares *s, const double *J, size_t i, double *u)
{
  const lr_residual_model *M = &s->M;
  if (i < M->n) {
    for (size_t j = 0; j < M->p; j++) u[j] = J[j * M->n + i] * s->D[j];
    return;
  }
  memset(s->r, 0, M->m * sizeof *s->r);
  s->r[i] = 1;
  lr_known_rows_back(s->run->oracle.answers.known, s->D, s->r + M->n, u);
}

/* V = an orthonormal basis of the rows of J D, outside which F does not change
 * to first order (Gram-Schmidt twice). */
static lr_code take_rows(lr_least_squares *s, const double *J)
{
  lr_residual_model *M = &s->M;
  double *u = s->u;
  lr_residual_model_forget(M);
  s->axes = false;
  for (size_t i = 0; i < M->m && M->k < M->p; i++) {
    row_of(s, J, i, u);
    double all = lr_norm(M->p, u);
    for (int twice = 0; twice < 2; twice++)
      for (size_t j = 0; j < M->k; j++) {
        const double *v = M->V + j * M->p;
        lr_axpy(M->p, -lr_dot(M->p, v, u), v, u);
      }
    double left = lr_norm(M->p, u);
    if (!(left > 1e-10 * all)) continue; /* rounding */
    lr_scale(M->p, 1 / left, u);
    LR_TRY(append(s, J, u));
  }
  if (M->k > 0) return LR_GO;
  memset(u, 0, M->p * sizeof *u); /* J is zero: any direction will do */
  u[0] = 1;
  return append(s, J, u);
}

lr_code lr_ls_take_jacobian(lr_least_squares *s)
{
  lr_residual_model *M = &s->M;
  lr_oracle *o = &s->run->oracle;
  if (s->taken == s->at.id && M->k > 0) return LR_GO;
  LR_TRY(lr_oracle_ask_gradient(o, &s->at, LRGD_PURPOSE_DESCEND));
  o->counts.oracle_calls[LRGD_PURPOSE_DESCEND] += M->p;
  const double *J = o->answers.jacobian(o->answers.self);
  bool boxed = lr_ls_boxed(s) && lr_ls_by_axes(s->policy, (double)M->p);
  bool axes = s->few || boxed || M->p <= M->m;
  LR_TRY(axes ? take_axes(s, J) : take_rows(s, J));
  if (s->landings == 0) M->c = lr_ls_first_guess(s->policy, s->first_c);
  if (s->few) lr_ls_rescale(s);
  s->taken = s->fresh = s->renewed = s->at.id;
  s->renewed_f = M->f;
  s->stepped = false;
  return LR_GO;
}

lr_code lr_ls_look_at_jacobian(lr_least_squares *s)
{
  lr_run *run = s->run;
  double *tol = &run->goal.tol, norm = lr_ls_gradient_all(s);
  bool noisy;
  lr_ls_set_known_tolerance(s);
  if (!(*tol > 0)) *tol = s->policy->default_tolerance * norm;
  norm = lr_ls_gradient_inside(s);
  if (!lr_ls_certifies(s->policy, norm, *tol) && norm > 0) return LR_GO;
  if (norm > 0) LR_TRY(lr_ls_check(s, &noisy)); /* noise of F makes J'F wrong */
  if (norm > 0 && noisy) return LR_GO;
  double share;
  (void)lr_next_look(run, &share);
  lr_run_stand(run, &s->at);
  run->progress.grad_norm = norm;
  run->claim.probed = 0;
  s->certified = s->at.id;
  return lr_run_certified(run, norm + lr_ls_gradient_margin(s, share));
}

/* y = F at b + t D u; LR_NOVALUE also where bounds leave no room. */
static lr_code value_beside(lr_least_squares *s, const double *u, double t,
                            double *y)
{
  const double *b = lrgd_host_data(s->at.x), *x = lrgd_host_data(s->trial.x);
  lr_ls_place_along(s, u, t);
  for (size_t i = 0; i < s->M.p; i++)
    if (x[i] != b[i] + t * s->D[i] * u[i]) return LR_NOVALUE;
  return lr_ls_evaluate(s, LRGD_PURPOSE_CHECK, y);
}

lr_code lr_ls_compare_jacobian(lr_least_squares *s, double *wrong)
{
  lr_residual_model *M = &s->M;
  double *u = s->boxed, *ahead = M->s, *behind = s->r, *Ju = M->r;
  double t = lr_solver_check_step(s->policy, 1), norm = lr_norm(M->k, s->z);
  *wrong = 0;
  if (!(norm > 0)) return LR_GO;
  memset(u, 0, M->p * sizeof *u);
  lr_gemv(M->p, M->k, M->V, M->p, s->z, u);
  lr_scale(M->p, 1 / norm, u);
  lr_code code = value_beside(s, u, t, ahead);
  if (code == LR_GO) code = value_beside(s, u, -t, behind);
  if (code != LR_GO) return code == LR_NOVALUE ? LR_GO : code;
  memset(Ju, 0, M->m * sizeof *Ju);
  lr_gemv(M->m, M->k, M->J, M->m, s->z, Ju);
  double off = 0, bend = 0, told = 0, seen = 0;
  for (size_t i = 0; i < M->n; i++) {
    double d = (ahead[i] - behind[i]) / (2 * t), j = Ju[i] / norm;
    double c = (ahead[i] - 2 * M->F[i] + behind[i]) / t;
    off += (d - j) * (d - j), bend += c * c, told += j * j, seen += d * d;
  }
  double size = sqrt(fmax(told, seen));
  double error = sqrt(2 * (double)M->n) * M->noise / t;
  bool smooth = sqrt(bend) <= s->policy->contradiction * size + error;
  if (smooth && sqrt(off) > s->policy->contradiction * size + error)
    *wrong = sqrt(off) / size;
  return LR_GO;
}
