/* The diagnosis of a function, from the plan to the verdict. */
#include "analysis/cost_extrapolation.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/sized.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

void lrgd_diagnosis_options_init(lrgd_diagnosis_options *options, size_t size)
{
  lrgd_diagnosis_options o = {.struct_size = sizeof o,
                              .radius = 1,
                              .eta = 0.31622776601683794, /* 1/sqrt(10) */
                              .confidence = 0.95,
                              .trial_runs = 1};
  lr_sized_give(options, size, &o, sizeof o);
}

/* ---- the plan ---- */

static size_t clamp(size_t n, size_t low, size_t high)
{
  return n < low ? low : n > high ? high : n;
}

/* Evaluations for one gradient, and for one directional derivative by a
 * difference. */
static uint64_t price(const lrgd_problem *problem, const lrgd_options *options,
                      uint64_t *slope)
{
  uint64_t p = problem->dimension;
  bool told = problem->slopes || problem->complex_value;
  *slope = !told && options && options->differences == LRGD_DIFFERENCES_CENTRAL
               ? 2
               : 1;
  if (problem->gradient) return 1;
  return told ? p : *slope * p + 1;
}

static lrgd_diagnosis_plan plan_of(const lrgd_problem *problem,
                                   const lrgd_options *options,
                                   const lrgd_diagnosis_options *study)
{
  const lr_policy *P = lr_policy_current();
  size_t p = problem->dimension;
  const lrgd_options plain = lrgd_options_default();
  uint64_t m = (uint64_t)(options ? options : &plain)->probes, slope;
  lrgd_diagnosis_plan plan = {
      .struct_size = sizeof plan,
      .gradients =
          study->gradients ? study->gradients : lr_diagnosis_gradients(P, p),
      .held_out = study->held_out ? study->held_out : lr_diagnosis_held_out(P)};
  plan.gradient = price(problem, options, &slope);
  plan.sampling = lr_diagnosis_sampling(P, plan.gradients, plan.gradient);
  uint64_t K = clamp(plan.gradients, 1, p);
  bool whole = problem->gradient || K + m >= p;
  /* under noise gradients are measured by central differences, along half as
   * many directions */
  uint64_t look = whole ? 2 * plan.gradient : slope * K + 2 * m + 1;
  if (problem->gradient || problem->slopes || problem->complex_value)
    look = whole ? plan.gradient : K + m;
  plan.checking = plan.held_out * look + lr_diagnosis_curvatures(P) * slope;
  if (study->trial_runs) {
    plan.trial_runs = plan.sampling * lr_diagnosis_trials(P, p);
    if (problem->gradient)
      plan.trial_runs = lr_diagnosis_trials_given(P, plan.gradients);
  }
  plan.probes = m;
  if (!problem->gradient) plan.exact_gradients = lr_diagnosis_exact(P, p);
  plan.total = plan.sampling + plan.checking + plan.trial_runs;
  if (options && options->max_evals != LRGD_UNSET &&
      plan.total > (uint64_t)options->max_evals)
    plan.total = (uint64_t)options->max_evals;
  return plan;
}

void lrgd_diagnosis_cost_sized(const lrgd_problem *problem,
                               const lrgd_options *options,
                               const lrgd_diagnosis_options *study,
                               lrgd_diagnosis_plan *plan, size_t size)
{
  lrgd_problem f;
  lrgd_options o = lrgd_options_default();
  lrgd_diagnosis_options want = lrgd_diagnosis_options_default();
  lrgd_diagnosis_plan made = {.struct_size = sizeof made};
  bool known = lr_problem_take(&f, problem, NULL) == LRGD_OK;
  if (options) known &= lr_sized_take(&o, sizeof o, options, "options", NULL);
  if (study) known &= lr_sized_take(&want, sizeof want, study, "study", NULL);
  if (known && f.dimension > 0) made = plan_of(&f, &o, &want);
  lr_sized_give(plan, size, &made, sizeof made);
}

/* ---- creation and destruction ---- */

void lrgd_diagnosis_destroy(lrgd_diagnosis **study)
{
  lrgd_diagnosis *s = study ? *study : NULL;
  if (!s) return;
  lrgd_allocator a = s->standalone.allocator;
  if (s->standalone.space) {
    s->standalone.space->ops->free(s->standalone.space, s->points);
    s->standalone.space->ops->free(s->standalone.space, s->samples.G);
    s->standalone.space->ops->free(s->standalone.space, s->samples.X);
  }
  lr_basis_clear(&s->samples.Q);
  lr_diagnosis_forget(s);
  lr_diagnosis_forget_known(s);
  lr_free(&a, s->samples.length);
  lr_free(&a, s->holdout.held);
  lr_free(&a, s->holdout.d);
  lr_standalone_oracle_clear(&s->standalone);
  lrgd_composite_destroy(&s->scaled);
  lr_free(&lr_malloc, s->given.start);
  lr_free(&lr_malloc, s->given.lower);
  lr_free(&lr_malloc, s->given.upper);
  lr_free(&lr_malloc, s);
  *study = NULL;
}

const lrgd_diagnosis_result *lrgd_diagnosis_get(const lrgd_diagnosis *study)
{
  return &study->result;
}

static double *copy_of(const double *numbers, size_t p)
{
  double *copy = lr_alloc(&lr_malloc, p, sizeof *copy);
  if (copy && numbers) memcpy(copy, numbers, p * sizeof *copy);
  return copy;
}

/* Whether the bounds tell the scale of an input.  In a wider box a quartic f
 * overflows at the corners: such bounds hold, but samples are drawn around the
 * start. */
static bool has_scale(double lower, double upper)
{
  const double widest = 1e75;
  return lower < upper && 0.5 * upper - 0.5 * lower < widest;
}

/* Copies the problem with its bounds, and the start, clipped to them. */
static lrgd_status take(lrgd_diagnosis *s, const lrgd_problem *problem,
                        const double *x0)
{
  size_t p = s->p = problem->dimension;
  s->given.problem = *problem;
  s->given.start = copy_of(x0, p);
  if (problem->lower)
    s->given.problem.lower = s->given.lower = copy_of(problem->lower, p);
  if (problem->upper)
    s->given.problem.upper = s->given.upper = copy_of(problem->upper, p);
  if (!s->given.start || (problem->lower && !s->given.lower) ||
      (problem->upper && !s->given.upper))
    return LRGD_ERR_NOMEM;
  lr_diagnosis_remember(s);
  s->region.boxed = s->given.lower && s->given.upper;
  for (size_t i = 0; i < p; i++) {
    if (s->given.lower)
      s->given.start[i] = fmax(s->given.start[i], s->given.lower[i]);
    if (s->given.upper)
      s->given.start[i] = fmin(s->given.start[i], s->given.upper[i]);
    s->region.boxed =
        s->region.boxed && has_scale(s->given.lower[i], s->given.upper[i]);
  }
  return LRGD_OK;
}

/* x = middle + half y: the box sets the units, so that an input in metres
 * counts as much as one in millimetres. */
static lrgd_status scale(lrgd_diagnosis *s, lrgd_error *error)
{
  if (!s->region.boxed) return LRGD_OK;
  lrgd_change *changes = lr_alloc(&lr_malloc, s->p, sizeof *changes);
  if (!changes) return LRGD_ERR_NOMEM;
  for (size_t i = 0; i < s->p; i++) {
    changes[i].shift = 0.5 * (s->given.lower[i] + s->given.upper[i]);
    changes[i].scale = 0.5 * (s->given.upper[i] - s->given.lower[i]);
  }
  lrgd_part f = {&s->given.problem, s->p};
  lrgd_status status = lrgd_composite_change(&s->scaled, f, changes, error);
  lr_free(&lr_malloc, changes);
  return status;
}

/* Sets the centre to the start, in scaled inputs. */
static void stand(lrgd_diagnosis *s)
{
  s->centre.x = (lrgd_vec){s->points, LR_CENTRE};
  s->x0 = lr_standalone_oracle_data(s->points, LR_CENTRE);
  for (size_t i = 0; i < s->p; i++) {
    double low = s->region.boxed ? s->given.lower[i] : 0,
           high = s->region.boxed ? s->given.upper[i] : 0;
    s->x0[i] = s->region.boxed ? (s->given.start[i] - 0.5 * (low + high)) /
                                     (0.5 * (high - low))
                               : s->given.start[i];
  }
  lr_oracle_rename(&s->standalone.oracle, &s->centre);
  s->region.radius = s->want.radius *
                     lr_oracle_scale(&s->standalone.oracle, &s->centre) *
                     sqrt((double)s->p);
}

static lrgd_status build(lrgd_diagnosis *s, const lrgd_options *options,
                         lrgd_error *error)
{
  lrgd_options o = lrgd_options_default();
  if (options && !lr_sized_take(&o, sizeof o, options, "options", error))
    return LRGD_ERR_INVALID;
  s->given.noise = o.noise;
  /* unset: the noise is to be estimated */
  o.noise = o.noise > 0 ? o.noise : LRGD_UNSET_REAL;
  lrgd_status status = lr_standalone_oracle_init(
      &s->standalone, lr_diagnosis_asked(s), &o, error);
  if (status != LRGD_OK) return status;
  s->plan = plan_of(&s->given.problem, &s->standalone.options, &s->want);
  s->samples.most = s->plan.gradients;
  lrgd_space *space = s->standalone.space;
  s->points = space->ops->make(space, LR_POINTS);
  s->samples.G = space->ops->make(space, s->samples.most);
  s->samples.X = space->ops->make(space, s->samples.most);
  s->samples.length = lr_alloc(&s->standalone.allocator, s->samples.most,
                               3 * sizeof *s->samples.length);
  if (s->samples.length) {
    s->samples.share = s->samples.length + s->samples.most;
    s->samples.tilt = s->samples.share + s->samples.most;
  }
  s->samples.patience = lr_diagnosis_clean(s->standalone.oracle.policy);
  if (!s->points || !s->samples.G || !s->samples.X || !s->samples.length)
    return LRGD_ERR_NOMEM;
  status = lr_basis_init(&s->samples.Q, space, &s->standalone.allocator,
                         8 < s->p ? 8 : s->p);
  if (status == LRGD_OK) stand(s);
  return status;
}

static lrgd_status check(const lrgd_problem *problem, const double *x0,
                         const lrgd_diagnosis_options *want, lrgd_error *error)
{
  if (!x0 || problem->dimension == 0)
    return lr_fail(error, LRGD_ERR_INVALID, "a study needs a problem and x0");
  if (!(want->radius > 0) || !(want->eta > 0) || !(want->confidence > 0) ||
      !(want->confidence < 1))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "study options: radius %g and eta %g must be > 0, "
                   "confidence %g between 0 and 1",
                   want->radius, want->eta, want->confidence);
  for (size_t i = 0; i < problem->dimension; i++)
    if (!lr_finite(x0[i]))
      return lr_fail(error, LRGD_ERR_INVALID,
                     "coordinate %zu of the start is %g", i, x0[i]);
  return LRGD_OK;
}

/* ---- the sequence ---- */

/* Whether values repeat at one point: noise may be rounding of printed digits,
 * and then a run that is repeated is the same run. */
static lr_code ask_again(lrgd_diagnosis *s)
{
  lr_point again = s->centre;
  lr_oracle_rename(&s->standalone.oracle, &again);
  LR_TRY(lr_oracle_value(&s->standalone.oracle, &again, LRGD_PURPOSE_CHECK));
  s->repeats = again.f == s->centre.f;
  return LR_GO;
}

/* Evaluates f at the start, and estimates the noise. */
static lr_code begin(lrgd_diagnosis *s)
{
  lr_oracle *o = &s->standalone.oracle;
  LR_TRY(lr_oracle_value(o, &s->centre, LRGD_PURPOSE_CHECK));
  s->lowest = s->highest = s->centre.f;
  lr_code code = lr_oracle_find_noise(o, &s->centre);
  s->result.noise = o->differences.noise;
  s->repeats = true;
  if (code == LR_GO && o->differences.noise > 0) code = ask_again(s);
  s->memory.again = s->repeats;
  if (code == LR_GO || code == LR_NOVALUE) LR_TRY(lr_diagnosis_verify(s));
  return code == LR_NOVALUE ? LR_GO : code;
}

/* The median gradient norm of the samples. */
static double typical(const lrgd_diagnosis *s)
{
  double middle = 0;
  for (size_t i = 0; i < s->samples.n; i++) {
    size_t below = 0, above = 0;
    for (size_t j = 0; j < s->samples.n; j++) {
      below += s->samples.share[j] < s->samples.share[i];
      above += s->samples.share[j] > s->samples.share[i];
    }
    if (2 * below <= s->samples.n && 2 * above <= s->samples.n)
      middle = s->samples.share[i];
  }
  return middle;
}

/* Samples gradients, then takes held-out points. */
static lr_code look(lrgd_diagnosis *s)
{
  lr_code code = lr_diagnosis_sample_known(s);
  if (code == LR_GO) code = lr_diagnosis_sample(s);
  if (code == LR_FAULT) return code;
  s->result.tolerance = typical(s);
  lrgd_status status = lr_diagnosis_spectrum(s);
  if (status != LRGD_OK)
    return lr_oracle_fault(&s->standalone.oracle, status,
                           "spectrum of %zu samples: %s", s->samples.n,
                           lrgd_status_text(status));
  if (code == LR_GO && s->spectrum.U.k > 0) code = lr_diagnosis_hold_out(s);
  lr_diagnosis_unsuit(s);
  return code;
}

/* All evaluations of the diagnosis; where the budget ends, what is known so far
 * is kept. */
static lr_code ask(lrgd_diagnosis *s)
{
  LR_TRY(begin(s));
  lr_code code = look(s);
  bool soon =
      s->samples.clean >= lr_diagnosis_clean(s->standalone.oracle.policy) &&
      s->samples.n < s->samples.most && !lr_diagnosis_all_inside(s);
  if (code == LR_GO && soon) {
    s->samples.patience =
        lr_diagnosis_patience(s->standalone.oracle.policy, s->samples.Q.k);
    s->samples.clean = 0;
    code = look(s);
  }
  if (code == LR_FAULT) return code;
  if (lr_diagnosis_quantiles(s) != LRGD_OK)
    return lr_oracle_fault(&s->standalone.oracle, LRGD_ERR_NOMEM,
                           "out of memory");
  lr_diagnosis_decide(s);
  if (lr_diagnosis_pick(s) != LRGD_OK)
    return lr_oracle_fault(&s->standalone.oracle, LRGD_ERR_NOMEM,
                           "out of memory");
  lr_diagnosis_certify(s);
  if (code == LR_GO) code = lr_diagnosis_invariance(s);
  if (code == LR_GO) code = lr_diagnosis_constants(s);
  if (code == LR_GO) code = lr_diagnosis_mu_seen(s);
  return code == LR_NOVALUE ? LR_GO : code;
}

lrgd_status lrgd_diagnosis_run(lrgd_diagnosis *study, lrgd_error *error)
{
  lrgd_diagnosis *s = study;
  if (!s || s->ran)
    return lr_fail(error, LRGD_ERR_INVALID, "a study is run once");
  s->ran = true;
  lrgd_diagnosis_result *res = &s->result;
  res->L = res->mu = res->Delta0 = res->grad_norm = NAN;
  res->sigma_r = res->least_sample = res->invariance = NAN;
  res->mu_seen = res->delta = NAN;
  res->local_sigma = res->local_M = res->local_lasts = NAN;
  for (int i = 0; i < LRGD_PREDICTED_COUNT; i++) {
    res->predicted_calls[i] = res->calls_floor[i] = NAN;
    res->predicted_evaluations[i] = res->evaluations_floor[i] = NAN;
    res->predicted_outcome[i] = LRGD_OUTCOME_BUDGET;
  }
  lr_code code = ask(s);
  if (code == LR_FAULT) {
    if (error) *error = s->standalone.oracle.ending.error;
    return s->standalone.oracle.ending.error.status;
  }
  res->outcome = code == LR_END       ? s->standalone.oracle.ending.outcome
                 : code == LR_NOVALUE ? LRGD_OUTCOME_FAILED
                                      : LRGD_OUTCOME_CONVERGED;
  res->samples = s->samples.n;
  res->counts = s->standalone.oracle.counts;
  res->evaluations = lrgd_counts_evaluations(&res->counts);
  res->failures = res->counts.failures;
  if (s->want.trial_runs && res->outcome == LRGD_OUTCOME_CONVERGED) {
    lrgd_status status = lr_diagnosis_try_methods(s, error);
    if (status != LRGD_OK) return status;
    if (atomic_load(&s->standalone.stop) != 0)
      res->outcome = LRGD_OUTCOME_STOPPED;
  }
  lr_cost_extrapolation_close(s);
  lr_diagnosis_verdict(s);
  return LRGD_OK;
}

void lrgd_diagnosis_stop(lrgd_diagnosis *study)
{
  if (study) atomic_store(&study->standalone.stop, 1);
}

lrgd_status lrgd_diagnosis_open(lrgd_diagnosis **study,
                                const lrgd_problem *problem,
                                const lrgd_options *options,
                                const lrgd_diagnosis_options *study_options,
                                const double *x0, lrgd_error *error)
{
  lrgd_problem own = {0};
  lrgd_diagnosis_options want = lrgd_diagnosis_options_default();
  if (!study) return lr_fail(error, LRGD_ERR_INVALID, "study is NULL");
  *study = NULL;
  if (problem && lr_problem_take(&own, problem, error) != LRGD_OK)
    return LRGD_ERR_INVALID;
  if (study_options &&
      !lr_sized_take(&want, sizeof want, study_options, "study options", error))
    return LRGD_ERR_INVALID;
  lrgd_status status = check(&own, x0, &want, error);
  if (status != LRGD_OK) return status;
  lrgd_diagnosis *s = lr_alloc(&lr_malloc, 1, sizeof *s);
  if (!s) return lr_fail(error, LRGD_ERR_NOMEM, "out of memory for a study");
  s->standalone.allocator = lr_malloc;
  s->want = want;
  s->result.struct_size = sizeof s->result;
  status = take(s, &own, x0);
  if (status == LRGD_OK) status = scale(s, error);
  if (status == LRGD_OK) status = build(s, options, error);
  if (status == LRGD_ERR_NOMEM)
    (void)lr_fail(error, status, "out of memory for a study of %zu inputs",
                  s->p);
  if (status == LRGD_OK)
    *study = s;
  else
    lrgd_diagnosis_destroy(&s);
  return status;
}

lrgd_status lrgd_diagnosis_create(lrgd_diagnosis **study,
                                  const lrgd_problem *problem,
                                  const lrgd_options *options,
                                  const lrgd_diagnosis_options *study_options,
                                  const double *x0, lrgd_error *error)
{
  lrgd_status status =
      lrgd_diagnosis_open(study, problem, options, study_options, x0, error);
  if (status == LRGD_OK) status = lrgd_diagnosis_run(*study, error);
  if (status != LRGD_OK && study) lrgd_diagnosis_destroy(study);
  return status;
}

/* ---- query ---- */

int lrgd_diagnosis_is_boxed(const lrgd_diagnosis *study)
{
  return study && study->region.boxed;
}

lrgd_status lrgd_diagnosis_directions(const lrgd_diagnosis *study, size_t r,
                                      double *U)
{
  if (!study || !U || r > study->spectrum.U.k) return LRGD_ERR_INVALID;
  for (size_t j = 0; j < r; j++)
    memcpy(U + j * study->p,
           lr_standalone_oracle_data(study->spectrum.U.block, j),
           study->p * sizeof *U);
  return LRGD_OK;
}

int lrgd_diagnosis_point(const lrgd_diagnosis *study, size_t i, double *f,
                         double coordinates[2])
{
  if (!study || i >= study->result.held_out) return 0;
  *f = study->holdout.held[i].f;
  coordinates[0] = study->holdout.held[i].active[0];
  coordinates[1] = study->holdout.held[i].active[1];
  return 1;
}
