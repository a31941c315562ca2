/* The cost of each method, by trial runs.
 *
 * The gradients of a function of rank r lie in H, so that gradient descent,
 * Algorithms 1-3 and quasi-Newton all stay in x0 + H: on the reduced function
 * sigma of r variables they take the same steps, at r + 1 evaluations a
 * gradient instead of p + 1.  The cost of a run on f follows: p oracle calls
 * for a gradient, one for a slope in the subspace.  A function of few inputs,
 * or one without an exact low rank, is tried itself.  The cost of a trial run
 * that its budget cuts off is a lower bound; that of gradient descent follows
 * from the Hessian at the minimum, where another method found one.
 * cost_extrapolation.c decides what a trial run says of a run on f. */
#include "analysis/composed_problem.h"
#include "analysis/cost_extrapolation.h"
#include "analysis/descent_estimate.h"
#include "analysis/diagnosis_state.h"
#include "analysis/forecast.h"
#include "analysis/reduced_function.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"gd",       "lrgd", "iterated",
                                    "adaptive", "auto", "lbfgs"};

const char *lrgd_predicted_text(lrgd_predicted which)
{
  return which < LRGD_PREDICTED_COUNT ? names[which] : "";
}

/* The iterations of a trial run. */
typedef struct trace {
  double *log_g;     /* log |grad f| after each iteration */
  double *f;         /* f after each */
  double *paid;      /* evaluations up to each */
  size_t seen, room; /* iterations so far, and at most */
} trace;

typedef struct trials {
  lrgd_diagnosis *s;
  const lrgd_problem *problem;
  const double *start;
  double *x;        /* room for a start */
  double *minimum;  /* the lowest point at which a method converged */
  double f_minimum; /* f at that minimum; NaN: there is none */
  trace trace;
  bool whole_only;      /* no trial run uses the reduced function */
  bool reduced;         /* this trial run uses it: x = base + U z */
  double *U;            /* p x r, in the inputs as given */
  double *base;         /* p numbers, and the r of z at the start */
  bool strayed;         /* the trial run left the bounds of f */
  lrgd_counts before;   /* the counts before it left them */
  double off;           /* |grad f| outside H at the start; Inf: not known */
  bool looked;          /* whether the Hessian's diagonal was measured */
  double diagonal[2];   /* its norm along all inputs, and along any directions
                           of H; NaN: not known */
  lrgd_composite *twin; /* the reduced function in rotated coordinates */
  uint64_t left;        /* evaluations */
  lrgd_solver *solver;  /* the solver of the present trial run */
} trials;

/* Whether a point of the reduced function, of a step or of a line search, was
 * outside the bounds of f: a run on f projects it, along all of its inputs. */
static bool outside(const trials *h)
{
  const lrgd_composite *sigma = h->problem->user;
  return h->reduced && sigma->left;
}

static void watch(const lrgd_progress *news, void *user)
{
  trials *h = user;
  if (atomic_load(&h->s->standalone.stop) != 0) lrgd_solver_stop(h->solver);
  h->strayed = h->strayed || outside(h);
  if (h->strayed)
    lrgd_solver_stop(h->solver); /* the function is another one from here on */
  else
    h->before = *news->counts;
  if (news->event != LRGD_EVENT_ITERATION || h->trace.seen >= h->trace.room)
    return;
  if (!(news->grad_norm > 0)) return;
  h->trace.f[h->trace.seen] = news->f;
  h->trace.paid[h->trace.seen] = (double)lrgd_counts_evaluations(news->counts);
  h->trace.log_g[h->trace.seen++] = lr_log(news->grad_norm);
}

/* The log |grad f| at which a run ends. */
static double target_of(const trials *h, const lrgd_options *o)
{
  if (lr_given(o->epsilon) && lr_given(o->mu))
    return 0.5 * lr_log(2 * o->mu * o->epsilon);
  if (lr_given(o->tol)) return lr_log(o->tol);
  return h->trace.seen > 0 ? h->trace.log_g[0] +
                                 lr_log(lr_policy_current()->default_tolerance)
                           : NAN;
}

/* The ratio of all iterations to those seen; NaN: the run was cut off, and may
 * end soon or a hundred times later, whatever its rate so far. */
static double stretch(lrgd_outcome *outcome)
{
  if (*outcome != LRGD_OUTCOME_BUDGET && *outcome != LRGD_OUTCOME_STOPPED)
    return 1;
  *outcome = LRGD_OUTCOME_BUDGET;
  return NAN;
}

static lrgd_options options_for(const trials *h, lrgd_predicted which)
{
  static const lrgd_method methods[] = {
      LRGD_METHOD_GD,       LRGD_METHOD_LRGD, LRGD_METHOD_ITERATED,
      LRGD_METHOD_ADAPTIVE, LRGD_METHOD_AUTO, LRGD_METHOD_GD};
  const lrgd_diagnosis *s = h->s;
  lrgd_options o = s->standalone.options;
  size_t r = s->result.recommended_rank;
  o.method = methods[which];
  o.rank = LRGD_UNSET;
  if (which == LRGD_PREDICTED_LRGD || which == LRGD_PREDICTED_ITERATED)
    o.rank = (int64_t)(r > 0 ? r : 1);
  if (which == LRGD_PREDICTED_LBFGS) o.step = LRGD_STEP_BFGS;
  o.noise = s->given.noise; /* the noise that a run on f would be given */
  if (lr_given(
          o.max_seconds)) /* some time is left: ended() was checked before */
    o.max_seconds =
        fmax(o.max_seconds - lr_oracle_seconds(&s->standalone.oracle), 1e-3);
  o.max_iterations = lr_diagnosis_trial_longest(lr_policy_current());
  o.target = LRGD_UNSET_REAL;
  o.progress = watch;
  return o;
}

/* Gradient descent was cut off.  Its own rate is not extrapolated, as it starts
 * fast and ends slowly; the Hessian at the minimum gives an estimate, where it
 * is available and agrees with the values. */
static void estimate_descent(trials *h, lr_trial_run *told, double f)
{
  lrgd_diagnosis_result *res = &h->s->result;
  double tol = lr_exp(told->target);
  bool inside = lr_diagnosis_negligible(lr_policy_current(), h->off, tol);
  uint64_t cost = lr_descent_estimate_cost(h->s, inside);
  lr_asked asked = {0};
  if (told->stands || h->trace.seen == 0 || isnan(h->f_minimum) || cost == 0 ||
      cost > h->left || cost > lr_diagnosis_budget(h->s))
    return;
  lr_descent_start look = {.problem = h->problem,
                           .inside = inside,
                           .minimum = h->minimum,
                           .from = h->x,
                           .fall = f - h->f_minimum,
                           .log_g = h->trace.log_g[h->trace.seen - 1],
                           .tol = tol,
                           .U = h->U};
  double seen = (double)h->trace.seen,
         more = lr_descent_estimate_ahead(h->s, &look, &asked);
  h->left -= asked.all;
  res->evaluations += asked.all;
  res->failures += asked.failed;
  if (!lr_diagnosis_tells_cost(lr_policy_current(), seen + more)) return;
  told->longer = (seen + more) / seen;
  told->outcome = LRGD_OUTCOME_CONVERGED;
  told->diagonal = look.diagonal;
}

static lrgd_status solve(trials *h, const lrgd_options *o, lrgd_result *result,
                         lrgd_error *error)
{
  lrgd_status status = lrgd_solver_create(&h->solver, h->problem, o, error);
  if (status == LRGD_OK)
    status = lrgd_solver_solve(h->solver, h->x, h->x, result, error);
  (void)lrgd_solver_destroy(&h->solver);
  return status;
}

/* The radius of the ball around the minimum that contains the path. */
static void note_delta(const trials *h)
{
  const lrgd_diagnosis *s = h->s;
  double away = 0;
  for (size_t i = 0; i < s->p; i++)
    away = lr_hypot(away, h->minimum[i] - s->given.start[i]);
  h->s->result.delta = away;
}

/* One trial run from the start, with at most so many evaluations. */
static lrgd_status perform(trials *h, lrgd_predicted which, uint64_t share,
                           lrgd_options *o, lrgd_result *result,
                           lrgd_error *error)
{
  lrgd_diagnosis_result *res = &h->s->result;
  uint64_t budget = lr_diagnosis_budget(h->s);
  size_t k = h->problem->dimension;
  *o = options_for(h, which);
  for (size_t i = 0; i < k; i++) h->x[i] = h->start ? h->start[i] : 0;
  o->max_evals = (int64_t)(share < budget ? share : budget);
  o->progress_user = h;
  h->trace.seen = 0;
  h->strayed = false;
  if (h->reduced) ((lrgd_composite *)h->problem->user)->left = false;
  h->before = (lrgd_counts){0};
  lrgd_status status = solve(h, o, result, error);
  if (status != LRGD_OK) return status;
  uint64_t used = lrgd_counts_evaluations(&result->counts);
  res->evaluations += used;
  res->failures += result->counts.failures;
  h->left -= used < h->left ? used : h->left;
  return LRGD_OK;
}

static bool alike(uint64_t a, uint64_t b)
{
  return lr_diagnosis_alike(lr_policy_current(), a, b);
}

/* On f differences are taken along other directions than on sigma, and a path
 * that depends on their last digits is another one.  So a trial run on sigma is
 * repeated in rotated coordinates: do both end alike? */
static lrgd_status again(trials *h, lr_trial_run *told, lrgd_error *error)
{
  const lrgd_problem *first = h->problem;
  uint64_t paid = lrgd_counts_evaluations(&told->counts);
  lrgd_options o;
  lrgd_result result;
  told->twin = LR_TWIN_NONE;
  uint64_t most = lr_diagnosis_twin_longest(lr_policy_current(), paid);
  if (!h->twin || most > h->left || most > lr_diagnosis_budget(h->s))
    return LRGD_OK;
  h->problem = lrgd_composite_problem(h->twin);
  lrgd_status status = perform(h, told->which, most, &o, &result, error);
  h->problem = first;
  if (status != LRGD_OK) return status;
  bool same = result.outcome == told->outcome && !h->strayed &&
              alike(paid, lrgd_counts_evaluations(&result.counts)) &&
              alike(lrgd_counts_oracle_calls(&told->counts),
                    lrgd_counts_oracle_calls(&result.counts));
  told->twin = same ? LR_TWIN_ALIKE : LR_TWIN_OTHER;
  return LRGD_OK;
}

/* Keeps the lowest point at which a method converged. */
static void note_minimum(trials *h, const lrgd_result *result)
{
  if (result->outcome != LRGD_OUTCOME_CONVERGED || h->f_minimum <= result->f)
    return;
  h->f_minimum = result->f;
  for (size_t i = 0; i < h->problem->dimension; i++) h->minimum[i] = h->x[i];
  if (h->whole_only && !h->s->region.boxed) note_delta(h);
}

/* Measures the Hessian's diagonal once, in r variables. */
static void look_at_diagonal(trials *h)
{
  const lrgd_diagnosis *s = h->s;
  uint64_t cost = lr_descent_estimate_cost(s, true);
  lr_asked asked = {0};
  if (h->looked || isnan(h->f_minimum)) return;
  if (cost == 0 || cost > h->left || cost > lr_diagnosis_budget(s)) return;
  lr_descent_estimate_diagonal(s, h->problem, h->U, h->minimum, h->diagonal,
                               &asked);
  h->looked = true;
  h->left -= asked.all;
  h->s->result.evaluations += asked.all;
  h->s->result.failures += asked.failed;
}

/* One-sided differences have a truncation error, half a step times the diagonal
 * of the Hessian, which is another one on f: gradient descent and L-BFGS take
 * them along p inputs, and Algorithms 1 to 3 along other directions of H. */
static double diagonal(trials *h, lrgd_predicted which)
{
  const lrgd_problem *f = &h->s->given.problem;
  bool whole = which == LRGD_PREDICTED_GD || which == LRGD_PREDICTED_LBFGS;
  bool inside = which == LRGD_PREDICTED_LRGD ||
                which == LRGD_PREDICTED_ITERATED ||
                which == LRGD_PREDICTED_ADAPTIVE;
  if (!h->reduced || !(whole || inside) || f->gradient || f->slopes) return NAN;
  look_at_diagonal(h);
  return h->diagonal[inside];
}

/* Whether a trial run on sigma, or one that was cut off, is evidence for a run
 * on f. */
static lrgd_status judge(trials *h, lr_trial_run *told, bool cut, double f,
                         lrgd_error *error)
{
  /* under noise H has a larger error, in trial runs as in runs on f */
  told->outside = h->reduced && !(h->s->result.noise > 0) &&
                  !lr_diagnosis_negligible(lr_policy_current(), h->off,
                                           lr_exp(told->target));
  if (cut && told->which == LRGD_PREDICTED_GD) estimate_descent(h, told, f);
  /* gradient descent needs no second run in rotated coordinates: its path
   * hardly depends on the last digits */
  else if (h->reduced && !cut && !told->strayed && !told->outside &&
           told->which != LRGD_PREDICTED_GD)
    return again(h, told, error);
  return LRGD_OK;
}

/* Whether a trial run that stalled may have had no evaluations left for the
 * gradients that a run measures at its end: up to so many, two-sided, each of
 * them over two step lengths. */
static bool cannot_close(const trials *h, const lrgd_options *o,
                         const lrgd_result *result)
{
  double gradient =
      h->problem->gradient ? 2 : 4 * (double)h->problem->dimension;
  double most = lr_policy_current()->close_looks * gradient;
  return result->outcome == LRGD_OUTCOME_STALLED &&
         (double)o->max_evals -
                 (double)lrgd_counts_evaluations(&result->counts) <
             most;
}

static lrgd_status try_method(trials *h, lrgd_predicted which, uint64_t share,
                              lrgd_error *error)
{
  lrgd_options o;
  lrgd_result result;
  lrgd_error refused = {.text = ""};
  lrgd_status status = perform(h, which, share, &o, &result, &refused);
  if (status ==
      LRGD_ERR_INVALID) { /* the method does not allow these options */
    lr_cost_extrapolation_unknown(h->s, which, "it cannot be run: %.120s",
                                  refused.text);
    return LRGD_OK;
  }
  if (status != LRGD_OK) {
    if (error) *error = refused;
    return status;
  }
  lr_track track = {h->trace.seen, h->trace.f};
  lr_trial_run told = {.which = which,
                       .counts = h->strayed ? h->before : result.counts,
                       .outcome = result.outcome,
                       .reduced = h->reduced,
                       .strayed = h->strayed,
                       .stands = lr_forecast_stands(&track),
                       .target = target_of(h, &o),
                       .f = result.f,
                       .diagonal = NAN};
  if (cannot_close(h, &o, &result)) told.outcome = LRGD_OUTCOME_BUDGET;
  bool cut = told.outcome == LRGD_OUTCOME_BUDGET ||
             told.outcome == LRGD_OUTCOME_STOPPED;
  if (which != LRGD_PREDICTED_AUTO || h->whole_only) note_minimum(h, &result);
  told.longer = stretch(&told.outcome);
  status = judge(h, &told, cut, result.f, error);
  if (isnan(told.diagonal)) told.diagonal = diagonal(h, which);
  lr_cost_extrapolation_note(h->s, &told);
  return status;
}

/* Whether the user stopped the diagnosis, or a budget is spent. */
static bool ended(const lrgd_diagnosis *s)
{
  double most = s->standalone.options.max_seconds;
  return atomic_load(&s->standalone.stop) != 0 || lr_diagnosis_budget(s) == 0 ||
         (lr_given(most) && lr_oracle_seconds(&s->standalone.oracle) >= most);
}

/* All trial runs: first the methods that cannot be extrapolated, each with at
 * most half of what is left, then gradient descent with the rest. */
static lrgd_status run_all_trials(trials *h, lrgd_error *error)
{
  static const lrgd_predicted order[] = {
      LRGD_PREDICTED_AUTO,  LRGD_PREDICTED_LRGD,     LRGD_PREDICTED_ADAPTIVE,
      LRGD_PREDICTED_LBFGS, LRGD_PREDICTED_ITERATED, LRGD_PREDICTED_GD};
  const trials reduced = *h;
  lrgd_status status = LRGD_OK;
  for (size_t i = 0; i < LRGD_PREDICTED_COUNT && status == LRGD_OK; i++) {
    bool whole = order[i] == LRGD_PREDICTED_AUTO; /* auto leaves H */
    h->problem = whole ? &h->s->given.problem : reduced.problem;
    h->start = whole ? h->s->given.start : reduced.start;
    h->reduced = !whole && reduced.reduced;
    uint64_t kept = lr_descent_estimate_cost(h->s, h->off < INFINITY);
    uint64_t share = lr_diagnosis_trial_share(lr_policy_current(), h->left);
    if (order[i] == LRGD_PREDICTED_GD && kept <= share) share = h->left - kept;
    if (share == 0 || ended(h->s)) continue;
    status = try_method(h, order[i], share, error);
  }
  return status;
}

/* Evaluations for trial runs: those of the plan, or, where f has an exact low
 * rank, so many that all cost at most 5 r gradients.  Where sampling took more
 * than that, because the rank was hard to determine, a quarter of the sampling
 * again: otherwise the rank would be known and its use would not.
 * Known samples buy no trial runs. */
static uint64_t allowance(const lrgd_diagnosis *s)
{
  const lrgd_diagnosis_result *res = &s->result;
  uint64_t paid = s->samples.n - s->memory.gradients;
  const lr_policy *P = s->standalone.oracle.policy;
  uint64_t n = lr_diagnosis_trials_after(P, s->p, paid);
  if (lr_diagnosis_runs_whole(P, s->p) && n < s->plan.gradients)
    n = s->plan.gradients;
  uint64_t left = n * s->plan.gradient;
  uint64_t r = res->recommended_rank;
  uint64_t most = s->plan.exact_gradients * r;
  if (most > 0 && res->exact_rank > 0 && res->exact_rank == r)
    left = most > s->samples.n
               ? (most - s->samples.n) * s->plan.gradient - (r + 1) * (r + 1)
               : lr_diagnosis_trials_late(P, s->samples.n) * s->plan.gradient;
  if (s->given.problem.gradient)
    left = lr_diagnosis_trials_given(P, s->plan.gradients);
  return left < s->plan.trial_runs ? left : s->plan.trial_runs;
}

/* Makes the reduced function for all methods but auto. */
static lrgd_status reduce(trials *h, lrgd_composite **sigma, lrgd_error *error)
{
  const lrgd_diagnosis *s = h->s;
  size_t r = s->result.recommended_rank;
  lrgd_status status = lr_reduced_directions(s, r, &h->U);
  if (status == LRGD_ERR_NUMERIC)
    return LRGD_OK; /* then trial runs are made on f itself */
  h->base = lr_alloc(&s->standalone.allocator, s->p + r, sizeof *h->base);
  if (status != LRGD_OK || !h->base)
    return lr_fail(error, LRGD_ERR_NOMEM, "out of memory for %zu directions",
                   r);
  status = lr_reduced_twin(s, r, h->U, h->base, &h->twin, error);
  if (status == LRGD_OK)
    status = lr_reduced_function(s, r, h->U, h->base, sigma, error);
  if (status != LRGD_OK) return status;
  h->problem = lrgd_composite_problem(*sigma);
  h->start = h->base + s->p;
  h->whole_only = false;
  h->reduced = true;
  return LRGD_OK;
}

/* Whether f varies outside H. The sampled gradients show this up to their
 * errors only, and the tolerance of a run is often smaller. */
static void look_outside(trials *h)
{
  const lrgd_diagnosis *s = h->s;
  lrgd_diagnosis_result *res = &h->s->result;
  lr_asked asked = {0};
  const double *U =
      h->U ? h->U : lr_standalone_oracle_data(s->spectrum.U.block, 0);
  bool exact = res->low_rank && res->recommended_rank == res->exact_rank;
  uint64_t price = /* a central difference for each probe */
      2 * lr_diagnosis_outside_probes(s->standalone.oracle.policy);
  h->off = INFINITY;
  if (lr_diagnosis_budget(s) < price || h->left < price) return;
  if (!exact || (s->region.boxed && !h->U) ||
      res->recommended_rank > s->spectrum.U.k)
    return;
  h->off = lr_descent_estimate_outside(s, res->recommended_rank, U, &asked);
  h->left -= asked.all < h->left ? asked.all : h->left;
  res->evaluations += asked.all;
  res->failures += asked.failed;
}

lrgd_status lr_diagnosis_try_methods(lrgd_diagnosis *s, lrgd_error *error)
{
  trials h = {
      .s = s, .left = allowance(s), .f_minimum = NAN, .diagonal = {NAN, NAN}
  };
  lrgd_composite *sigma = NULL;
  h.problem = &s->given.problem;
  h.start = s->given.start;
  h.whole_only = true;
  if (s->samples.n == 0 || s->spectrum.U.k == 0 || ended(s)) return LRGD_OK;
  lrgd_status status = lr_diagnosis_local(s, &h.left, error);
  if (status != LRGD_OK || h.left == 0) return status;
  bool exact = s->result.recommended_rank == s->result.exact_rank;
  bool whole = lr_diagnosis_runs_whole(s->standalone.oracle.policy, s->p);
  if (!whole && s->result.low_rank && exact) status = reduce(&h, &sigma, error);
  h.x = lr_alloc(&s->standalone.allocator, s->p, 2 * sizeof *h.x);
  if (h.x) h.minimum = h.x + s->p;
  h.trace.room =
      (size_t)lr_diagnosis_trial_longest(s->standalone.oracle.policy);
  h.trace.log_g = lr_alloc(&s->standalone.allocator, h.trace.room,
                           3 * sizeof *h.trace.log_g);
  if (h.trace.log_g) {
    h.trace.f = h.trace.log_g + h.trace.room;
    h.trace.paid = h.trace.f + h.trace.room;
  }
  if (status == LRGD_OK) look_outside(&h);
  if (status == LRGD_OK)
    status = h.x && h.trace.log_g
                 ? run_all_trials(&h, error)
                 : lr_fail(error, LRGD_ERR_NOMEM, "out of memory for a trials");
  lr_free(&s->standalone.allocator, h.U);
  lr_free(&s->standalone.allocator, h.base);
  lr_free(&s->standalone.allocator, h.x);
  lr_free(&s->standalone.allocator, h.trace.log_g);
  lrgd_composite_destroy(&sigma);
  lrgd_composite_destroy(&h.twin);
  return status;
}
