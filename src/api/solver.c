/* The public solver: checks its input, runs a method, writes the result. */
#include "api/solver_state.h"
#include "auto/polytope_method.h"
#include "base/choices.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/sized.h"
#include "constrained/constrained.h"
#include "least_squares/gauss_newton.h"
#include "paper/paper.h"
#include "solver/fixed_inputs.h"
#include "solver/iterate.h"
#include "solver/restart.h"

#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- creation and destruction ---- */

/* The allocator of a solver: the options', else malloc. */
static lrgd_allocator allocator_of(const lrgd_options *o)
{
  return o->allocator ? *o->allocator : lr_malloc;
}

static lrgd_solver *make(const lrgd_options *o)
{
  lrgd_allocator a = allocator_of(o);
  lrgd_solver *s = lr_alloc(&a, 1, sizeof *s);
  if (!s) return NULL;
  s->magic = LR_SOLVER_MAGIC;
  s->allocator = a;
  atomic_flag_clear(&s->busy);
  atomic_init(&s->stop, 0);
  return s;
}

static void release(lrgd_solver *s)
{
  lrgd_allocator a = s->allocator;
  lr_run_clear(&s->run);
  lr_polytope_clear(&s->polytope);
  lr_basis_clear(&s->rows);
  lr_free(&a, s->targets);
  if (s->host) {
    s->space->ops->free(s->space, s->bounds);
    s->space->ops->free(s->space, s->scratch);
    lrgd_space_destroy(&s->space);
    lr_host_answers_destroy(&s->host);
  }
  s->magic = 0;
  lr_free(&a, s);
}

/* Bytes a solver for p doubles takes at least, for the message. */
static lrgd_status no_memory(lrgd_error *error, size_t p, const lrgd_options *o)
{
  double columns = 10 + (o->rank == LRGD_UNSET ? 8 : 2 * (double)o->rank);
  return lr_fail(error, LRGD_ERR_NOMEM,
                 "out of memory: dimension %zu needs some %.3g bytes", p,
                 columns * (double)p * sizeof(double));
}

static lrgd_status set_bounds(lrgd_solver *s, const lrgd_problem *problem)
{
  if (!problem->lower && !problem->upper) return LRGD_OK;
  size_t p = problem->dimension;
  s->bounds = s->space->ops->make(s->space, 2);
  if (!s->bounds) return LRGD_ERR_NOMEM;
  lrgd_vec lower = {s->bounds, 0}, upper = {s->bounds, 1};
  double *low = lrgd_host_data(lower), *high = lrgd_host_data(upper);
  for (size_t i = 0; i < p; i++) {
    low[i] = problem->lower ? problem->lower[i] : -INFINITY;
    high[i] = problem->upper ? problem->upper[i] : INFINITY;
  }
  lr_oracle_set_bounds(&s->run.oracle, (lrgd_box){lower, upper});
  return LRGD_OK;
}

static lrgd_status build_host(lrgd_solver *s, const lrgd_problem *problem,
                              const lrgd_options *o)
{
  const lrgd_allocator *a = &s->allocator;
  s->host = lr_host_answers_create(problem, o->guard_callbacks != 0, a);
  if (!s->host) return LRGD_ERR_NOMEM;
  lr_host_answers_set_loss(s->host,
                           (lr_loss){(lrgd_loss)o->loss, o->loss_scale});
  s->space = lrgd_host_space(problem->dimension, LRGD_SCALAR_DOUBLE, a);
  if (!s->space) {
    lr_host_answers_destroy(&s->host); /* release() needs both or none */
    return LRGD_ERR_NOMEM;
  }
  s->scratch = s->space->ops->make(s->space, 1);
  if (!s->scratch) return LRGD_ERR_NOMEM;
  lr_answers answers = lr_host_answers_view(s->host);
  lrgd_status status = lr_run_init(&s->run, s->space, &answers, o, a);
  return status == LRGD_OK ? set_bounds(s, problem) : status;
}

lrgd_status lrgd_solver_create(lrgd_solver **solver,
                               const lrgd_problem *problem,
                               const lrgd_options *options, lrgd_error *error)
{
  lrgd_options o;
  lrgd_problem own;
  if (!solver) return lr_fail(error, LRGD_ERR_INVALID, "solver is NULL");
  *solver = NULL;
  lrgd_status status = lr_problem_take(&own, problem, error);
  if (status == LRGD_OK) status = lr_solver_check_problem(&own, error);
  if (status == LRGD_OK) status = lr_options_check(&o, options, error);
  if (status == LRGD_OK && o.async && !own.start)
    status = lr_fail(error, LRGD_ERR_INVALID,
                     "async needs evaluations of f that are started one by "
                     "one (start and finish): a worker or program that "
                     "answers f, or jobs");
  if (status == LRGD_OK)
    status = lr_solver_check_method(&o, own.dimension, error);
  if (status == LRGD_OK) status = lr_solver_check_limits(&own, &o, error);
  if (status == LRGD_OK) status = lr_solver_check_bounds(&own, error);
  if (status == LRGD_OK)
    status = lr_solver_refuse_bounds(&o, lr_problem_bounded(&own), error);
  if (status != LRGD_OK) return status;
  lrgd_solver *s = make(&o);
  if (!s) return no_memory(error, own.dimension, &o);
  status = build_host(s, &own, &o);
  if (status != LRGD_OK) {
    release(s);
    return no_memory(error, own.dimension, &o);
  }
  *solver = s;
  return LRGD_OK;
}

void lrgd_space_problem_init(lrgd_space_problem *problem, size_t size,
                             lrgd_space *space)
{
  lrgd_space_problem p = {.struct_size = sizeof p, .space = space};
  lr_sized_give(problem, size, &p, sizeof p);
}

/* A checked copy of a problem in a space. */
static lrgd_status take_problem_in(lrgd_space_problem *to,
                                   const lrgd_space_problem *from,
                                   lrgd_error *error)
{
  *to = lrgd_space_problem_default(NULL);
  if (from && !lr_sized_take(to, sizeof *to, from, "problem", error))
    return LRGD_ERR_INVALID;
  if (!to->space)
    return lr_fail(error, LRGD_ERR_INVALID, "problem or space is NULL");
  if (to->space->ops->struct_size < offsetof(lrgd_space_ops, map_to_box))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "the space's table of verbs has %zu bytes, at least %zu are "
                   "needed",
                   to->space->ops->struct_size,
                   offsetof(lrgd_space_ops, map_to_box));
  if (!to->box.lower.block != !to->box.upper.block)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "a box needs both its lower and its upper bounds");
  if (to->space->dimension == 0 || to->space->dimension > INT_MAX)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "dimension %zu; it must be between 1 and %d",
                   to->space->dimension, INT_MAX);
  if (!to->value && !to->values && !to->gradient && !to->slopes)
    return lr_fail(error, LRGD_ERR_INVALID, "the problem has no callback");
  return LRGD_OK;
}

lrgd_status lrgd_solver_create_in(lrgd_solver **solver,
                                  const lrgd_space_problem *problem,
                                  const lrgd_options *options,
                                  lrgd_error *error)
{
  lrgd_options o;
  lrgd_space_problem own;
  if (!solver) return lr_fail(error, LRGD_ERR_INVALID, "solver is NULL");
  *solver = NULL;
  lrgd_status status = take_problem_in(&own, problem, error);
  if (status != LRGD_OK) return status;
  size_t p = own.space->dimension;
  status = lr_options_check(&o, options, error);
  if (status == LRGD_OK) status = lr_solver_check_method(&o, p, error);
  if (status == LRGD_OK)
    status = lr_solver_refuse_bounds(&o, own.box.lower.block, error);
  if (status != LRGD_OK) return status;
  lrgd_solver *s = make(&o);
  if (!s) return no_memory(error, p, &o);
  s->space = own.space;
  s->problem = own;
  lr_answers answers = lr_space_answers_view(&s->problem);
  status = lr_run_init(&s->run, s->space, &answers, &o, &s->allocator);
  if (status != LRGD_OK) {
    release(s);
    return no_memory(error, p, &o);
  }
  lr_oracle_set_bounds(&s->run.oracle, own.box);
  *solver = s;
  return LRGD_OK;
}

lrgd_status lrgd_solver_destroy(lrgd_solver **solver)
{
  if (!solver || !*solver) return LRGD_OK;
  if (!lr_solver_valid(*solver)) return LRGD_ERR_INVALID;
  if (!lr_solver_enter(*solver)) return LRGD_ERR_BUSY;
  release(*solver);
  *solver = NULL;
  return LRGD_OK;
}

void lrgd_solver_stop(lrgd_solver *solver)
{
  if (solver) atomic_store(&solver->stop, 1);
}

/* ---- solving ---- */

/* Runs the method of the options. */
static lr_code run_method(lr_run *run)
{
#define METHOD(enumerator, word, symbol)                                       \
  [LRGD_METHOD_##enumerator] = lr_method_##symbol,
  static const lr_method methods[] = {LR_METHODS(METHOD)};
#undef METHOD
  lr_method chosen = methods[run->options.method];
  if (run->polytope) chosen = lr_method_confined;
  if (lr_run_fits_residuals(run)) chosen = lr_method_least_squares;
  if (lr_run_is_constrained(run)) return lr_method_constrained(run);
  if (lr_inputs_are_fixed(run)) return lr_method_fixed(run);
  return lr_with_restarts(run, chosen);
}

/* The caller's struct for the result, and its size. */
typedef struct destination {
  lrgd_result *result;
  size_t size;
} destination;

static void report(lr_run *run, bool fault, destination to)
{
  lr_oracle *o = &run->oracle;
  lrgd_result result = {
      .struct_size = sizeof result,
      .outcome = fault ? LRGD_OUTCOME_FAILED : o->ending.outcome,
      .f = lr_run_sense(run) * lr_run_told(run, run->record.best_f),
      .grad_norm = lr_run_told(run, run->progress.grad_norm),
      .iterations = run->progress.moves,
      .rank = lr_run_rank(run),
      .sigma_r = run->progress.sigma_r,
      .noise = lr_run_told(run, o->differences.noise),
      .counts = o->counts,
      .certificate = run->claim.certificate,
      .seconds = lr_oracle_seconds(o),
      .stall = fault ? LRGD_STALL_NONE : o->ending.stall,
      .end = o->ending.why,
      .held = o->ending.held,
  };
  result.certificate.grad_norm_bound =
      lr_run_told(run, run->claim.certificate.grad_norm_bound);
  if (o->ending.why.kind != LRGD_DECISION_KIND_NONE)
    (void)lrgd_end_text(&o->ending.why, &o->ending.held, NULL, result.message,
                        sizeof result.message);
  lr_sized_give(to.result, to.size, &result, sizeof result);
}

/* x: in the start, out the best point. */
static lrgd_status solve(lrgd_solver *s, lrgd_vec x, destination to,
                         lrgd_error *error)
{
  lr_run *run = &s->run;
  fenv_t callers;
  (void)feholdexcept(&callers); /* comparisons with NaN must not trap */
  lr_solver_satisfy(s, x);
  lr_run_choose_start(run, x);
  lr_code code = lr_run_start(run, x, &s->stop);
  if (code == LR_GO) code = run_method(run);
  lr_run_leave(run);
  if (code == LR_NOVALUE)
    code = lr_oracle_end(
        &run->oracle, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = run->progress.moves > 0
                                    ? LRGD_DECISION_KIND_POINT_FAILED
                                    : LRGD_DECISION_KIND_START_FAILED});
  lr_run_deliver(run);
  if (code == LR_END && !lr_run_is_constrained(run)) code = lr_run_close(run);
  if (code != LR_FAULT) {
    if (run->oracle.ending.held.kind != LRGD_DECISION_KIND_NONE)
      lr_run_decide(run, run->oracle.ending.held);
    lr_run_decide(run, run->oracle.ending.why);
    lr_run_tell(run, LRGD_EVENT_FINAL);
  }
  /* the request to stop, if any, concerned this run only */
  atomic_store(&s->stop, 0);
  (void)fesetenv(&callers);
  s->space->ops->copy(s->space, x, (lrgd_vec){run->points, run->record.best},
                      1);
  report(run, code == LR_FAULT, to);
  if (code != LR_FAULT) return LRGD_OK;
  if (error) *error = run->oracle.ending.error;
  return run->oracle.ending.error.status;
}

static lrgd_status check_start(const lrgd_solver *s, const double *x0,
                               lrgd_error *error)
{
  size_t p = s->space->dimension;
  for (size_t i = 0; i < p; i++)
    if (!lr_finite(x0[i]))
      return lr_fail(error, LRGD_ERR_INVALID,
                     "coordinate %zu of the start is %g", i, x0[i]);
  return LRGD_OK;
}

lrgd_status lrgd_solver_solve_sized(lrgd_solver *solver, const double *x0,
                                    double *x, lrgd_result *result,
                                    size_t result_size, lrgd_error *error)
{
  if (!lr_solver_valid(solver) || !x0 || !x)
    return lr_fail(error, LRGD_ERR_INVALID, "solver, x0 or x is NULL");
  if (!solver->host)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "this solver's vectors are not host doubles: use "
                   "lrgd_solver_solve_in");
  if (!lr_solver_enter(solver)) return lr_solver_busy(error);
  size_t p = solver->space->dimension;
  lrgd_vec work = {solver->scratch, 0};
  lrgd_status status = check_start(solver, x0, error);
  if (status == LRGD_OK) {
    solver->space->ops->put(solver->space, work, 0, p, x0);
    status = solve(solver, work, (destination){result, result_size}, error);
    solver->space->ops->get(solver->space, work, 0, p, x);
  }
  lr_solver_leave(solver);
  return status;
}

lrgd_status lrgd_solver_solve_in_sized(lrgd_solver *solver, lrgd_vec x,
                                       lrgd_result *result, size_t result_size,
                                       lrgd_error *error)
{
  double norm;
  if (!lr_solver_valid(solver) || !x.block)
    return lr_fail(error, LRGD_ERR_INVALID, "solver or x is NULL");
  if (!lr_solver_enter(solver)) return lr_solver_busy(error);
  lrgd_status status;
  if (!solver->space->ops->measure(solver->space, x, &norm))
    status = lr_fail(error, LRGD_ERR_INVALID, "the start is not finite");
  else
    status = solve(solver, x, (destination){result, result_size}, error);
  lr_solver_leave(solver);
  return status;
}

lrgd_status lrgd_minimize_sized(const lrgd_problem *problem,
                                const lrgd_options *options, double *x,
                                lrgd_result *result, size_t result_size,
                                lrgd_error *error)
{
  lrgd_solver *solver;
  lrgd_status status = lrgd_solver_create(&solver, problem, options, error);
  if (status != LRGD_OK) return status;
  status = lrgd_solver_solve_sized(solver, x, x, result, result_size, error);
  (void)lrgd_solver_destroy(&solver);
  return status;
}

/* ---- query ---- */

size_t lrgd_solver_phase_count(const lrgd_solver *solver)
{
  return lr_solver_valid(solver) ? solver->run.phase_count : 0;
}

const lrgd_phase *lrgd_solver_phase(const lrgd_solver *solver, size_t index)
{
  return index < lrgd_solver_phase_count(solver) ? &solver->run.phases[index]
                                                 : NULL;
}

size_t lrgd_solver_hidden_bound_count(const lrgd_solver *solver)
{
  return lr_solver_valid(solver) ? solver->run.hidden.count : 0;
}

const lrgd_decision *lrgd_solver_hidden_bound(const lrgd_solver *solver,
                                              size_t index)
{
  return index < lrgd_solver_hidden_bound_count(solver)
             ? &solver->run.hidden.found[index]
             : NULL;
}

static double coordinate(const lrgd_solver *s, lrgd_vec x, size_t i)
{
  double value;
  s->space->ops->get(s->space, x, i, 1, &value);
  return value;
}

int lrgd_solver_active_bound(const lrgd_solver *solver, size_t input)
{
  if (!lr_solver_valid(solver) || !solver->host || input == 0 ||
      input > solver->space->dimension)
    return 0;
  const lr_run *run = &solver->run;
  lrgd_box box = run->oracle.box;
  if (!box.lower.block) return 0;
  double x =
      coordinate(solver, (lrgd_vec){run->points, run->record.best}, input - 1);
  if (x == coordinate(solver, box.lower, input - 1)) return -1;
  return x == coordinate(solver, box.upper, input - 1);
}

size_t lrgd_solver_basis_size(const lrgd_solver *solver)
{
  if (!lr_solver_valid(solver) || solver->run.whole) return 0;
  return solver->run.U.k;
}

lrgd_status lrgd_solver_basis(const lrgd_solver *solver, double *U)
{
  if (!lr_solver_valid(solver) || !U) return LRGD_ERR_INVALID;
  size_t p = solver->space->dimension;
  for (size_t j = 0; j < solver->run.U.k; j++)
    solver->space->ops->get(solver->space, lr_basis_column(&solver->run.U, j),
                            0, p, U + j * p);
  return LRGD_OK;
}

lrgd_status lrgd_solver_basis_in(const lrgd_solver *solver, lrgd_vec U)
{
  if (!lr_solver_valid(solver) || !U.block) return LRGD_ERR_INVALID;
  size_t k = lrgd_solver_basis_size(solver);
  for (size_t j = 0; j < k; j++)
    solver->space->ops->copy(solver->space, (lrgd_vec){U.block, U.col + j},
                             lr_basis_column(&solver->run.U, j), 1);
  return LRGD_OK;
}
