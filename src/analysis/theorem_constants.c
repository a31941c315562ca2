/* The constants L, mu and Delta0 of the theorems at the start, measured inside
 * H: curvatures from directional derivatives at neighbouring points. */
#include "analysis/diagnosis_state.h"
#include "base/dense.h"
#include "base/memory.h"

#include <math.h>

/* The k x k matrix of second derivatives along H, by differences of slopes. */
static lr_code curvatures(lrgd_diagnosis *s, size_t k, const double *d,
                          double *B, double *e)
{
  lrgd_space *space = s->standalone.space;
  lr_oracle *o = &s->standalone.oracle;
  double size = lr_oracle_scale(o, &s->centre);
  double t = lr_diagnosis_curvature_step(o->policy, size);
  for (size_t j = 0; j < k; j++) {
    lrgd_vec u = lr_basis_column(&s->spectrum.U, j);
    double back = t, ahead = t;
    if (s->standalone.bounds)
      space->ops->max_step(space, s->centre.x, u, o->box, &back, &ahead);
    double step = ahead >= t ? t : -fmin(back, t);
    if (step == 0) return LR_NOVALUE;
    s->trial.x = (lrgd_vec){s->points, LR_TRIAL};
    space->ops->axpy_into(space, s->trial.x, s->centre.x, u, step);
    lr_oracle_rename(o, &s->trial);
    LR_TRY(lr_oracle_slopes(o, &s->trial, lr_basis_column(&s->spectrum.U, 0), k,
                            LRGD_PURPOSE_CHECK, e));
    for (size_t i = 0; i < k; i++) B[j * k + i] = (e[i] - d[i]) / step;
  }
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < j; i++)
      B[i * k + j] = B[j * k + i] = 0.5 * (B[i * k + j] + B[j * k + i]);
  return LR_GO;
}

/* L and mu, and Delta0 of the quadratic with these curvatures; curvatures below
 * `seen` are rounding errors. */
static void read_off(lrgd_diagnosis *s, size_t k, const double *d,
                     const double *B, const double *lambda, double seen)
{
  lrgd_diagnosis_result *res = &s->result;
  double Delta0 = 0;
  double L = fmax(fabs(lambda[0]), fabs(lambda[k - 1]));
  if (!(L > seen)) return; /* no curvature can be resolved: linear */
  res->L = L;
  res->mu = fabs(lambda[0]) > seen ? lambda[0] : 0;
  for (size_t j = 0; j < k; j++) {
    double along = 0;
    for (size_t i = 0; i < k; i++) along += B[j * k + i] * d[i];
    Delta0 += 0.5 * along * along / lambda[j];
  }
  res->Delta0 = res->mu > 0 ? Delta0 : NAN;
}

lr_code lr_diagnosis_constants(lrgd_diagnosis *s)
{
  const lr_policy *P = s->standalone.oracle.policy;
  const lrgd_allocator *a = &s->standalone.allocator;
  size_t k = s->result.recommended_rank;
  if (k > s->spectrum.U.k) k = s->spectrum.U.k;
  if (k == 0 || k > lr_diagnosis_curvature_rank(P)) return LR_GO;
  double *B = lr_alloc(a, k * k + 3 * (k + 1), sizeof *B);
  lr_dense *dense = lr_dense_create(a, k);
  lr_code code = LR_NOVALUE;
  if (B && dense) {
    double *d = B + k * k, *e = d + k + 1, *lambda = e + k + 1;
    code = lr_oracle_slopes(&s->standalone.oracle, &s->centre,
                            lr_basis_column(&s->spectrum.U, 0), k,
                            LRGD_PURPOSE_CHECK, d);
    double sum = 0;
    for (size_t j = 0; j < k; j++) sum += d[j] * d[j];
    if (code == LR_GO) s->result.grad_norm = sqrt(sum);
    if (code == LR_GO) code = curvatures(s, k, d, B, e);
    double size = lr_oracle_scale(&s->standalone.oracle, &s->centre);
    double t = lr_diagnosis_curvature_step(P, size);
    double error = lr_oracle_slope_error(&s->standalone.oracle, &s->centre, 0);
    if (code == LR_GO && lr_eigen(dense, k, B, lambda) == LRGD_OK)
      read_off(s, k, d, B, lambda,
               lr_diagnosis_curvature_seen(P, error, sqrt(sum), t));
  }
  lr_dense_destroy(&dense);
  lr_free(a, B);
  return code == LR_NOVALUE ? LR_GO : code;
}
