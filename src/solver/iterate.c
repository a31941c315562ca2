/* The state of a run and the few verbs that methods are written in.
 * Known here: points, gradients, moves.  Not known: algorithms. */
#include "solver/iterate.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/options.h"
#include "polytope/polytope_method.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- life ---- */

static const lr_step_ops *step_of(const lrgd_options *o)
{
  const lr_step_ops *told = lr_step_of((lrgd_step)o->step);
  if (told) return told;
  if (lr_given(o->alpha)) return &lr_step_fixed;
  return o->method == LRGD_METHOD_GD ? &lr_step_backtracking : &lr_step_bfgs;
}

static lr_step_given step_given(const lrgd_options *o)
{
  return (lr_step_given){.alpha = lr_given(o->alpha) ? o->alpha : 0,
                         .momentum = lr_given(o->momentum) ? o->momentum : 0,
                         .mu = lr_given(o->mu) ? o->mu : 0};
}

/* Columns to make room for at once: the rank where it is known, else what most
 * runs need (growing means a copy of all of them; memory that is not touched
 * costs nothing). */
static size_t first_capacity(const lr_run *run)
{
  size_t p = run->space->dimension, r = 16;
  if (run->options.rank != LRGD_UNSET) r = (size_t)run->options.rank;
  return r < p ? r : p;
}

lrgd_status lr_run_init(lr_run *run, lrgd_space *space,
                        const lr_answers *answers, const lrgd_options *options,
                        const lrgd_allocator *a)
{
  *run = (lr_run){.asked = *options,
                  .options = *options,
                  .policy = lr_policy_current(),
                  .allocator = *a,
                  .space = space};
  run->points = space->ops->make(space, LR_RUN_POINTS);
  run->work = space->ops->make(space, LR_WORK_COLUMNS);
  run->phases = lr_alloc(a, LR_PHASES, sizeof *run->phases);
  if (!run->points || !run->work || !run->phases) return LRGD_ERR_NOMEM;
  lr_step_given given = step_given(options);
  lr_step_init(&run->step, step_of(options), &given, a);
  lrgd_status status = lr_basis_init(&run->line, space, a, 1);
  if (status == LRGD_OK)
    status = lr_basis_init(&run->U, space, a, first_capacity(run));
  if (status != LRGD_OK) return status;
  return lr_oracle_init(&run->oracle, space, answers, &run->options, a);
}

void lr_run_clear(lr_run *run)
{
  if (!run->space) return;
  run->space->ops->free(run->space, run->points);
  run->space->ops->free(run->space, run->work);
  if (run->samples) run->space->ops->free(run->space, run->samples);
  lr_free(&run->allocator, run->phases);
  lr_free(&run->allocator, run->d);
  lr_basis_clear(&run->U);
  lr_basis_clear(&run->line);
  lr_basis_clear(&run->domain);
  lr_step_clear(&run->step);
  lr_known_clear(&run->known);
  lr_oracle_clear(&run->oracle);
  *run = (lr_run){0};
}

lr_code lr_run_reserve(lr_run *run, size_t k)
{
  if (k <= run->room) return LR_GO;
  double *three = lr_alloc(&run->allocator, k + 1, 3 * sizeof *three);
  if (!three)
    return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu directions", k);
  if (run->room > 0) {
    memcpy(three, run->d, run->room * sizeof *three);
    memcpy(three + k + 1, run->z, run->room * sizeof *three);
  }
  run->placed_k = 0;
  lr_free(&run->allocator, run->d);
  run->d = three;
  run->z = three + k + 1;
  run->placed = three + 2 * (k + 1);
  run->room = k;
  return LR_GO;
}

lrgd_vec lr_run_work(const lr_run *run, int which)
{
  return (lrgd_vec){run->work, (size_t)which};
}

size_t lr_run_dimension(const lr_run *run)
{
  return run->domain.k > 0 ? run->domain.k : run->space->dimension;
}

size_t lr_run_most_directions(const lr_run *run)
{
  size_t most = lr_run_dimension(run);
  if (run->options.rank == LRGD_UNSET) return most;
  return (size_t)run->options.rank < most ? (size_t)run->options.rank : most;
}

size_t lr_run_rank(const lr_run *run)
{
  size_t k = run->shown ? run->shown->k : run->U.k;
  return k > 0 ? k : lr_run_dimension(run);
}

/* ---- where the run stands ---- */

/* The column that is neither the present point nor the best. */
static lrgd_vec free_column(const lr_run *run)
{
  size_t col = 0;
  while (col == run->at.x.col || col == run->best) col++;
  return (lrgd_vec){run->points, col};
}

/* A value was asked for, wherever.  Until anything is known of f, the first
 * is the best so far. */
static void hear(void *self, lrgd_vec x, double f)
{
  lr_run *run = self;
  if (isnan(run->first_f)) run->first_f = f;
  if (!(run->heard_f <= f)) {
    run->heard_f = f;
    run->space->ops->copy(run->space, (lrgd_vec){run->points, LR_RUN_HEARD}, x,
                          1);
  }
  if (!isnan(run->best_f)) return;
  run->best = run->at.x.block == run->points && run->at.x.col == 1 ? 2 : 1;
  run->best_f = f;
  run->space->ops->copy(run->space, (lrgd_vec){run->points, run->best}, x, 1);
}

/* What the user gave, into the unit of the run. */
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
  run->step.given = step_given(o);
  lr_run_forget_tolerance(run);
}

/* A number is no value from now on: a decision like others. */
static void tell_refusal(void *self, double number)
{
  lr_run *run = self;
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_SENTINEL,
                                     .value = lr_run_told(run, number)});
}

/* u <- W W'u: what the domain allows of a direction. */
static void confine(void *self, lrgd_vec u)
{
  lr_run *run = self;
  if (run->polytope) {
    lr_confined_direction(run, u);
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
  run->options = run->asked;
  run->step.given = step_given(&run->options);
  /* what is known beforehand is in the user's unit */
  o->rescaled = run->known.n > 0 ? NULL : rescaled;
  o->confine = run->domain.k > 0 ? confine : NULL;
  o->plane = run->polytope != NULL;
  o->hear = hear;
  o->refused = tell_refusal;
  bool verbatim = run->options.verbatim; /* nothing is known beforehand */
  o->recall = run->known.n > 0 && !verbatim ? lr_run_recall : NULL;
  o->self = run;
  o->tol = verbatim ? NULL : &run->tol;
  o->doubted = verbatim; /* and flat values are not looked into */
  run->at.x = (lrgd_vec){run->points, 0};
  run->best = 0;
  run->best_f = run->start_f = run->grad_norm = run->sigma_r = NAN;
  run->lowest = run->heard_f = run->first_f = NAN;
  run->fell = run->stood = NAN;
  run->first_slope = 0;
  run->most_tol = run->aim = INFINITY;
  run->moves = run->looked = run->stalled = run->checks = 0;
  run->retreat = false;
  run->phase_count = 0;
  run->hidden.count = 0;
  run->noise_told = false;
  run->certificate = (lrgd_certificate){0};
  run->step.length = 0; /* a run learns nothing from the one before it */
  lr_run_forget_tolerance(run);
  run->U.k = 0;
  run->attempt = 0;
  run->shown = NULL;
  run->space->ops->copy(run->space, run->at.x, x, 1);
  size_t moved = lr_oracle_boxed(&run->oracle)
                     ? run->space->ops->clip(run->space, run->at.x, o->box)
                     : 0;
  lr_oracle_rename(o, &run->at);
  if (moved > 0)
    lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_START_CLIPPED,
                                       .count = moved});
  if (verbatim && run->known.n > 0)
    lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_KNOWN_UNUSED,
                                       .count = run->known.n});
  if (lr_run_begins_warm(run)) return lr_run_warm_start(run);
  lr_code code = lr_oracle_find_noise(o, &run->at);
  lr_run_tell_noise(run);
  return code == LR_NOVALUE ? halve(run) : code;
}

lr_code lr_run_sample(lr_run *run, uint64_t stream, double radius)
{
  lrgd_space *space = run->space;
  lrgd_vec y = run->trial.x = free_column(run);
  run->placed_k = 0;
  double one = 1, scale = radius * lr_scale_of(space, run->at.x);
  space->ops->gaussian(space, y, (uint64_t)run->options.seed, stream);
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
  o->incomplete = false;
  if (W->k == 0) {
    LR_TRY(lr_oracle_gradient(o, at, g, why, c));
  } else {
    LR_TRY(lr_run_reserve(run, W->k));
    LR_TRY(lr_oracle_slopes(o, at, lr_basis_column(W, 0), W->k, why, run->d));
    o->errors.id = at->id; /* that is all of it */
    run->space->ops->scale(run->space, g, 0);
    lr_basis_expand(W, g, run->d);
  }
  if (lr_oracle_boxed(&run->oracle))
    *norm = run->space->ops->free_norm(run->space, g, at->x, o->box);
  else
    (void)run->space->ops->measure(run->space, g, norm);
  return LR_GO;
}

/* Slopes along U at the present point, with the norm that counts. */
static lr_code slopes_here(lr_run *run, const lr_basis *U, lrgd_purpose why,
                           double *norm)
{
  lrgd_vec g = lr_run_work(run, LR_WORK_SEARCH);
  lr_oracle *o = &run->oracle;
  LR_TRY(
      lr_oracle_slopes(o, &run->at, lr_basis_column(U, 0), U->k, why, run->d));
  *norm = lr_norm(U->k, run->d);
  if (U == &run->domain) o->errors.id = run->at.id;
  if (!lr_oracle_boxed(&run->oracle)) return LR_GO;
  run->space->ops->scale(run->space, g, 0);
  lr_basis_expand(U, g, run->d);
  *norm = run->space->ops->free_norm(run->space, g, run->at.x, o->box);
  return LR_GO;
}

static void place_trial(lr_run *run, const lr_basis *U, const double *z);
static void exchange(lr_run *run);

/* Half of the last move instead of it. */
static lr_code halve(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  if (run->moves == 0)
    return lr_oracle_end(
        o, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = lr_finite(run->at.f)
                                    ? LRGD_DECISION_KIND_START_SLOPES_FAILED
                                    : LRGD_DECISION_KIND_START_FAILED});
  if (!run->retreat)
    return lr_oracle_end(
        o, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_GRADIENT_FAILED,
                        .count = run->moves});
  const lr_basis *U = run->moved_in;
  size_t k = U ? U->k : run->space->dimension;
  exchange(run);
  for (size_t j = 0; j < k; j++) run->z[j] *= 0.5;
  place_trial(run, U, run->z);
  exchange(run);
  lr_step_unpair(&run->step);
  return LR_GO;
}

/* Asks at the present point, at half the last move, a quarter, ...: g or, for
 * a basis, run->d. */
static lr_code ask_here(lr_run *run, const lr_basis *U, lrgd_vec g,
                        lrgd_purpose why, double *norm)
{
  enum { HALVINGS = 30 };
  for (int i = 0; i <= HALVINGS; i++) {
    lr_code code = U ? slopes_here(run, U, why, norm)
                     : lr_run_gradient_at(run, &run->at, g, why, 0, norm);
    if (code != LR_NOVALUE) {
      LR_TRY(code);
      return lr_run_look(run, *norm);
    }
    LR_TRY(halve(run));
  }
  return lr_oracle_end(&run->oracle, LRGD_OUTCOME_FAILED,
                       (lrgd_decision){.kind = LRGD_DECISION_KIND_STEP_FAILED,
                                       .count = HALVINGS});
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
  double s = lr_step_first(&run->step, norm);
  run->placed_k = 0;
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
  run->space->ops->get(run->space, g, 0, p, run->d);
  return LR_GO;
}

/* ---- moving ---- */

/* y += U z, or y += z where U is everything. */
static void displace(lr_run *run, const lr_basis *U, lrgd_vec y,
                     const double *z)
{
  if (U) {
    lr_basis_expand(U, y, z);
    return;
  }
  double one = 1;
  lrgd_vec w = lr_run_work(run, LR_WORK_SEARCH);
  run->space->ops->put(run->space, w, 0, run->space->dimension, z);
  run->space->ops->add(run->space, y, w, 1, &one);
}

/* The trial becomes x + U z, moved into the box. */
static void place_trial(lr_run *run, const lr_basis *U, const double *z)
{
  run->placed_k = U ? U->k : run->space->dimension;
  memcpy(run->placed, z, run->placed_k * sizeof *z);
  run->trial.x = free_column(run);
  run->space->ops->copy(run->space, run->trial.x, run->at.x, 1);
  displace(run, U, run->trial.x, z);
  run->clipped =
      lr_oracle_boxed(&run->oracle) &&
      run->space->ops->clip(run->space, run->trial.x, run->oracle.box);
  lr_oracle_rename(&run->oracle, &run->trial);
}

/* What a step sees of the run. */
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

/* The trial and the present point exchange names. */
static void exchange(lr_run *run)
{
  lr_point left = run->at;
  run->at = run->trial;
  run->trial = left;
  run->placed_k = 0;
}

/* Whether the trial is x + U z already. */
static bool is_placed(const lr_run *run, const double *z, size_t k)
{
  return run->placed_k == k && memcmp(run->placed, z, k * sizeof *z) == 0;
}

/* Whether there may be another iteration. */
static lr_code another(lr_run *run)
{
  if (run->moves < (uint64_t)run->options.max_iterations) return LR_GO;
  return lr_oracle_end(
      &run->oracle, LRGD_OUTCOME_BUDGET,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_ITERATIONS_USED,
                      .count = run->moves});
}

/* T iterations of the paper are T times r slopes and T updates, and no look at
 * where the last one leads: there the value is enough. */
static lr_code last_as_written(lr_run *run)
{
  if (run->moves < (uint64_t)run->options.max_iterations) return LR_GO;
  lr_code code = lr_oracle_value(&run->oracle, &run->at, LRGD_PURPOSE_CHECK);
  if (code == LR_GO) code = lr_run_record(run, &run->at);
  if (code != LR_NOVALUE) LR_TRY(code);
  lr_run_tell(run, LRGD_EVENT_ITERATION);
  return another(run);
}

lr_code lr_run_arrived(lr_run *run)
{
  double from = isnan(run->stood) ? run->start_f : run->stood;
  run->moves++;
  run->fell = from - run->at.f;
  run->stood = run->at.f;
  lr_run_tell(run, LRGD_EVENT_ITERATION);
  return lr_run_slow(run) ? lr_run_end_slow(run) : another(run);
}

lr_code lr_run_move(lr_run *run, const lr_basis *U)
{
  LR_TRY(another(run));
  if (!U && run->domain.k > 0) U = &run->domain;
  view v = {run, U};
  double fz, from = run->at.f;
  lr_restricted phi = {&v, run->oracle.noise, view_value, view_slope};
  LR_TRY(lr_step_take(&run->step, &phi, run->at.f, run->d, run->z, &fz));
  size_t k = U ? U->k : run->space->dimension;
  if (!is_placed(run, run->z, k)) {
    place_trial(run, U, run->z);
    run->trial.f = fz;
  }
  if (run->clipped) lr_step_unpair(&run->step); /* it is not x + U z */
  exchange(run);
  run->moved_in = U;
  run->retreat = !run->options.verbatim;
  run->moves++;
  LR_TRY(lr_run_measure_fall(run, from));
  return run->options.verbatim ? last_as_written(run) : LR_GO;
}

lr_code lr_run_leap(lr_run *run, const lr_basis *U)
{
  enum { LEAPS = 40 };
  if (!U && run->domain.k > 0) U = &run->domain;
  size_t k = U ? U->k : run->space->dimension;
  view v = {run, U};
  double last = run->at.f, f;
  for (int i = 0; i < LEAPS; i++) {
    for (size_t j = 0; j < k; j++) run->z[j] *= 16;
    lr_code code = view_value(&v, run->z, &f);
    if (code == LR_NOVALUE || (code == LR_GO && !(f < last))) break;
    LR_TRY(code);
    last = f;
  }
  return LR_GO;
}
