/* The iterate of a run, its gradients, and its moves.  This file knows no
 * method. */
#include "solver/iterate.h"

#include "base/finite.h"
#include "base/options.h"
#include "polytope/polytope_rules.h"
#include "solver/solver_rules.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- where the run stands ---- */

/* The column of points that holds neither the iterate nor the best point. */
static lrgd_vec free_column(const lr_run *run)
{
  size_t col = 0;
  while (col == run->at.x.col || col == run->record.best) col++;
  return (lrgd_vec){run->points, col};
}

/* Converts the options given in units of f into the unit of the run. */
static void rescaled(void *self)
{
  lr_run *run = self;
  lrgd_options *o = &run->options;
  double *like_f[] = {&o->tol,    &o->epsilon, &o->mu,
                      &o->target, &o->noise,   &o->stop_decrease};
  for (size_t i = 0; i < sizeof like_f / sizeof *like_f; i++)
    if (lr_given(*like_f[i]))
      *like_f[i] = lr_oracle_own(&run->oracle, *like_f[i]);
  if (lr_given(o->alpha)) o->alpha = lr_oracle_users(&run->oracle, o->alpha);
  lr_run_set_step(run);
  lr_run_forget_tolerance(run);
}

/* Records the decision that a number is a sentinel. */
static void tell_refusal(void *self, double number)
{
  lr_run *run = self;
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_SENTINEL,
                                     .value = lr_run_told(run, number)});
}

/* Replaces u by the direction from the iterate to the projection of x + u on
 * the polytope, along which a step is possible. */
static void confine_to_polytope(lr_run *run, lrgd_vec u)
{
  double *y = lrgd_host_data(u), *x = lrgd_host_data(run->at.x), norm = 0;
  size_t p = run->space->dimension;
  double size = lr_scale_of(run->space, run->at.x) * sqrt((double)p);
  double far = lr_polytope_far(run->policy, size);
  if (!run->space->ops->measure(run->space, u, &norm) || !(norm > 0)) return;
  for (size_t i = 0; i < p; i++) y[i] = x[i] + far / norm * y[i];
  (void)lr_polytope_project(run->polytope, y);
  for (size_t i = 0; i < p; i++) y[i] -= x[i];
}

/* u <- W W'u: projects a direction on the domain. */
static void confine(void *self, lrgd_vec u)
{
  lr_run *run = self;
  if (run->polytope) {
    confine_to_polytope(run, u);
    return;
  }
  lrgd_vec w = lr_run_work(run, LR_WORK_SEARCH);
  run->space->ops->copy(run->space, w, u, 1);
  lr_basis_project(&run->domain, w, run->domain.c);
  run->space->ops->scale(run->space, u, 0);
  lr_basis_expand(&run->domain, u, run->domain.c);
}

static lr_code halve(lr_run *run);

lr_code lr_run_start(lr_run *run, lrgd_vec x, atomic_int *stop)
{
  lr_oracle *o = &run->oracle;
  lr_oracle_restart(o, stop);
  lr_run_forget_fit(run);
  run->options = run->asked;
  lr_run_set_step(run);
  bool verbatim = run->options.verbatim; /* known evaluations are not used */
  bool knows = run->learned.known.n > 0;
  /* where outputs have limits, the lowest f may violate them */
  bool limits = lr_run_is_constrained(run);
  lr_oracle_listen(o, &(lr_oracle_listener){
                          .self = run,
                          .confine = run->domain.k > 0 ? confine : NULL,
                          .hear = limits ? NULL : lr_run_hear,
                          /* known evaluations are in the user's unit */
                          .rescaled = knows || limits ? NULL : rescaled,
                          .refused = tell_refusal,
                          .recall = knows && !verbatim ? lr_run_recall : NULL});
  lr_oracle_use_plane(o, run->polytope != NULL);
  lr_oracle_resolve(o, verbatim ? NULL : &run->goal.tol);
  if (verbatim) lr_oracle_believe_flat(o);
  lrgd_vec start = {run->points, 0};
  run->record.best = 0;
  run->record.best_f = run->record.start_f = run->progress.grad_norm =
      run->progress.sigma_r = NAN;
  run->record.lowest = run->record.heard_f = run->record.first_f = NAN;
  run->progress.fell = run->progress.stood = NAN;
  run->goal.first_slope = run->goal.least_tol = 0;
  run->goal.most_tol = run->goal.aim = INFINITY;
  run->progress.moves = run->progress.looked = run->progress.stalled =
      run->claim.checks = 0;
  run->moving.retreat = false;
  run->phase_count = 0;
  run->hidden.count = 0;
  run->noise_told = false;
  run->claim.certificate = (lrgd_certificate){0};
  run->moving.step.length = 0; /* runs of one solver are independent */
  lr_run_forget_tolerance(run);
  run->U.k = 0;
  run->progress.attempt = 0;
  run->shown = NULL;
  run->whole = false;
  run->space->ops->copy(run->space, start, x, 1);
  size_t moved = lr_oracle_boxed(&run->oracle)
                     ? run->space->ops->clip(run->space, start, o->box)
                     : 0;
  lr_run_stand_at(run, start, NAN);
  if (moved > 0)
    lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_START_CLIPPED,
                                       .count = moved});
  if (verbatim && run->learned.known.n > 0)
    lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_KNOWN_UNUSED,
                                       .count = run->learned.known.n});
  if (lr_run_begins_warm(run)) return lr_run_warm_start(run);
  if (lr_run_fits_residuals(run) || limits)
    return LR_GO; /* the two values show by themselves whether f decreases */
  lr_code code = lr_oracle_find_noise(o, &run->at);
  lr_run_tell_noise(run);
  return code == LR_NOVALUE ? halve(run) : code;
}

lr_code lr_run_sample(lr_run *run, uint64_t stream, double radius)
{
  lrgd_space *space = run->space;
  lrgd_vec y = run->trial.x = free_column(run);
  run->moving.placed_k = 0;
  double one = 1, scale = radius * lr_scale_of(space, run->at.x);
  space->ops->gaussian(space, y, run->oracle.seed, stream);
  space->ops->scale(space, y, scale);
  if (run->domain.k > 0 && !run->polytope) confine(run, y);
  space->ops->add(space, y, run->at.x, 1, &one);
  if (run->polytope)
    (void)lr_polytope_project(run->polytope, lrgd_host_data(y));
  if (lr_oracle_boxed(&run->oracle))
    (void)space->ops->clip(space, y, run->oracle.box);
  lr_oracle_rename(&run->oracle, &run->trial);
  return LR_GO;
}

/* ---- gradients and slopes ---- */

lr_code lr_run_gradient_at(lr_run *run, lr_point *at, lrgd_vec g,
                           lrgd_purpose why, double c, double *norm)
{
  lr_oracle *o = &run->oracle;
  const lr_basis *W = &run->domain;
  lr_oracle_begin_gradient(o);
  if (W->k == 0) {
    LR_TRY(lr_oracle_gradient(o, at, g, why, c));
  } else {
    LR_TRY(lr_run_reserve(run, W->k));
    LR_TRY(lr_oracle_slopes(o, at, lr_basis_column(W, 0), W->k, why,
                            run->moving.d));
    lr_oracle_is_whole_gradient(o, at);
    run->space->ops->scale(run->space, g, 0);
    lr_basis_expand(W, g, run->moving.d);
  }
  if (lr_oracle_boxed(&run->oracle))
    *norm = run->space->ops->free_norm(run->space, g, at->x, o->box);
  else
    (void)run->space->ops->measure(run->space, g, norm);
  return LR_GO;
}

/* Directional derivatives along U at the iterate, with the norm of the
 * (projected) gradient in U. */
static lr_code slopes_here(lr_run *run, const lr_basis *U, lrgd_purpose why,
                           double *norm)
{
  lrgd_vec g = lr_run_work(run, LR_WORK_SEARCH);
  lr_oracle *o = &run->oracle;
  LR_TRY(lr_oracle_slopes(o, &run->at, lr_basis_column(U, 0), U->k, why,
                          run->moving.d));
  *norm = lr_norm(U->k, run->moving.d);
  if (U == &run->domain) lr_oracle_is_whole_gradient(o, &run->at);
  if (!lr_oracle_boxed(&run->oracle)) return LR_GO;
  run->space->ops->scale(run->space, g, 0);
  lr_basis_expand(U, g, run->moving.d);
  *norm = run->space->ops->free_norm(run->space, g, run->at.x, o->box);
  return LR_GO;
}

static void place_trial(lr_run *run, const lr_basis *U, const double *z);
static void exchange(lr_run *run);

/* Replaces the last move by half of it. */
static lr_code halve(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  if (run->progress.moves == 0)
    return lr_oracle_end(
        o, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = lr_finite(run->at.f)
                                    ? LRGD_DECISION_KIND_START_SLOPES_FAILED
                                    : LRGD_DECISION_KIND_START_FAILED});
  if (!run->moving.retreat)
    return lr_oracle_end(
        o, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_GRADIENT_FAILED,
                        .count = run->progress.moves});
  const lr_basis *U = run->moving.moved_in;
  size_t k = U ? U->k : run->space->dimension;
  exchange(run);
  for (size_t j = 0; j < k; j++) run->moving.z[j] *= 0.5;
  place_trial(run, U, run->moving.z);
  exchange(run);
  lr_step_unpair(&run->moving.step);
  return LR_GO;
}

/* Measures the gradient (into g) or the derivatives along U (into
 * run->moving.d) at the iterate; where that fails, after half of the last move,
 * a quarter, ... */
static lr_code ask_here(lr_run *run, const lr_basis *U, lrgd_vec g,
                        lrgd_purpose why, double *norm)
{
  int halvings = 0;
  for (;; halvings++) {
    lr_code code = U ? slopes_here(run, U, why, norm)
                     : lr_run_gradient_at(run, &run->at, g, why, 0, norm);
    if (code != LR_NOVALUE) {
      LR_TRY(code);
      return lr_run_look(run, *norm);
    }
    if (!lr_solver_halves(run->policy, halvings)) break;
    LR_TRY(halve(run));
  }
  return lr_oracle_end(&run->oracle, LRGD_OUTCOME_FAILED,
                       (lrgd_decision){.kind = LRGD_DECISION_KIND_STEP_FAILED,
                                       .count = (uint64_t)halvings});
}

lr_code lr_run_gradient(lr_run *run, lrgd_vec g, lrgd_purpose why, double *norm)
{
  return ask_here(run, NULL, g, why, norm);
}

void lr_run_follow(lr_run *run, lrgd_vec g)
{
  lrgd_space *space = run->space;
  lrgd_vec y = free_column(run);
  double norm = 0, one = 1;
  if (!lr_oracle_boxed(&run->oracle) || !space->ops->measure(space, g, &norm) ||
      !(norm > 0))
    return;
  double s = lr_step_first(&run->moving.step, norm);
  run->moving.placed_k = 0;
  space->ops->axpy_into(space, y, run->at.x, g, -s);
  if (space->ops->clip(space, y, run->oracle.box) == 0) return;
  space->ops->copy(space, g, y, 1);
  space->ops->scale(space, g, -1);
  space->ops->add(space, g, run->at.x, 1, &one);
  space->ops->scale(space, g, 1 / s);
}

lr_code lr_run_slopes(lr_run *run, const lr_basis *U, lrgd_purpose why,
                      double *norm)
{
  if (!U && run->domain.k > 0) U = &run->domain;
  size_t p = run->space->dimension;
  LR_TRY(lr_run_reserve(run, U ? U->k : p));
  lrgd_vec g = lr_run_work(run, LR_WORK_SEARCH);
  LR_TRY(ask_here(run, U, g, why, norm));
  if (U) return LR_GO;
  lr_run_follow(run, g);
  run->space->ops->get(run->space, g, 0, p, run->moving.d);
  return LR_GO;
}

/* ---- moves of the iterate ---- */

/* y = x + U z, or x + z where U is NULL. */
static void displace(lr_run *run, const lr_basis *U, lrgd_vec y, lrgd_vec x,
                     const double *z)
{
  if (U) {
    lr_oracle_place(&run->oracle, y, x, lr_basis_column(U, 0), U->k, z);
    return;
  }
  double one = 1;
  lrgd_vec w = lr_run_work(run, LR_WORK_SEARCH);
  run->space->ops->put(run->space, w, 0, run->space->dimension, z);
  lr_oracle_place(&run->oracle, y, x, w, 1, &one);
}

/* Sets the trial to x + U z, clipped to the box. */
static void place_trial(lr_run *run, const lr_basis *U, const double *z)
{
  run->moving.placed_k = U ? U->k : run->space->dimension;
  memcpy(run->moving.placed, z, run->moving.placed_k * sizeof *z);
  run->trial.x = free_column(run);
  lr_oracle_rename(&run->oracle, &run->trial);
  displace(run, U, run->trial.x, run->at.x, z);
  run->moving.clipped =
      lr_oracle_boxed(&run->oracle) &&
      run->space->ops->clip(run->space, run->trial.x, run->oracle.box);
}

/* The restriction of f to x + span U, as a step rule sees it. */
typedef struct view {
  lr_run *run;
  const lr_basis *U;
} view;

static lr_code view_value(void *self, const double *z, double *f)
{
  view *v = self;
  place_trial(v->run, v->U, z);
  LR_TRY(lr_oracle_value(&v->run->oracle, &v->run->trial, LRGD_PURPOSE_SEARCH));
  *f = v->run->trial.f;
  return lr_run_record(v->run, &v->run->trial);
}

static lr_code view_slope(void *self, const double *u, double *d)
{
  view *v = self;
  lrgd_vec w = lr_run_work(v->run, LR_WORK_SEARCH);
  double two[2];
  if (v->U) {
    v->run->space->ops->scale(v->run->space, w, 0);
    lr_basis_expand(v->U, w, u);
  } else {
    v->run->space->ops->put(v->run->space, w, 0, v->run->space->dimension, u);
  }
  LR_TRY(lr_oracle_slopes(&v->run->oracle, &v->run->trial, w, 1,
                          LRGD_PURPOSE_SEARCH, two));
  *d = two[0];
  return LR_GO;
}

/* Swaps the trial and the iterate. */
static void exchange(lr_run *run)
{
  lr_point left = run->at;
  lr_run_stand(run, &run->trial);
  run->trial = left;
  run->moving.placed_k = 0;
}

/* Whether the trial is x + U z already. */
static bool is_placed(const lr_run *run, const double *z, size_t k)
{
  return run->moving.placed_k == k &&
         memcmp(run->moving.placed, z, k * sizeof *z) == 0;
}

/* Whether the limits allow another iteration. */
static lr_code another(lr_run *run)
{
  if (run->progress.moves < (uint64_t)run->options.max_iterations) return LR_GO;
  return lr_oracle_end(
      &run->oracle, LRGD_OUTCOME_BUDGET,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_ITERATIONS_USED,
                      .count = run->progress.moves});
}

/* As in the paper, T iterations cost T r slopes: the last point needs its value
 * only. */
static lr_code last_as_written(lr_run *run)
{
  if (run->progress.moves < (uint64_t)run->options.max_iterations) return LR_GO;
  lr_code code = lr_oracle_value(&run->oracle, &run->at, LRGD_PURPOSE_CHECK);
  if (code == LR_GO) code = lr_run_record(run, &run->at);
  if (code != LR_NOVALUE) LR_TRY(code);
  lr_run_tell(run, LRGD_EVENT_ITERATION);
  return another(run);
}

lr_code lr_run_arrived(lr_run *run)
{
  double from =
      isnan(run->progress.stood) ? run->record.start_f : run->progress.stood;
  run->progress.moves++;
  run->progress.fell = from - run->at.f;
  run->progress.stood = run->at.f;
  lr_run_tell(run, LRGD_EVENT_ITERATION);
  return lr_run_slow(run) ? lr_run_end_slow(run) : another(run);
}

lr_code lr_run_move(lr_run *run, const lr_basis *U)
{
  LR_TRY(another(run));
  if (!U && run->domain.k > 0) U = &run->domain;
  view v = {run, U};
  double fz, from = run->at.f;
  lr_restricted phi = {&v, run->oracle.differences.noise, view_value,
                       view_slope};
  LR_TRY(lr_step_take(&run->moving.step, &phi, run->at.f, run->moving.d,
                      run->moving.z, &fz));
  size_t k = U ? U->k : run->space->dimension;
  if (!is_placed(run, run->moving.z, k)) {
    place_trial(run, U, run->moving.z);
    run->trial.f = fz;
  }
  if (run->moving.clipped)
    lr_step_unpair(
        &run->moving
             .step); /* the secant pair is invalid: the move was not U z */
  exchange(run);
  run->moving.moved_in = U;
  run->moving.retreat = !run->options.verbatim;
  run->progress.moves++;
  LR_TRY(lr_run_measure_fall(run, from));
  return run->options.verbatim ? last_as_written(run) : LR_GO;
}

lr_code lr_run_leap(lr_run *run, const lr_basis *U)
{
  enum { LEAPS = 40 }; /* 16^40: 1e48 times as far */
  if (!U && run->domain.k > 0) U = &run->domain;
  size_t k = U ? U->k : run->space->dimension;
  view v = {run, U};
  double last = run->at.f, factor = lr_solver_farther(run->policy), f;
  for (int i = 0; i < LEAPS; i++) {
    for (size_t j = 0; j < k; j++) run->moving.z[j] *= factor;
    lr_code code = view_value(&v, run->moving.z, &f);
    if (code == LR_NOVALUE || (code == LR_GO && !(f < last))) break;
    LR_TRY(code);
    last = f;
  }
  return LR_GO;
}
