/* What each method would cost, by rehearsal.
 *
 * The gradients of a function of rank r lie in H, so gradient descent,
 * Algorithms 1-3 and quasi-Newton all move inside x0 + H: run on the reduced
 * function sigma of r variables they take the very same steps, at r + 1
 * evaluations a gradient instead of p + 1.  What a run on f would pay is then
 * known: gradients at p calls each, slopes in the subspace at one.
 * A function of few inputs, or one that is not exactly low-rank, is rehearsed
 * as it is.  A rehearsal that is cut off by its budget is continued where its
 * own numbers tell how (forecast.c); else only what was seen is told.  What a
 * rehearsal says of a run is decided in earnest.c. */
#include "analysis/cost_extrapolation.h"
#include "analysis/descent_estimate.h"
#include "analysis/diagnosis_state.h"
#include "analysis/forecast.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/options.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"gd",       "lrgd", "iterated",
                                    "adaptive", "auto", "lbfgs"};

const char *lrgd_predicted_text(lrgd_predicted which)
{
  return which < LRGD_PREDICTED_COUNT ? names[which] : "";
}

/* Up to FEW inputs methods are rehearsed on f itself. */
enum { REMEMBERED = 4096, FEW = 40 };

/* A gradient outside H below this share of the tolerance never matters. */
static const double negligible = 0.5;

typedef struct rehearsal {
  lrgd_diagnosis *s;
  const lrgd_problem *problem;
  const double *start;
  double *x;            /* room for a start */
  double *minimum;      /* the best that a method which arrived has found ... */
  double f_minimum;     /* ... and its value; NaN: none */
  double *log_g;        /* log |grad f| after each iteration ... */
  double *f;            /* ... f ... */
  double *paid;         /* ... and the evaluations so far */
  size_t seen;          /* how many of them */
  bool whole_only;      /* nothing is rehearsed on a reduced function */
  bool reduced;         /* this one is: x = start + U z */
  double *U;            /* p x r, in the inputs as given */
  bool strayed;         /* outside the bounds of f, on the way ... */
  lrgd_counts before;   /* ... and what was paid before that */
  double off;           /* |grad f| outside H at the start; Inf: not known */
  lrgd_composite *twin; /* the reduced function in other coordinates */
  uint64_t left;        /* evaluations */
  lrgd_solver *solver;  /* the one that runs */
} rehearsal;

/* Whether the reduced point z lies outside the bounds of f, where sigma is
 * that of the nearest point inside. */
static bool outside(const rehearsal *h, const double *z)
{
  const lrgd_diagnosis *s = h->s;
  size_t p = s->p, r = s->result.recommended_rank;
  if (!h->reduced || !z || (!s->given.lower && !s->given.upper)) return false;
  for (size_t i = 0; i < p; i++) {
    double x = s->given.start[i];
    for (size_t j = 0; j < r; j++) x += h->U[j * p + i] * z[j];
    double slack = 1e-9 * fmax(1, fabs(x));
    if (s->given.lower && x < s->given.lower[i] - slack) return true;
    if (s->given.upper && x > s->given.upper[i] + slack) return true;
  }
  return false;
}

static void watch(const lrgd_progress *news, void *user)
{
  rehearsal *h = user;
  if (atomic_load(&h->s->rig.stop) != 0) lrgd_solver_stop(h->solver);
  h->strayed = h->strayed || outside(h, news->x);
  if (h->strayed)
    lrgd_solver_stop(h->solver); /* what follows is of another function */
  else
    h->before = *news->counts;
  if (news->event != LRGD_EVENT_ITERATION || h->seen >= REMEMBERED) return;
  if (!(news->grad_norm > 0)) return;
  h->f[h->seen] = news->f;
  h->paid[h->seen] = (double)lrgd_counts_evaluations(news->counts);
  h->log_g[h->seen++] = lr_log(news->grad_norm);
}

/* The log |grad f| at which a run ends. */
static double target_of(const rehearsal *h, const lrgd_options *o)
{
  if (lr_given(o->epsilon) && lr_given(o->mu))
    return 0.5 * lr_log(2 * o->mu * o->epsilon);
  if (lr_given(o->tol)) return lr_log(o->tol);
  return h->seen > 0 ? h->log_g[0] + lr_log(1e-6) : NAN;
}

/* What a run that has stopped falling will spend until the solver gives up: as
 * much an iteration as in the last ones seen. */
static double spent_still(const rehearsal *h, double iterations)
{
  enum { LAST = 10 };
  if (h->seen <= LAST) return 0;
  double rate = (h->paid[h->seen - 1] - h->paid[h->seen - 1 - LAST]) / LAST;
  return rate * (iterations - (double)h->seen);
}

/* How many times longer the whole run is than what was seen of it, and how it
 * will end; NaN: unknown.  A run that was cut off while it fell may end soon or
 * a hundred times later, whatever law its fall has kept to so far; one that has
 * stopped falling ends when the solver's patience does. */
static double stretch(const rehearsal *h, const lrgd_options *o,
                      lrgd_outcome *outcome, double *still)
{
  if (*outcome != LRGD_OUTCOME_BUDGET && *outcome != LRGD_OUTCOME_STOPPED)
    return 1;
  bool stopped = *outcome == LRGD_OUTCOME_STOPPED; /* it tells nothing */
  lr_track track = {h->seen, h->f};
  *outcome = LRGD_OUTCOME_BUDGET;
  double iterations = lr_forecast_stall(&track, (size_t)o->stall_iterations);
  /* auto stands still in one of its phases and falls in the next */
  bool phases = o->method == LRGD_METHOD_AUTO;
  if (stopped || phases || h->reduced || isnan(iterations)) return NAN;
  *outcome = LRGD_OUTCOME_STALLED;
  *still = spent_still(h, iterations);
  return iterations / (double)h->seen;
}

static lrgd_options options_for(const rehearsal *h, lrgd_predicted which)
{
  static const lrgd_method methods[] = {
      LRGD_METHOD_GD,       LRGD_METHOD_LRGD, LRGD_METHOD_ITERATED,
      LRGD_METHOD_ADAPTIVE, LRGD_METHOD_AUTO, LRGD_METHOD_GD};
  const lrgd_diagnosis *s = h->s;
  lrgd_options o = s->rig.options;
  size_t r = s->result.recommended_rank;
  o.method = methods[which];
  o.rank = LRGD_UNSET;
  if (which == LRGD_PREDICTED_LRGD || which == LRGD_PREDICTED_ITERATED)
    o.rank = (int64_t)(r > 0 ? r : 1);
  if (which == LRGD_PREDICTED_LBFGS) o.step = LRGD_STEP_BFGS;
  o.noise = s->given.noise;    /* what a run would be told */
  if (lr_given(o.max_seconds)) /* not zero: ended() was asked before */
    o.max_seconds =
        fmax(o.max_seconds - lr_oracle_seconds(&s->rig.oracle), 1e-3);
  o.max_iterations = REMEMBERED;
  o.target = LRGD_UNSET_REAL;
  o.progress = watch;
  return o;
}

/* Gradient descent was cut off.  Its own numbers are not believed, as it starts
 * fast and ends slowly; the curvature at the minimum is, where it can be had
 * and agrees with them. */
static void foresee(rehearsal *h, lr_trial_run *told, double f)
{
  lrgd_diagnosis_result *res = &h->s->result;
  double tol = lr_exp(told->target);
  bool inside = h->off <= negligible * tol;
  uint64_t cost = lr_descent_estimate_cost(h->s, inside);
  lr_asked asked = {0};
  if (told->outcome == LRGD_OUTCOME_STALLED) return;
  told->longer = NAN;
  told->outcome = LRGD_OUTCOME_BUDGET;
  if (h->seen == 0 || isnan(h->f_minimum) || cost == 0 || cost > h->left ||
      cost > lr_diagnosis_budget(h->s))
    return;
  lr_outlook look = {.problem = h->problem,
                     .inside = inside,
                     .minimum = h->minimum,
                     .from = h->x,
                     .fall = f - h->f_minimum,
                     .log_g = h->log_g[h->seen - 1],
                     .tol = tol};
  double seen = (double)h->seen,
         more = lr_descent_estimate_ahead(h->s, &look, &asked);
  h->left -= asked.all;
  res->evaluations += asked.all;
  res->failures += asked.failed;
  if (isnan(more)) return;
  told->longer = (seen + more) / seen;
  told->outcome = LRGD_OUTCOME_CONVERGED;
}

static lrgd_status solve(rehearsal *h, const lrgd_options *o,
                         lrgd_result *result, lrgd_error *error)
{
  lrgd_status status = lrgd_solver_create(&h->solver, h->problem, o, error);
  if (status == LRGD_OK)
    status = lrgd_solver_solve(h->solver, h->x, h->x, result, error);
  (void)lrgd_solver_destroy(&h->solver);
  return status;
}

/* The ball around the minimum that holds the way from the start. */
static void note_delta(const rehearsal *h)
{
  const lrgd_diagnosis *s = h->s;
  double away = 0;
  for (size_t i = 0; i < s->p; i++)
    away = lr_hypot(away, h->minimum[i] - s->given.start[i]);
  h->s->result.delta = away;
}

/* One rehearsal, from the start, of at most so many evaluations. */
static lrgd_status perform(rehearsal *h, lrgd_predicted which, uint64_t share,
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
  h->seen = 0;
  h->strayed = false;
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
  return 2 * a <= 3 * b && 2 * b <= 3 * a;
}

/* On f the differences are taken along other directions than on sigma, and
 * where a path depends on their last digits it is another one.  So a rehearsal
 * on sigma is done twice, in coordinates that are turned: does it end alike? */
static lrgd_status again(rehearsal *h, lr_trial_run *told, lrgd_error *error)
{
  const lrgd_problem *first = h->problem;
  uint64_t paid = lrgd_counts_evaluations(&told->counts);
  lrgd_options o;
  lrgd_result result;
  told->twin = LR_TWIN_NONE;
  if (!h->twin || 2 * paid > h->left || 2 * paid > lr_diagnosis_budget(h->s))
    return LRGD_OK;
  h->problem = lrgd_composite_problem(h->twin);
  lrgd_status status = perform(h, told->which, 2 * paid, &o, &result, error);
  h->problem = first;
  if (status != LRGD_OK) return status;
  bool same = result.outcome == told->outcome && !h->strayed &&
              alike(paid, lrgd_counts_evaluations(&result.counts)) &&
              alike(lrgd_counts_oracle_calls(&told->counts),
                    lrgd_counts_oracle_calls(&result.counts));
  told->twin = same ? LR_TWIN_ALIKE : LR_TWIN_OTHER;
  return LRGD_OK;
}

/* The lowest end of a method that arrived is the minimum, as far as seen. */
static void note_minimum(rehearsal *h, const lrgd_result *result)
{
  if (result->outcome != LRGD_OUTCOME_CONVERGED || h->f_minimum <= result->f)
    return;
  h->f_minimum = result->f;
  for (size_t i = 0; i < h->problem->dimension; i++) h->minimum[i] = h->x[i];
  if (h->whole_only && !h->s->region.boxed) note_delta(h);
}

/* Whether what was rehearsed on sigma, or cut off, tells of a run on f. */
static lrgd_status judge(rehearsal *h, lr_trial_run *told, bool cut, double f,
                         lrgd_error *error)
{
  /* under noise H is off by more than that, and so is every run's */
  told->outside = h->reduced && !(h->s->result.noise > 0) &&
                  !(h->off <= negligible * lr_exp(told->target));
  if (cut && told->which == LRGD_PREDICTED_GD) foresee(h, told, f);
  /* (plain descent is no leaper: where it goes does not hang on digits) */
  else if (h->reduced && !cut && !told->strayed && !told->outside &&
           told->which != LRGD_PREDICTED_GD)
    return again(h, told, error);
  return LRGD_OK;
}

static lrgd_status rehearse(rehearsal *h, lrgd_predicted which, uint64_t share,
                            lrgd_error *error)
{
  lrgd_options o;
  lrgd_result result;
  lrgd_error refused = {.text = ""};
  lrgd_status status = perform(h, which, share, &o, &result, &refused);
  if (status == LRGD_ERR_INVALID) { /* it cannot be run so */
    lr_cost_extrapolation_unknown(h->s, which, "it cannot be run: %.120s",
                                  refused.text);
    return LRGD_OK;
  }
  if (status != LRGD_OK) {
    if (error) *error = refused;
    return status;
  }
  lr_trial_run told = {.which = which,
                       .counts = h->strayed ? h->before : result.counts,
                       .outcome = result.outcome,
                       .reduced = h->reduced,
                       .strayed = h->strayed,
                       .target = target_of(h, &o),
                       .f = result.f};
  bool cut = result.outcome == LRGD_OUTCOME_BUDGET ||
             result.outcome == LRGD_OUTCOME_STOPPED;
  if (which != LRGD_PREDICTED_AUTO || h->whole_only) note_minimum(h, &result);
  told.longer = stretch(h, &o, &told.outcome, &told.still);
  status = judge(h, &told, cut, result.f, error);
  lr_cost_extrapolation_note(h->s, &told);
  return status;
}

/* Was it stopped, or is a budget spent? */
static bool ended(const lrgd_diagnosis *s)
{
  double most = s->rig.options.max_seconds;
  return atomic_load(&s->rig.stop) != 0 || lr_diagnosis_budget(s) == 0 ||
         (lr_given(most) && lr_oracle_seconds(&s->rig.oracle) >= most);
}

/* All of them: those that cannot be continued first, each with at most half
 * of what is left, gradient descent with the rest. */
static lrgd_status rehearse_all(rehearsal *h, lrgd_error *error)
{
  static const lrgd_predicted order[] = {
      LRGD_PREDICTED_AUTO,  LRGD_PREDICTED_LRGD,     LRGD_PREDICTED_ADAPTIVE,
      LRGD_PREDICTED_LBFGS, LRGD_PREDICTED_ITERATED, LRGD_PREDICTED_GD};
  const rehearsal reduced = *h;
  lrgd_status status = LRGD_OK;
  for (size_t i = 0; i < LRGD_PREDICTED_COUNT && status == LRGD_OK; i++) {
    bool whole = order[i] == LRGD_PREDICTED_AUTO; /* it does not stay in H */
    h->problem = whole ? &h->s->given.problem : reduced.problem;
    h->start = whole ? h->s->given.start : reduced.start;
    h->reduced = !whole && reduced.reduced;
    uint64_t kept = lr_descent_estimate_cost(h->s, h->off < INFINITY);
    uint64_t share = h->left / 2;
    if (order[i] == LRGD_PREDICTED_GD && kept <= h->left / 2)
      share = h->left - kept;
    if (share == 0 || ended(h->s)) continue;
    status = rehearse(h, order[i], share, error);
  }
  return status;
}

/* What may be spent: the plan's, and where f is exactly low-rank so much that
 * it costs at most 5 r gradients in all.  Where the samples alone took more, as
 * the rank was hard to see, a quarter of that again: it would be a pity to know
 * the rank and not what it is good for.  Known samples buy no rehearsals. */
static uint64_t allowance(const lrgd_diagnosis *s)
{
  const lrgd_diagnosis_result *res = &s->result;
  uint64_t paid = s->samples.n - s->memory.gradients;
  uint64_t n = s->p > 100 ? 4 * paid : paid > 10 ? 6 * paid : 60;
  if (s->p <= FEW && n < s->plan.gradients) n = s->plan.gradients;
  uint64_t left = n * s->plan.gradient;
  uint64_t r = res->recommended_rank;
  uint64_t most = s->plan.exact_gradients * r;
  if (most > 0 && res->exact_rank > 0 && res->exact_rank == r)
    left = most > s->samples.n
               ? (most - s->samples.n) * s->plan.gradient - (r + 1) * (r + 1)
               : (s->samples.n + 3) / 4 * s->plan.gradient;
  if (s->given.problem.gradient) left = 50 * s->plan.gradients;
  return left < s->plan.rehearsing ? left : s->plan.rehearsing;
}

/* The first r directions in the inputs as given: a box scales them, and a run
 * does not. */
static lrgd_status in_given_inputs(rehearsal *h, size_t r)
{
  const lrgd_diagnosis *s = h->s;
  lrgd_vec w = {s->points, LR_SPARE};
  double *column = lr_standalone_oracle_data(s->points, LR_SPARE);
  lr_basis V = {0};
  bool kept = true;
  h->U = lr_alloc(&s->rig.allocator, s->p * r, sizeof *h->U);
  if (!h->U) return LRGD_ERR_NOMEM;
  lrgd_status status = lr_basis_init(&V, s->rig.space, &s->rig.allocator, r);
  for (size_t j = 0; j < r && status == LRGD_OK && kept; j++) {
    const double *u = lr_standalone_oracle_data(s->spectrum.U.block, j);
    for (size_t i = 0; i < s->p; i++)
      column[i] = s->region.boxed
                      ? u[i] / (s->given.upper[i] - s->given.lower[i])
                      : u[i];
    status = lr_basis_append(&V, w, 1e-12, &kept);
  }
  if (status == LRGD_OK && kept)
    memcpy(h->U, lr_standalone_oracle_data(V.block, 0),
           s->p * r * sizeof *h->U);
  lr_basis_clear(&V);
  return status == LRGD_OK && !kept ? LRGD_ERR_NUMERIC : status;
}

/* sigma in coordinates that are turned: half of each direction comes from the
 * mirror image of all of them, along a vector that no direction is alone in. */
static lrgd_status turn(rehearsal *h, size_t r, lrgd_error *error)
{
  const lrgd_diagnosis *s = h->s;
  size_t p = s->p;
  double *V = lr_alloc(&s->rig.allocator, p * r, sizeof *V);
  if (!V) return lr_fail(error, LRGD_ERR_NOMEM, "out of memory for a twin");
  for (size_t j = 0; j < r; j++) /* V = U (I - 2 w w'), w_i = 1 / sqrt(r) */
    for (size_t i = 0; i < p; i++) {
      double sum = 0;
      for (size_t k = 0; k < r; k++) sum += h->U[k * p + i];
      V[j * p + i] = h->U[j * p + i] - 2 * sum / (double)r;
    }
  lrgd_status status = lrgd_composite_reduce(&h->twin, &s->given.problem,
                                             s->given.start, r, V, error);
  lr_free(&s->rig.allocator, V);
  return status;
}

/* All but auto are rehearsed on sigma. */
static lrgd_status reduce(rehearsal *h, lrgd_composite **sigma,
                          lrgd_error *error)
{
  const lrgd_diagnosis *s = h->s;
  size_t r = s->result.recommended_rank;
  lrgd_status status = in_given_inputs(h, r);
  if (status == LRGD_ERR_NUMERIC) return LRGD_OK; /* then on f itself */
  if (status != LRGD_OK)
    return lr_fail(error, status, "out of memory for %zu directions", r);
  status = lrgd_composite_reduce(sigma, &s->given.problem, s->given.start, r,
                                 h->U, error);
  if (status != LRGD_OK) return status;
  h->problem = lrgd_composite_problem(*sigma);
  h->start = NULL;
  h->whole_only = false;
  h->reduced = true;
  return turn(h, r, error);
}

/* Does f vary outside H?  Seen gradients tell that up to their error alone,
 * and the tolerance of a run is often less. */
static void look_outside(rehearsal *h)
{
  const lrgd_diagnosis *s = h->s;
  lrgd_diagnosis_result *res = &h->s->result;
  lr_asked asked = {0};
  const double *U =
      h->U ? h->U : lr_standalone_oracle_data(s->spectrum.U.block, 0);
  bool exact = res->low_rank && res->recommended_rank == res->exact_rank;
  enum { PRICE = 16 }; /* two values for each of eight probes */
  h->off = INFINITY;
  if (lr_diagnosis_budget(s) < PRICE || h->left < PRICE) return;
  if (!exact || (s->region.boxed && !h->U) ||
      res->recommended_rank > s->spectrum.U.k)
    return;
  h->off = lr_descent_estimate_outside(s, res->recommended_rank, U, &asked);
  h->left -= asked.all < h->left ? asked.all : h->left;
  res->evaluations += asked.all;
  res->failures += asked.failed;
}

lrgd_status lr_diagnosis_rehearse(lrgd_diagnosis *s, lrgd_error *error)
{
  rehearsal h = {.s = s, .left = allowance(s), .f_minimum = NAN};
  lrgd_composite *sigma = NULL;
  h.problem = &s->given.problem;
  h.start = s->given.start;
  h.whole_only = true;
  if (s->samples.n == 0 || s->spectrum.U.k == 0 || ended(s)) return LRGD_OK;
  lrgd_status status = lr_diagnosis_local(s, &h.left, error);
  if (status != LRGD_OK || h.left == 0) return status;
  bool exact = s->result.recommended_rank == s->result.exact_rank;
  if (s->p > FEW && s->result.low_rank && exact)
    status = reduce(&h, &sigma, error);
  h.x = lr_alloc(&s->rig.allocator, s->p, 2 * sizeof *h.x);
  if (h.x) h.minimum = h.x + s->p;
  h.log_g = lr_alloc(&s->rig.allocator, REMEMBERED, 3 * sizeof *h.log_g);
  if (h.log_g) {
    h.f = h.log_g + REMEMBERED;
    h.paid = h.f + REMEMBERED;
  }
  if (status == LRGD_OK) look_outside(&h);
  if (status == LRGD_OK)
    status = h.x && h.log_g ? rehearse_all(&h, error)
                            : lr_fail(error, LRGD_ERR_NOMEM,
                                      "out of memory for a rehearsal");
  lr_free(&s->rig.allocator, h.U);
  lr_free(&s->rig.allocator, h.x);
  lr_free(&s->rig.allocator, h.log_g);
  lrgd_composite_destroy(&sigma);
  lrgd_composite_destroy(&h.twin);
  return status;
}
