/* Creation and destruction of the state of a run, and simple queries. */
#include "solver/run_state.h"

#include "base/memory.h"
#include "base/options.h"

#include <string.h>

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

void lr_run_set_step(lr_run *run)
{
  run->moving.step.given = step_given(&run->options);
}

/* Columns to allocate at first: the rank where it is known, otherwise what most
 * runs need (growing copies all columns; untouched memory costs nothing). */
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
  lr_step_init(&run->moving.step, step_of(options), &given, a);
  lrgd_status status = lr_basis_init(&run->moving.line, space, a, 1);
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
  lr_run_forget_fit(run);
  lr_free(&run->allocator, run->moving.d);
  lr_basis_clear(&run->U);
  lr_basis_clear(&run->moving.line);
  lr_basis_clear(&run->domain);
  lr_step_clear(&run->moving.step);
  lr_known_clear(&run->learned.known);
  lr_known_vectors_clear(&run->learned.vectors);
  lr_oracle_clear(&run->oracle);
  *run = (lr_run){0};
}

void lr_run_forget_fit(lr_run *run)
{
  lr_free(&run->allocator, run->fitted.F);
  lr_free(&run->allocator, run->fitted.J);
  run->fitted = (lr_run_fitted){0};
  lr_free(&run->allocator, run->limited.multipliers);
  run->limited = (lr_run_limited){.violation = NAN};
}

lr_code lr_run_reserve(lr_run *run, size_t k)
{
  if (k <= run->moving.room) return LR_GO;
  double *three = lr_alloc(&run->allocator, k + 1, 3 * sizeof *three);
  if (!three)
    return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu directions", k);
  if (run->moving.room > 0) {
    memcpy(three, run->moving.d, run->moving.room * sizeof *three);
    memcpy(three + k + 1, run->moving.z, run->moving.room * sizeof *three);
  }
  run->moving.placed_k = 0;
  lr_free(&run->allocator, run->moving.d);
  run->moving.d = three;
  run->moving.z = three + k + 1;
  run->moving.placed = three + 2 * (k + 1);
  run->moving.room = k;
  return LR_GO;
}

lrgd_vec lr_run_work(const lr_run *run, int which)
{
  return (lrgd_vec){run->work, (size_t)which};
}

void lr_run_stand(lr_run *run, const lr_point *at)
{
  run->at = *at;
}

void lr_run_stand_at(lr_run *run, lrgd_vec x, double f)
{
  run->at.x = x;
  lr_oracle_know(&run->oracle, &run->at, f);
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

/* Whether bounds fix an input, so that V never becomes all of space. */
static bool has_fixed(const lr_run *run)
{
  lrgd_box box = run->oracle.box;
  if (!box.lower.block) return false;
  const double *lower = lrgd_host_data(box.lower);
  const double *upper = lrgd_host_data(box.upper);
  for (size_t i = 0; i < run->space->dimension; i++)
    if (!(lower[i] < upper[i])) return true;
  return false;
}

bool lr_run_is_constrained(const lr_run *run)
{
  return run->oracle.answers.outputs != NULL;
}

bool lr_run_fits_residuals(const lr_run *run)
{
  /* other methods minimise f without its residuals */
  return run->oracle.answers.residuals && !lr_run_is_constrained(run) &&
         run->options.method == LRGD_METHOD_AUTO && run->domain.k == 0 &&
         run->learned.known.n == 0 && !has_fixed(run);
}

size_t lr_run_rank(const lr_run *run)
{
  size_t k = run->shown ? run->shown->k : run->U.k;
  return k > 0 && !run->whole ? k : lr_run_dimension(run);
}

static double threshold(const lrgd_options *o)
{
  if (lr_given(o->epsilon) && lr_given(o->mu))
    return sqrt(2 * o->mu * o->epsilon);
  return lr_given(o->tol) ? o->tol : 0;
}

void lr_run_forget_tolerance(lr_run *run)
{
  run->goal.tol = threshold(&run->options);
}
