/* Quasi-Newton: the gradient where the model stands, and whether it is small.
 *
 * In a box derivatives at active bounds need not be measured each time: the
 * model predicts them, and a gradient costs the inactive coordinates only. */
#include "auto/auto_rules.h"
#include "auto/quasi_newton_rules.h"

#include "certificate/certificate.h"
#include "space/vec.h"

#include <math.h>

/* The mean curvature along coordinates, if known, to choose difference steps
 * by. */
static double hint(const lr_quasi_newton *q)
{
  return fmin(-q->curvature.coordinate, 0);
}

/* Ends the run where noise or rounding errors of f explain the gradient G. */
static lr_code at_noise(lr_quasi_newton *q, lrgd_vec G, double norm)
{
  lr_run *run = q->model->run;
  lrgd_vec spare = lr_model_vec(q->model, LR_MODEL_SPARE);
  double error;
  LR_TRY(lr_run_gradient_error(run, G, hint(q), spare, norm, &error));
  if (lr_run_smooth(run, norm + error))
    lr_run_settle(run, norm + error, lr_run_confidence(run), 0);
  bool noisy = run->oracle.differences.noise > 0;
  return lr_oracle_stall(
      &run->oracle, noisy ? LRGD_STALL_NOISE : LRGD_STALL_ROUNDING,
      (lrgd_decision){
          .kind = LRGD_DECISION_KIND_GRADIENT_NOISE,
          .cause = noisy ? LRGD_CAUSE_NOISE : LRGD_CAUSE_ROUNDING,
          .norm = lr_run_norm(run),
          .value = lr_run_told(run, norm),
          .level = lr_run_told(run, lr_oracle_level(&run->oracle, run->at.f)),
          .limit = lr_run_told(run, run->goal.tol)});
}

/* Records the value at the model's base, whatever the gradient will be. */
static lr_code stand(lr_model *m)
{
  lr_run_stand(m->run, &m->here);
  return lr_run_count(m->run, &m->here);
}

void lr_qn_drop_active(lr_quasi_newton *q, lrgd_vec G)
{
  lr_model *m = q->model;
  lrgd_vec full = lr_model_vec(m, LR_MODEL_FULL);
  q->active.count =
      m->space->ops->zero_active(m->space, G, m->here.x, full, m->oracle->box);
}

/* Whether noise is larger than all that a step could gain, by the model inside
 * V and by the last curvature outside. */
static lr_code hidden_by_noise(lr_quasi_newton *q, double norm, bool *hidden)
{
  lr_model *m = q->model;
  double gain, inside = lr_norm(m->V->k, m->g);
  *hidden = false;
  if (!m->oracle->differences.two_sided || !(m->oracle->differences.noise > 0))
    return LR_GO;
  if (!(q->curvature.last > 0) || lr_oracle_boxed(m->oracle)) return LR_GO;
  LR_TRY(lr_model_gain(m, &gain));
  gain += 0.5 * fmax(norm * norm - inside * inside, 0) / q->curvature.last;
  *hidden =
      lr_qn_gain_is_noise(lr_qn_policy(q), gain, m->oracle->differences.noise);
  return LR_GO;
}

/* Whether to measure a gradient without the active coordinates. */
static bool without_active(const lr_quasi_newton *q)
{
  const lr_model *m = q->model;
  const lr_answers *a = &m->oracle->answers;
  bool by_value = !a->slopes && !a->gradient && m->run->domain.k == 0;
  return by_value && q->progress.failed == 0 &&
         lr_qn_active_gradient_pays(lr_qn_policy(q), &q->active,
                                    (double)m->V->k,
                                    (double)m->space->dimension);
}

double lr_qn_gradient_error(lr_quasi_newton *q)
{
  lr_model *m = q->model;
  return lr_oracle_gradient_error(m->oracle, &m->here, -q->curvature.coordinate,
                                  m->space->dimension,
                                  m->run->options.confidence);
}

bool lr_qn_resolves(const lr_quasi_newton *q)
{
  const lr_oracle *o = q->model->oracle;
  return !(o->differences.noise > 0) && o->seen.cliffs == 0 &&
         lr_oracle_missed(o) == 0;
}

lr_qn_difference lr_qn_two_sided(const lr_quasi_newton *q)
{
  lr_model *m = q->model;
  lr_oracle *o = m->oracle;
  lr_difference_settings before = lr_oracle_difference_settings(o);
  double c = fmax(q->curvature.last, q->curvature.coordinate);
  lr_oracle_use_two_sided(o);
  lr_qn_difference d = {.reach = lr_oracle_reach(o, &m->here, c)};
  if (o->accuracy.errors.two_sided && o->accuracy.errors.id == m->here.id)
    d.reach = o->accuracy.errors.step; /* the one that was taken */
  d.error = lr_oracle_slope_error(o, &m->here, c) +
            lr_qn_third_order(d.reach, c, lr_oracle_scale(o, &m->here));
  d.error *= sqrt((double)m->space->dimension);
  lr_oracle_set_differences(o, &before);
  return d;
}

/* Measures the gradient without the active coordinates.  *enough: it is neither
 * small nor within its error, so that the others need not be measured. */
static lr_code ask_inactive(lr_quasi_newton *q, lrgd_vec G, double c,
                            double *norm, bool *enough)
{
  lr_model *m = q->model;
  LR_TRY(lr_model_face_gradient(m, G, false, c, norm));
  double p = (double)m->space->dimension, error = lr_qn_gradient_error(q);
  double other = lr_oracle_slope_error(m->oracle, &m->here, 0) * sqrt(p);
  /* an error bound for the norm of the full gradient */
  double bound = *norm + error + other;
  *enough = *norm > m->run->goal.tol &&
            !lr_qn_within_error(lr_qn_policy(q), *norm, error);
  if (!(bound <= m->run->goal.tol) || *norm == 0) return LR_GO;
  if (!lr_qn_probes_pay(lr_qn_policy(q), (double)q->active.count,
                        (double)m->run->options.probes))
    return LR_GO;
  lr_run_stand(m->run, &m->here);
  m->run->progress.grad_norm = *norm;
  LR_TRY(lr_model_certify_face(m, G, &bound));
  return bound < INFINITY ? lr_run_certified(m->run, bound) : LR_GO;
}

/* Measures the gradient at the model's base. */
static lr_code ask_gradient(lr_quasi_newton *q, lrgd_vec G, double *norm)
{
  lr_model *m = q->model;
  double c = hint(q);
  LR_TRY(lr_oracle_value(m->oracle, &m->here, LRGD_PURPOSE_DESCEND));
  LR_TRY(stand(m));
  if (q->active.whole) lr_model_foresee(m);
  bool part = without_active(q);
  q->active.now = part;
  if (part) LR_TRY(ask_inactive(q, G, c, norm, &q->active.now));
  q->active.in_a_row = q->active.now ? q->active.in_a_row + 1 : 0;
  q->active.ever |= q->active.now;
  if (q->active.now) return LR_GO;
  if (part) return lr_model_face_gradient(m, G, true, c, norm);
  return lr_run_gradient_at(m->run, &m->here, G, LRGD_PURPOSE_DESCEND, c, norm);
}

/* Moves the base to the point at which G is the gradient. */
static lr_code take_gradient(lr_quasi_newton *q, lrgd_vec G)
{
  lr_model *m = q->model;
  if (q->active.whole && (q->active.now || q->active.predicted)) {
    const lr_model_gaps gaps = {.base = q->active.predicted,
                                .here = q->active.now};
    return lr_model_rebase_partly(m, G, gaps);
  }
  lr_basis_project(m->V, G, m->work.fresh);
  return lr_model_rebase(m, m->work.fresh);
}

/* In a box: stores the full gradient, and zeroes the active coordinates of
 * G. */
static void keep_gradient(lr_quasi_newton *q, lrgd_vec G)
{
  lr_model *m = q->model;
  if (q->active.now)
    lr_model_keep_measured(m, G);
  else
    m->space->ops->copy(m->space, lr_model_vec(m, LR_MODEL_WHOLE), G, 1);
  m->space->ops->copy(m->space, lr_model_vec(m, LR_MODEL_FULL), G, 1);
  q->active.whole = true;
  q->active.predicted = q->active.now;
  lr_qn_drop_active(q, G);
}

/* Whether every input is at an active bound with a multiplier larger than its
 * error. */
static bool all_active(const lr_quasi_newton *q, lrgd_vec G)
{
  lr_model *m = q->model;
  double g[LR_FEW], error = lr_oracle_slope_error(m->oracle, &m->here, 0);
  for (size_t i = 0, n; (n = lr_few(m->space, i)) > 0; i += n) {
    m->space->ops->get(m->space, G, i, n, g);
    for (size_t j = 0; j < n; j++)
      if (lr_qn_within_error(lr_qn_policy(q), fabs(g[j]), error)) return false;
  }
  return true;
}

/* One-sided differences do not measure the curvature along them, but a few
 * random directions estimate the trace of the Hessian, which bounds their
 * truncation error.  With many inputs that is cheaper than two-sided
 * differences, and less accurate.  Ends the run where that bound is small
 * enough. */
static lr_code small_by_trace(lr_quasi_newton *q, double norm)
{
  const lr_policy *P = lr_qn_policy(q);
  size_t probes = lr_qn_trace_probes(P);
  lr_model *m = q->model;
  double p = (double)m->space->dimension, noise = lr_qn_gradient_error(q);
  double reach = lr_oracle_reach(m->oracle, &m->here, -q->curvature.coordinate);
  double known = fabs(lr_model_spread(m)) * p, trace;
  double about = 0.5 * reach * known * lr_model_trace_slack(m, probes);
  if (m->oracle->differences.noise > 0 ||
      !lr_qn_trace_promises(P, norm + noise + about, m->run->goal.tol))
    return LR_GO;
  if (!lr_qn_trace_pays(P, p)) return LR_GO;
  LR_TRY(lr_model_trace(m, probes, &trace));
  double bound = norm + noise + 0.5 * reach * fmax(trace, known);
  if (!(bound <= m->run->goal.tol)) return LR_GO;
  return lr_run_converged(m->run, bound, m->run->options.confidence, 0);
}

/* Whether a projected gradient of zero ends the run, and with which bound:
 * *error is that of all derivatives.  Where every multiplier exceeds its error,
 * the projected gradient is zero with certainty. */
static bool ends_flat(const lr_quasi_newton *q, lrgd_vec G, double *error)
{
  double tol = q->model->run->goal.tol;
  if (tol > 0 && all_active(q, G)) *error = fmin(*error, tol);
  return !(tol > 0) || *error <= tol;
}

/* The gradient is within the tolerance: ends the run if gradient and error
 * bound together are. Otherwise differences become two-sided and a smaller
 * gradient is aimed at, unless noise hides it. */
static lr_code small_gradient(lr_quasi_newton *q, lrgd_vec G, double norm)
{
  lr_model *m = q->model;
  lr_oracle *o = m->oracle;
  bool given = lr_oracle_has_derivatives(o);
  double error = lr_qn_gradient_error(q);
  if (norm == 0 && !given && !(o->differences.noise > 0) &&
      ends_flat(q, G, &error))
    return lr_run_converged(m->run, error, m->run->options.confidence, 0);
  if (!given && !o->differences.two_sided) {
    LR_TRY(small_by_trace(q, norm));
    lr_oracle_use_two_sided(o);
    return LR_GO;
  }
  lrgd_vec spare = lr_model_vec(m, LR_MODEL_SPARE);
  LR_TRY(lr_run_gradient_error(m->run, G, hint(q), spare, norm, &error));
  bool flat = norm == 0 && !given && ends_flat(q, G, &error);
  /* no derivative was ever other than zero */
  bool unseen = norm == 0 && !(m->run->goal.tol > 0);
  if (flat || unseen || norm + error <= m->run->goal.tol)
    return lr_run_converged(m->run, norm + error, lr_run_confidence(m->run), 0);
  bool hides = lr_qn_error_hides(lr_qn_policy(q), error, m->run->goal.tol);
  return hides ? at_noise(q, G, norm) : LR_GO;
}

/* Handles a gradient that is exactly zero: f is constant, or its values have
 * too few digits for the difference steps.  *again: noise was found, and longer
 * difference steps may show a derivative. */
static lr_code doubt_zero(lr_quasi_newton *q, bool *again)
{
  lr_model *m = q->model;
  double noise = m->oracle->differences.noise;
  if (lr_oracle_is_quiet(m->oracle, &m->here)) return LR_GO;
  LR_TRY(lr_phase_measure_noise(q->phase));
  *again = m->oracle->differences.noise > noise;
  return LR_GO;
}

/* Sets the tolerance from the first gradient, where the user gave none.  Where
 * that gradient is zero within the error of two-sided differences, the
 * tolerance is that error. */
static void set_tolerance(lr_quasi_newton *q, double norm, double error)
{
  const lr_policy *P = lr_qn_policy(q);
  lr_run *run = q->phase->run;
  if (run->goal.tol > 0) return;
  double tol = lr_auto_tolerance(P, fmax(norm, run->goal.first_slope));
  tol = fmax(tol, run->goal.least_tol);
  if (q->closer && lr_qn_within_error(P, norm, error))
    tol = fmax(tol, norm + error);
  if (run->oracle.differences.two_sided && lr_qn_resolves(q)) {
    /* a one-sided gradient was within its errors here */
    double first = q->closer ? 0 : fmax(norm, run->goal.first_slope);
    error = fmax(error, lr_qn_two_sided(q).error);
    tol = fmax(tol, lr_qn_least_tolerance(P, first, error, error));
  }
  run->goal.tol = fmin(tol, run->goal.most_tol);
}

/* Ends the run where a gradient cannot be evaluated. */
static lr_code no_gradient(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  lrgd_decision end = {.kind = LRGD_DECISION_KIND_GRADIENT_FAILED,
                       .count = run->progress.moves};
  return o->seen.cliffs > 0 ? lr_oracle_stall(o, LRGD_STALL_UNEVALUABLE, end)
                            : lr_oracle_end(o, LRGD_OUTCOME_FAILED, end);
}

/* Ends the run at a gradient that is small or within its error, or makes
 * differences two-sided. */
static lr_code judge_gradient(lr_quasi_newton *q, lrgd_vec G, double norm,
                              double error)
{
  lr_run *run = q->phase->run;
  lr_oracle *o = &run->oracle;
  if (norm <= run->goal.tol) return small_gradient(q, G, norm);
  if (!lr_qn_within_error(lr_qn_policy(q), norm, error)) return LR_GO;
  if (o->differences.two_sided) return at_noise(q, G, norm);
  lr_oracle_use_two_sided(o);
  return LR_GO;
}

lr_code lr_qn_gradient(lr_quasi_newton *q, lrgd_vec G)
{
  lr_model *m = q->model;
  lr_run *run = m->run;
  double norm;
  if (m->V->k > 0) q->curvature.coordinate = lr_model_spread(m);
  lr_code code = ask_gradient(q, G, &norm);
  if (code == LR_NOVALUE) return no_gradient(run);
  LR_TRY(code);
  bool again = false, hidden;
  if (norm == 0 && !lr_qn_gradient_given(q)) LR_TRY(doubt_zero(q, &again));
  if (again) return lr_qn_gradient(q, G);
  lr_run_stand(run, &m->here);
  run->progress.grad_norm = norm;
  double error = lr_qn_gradient_error(q);
  set_tolerance(q, norm, error);
  LR_TRY(judge_gradient(q, G, norm, error));
  LR_TRY(take_gradient(q, G));
  LR_TRY(hidden_by_noise(q, norm, &hidden));
  if (hidden) return at_noise(q, G, norm);
  if (lr_oracle_boxed(m->oracle)) keep_gradient(q, G);
  return LR_GO;
}
