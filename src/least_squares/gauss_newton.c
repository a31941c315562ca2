/* Least squares: minimises f = |F|^2 / 2 from residuals F: R^p -> R^m.
 *
 * A model of F is kept along a growing set of random directions
 * (residual_model.h).  An evaluation is one of four things:
 *   a step to the minimum of the expected f, if the predicted decrease is large
 *   enough;
 *   a difference along a direction of the model whose derivative has become
 *   uncertain, if that uncertainty costs more than the measurement;
 *   a difference along a new direction otherwise;
 *   part of a renewal, which measures all of J again, where f decreases more
 *   slowly than it would after that.
 * If F = G(A x), A having r rows, some r directions are enough whatever p: each
 * adds a column of m numbers to J. */
#include "least_squares/gauss_newton.h"

#include "least_squares/least_squares_rules.h"
#include "least_squares/least_squares_state.h"

#include "base/vector.h"
#include "certificate/certificate.h"
#include "subspace/probe.h"

#include <math.h>

/* The mean increase of the predicted decrease by the last columns, relative to
 * f. */
static double mean_gain(const lr_policy *P, const lr_ls_gains *g)
{
  size_t window = lr_ls_gains_kept(P),
         n = g->count < window ? g->count : window;
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += g->share[i];
  return n > 0 ? sum / (double)n : 0;
}

/* Notes that a column was added; its contribution is known at the next step. */
static void expect_gain(lr_ls_gains *g, double promised)
{
  g->open = true;
  g->before = promised;
}

static void settle_gain(const lr_policy *P, lr_ls_gains *g, double promised,
                        double f)
{
  if (!g->open) return;
  g->share[g->count++ % lr_ls_gains_kept(P)] =
      fmax(promised - g->before, 0) / f;
  g->open = false;
}

static lr_ls_view view(lr_least_squares *s, double promised)
{
  bool is_new = lr_ls_columns_new(s, &s->saturated);
  return (lr_ls_view){
      .p = (double)s->M.p,
      .k = (double)s->M.k,
      .f = s->M.f,
      .promised = promised,
      .gain = mean_gain(s->policy, &s->gains) * s->M.f,
      .since = (double)(lr_ls_evaluations(s) - s->grown),
      .is_new = is_new,
      .saturated = s->saturated,
      .landed = s->landings > 0,
      .by_axes = s->by_axes,
      .curved = s->M.bends.count > 0,
  };
}

static lr_code refresh_stalest(lr_least_squares *s, const lr_ls_view *v,
                               bool *done)
{
  double cost;
  *done = false;
  if (!lr_ls_may_refresh(s->policy, v)) return LR_GO;
  lrgd_status status =
      lr_residual_model_stalest(&s->M, s->confined, s->w, &cost);
  if (status != LRGD_OK)
    return lr_oracle_fault(&s->run->oracle, status, "no singular directions");
  if (!lr_ls_refreshes(s->policy, v, cost)) return LR_GO;
  return lr_ls_refresh(s, s->w, done);
}

/* Sets the tolerance from the columns at the start, where the user gave none: a
 * step may lead to the minimum before there are many. */
static void set_tolerance(lr_least_squares *s)
{
  lr_run *run = s->run;
  double p = (double)s->M.p, k = (double)s->M.k;
  if (run->goal.tol > 0 || !(k > 0)) return;
  if (s->landings == 0 || !(s->first_gradient > 0))
    s->first_gradient = lr_ls_gradient_all(s) * sqrt(p / k);
  bool few = s->by_axes || k < s->policy->ls_first_columns;
  if (few && k < p && s->landings == 0) return;
  run->goal.tol = s->policy->default_tolerance * s->first_gradient;
}

/* Whether noise explains that steps fail: J has all of its range, and noise was
 * found. */
static bool is_noise_left(lr_least_squares *s)
{
  bool full;
  if (!s->noisy) return false;
  return s->M.k == s->M.p || !lr_ls_columns_new(s, &full);
}

/* The standard deviation of f at the base by the noise that was found. */
static double noise_of_f(const lr_least_squares *s)
{
  return s->noisy ? s->M.noise * sqrt(2 * lr_residual_model_uncertain_f(&s->M))
                  : 0;
}

/* Whether no decrease is predicted inside V and none expected outside: it would
 * be below rounding, or below the noise of k + 1 numbers.  A step must have
 * been taken with this model, or noise found and all of the range of J
 * measured: at a corner of the bounds there may be no step to take. */
static bool is_idle(lr_least_squares *s, double promised)
{
  const lr_residual_model *M = &s->M;
  double small = lr_ls_little(s->policy, M->f, (double)(M->k + 1), M->noise);
  small = fmax(small, lr_ls_hidden(s->policy, noise_of_f(s)));
  bool outside = M->k < M->p && mean_gain(s->policy, &s->gains) * M->f >= small;
  bool tried = s->landings > 0 || is_noise_left(s);
  return tried && promised < small && !outside;
}

/* Bounds the gradient of a run that noise has stalled by J at the base, where
 * that was measured along all of space. *noisy: there is more noise than was
 * known, and J was discarded. */
static lr_code bound_in_noise(lr_least_squares *s, bool *noisy)
{
  lr_run *run = s->run;
  double share;
  *noisy = false;
  if (!s->noisy || s->M.k < s->M.p || s->fresh != s->at.id) return LR_GO;
  LR_TRY(lr_ls_check(s, noisy));
  if (*noisy || s->checked != s->at.id) return LR_GO;
  (void)lr_next_look(run, &share);
  double norm = lr_ls_gradient_inside(s) + lr_ls_gradient_margin(s, share);
  lr_run_stand(run, &s->at);
  lr_run_settle(run, norm, run->options.confidence, 0);
  return LR_GO;
}

/* Ends the run as stalled, with the bound on the gradient that is known. */
static lr_code give_up(lr_least_squares *s)
{
  lr_run *run = s->run;
  bool noisy;
  LR_TRY(bound_in_noise(s, &noisy));
  if (noisy) return LR_GO;
  lr_run_stand(run, &s->at);
  double norm = lr_ls_gradient_inside(s);
  run->progress.grad_norm = norm;
  lrgd_decision why = {.kind = LRGD_DECISION_KIND_NO_STEP,
                       .norm = LRGD_NORM_SUBSPACE,
                       .value = lr_run_told(run, norm),
                       .limit = lr_run_told(run, run->goal.tol)};
  lrgd_stall reason = s->listened > 0 && s->M.noise > 0
                          ? LRGD_STALL_NOISE
                          : LRGD_STALL_NO_DECREASE;
  double wrong = 0;
  if (lr_ls_has_jacobian(s) && s->fresh == s->at.id)
    LR_TRY(lr_ls_compare_jacobian(s, &wrong));
  if (wrong > 0) {
    reason = LRGD_STALL_NO_DECREASE;
    why = (lrgd_decision){.kind = LRGD_DECISION_KIND_JACOBIAN_CONTRADICTED,
                          .value = wrong};
  }
  return lr_oracle_stall(&run->oracle, reason, why);
}

/* Measures all of J again at the base, once for each base. */
static lr_code renew_here(lr_least_squares *s)
{
  s->renewed = s->at.id;
  s->renewed_f = s->M.f;
  s->certified = 0;
  s->idle = s->failures = 0;
  s->stepped = false;
  return lr_ls_renew(s);
}

/* Tries a certificate.  It relies only on measurements at the base, as J after
 * steps is an estimate of unknown error: first on probes over all of space
 * where they cost less, then on all of J measured again. */
static lr_code certify(lr_least_squares *s)
{
  const lr_policy *P = s->policy;
  bool noisy, checked = s->checked == s->at.id;
  lr_ls_verdict verdict;
  s->stepped = false;
  if (s->fresh != s->at.id && lr_ls_probes_all(s)) {
    LR_TRY(lr_ls_certify_all(s, &verdict));
    return verdict == LR_LS_DOUBT ? renew_here(s) : LR_GO;
  }
  LR_TRY(lr_ls_check(s, &noisy));
  if (noisy) return LR_GO;
  double tol = s->run->goal.tol, error = lr_ls_gradient_error(s);
  bool small = lr_ls_certifies(P, lr_ls_gradient_inside(s) + error, tol);
  if (s->fresh == s->at.id && small) return lr_ls_certify(s);
  if (s->renewed != s->at.id || !checked) return renew_here(s);
  s->certified = s->at.id; /* no further measurement would improve it */
  return LR_GO;
}

/* Ends the run where the gradient is within the tolerance, or no decrease is
 * left.  Measures J again first where it is too uncertain to decide. */
static lr_code look(lr_least_squares *s, double promised)
{
  const lr_policy *P = s->policy;
  if (!lr_ls_has_jacobian(s)) set_tolerance(s);
  /* zero residuals are a minimum, whatever their derivatives are */
  if (!(s->M.f > 0)) {
    lr_run_stand(s->run, &s->at);
    return lr_run_converged(s->run, 0, s->run->options.confidence, 0);
  }
  double tol = s->run->goal.tol, inside = lr_ls_gradient_inside(s);
  bool fresh = s->renewed == s->at.id;
  if (!lr_ls_has_jacobian(s) && s->landings > 0 && tol > 0 &&
      s->certified != s->at.id && lr_ls_certifies(P, inside, tol)) {
    bool known = lr_ls_certifies(P, inside + lr_ls_gradient_error(s), tol);
    if (known || (!fresh && lr_ls_may_grow(P, promised, s->M.f)))
      return certify(s);
  }
  s->idle = is_idle(s, promised) ? s->idle + 1 : 0;
  bool stalls = lr_ls_stalls(P, s->failures, s->idle, is_noise_left(s));
  /* rounding may move the base without a decrease */
  fresh |=
      s->renewed > 0 && !lr_ls_fell(P, s->renewed_f, s->M.f, noise_of_f(s));
  if (stalls && fresh && lr_ls_boxed(s) && s->M.k < s->M.p &&
      !lr_ls_has_jacobian(s)) {
    bool grown; /* directions blocked by bounds inside V may be free outside */
    LR_TRY(lr_ls_grow(s, &grown));
    if (grown) s->idle = s->failures = 0;
    if (grown) return LR_GO;
  }
  if (stalls && fresh) return give_up(s);
  if (!fresh && (stalls || lr_ls_distrusts(P, s->failures)))
    return renew_here(s);
  return LR_GO;
}

/* Replaces V by the axes where it has become all of space and there are bounds
 * or few inputs: differences along axes can always lead inwards, and axes have
 * scales of their own. */
static lr_code turn_to_axes(lr_least_squares *s)
{
  if (lr_residual_model_turn(&s->M) != LRGD_OK)
    return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu directions", s->M.p);
  s->start.k = 0;
  s->axes = true;
  if (!s->few) return LR_GO;
  if (s->landings == 0) s->M.c = lr_ls_first_guess(s->policy, s->first_c);
  lr_ls_rescale(s);
  return LR_GO;
}

/* Measures the first direction.  The run ends if F has no value next to the
 * base along any of the directions drawn. */
static lr_code begin_columns(lr_least_squares *s)
{
  bool grown;
  LR_TRY(lr_ls_grow(s, &grown));
  s->failures = grown ? 0 : s->failures + 1;
  return lr_ls_stalls(s->policy, s->failures, 0, false) ? give_up(s) : LR_GO;
}

/* The step in z of the present model.  Near a minimum with residuals left it is
 * restricted to directions outside the null space of J: along the null space
 * its length would be set by errors of J alone, and the curvature measured by
 * the step would be zero.  Not with a loss: its weights change from step to
 * step, and with them the singular values. */
static lr_code make_step(lr_least_squares *s, double *promised)
{
  lr_residual_model *M = &s->M;
  lrgd_status status = lr_residual_model_step(M, s->z);
  *promised = lr_residual_model_promise(M, s->z, s->r);
  s->confined = !M->weight && !lr_ls_boxed(s) &&
                lr_ls_confines(s->policy, *promised, M->f);
  if (status == LRGD_OK && s->confined) {
    status = lr_residual_model_confined_step(M, s->z);
    *promised = lr_residual_model_promise(M, s->z, s->r);
  }
  if (status == LRGD_OK) return LR_GO;
  return lr_oracle_fault(&s->run->oracle, status,
                         "out of memory for a step in %zu directions", M->k);
}

/* Measures J again where f decreases slowly. */
static lr_code renew_if_slow(lr_least_squares *s)
{
  lr_residual_model *M = &s->M;
  bool slow;
  LR_TRY(lr_ls_is_slow(s, &slow));
  if (s->noisy && s->renewed == s->at.id) slow = false;
  if (s->by_axes && M->k < M->p) slow = false; /* measure all of J first */
  if (slow) LR_TRY(lr_ls_sweep(s));
  bool turns = (lr_ls_boxed(s) || s->few) && M->k == M->p && !s->axes;
  return turns ? turn_to_axes(s) : LR_GO;
}

/* The user's J has no value at the base.  That of the base before stands in, as
 * the step has corrected it; at the start there is none, and J is measured by
 * differences from then on. */
static lr_code miss_jacobian(lr_least_squares *s)
{
  const lr_answers *a = &s->run->oracle.answers;
  s->stepped = false;
  if (s->taken > 0) {
    s->taken = s->at.id;
    return LR_GO;
  }
  s->untold = a->value || a->values;
  if (s->untold) return LR_GO;
  return lr_oracle_stall(
      &s->run->oracle, LRGD_STALL_UNEVALUABLE,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_GRADIENT_FAILED,
                      .count = s->landings});
}

/* The user's J at the base; the run ends where the gradient that follows is
 * within the tolerance. */
static lr_code take_jacobian(lr_least_squares *s)
{
  lr_code code = lr_ls_take_jacobian(s);
  if (code == LR_NOVALUE) return miss_jacobian(s);
  LR_TRY(code);
  bool looks = s->fresh == s->at.id && s->certified != s->at.id;
  return looks ? lr_ls_look_at_jacobian(s) : LR_GO;
}

/* Whether some input of the last trial is at none of its bounds. */
static bool is_between(const lr_least_squares *s)
{
  const double *x = lrgd_host_data(s->trial.x);
  const double *lower = lr_ls_lower(s), *upper = lr_ls_upper(s);
  for (size_t i = 0; i < s->M.p; i++)
    if (x[i] > lower[i] && x[i] < upper[i]) return true;
  return false;
}

/* One iteration: one evaluation, or a renewal of J. */
static lr_code iterate(lr_least_squares *s)
{
  lr_residual_model *M = &s->M;
  bool done, bent, told = lr_ls_has_jacobian(s);
  if (M->k == 0 && M->f > 0 && !told) return begin_columns(s);
  if (!(M->f > 0)) return look(s, 0);
  if (told) {
    LR_TRY(take_jacobian(s));
    if (s->taken != s->at.id) return LR_GO; /* noise was found */
  } else {
    LR_TRY(renew_if_slow(s));
  }
  double promised;
  LR_TRY(make_step(s, &promised));
  LR_TRY(lr_ls_bend(s, &promised, &bent));
  settle_gain(s->policy, &s->gains, promised, M->f);
  size_t k = M->k;
  s->stepped = true;
  LR_TRY(look(s, promised));
  if (M->k > k || !s->stepped) return LR_GO; /* the model has changed */
  lr_ls_view v = view(s, promised);
  if (!told && !lr_ls_lands(s->policy, &v)) {
    expect_gain(&s->gains, promised);
    if (s->by_axes && M->k >= s->planned)
      LR_TRY(lr_ls_plan_columns(s, M->p - M->k, false));
    LR_TRY(lr_ls_grow_towards(s, s->r, v.gain, &done));
    if (done && s->by_axes && M->k == M->p) lr_ls_note_renewal(s, (double)M->p);
    if (done) return LR_GO;
    settle_gain(s->policy, &s->gains, promised,
                M->f); /* no decrease after a failed step */
    s->grown = lr_ls_evaluations(s);
  }
  done = false;
  if (!told) LR_TRY(refresh_stalest(s, &v, &done));
  if (done) return LR_GO;
  (void)lr_residual_model_promise(M, s->z, s->r);
  LR_TRY(lr_ls_land(s, promised, bent));
  /* where bounds hold all inputs residuals may be round numbers by chance */
  if ((!bent || is_between(s)) && lr_ls_hear_digits(s)) return LR_GO;
  bool fell = lr_ls_succeeds(s->policy, s->ratio, s->decrease, noise_of_f(s));
  s->failures = fell ? 0 : s->failures + 1;
  bool poor = lr_ls_doubts(s->policy, s->ratio);
  bool again = lr_ls_listens_again(s->policy, (double)s->landings,
                                   (double)s->listened, s->ratio);
  bool may = lr_ls_may_listen(s->policy, s->few, s->failures);
  return poor && again && may && s->landings > 0 ? lr_ls_listen(s, &done)
                                                 : LR_GO;
}

lr_code lr_method_least_squares(lr_run *run)
{
  lr_least_squares s;
  lr_code code = lr_ls_open(&s, run);
  lr_ls_watch_walls(&s);
  if (code == LR_GO) code = lr_ls_begin(&s);
  while (code == LR_GO) {
    code = iterate(&s);
    if (code != LR_END) continue;
    if (s.first_c > 0) lr_ls_leave(&s);
    code = lr_ls_check_walls(&s);
  }
  lr_hidden_bounds_close(&s.walls);
  lr_ls_close(&s);
  return code;
}
