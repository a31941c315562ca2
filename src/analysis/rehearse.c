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
#include "analysis/earnest.h"
#include "analysis/forecast.h"
#include "analysis/outlook.h"
#include "analysis/study.h"
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

typedef struct rehearsal {
  lrgd_study *s;
  const lrgd_problem *problem;
  const double *start;
  double *x;           /* room for a start */
  double *minimum;     /* the best that a method which arrived has found ... */
  double f_minimum;    /* ... and its value; NaN: none */
  double *log_g;       /* log |grad f| after each iteration ... */
  double *f;           /* ... f ... */
  double *paid;        /* ... and the evaluations so far */
  size_t seen;         /* how many of them */
  bool whole_only;     /* nothing is rehearsed on a reduced function */
  bool reduced;        /* this one is: x = start + U z */
  double *U;           /* p x r, in the inputs as given */
  bool strayed;        /* outside the bounds of f, on the way */
  uint64_t left;       /* evaluations */
  lrgd_solver *solver; /* the one that runs */
} rehearsal;

/* Whether the reduced point z lies outside the bounds of f, where sigma is
 * that of the nearest point inside. */
static bool outside(const rehearsal *h, const double *z)
{
  const lrgd_study *s = h->s;
  size_t p = s->p, r = s->result.recommended_rank;
  if (!h->reduced || !z || (!s->lower && !s->upper)) return false;
  for (size_t i = 0; i < p; i++) {
    double x = s->start[i];
    for (size_t j = 0; j < r; j++) x += h->U[j * p + i] * z[j];
    double slack = 1e-9 * fmax(1, fabs(x));
    if (s->lower && x < s->lower[i] - slack) return true;
    if (s->upper && x > s->upper[i] + slack) return true;
  }
  return false;
}

static void watch(const lrgd_progress *news, void *user)
{
  rehearsal *h = user;
  if (atomic_load(&h->s->rig.stop) != 0) lrgd_solver_stop(h->solver);
  h->strayed = h->strayed || outside(h, news->x);
  if (news->event != LRGD_EVENT_ITERATION || h->seen >= REMEMBERED) return;
  if (!(news->grad_norm > 0)) return;
  h->f[h->seen] = news->f;
  h->paid[h->seen] = (double)lrgd_counts_evaluations(news->counts);
  h->log_g[h->seen++] = log(news->grad_norm);
}

/* The log |grad f| at which a run ends. */
static double target_of(const rehearsal *h, const lrgd_options *o)
{
  if (lr_given(o->epsilon) && lr_given(o->mu))
    return 0.5 * log(2 * o->mu * o->epsilon);
  if (lr_given(o->tol)) return log(o->tol);
  return h->seen > 0 ? h->log_g[0] + log(1e-6) : NAN;
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
 * will end; NaN: unknown. */
static double stretch(const rehearsal *h, const lrgd_options *o,
                      lrgd_outcome *outcome, double *still)
{
  /* with one step rule in one subspace a law holds for long; what learns on
   * its way ends faster than it went */
  bool steady = o->step != LRGD_STEP_BFGS &&
                (o->method == LRGD_METHOD_GD || o->method == LRGD_METHOD_LRGD);
  static const lrgd_outcome ends[] = {
      LRGD_OUTCOME_BUDGET, LRGD_OUTCOME_CONVERGED, LRGD_OUTCOME_STALLED};
  if (*outcome == LRGD_OUTCOME_STOPPED) { /* by the user: it tells nothing */
    *outcome = LRGD_OUTCOME_BUDGET;
    return NAN;
  }
  if (*outcome != LRGD_OUTCOME_BUDGET) return 1;
  lr_track track = {h->seen, h->log_g, h->f};
  lr_forecast told = lr_forecast_make(
      &track, target_of(h, o), (size_t)o->stall_iterations, steady ? 40 : 2);
  *outcome = ends[told.end];
  if (told.end == LR_END_STALLS) *still = spent_still(h, told.iterations);
  return told.iterations / (double)h->seen;
}

static lrgd_options options_for(const rehearsal *h, lrgd_predicted which)
{
  static const lrgd_method methods[] = {
      LRGD_METHOD_GD,       LRGD_METHOD_LRGD, LRGD_METHOD_ITERATED,
      LRGD_METHOD_ADAPTIVE, LRGD_METHOD_AUTO, LRGD_METHOD_GD};
  const lrgd_study *s = h->s;
  lrgd_options o = s->rig.options;
  size_t r = s->result.recommended_rank;
  o.method = methods[which];
  o.rank = LRGD_UNSET;
  if (which == LRGD_PREDICTED_LRGD || which == LRGD_PREDICTED_ITERATED)
    o.rank = (int64_t)(r > 0 ? r : 1);
  if (which == LRGD_PREDICTED_LBFGS) o.step = LRGD_STEP_BFGS;
  o.noise = s->noise;          /* what a run would be told */
  if (lr_given(o.max_seconds)) /* not zero: ended() was asked before */
    o.max_seconds =
        fmax(o.max_seconds - lr_oracle_seconds(&s->rig.oracle), 1e-3);
  o.max_iterations = REMEMBERED;
  o.target = LRGD_UNSET_REAL;
  o.progress = watch;
  return o;
}

/* What the user's budgets leave: they end rehearsals, and decide nothing else,
 * so that a study that goes on with more asks the same questions first. */
uint64_t lr_study_budget(const lrgd_study *s)
{
  int64_t most = s->rig.options.max_evals;
  uint64_t paid = s->result.evaluations;
  if (most == LRGD_UNSET) return UINT64_MAX >> 1;
  return (uint64_t)most > paid ? (uint64_t)most - paid : 0;
}

/* Gradient descent was cut off.  It starts fast and ends slowly, so its own
 * numbers are believed only where much of it was seen, and the curvature at
 * the minimum, where it can be had, before them. */
static void foresee(rehearsal *h, lr_rehearsed *told, double f)
{
  enum { MUCH = 100 };
  lrgd_study_result *res = &h->s->result;
  double tol = exp(told->target), seen = (double)h->seen, whole = NAN;
  double fall = f - h->f_minimum;
  uint64_t cost = lr_outlook_cost(h->s, h->reduced);
  lr_asked asked = {0};
  if (told->outcome == LRGD_OUTCOME_STALLED) return;
  if (h->seen == 0) { /* not one iteration to measure the rest by */
    told->longer = NAN;
    return;
  }
  if (!isnan(h->f_minimum) && cost <= h->left &&
      cost <= lr_study_budget(h->s)) {
    whole = h->reduced ? seen + lr_outlook_reduced(h->s, h->problem, h->minimum,
                                                   h->x, fall, tol, &asked)
                       : lr_outlook_whole(h->s, h->minimum, tol, &asked);
    h->left -= asked.all;
    res->evaluations += asked.all;
    res->failures += asked.failed;
  }
  if (!isnan(whole))
    told->longer = fmax(whole / seen, 1);
  else if (h->seen < MUCH)
    told->longer = NAN;
  if (!isnan(told->longer)) told->outcome = LRGD_OUTCOME_CONVERGED;
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
  const lrgd_study *s = h->s;
  double away = 0;
  for (size_t i = 0; i < s->p; i++)
    away = hypot(away, h->minimum[i] - s->start[i]);
  h->s->result.delta = away;
}

static lrgd_status rehearse(rehearsal *h, lrgd_predicted which, uint64_t share,
                            lrgd_error *error)
{
  lrgd_study_result *res = &h->s->result;
  uint64_t budget = lr_study_budget(h->s);
  lrgd_options o = options_for(h, which);
  lrgd_result result;
  size_t k = h->problem->dimension;
  for (size_t i = 0; i < k; i++) h->x[i] = h->start ? h->start[i] : 0;
  o.max_evals = (int64_t)(share < budget ? share : budget);
  o.progress_user = h;
  h->seen = 0;
  h->strayed = false;
  lrgd_error refused = {.text = ""};
  lrgd_status status = solve(h, &o, &result, &refused);
  if (status == LRGD_ERR_INVALID) { /* it cannot be run so */
    lr_earnest_unknown(h->s, which, "it cannot be run: %.120s", refused.text);
    return LRGD_OK;
  }
  if (status != LRGD_OK) {
    if (error) *error = refused;
    return status;
  }
  uint64_t used = lrgd_counts_evaluations(&result.counts);
  res->evaluations += used;
  res->failures += result.counts.failures;
  h->left -= used < h->left ? used : h->left;
  bool cut = result.outcome == LRGD_OUTCOME_BUDGET;
  lr_rehearsed told = {.which = which,
                       .counts = result.counts,
                       .outcome = result.outcome,
                       .reduced = h->reduced,
                       .strayed = h->strayed,
                       .target = target_of(h, &o)};
  told.longer = stretch(h, &o, &told.outcome, &told.still);
  if (cut && which == LRGD_PREDICTED_GD) foresee(h, &told, result.f);
  lr_earnest_note(h->s, &told);
  bool same = which != LRGD_PREDICTED_AUTO || h->whole_only;
  if (result.outcome == LRGD_OUTCOME_CONVERGED && !cut && same &&
      !(h->f_minimum <= result.f)) {
    h->f_minimum = result.f;
    for (size_t i = 0; i < k; i++) h->minimum[i] = h->x[i];
    if (h->whole_only && !h->s->boxed) note_delta(h);
  }
  return LRGD_OK;
}

/* Was it stopped, or is a budget spent? */
static bool ended(const lrgd_study *s)
{
  double most = s->rig.options.max_seconds;
  return atomic_load(&s->rig.stop) != 0 || lr_study_budget(s) == 0 ||
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
    h->problem = whole ? &h->s->problem : reduced.problem;
    h->start = whole ? h->s->start : reduced.start;
    h->reduced = !whole && reduced.reduced;
    uint64_t kept = lr_outlook_cost(h->s, !h->whole_only);
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
 * the rank and not what it is good for. */
static uint64_t allowance(const lrgd_study *s)
{
  const lrgd_study_result *res = &s->result;
  uint64_t n = s->p > 100 ? 4 * s->n : s->n > 10 ? 6 * s->n : 60;
  if (s->p <= FEW && n < s->plan.gradients) n = s->plan.gradients;
  uint64_t left = n * s->plan.gradient;
  uint64_t r = res->recommended_rank;
  uint64_t most = s->plan.exact_gradients * r;
  if (most > 0 && res->exact_rank > 0 && res->exact_rank == r)
    left = most > s->n ? (most - s->n) * s->plan.gradient - (r + 1) * (r + 1)
                       : (s->n + 3) / 4 * s->plan.gradient;
  if (s->problem.gradient) left = 50 * s->plan.gradients;
  return left < s->plan.rehearsing ? left : s->plan.rehearsing;
}

/* The first r directions in the inputs as given: a box scales them, and a run
 * does not. */
static lrgd_status in_given_inputs(rehearsal *h, size_t r)
{
  const lrgd_study *s = h->s;
  lrgd_vec w = {s->points, LR_SPARE};
  double *column = lr_rig_data(s->points, LR_SPARE);
  lr_basis V = {0};
  bool kept = true;
  h->U = lr_alloc(&s->rig.allocator, s->p * r, sizeof *h->U);
  if (!h->U) return LRGD_ERR_NOMEM;
  lrgd_status status = lr_basis_init(&V, s->rig.space, &s->rig.allocator, r);
  for (size_t j = 0; j < r && status == LRGD_OK && kept; j++) {
    const double *u = lr_rig_data(s->U.block, j);
    for (size_t i = 0; i < s->p; i++)
      column[i] = s->boxed ? u[i] / (s->upper[i] - s->lower[i]) : u[i];
    status = lr_basis_append(&V, w, 1e-12, &kept);
  }
  if (status == LRGD_OK && kept)
    memcpy(h->U, lr_rig_data(V.block, 0), s->p * r * sizeof *h->U);
  lr_basis_clear(&V);
  return status == LRGD_OK && !kept ? LRGD_ERR_NUMERIC : status;
}

/* All but auto are rehearsed on sigma. */
static lrgd_status reduce(rehearsal *h, lrgd_made **sigma, lrgd_error *error)
{
  const lrgd_study *s = h->s;
  size_t r = s->result.recommended_rank;
  lrgd_status status = in_given_inputs(h, r);
  if (status == LRGD_ERR_NUMERIC) return LRGD_OK; /* then on f itself */
  if (status != LRGD_OK)
    return lr_fail(error, status, "out of memory for %zu directions", r);
  status = lrgd_made_reduce(sigma, &s->problem, s->start, r, h->U, error);
  if (status != LRGD_OK) return status;
  h->problem = lrgd_made_problem(*sigma);
  h->start = NULL;
  h->whole_only = false;
  h->reduced = true;
  return LRGD_OK;
}

lrgd_status lr_study_rehearse(lrgd_study *s, lrgd_error *error)
{
  rehearsal h = {.s = s, .left = allowance(s), .f_minimum = NAN};
  lrgd_made *sigma = NULL;
  h.problem = &s->problem;
  h.start = s->start;
  h.whole_only = true;
  if (s->n == 0 || s->U.k == 0 || ended(s)) return LRGD_OK;
  lrgd_status status = lr_study_local(s, &h.left, error);
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
  if (status == LRGD_OK)
    status = h.x && h.log_g ? rehearse_all(&h, error)
                            : lr_fail(error, LRGD_ERR_NOMEM,
                                      "out of memory for a rehearsal");
  lr_free(&s->rig.allocator, h.U);
  lr_free(&s->rig.allocator, h.x);
  lr_free(&s->rig.allocator, h.log_g);
  lrgd_made_destroy(&sigma);
  return status;
}
