/* The propositions on the Hessian, applied to f at the start: the last appendix
 * inside H, and the smallest curvature for Proposition 2.3. */
#include "analysis/cost_extrapolation.h"
#include "analysis/diagnosis_state.h"
#include "base/memory.h"
#include "subspace/probe.h"

#include <inttypes.h>
#include <math.h>

/* Directions for which there is room: twice what the policy allows. */
enum { MOST = 40 };

/* Evaluations of lrgd_local_diagnosis for k directions in k variables: one
 * gradient, two for each of k products, three at each point of the rays. */
static uint64_t cost(const lrgd_diagnosis *s, size_t k)
{
  uint64_t gradient = s->given.problem.gradient ? 1 : 2 * k + 1;
  const lr_policy *P = s->standalone.oracle.policy;
  size_t points = lr_diagnosis_local_rays(P) * lr_diagnosis_local_points(P);
  return (1 + 2 * k + 3 * points) * gradient;
}

/* Scales by 1/L: a step 1/L then has length one, and sigma_r and M |grad f| can
 * be compared with eta. */
static void scaled(lrgd_local *local)
{
  double L = fabs(local->eigenvalues[0]);
  for (size_t i = 0; i < local->r; i++) local->eigenvalues[i] /= L;
  local->M /= L;
  local->grad_norm /= L;
}

/* Chooses the smallest number of directions whose subspace stays valid for at
 * least one step. */
static void choose(lrgd_diagnosis *s, lrgd_local *local)
{
  lrgd_diagnosis_result *res = &s->result;
  lrgd_local fewer = *local;
  for (size_t r = 1; r <= local->r && r < res->recommended_rank; r++) {
    fewer.r = r;
    double lasts = lrgd_local_lasts(&fewer, 1, s->want.eta);
    if (!(lasts >= 1)) continue;
    res->local_rank = r;
    res->local_sigma = fabs(local->eigenvalues[r - 1]);
    res->local_lasts = lasts;
    return;
  }
}

lrgd_status lr_diagnosis_local(lrgd_diagnosis *s, uint64_t *left,
                               lrgd_error *error)
{
  lrgd_diagnosis_result *res = &s->result;
  size_t k = res->recommended_rank;
  double zero[MOST] = {0};
  lrgd_composite *sigma;
  lrgd_local local;
  lrgd_options o = s->standalone.options;
  const lr_policy *P = s->standalone.oracle.policy;
  bool few = k <= MOST && k <= lr_diagnosis_curvature_rank(P);
  bool wanted = res->low_rank && few && k <= s->spectrum.U.k && res->L > 0;
  if (!wanted || res->noise > 0 ||
      !lr_diagnosis_affords_local(P, cost(s, k), *left))
    return LRGD_OK;
  if (cost(s, k) > lr_diagnosis_budget(s)) {
    *left = 0;
    for (int i = 0; i < LRGD_PREDICTED_COUNT; i++)
      lr_cost_extrapolation_unknown(s, (lrgd_predicted)i,
                                    "the budget left %" PRIu64
                                    " evaluations, too few for its trial run",
                                    lr_diagnosis_budget(s));
    return LRGD_OK;
  }
  lrgd_status status = lrgd_diagnosis_ridge(s, k, &sigma, error);
  if (status != LRGD_OK) return status;
  o.max_evals = (int64_t)cost(s, k);
  o.progress = NULL;
  status = lrgd_local_diagnosis(&local, lrgd_composite_problem(sigma), &o, zero,
                                k, error);
  lrgd_composite_destroy(&sigma);
  uint64_t used = lrgd_counts_evaluations(&local.counts);
  res->evaluations += used;
  res->failures += local.counts.failures;
  *left -= used < *left ? used : *left;
  if (status == LRGD_ERR_ORACLE)
    return LRGD_OK; /* the gradient cannot be evaluated there */
  if (status != LRGD_OK) return status;
  if (local.r > 0 && local.eigenvalues[0] != 0) {
    scaled(&local);
    res->local_M = local.M;
    choose(s, &local);
  }
  lrgd_local_free(&local);
  return LRGD_OK;
}

/* The smallest curvature at the centre along a few random directions outside H,
 * or inside H where that is smaller. */
lr_code lr_diagnosis_mu_seen(lrgd_diagnosis *s)
{
  lrgd_diagnosis_result *res = &s->result;
  lrgd_space *space = s->standalone.space;
  lr_oracle *o = &s->standalone.oracle;
  lr_basis H = s->spectrum.U;
  lrgd_vec w = {s->points, LR_SPARE};
  double size = lr_oracle_scale(o, &s->centre), least = res->mu;
  double t = lr_diagnosis_curvature_step(o->policy, size);
  H.k = res->recommended_rank;
  bool inexact = res->low_rank && res->exact_rank != H.k;
  if (!inexact || s->standalone.bounds || H.k > s->spectrum.U.k ||
      !(res->mu > 0))
    return LR_GO;
  for (uint64_t i = 0; i < lr_diagnosis_mu_directions(o->policy); i++) {
    double length, d[2], e[2];
    if (!lr_probe_direction(&H, NULL, w, w,
                            (uint64_t)s->standalone.options.seed,
                            LR_DIAGNOSIS_LOOK + 100 + i, &length))
      return LR_GO;
    LR_TRY(lr_oracle_slopes(o, &s->centre, w, 1, LRGD_PURPOSE_CHECK, d));
    s->trial.x = (lrgd_vec){s->points, LR_TRIAL};
    space->ops->axpy_into(space, s->trial.x, s->centre.x, w, t);
    lr_oracle_rename(o, &s->trial);
    LR_TRY(lr_oracle_slopes(o, &s->trial, w, 1, LRGD_PURPOSE_CHECK, e));
    least = fmin(least, (e[0] - d[0]) / t);
  }
  if (least > 0) res->mu_seen = least;
  return LR_GO;
}
