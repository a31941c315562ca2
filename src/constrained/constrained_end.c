/* The end of a run with limits on outputs: certificate, multipliers, and what
 * is said where no point is within the limits. */
#include "constrained/constrained_probe.h"
#include "constrained/constrained_rules.h"
#include "constrained/constrained_state.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/vector.h"
#include "certificate/certificate.h"
#include "subspace/probe.h"

#include <math.h>
#include <string.h>

/* ---- without a certificate ---- */

/* The output with the largest violation, counted from 1. */
static size_t worst_output(const lr_constrained *s)
{
  size_t worst;
  (void)lr_outputs_violation(s->outputs, s->M.y + s->best * s->m, &worst);
  return worst + 1;
}

lr_code lr_con_give_up(lr_constrained *s)
{
  lr_oracle *o = &s->run->oracle;
  if (s->best_violation > LRGD_FEASIBLE)
    return lr_oracle_stall(
        o, LRGD_STALL_INFEASIBLE,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_INFEASIBLE,
                        .count = worst_output(s),
                        .value = s->best_violation});
  return lr_oracle_stall(o, LRGD_STALL_NO_DECREASE,
                         (lrgd_decision){.kind = LRGD_DECISION_KIND_KKT_STALLED,
                                         .value = s->kkt,
                                         .limit = s->run->goal.tol});
}

/* ---- the certificate ---- */

static double base_violation(const lr_constrained *s)
{
  size_t worst;
  return lr_outputs_violation(s->outputs, s->M.y + s->M.base * s->m, &worst);
}

/* Sets to zero the multipliers of the limits that are inactive at x, where the
 * outputs are y: further from them than this share of their scale.  Those of
 * the last quadratic program belong to its solution, not to x. */
static void complement(lr_constrained *s, const double *x, const double *y,
                       double share)
{
  for (size_t r = 0; r < s->outputs->rows; r++)
    if (!lr_con_is_near(s, x, LRGD_FEASIBLE, r)) s->mu[r] = 0;
  for (size_t i = 0; i < s->m; i++) {
    double room = s->lambda[i] > 0 ? s->outputs->upper[i] - y[i]
                                   : y[i] - s->outputs->lower[i];
    if (!(room <= share * s->outputs->scale[i])) s->lambda[i] = 0;
  }
}

/* The norm of grad f with respect to the inputs, by the models; where these are
 * in random directions, an estimate from the derivatives along them. */
static double size_of_f(const lr_constrained *s)
{
  const double *g = s->M.g + s->outputs->objective * s->M.room_n;
  double sum = 0, size = 0;
  for (size_t j = 0; s->axes && j < s->n; j++) {
    double d = g[j] / s->M.unit / s->D[s->axis[j]];
    sum += d * d;
  }
  if (s->axes) return sqrt(sum);
  for (size_t i = 0; i < s->p; i++) size += 1 / (s->D[i] * s->D[i]);
  return lr_norm(s->n, g) / s->M.unit * sqrt(size / (double)s->n);
}

/* The norm of the projected gradient of the Lagrangian with respect to the
 * inputs, by the models.  s->raw becomes the gradient without the terms of
 * bounds and rows of A x <= b. */
static double gradient(lr_constrained *s, const double *x)
{
  size_t n = s->n;
  double *G = s->G, *v = s->other.s, *raw = s->raw, *g = s->v;
  memset(v, 0, n * sizeof *v);
  lr_output_model_slopes(&s->M, v, G);
  for (size_t i = 0; i < s->m; i++) {
    double weight = s->weight[i] * s->lambda[i];
    if (i == s->outputs->objective) weight += s->outputs->sign * s->weight[i];
    lr_axpy(n, weight / s->M.unit, G + i * n, v);
  }
  memset(raw, 0, s->p * sizeof *raw);
  for (size_t j = 0; s->axes && j < n; j++) raw[s->axis[j]] = v[j];
  if (!s->axes) lr_gemv(s->p, n, s->V, s->p, v, raw);
  for (size_t i = 0; i < s->p; i++) raw[i] /= s->D[i];
  memcpy(g, raw, s->p * sizeof *g);
  for (size_t r = 0; r < s->outputs->rows; r++)
    lr_axpy(s->p, s->mu[r], s->outputs->A + r * s->p, g);
  for (size_t i = 0; i < s->p; i++)
    if (lr_con_is_held(s, x, LRGD_FEASIBLE, i) &&
        g[i] * lr_con_inward(s, x, i) >= 0)
      g[i] = 0;
  return lr_norm(s->p, g);
}

/* Point i, copied: probes overwrite the trial. */
static const double *point(lr_constrained *s, size_t i)
{
  double *x = lrgd_host_data((lrgd_vec){s->points, LR_CON_BASE});
  lr_con_place(s, s->M.z + i * s->M.room_n);
  memcpy(x, lrgd_host_data(s->trial.x), s->p * sizeof *x);
  return x;
}

/* Makes the base the point to be returned: it has the least merit of all points
 * that satisfy the limits to their tolerance. */
static void settle(lr_constrained *s, const double *x)
{
  lr_run *run = s->run;
  lrgd_vec at = {run->points, 0};
  memcpy(lrgd_host_data(at), x, s->p * sizeof *x);
  s->best = s->M.base;
  s->best_f = s->outputs->sign * s->M.y[s->best * s->m + s->outputs->objective];
  s->best_violation = base_violation(s);
  run->record.best = 0;
  run->record.best_f = s->best_f;
  lr_run_stand_at(run, at, s->best_f);
}

/* After a certificate that failed: its probes have become points of the models.
 * Enlarges the trust region to the length of probes, so that the models use
 * them, and allows another certificate at the same point. */
static lr_code teach(lr_constrained *s)
{
  if (!s->axes) return LR_GO;
  s->certified = SIZE_MAX;
  s->radius = fmax(s->radius, lr_con_probe(s->policy));
  return LR_GO;
}

static lr_code certify(lr_constrained *s, const double *x, double inside)
{
  bool hold = true;
  lr_con_errors e;
  lr_run *run = s->run;
  double share, f = s->weight[s->outputs->objective];
  s->certified = s->M.base;
  s->looks++;
  uint64_t stream = lr_next_look(run, &share);
  double room = fmax(run->goal.tol * f - inside, 0);
  double unit = lr_probe_bound(1, (size_t)run->options.probes, share);
  double most = room * room / (unit * unit);
  LR_TRY(lr_con_probes(s, x, stream, most, &e));
  if (e.used < (size_t)run->options.probes) return teach(s);
  lr_code code = e.along ? lr_con_bounds_hold(s, x, &hold) : LR_GO;
  if (code == LR_NOVALUE || (code == LR_GO && !hold)) return LR_GO;
  LR_TRY(code);
  double bound = (inside + lr_probe_bound(e.S, e.used, share)) / f;
  s->kkt = bound;
  run->progress.grad_norm = bound;
  if (!(bound <= run->goal.tol)) return teach(s);
  settle(s, x);
  run->claim.certificate =
      (lrgd_certificate){.valid = 1,
                         .grad_norm_bound = bound,
                         .confidence = run->options.confidence,
                         .probes = (int64_t)e.used};
  return lr_oracle_end(&run->oracle, LRGD_OUTCOME_CONVERGED,
                       (lrgd_decision){.kind = LRGD_DECISION_KIND_KKT_POINT,
                                       .value = bound,
                                       .level = run->options.confidence,
                                       .limit = run->goal.tol});
}

lr_code lr_con_look(lr_constrained *s)
{
  lr_run *run = s->run;
  double f = s->weight[s->outputs->objective];
  const double *x = point(s, s->M.base);
  memcpy(s->told, s->lambda, s->m * sizeof *s->told);
  complement(s, x, s->M.y + s->M.base * s->m, LRGD_FEASIBLE);
  double inside = gradient(s, x);
  s->kkt = inside / f;
  run->progress.grad_norm = s->kkt;
  if (!(run->goal.tol > 0))
    run->goal.tol = s->policy->default_tolerance * fmax(s->kkt, size_of_f(s));
  bool fresh = s->certified != s->M.base || s->looks == 0;
  if (base_violation(s) > LRGD_FEASIBLE || !fresh || s->M.k < s->n ||
      !lr_con_may_certify(s->policy, s->kkt, run->goal.tol, s->looks))
    return LR_GO;
  return certify(s, x, inside);
}

/* ---- results for queries after the run ---- */

/* Stores the outputs at the returned point in the result. */
static void leave_outputs(lr_constrained *s)
{
  lr_run_fitted *fitted = &s->run->fitted;
  lr_free(&s->run->allocator, fitted->F);
  *fitted = (lr_run_fitted){.m = s->m, .f = s->best_f};
  fitted->F = lr_alloc(&s->run->allocator, s->m, sizeof *fitted->F);
  if (fitted->F && s->M.count > 0)
    memcpy(fitted->F, s->M.y + s->best * s->m, s->m * sizeof *fitted->F);
}

void lr_con_leave(lr_constrained *s)
{
  lr_run *run = s->run;
  double f = s->weight[s->outputs->objective];
  run->limited.violation = s->best_violation;
  lr_free(&run->allocator, run->limited.multipliers);
  run->limited.multipliers =
      lr_alloc(&run->allocator, s->m, sizeof *run->limited.multipliers);
  leave_outputs(s);
  if (!run->limited.multipliers || !s->weighed) return;
  /* a look has set to zero those of limits that its base has not reached */
  if (!run->claim.certificate.valid)
    memcpy(s->lambda, s->told, s->m * sizeof *s->lambda);
  complement(s, point(s, s->best), s->M.y + s->best * s->m,
             lr_con_reached(s->policy));
  for (size_t i = 0; i < s->m; i++) {
    /* slopes are about 1 in these units: less is a rounding error of the
     * quadratic program */
    if (fabs(s->lambda[i]) < 1e-9) s->lambda[i] = 0;
    double gain = s->weight[i] * s->lambda[i] / f;
    bool equal = s->outputs->lower[i] == s->outputs->upper[i];
    run->limited.multipliers[i] = equal ? gain : fabs(gain);
  }
}
